//! From an event of a session to the live stream and the webhooks.

use serde_json::json;

use crate::{
    events::event::{Event, Topic},
    sessions::{
        events::{Kind, SessionEvent},
        recap::Remark,
    },
    webhooks::occurrence::{Occurrence, Subject},
};

/// The live-stream event.
pub(super) fn event(event: &SessionEvent) -> Event {
    let topic = match event.kind {
        Kind::Started => Topic::SessionStarted,
        Kind::Stopped => Topic::SessionStopped,
        Kind::Paused => Topic::SessionPaused,
        Kind::Resumed => Topic::SessionResumed,
    };
    Event::new(topic, json!(event.shown()))
}

/// The live-stream event of a remark after a session.
pub(super) fn remark(remark: &Remark) -> Event {
    match remark {
        Remark::Milestone(milestone) => Event::new(Topic::PlaytimeMilestone, milestone.to_json()),
        Remark::Recap(recap) => Event::new(Topic::SessionRecap, json!(recap)),
    }
}

/// The occurrence for webhooks; pauses are only for the live stream.
pub(super) fn occurrence(event: &SessionEvent) -> Option<Occurrence> {
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
        // An occurrence keeps the keys of its subject: a start has no end.
        "stopped_at": event.time,
    });
    if let Some(outcome) = event.outcome {
        facts["seconds"] = outcome.seconds.max(1).into();
        facts["exit_code"] = outcome.exit_code.into();
        facts["timed_out"] = outcome.timed_out.into();
    }
    Some(Occurrence::new(subject, facts))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sessions::events::Outcome;

    #[test]
    fn webhooks_hear_of_starts_and_ends() {
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
        let started = occurrence(&event(Kind::Started, None)).expect("an occurrence");
        let expected = json!({"launch_id": "l", "game_id": "game-1", "name": "A", "platform": "B",
            "started_at": "2026-01-01T10:00:00"});
        assert_eq!(Value::Object(started.data().clone()), expected);
        let outcome = Some(Outcome { exit_code: -9, seconds: 0, timed_out: true });
        let stopped = occurrence(&event(Kind::Stopped, outcome)).expect("an occurrence");
        let expected = json!({"launch_id": "l", "game_id": "game-1", "name": "A", "seconds": 1,
            "exit_code": -9, "timed_out": true, "started_at": "2026-01-01T10:00:00",
            "stopped_at": "2026-01-01T11:00:00"});
        assert_eq!(Value::Object(stopped.data().clone()), expected);
        assert_eq!(occurrence(&event(Kind::Paused, None)), None);
    }
}
