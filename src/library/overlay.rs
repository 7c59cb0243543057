//! Additions of plugins to the answers: own games, and changed views of games.
//!
//! Made elsewhere and added to the cached answers. Knows no plugin.

use std::{collections::HashMap, sync::Arc};

use serde_json::value::RawValue;

use crate::model::{Game, Games, State};

/// Additions to the library.
#[derive(Debug, Default)]
pub struct Overlay {
    /// Games that are shown after those of the library. They are in no list, search or statistic.
    pub added: Vec<Arc<Game>>,
    /// The games of one state, added ones included, as they are shown instead.
    pub shown: Option<Shown>,
}

/// Games as something else shows them: for the state that they were made of, and no other.
pub struct Shown {
    games: Games,
    texts: Vec<Box<RawValue>>,
    /// Where a game stands in `texts`, by its stable id.
    places: HashMap<String, usize>,
}

impl std::fmt::Debug for Shown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Shown({})", self.texts.len())
    }
}

/// The only key of a shown game that is read.
#[derive(serde::Deserialize)]
struct Identity {
    game_id: String,
}

impl Shown {
    /// The games of a state as these objects, in this order.
    pub fn new(state: &State, texts: Vec<Box<RawValue>>) -> Self {
        let id = |text: &RawValue| serde_json::from_str::<Identity>(text.get()).ok();
        let places = texts.iter().enumerate();
        let places = places.filter_map(|(at, text)| Some((id(text)?.game_id, at))).collect();
        Self { games: state.games.clone(), texts, places }
    }

    /// Whether these games are those of a state.
    pub fn is_of(games: &Games, state: &State) -> bool {
        let (own, other) = (games.chunks(), state.games.chunks());
        own.len() == other.len() && own.iter().zip(other).all(|(one, two)| Arc::ptr_eq(one, two))
    }

    /// The objects.
    pub fn texts(&self) -> &[Box<RawValue>] {
        &self.texts
    }

    /// The object of a game.
    pub fn find(&self, id: &str) -> Option<&RawValue> {
        self.places.get(id).map(|at| &*self.texts[*at])
    }
}

impl Overlay {
    /// The games as they are shown instead of those of a state, when they were made of it.
    pub fn shown_of(&self, state: &State) -> Option<&Shown> {
        self.shown.as_ref().filter(|shown| Shown::is_of(&shown.games, state))
    }

    /// An added game by its stable id, with its place among them.
    pub fn find(&self, id: &str) -> Option<(usize, &Arc<Game>)> {
        self.added.iter().enumerate().find(|(_, game)| game.id() == id)
    }
}

/// The objects with commas between them.
pub fn joined(texts: &[Box<RawValue>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(texts.iter().map(|text| text.get().len() + 1).sum());
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(text.get().as_bytes());
    }
    out
}
