//! One list of platforms: other sources name at most two of them.

use std::collections::BTreeSet;

use super::{Findings, Source, assert_found, assert_tidy, lex::without_tests, repository};

/// The table.
const TABLE: &str = "src/platforms/platforms.txt";
/// Platforms that a source may name.
const FEW: usize = 2;

/// Sources that name more, with the reason. This list only shrinks.
const NAMING: [(&str, &str); 7] = [
    ("src/formats/content.rs", "what the bytes of an image mean"),
    ("src/imports/apps.rs", "what the header of a program means"),
    ("src/imports/arcade.rs", "families of emulators, two of which are platforms too"),
    ("src/imports/installed.rs", "what the libraries of three emulators hold"),
    (
        "src/migrations/launchers.rs",
        "the runners of other launchers and the platforms they stand for",
    ),
    ("src/party/mod.rs", "platforms that are played from a couch, also those that the table lacks"),
    ("src/storefronts/store_c.rs", "the names that another launcher gives to platforms"),
];

/// Sources that name many platforms, and exceptions that are not needed.
fn lists(sources: &[Source]) -> Findings {
    let table = sources.iter().find(|source| source.path == TABLE);
    let lines = table.into_iter().flat_map(|source| source.text.lines());
    let is_name = |line: &&str| !line.is_empty() && !line.starts_with([' ', '#']);
    let names: Vec<String> = lines.filter(is_name).map(str::to_lowercase).collect();
    let is_source = |source: &&Source| {
        let path = &source.path;
        let is_ours = path.starts_with("src/") && source.is_rust()
            || path.starts_with("static/") && matches!(source.extension(), "js" | "css");
        is_ours && !path.ends_with("tests.rs") && !path.contains("/tests/")
    };
    let mut findings = Findings::new();
    for source in sources.iter().filter(is_source) {
        let text = without_tests(&source.text).to_lowercase();
        let is_named = |name: &&String| {
            ["\"", "'", "`"].iter().any(|quote| text.contains(&format!("{quote}{name}{quote}")))
        };
        let count = names.iter().filter(is_named).count();
        match NAMING.iter().any(|(path, _)| *path == source.path) {
            false if count > FEW => findings
                .push(format!("{}: names {count} platforms, which {TABLE} lists", source.path)),
            true if count <= FEW => {
                findings.push(format!("{}: needs no exception any more", source.path));
            }
            _ => {}
        }
    }
    findings
}

/// The file with the symbols.
const SYMBOLS: &str = "static/platforms.svg";

/// The id of the symbol of a platform, as `symbolId` of the page makes it.
fn symbol_id(name: &str) -> String {
    let words =
        name.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    format!("p-{}", words.collect::<Vec<_>>().join("-").to_lowercase())
}

/// Platforms without a symbol or with that of another, and symbols without a platform.
fn symbols(table: &str, drawings: &str) -> Findings {
    let names = table.lines().filter(|line| !line.is_empty() && !line.starts_with([' ', '#']));
    let wanted: BTreeSet<String> = names.map(symbol_id).collect();
    let lines = drawings.lines().filter_map(|line| line.trim().strip_prefix("<symbol id=\""));
    let drawn: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once('"')).collect();
    let ids: BTreeSet<String> = drawn.iter().map(|(id, _)| (*id).to_owned()).collect();
    let missing = wanted.difference(&ids).map(|id| format!("{SYMBOLS}: no symbol {id}"));
    let rest = ids.difference(&wanted).filter(|id| *id != "p");
    let rest = rest.map(|id| format!("{SYMBOLS}: {id} is no platform of the table"));
    let same = drawn.iter().enumerate().filter_map(|(at, (id, drawing))| {
        let (other, _) = drawn[..at].iter().find(|(_, earlier)| earlier == drawing)?;
        Some(format!("{SYMBOLS}: {id} is drawn as {other}"))
    });
    missing.chain(rest).chain(same).collect()
}

#[test]
fn every_platform_has_a_symbol_of_its_own() {
    let sources = repository();
    let text = |path: &str| {
        sources.iter().find(|source| source.path == path).map_or("", |source| &source.text)
    };
    assert_tidy(symbols(text(TABLE), text(SYMBOLS)));
    let drawing = |id: &str, path: &str| format!("<symbol id=\"{id}\">{path}</symbol>\n");
    let check = |drawn: &[(&str, &str)]| {
        symbols(
            "NES\n  x: y\nA & B/2\n",
            &drawn.iter().map(|(id, path)| drawing(id, path)).collect::<String>(),
        )
    };
    assert_tidy(check(&[("p", "0"), ("p-nes", "1"), ("p-a-b-2", "2")]));
    assert_found(check(&[("p-nes", "1")]), &["p-a-b-2"]);
    assert_found(check(&[("p-nes", "1"), ("p-a-b-2", "2"), ("p-x", "3")]), &["p-x is no platform"]);
    assert_found(check(&[("p-nes", "1"), ("p-a-b-2", "1")]), &["is drawn as p-nes"]);
}

#[test]
fn platforms_are_listed_once() {
    assert_tidy(lists(&repository()));
}

#[test]
fn a_second_list_fails() {
    let table = Source::new(TABLE, "# x\n\nNES\n  kind: x\n\nSNES\n\nPSP\n");
    let check = |path: &str, text: &str| lists(&[table.clone(), Source::new(path, text)]);
    let three = "const A: [&str; 3] = [\"nes\", \"SNES\", \"psp\"];";
    assert_found(check("src/a.rs", three), &["src/a.rs", "3 platforms"]);
    assert_found(check("static/a.js", "['NES', 'SNES', `PSP`]"), &["static/a.js"]);
    assert_found(check(NAMING[0].0, "\"NES\""), &["no exception"]);
    assert_tidy(check("src/a.rs", "[\"NES\", \"SNES\", \"psps\"]"));
    assert_tidy(check("src/a_tests.rs", three));
    assert_tidy(check("docs/a.md", three));
}
