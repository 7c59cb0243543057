//! The play queue: what to play next, in order; a game may be in it more than once.
//!
//! Rules on a draft and a state. Serves `/api/queue`.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    base::{limits, schema::schema, text},
    game::{InputError, clean::refuse},
    model::{Cause, Draft, Row, State, cause::QueuePlace},
    store::{Committed, Store},
};

schema! {
    "QueueRow"
    /// One entry of the section `queue`, first to play first.
    #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    pub struct QueueEntry {
        /// Stable id of the game.
        pub game_id: String,
        /// UTC time with offset.
        pub added_at: String,
        /// A remark, at most 200 characters.
        pub note: String,
        /// Passed over by an advance.
        pub skip: bool,
        /// Everything else the row carries.
        #[serde(flatten)]
        pub more: Map<String, Value>,
    }

    "QueueEntry"
    /// An entry as `GET /api/queue` shows it.
    #[derive(Clone, Debug)]
    pub struct Shown {
        /// What is stored.
        #[serde(flatten)]
        pub entry: QueueEntry,
        /// Name of the game; `Missing` for one that is gone.
        pub name: String,
        /// Its platform.
        pub platform: String,
        /// The path of its cover; empty for none.
        pub cover: String,
        /// Whether its file is there.
        pub path_exists: bool,
        /// Whether the game is gone.
        pub missing: bool,
    }
}

impl Row for QueueEntry {
    const SECTION: &'static str = "queue";
}

impl QueueEntry {
    /// Names the entry towards the outside; entries have no id of their own.
    pub fn entry_id(&self) -> String {
        format!("{}@{}", self.game_id, self.added_at)
    }
}

/// What an advance did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advance {
    /// The entry that was current.
    pub from: Option<QueueEntry>,
    /// The entry to play next.
    pub to: Option<QueueEntry>,
}

/// As [`enqueue`], in one commit.
pub fn enqueue_games(
    store: &Store,
    game_ids: &[String],
    position: Option<i64>,
    note: &str,
    now: &str,
) -> Committed<(), InputError> {
    store.commit(|draft| enqueue(draft, game_ids, position, note, now))
}

/// Appends games, or inserts them in order at a position (clamped to the queue), and cuts the queue
/// to its cap.
///
/// # Errors
/// `Game not found: <id>` for the first unknown game; nothing is added then.
fn enqueue(
    draft: &mut Draft,
    game_ids: &[String],
    position: Option<i64>,
    note: &str,
    now: &str,
) -> Result<(), InputError> {
    let mut entries = Vec::new();
    for id in game_ids {
        let found = draft.state().games.find(id);
        let (_, game) = found.ok_or_else(|| InputError(format!("Game not found: {id}")))?;
        entries.push(QueueEntry {
            game_id: game.id().to_owned(),
            added_at: now.to_owned(),
            note: text::cut(note.trim(), 200).to_owned(),
            ..QueueEntry::default()
        });
    }
    let mut queue = draft.state().rows::<QueueEntry>();
    let at = position
        .map_or(queue.len(), |position| usize::try_from(position).unwrap_or(0).min(queue.len()));
    queue.splice(at..at, entries);
    queue.truncate(limits::QUEUE_ENTRIES);
    draft.set_rows(&queue);
    Ok(())
}

/// As [`remove`], in one commit.
pub fn remove_games(store: &Store, game_ids: &[String]) -> Committed<()> {
    store.change(|draft| remove(draft, game_ids))
}

/// Removes every entry of these games.
fn remove(draft: &mut Draft, game_ids: &[String]) {
    let mut queue = draft.state().rows::<QueueEntry>();
    queue.retain(|entry| !game_ids.contains(&entry.game_id));
    draft.set_rows(&queue);
}

/// As [`reorder`], in one commit.
pub fn reorder_games(store: &Store, ordered: &[String]) -> Committed<(), InputError> {
    store.commit(|draft| reorder(draft, ordered))
}

/// Puts the queue in the order of these ids.
///
/// # Errors
/// When they are not exactly the queued games.
fn reorder(draft: &mut Draft, ordered: &[String]) -> Result<(), InputError> {
    let mut left = draft.state().rows::<QueueEntry>();
    let mut queue = Vec::with_capacity(left.len());
    for id in ordered {
        match left.iter().position(|entry| entry.game_id == *id) {
            Some(at) => queue.push(left.remove(at)),
            None => return mismatch(),
        }
    }
    if !left.is_empty() {
        return mismatch();
    }
    draft.set_rows(&queue);
    Ok(())
}

fn mismatch() -> Result<(), InputError> {
    refuse("ordered_game_ids must contain the current queue entries.")
}

/// As [`advance`], in one commit.
pub fn advance_queue(store: &Store, current: &str) -> Committed<Advance> {
    store.change(|draft| advance(draft, current))
}

/// Finds what to play after the current game. Entries that cannot be played are marked to be
/// skipped and stay.
fn advance(draft: &mut Draft, current: &str) -> Advance {
    let mut queue = draft.state().rows::<QueueEntry>();
    let at = queue.iter().position(|entry| !current.is_empty() && entry.game_id == current);
    let mut advance = Advance { from: at.map(|at| queue[at].clone()), to: None };
    let games = draft.state().games.clone();
    for entry in queue.iter_mut().skip(at.map_or(0, |at| at + 1)) {
        let playable = games.find(&entry.game_id).is_some_and(|(_, game)| !game.path().is_empty());
        if !playable {
            entry.skip = true;
        } else if !entry.skip {
            advance.to = Some(entry.clone());
            break;
        }
    }
    draft.set_rows(&queue);
    let place = |entry: &Option<QueueEntry>| {
        let place = |entry: &QueueEntry| QueuePlace {
            game_id: entry.game_id.clone(),
            entry_id: entry.entry_id(),
        };
        entry.as_ref().map(place).unwrap_or_default()
    };
    let (from, to) = (place(&advance.from), place(&advance.to));
    draft.set_cause(Cause::QueueAdvanced { from, to });
    advance
}

/// The queue as a client sees it, each entry with what the library knows of its game.
pub fn shown(state: &State, existing: impl FnOnce(&[&str]) -> HashSet<String>) -> Vec<Shown> {
    let queue = state.rows::<QueueEntry>();
    let game = |entry: &QueueEntry| state.games.find(&entry.game_id).map(|(_, game)| game);
    let paths: Vec<&str> = queue.iter().filter_map(game).map(|game| game.path()).collect();
    let existing = existing(&paths);
    let show = |entry: QueueEntry| {
        let game = game(&entry);
        let cover = game.map_or_else(String::new, |game| game.record().text("cover").to_owned());
        Shown {
            name: game.map_or("Missing", |game| game.name()).to_owned(),
            platform: game.map_or("", |game| game.platform()).to_owned(),
            cover,
            path_exists: game.is_some_and(|game| existing.contains(game.path())),
            missing: game.is_none(),
            entry,
        }
    };
    queue.into_iter().map(show).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Record;

    /// A library of games named by number; game 2 has no path.
    fn library(count: usize) -> (Draft, Vec<String>) {
        let mut draft = Draft::new(State::default());
        let add = |number: usize| {
            let path = if number == 2 { String::new() } else { format!("/{number}") };
            let record = json!({"name": number.to_string(), "path": path});
            let record: Record = serde_json::from_value(record).expect("an object");
            draft.add_game(record).expect("added")
        };
        let ids = (0..count).map(add).collect();
        (draft, ids)
    }

    fn queued(draft: &Draft) -> Vec<String> {
        draft.state().rows::<QueueEntry>().into_iter().map(|entry| entry.game_id).collect()
    }

    #[test]
    fn enqueues_in_order_at_a_clamped_position() {
        let (mut draft, ids) = library(4);
        enqueue(&mut draft, &ids[..2], None, " n ", "t").expect("known games");
        enqueue(&mut draft, &ids[2..], Some(1), "", "t").expect("known games");
        let expected = [&ids[0], &ids[2], &ids[3], &ids[1]].map(Clone::clone);
        assert_eq!(queued(&draft), expected);
        enqueue(&mut draft, &ids[..1], Some(-5), "", "t").expect("known games");
        enqueue(&mut draft, &ids[1..2], Some(99), "", "t").expect("known games");
        assert_eq!(queued(&draft).first(), Some(&ids[0]));
        let unknown = ["game-x".to_owned()];
        let error = enqueue(&mut draft, &unknown, None, "", "t").expect_err("unknown");
        assert_eq!(error.0, "Game not found: game-x");
        let many = vec![ids[0].clone(); limits::QUEUE_ENTRIES + 1];
        enqueue(&mut draft, &many, None, "", "t").expect("known games");
        assert_eq!(queued(&draft).len(), limits::QUEUE_ENTRIES);
    }

    #[test]
    fn reorders_only_the_same_games() {
        let (mut draft, ids) = library(2);
        let twice = [ids[0].clone(), ids[1].clone(), ids[0].clone()];
        enqueue(&mut draft, &twice, None, "", "t").expect("known games");
        let wanted = [ids[1].clone(), ids[0].clone(), ids[0].clone()];
        reorder(&mut draft, &wanted).expect("the same games");
        assert_eq!(queued(&draft), wanted);
        assert!(reorder(&mut draft, &ids).is_err() && reorder(&mut draft, &[]).is_err());
        assert_eq!(queued(&draft), wanted);
        remove(&mut draft, &ids[..1]);
        assert_eq!(queued(&draft), ids[1..]);
    }

    #[test]
    fn an_advance_passes_what_cannot_be_played() {
        let (mut draft, ids) = library(4);
        enqueue(&mut draft, &ids, None, "", "t").expect("known games");
        let first = advance(&mut draft, "");
        assert_eq!(first.to.map(|entry| entry.game_id), Some(ids[0].clone()));
        let second = advance(&mut draft, &ids[1]);
        assert_eq!(second.from.map(|entry| entry.game_id), Some(ids[1].clone()));
        assert_eq!(second.to.map(|entry| entry.game_id), Some(ids[3].clone()));
        assert!(draft.state().rows::<QueueEntry>()[2].skip);
        assert_eq!(advance(&mut draft, &ids[3]).to, None);
        draft.remove_games(&ids[..1]);
        let shown =
            shown(draft.state(), |paths| paths.iter().map(|path| (*path).to_owned()).collect());
        assert_eq!((shown[0].name.as_str(), shown[0].missing), ("Missing", true));
        assert!(shown[1].path_exists);
    }
}
