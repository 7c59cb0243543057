//! How many games have each value of one field (`GET /api/explorer/facets`).

use std::{
    cmp::Reverse,
    sync::{Arc, Mutex},
};

use hashbrown::{HashMap, HashSet};

use crate::{
    base::{Hold as _, limits::FACET_VALUES, schema::schema, text},
    model::{Chunk, Game, Games},
};

/// The fields that can be asked for.
pub const FIELDS: [&str; 6] = ["genre", "developer", "publisher", "platform", "progress", "esrb"];

schema! {
    /// One value and how many games have it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Facet {
        /// The value as it is stored; a word of its own for games without one.
        pub value: String,
        /// Games that are not hidden and have it.
        pub count: usize,
    }
}

/// The facets as they were last counted. Counting a library again costs the chunks that changed.
#[derive(Debug, Default)]
pub struct FacetCache([Mutex<Counted>; FIELDS.len()]);

/// One field of one library, counted.
#[derive(Debug, Default)]
struct Counted {
    /// The chunks that were counted. They are kept, so that one that goes can be counted out.
    chunks: Vec<Arc<Chunk>>,
    /// Games that are not hidden by the whole text of the field.
    texts: HashMap<String, usize>,
    facets: Arc<[Facet]>,
}

impl FacetCache {
    /// The most frequent values of a field, at most 40, most games first, then by name. A genre that
    /// names several counts for each. A field that is not in [`FIELDS`] has no values.
    pub fn facets(&self, games: &Games, field: &str) -> Arc<[Facet]> {
        let Some(at) = FIELDS.iter().position(|known| *known == field) else {
            return Arc::default();
        };
        let mut counted = self.0[at].hold();
        if counted.bring_to(games, READERS[at]) {
            counted.facets = facets_of(&counted.texts, field).into();
        }
        Arc::clone(&counted.facets)
    }
}

type Reader = fn(&Game) -> &str;

/// How each of [`FIELDS`] is read.
const READERS: [Reader; FIELDS.len()] =
    [Game::genre, Game::developer, Game::publisher, Game::platform, Game::progress, Game::esrb];

impl Counted {
    /// Adds new chunks to the counts and subtracts removed ones; returns whether there were any.
    fn bring_to(&mut self, games: &Games, read: Reader) -> bool {
        let pointers = |chunks: &[Arc<Chunk>]| -> HashSet<*const Chunk> {
            chunks.iter().map(Arc::as_ptr).collect()
        };
        let (old, new) = (pointers(&self.chunks), pointers(games.chunks()));
        if old == new {
            return false;
        }
        let before = std::mem::take(&mut self.chunks);
        for chunk in before.iter().filter(|chunk| !new.contains(&Arc::as_ptr(chunk))) {
            for text in visible(chunk).map(read) {
                if let Some(count) = self.texts.get_mut(text) {
                    *count -= 1;
                    if *count == 0 {
                        self.texts.remove(text);
                    }
                }
            }
        }
        for chunk in games.chunks().iter().filter(|chunk| !old.contains(&Arc::as_ptr(chunk))) {
            for text in visible(chunk).map(read) {
                *self.texts.entry_ref(text).or_insert(0) += 1;
            }
        }
        self.chunks = games.chunks().to_vec();
        true
    }
}

fn visible(chunk: &Chunk) -> impl Iterator<Item = &Game> {
    chunk.iter().map(AsRef::as_ref).filter(|game| !game.hidden())
}

/// The values in the counted texts.
fn facets_of(texts: &HashMap<String, usize>, field: &str) -> Vec<Facet> {
    // What a game without a genre, developer or publisher is called is not worth exploring.
    let blank = match field {
        "platform" => Some("Unspecified"),
        "progress" => Some("Unset"),
        "esrb" => Some("Unrated"),
        _ => None,
    };
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (text, count) in texts {
        let mut parts: Vec<&str> = match field {
            "genre" => text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect(),
            _ => vec![text.trim()],
        };
        parts.sort_unstable();
        parts.dedup();
        for part in parts {
            let value = if part.is_empty() { blank } else { Some(part) };
            if let Some(value) = value {
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
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;
    use crate::model::{Draft, State};

    fn library(records: impl IntoIterator<Item = Value>) -> Games {
        let seal = |record| Game::seal(&serde_json::from_value(record).expect("an object"));
        Games::from_games(records.into_iter().map(seal))
    }

    fn facets(games: &Games, field: &str) -> Arc<[Facet]> {
        FacetCache::default().facets(games, field)
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

    #[test]
    fn counts_that_were_kept_say_the_same_as_new_ones() {
        let record = |number: usize| {
            json!({"game_id": number.to_string(), "genre": format!("g{}, h", number % 7),
                "developer": format!("d{}", number % 5), "hidden": number.is_multiple_of(11)})
        };
        let mut draft = Draft::new(State::new(library((0..700).map(record)), BTreeMap::new(), 1));
        let cache = FacetCache::default();
        let same = |draft: &Draft| {
            for field in FIELDS {
                let games = &draft.state().games;
                assert_eq!(cache.facets(games, field), facets(games, field), "{field}");
            }
        };
        same(&draft);
        draft.edit_game("300", |game| game.set("genre", "new")).expect("there");
        same(&draft);
        draft.edit_game("1", |game| game.set("hidden", true)).expect("there");
        draft.edit_game("11", |game| game.set("hidden", false)).expect("there");
        same(&draft);
        draft.remove_games(&["0", "255", "699"]);
        same(&draft);
        let more = json!({"name": "x", "developer": "only one"});
        draft.add_game(serde_json::from_value(more).expect("an object")).expect("added");
        same(&draft);
        draft.remove_games(&(0..700).map(|number| number.to_string()).collect::<Vec<_>>());
        same(&draft);
    }
}
