//! The plan of a preview: the changes of other libraries, and their effect on the games here.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    known::{Book, Games},
    merge::{self, Local, Merge, Row},
};
use crate::{
    base::schema::schema,
    journal::exchange::Event,
    mounted::{
        canonical,
        graph::{Node as _, Nodes},
    },
};

/// Bytes of events that a plan carries; the rest is read again when it is applied.
const EVENT_BYTES: usize = 1 << 20;

schema! {
    /// `POST /api/v2/library/sync/preview`.
    #[derive(Clone, Debug)]
    pub struct SyncPlan {
        /// The version of events.
        pub format: u64,
        /// Hash over this library; another one makes the plan stale.
        pub source_token: String,
        /// Events that are not known here yet.
        pub event_ids: Vec<String>,
        /// The same; none where they are too large to be sent back.
        pub events: Vec<Map<String, Value>>,
        /// The effects on games.
        pub changes: Vec<SyncChange>,
        /// The conflicts of all of them.
        pub conflicts: Vec<Row>,
        /// Undecided conflicts of an earlier plan, by game.
        pub pending_conflicts: Map<String, Value>,
        /// How many changes there are.
        pub counts: SyncCounts,
        /// Hash over the events.
        pub events_token: String,
    }

    /// The effect on a game.
    #[derive(Clone, Debug)]
    pub struct SyncChange {
        /// The key of the game.
        pub sync_key: String,
        /// The first event that brings something.
        pub event_id: String,
        /// All of them.
        pub event_ids: Vec<String>,
        /// `add`, `update`, `merge`, `delete` or `conflict`.
        pub action: &'static str,
        /// The game here; `null` when it is not.
        pub local: Option<Map<String, Value>>,
        /// The game there; likewise.
        pub remote: Option<Map<String, Value>>,
        /// The game afterwards; likewise.
        pub merged: Option<Map<String, Value>>,
        /// What has to be decided.
        pub conflicts: Vec<Row>,
    }

    /// How many changes there are.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct SyncCounts {
        /// Games that come.
        pub additions: usize,
        /// Games that change.
        pub updates: usize,
        /// Games that go.
        pub deletions: usize,
        /// Fields that have to be decided.
        pub conflicts: usize,
    }
}

/// The merge of each game about which others have new events.
pub fn merges(
    book: &Book,
    games: &Games,
    events: &Nodes<Event>,
) -> BTreeMap<String, (Local, Merge)> {
    let mut by_key: BTreeMap<&str, Nodes<Event>> = BTreeMap::new();
    for (id, event) in events {
        by_key.entry(event.key()).or_default().insert(id.clone(), event.clone());
    }
    let mut merges = BTreeMap::new();
    for (key, events) in by_key {
        let local = book.local(key, games, &events);
        if let Some(merge) = merge::merge(key, &local, &events) {
            merges.insert(key.to_owned(), (local, merge));
        }
    }
    merges
}

/// The hash over events.
pub fn events_token(events: &[&Event]) -> String {
    let sorted: BTreeMap<&String, &Map<String, Value>> =
        events.iter().map(|event| (&event.id, event.value())).collect();
    canonical::hash(&sorted.values().collect::<Vec<_>>())
}

/// The plan for events of which `known` are not new.
pub fn plan(
    book: &Book,
    games: &Games,
    known: &Nodes<Event>,
    all: &Nodes<Event>,
    source_token: String,
) -> SyncPlan {
    let fresh: Vec<&Event> =
        all.iter().filter(|(id, _)| !known.contains_key(*id)).map(|(_, event)| event).collect();
    let bytes: usize = fresh.iter().map(|event| event.bytes().len()).sum();
    let carried = if bytes <= EVENT_BYTES { fresh.as_slice() } else { &[] };
    let mut counts = SyncCounts::default();
    let mut changes = Vec::new();
    for (key, (local, merge)) in merges(book, games, all) {
        if merge.rows.is_empty() && merge.catalog == local.catalog {
            continue;
        }
        let theirs = merge.remote.first().and_then(|id| all.get(id)).and_then(Event::catalog);
        let action = match (&local.catalog, &merge.catalog) {
            _ if !merge.rows.is_empty() => "conflict",
            (None, _) => "add",
            (Some(_), None) => "delete",
            (Some(_), merged) if *merged == theirs => "update",
            (Some(_), Some(_)) => "merge",
        };
        match action {
            "add" => counts.additions += 1,
            "delete" => counts.deletions += 1,
            "conflict" => counts.conflicts += merge.rows.len(),
            _ => counts.updates += 1,
        }
        changes.push(SyncChange {
            sync_key: key,
            event_id: merge.remote.first().cloned().unwrap_or_default(),
            action,
            local: local.catalog,
            remote: theirs,
            merged: merge.catalog,
            event_ids: merge.remote,
            conflicts: merge.rows,
        });
    }
    SyncPlan {
        format: crate::journal::event::FORMAT,
        source_token,
        event_ids: fresh.iter().map(|event| event.id.clone()).collect(),
        events: carried.iter().map(|event| event.value().clone()).collect(),
        conflicts: changes.iter().flat_map(|change| change.conflicts.clone()).collect(),
        changes,
        pending_conflicts: book.pending.clone(),
        counts,
        events_token: events_token(&fresh),
    }
}
