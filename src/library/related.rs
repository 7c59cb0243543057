//! Which games are like a game, from what the library itself knows (facts of the library, 7.4).

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};
use serde::Serialize;

use super::slots::{Slots, slot};
use crate::{
    base::text,
    model::{game::Game, games::Games},
};

/// Games in one answer.
const SHOWN: usize = 8;

/// One related game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    /// Its position in the library.
    pub id: usize,
    /// How much it has in common with the game, above zero.
    pub score: usize,
    /// What they have in common, the same order for every game.
    pub reasons: Vec<&'static str>,
}

/// What is compared of the game that others are related to; texts are folded and trimmed.
struct Anchor<'a> {
    words: HashSet<String>,
    series: String,
    collection: String,
    developer: String,
    platform: String,
    publisher: String,
    /// The number of shared words of every genre text met so far.
    shared: HashMap<&'a str, usize>,
}

/// The eight games that have most in common with the one at `position`; equal ones by title. The
/// game itself and hidden games are left out.
#[must_use]
pub fn related(games: &Games, position: usize) -> Vec<Related> {
    let Some(game) = games.get(position) else { return Vec::new() };
    let mut anchor = Anchor::of(game);
    let mut scored: Vec<(usize, &Game, usize)> = Vec::new();
    let all = games.chunks().iter().flat_map(|chunk| chunk.iter()).enumerate();
    for (other, game) in all.filter(|(other, game)| *other != position && !game.hidden()) {
        let score = anchor.common(game).iter().map(|(points, _)| points).sum();
        if score > 0 {
            scored.push((score, game, other));
        }
    }
    if scored.len() > SHOWN {
        let (_, (least, ..), _) =
            scored.select_nth_unstable_by_key(SHOWN - 1, |(score, ..)| Reverse(*score));
        let least = *least;
        scored.retain(|(score, ..)| *score >= least);
    }
    scored.sort_by_cached_key(|(score, game, other)| (Reverse(*score), title(game), *other));
    scored.truncate(SHOWN);
    let mut shown = Vec::with_capacity(scored.len());
    for (score, game, id) in scored {
        let common = anchor.common(game).into_iter().filter(|(points, _)| *points > 0);
        shown.push(Related { id, score, reasons: common.map(|(_, reason)| reason).collect() });
    }
    shown
}

impl<'a> Anchor<'a> {
    fn of(game: &Game) -> Self {
        let folded = |text: &str| text::fold(text.trim());
        Self {
            words: words(game.genre()),
            series: folded(game.series()),
            collection: collection(game),
            developer: folded(game.developer()),
            platform: folded(game.platform()),
            publisher: folded(game.publisher()),
            shared: HashMap::new(),
        }
    }

    /// The points of everything two games may have in common.
    fn common(&mut self, game: &'a Game) -> [(usize, &'static str); 6] {
        let genre = game.genre();
        let known = self.shared.get(genre).copied();
        let shared = known.unwrap_or_else(|| {
            let shared = words(genre).intersection(&self.words).count();
            self.shared.insert(genre, shared);
            shared
        });
        let points = |same: bool, points: usize| if same { points } else { 0 };
        let collected = !self.collection.is_empty() && collection(game) == self.collection;
        [
            (2 * shared, "shared genre"),
            (points(is_same(&self.series, game.series()), 8), "same series"),
            (points(collected, 5), "same collection"),
            (points(is_same(&self.developer, game.developer()), 3), "same developer"),
            (points(is_same(&self.platform, game.platform()), 2), "same platform"),
            (points(is_same(&self.publisher, game.publisher()), 1), "same publisher"),
        ]
    }
}

/// Whether a text equals a folded one; blank texts equal nothing.
fn is_same(folded: &str, other: &str) -> bool {
    let other = other.trim();
    !folded.is_empty()
        && if other.is_ascii() {
            folded.eq_ignore_ascii_case(other)
        } else {
            folded == text::fold(other)
        }
}

fn words(genre: &str) -> HashSet<String> {
    let words = genre.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(text::fold).collect()
}

/// The collection of a game, folded. The field is rare: a look at the text spares the reading.
fn collection(game: &Game) -> String {
    if !game.json().contains("\"collection\"") {
        return String::new();
    }
    text::fold(Slots::of(game.json()).text(const { slot("collection") }).trim())
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
    use serde_json::{Value, json};

    use super::*;

    fn library(records: impl IntoIterator<Item = Value>) -> Games {
        let seal = |record| Game::seal(&serde_json::from_value(record).expect("an object"));
        Games::from_games(records.into_iter().map(seal))
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
        let shown: Vec<(usize, usize, &str)> =
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
}
