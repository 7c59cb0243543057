//! Numbered events of sessions; the last hundred are kept.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::base::{limits::SESSION_EVENTS, named::named, schema::schema};

named! {
    /// What happened.
    pub enum Kind {
        /// The game runs.
        Started = "started",
        /// It ended.
        Stopped = "stopped",
        /// It was paused.
        Paused = "paused",
        /// It goes on.
        Resumed = "resumed",
    }
}

schema! {
    "SessionOutcome"
    /// How a session ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Outcome {
        /// Exit code, `-n` after signal `n`, 0 when it is unknown.
        pub exit_code: i64,
        /// Seconds of play, at least 1.
        pub seconds: u64,
        /// Tracking gave up on it.
        #[serde(skip)]
        pub timed_out: bool,
    }
}

/// The playtime of a game when it passed a whole hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Milestone {
    /// Stable id of the game.
    pub game_id: String,
    /// Its name.
    pub name: String,
    /// Whole hours now.
    pub hours: u64,
    /// Seconds of all sessions.
    pub playtime_seconds: u64,
}

impl Milestone {
    /// The payload of the event.
    pub fn to_json(&self) -> Value {
        json!({
            "game_id": self.game_id,
            "name": self.name,
            "hours": self.hours,
            "playtime_seconds": self.playtime_seconds,
        })
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEvent {
    /// Number in the order of happening, from 1 at every start of the service.
    pub id: u64,
    /// What happened.
    pub kind: Kind,
    /// Id of the launch.
    pub launch_id: String,
    /// Stable id of the game.
    pub stable_game_id: String,
    /// Name of the game.
    pub game: String,
    /// Platform of the game, empty when the game is gone; not part of the API's event.
    pub platform: String,
    /// Local time of the start of the session; not part of the API's event.
    pub started: String,
    /// Local time.
    pub time: String,
    /// Only when it stopped.
    pub outcome: Option<Outcome>,
}

schema! {
    "SessionEvent"
    /// An event as the API writes it.
    #[derive(Debug)]
    pub struct ShownEvent {
        game: String,
        id: u64,
        kind: &'static str,
        launch_id: String,
        #[serde(flatten)]
        outcome: Option<Outcome>,
        stable_game_id: String,
        time: String,
        timed_out: bool,
    }
}

impl SessionEvent {
    /// The event as the API writes it.
    pub fn shown(&self) -> ShownEvent {
        ShownEvent {
            game: self.game.clone(),
            id: self.id,
            kind: self.kind.name(),
            launch_id: self.launch_id.clone(),
            outcome: self.outcome,
            stable_game_id: self.stable_game_id.clone(),
            time: self.time.clone(),
            timed_out: self.outcome.is_some_and(|outcome| outcome.timed_out),
        }
    }
}

/// The last [`SESSION_EVENTS`] events.
#[derive(Debug, Default)]
pub struct Ring {
    last: u64,
    kept: VecDeque<SessionEvent>,
}

impl Ring {
    /// Numbers an event, keeps it and hands it back.
    pub fn push(&mut self, mut event: SessionEvent) -> SessionEvent {
        self.last += 1;
        event.id = self.last;
        if self.kept.len() == SESSION_EVENTS {
            self.kept.pop_front();
        }
        self.kept.push_back(event.clone());
        event
    }

    /// The number of the newest event; 0 before the first.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The events that are kept with a number above `after`, oldest first.
    pub fn after(&self, after: u64) -> impl Iterator<Item = &SessionEvent> {
        self.kept.iter().filter(move |event| event.id > after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> SessionEvent {
        SessionEvent {
            id: 0,
            kind: Kind::Started,
            launch_id: "l".to_owned(),
            stable_game_id: "game-1".to_owned(),
            game: "A".to_owned(),
            platform: "B".to_owned(),
            started: "2026-01-01T00:00:00".to_owned(),
            time: "2026-01-01T00:00:00".to_owned(),
            outcome: None,
        }
    }

    #[test]
    fn keeps_a_hundred_and_counts_on() {
        let mut ring = Ring::default();
        for _ in 0..=SESSION_EVENTS {
            ring.push(event());
        }
        let all: Vec<_> = ring.after(0).map(|event| event.id).collect();
        assert_eq!((all.len(), all.first(), all.last()), (100, Some(&2), Some(&101)));
        assert_eq!(
            (ring.last(), ring.after(100).count(), ring.after(u64::MAX).count()),
            (101, 1, 0)
        );
    }

    #[test]
    fn writes_the_outcome_only_at_the_end() {
        assert_eq!(
            json!(event().shown()),
            json!({"id": 0, "kind": "started", "launch_id": "l", "stable_game_id": "game-1",
                "game": "A", "time": "2026-01-01T00:00:00", "timed_out": false})
        );
        let outcome = Some(Outcome { exit_code: -15, seconds: 3, timed_out: true });
        let stopped = json!(SessionEvent { kind: Kind::Stopped, outcome, ..event() }.shown());
        assert_eq!(
            (&stopped["exit_code"], &stopped["seconds"], &stopped["timed_out"]),
            (&json!(-15), &json!(3), &json!(true))
        );
    }
}
