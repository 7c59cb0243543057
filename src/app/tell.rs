//! Carries what happens in the rooms to those who listen: sessions to the live stream and to the
//! webhooks, changes of the library to the live stream.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    events::{
        bus::Bus,
        event::{Event, Topic},
    },
    model::draft::Op,
    sessions::{
        Sessions,
        events::{Kind, Remark, SessionEvent},
    },
    store::{open::Store, watch::Change},
    webhooks::{
        dispatcher::Webhooks,
        occurrence::{Occurrence, Subject},
    },
};

/// Ids named in one event; with more a client reads the whole library again.
const IDS: usize = 500;

/// Tells of every session event and every durable change of the library from now on.
pub fn tell(bus: &Bus, store: &Store, sessions: &Sessions, webhooks: &Webhooks) {
    let (sessions_bus, webhooks) = (bus.clone(), webhooks.clone());
    sessions.on_event(Box::new(move |event| {
        if sessions_bus.subscribers() > 0 {
            sessions_bus.publish(&session_event(event));
        }
        if let Some(occurrence) = session_occurrence(event) {
            webhooks.announce(&occurrence);
        }
    }));
    let remarks_bus = bus.clone();
    sessions.on_remark(Box::new(move |remark| {
        if remarks_bus.subscribers() > 0 {
            remarks_bus.publish(&remark_event(remark));
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

fn remark_event(remark: &Remark) -> Event {
    match remark {
        Remark::Milestone(milestone) => Event::new(Topic::PlaytimeMilestone, milestone.to_json()),
        Remark::Recap(recap) => Event::new(Topic::SessionRecap, Value::Object(recap.clone())),
    }
}

/// What webhooks are told of a session; pauses are the live stream's alone.
fn session_occurrence(event: &SessionEvent) -> Option<Occurrence> {
    let subject = match event.kind {
        Kind::Started => Subject::SessionStarted,
        Kind::Stopped => Subject::SessionStopped,
        Kind::Paused | Kind::Resumed => return None,
    };
    let mut facts = json!({
        "launch_id": event.launch_id,
        "game_id": event.stable_game_id,
        "name": event.game,
        "platform": event.platform,
        "started_at": event.started,
        // Each subject lists what it tells of these; a start tells nothing of its end.
        "stopped_at": event.time,
    });
    if let Some(outcome) = event.outcome {
        facts["seconds"] = outcome.seconds.max(1).into();
        facts["exit_code"] = outcome.exit_code.into();
        facts["timed_out"] = outcome.timed_out.into();
    }
    Some(Occurrence::new(subject, facts))
}

/// `{revision, game_ids, removed, sections, all, count}`: a client asks the delta route for
/// `game_ids`, drops those that are `removed`, and reads everything again when `all` is true.
fn library_changed(change: &Change) -> Event {
    let (mut ids, mut removed) = (BTreeSet::new(), BTreeSet::new());
    let mut sections = BTreeSet::new();
    for op in change.ops.iter() {
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
            Op::Note(_) => {}
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
    use crate::{
        model::{game::Game, state::State},
        sessions::events::Outcome,
    };

    fn game(id: &str) -> Arc<Game> {
        Arc::new(Game::from_json(&json!({"game_id": id}).to_string()).expect("a game"))
    }

    fn told(ops: Vec<Op>) -> Value {
        let state = Arc::new(State::default());
        let ops = ops.into();
        library_changed(&Change { before: Arc::clone(&state), after: state, ops, at: 0 }).payload
    }

    #[test]
    fn webhooks_are_told_of_starts_and_ends() {
        let event = |kind, outcome| SessionEvent {
            id: 1,
            kind,
            launch_id: "l".to_owned(),
            stable_game_id: "game-1".to_owned(),
            game: "A".to_owned(),
            platform: "B".to_owned(),
            started: "2026-01-01T10:00:00".to_owned(),
            time: "2026-01-01T11:00:00".to_owned(),
            outcome,
        };
        let started = session_occurrence(&event(Kind::Started, None)).expect("told");
        let expected = json!({"launch_id": "l", "game_id": "game-1", "name": "A", "platform": "B",
            "started_at": "2026-01-01T10:00:00"});
        assert_eq!(Value::Object(started.data().clone()), expected);
        let outcome = Some(Outcome { exit_code: -9, seconds: 0, timed_out: true });
        let stopped = session_occurrence(&event(Kind::Stopped, outcome)).expect("told");
        let expected = json!({"launch_id": "l", "game_id": "game-1", "name": "A", "seconds": 1,
            "exit_code": -9, "timed_out": true, "started_at": "2026-01-01T10:00:00",
            "stopped_at": "2026-01-01T11:00:00"});
        assert_eq!(Value::Object(stopped.data().clone()), expected);
        assert_eq!(session_occurrence(&event(Kind::Paused, None)), None);
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
