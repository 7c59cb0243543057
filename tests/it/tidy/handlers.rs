//! Handlers hold no rules: files of `src/api` edit no game, read no disk, commit nothing, announce
//! nothing and invalidate no cache themselves.

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, tokens, without_tests},
    repository,
};

/// Sequences of words that a handler leaves to a domain module.
const RULES: [&[&str]; 10] = [
    &["edit_game"],
    &["add_game"],
    &["store", ".", "commit"],
    &["fs", "::"],
    &["File", "::"],
    &["announce"],
    &["store", ".", "report"],
    &["set_cause"],
    &["note_media_change"],
    &["forget"],
];

/// Files that still do, with the first word of the rule. This list only shrinks.
const PENDING: &[(&str, &str)] = &[
    ("src/api/bulk.rs", "store"),
    ("src/api/collections.rs", "store"),
    ("src/api/documents.rs", "store"),
    ("src/api/duplicates.rs", "store"),
    ("src/api/emulators.rs", "store"),
    ("src/api/explore.rs", "store"),
    ("src/api/importers.rs", "store"),
    ("src/api/journal.rs", "store"),
    ("src/api/launch.rs", "store"),
    ("src/api/notices.rs", "store"),
    ("src/api/play.rs", "store"),
    ("src/api/player.rs", "store"),
    ("src/api/playlists.rs", "store"),
    ("src/api/premium.rs", "store"),
    ("src/api/queue.rs", "store"),
    ("src/api/repair.rs", "store"),
    ("src/api/settings.rs", "store"),
    ("src/api/tags.rs", "store"),
    ("src/api/trash.rs", "store"),
    ("src/api/webhooks.rs", "store"),
];

/// Rules of [`RULES`] that files of `src/api` break, and exceptions that are not needed any more.
fn broken(sources: &[Source], pending: &[(&str, &str)]) -> Findings {
    let mut findings = Findings::new();
    let mut excused = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src/api/")) {
        let code = code_only(without_tests(&source.text));
        // The type of an open file is no access to the disk.
        let code = code.replace("fs::File", "File");
        let words = tokens(&code);
        for rule in RULES.iter().filter(|rule| words.windows(rule.len()).any(|at| at == **rule)) {
            let exception = (source.path.as_str(), rule[0]);
            if pending.contains(&exception) {
                excused.push(exception);
            } else {
                findings.push(format!(
                    "{}: `{}` belongs to a domain module",
                    source.path,
                    rule.concat()
                ));
            }
        }
    }
    for exception in pending.iter().filter(|exception| !excused.contains(exception)) {
        findings.push(format!("the exception {exception:?} is not needed any more"));
    }
    findings
}

#[test]
fn handlers_hold_no_rules() {
    assert_tidy(broken(&repository(), PENDING));
}

#[test]
fn a_rule_in_a_handler_fails() {
    let handler = |text: &str| [Source::new("src/api/games.rs", text)];
    for (text, name) in [
        ("fn f() { draft.edit_game(id, |row| row.clear()) }", "edit_game"),
        ("fn f() { draft.add_game(row) }", "add_game"),
        ("fn f() { writer\n.store\n.commit(|draft| g(draft)) }", "store.commit"),
        ("fn f() { std::fs::metadata(path) }", "fs::"),
        ("use std::fs::File; fn f() { File::open(path) }", "File::"),
        ("fn f() { shared.webhooks.announce(&occurrence) }", "announce"),
        ("fn f() { writer.store.report(cause) }", "store.report"),
        ("fn f() { draft.set_cause(cause) }", "set_cause"),
        ("fn f() { shared.library.note_media_change() }", "note_media_change"),
        ("fn f() { shared.library.probes().forget(path) }", "forget"),
    ] {
        assert_found(broken(&handler(text), &[]), &["src/api/games.rs", name]);
    }
    for text in ["use std::{fs::File, io};", "fn f() { setup.commit(jobs) }", "// store.commit()"] {
        assert_tidy(broken(&handler(text), &[]));
    }
    assert_tidy(broken(&[Source::new("src/game/a.rs", "fn f() { std::fs::read(path) }")], &[]));
}

#[test]
fn an_exception_must_be_needed() {
    let handler = [Source::new("src/api/games.rs", "fn f() { draft.add_game(row) }")];
    assert_tidy(broken(&handler, &[("src/api/games.rs", "add_game")]));
    let both = [("src/api/games.rs", "add_game"), ("src/api/tags.rs", "store")];
    assert_found(broken(&handler, &both), &["src/api/tags.rs", "not needed"]);
}
