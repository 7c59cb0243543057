//! Questions for games that are like one: what asks for them, and which game is meant.

use crate::{
    base::text,
    model::{Game, Games},
};

/// The share of the letter groups of a name that a title must have.
const LEAST_SHARE: f32 = 0.5;
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
pub(super) fn asked<'a>(query: &str, games: &'a Games) -> Asked<'a> {
    let Some(name) = name_in(query) else { return Asked::Anything };
    match resolve(name, games) {
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

/// The game whose title has most of the letter groups of a name; of equal ones the shorter title, then the
/// first by its letters.
fn resolve<'a>(name: &str, games: &'a Games) -> Option<&'a Game> {
    let folded = text::fold(text::cut(name, NAME_CHARS));
    let mut wanted: Vec<[char; 3]> = groups(&folded).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut best: Option<(usize, &Game)> = None;
    let mut seen = vec![0_usize; wanted.len()];
    for (round, game) in (1..).zip(games.iter()) {
        let mut shared = 0;
        let title = text::fold(game.name());
        for group in groups(&title) {
            if let Ok(at) = wanted.binary_search(&group)
                && seen[at] != round
            {
                seen[at] = round;
                shared += 1;
            }
        }
        let rank = |shared: usize, game: &'a Game| {
            let length = game.name().chars().count();
            (shared, std::cmp::Reverse((length, game.name())))
        };
        if best.is_none_or(|(most, known)| rank(shared, game) > rank(most, known)) {
            best = Some((shared, game));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred letters")]
    let share = |shared: usize| shared as f32 / wanted.len().max(1) as f32;
    best.filter(|(shared, _)| share(*shared) >= LEAST_SHARE).map(|(_, game)| game)
}

/// Every three neighbouring letters of a text with blanks around it.
fn groups(text: &str) -> impl Iterator<Item = [char; 3]> {
    let mut letters = "  ".chars().chain(text.chars()).chain([' ']);
    let mut last = [letters.next(), letters.next()].map(Option::unwrap_or_default);
    letters.map(move |letter| {
        let group = [last[0], last[1], letter];
        last = [last[1], letter];
        group
    })
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

    #[test]
    fn the_nearest_title_is_meant() {
        let names = ["Doom II", "Doom", "The Legend of Zelda", "Doom", "Größe"];
        let games = names.iter().enumerate().map(|(number, name)| {
            let record = json!({"game_id": number.to_string(), "name": name});
            Arc::new(Game::from_json(&record.to_string()).expect("a game"))
        });
        let games = Games::from_games(games);
        for (name, expected) in [
            ("doom", Some("1")),
            ("doom 2", Some("1")),
            ("Doom II", Some("0")),
            ("legend of zelda", Some("2")),
            ("grösse", Some("4")),
            ("Chrono Trigger", None),
        ] {
            assert_eq!(resolve(name, &games).map(Game::id), expected, "{name}");
        }
        assert!(resolve("doom", &Games::default()).is_none());
    }
}
