//! A scribe keeps its own complete record of commits.
//!
//! After a crash a scribe catches up from the log: no line is dropped from it before the scribe has stored it durably.
//! Watchers have no such guarantee.

use std::sync::Arc;

use super::watch::Change;
use crate::model::{Game, Op, State};

/// Keeps a record of commits.
pub trait Scribe: Send + Sync {
    /// Receives everything that became durable, in order, before it is answered. Called under the
    /// writer's lock: it may do no more than put the news into a queue.
    fn note(&self, news: News);

    /// Asked before lines leave the log. Whether everything up to `revision` is recorded durably. Called while commits
    /// wait: it writes the news and calls nothing of the store.
    fn settle(&self, revision: u64) -> bool;
}

/// One message to a scribe.
pub struct News {
    /// The state afterwards.
    pub state: Arc<State>,
    /// The library it is.
    pub lineage: Arc<str>,
    /// When, in microseconds since the Unix epoch.
    pub at: i64,
    /// What happened.
    pub event: Event,
}

/// What happened to the library.
pub enum Event {
    /// It was loaded, and its log continues from what was recorded last.
    Loaded,
    /// It is another one than before as a whole; no ops describe the difference.
    Replaced,
    /// A commit turned the state before into this one.
    Committed {
        /// The revision before.
        after: u64,
        /// The games that were changed or removed, as they were. Not the state before: a scribe that
        /// lags behind would hold one for each commit.
        before: Vec<Arc<Game>>,
        /// What was recorded in the log.
        ops: Arc<[Op]>,
    },
}

impl News {
    pub(super) fn of(change: &Change, lineage: &Arc<str>) -> Self {
        let event = if change.ops.is_empty() {
            Event::Replaced
        } else {
            let (before, ops) = (games_before(change), Arc::clone(&change.ops));
            Event::Committed { after: change.before.revision, before, ops }
        };
        Self {
            state: Arc::clone(&change.after),
            lineage: Arc::clone(lineage),
            at: change.at,
            event,
        }
    }

    pub(super) fn loaded(state: &Arc<State>, lineage: &Arc<str>, at: i64, continues: bool) -> Self {
        let event = if continues { Event::Loaded } else { Event::Replaced };
        Self { state: Arc::clone(state), lineage: Arc::clone(lineage), at, event }
    }
}

/// The games of the state before that a change touched.
fn games_before(change: &Change) -> Vec<Arc<Game>> {
    let games = &change.before.games;
    let find = |id: &str| games.find(id).map(|(_, game)| game).filter(|game| game.id() == id);
    let mut before = Vec::new();
    for op in change.ops.iter() {
        match op {
            Op::Put(game) => before.extend(find(game.id()).cloned()),
            Op::Rename { from, .. } => before.extend(find(from).cloned()),
            Op::Remove(ids) => before.extend(ids.iter().filter_map(|id| find(id)).cloned()),
            // A new game has an id that no game had.
            Op::Add(..) | Op::Note(_) | Op::Section(..) | Op::Splice { .. } | Op::Merge { .. } => {}
        }
    }
    before
}
