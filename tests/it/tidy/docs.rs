//! The documents of the repository: their size, their links, the module map, and what they and the
//! comments may refer to.

use std::{collections::BTreeSet, path::Path};

use super::{Findings, Source, assert_found, assert_tidy, modules::ranks, repository, text_of};

/// The largest `ARCHITECTURE.md`, in bytes. Reasons and details belong in `docs/design/`.
const ARCHITECTURE_BYTES: usize = 12 * 1024;

/// Texts that refer to papers outside of the repository. They are put together from pieces, so that
/// this file does not contain them.
fn outside_references() -> Vec<String> {
    let subjects = ["the library", "the content", "content", "extensions", "operations"];
    let facts = subjects.map(|subject| ["facts", " of ", subject].concat());
    let papers = ["1", "2"].map(|number| ["Docu", "ment ", number].concat());
    let contract = ["the con", "tract"].concat();
    facts.into_iter().chain(papers).chain([contract]).collect()
}

/// A document that is longer than `bytes`.
fn too_long(path: &str, text: &str, bytes: usize) -> Findings {
    let finding = format!("{path}: {} bytes, at most {bytes}", text.len());
    (text.len() > bytes).then_some(finding).into_iter().collect()
}

/// The targets of links and pictures of a Markdown text, outside of code blocks.
fn link_targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for prose in text.split("```").step_by(2) {
        for after in prose.split("](").skip(1) {
            targets.extend(after.split([')', ' ']).next().map(str::to_owned));
        }
    }
    targets
}

/// Relative links of Markdown files that lead to no file.
fn broken_links(sources: &[Source], exists: &dyn Fn(&str) -> bool) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|source| source.extension() == "md") {
        let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in link_targets(&source.text) {
            let file = target.split('#').next().unwrap_or("");
            let is_elsewhere = file.is_empty() || file.contains("://");
            if !is_elsewhere && !exists(&format!("{folder}/{file}")) {
                findings.push(format!("{}: no such file: {target}", source.path));
            }
        }
    }
    findings
}

/// Differences between the modules of `src/lib.rs` and the first column of the module map.
fn map_differences(lib: &str, architecture: &str) -> Findings {
    let declared: BTreeSet<String> = ranks(lib).into_iter().collect();
    let map = architecture.split("\n## Module map\n").nth(1).unwrap_or("");
    let map = map.split("\n## ").next().unwrap_or("");
    let rows = map.lines().filter_map(|line| line.strip_prefix("| `"));
    let mapped: BTreeSet<String> =
        rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned())).collect();
    let missing = declared.difference(&mapped).map(|name| format!("no row for `{name}`"));
    let extra = mapped.difference(&declared).map(|name| format!("`{name}` is no module"));
    missing.chain(extra).map(|what| format!("ARCHITECTURE.md, module map: {what}")).collect()
}

/// Files that refer to something outside of the repository. Line breaks and comment marks count as
/// spaces.
fn outside(sources: &[Source], references: &[String]) -> Findings {
    let mut findings = Findings::new();
    for source in sources {
        let lines = source.text.lines().map(|line| line.trim_start_matches(['/', '!', '*', ' ']));
        let text = lines.collect::<Vec<_>>().join(" ").to_lowercase();
        for reference in references {
            if text.contains(&reference.to_lowercase()) {
                findings.push(format!("{}: {reference:?} is not in the repository", source.path));
            }
        }
    }
    findings
}

#[test]
fn the_overview_is_short() {
    let text = text_of(&repository(), "ARCHITECTURE.md");
    assert_tidy(too_long("ARCHITECTURE.md", &text, ARCHITECTURE_BYTES));
}

#[test]
fn every_relative_link_resolves() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let exists = |path: &str| root.join(path.trim_start_matches('/')).exists();
    assert_tidy(broken_links(&repository(), &exists));
}

#[test]
fn the_module_map_is_complete() {
    let sources = repository();
    let lib = text_of(&sources, "src/lib.rs");
    assert_tidy(map_differences(&lib, &text_of(&sources, "ARCHITECTURE.md")));
}

#[test]
fn nothing_refers_to_papers_outside_of_the_repository() {
    assert_tidy(outside(&repository(), &outside_references()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_beyond_its_bound_fails() {
        assert_tidy(too_long("a.md", "1234", 4));
        assert_found(too_long("a.md", "12345", 4), &["a.md", "5 bytes"]);
    }

    #[test]
    fn a_broken_link_fails_and_other_addresses_pass() {
        let check = |text: &str| {
            broken_links(&[Source::new("docs/a.md", text)], &|path| path == "docs/../b.md")
        };
        assert_tidy(check("[b](../b.md) [part](../b.md#part) [here](#here)"));
        assert_tidy(check("[x](https://example.org/x)\n```\n[c](c.md)\n```\n"));
        assert_found(check("![c](c.png \"title\")"), &["docs/a.md", "c.png"]);
        let foreign = [Source::new("a.rs", "[c](c.md)")];
        assert_tidy(broken_links(&foreign, &|_| false));
    }

    #[test]
    fn a_module_without_a_row_and_a_row_without_a_module_fail() {
        let map = "# A\n\n## Module map\n\n| `base` | x |\n\n## B\n\n| `other` | x |\n";
        assert_tidy(map_differences("pub mod base;", map));
        assert_found(map_differences("mod base;\npub mod model;", map), &["`model`"]);
        assert_found(map_differences("", map), &["`base`", "no module"]);
    }

    #[test]
    fn each_outside_reference_fails_also_when_it_is_wrapped() {
        for reference in outside_references() {
            let wrapped = reference.replacen(' ', "\n//! ", 1);
            for text in [format!("// {reference}"), format!("//! See {wrapped}, 1.")] {
                let source = [Source::new("a.rs", &text)];
                assert!(!outside(&source, &outside_references()).is_empty(), "{text}");
            }
        }
        assert_tidy(outside(&[Source::new("a.rs", "the facts of a game")], &outside_references()));
    }
}
