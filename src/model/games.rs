//! All games in library order, as a persistent vector of chunks with an index by id.
//!
//! A clone is cheap (one pointer a chunk); an edit copies one chunk. Every chunk but the last is
//! full, so a position is two divisions. The pointer of a chunk names its content: caches of
//! rendered and compressed answers depend on it.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use hashbrown::HashTable;

use super::game::Game;

/// Games in one chunk.
pub const CHUNK: usize = 256;

/// A run of up to [`CHUNK`] games.
pub type Chunk = Vec<Arc<Game>>;

/// The games of a library; positions are the numeric ids of the API.
#[derive(Clone, Default)]
pub struct Games {
    chunks: Vec<Arc<Chunk>>,
    len: usize,
    index: Arc<Index>,
}

/// Where an id stands. The table holds positions only; the ids live in the games.
#[derive(Clone, Default)]
struct Index {
    hasher: RandomState,
    positions: HashTable<u32>,
    aliases: HashMap<Box<str>, Box<str>>,
}

impl Games {
    /// Builds the vector; the caller guarantees unique non-empty ids.
    pub fn from_games(games: impl IntoIterator<Item = Arc<Game>>) -> Self {
        let mut all = Self::default();
        all.extend(games);
        all
    }

    /// Builds the vector when no two games have the same id; otherwise hands the games back.
    ///
    /// # Errors
    ///
    /// The games in their order: at least two of them have one id.
    pub fn distinct(games: Vec<Arc<Game>>) -> Result<Self, Vec<Arc<Game>>> {
        let mut all = Self::default();
        for game in &games {
            all.append(Arc::clone(game));
        }
        all.reindex();
        if all.index.positions.len() == all.len { Ok(all) } else { Err(games) }
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The game at a position.
    pub fn get(&self, position: usize) -> Option<&Arc<Game>> {
        self.chunks.get(position / CHUNK)?.get(position % CHUNK)
    }

    /// The position of a stable id or of a legacy alias.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.exact(id).or_else(|| self.exact(self.index.aliases.get(id)?))
    }

    /// The game with a stable id or a legacy alias, with its position.
    pub fn find(&self, id: &str) -> Option<(usize, &Arc<Game>)> {
        let position = self.position(id)?;
        Some((position, self.get(position)?))
    }

    /// All games in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Game>> + Clone {
        Iter { games: self, next: 0 }
    }

    /// The chunks in order; equal pointers hold equal games.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    fn exact(&self, id: &str) -> Option<usize> {
        let hash = self.index.hasher.hash_one(id);
        self.index
            .positions
            .find(hash, |position| self.get(*position as usize).is_some_and(|game| game.id() == id))
            .map(|position| *position as usize)
    }

    /// Replaces the game at a position by one with the same id.
    pub(super) fn replace(&mut self, position: usize, game: Arc<Game>) {
        let Some(chunk) = self.chunks.get_mut(position / CHUNK) else { return };
        let Some(slot) = Arc::make_mut(chunk).get_mut(position % CHUNK) else { return };
        let known = |old: &&str| self.index.aliases.contains_key(*old);
        let new: Vec<&str> = game.legacy_ids().filter(|old| !known(old)).collect();
        if !new.is_empty() {
            let index = Arc::make_mut(&mut self.index);
            index.aliases.extend(new.into_iter().map(|old| (old.into(), game.id().into())));
        }
        *slot = game;
    }

    /// Replaces the game at a position by one with an id that no game has.
    pub(super) fn rename(&mut self, position: usize, game: Arc<Game>) {
        let Some(old) = self.get(position).map(|old| old.id().to_owned()) else { return };
        let index = Arc::make_mut(&mut self.index);
        let chunks = &self.chunks;
        let Index { hasher, positions, .. } = index;
        let is_it = |other: &u32| *other as usize == position;
        if let Ok(entry) = positions.find_entry(hasher.hash_one(old.as_str()), is_it) {
            entry.remove();
        }
        positions.insert_unique(hasher.hash_one(game.id()), narrow(position), |other| {
            hasher.hash_one(id_at(chunks, *other))
        });
        for alias in game.legacy_ids() {
            let is_its = index.aliases.get(alias).is_none_or(|id| **id == *old);
            if is_its {
                index.aliases.insert(alias.into(), game.id().into());
            }
        }
        self.replace(position, game);
    }

    /// Adds a game with a new id at the end.
    pub(super) fn push(&mut self, game: Arc<Game>) {
        let position = self.len;
        self.append(Arc::clone(&game));
        let index = Arc::make_mut(&mut self.index);
        for alias in game.legacy_ids() {
            index.aliases.insert(alias.into(), game.id().into());
        }
        let chunks = &self.chunks;
        let Index { hasher, positions, .. } = index;
        positions.insert_unique(hasher.hash_one(game.id()), narrow(position), |other| {
            hasher.hash_one(id_at(chunks, *other))
        });
    }

    /// Puts a game with a new id at a position, moving those behind it; at most at the end.
    pub(super) fn insert(&mut self, position: usize, game: Arc<Game>) {
        let position = position.min(self.len);
        let mut behind = self.split_off(position - position % CHUNK);
        behind.insert(position % CHUNK, game);
        self.extend(behind);
    }

    /// Removes the games at these positions in one pass; chunks before the first stay shared.
    pub(super) fn remove(&mut self, positions: &[usize]) {
        let Some(first) = positions.iter().copied().min() else { return };
        let gone: HashSet<usize> = positions.iter().copied().collect();
        let start = first - first % CHUNK;
        let behind = self.split_off(start);
        let kept = behind.into_iter().enumerate().filter(|(at, _)| !gone.contains(&(start + at)));
        self.extend(kept.map(|(_, game)| game));
    }

    /// Takes the games from a chunk border on out of the vector.
    fn split_off(&mut self, start: usize) -> Vec<Arc<Game>> {
        let behind = self.chunks.split_off((start / CHUNK).min(self.chunks.len()));
        self.len = self.len.min(start);
        behind.iter().flat_map(|chunk| chunk.iter().cloned()).collect()
    }

    fn extend(&mut self, games: impl IntoIterator<Item = Arc<Game>>) {
        for game in games {
            self.append(game);
        }
        self.reindex();
    }

    fn append(&mut self, game: Arc<Game>) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => Arc::make_mut(last).push(game),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(game);
                self.chunks.push(Arc::new(chunk));
            }
        }
        self.len += 1;
    }

    /// Notes where every id stands; of games with one id the first counts.
    fn reindex(&mut self) {
        let mut index = Index::default();
        let Index { hasher, positions, aliases } = &mut index;
        positions.reserve(self.len, |_| 0);
        for (position, game) in self.iter().enumerate() {
            let is_same = |other: &u32| id_at(&self.chunks, *other) == game.id();
            let hash_of = |other: &u32| hasher.hash_one(id_at(&self.chunks, *other));
            let entry = positions.entry(hasher.hash_one(game.id()), is_same, hash_of);
            entry.or_insert(narrow(position));
            for alias in game.legacy_ids() {
                aliases.insert(alias.into(), game.id().into());
            }
        }
        self.index = Arc::new(index);
    }
}

fn narrow(position: usize) -> u32 {
    // OK because four thousand million games do not fit into memory.
    u32::try_from(position).expect("a position fits 32 bits")
}

fn id_at(chunks: &[Arc<Chunk>], position: u32) -> &str {
    chunks[position as usize / CHUNK][position as usize % CHUNK].id()
}

#[derive(Clone)]
struct Iter<'a> {
    games: &'a Games,
    next: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Arc<Game>;

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.games.get(self.next)?;
        self.next += 1;
        Some(game)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.games.len - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(id: &str) -> Arc<Game> {
        let json = format!("{{\"game_id\":\"{id}\",\"legacy_game_ids\":[\"old-{id}\"]}}");
        Arc::new(Game::from_json(&json).expect("valid"))
    }

    fn library(count: usize) -> Games {
        Games::from_games((0..count).map(|number| game(&format!("game-{number}"))))
    }

    #[track_caller]
    fn consistent(games: &Games) {
        for (position, game) in games.iter().enumerate() {
            assert_eq!(games.position(game.id()), Some(position));
            assert_eq!(games.position(&format!("old-{}", game.id())), Some(position));
        }
        assert_eq!(games.iter().count(), games.len());
        let full = games.chunks().iter().rev().skip(1).all(|chunk| chunk.len() == CHUNK);
        assert!(full, "every chunk but the last is full");
    }

    #[test]
    fn finds_by_id_and_alias_across_chunks() {
        for count in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7] {
            consistent(&library(count));
        }
        assert_eq!(library(3).position("game-9"), None);
    }

    #[test]
    fn an_edit_copies_one_chunk() {
        let before = library(3 * CHUNK);
        let mut after = before.clone();
        after.replace(CHUNK + 1, game(&format!("game-{}", CHUNK + 1)));
        let shared = before.chunks().iter().zip(after.chunks()).filter(|(a, b)| Arc::ptr_eq(a, b));
        assert_eq!(shared.count(), 2);
        consistent(&after);
    }

    #[test]
    fn pushes_inserts_and_removes() {
        let mut games = library(CHUNK);
        games.push(game("game-last"));
        games.insert(0, game("game-first"));
        consistent(&games);
        assert_eq!(games.position("game-first"), Some(0));
        games.remove(&[0, CHUNK + 1]);
        consistent(&games);
        assert_eq!((games.len(), games.position("game-last")), (CHUNK, None));
    }
}
