//! Names of the old vocabulary. `CONTRIBUTING.md` has the terms that replace them.

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, tokens},
    repository,
};

/// Names that no type, trait or function has. The text of an error is its `Display`, not a
/// `client_text`.
const BANNED: [&str; 13] = [
    "Desk",
    "Found",
    "Keeper",
    "Refusal",
    "Shelf",
    "Standing",
    "Surroundings",
    "Wish",
    "attend",
    "client_text",
    "judged",
    "seat",
    "whereabouts",
];

/// Words before the name of a declaration.
const DECLARES: [&str; 5] = ["struct", "enum", "trait", "type", "fn"];

/// Declarations with a banned name.
fn banned_names(sources: &[Source]) -> Findings {
    let mut found = Findings::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        let code = code_only(&source.text);
        let words = tokens(&code);
        let names = words.windows(2).filter(|two| DECLARES.contains(&two[0]));
        let banned = names.map(|two| two[1]).filter(|name| BANNED.contains(name));
        let path = &source.path;
        found.extend(banned.map(|name| format!("{path}: {name} is not a term of the glossary")));
    }
    found
}

#[test]
fn no_declaration_has_an_old_name() {
    assert_tidy(banned_names(&repository()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_name_fails() {
        for (word, name) in DECLARES.iter().cycle().zip(BANNED) {
            let source = [Source::new("src/a.rs", &format!("pub {word} {name} x"))];
            assert_found(banned_names(&source), &["src/a.rs", name]);
        }
        let clean = [Source::new("src/a.rs", "struct Queue; // struct Desk\nlet seat = 1;")];
        assert_tidy(banned_names(&clean));
    }
}
