//! Carries what happens in the rooms to the bus: sessions and changes of the library.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    events::{
        bus::Bus,
        event::{Event, Topic},
    },
    model::draft::Op,
    play::{
        events::{Kind, SessionEvent},
        sessions::Sessions,
    },
    store::{open::Store, watch::Change},
};

/// Ids named in one event; with more a client reads the whole library again.
const IDS: usize = 500;

/// Tells the bus of every session event and every durable change of the library from now on.
pub fn tell(bus: &Bus, store: &Store, sessions: &Sessions) {
    let sessions_bus = bus.clone();
    sessions.on_event(Box::new(move |event| {
        if sessions_bus.subscribers() > 0 {
            sessions_bus.publish(&session_event(event));
        }
    }));
    let bus = bus.clone();
    store.watch(Box::new(move |change| {
        if bus.subscribers() > 0 {
            bus.publish(&library_changed(change));
        }
    }));
}

fn session_event(event: &SessionEvent) -> Event {
    let topic = match event.kind {
        Kind::Started => Topic::SessionStarted,
        Kind::Stopped => Topic::SessionStopped,
        Kind::Paused => Topic::SessionPaused,
        Kind::Resumed => Topic::SessionResumed,
    };
    Event::new(topic, event.to_json())
}

/// `{revision, game_ids, removed, sections, all, count}`: a client asks the delta route for
/// `game_ids`, drops those that are `removed`, and reads everything again when `all` is true.
fn library_changed(change: &Change) -> Event {
    let (mut ids, mut removed) = (BTreeSet::new(), BTreeSet::new());
    let mut sections = BTreeSet::new();
    for op in &change.ops {
        match op {
            Op::Put(game) | Op::Add(_, game) => {
                removed.remove(game.id());
                ids.insert(game.id());
            }
            Op::Remove(gone) => {
                for id in gone {
                    ids.remove(id.as_str());
                    removed.insert(id.as_str());
                }
            }
            Op::Section(key, _) | Op::Splice { key, .. } | Op::Merge { key, .. } => {
                sections.insert(key.as_str());
            }
        }
    }
    let count = ids.len() + removed.len();
    let all = change.ops.is_empty() || count > IDS;
    let named = |ids: BTreeSet<&str>| -> Value { if all { json!([]) } else { json!(ids) } };
    let payload = json!({
        "revision": change.after.revision,
        "count": count,
        "all": all,
        "game_ids": named(ids),
        "removed": named(removed),
        "sections": sections,
    });
    Event::new(Topic::LibraryChanged, payload)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{game::Game, state::State};

    fn game(id: &str) -> Arc<Game> {
        Arc::new(Game::from_json(&json!({"game_id": id}).to_string()).expect("a game"))
    }

    fn told(ops: Vec<Op>) -> Value {
        let state = Arc::new(State::default());
        library_changed(&Change { before: Arc::clone(&state), after: state, ops }).payload
    }

    #[test]
    fn a_change_names_its_games_and_sections() {
        let payload = told(vec![
            Op::Put(game("b")),
            Op::Add(None, game("a")),
            Op::Add(None, game("short-lived")),
            Op::Remove(vec!["short-lived".into(), "c".into()]),
            Op::Section("queue".into(), json!([])),
        ]);
        assert_eq!(payload["game_ids"], json!(["a", "b"]));
        assert_eq!(payload["removed"], json!(["c", "short-lived"]));
        assert_eq!((&payload["sections"], &payload["all"]), (&json!(["queue"]), &json!(false)));
    }

    #[test]
    fn large_and_foreign_changes_ask_for_everything() {
        assert_eq!(told(Vec::new())["all"], true);
        let many = |count: usize| (0..count).map(|n| Op::Put(game(&n.to_string()))).collect();
        assert_eq!(told(many(IDS))["all"], false);
        let payload = told(many(IDS + 1));
        assert_eq!((&payload["all"], &payload["count"]), (&json!(true), &json!(IDS + 1)));
        assert_eq!(payload["game_ids"], json!([]));
    }
}
