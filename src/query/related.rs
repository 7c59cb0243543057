//! Which games are similar to a game, from the data of the library alone (`GET /api/related`).
//!
//! Every compared text is represented by a number, so a library is compared without reading texts. The numbers of a
//! chunk are valid as long as the chunk.

use std::{
    cmp::Reverse,
    sync::{Arc, Mutex, Weak},
};

use hashbrown::{HashMap, HashSet};

use crate::{
    base::{Hold as _, schema::schema, text},
    game::slots::{Slots, slot},
    model::{CHUNK, Chunk, Game, Games},
};

/// Games in one answer.
const SHOWN: usize = 8;
/// Texts that are kept for each game that is there; beyond that most are of games that went.
const SPARE_TEXTS: usize = 8;

schema! {
    "RelatedGame"
    /// One related game.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Related {
        /// Its position in the library.
        pub id: usize,
        /// How much it has in common with the game, above zero.
        pub score: u32,
        /// What they have in common, the same order for every game.
        pub reasons: Vec<&'static str>,
    }
}

/// The numbers of what is compared of one game; zero is blank.
#[derive(Clone, Copy, Debug)]
struct Traits {
    genre: u32,
    series: u32,
    collection: u32,
    developer: u32,
    platform: u32,
    publisher: u32,
    hidden: bool,
}

/// The numbers of the games as they were last read.
#[derive(Debug, Default)]
pub struct RelatedCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    chunks: Vec<(Weak<Chunk>, Box<[Traits]>)>,
    /// Folded and trimmed texts.
    texts: HashMap<Box<str>, u32>,
    /// The words of each text that is a genre.
    genres: HashMap<u32, Box<[u32]>>,
}

impl RelatedCache {
    /// The eight games that have most in common with the one at `position`; equal ones by title. The
    /// game itself and hidden games are left out.
    pub fn related(&self, games: &Games, position: usize) -> Vec<Related> {
        if games.get(position).is_none() {
            return Vec::new();
        }
        let mut kept = self.0.hold();
        kept.bring_to(games);
        let Some(anchor) = kept.traits(position) else { return Vec::new() };
        let shared = kept.shared_words(anchor.genre);
        let mut best: Vec<Candidate> = Vec::with_capacity(SHOWN + 1);
        let chunks = kept.chunks.iter().map(|(_, traits)| traits);
        for (other, traits) in chunks.flat_map(|traits| traits.iter()).enumerate() {
            let score = common(&anchor, traits, &shared).iter().map(|(points, _)| points).sum();
            if score == 0 || traits.hidden || other == position {
                continue;
            }
            let least = best.get(SHOWN - 1).map_or(0, |least| least.score);
            if score < least {
                continue;
            }
            let Some(game) = games.get(other) else { continue };
            let candidate = Candidate { score, title: title(game), id: other };
            let at = best.partition_point(|known| known.key() < candidate.key());
            best.insert(at, candidate);
            best.truncate(SHOWN);
        }
        let shown = |Candidate { score, id, .. }: Candidate| {
            let traits = kept.traits(id).unwrap_or(anchor);
            let common = common(&anchor, &traits, &shared).into_iter();
            let reasons = common.filter(|(points, _)| *points > 0).map(|(_, reason)| reason);
            Related { id, score, reasons: reasons.collect() }
        };
        best.into_iter().map(shown).collect()
    }
}

struct Candidate {
    score: u32,
    title: String,
    id: usize,
}

impl Candidate {
    fn key(&self) -> (Reverse<u32>, &str, usize) {
        (Reverse(self.score), &self.title, self.id)
    }
}

/// The points of everything two games may have in common.
fn common(anchor: &Traits, other: &Traits, shared: &HashMap<u32, u32>) -> [(u32, &'static str); 6] {
    let same = |a: u32, b: u32, points: u32| if a != 0 && a == b { points } else { 0 };
    let words = if other.genre == 0 { 0 } else { shared.get(&other.genre).copied().unwrap_or(0) };
    [
        (2 * words, "shared genre"),
        (same(anchor.series, other.series, 8), "same series"),
        (same(anchor.collection, other.collection, 5), "same collection"),
        (same(anchor.developer, other.developer, 3), "same developer"),
        (same(anchor.platform, other.platform, 2), "same platform"),
        (same(anchor.publisher, other.publisher, 1), "same publisher"),
    ]
}

impl Kept {
    /// Reads the chunks that are not known yet.
    fn bring_to(&mut self, games: &Games) {
        if self.texts.len() > SPARE_TEXTS * games.len() + SPARE_TEXTS * CHUNK {
            *self = Self::default();
        }
        let mut known: HashMap<*const Chunk, (Weak<Chunk>, Box<[Traits]>)> = std::mem::take(&mut self.chunks)
                .into_iter()
                // OK because a weak pointer keeps the address from being given to another chunk.
                .map(|chunk| (chunk.0.as_ptr(), chunk))
                .collect();
        for chunk in games.chunks() {
            let read = known.remove(&Arc::as_ptr(chunk)).unwrap_or_else(|| {
                let traits = chunk.iter().map(|game| self.read(game)).collect();
                (Arc::downgrade(chunk), traits)
            });
            self.chunks.push(read);
        }
    }

    fn read(&mut self, game: &Game) -> Traits {
        let genre = self.number(game.genre());
        if genre != 0 && !self.genres.contains_key(&genre) {
            let words = game.genre().split(|letter: char| !letter.is_alphanumeric());
            let words: HashSet<u32> = words.map(|word| self.number(word)).collect();
            self.genres.insert(genre, words.into_iter().filter(|word| *word != 0).collect());
        }
        Traits {
            genre,
            series: self.number(game.series()),
            collection: self.number(&collection(game)),
            developer: self.number(game.developer()),
            platform: self.number(game.platform()),
            publisher: self.number(game.publisher()),
            hidden: game.hidden(),
        }
    }

    /// The number of a text, in any case and without blanks around it; a blank one is zero.
    fn number(&mut self, text: &str) -> u32 {
        let folded = text::fold(text.trim());
        if folded.is_empty() {
            return 0;
        }
        // OK because four thousand million texts do not fit into memory.
        let next = u32::try_from(self.texts.len() + 1).unwrap_or(u32::MAX);
        *self.texts.entry(folded.into()).or_insert(next)
    }

    fn traits(&self, position: usize) -> Option<Traits> {
        self.chunks.get(position / CHUNK)?.1.get(position % CHUNK).copied()
    }

    /// How many words each genre shares with one.
    fn shared_words(&self, genre: u32) -> HashMap<u32, u32> {
        let words: HashSet<u32> =
            self.genres.get(&genre).into_iter().flat_map(|words| words.iter().copied()).collect();
        let shared = |other: &[u32]| other.iter().map(|word| u32::from(words.contains(word))).sum();
        let shared = self.genres.iter().map(|(genre, other)| (*genre, shared(other)));
        shared.filter(|(_, count): &(u32, u32)| *count > 0).collect()
    }
}

/// The collection of a game. The field is rare: a check of the text avoids parsing.
fn collection(game: &Game) -> String {
    if !game.json().contains("\"collection\"") {
        return String::new();
    }
    Slots::of(game.json()).text(const { slot("collection") }).into_owned()
}

/// What a game is sorted by.
fn title(game: &Game) -> String {
    if game.json().contains("\"sort_title\"") {
        let slots = Slots::of(game.json());
        let title = slots.text(const { slot("sort_title") });
        if !title.trim().is_empty() {
            return text::fold(title.trim());
        }
    }
    text::fold(game.name().trim())
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

    fn related(games: &Games, position: usize) -> Vec<Related> {
        RelatedCache::default().related(games, position)
    }

    #[test]
    fn each_thing_in_common_has_its_points() {
        let games = library([
            json!({"game_id": "0", "genre": "Action, Role-Playing", "series": "S", "collection": "C",
                "developer": "Dév", "platform": "NES", "publisher": "P"}),
            json!({"game_id": "1", "genre": "role playing action"}),
            json!({"game_id": "2", "series": " s "}),
            json!({"game_id": "3", "collection": "c"}),
            json!({"game_id": "4", "developer": "DÉV"}),
            json!({"game_id": "5", "platform": "nes"}),
            json!({"game_id": "6", "publisher": "p"}),
            json!({"game_id": "7", "genre": "Puzzle", "series": "", "developer": " "}),
            json!({"game_id": "8", "series": "S", "hidden": true}),
        ]);
        let found = related(&games, 0);
        let shown: Vec<(usize, u32, &str)> =
            found.iter().map(|game| (game.id, game.score, game.reasons[0])).collect();
        let expected = [
            (2, 8, "same series"),
            (1, 6, "shared genre"),
            (3, 5, "same collection"),
            (4, 3, "same developer"),
            (5, 2, "same platform"),
            (6, 1, "same publisher"),
        ];
        assert_eq!(shown, expected);
        assert!(related(&games, 7).is_empty());
        assert!(related(&games, 99).is_empty());
        assert_eq!(related(&games, 8).len(), 2, "a hidden game has relations too");
    }

    #[test]
    fn eight_at_most_and_equal_ones_by_title() {
        let title = |number: usize| match number {
            5 => json!({"game_id": "5", "platform": "NES", "name": "a", "sort_title": "zz"}),
            _ => {
                json!({"game_id": number.to_string(), "platform": "NES", "name": format!("N{:02}", 20 - number)})
            }
        };
        let found = related(&library((0..12).map(title)), 0);
        let ids: Vec<usize> = found.iter().map(|game| game.id).collect();
        assert_eq!(ids, [11, 10, 9, 8, 7, 6, 4, 3]);
    }

    #[test]
    fn numbers_that_were_kept_say_the_same_as_new_ones() {
        let record = |number: usize| {
            json!({"game_id": number.to_string(), "genre": format!("g{} h{}", number % 7, number % 3),
                "developer": format!("d{}", number % 5), "series": format!("s{}", number % 50),
                "name": format!("n{}", number % 13), "hidden": number.is_multiple_of(11)})
        };
        let mut draft = Draft::new(State::new(library((0..700).map(record)), BTreeMap::new(), 1));
        let cache = RelatedCache::default();
        let same = |draft: &Draft| {
            let games = &draft.state().games;
            for position in [0, 1, 256, 300, 511, 690] {
                assert_eq!(cache.related(games, position), related(games, position), "{position}");
            }
        };
        same(&draft);
        draft.edit_game("300", |game| game.set("genre", "g1 h1 new")).expect("there");
        same(&draft);
        draft.edit_game("2", |game| game.set("hidden", true)).expect("there");
        draft.remove_games(&["1", "255"]);
        same(&draft);
        let more = json!({"game_id": "first", "name": "a", "series": "s1", "developer": "d1"});
        draft.insert_game(0, serde_json::from_value(more).expect("an object")).expect("added");
        same(&draft);
    }
}
