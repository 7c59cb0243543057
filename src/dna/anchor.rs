//! Questions for games like a named one: recognising them, and finding that game.

use std::sync::Arc;

use super::{index::Index, titles::Groups};
use crate::{
    base::text,
    model::{Game, Games},
};

/// Characters of a name that are compared.
const NAME_CHARS: usize = 128;

/// What a question asks for.
#[derive(Debug)]
pub(super) enum Asked<'a> {
    /// Games that fit words.
    Anything,
    /// Games like this one.
    Like(&'a Game),
    /// Games like one that is not there, named like this.
    Unknown(String),
}

/// What a whole question asks for. Its blanks are collapsed.
pub(super) fn asked<'a>(query: &str, index: &Index, games: &'a Games) -> Asked<'a> {
    let Some(name) = name_in(query) else { return Asked::Anything };
    match resolve(name, index, games) {
        Some(game) => Asked::Like(game),
        None => Asked::Unknown(name.to_owned()),
    }
}

/// The name in `like X`, `games like X`, `similar to X` and `more like X`.
fn name_in(query: &str) -> Option<&str> {
    let query = ["games", "game"].iter().find_map(|word| after(query, word)).unwrap_or(query);
    let name = ["like", "similar to", "more like"].iter().find_map(|words| after(query, words))?;
    let name = name.trim_matches(['"', '\'', '?', '.', '!', ' ']);
    (!name.is_empty()).then_some(name)
}

/// What follows these words and a blank at the beginning of a text.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len()).filter(|head| head.eq_ignore_ascii_case(words))?;
    text[head.len()..].strip_prefix(' ')
}

/// The game whose title has most of the character groups of a name; of equal ones the shorter title, then the first in
/// order, then the first of the library.
fn resolve<'a>(name: &str, index: &Index, games: &'a Games) -> Option<&'a Game> {
    let groups = Groups::of(&text::fold(text::cut(name, NAME_CHARS)));
    let nearest = index.titled_like(groups).filter_map(|entry| games.find(&entry.id));
    let rank = |(position, game): &(usize, &Arc<Game>)| {
        (game.name().chars().count(), game.name().to_owned(), *position)
    };
    nearest.min_by_key(rank).map(|(_, game)| &**game)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_names_its_game() {
        for (query, expected) in [
            ("like Zelda", Some("Zelda")),
            ("Games LIKE The Legend of Zelda", Some("The Legend of Zelda")),
            ("game like \"Doom\"?", Some("Doom")),
            ("similar to Doom", Some("Doom")),
            ("more like Doom", Some("Doom")),
            ("like ", None),
            ("like", None),
            ("I like Doom", None),
            ("likeable games", None),
            ("größe like x", None),
        ] {
            assert_eq!(name_in(query.trim_end()), expected, "{query}");
        }
    }

    fn indexed(games: &Games) -> Index {
        let mut index = Index::default();
        for game in games.iter() {
            index.put(game);
        }
        index
    }

    #[test]
    fn a_title_that_was_changed_or_taken_out_is_not_meant() {
        let game = |id: &str, name: &str| {
            let record = json!({"game_id": id, "name": name});
            Arc::new(Game::from_json(&record.to_string()).expect("a game"))
        };
        let games = Games::from_games([game("a", "Doom"), game("b", "Zelda")]);
        let mut index = indexed(&games);
        index.put(&game("a", "Quake"));
        let found = |index: &Index, name: &str| resolve(name, index, &games).map(Game::id);
        assert_eq!(found(&index, "doom"), None);
        assert_eq!(found(&index, "quake"), Some("a"));
        index.remove("a");
        assert_eq!(found(&index, "quake"), None);
        index.put(&game("c", "Quake"));
        assert_eq!(found(&index, "quake"), None, "the library does not have it");
        assert_eq!(found(&index, "zelda"), Some("b"));
    }

    #[test]
    fn the_nearest_title_is_meant() {
        let names = ["Doom II", "Doom", "The Legend of Zelda", "Doom", "Größe"];
        let games = names.iter().enumerate().map(|(number, name)| {
            let record = json!({"game_id": number.to_string(), "name": name});
            Arc::new(Game::from_json(&record.to_string()).expect("a game"))
        });
        let games = Games::from_games(games);
        let index = indexed(&games);
        for (name, expected) in [
            ("doom", Some("1")),
            ("doom 2", Some("1")),
            ("Doom II", Some("0")),
            ("legend of zelda", Some("2")),
            ("grösse", Some("4")),
            ("Chrono Trigger", None),
        ] {
            assert_eq!(resolve(name, &index, &games).map(Game::id), expected, "{name}");
        }
        assert!(resolve("doom", &Index::default(), &games).is_none());
        assert!(resolve("doom", &index, &Games::default()).is_none());
    }
}
