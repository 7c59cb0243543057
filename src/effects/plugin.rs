//! From an event of a session to messages for plugins.

use serde_json::{Map, Value, json};

use crate::{
    plugins::events::{self, PluginEvent},
    sessions::{
        events::{Kind, SessionEvent},
        recap::Remark,
    },
};

/// The record of a session, once it has ended.
pub(super) fn session(event: &SessionEvent) -> Option<Map<String, Value>> {
    let outcome = event.outcome.filter(|_| event.kind == Kind::Stopped)?;
    let record = json!({
        "game": event.game,
        "game_id": event.stable_game_id,
        "started": event.started,
        "seconds": outcome.seconds.max(1),
        "exit_code": outcome.exit_code,
    });
    record.as_object().cloned()
}

/// The event of a milestone.
pub(super) fn remark(remark: &Remark) -> Option<PluginEvent> {
    match remark {
        Remark::Milestone(milestone) => {
            Some(events::event("playtime_milestone", milestone.to_json()))
        }
        Remark::Recap(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sessions::events::Outcome;

    #[test]
    fn only_the_end_of_a_session_is_a_record() {
        let event = |kind, outcome| SessionEvent {
            id: 1,
            kind,
            launch_id: "l".to_owned(),
            stable_game_id: "a".to_owned(),
            game: "A".to_owned(),
            platform: String::new(),
            started: "2026-01-01T10:00:00".to_owned(),
            time: "2026-01-01T11:00:00".to_owned(),
            outcome,
        };
        assert_eq!(session(&event(Kind::Started, None)), None);
        let outcome = Some(Outcome { exit_code: 3, seconds: 0, timed_out: false });
        let expected = json!({"game": "A", "game_id": "a", "started": "2026-01-01T10:00:00",
            "seconds": 1, "exit_code": 3});
        assert_eq!(session(&event(Kind::Stopped, outcome)).map(Value::Object), Some(expected));
    }
}
