//! The searched texts of a game, and the query to the index.

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use crate::{
    base::text,
    game::slots::{Slots, slot},
    model::Game,
};

/// Words of a query that count; the rest of a longer one is skipped.
const WORDS: usize = 32;

/// The searched texts of a game.
#[derive(Debug, Hash, PartialEq, Eq)]
pub(super) struct Words<'a> {
    pub(super) title: &'a str,
    pub(super) platform: &'a str,
    pub(super) genre: &'a str,
    pub(super) developer: &'a str,
    pub(super) description: Cow<'a, str>,
}

impl<'a> Words<'a> {
    /// The searched texts of a game.
    pub(super) fn of(game: &'a Game) -> Self {
        // A check of the text avoids parsing records without the field.
        let description = if game.json().contains("\"description\"") {
            Slots::of(game.json()).text(const { slot("description") })
        } else {
            Cow::Borrowed("")
        };
        Self {
            title: game.name(),
            platform: game.platform(),
            genre: game.genre(),
            developer: game.developer(),
            description,
        }
    }

    /// A number that changes with the texts. It is compared with numbers of the same program only: one
    /// that counts otherwise indexes everything again.
    pub(super) fn mark(&self) -> i64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish().cast_signed()
    }

    /// What is looked through for parts of words, folded.
    pub(super) fn folded(&self) -> String {
        [self.title, self.platform, self.genre].map(text::fold).join("\n")
    }
}

/// A query for the full text search: every word of it, the last one as the beginning of a word.
/// `None` when no letter or digit is in it.
pub(super) fn match_of(query: &str) -> Option<String> {
    let is_searched = |word: &&str| word.chars().any(char::is_alphanumeric);
    let words = query.split_whitespace().filter(is_searched).take(WORDS);
    // In quotes nothing is an operator; a quote inside is doubled.
    let quoted: Vec<String> =
        words.map(|word| format!("\"{}\"", word.replace(['"', '\0'], " "))).collect();
    (!quoted.is_empty()).then(|| format!("{}*", quoted.join(" ")))
}

/// A query for the full text search as one that asks the titles alone.
pub(super) fn in_titles(words: &str) -> String {
    format!("title : ({words})")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn queries_are_quoted_word_by_word() {
        for (query, expected) in [
            ("mario", Some("\"mario\"*")),
            (" super  Mario ", Some("\"super\" \"Mario\"*")),
            ("a OR b*", Some("\"a\" \"OR\" \"b*\"*")),
            ("x\" NEAR(\"y", Some("\"x \" \"NEAR( y\"*")),
            ("+ - !", None),
            ("", None),
            ("ö !", Some("\"ö\"*")),
        ] {
            assert_eq!(match_of(query).as_deref(), expected, "{query}");
        }
        let long = match_of(&"a ".repeat(100)).expect("a query");
        assert_eq!(long.matches("\"a\"").count(), WORDS);
    }

    #[test]
    fn the_mark_follows_what_is_searched() {
        let game = |record| Game::seal(&serde_json::from_value(record).expect("an object"));
        let mark = |record| Words::of(&game(record)).mark();
        let plain = mark(json!({"name": "A", "description": "x"}));
        assert_eq!(plain, mark(json!({"description": "x", "name": "A", "favorite": true})));
        for other in [
            json!({"name": "B", "description": "x"}),
            json!({"name": "A", "description": "y"}),
            json!({"name": "A"}),
            json!({"name": "A", "description": "x", "genre": "RPG"}),
            json!({"name": "", "platform": "A", "description": "x"}),
        ] {
            assert_ne!(plain, mark(other.clone()), "{other}");
        }
    }
}
