//! The index in memory: which words each game has and which games each word, updated game by game, and the two ways to
//! rank games with it.
//!
//! Weights are multiples of a half, so sums are exact and an updated index equals
//! one that was rebuilt.

use std::{cmp::Ordering, collections::BinaryHeap, sync::Arc};

use hashbrown::HashMap;
use md5::{Digest as _, Md5};

use super::{
    titles::{Groups, Titles},
    words::{Corpus, Hash},
};
use crate::model::Game;

/// How fast further occurrences of a word count less, and how much the length of a text counts (BM25).
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Length of the vectors that games are compared by.
const DIMENSIONS: usize = 1024;
/// The heaviest words of a game, by which similar games are searched.
const ANCHOR_WORDS: usize = 25;
/// The best of those, of which the vectors are compared.
const COMPARED: usize = 500;

/// A word in one game.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Posting {
    game: u32,
    weight: f32,
}

/// A word of the index.
#[derive(Clone, Debug)]
struct Term {
    word: Box<str>,
    /// By the number of the game.
    games: Vec<Posting>,
    /// Its place in the vector of a game, and its sign there.
    place: u16,
    sign: f32,
}

/// A game of the index.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) id: Box<str>,
    pub(super) hash: Hash,
    /// The sum of its weights.
    pub(super) length: f32,
    /// Terms with their weights, the heaviest first.
    terms: Box<[(u32, f32)]>,
    /// What ranks it besides its words.
    pub(super) facts: Facts,
}

/// What counts for the rank of a game and is returned with it, besides its words. It is read from the game
/// and not stored with the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Personal stars, 0 to 5.
    pub(super) stars: u8,
    /// Whether it has no progress.
    pub(super) is_fresh: bool,
    /// Whether it has a description.
    pub(super) is_described: bool,
    /// Seconds that it takes to beat; 0 when unknown.
    pub(super) seconds_to_beat: u32,
}

impl Facts {
    fn of(corpus: &Corpus) -> Self {
        let Corpus { stars, is_fresh, is_described, seconds_to_beat, .. } = *corpus;
        Self { stars, is_fresh, is_described, seconds_to_beat }
    }

    /// What the score of a game is multiplied with.
    fn boost(self, wants_known: bool) -> f32 {
        let fresh = if self.is_fresh && !wants_known { 1.25 } else { 1.0 };
        (1.0 + 0.15 * f32::from(self.stars)) * fresh
    }
}

/// A word of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) word: String,
    pub(super) weight: f32,
}

/// A game with its score. The greatest is the best one, of equal ones that with the smallest id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked<'a> {
    pub(super) entry: &'a Entry,
    pub(super) score: f32,
}

impl PartialEq for Ranked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked<'_> {}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| other.entry.id.cmp(&self.entry.id))
    }
}

/// The index.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    by_word: HashMap<Box<str>, u32>,
    terms: Vec<Term>,
    /// Numbers of games that are gone are given again.
    entries: Vec<Option<Entry>>,
    /// The length of each entry once more, close together, because every question reads all of them.
    lengths: Vec<f32>,
    /// The folded title of each entry, which the stored index does not have.
    titles: Titles,
    free: Vec<u32>,
    by_id: HashMap<Box<str>, u32>,
    total_length: f64,
    described: usize,
}

impl Index {
    /// Games in it.
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Games with a description.
    pub(super) fn described(&self) -> usize {
        self.described
    }

    /// Every game, in no order.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }

    /// The game with this id.
    pub(super) fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.get(*self.by_id.get(id)? as usize)?.as_ref()
    }

    /// The words of a game with their weights, the heaviest first.
    pub(super) fn words_of<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = (&'a str, f32)> {
        entry.terms.iter().map(|(term, weight)| (&*self.terms[*term as usize].word, *weight))
    }

    /// Each word with the number of games that have it, in no order.
    pub(super) fn frequencies(&self) -> impl Iterator<Item = (&str, usize)> {
        let used = self.terms.iter().filter(|term| !term.games.is_empty());
        used.map(|term| (&*term.word, term.games.len()))
    }

    /// The mean length of a game.
    pub(super) fn mean_length(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "games")]
        let games = self.len().max(1) as f64;
        self.total_length / games
    }

    /// Puts a game in, in the place of the one with its id. Returns whether its words are others than
    /// before.
    pub(super) fn put(&mut self, game: &Arc<Game>) -> bool {
        let corpus = Corpus::of(game);
        let (hash, facts) = (corpus.hash(), Facts::of(&corpus));
        if self.refresh_facts(game.id(), hash, facts) {
            self.set_title(game.id(), corpus.title());
            return false;
        }
        self.insert(game.id(), hash, &corpus.words(), facts);
        self.set_title(game.id(), corpus.title());
        true
    }

    /// Updates the data of a game besides its words. Returns whether the game is there with its words.
    pub(super) fn refresh(&mut self, game: &Game) -> bool {
        let corpus = Corpus::of(game);
        self.set_title(game.id(), corpus.title());
        self.refresh_facts(game.id(), corpus.hash(), Facts::of(&corpus))
    }

    fn set_title(&mut self, id: &str, title: &str) {
        if let Some(number) = self.by_id.get(id) {
            self.titles.set(*number as usize, title);
        }
    }

    /// The games whose titles have most of the character groups of a name; none when no title has half of them.
    pub(super) fn titled_like(&self, groups: Groups) -> impl Iterator<Item = &Entry> {
        let nearest = self.titles.nearest(groups).into_iter();
        nearest.filter_map(|number| self.entries.get(number)?.as_ref())
    }

    fn refresh_facts(&mut self, id: &str, hash: Hash, facts: Facts) -> bool {
        let Some(number) = self.by_id.get(id) else { return false };
        let Some(Some(entry)) = self.entries.get_mut(*number as usize) else { return false };
        if entry.hash != hash {
            return false;
        }
        self.described -= usize::from(entry.facts.is_described);
        self.described += usize::from(facts.is_described);
        entry.facts = facts;
        true
    }

    /// Puts a game in with its words, as it was stored.
    pub(super) fn put_stored(&mut self, id: &str, hash: Hash, mut words: Vec<(String, f32)>) {
        words.sort_unstable_by(|(a, heavy), (b, light)| {
            light.total_cmp(heavy).then_with(|| a.cmp(b))
        });
        self.insert(id, hash, &words, Facts::default());
    }

    fn insert(&mut self, id: &str, hash: Hash, words: &[(String, f32)], facts: Facts) {
        self.remove(id);
        // OK because four thousand million games do not fit into memory.
        let fresh = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let number = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.lengths.push(0.0);
            fresh
        });
        let (mut terms, mut length) = (Vec::with_capacity(words.len()), 0.0);
        for (word, weight) in words {
            let (at, weight) = (self.term(word), *weight);
            let games = &mut self.terms[at as usize].games;
            let place = games.partition_point(|posting| posting.game < number);
            games.insert(place, Posting { game: number, weight });
            terms.push((at, weight));
            length += weight;
        }
        self.total_length += f64::from(length);
        self.described += usize::from(facts.is_described);
        self.by_id.insert(id.into(), number);
        let entry = Entry { id: id.into(), hash, length, terms: terms.into(), facts };
        self.entries[number as usize] = Some(entry);
        self.lengths[number as usize] = length;
    }

    /// Takes a game out. Returns whether it was there.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        let Some(number) = self.by_id.remove(id) else { return false };
        let Some(entry) = self.entries[number as usize].take() else { return false };
        for (term, _) in &entry.terms {
            let games = &mut self.terms[*term as usize].games;
            if let Ok(place) = games.binary_search_by_key(&number, |posting| posting.game) {
                games.remove(place);
            }
        }
        self.total_length -= f64::from(entry.length);
        self.described -= usize::from(entry.facts.is_described);
        self.titles.set(number as usize, "");
        self.free.push(number);
        true
    }

    fn term(&mut self, word: &str) -> u32 {
        if let Some(at) = self.by_word.get(word) {
            return *at;
        }
        // OK because four thousand million words do not fit into memory.
        let at = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        let (place, sign) = place_of(word);
        self.terms.push(Term { word: word.into(), games: Vec::new(), place, sign });
        self.by_word.insert(word.into(), at);
        at
    }

    /// Whether a game has a word.
    pub(super) fn has(&self, entry: &Entry, word: &str) -> bool {
        let Some(term) = self.by_word.get(word) else { return false };
        entry.terms.iter().any(|(other, _)| other == term)
    }

    /// How often and how rarely each game has the words that are wanted (BM25), by the number of the
    /// game; 0 for one that has none of them.
    fn scores(&self, wanted: &[Wanted]) -> Vec<f32> {
        let mut scores = vec![0.0; self.entries.len()];
        #[expect(clippy::cast_precision_loss, reason = "games")]
        let games = self.len() as f32;
        #[expect(clippy::cast_possible_truncation, reason = "a few hundred words")]
        let mean = (self.mean_length() as f32).max(f32::MIN_POSITIVE);
        let norms: Vec<f32> =
            self.lengths.iter().map(|length| K1 * (1.0 - B + B * length / mean)).collect();
        for Wanted { word, weight } in wanted {
            let Some(term) = self.by_word.get(word.as_str()) else { continue };
            let postings = &self.terms[*term as usize].games;
            #[expect(clippy::cast_precision_loss, reason = "games")]
            let having = postings.len() as f32;
            let rarity = (1.0 + (games - having + 0.5) / (having + 0.5)).ln();
            for posting in postings {
                let (game, often) = (posting.game as usize, posting.weight);
                scores[game] += weight * rarity * often * (K1 + 1.0) / (often + norms[game]);
            }
        }
        scores
    }

    /// The games that have any of the words, as a heap with the best one on top. `wants_known` keeps
    /// games without progress from being preferred.
    pub(super) fn rank(&self, wanted: &[Wanted], wants_known: bool) -> BinaryHeap<Ranked<'_>> {
        let scores = self.scores(wanted);
        let ranked = self.entries.iter().zip(scores).filter(|(_, score)| *score > 0.0);
        let ranked = ranked.filter_map(|(entry, score)| Some((entry.as_ref()?, score)));
        ranked
            .map(|(entry, score)| Ranked { entry, score: score * entry.facts.boost(wants_known) })
            .collect()
    }

    /// The games that are most like one, without itself, as a heap with the best one on top.
    pub(super) fn similar<'a>(
        &'a self,
        anchor: &Entry,
        wants_known: bool,
    ) -> BinaryHeap<Ranked<'a>> {
        let heaviest = self.words_of(anchor).take(ANCHOR_WORDS);
        let wanted: Vec<Wanted> =
            heaviest.map(|(word, _)| Wanted { word: word.to_owned(), weight: 1.0 }).collect();
        let scores = self.scores(&wanted);
        let least = least_of_best(&scores, COMPARED + 1);
        let is_near = |score: f32| score > 0.0 && score >= least;
        let others = self.entries.iter().zip(scores).filter(|(_, score)| is_near(*score));
        let others = others.filter_map(|(entry, score)| Some((entry.as_ref()?, score)));
        let mut best: Vec<Ranked<'a>> = others
            .filter(|(entry, _)| entry.id != anchor.id)
            .map(|(entry, score)| Ranked { entry, score })
            .collect();
        if best.len() > COMPARED {
            best.select_nth_unstable_by(COMPARED, |a, b| b.cmp(a));
            best.truncate(COMPARED);
        }
        let vector = self.vector(anchor);
        let closeness: Vec<f32> =
            best.iter().map(|one| cosine(&vector, &self.vector(one.entry)).max(0.0)).collect();
        let most = |values: &mut dyn Iterator<Item = f32>| values.fold(f32::MIN_POSITIVE, f32::max);
        let closest = most(&mut closeness.iter().copied());
        let highest = most(&mut best.iter().map(|one| one.score));
        let shared = |(one, close): (Ranked<'a>, f32)| {
            let score = 0.5 * close / closest + 0.5 * one.score / highest;
            Ranked { entry: one.entry, score: score * one.entry.facts.boost(wants_known) }
        };
        best.into_iter().zip(closeness).map(shared).collect()
    }

    /// The words that two games share, the heaviest of the first one first.
    pub(super) fn shared<'a>(
        &'a self,
        anchor: &'a Entry,
        other: &'a Entry,
    ) -> impl Iterator<Item = &'a str> {
        let has = |term: u32| other.terms.iter().any(|(known, _)| *known == term);
        let shared = anchor.terms.iter().filter(move |(term, _)| has(*term));
        shared.map(|(term, _)| &*self.terms[*term as usize].word)
    }

    fn vector(&self, entry: &Entry) -> Vec<f32> {
        let mut vector = vec![0.0; DIMENSIONS];
        for (term, weight) in &entry.terms {
            let term = &self.terms[*term as usize];
            vector[usize::from(term.place)] += term.sign * weight;
        }
        vector
    }
}

/// The score of the game at rank `count`, or of the last one.
fn least_of_best(scores: &[f32], count: usize) -> f32 {
    let mut scores: Vec<f32> = scores.iter().copied().filter(|score| *score > 0.0).collect();
    if scores.len() <= count {
        return 0.0;
    }
    *scores.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a)).1
}

/// The place of a word in a vector and its sign, from its MD5.
fn place_of(word: &str) -> (u16, f32) {
    let digest = Md5::digest(word.as_bytes());
    let number = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    // OK because the remainder is below 1024.
    let place = u16::try_from(number as usize % DIMENSIONS).unwrap_or(0);
    (place, if digest[4] & 1 == 1 { 1.0 } else { -1.0 })
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length > 0.0 { dot(a, b) / length } else { 0.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    pub(crate) fn game(record: Value) -> Arc<Game> {
        Game::seal(&serde_json::from_value(record).expect("an object"))
    }

    /// The whole content of an index, in an order that does not depend on its history.
    pub(crate) fn shown(index: &Index) -> Value {
        let mut games: Vec<Value> = index
            .entries()
            .map(|entry| {
                let words: Vec<(&str, f32)> = index.words_of(entry).collect();
                let facts = entry.facts;
                json!([entry.id, entry.hash, entry.length, words, facts.stars, facts.is_fresh])
            })
            .collect();
        games.sort_by_key(|game| game[0].as_str().unwrap_or("").to_owned());
        let mut words: Vec<(&str, usize)> = index.frequencies().collect();
        words.sort_unstable();
        json!({"games": games, "words": words, "mean": index.mean_length(), "described": index.described()})
    }

    fn ranked(index: &Index, words: &[&str]) -> Vec<String> {
        let wanted: Vec<Wanted> =
            words.iter().map(|word| Wanted { word: (*word).to_owned(), weight: 1.0 }).collect();
        let mut heap = index.rank(&wanted, true);
        std::iter::from_fn(|| heap.pop()).map(|one| one.entry.id.to_string()).collect()
    }

    #[test]
    fn a_score_is_the_one_of_the_formula() {
        let mut index = Index::default();
        index.put(&game(json!({"game_id": "a", "name": "Zelda", "genre": "Adventure"})));
        index.put(&game(json!({"game_id": "b", "name": "Mario", "genre": "Platform"})));
        let wanted = [Wanted { word: "zelda".to_owned(), weight: 1.0 }];
        let best = index.rank(&wanted, true).pop().expect("a game").score;
        // One of two games has it: ln(1 + 1.5 / 1.5); its weight is 3, both games are of mean length.
        let expected = 2.0_f32.ln() * 3.0 * 2.2 / (3.0 + 1.2);
        assert!((best - expected).abs() < 1e-5, "{best} {expected}");
        let fresh = index.rank(&wanted, false).pop().expect("a game").score;
        assert!((fresh / best - 1.25).abs() < 1e-5);
    }

    #[test]
    fn equal_games_stand_in_the_order_of_their_ids_and_stars_lift_one() {
        let mut index = Index::default();
        for (id, stars) in [("c", 0), ("a", 0), ("b", 1)] {
            index.put(&game(json!({"game_id": id, "name": "Same", "user_rating": stars})));
        }
        assert_eq!(ranked(&index, &["same"]), ["b", "a", "c"]);
        assert!(ranked(&index, &["other"]).is_empty());
    }

    #[test]
    fn similar_games_share_what_a_game_is_described_with() {
        let mut index = Index::default();
        for (id, name, genre, text) in [
            ("a", "Alpha", "RPG", "dragons and knights in a kingdom"),
            ("b", "Beta", "RPG", "knights fight dragons"),
            ("c", "Gamma", "Racing", "cars on a kingdom road"),
            ("d", "Delta", "Puzzle", "tiles"),
        ] {
            index.put(&game(
                json!({"game_id": id, "name": name, "genre": genre, "description": text}),
            ));
        }
        let anchor = index.entry("a").expect("there");
        let mut heap = index.similar(anchor, true);
        let ids: Vec<String> =
            std::iter::from_fn(|| heap.pop()).map(|one| one.entry.id.to_string()).collect();
        assert_eq!(ids, ["b", "c"]);
        let shared: Vec<&str> = index.shared(anchor, index.entry("b").expect("there")).collect();
        assert_eq!(shared, ["rpg", "dragons", "knights"]);
    }

    #[test]
    fn places_follow_from_md5() {
        // The digest of `a` begins 0c c1 75 b9 c0.
        assert_eq!(place_of("a"), (0x10c, -1.0));
        let close = cosine(&[1.0, 0.0, 1.0], &[1.0, 0.0, 1.0]);
        assert!((close - 1.0).abs() < 1e-6 && cosine(&[0.0], &[1.0]).abs() < 1e-6);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever happened to its games, an index is the one that is made of those that are left.
        #[test]
        fn an_index_that_was_updated_equals_a_new_one(
            steps in prop::collection::vec((0..12_usize, 0..9_usize, any::<bool>()), 1..60),
        ) {
            let mut index = Index::default();
            let mut left: BTreeMap<String, Arc<Game>> = BTreeMap::new();
            for (number, dice, goes) in steps {
                let id = format!("game-{number}");
                if goes {
                    prop_assert_eq!(index.remove(&id), left.remove(&id).is_some());
                    continue;
                }
                let text = ["knights dragons", "cars", "", "tiles tiles tiles"][dice % 4];
                let game = game(json!({"game_id": id, "name": format!("Name {dice}"), "description": text,
                    "genre": if dice > 4 { "RPG" } else { "" }, "user_rating": dice % 3}));
                index.put(&game);
                left.insert(id, game);
            }
            let mut anew = Index::default();
            for game in left.values() {
                anew.put(game);
            }
            prop_assert_eq!(shown(&index), shown(&anew));
            prop_assert_eq!(ranked(&index, &["knights", "name", "rpg"]),
                ranked(&anew, &["knights", "name", "rpg"]));
        }
    }
}
