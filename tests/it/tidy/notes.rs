//! Written promises that must stay true: a note for every dependency, a test for every promise.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Findings, Source, assert_found, assert_tidy, repository, text_of};

/// The names below the dependency headings of a Cargo manifest.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut within = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            within =
                matches!(line, "[dependencies]" | "[dev-dependencies]" | "[build-dependencies]");
        } else if let Some((name, _)) = line.split_once('=').filter(|_| within) {
            names.insert(name.trim().to_owned());
        }
    }
    names
}

/// The development dependencies of an npm package.
fn packages(manifest: &str) -> BTreeSet<String> {
    let manifest: Value = serde_json::from_str(manifest).unwrap_or_default();
    let packages = manifest["devDependencies"].as_object();
    packages.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// The names in the first column of the tables of a text, as `| `name` | ...`.
fn noted(notes: &str) -> BTreeSet<String> {
    let rows = notes.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned())).collect()
}

/// Dependencies without a note, and notes without a dependency.
fn note_differences(used: &BTreeSet<String>, notes: &str) -> Findings {
    let listed = noted(notes);
    let missing =
        used.difference(&listed).map(|name| format!("vendor-notes.md: no line for {name}"));
    let extra = listed.difference(used).map(|name| format!("vendor-notes.md: {name} is not used"));
    missing.chain(extra).collect()
}

/// The pages whose table names a proof for every promise.
const PAGES: [&str; 2] = ["docs/PROMISES.md", "docs/THREATS.md"];

/// The proofs named by the table of a page: `file::test` in backticks, last column.
fn proofs(page: &str) -> Vec<(String, String)> {
    let rows = page.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.flat_map(|row| {
        let (promise, tests) =
            row.trim_end_matches(['|', ' ']).rsplit_once('|').unwrap_or((row, ""));
        let promise = promise.trim_matches(['|', ' ']).to_owned();
        let named: Vec<_> = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let none = named.is_empty().then(String::new);
        named.into_iter().chain(none).map(move |test| (promise.clone(), test)).collect::<Vec<_>>()
    })
    .collect()
}

/// Promises whose proof does not exist.
fn broken_promises(path: &str, page: &str, sources: &[Source]) -> Findings {
    let proofs = proofs(page);
    if proofs.is_empty() {
        return vec![format!("{path}: no table of promises")];
    }
    let unproved = proofs.iter().filter(|(_, proof)| !is_test(proof, sources));
    unproved
        .map(|(promise, proof)| format!("{path}: {promise:?}: no such test: {proof:?}"))
        .collect()
}

/// Whether `file::name` is a test: a Rust function below `#[test]` (or a property), or the title of
/// a test of a script.
fn is_test(proof: &str, sources: &[Source]) -> bool {
    let Some((path, name)) = proof.split_once("::") else { return false };
    let Some(source) = sources.iter().find(|source| source.path == path) else { return false };
    if !source.is_rust() {
        return source.text.contains(&format!("test('{name}'"))
            || source.text.contains(&format!("test(\"{name}\""));
    }
    let before = source.text.split(&format!("fn {name}(")).next().unwrap_or("");
    let attribute = before.lines().rev().map(str::trim).find(|line| !line.is_empty());
    before.len() < source.text.len() && attribute.is_some_and(|line| line == "#[test]")
}

#[test]
fn every_dependency_is_accounted_for() {
    let sources = repository();
    let mut used = dependencies(&text_of(&sources, "Cargo.toml"));
    used.extend(packages(&text_of(&sources, "tests/ui/package.json")));
    assert_tidy(note_differences(&used, &text_of(&sources, "vendor-notes.md")));
}

#[test]
fn every_promise_names_its_proof() {
    let sources = repository();
    for path in PAGES {
        assert_tidy(broken_promises(path, &text_of(&sources, path), &sources));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_without_note_fails_and_so_does_a_stale_note() {
        let manifest =
            "[package]\nname = \"x\"\n[dependencies]\nlog = \"1\"\n[lints.rust]\na = 1\n";
        let crates = dependencies(manifest);
        assert_tidy(note_differences(&crates, "| `log` | writes lines |\n"));
        assert_found(note_differences(&crates, ""), &["no line for log"]);
        let stale = "| `log` | x |\n| `old` | x |\n";
        assert_found(note_differences(&crates, stale), &["old is not used"]);
        let packages = packages(r#"{"devDependencies": {"@a/b": "1"}}"#);
        assert_found(note_differences(&packages, ""), &["no line for @a/b"]);
    }

    #[test]
    fn a_promise_without_its_test_fails() {
        let test = Source::new("tests/it/a.rs", "#[test]\nfn holds() {}\nfn plain() {}\n");
        let page = |proof: &str| {
            format!("# Promises\n\n| promise | proof |\n|---|---|\n| It | {proof} |\n")
        };
        let check =
            |proof: &str| broken_promises("a.md", &page(proof), std::slice::from_ref(&test));
        assert_tidy(check("`tests/it/a.rs::holds`"));
        assert_found(check("`tests/it/a.rs::gone`"), &["\"It\"", "gone"]);
        assert_found(check("`tests/it/a.rs::plain`"), &["plain"]);
        assert_found(check("`tests/it/b.rs::holds`"), &["b.rs"]);
        assert_found(check("trust us"), &["no such test"]);
        assert_found(broken_promises("a.md", "# A\n", &[]), &["no table"]);
    }

    #[test]
    fn a_script_test_is_known_by_its_title() {
        let test = [Source::new("tests/ui/a.test.js", "test('shows games', () => {});")];
        assert!(is_test("tests/ui/a.test.js::shows games", &test));
        assert!(!is_test("tests/ui/a.test.js::shows", &test));
    }
}
