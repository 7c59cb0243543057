//! One list of platforms: other sources name at most two of them.

use super::{Findings, Source, assert_found, assert_tidy, lex::without_tests, repository};

/// The table.
const TABLE: &str = "src/platforms/platforms.txt";
/// Platforms that a source may name.
const FEW: usize = 2;

/// Sources that name more, with the reason. This list only shrinks.
const NAMING: [(&str, &str); 6] = [
    ("src/formats/content.rs", "what the bytes of an image mean"),
    ("src/imports/apps.rs", "what the header of a program means"),
    ("src/imports/arcade.rs", "families of emulators, two of which are platforms too"),
    ("src/imports/installed.rs", "what the libraries of three emulators hold"),
    (
        "src/migrations/launchers.rs",
        "the runners of other launchers and the platforms they stand for",
    ),
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
