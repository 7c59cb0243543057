//! The summary of a session, available once after its end (`GET /api/v2/sessions/recap`).

use serde_json::{Map, Value, json};

use crate::{
    base::clock::Moment,
    config::settings::read,
    model::{
        record::Record,
        rows::{HistoryRow, Row as _},
        state::State,
    },
    sessions::ledger::Ending,
};

/// Whether sessions are recapped at all.
#[must_use]
pub fn is_wanted(state: &State) -> bool {
    let on = |key| read::flag(state.settings(), key);
    on("track_session_history") && on("session_recap_enabled")
}

/// The recap of a session that just ended. `before` is the game as it was when the session began.
#[must_use]
pub fn of_ending(
    ending: &Ending,
    before: Option<&Record>,
    state: &State,
    has_state: bool,
    now: &Moment,
) -> Map<String, Value> {
    let after = state.games.find(&ending.game_id).map(|(_, game)| game.record());
    let facts = Facts {
        launch_id: &ending.launch_id,
        game_id: &ending.game_id,
        name: &ending.name,
        started: &ending.started,
        stopped: now.local_iso(),
        seconds: ending.seconds,
        exit_code: ending.exit_code,
        partial: after.is_none() || ending.exit_code != 0,
        has_state,
    };
    facts.write(before, after.as_ref())
}

/// The recap of the newest session in the history, for the time after a restart: what only the
/// running session knew is not in it. `None` without any session.
#[must_use]
pub fn of_history(state: &State) -> Option<Map<String, Value>> {
    let newest = state.section(HistoryRow::SECTION).as_array()?.last()?;
    let row: HistoryRow = serde_json::from_value(newest.clone()).ok()?;
    let after = state.games.find(&row.game_id).map(|(_, game)| game.record());
    let stopped = Moment::parse(&row.started).map(|started| {
        let seconds = i64::try_from(row.seconds).unwrap_or(0);
        Moment::from_unix(started.unix_seconds().saturating_add(seconds)).local_iso()
    });
    let facts = Facts {
        launch_id: "",
        game_id: &row.game_id,
        name: &row.game,
        started: &row.started,
        stopped: stopped.unwrap_or_default(),
        seconds: row.seconds,
        exit_code: row.exit_code,
        partial: true,
        has_state: false,
    };
    Some(facts.write(None, after.as_ref()))
}

struct Facts<'a> {
    launch_id: &'a str,
    game_id: &'a str,
    name: &'a str,
    started: &'a str,
    stopped: String,
    seconds: u64,
    exit_code: i64,
    partial: bool,
    has_state: bool,
}

impl Facts<'_> {
    fn write(&self, before: Option<&Record>, after: Option<&Record>) -> Map<String, Value> {
        let text = |key: &str| after.map_or("", |game| game.text(key));
        let shots = |game: &Record| game.list("screenshots").len();
        let taken = match (before, after) {
            (Some(before), Some(after)) => shots(after).saturating_sub(shots(before)),
            _ => 0,
        };
        // Without the id of the launch nothing can be said to come from it.
        let holds = |list: &str| {
            let is_of_launch = |entry: &Value| entry["launch_id"] == self.launch_id;
            !self.launch_id.is_empty()
                && after.is_some_and(|game| game.list(list).iter().any(is_of_launch))
        };
        let recap = json!({
            "launch_id": self.launch_id,
            "game_id": self.game_id,
            "name": self.name,
            "platform": text("platform"),
            "started_at": self.started,
            "stopped_at": self.stopped,
            "seconds": self.seconds,
            "exit_code": self.exit_code,
            "partial": self.partial,
            "game_missing": after.is_none(),
            "progress": text("progress"),
            "screenshots_taken": taken,
            "ach": achievements(before, after),
            "resume_state_available": self.has_state,
            "capture": {"moment": holds("moments"), "clip": holds("clips")},
        });
        if let Value::Object(recap) = recap { recap } else { Map::new() }
    }
}

/// What became of the achievements, as far as the record tells.
fn achievements(before: Option<&Record>, after: Option<&Record>) -> Value {
    let of = |game: Option<&Record>, key: &str| game.map_or(0, |game| game.count(key));
    let now = |key| of(after, key);
    let (earned, hardcore) =
        (now("ach_achievements_earned"), now("ach_achievements_earned_hardcore"));
    let total = now("ach_achievements_total");
    let gained = |count: u64, key| before.map_or(0, |game| count.saturating_sub(game.count(key)));
    json!({
        "tracked": after.is_some_and(|game| !game.is_blank("ach_game_id")),
        "available": total > 0,
        "baseline": before.is_some_and(|game| game.count("ach_achievements_total") > 0),
        "earned": earned,
        "earned_hardcore": hardcore,
        "total": total,
        "progress_pct": now("ach_progress_pct"),
        "mastered": total > 0 && hardcore >= total,
        "earned_delta": gained(earned, "ach_achievements_earned"),
        "earned_hardcore_delta": gained(hardcore, "ach_achievements_earned_hardcore"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::draft::Draft;

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    fn state(game: Value, history: Value, settings: Value) -> State {
        let mut draft = Draft::new(State::default());
        draft.add_game(record(game)).expect("added");
        draft.set_section("history", history);
        draft.set_section("settings", settings);
        draft.finish().0
    }

    fn ending(exit_code: i64, game_id: &str) -> Ending {
        Ending {
            launch_id: "l".to_owned(),
            game_id: game_id.to_owned(),
            name: "A".to_owned(),
            started: "2026-01-01T00:00:00".to_owned(),
            seconds: 90,
            exit_code,
            interrupted: false,
        }
    }

    #[test]
    fn an_ending_tells_what_came_during_the_session() {
        let before = record(json!({"screenshots": ["/a"], "ach_achievements_earned": 2,
            "ach_achievements_earned_hardcore": 1, "ach_achievements_total": 4}));
        let game = json!({"game_id": "game-1", "name": "A", "platform": "NES",
            "progress": "Playing", "screenshots": ["/a", "/b", "/c"], "ach_game_id": "7",
            "ach_achievements_earned": 4, "ach_achievements_earned_hardcore": 4,
            "ach_achievements_total": 4, "ach_progress_pct": 100,
            "moments": [{"launch_id": "l"}], "clips": [{"launch_id": "other"}]});
        let state = state(game, json!([]), json!({}));
        let now = Moment::parse("2026-01-01T00:01:30").expect("a time");
        let recap = of_ending(&ending(0, "game-1"), Some(&before), &state, true, &now);
        assert_eq!(
            Value::Object(recap),
            json!({"launch_id": "l", "game_id": "game-1", "name": "A", "platform": "NES",
                "started_at": "2026-01-01T00:00:00", "stopped_at": "2026-01-01T00:01:30",
                "seconds": 90, "exit_code": 0, "partial": false, "game_missing": false,
                "progress": "Playing", "screenshots_taken": 2, "resume_state_available": true,
                "ach": {"tracked": true, "available": true, "baseline": true, "earned": 4,
                    "earned_hardcore": 4, "total": 4, "progress_pct": 100, "mastered": true,
                    "earned_delta": 2, "earned_hardcore_delta": 3},
                "capture": {"moment": true, "clip": false}})
        );
        for (code, id, missing) in [(3, "game-1", false), (0, "game-gone", true)] {
            let recap = of_ending(&ending(code, id), Some(&before), &state, false, &now);
            assert_eq!(
                (&recap["partial"], &recap["game_missing"]),
                (&json!(true), &json!(missing))
            );
        }
    }

    #[test]
    fn history_stands_in_after_a_restart() {
        let row = |game: &str, seconds: u64| {
            json!({"game": game, "game_id": "game-1", "started": "2026-01-01T00:00:00",
                "seconds": seconds, "exit_code": 0})
        };
        let game = json!({"game_id": "game-1", "name": "A", "platform": "NES",
            "moments": [{"launch_id": ""}]});
        let state = state(game, json!([row("Old", 5), row("A", 60)]), json!({}));
        let recap = of_history(&state).expect("a session");
        assert_eq!((&recap["name"], &recap["launch_id"]), (&json!("A"), &json!("")));
        assert_eq!((&recap["partial"], &recap["platform"]), (&json!(true), &json!("NES")));
        assert_eq!(recap["stopped_at"], "2026-01-01T00:01:00");
        assert_eq!(
            (&recap["capture"]["moment"], &recap["ach"]["earned_delta"]),
            (&json!(false), &json!(0))
        );
        assert!(of_history(&State::default()).is_none());
    }

    #[test]
    fn both_switches_must_be_on() {
        for (settings, wanted) in [
            (json!({}), true),
            (json!({"track_session_history": false}), false),
            (json!({"session_recap_enabled": false}), false),
        ] {
            assert_eq!(is_wanted(&state(json!({"name": "A"}), json!([]), settings)), wanted);
        }
    }
}
