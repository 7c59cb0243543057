//! Handlers hold no rules: files of `src/api` edit no game, read no disk, commit nothing, announce
//! nothing and invalidate no cache themselves.

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, tokens, without_tests},
    repository,
};

/// Sequences of words that a handler leaves to a domain module.
const RULES: [&[&str]; 11] = [
    &["edit_game"],
    &["add_game"],
    &["store", ".", "commit"],
    &["store", ".", "change"],
    &["fs", "::"],
    &["File", "::"],
    &["announce"],
    &["store", ".", "report"],
    &["set_cause"],
    &["note_media_change"],
    &["forget"],
];

/// Rules of [`RULES`] that files of `src/api` break.
fn broken(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src/api/")) {
        let code = code_only(without_tests(&source.text));
        // The type of an open file is no access to the disk.
        let code = code.replace("fs::File", "File");
        let words = tokens(&code);
        for rule in RULES.iter().filter(|rule| words.windows(rule.len()).any(|at| at == **rule)) {
            let rule = rule.concat();
            findings.push(format!("{}: `{rule}` belongs to a domain module", source.path));
        }
    }
    findings
}

#[test]
fn handlers_hold_no_rules() {
    assert_tidy(broken(&repository()));
}

#[test]
fn a_rule_in_a_handler_fails() {
    let handler = |text: &str| [Source::new("src/api/games.rs", text)];
    for (text, name) in [
        ("fn f() { draft.edit_game(id, |row| row.clear()) }", "edit_game"),
        ("fn f() { draft.add_game(row) }", "add_game"),
        ("fn f() { writer\n.store\n.commit(|draft| g(draft)) }", "store.commit"),
        ("fn f() { writer.store.change(|draft| g(draft)) }", "store.change"),
        ("fn f() { std::fs::metadata(path) }", "fs::"),
        ("use std::fs::File; fn f() { File::open(path) }", "File::"),
        ("fn f() { shared.webhooks.announce(&occurrence) }", "announce"),
        ("fn f() { writer.store.report(cause) }", "store.report"),
        ("fn f() { draft.set_cause(cause) }", "set_cause"),
        ("fn f() { shared.library.note_media_change() }", "note_media_change"),
        ("fn f() { shared.library.probes().forget(path) }", "forget"),
    ] {
        assert_found(broken(&handler(text)), &["src/api/games.rs", name]);
    }
    for text in ["use std::{fs::File, io};", "fn f() { setup.commit(jobs) }", "// store.commit()"] {
        assert_tidy(broken(&handler(text)));
    }
    assert_tidy(broken(&[Source::new("src/game/a.rs", "fn f() { std::fs::read(path) }")]));
}
