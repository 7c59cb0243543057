//! How the games of a library spread over the values of one field (facts of the content, 7).

use std::cmp::Reverse;

use hashbrown::HashMap;
use serde::Serialize;

use crate::{
    base::{limits::FACET_VALUES, text},
    model::{game::Game, games::Games},
};

/// The fields that can be asked for.
pub const FIELDS: [&str; 6] = ["genre", "developer", "publisher", "platform", "progress", "esrb"];

/// One value and how many games have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facet {
    /// The value as it is stored; a word of its own for games without one.
    pub value: String,
    /// Games that are not hidden and have it.
    pub count: usize,
}

/// The most frequent values of a field, at most 40, most games first, then by name. A genre that
/// names several counts for each. A field that is not in [`FIELDS`] has no values.
#[must_use]
pub fn facets(games: &Games, field: &str) -> Vec<Facet> {
    let (read, blank): (fn(&Game) -> &str, &str) = match field {
        "genre" => (Game::genre, ""),
        "developer" => (Game::developer, ""),
        "publisher" => (Game::publisher, ""),
        "platform" => (Game::platform, "Unspecified"),
        "progress" => (Game::progress, "Unset"),
        "esrb" => (Game::esrb, "Unrated"),
        _ => return Vec::new(),
    };
    let mut whole: HashMap<&str, usize> = HashMap::new();
    for game in games.chunks().iter().flat_map(|chunk| chunk.iter()) {
        if !game.hidden() {
            *whole.entry(read(game)).or_insert(0) += 1;
        }
    }
    // Few texts are left now: they are taken apart once each, not once a game.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (text, count) in whole {
        let mut parts: Vec<&str> = match field {
            "genre" => text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect(),
            _ => vec![text.trim()],
        };
        parts.sort_unstable();
        parts.dedup();
        for part in parts {
            let value = if part.is_empty() { blank } else { part };
            if !value.is_empty() {
                *counts.entry(value).or_insert(0) += count;
            }
        }
    }
    most_frequent(counts)
}

fn most_frequent(counts: HashMap<&str, usize>) -> Vec<Facet> {
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    if counts.len() > FACET_VALUES {
        let (_, (_, least), _) =
            counts.select_nth_unstable_by_key(FACET_VALUES - 1, |(_, count)| Reverse(*count));
        let least = *least;
        counts.retain(|(_, count)| *count >= least);
    }
    counts.sort_by_cached_key(|(value, count)| (Reverse(*count), text::fold(value), *value));
    counts.truncate(FACET_VALUES);
    let facet = |(value, count): (&str, usize)| Facet { value: value.to_owned(), count };
    counts.into_iter().map(facet).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn library(records: impl IntoIterator<Item = Value>) -> Games {
        let seal = |record| Game::seal(&serde_json::from_value(record).expect("an object"));
        Games::from_games(records.into_iter().map(seal))
    }

    #[track_caller]
    fn check(games: &Games, field: &str, expected: &[(&str, usize)]) {
        let found = facets(games, field);
        let found: Vec<(&str, usize)> =
            found.iter().map(|facet| (facet.value.as_str(), facet.count)).collect();
        assert_eq!(found, expected, "{field}");
    }

    #[test]
    fn counts_values_and_names_blanks() {
        let games = library([
            json!({"game_id": "1", "genre": "RPG, Action,,RPG", "platform": "NES", "progress": "Beaten"}),
            json!({"game_id": "2", "genre": " action", "platform": " ", "esrb": "T", "developer": "b"}),
            json!({"game_id": "3", "genre": "Action", "platform": "nes", "developer": "A"}),
            json!({"game_id": "4", "genre": "Puzzle", "platform": "NES", "hidden": true}),
        ]);
        check(&games, "genre", &[("Action", 2), ("action", 1), ("RPG", 1)]);
        check(&games, "platform", &[("NES", 1), ("nes", 1), ("Unspecified", 1)]);
        check(&games, "progress", &[("Unset", 2), ("Beaten", 1)]);
        check(&games, "esrb", &[("Unrated", 2), ("T", 1)]);
        check(&games, "developer", &[("A", 1), ("b", 1)]);
        check(&games, "publisher", &[]);
        check(&games, "year", &[]);
    }

    #[test]
    fn forty_values_at_most_and_the_most_frequent_ones() {
        let record = |number: usize| {
            let value = if number >= 100 { number % 50 } else { number };
            json!({"game_id": number.to_string(), "platform": format!("p{value:02}")})
        };
        let games = library((0..120).map(record));
        let found = facets(&games, "platform");
        assert_eq!(found.len(), 40);
        assert_eq!((found[0].value.as_str(), found[0].count), ("p00", 2));
        assert_eq!((found[19].value.as_str(), found[19].count), ("p19", 2));
        assert_eq!((found[39].value.as_str(), found[39].count), ("p39", 1));
        assert_eq!(facets(&library((0..40).map(record)), "platform").len(), 40);
    }
}
