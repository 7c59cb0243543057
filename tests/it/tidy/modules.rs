//! The direction of imports between modules, and what only one module may use.

use std::collections::BTreeSet;

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, tokens, without_tests},
    paths::{module_of, named_paths},
    repository,
};

/// Modules of one layer: they import each other only where [`NEIGHBOURS`] allows it.
const LAYERS: [&[&str]; 2] =
    [&["files", "process"], &["imports", "launch", "sessions", "exports", "backup", "saves"]];

/// Allowed imports within a layer, as `(importing, imported)`.
const NEIGHBOURS: [(&str, &str); 2] = [("sessions", "launch"), ("saves", "backup")];

/// Modules that import nothing but these.
const CLOSED: [(&str, &[&str]); 7] = [
    ("base", &[]),
    ("platforms", &["base"]),
    ("model", &["base", "platforms"]),
    ("net", &["base"]),
    ("events", &["base"]),
    ("jobs", &["base", "files", "events"]),
    ("http", &["base"]),
];

/// Words of code, and the files or folders that may use them outside of tests.
const OWNED_WORDS: [(&str, &[&str]); 8] = [
    ("OpenOptions", &["src/files/"]),
    ("disallowed_methods", &["src/files/", "src/process/", "src/base/clock.rs"]),
    ("Command", &["src/process/"]),
    ("UdpSocket", &[]),
    ("TcpStream", &["src/net/", "src/http/"]),
    ("ureq", &["src/net/"]),
    (
        "rusqlite",
        &["src/databases/", "src/metadb/", "src/opendb/", "src/query/search/", "src/storefronts/"],
    ),
    (
        "unsafe",
        &[
            "src/base/memory.rs",
            "src/http/socket.rs",
            "src/http/stand_ins.rs",
            "src/process/spawn.rs",
        ],
    ),
];

/// The modules in the order of `src/lib.rs`, lowest first.
pub(super) fn ranks(lib: &str) -> Vec<String> {
    let code = code_only(lib);
    let words = tokens(&code);
    words
        .windows(3)
        .filter(|three| three[0] == "mod" && three[2] == ";")
        .map(|three| three[1].to_owned())
        .collect()
}

/// The top-level module a source file belongs to.
fn top_module(path: &str) -> Option<&str> {
    Some(path.strip_prefix("src/")?.split_once('/')?.0)
}

/// Every module that the code names.
fn named_modules(path: &str, text: &str) -> BTreeSet<String> {
    let paths = named_paths(&module_of(path).unwrap_or_default(), text, |_| false).into_iter();
    paths.map(|path| path.split("::").next().unwrap_or_default().to_owned()).collect()
}

/// Imports against the direction of the modules.
fn wrong_imports(sources: &[Source]) -> Findings {
    let lib = sources.iter().find(|source| source.path == "src/lib.rs");
    let ranks = ranks(lib.map_or("", |source| source.text.as_str()));
    let rank = |module: &str| ranks.iter().position(|other| other == module);
    let mut findings = Findings::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        let Some(module) = top_module(&source.path) else { continue };
        let Some(own) = rank(module) else {
            findings.push(format!("{}: {module} is not listed in src/lib.rs", source.path));
            continue;
        };
        for other in named_modules(&source.path, &source.text) {
            let Some(theirs) = rank(&other).filter(|_| other != module) else { continue };
            if let Some(why) = refusal(module, own, &other, theirs) {
                findings.push(format!("{}: {module} imports {other}, {why}", source.path));
            }
        }
    }
    findings
}

fn refusal(module: &str, own: usize, other: &str, theirs: usize) -> Option<&'static str> {
    let same_layer = LAYERS.iter().any(|layer| layer.contains(&module) && layer.contains(&other));
    let closed = CLOSED.iter().find(|(closed, _)| *closed == module);
    if theirs > own {
        Some("which is a higher module")
    } else if same_layer && !NEIGHBOURS.contains(&(module, other)) {
        Some("of the same layer, which no list allows")
    } else if closed.is_some_and(|(_, allowed)| !allowed.contains(&other)) {
        Some("which is not among its allowed imports")
    } else {
        None
    }
}

/// Anything in the root of the library but the list of modules. Only `app` is public, so that the
/// compiler reports unused items.
fn root_items(lib: &str) -> Findings {
    let code = code_only(lib);
    let lines = code.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        let is_module = (line.starts_with("mod ") || line == "pub mod app;") && line.ends_with(';');
        !line.is_empty() && !is_module
    });
    lines.map(|(at, line)| format!("src/lib.rs:{}: only modules here: {line}", at + 1)).collect()
}

/// Words of [`OWNED_WORDS`] outside of the modules that own them; tests may use all of them.
fn foreign_words(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src/")) {
        let code = code_only(without_tests(&source.text));
        let words: BTreeSet<&str> = tokens(&code).into_iter().collect();
        let is_test = source.path.ends_with("tests.rs") || source.path.contains("/tests/");
        for (word, owners) in OWNED_WORDS {
            let owned = owners.iter().any(|owner| source.path.starts_with(owner));
            if words.contains(word) && !owned && !is_test {
                findings.push(format!("{}: `{word}` belongs to {owners:?}", source.path));
            }
        }
    }
    findings
}

#[test]
fn a_module_imports_only_lower_modules() {
    assert_tidy(wrong_imports(&repository()));
}

#[test]
fn the_root_lists_modules_and_nothing_else() {
    let lib = repository().into_iter().find(|source| source.path == "src/lib.rs").unwrap();
    assert_tidy(root_items(&lib.text));
}

#[test]
fn owned_words_are_used_by_their_owners() {
    assert_tidy(foreign_words(&repository()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "mod base;\nmod model;\nmod files;\nmod process;\nmod library;\n\
        mod imports;\nmod launch;\nmod http;\nmod api;\npub mod app;\n";

    fn with(path: &str, text: &str) -> Vec<Source> {
        vec![Source::new("src/lib.rs", LIB), Source::new(path, text)]
    }

    #[track_caller]
    fn refused(path: &str, text: &str, parts: &[&str]) {
        assert_found(wrong_imports(&with(path, text)), parts);
    }

    #[track_caller]
    fn accepted(path: &str, text: &str) {
        assert_tidy(wrong_imports(&with(path, text)));
    }

    #[test]
    fn an_upward_import_fails_however_it_is_written() {
        let parts = ["model imports api", "higher"];
        refused("src/model/game.rs", "use crate::api::route;", &parts);
        refused("src/model/game.rs", "use crate::{base::ids, api::{a, b}};", &parts);
        refused("src/model/game.rs", "fn f() { crate::api::serve() }", &parts);
        refused("src/model/game.rs", "use super::super::api::x;", &parts);
        refused("src/model/mod.rs", "use super::api::x;", &parts);
        refused("src/model/mod.rs", "mod t { use super::super::api::x; }", &parts);
        refused("src/model/mod.rs", "use service_launcher::api::x;", &parts);
    }

    #[test]
    fn downward_and_inner_imports_pass() {
        accepted("src/api/mod.rs", "use crate::{base::ids, http::reply}; use super::model::x;");
        accepted("src/model/game.rs", "use super::record; mod t { use super::super::rows; }");
        accepted("src/model/game.rs", "// crate::api\nconst A: &str = \"crate::api::x\";");
        accepted("src/model/game.rs", "mod a { fn f() {} }\nuse super::rows;");
    }

    #[test]
    fn imports_within_a_layer_must_be_allowed() {
        refused("src/launch/a.rs", "use crate::imports::x;", &["launch imports imports", "layer"]);
        refused("src/process/a.rs", "use crate::files::x;", &["process imports files"]);
        accepted("src/imports/a.rs", "use crate::library::x;");
    }

    #[test]
    fn closed_modules_import_only_what_they_list() {
        refused(
            "src/http/a.rs",
            "use crate::model::x;",
            &["http imports model", "allowed imports"],
        );
        accepted("src/http/a.rs", "use crate::base::x;");
    }

    #[test]
    fn a_module_must_be_listed() {
        refused("src/attic/a.rs", "", &["attic", "not listed"]);
    }

    #[test]
    fn the_root_exports_the_application_alone() {
        assert_tidy(root_items(LIB));
        let findings = root_items("//! Doc.\nmod base;\npub use base::ids;\n");
        assert_found(findings, &["src/lib.rs:3", "pub use"]);
        assert_found(root_items("pub mod base;\n"), &["src/lib.rs:1", "pub mod base"]);
    }

    #[test]
    fn an_owned_word_elsewhere_fails() {
        let source = with("src/library/a.rs", "use std::fs::OpenOptions;");
        assert_found(foreign_words(&source), &["src/library/a.rs", "OpenOptions"]);
        assert_tidy(foreign_words(&with("src/files/a.rs", "use std::fs::OpenOptions;")));
        let test = "//! Doc.\n\n#[cfg(test)]\nmod tests { use std::fs::OpenOptions; }";
        assert_tidy(foreign_words(&with("src/library/a.rs", test)));
    }
}
