//! Words that may not stand in the repository: marks of unfinished work, tests that prove nothing,
//! waits by the clock, and names of the place where a checkout happened to lie.
//!
//! The words are put together from pieces, so that this file does not hold what it looks for.

use super::{Findings, Source, assert_found, assert_tidy, repository};

/// A word and the file extensions it is looked for in; none means all text files.
type Banned = (String, &'static [&'static str]);

/// Files that pause on purpose: where tests wait for the program, where idle time is measured.
const WAITS: [&str; 2] = ["tests/it/support/wait.rs", "tests/bench/pause.rs"];

/// Files that use a library whose word for a client is one of [`authors`].
const CLIENTS: [&str; 3] = ["src/net/client.rs", "src/net/exchange.rs", "src/net/local.rs"];

/// Files written by other programs.
const GENERATED: [&str; 3] = ["Cargo.lock", "package-lock.json", "arcade-titles.tsv"];

fn unfinished() -> Vec<Banned> {
    let rust: &[&str] = &["rs"];
    let script: &[&str] = &["js", "ts", "mjs"];
    let both: &[&str] = &["rs", "js", "ts", "mjs", "css", "html", "sh", "toml"];
    vec![
        (["#[ig", "nore"].concat(), rust),
        (["should_", "panic"].concat(), rust),
        (["to", "do!("].concat(), rust),
        (["unimple", "mented!("].concat(), rust),
        (["#[al", "low("].concat(), rust),
        (["#![al", "low("].concat(), rust),
        (["TO", "DO"].concat(), both),
        (["FIX", "ME"].concat(), both),
        (["X", "XX"].concat(), both),
        ([".sk", "ip("].concat(), script),
        ([".on", "ly("].concat(), script),
        (["@ts-", "ignore"].concat(), script),
        (["@ts-no", "check"].concat(), script),
    ]
}

fn pauses() -> Vec<Banned> {
    let rust: &[&str] = &["rs"];
    let script: &[&str] = &["js", "ts", "mjs"];
    vec![
        (["thread::", "sleep"].concat(), rust),
        (["thread::{", "sleep"].concat(), rust),
        (["park_", "timeout"].concat(), rust),
        (["waitFor", "Timeout"].concat(), script),
        (["sle", "ep("].concat(), script),
    ]
}

/// Names of paths, hosts and roles that belong to a workshop and not to the product.
fn workshop() -> Vec<Banned> {
    let all: &[&str] = &[];
    vec![
        (["/wo", "rk/"].concat(), all),
        (["/fa", "rm/"].concat(), all),
        (["/.lib", "rary/"].concat(), all),
        (["sha", "red/design"].concat(), all),
        (["sha", "red/contract"].concat(), all),
        (["/tmp/", "wt"].concat(), all),
        (["/tmp/", "brief"].concat(), all),
        (["crates", ".io"].concat(), all),
        (["npm", "js.org"].concat(), all),
        (["proxy.go", "lang"].concat(), all),
        (["pypi", ".org"].concat(), all),
    ]
}

/// Whole words, in any case, that name who wrote something instead of what it is.
fn authors() -> Vec<String> {
    vec![
        ["hel", "per"].concat(),
        ["hel", "pers"].concat(),
        ["ag", "ent"].concat(),
        ["ag", "ents"].concat(),
        ["chat", "gpt"].concat(),
        ["cla", "ude"].concat(),
        ["ll", "m"].concat(),
    ]
}

/// Lines that hold one of the words.
fn banned(sources: &[Source], words: &[Banned], exempt: &[&str]) -> Findings {
    let mut findings = Findings::new();
    for source in sources {
        if exempt.iter().any(|path| source.path.ends_with(path)) {
            continue;
        }
        let extension = source.extension();
        let wanted: Vec<_> = words
            .iter()
            .filter(|(_, extensions)| extensions.is_empty() || extensions.contains(&extension))
            .filter(|(word, _)| source.text.contains(word))
            .collect();
        if wanted.is_empty() {
            continue;
        }
        for (at, line) in source.text.lines().enumerate() {
            for (word, _) in wanted.iter().filter(|(word, _)| line.contains(word)) {
                findings.push(format!("{}:{}: {word}", source.path, at + 1));
            }
        }
    }
    findings
}

/// Lines with one of the whole words. The HTTP header that ends in such a word is no finding.
fn banned_words(sources: &[Source], words: &[String]) -> Findings {
    let header = ["user-ag", "ent"].concat();
    let mut findings = Findings::new();
    let is_exempt =
        |path: &str| GENERATED.iter().chain(&CLIENTS).any(|exempt| path.ends_with(exempt));
    for source in sources.iter().filter(|source| !is_exempt(&source.path)) {
        let text = source.text.to_lowercase();
        if !words.iter().any(|word| text.contains(word)) {
            continue;
        }
        for (at, line) in source.text.lines().enumerate() {
            let line = line.to_lowercase().replace(['_', ' '], "-").replace(&header, "");
            let mut parts = line.split(|letter: char| !letter.is_alphanumeric());
            if let Some(word) = parts.find(|part| words.iter().any(|word| word == part)) {
                findings.push(format!("{}:{}: {word}", source.path, at + 1));
            }
        }
    }
    findings
}

#[test]
fn nothing_is_unfinished_or_switched_off() {
    assert_tidy(banned(&repository(), &unfinished(), &GENERATED));
}

#[test]
fn nothing_waits_by_the_clock() {
    assert_tidy(banned(&repository(), &pauses(), &WAITS));
}

#[test]
fn nothing_names_the_workshop() {
    assert_tidy(banned(&repository(), &workshop(), &GENERATED));
    assert_tidy(banned_words(&repository(), &authors()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_banned_word_fails_in_its_files() {
        for (word, extensions) in unfinished().into_iter().chain(pauses()).chain(workshop()) {
            let extension = extensions.first().unwrap_or(&"md");
            let source = [Source::new(&format!("a.{extension}"), &format!("\n  {word}x)\n"))];
            let all = [unfinished(), pauses(), workshop()].concat();
            let findings = banned(&source, &all, &[]);
            assert!(
                findings.iter().any(|finding| finding.contains(":2: ")),
                "{word}: {findings:?}"
            );
        }
    }

    #[test]
    fn exempt_files_and_other_extensions_pass() {
        let word = unfinished()[0].0.clone();
        assert_tidy(banned(&[Source::new("a.md", &word)], &unfinished(), &[]));
        assert_tidy(banned(&[Source::new("a/b.rs", &word)], &unfinished(), &["b.rs"]));
    }

    #[test]
    fn whole_words_fail_and_the_header_passes() {
        let word = &authors()[2];
        let line = |text: String| [Source::new("a.md", &text)];
        assert_found(banned_words(&line(format!("the {word} says")), &authors()), &["a.md:1"]);
        assert_tidy(banned_words(&line(format!("User-{word}: Service/1, re{word}")), &authors()));
    }
}
