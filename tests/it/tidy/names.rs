//! Names of the old vocabulary. `CONTRIBUTING.md` has the terms that replace them.

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, tokens},
    repository,
};

/// Names that no type, trait or function has.
const BANNED: [&str; 9] =
    ["Desk", "Found", "Refusal", "Surroundings", "Wish", "attend", "judged", "seat", "whereabouts"];

/// Words before the name of a declaration.
const DECLARES: [&str; 5] = ["struct", "enum", "trait", "type", "fn"];

/// Declarations that are there today, as `(file, name)`. This list only shrinks.
const TODAY: [(&str, &str); 10] = [
    ("src/api/launch.rs", "judged"),
    ("src/care/relink.rs", "Found"),
    ("src/config/settings/refusal.rs", "Refusal"),
    ("src/game/clean.rs", "Refusal"),
    ("src/game/revert.rs", "Wish"),
    ("src/http/socket.rs", "attend"),
    ("src/journal/error.rs", "Refusal"),
    ("src/launch/prepare.rs", "Surroundings"),
    ("src/query/card.rs", "Surroundings"),
    ("src/sessions/follow.rs", "attend"),
];

/// Declarations with a banned name, and exceptions that are not needed any more.
fn banned_names(sources: &[Source], today: &[(&str, &str)]) -> Findings {
    let mut declared = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        let code = code_only(&source.text);
        let words = tokens(&code);
        let names = words.windows(2).filter(|two| DECLARES.contains(&two[0]));
        let banned = names.map(|two| two[1]).filter(|name| BANNED.contains(name));
        declared.extend(banned.map(|name| (source.path.clone(), name.to_owned())));
    }
    let is =
        |(path, name): &(String, String), other: &(&str, &str)| path == other.0 && name == other.1;
    let fresh = declared.iter().filter(|one| !today.iter().any(|other| is(one, other)));
    let fresh = fresh.map(|(path, name)| format!("{path}: {name} is not a term of the glossary"));
    let stale = today.iter().filter(|other| !declared.iter().any(|one| is(one, other)));
    let stale = stale.map(|(path, name)| format!("{path}: the exception for {name} is not needed"));
    fresh.chain(stale).collect()
}

#[test]
fn no_declaration_has_an_old_name() {
    assert_tidy(banned_names(&repository(), &TODAY));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_name_fails_and_so_does_a_stale_exception() {
        for (word, name) in DECLARES.iter().zip(BANNED) {
            let source = [Source::new("src/a.rs", &format!("pub {word} {name} x"))];
            assert_found(banned_names(&source, &[]), &["src/a.rs", name]);
            assert_tidy(banned_names(&source, &[("src/a.rs", name)]));
        }
        let clean = [Source::new("src/a.rs", "struct Queue; // struct Desk\nlet seat = 1;")];
        assert_tidy(banned_names(&clean, &[]));
        assert_found(banned_names(&clean, &[("src/a.rs", "Desk")]), &["not needed"]);
    }
}
