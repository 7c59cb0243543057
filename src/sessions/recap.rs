//! The summary of a session, available once after its end (`GET /api/v2/sessions/recap`).

use serde_json::Value;

use crate::{
    base::{Moment, schema::schema},
    config::settings::read,
    model::{Game, Record, Row as _, State, rows::HistoryRow},
    sessions::{achieved::Achieved, events::Milestone, history, ledger::Ending},
};

/// What else a session may bring about when it ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// The playtime of a game passed a whole hour.
    Milestone(Milestone),
    /// What the session was.
    Recap(Box<Recap>),
}

/// Whether sessions are recapped at all.
pub fn is_wanted(state: &State) -> bool {
    let on = |key| read::flag(state.settings(), key);
    on("track_session_history") && on("session_recap_enabled")
}

/// The recap of a session that just ended. `before` is the game as it was when the session began, `achieved` what the
/// file of its achievements counts now.
pub fn of_ending(
    ending: &Ending,
    before: Option<&Record>,
    state: &State,
    achieved: Option<&Achieved>,
    has_state: bool,
    now: &Moment,
) -> Recap {
    let mut after = state.games.find(&ending.game_id).map(|(_, game)| game.record());
    if let (Some(game), Some(achieved)) = (&mut after, achieved) {
        achieved.show_in(game);
    }
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
/// running session knew is not in it. `None` without any session. `achieved` reads the file of the achievements of a
/// game.
pub fn of_history(state: &State, achieved: impl FnOnce(&str) -> Option<Achieved>) -> Option<Recap> {
    let newest = state.section(HistoryRow::SECTION).as_array()?.last()?;
    let row: HistoryRow = serde_json::from_value(newest.clone()).ok()?;
    let game = history::game_of(state, &row);
    let mut after = game.map(Game::record);
    if let (Some(record), Some(achieved)) = (&mut after, game.and_then(|game| achieved(game.id())))
    {
        achieved.show_in(record);
    }
    let stopped = Moment::parse(&row.started).map(|started| {
        let seconds = i64::try_from(row.seconds).unwrap_or(0);
        Moment::from_unix_local(started.unix_seconds().saturating_add(seconds)).local_iso()
    });
    let facts = Facts {
        launch_id: "",
        game_id: game.map_or(row.game_id.as_str(), Game::id),
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

schema! {
    "SessionRecap"
    /// What a session was.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Recap {
        ach: RecapAchievements,
        capture: Captured,
        exit_code: i64,
        game_id: String,
        game_missing: bool,
        /// Empty after a restart of the service.
        launch_id: String,
        name: String,
        /// Whether something of the session is not known.
        partial: bool,
        platform: String,
        progress: String,
        /// Whether a state of the game was kept.
        resume_state_available: bool,
        screenshots_taken: usize,
        seconds: u64,
        started_at: String,
        stopped_at: String,
    }

    "SessionCaptures"
    /// What was recorded during a session.
    #[derive(Clone, Debug, PartialEq)]
    struct Captured {
        clip: bool,
        moment: bool,
    }

    /// The change of achievements, as far as the record shows it.
    #[derive(Clone, Debug, PartialEq)]
    struct RecapAchievements {
        /// Whether the game has any.
        available: bool,
        /// Whether they were known before the session.
        baseline: bool,
        earned: u64,
        /// Those of this session.
        earned_delta: u64,
        earned_hardcore: u64,
        /// Those of this session.
        earned_hardcore_delta: u64,
        mastered: bool,
        progress_pct: u64,
        total: u64,
        tracked: bool,
    }
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
    fn write(self, before: Option<&Record>, after: Option<&Record>) -> Recap {
        let text = |key: &str| after.map_or("", |game| game.text(key)).to_owned();
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
        Recap {
            ach: RecapAchievements::of(before, after),
            capture: Captured { clip: holds("clips"), moment: holds("moments") },
            exit_code: self.exit_code,
            game_id: self.game_id.to_owned(),
            game_missing: after.is_none(),
            launch_id: self.launch_id.to_owned(),
            name: self.name.to_owned(),
            partial: self.partial,
            platform: text("platform"),
            progress: text("progress"),
            resume_state_available: self.has_state,
            screenshots_taken: taken,
            seconds: self.seconds,
            started_at: self.started.to_owned(),
            stopped_at: self.stopped,
        }
    }
}

impl RecapAchievements {
    fn of(before: Option<&Record>, after: Option<&Record>) -> Self {
        let of = |game: Option<&Record>, key: &str| game.map_or(0, |game| game.count(key));
        let now = |key| of(after, key);
        let (earned, hardcore) =
            (now("ach_achievements_earned"), now("ach_achievements_earned_hardcore"));
        let total = now("ach_achievements_total");
        let gained =
            |count: u64, key| before.map_or(0, |game| count.saturating_sub(game.count(key)));
        Self {
            available: total > 0,
            baseline: before.is_some_and(|game| game.count("ach_achievements_total") > 0),
            earned,
            earned_delta: gained(earned, "ach_achievements_earned"),
            earned_hardcore: hardcore,
            earned_hardcore_delta: gained(hardcore, "ach_achievements_earned_hardcore"),
            mastered: after.is_some_and(|game| game.flag("ach_mastered"))
                || total > 0 && hardcore >= total,
            progress_pct: now("ach_progress_pct"),
            total,
            tracked: total > 0 || after.is_some_and(|game| !game.is_blank("ach_game_id")),
        }
    }
}

impl Recap {
    /// The stable id of the game.
    pub fn game_id(&self) -> &str {
        &self.game_id
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Draft;

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
        let recap = json!(of_ending(&ending(0, "game-1"), Some(&before), &state, None, true, &now));
        assert_eq!(
            recap,
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
            let recap =
                json!(of_ending(&ending(code, id), Some(&before), &state, None, false, &now));
            assert_eq!(
                (&recap["partial"], &recap["game_missing"]),
                (&json!(true), &json!(missing))
            );
        }
    }

    #[test]
    fn what_another_program_counted_is_compared() {
        let achieved = |earned: u64, hardcore: u64| -> Achieved {
            serde_json::from_value(json!({"game_id": "game-1", "earned": earned, "total": 4,
                "earned_hardcore": hardcore, "progress_pct": 25.5, "mastered": hardcore == 4}))
            .expect("counts")
        };
        let game = json!({"game_id": "game-1", "name": "A"});
        let state = state(game, json!([]), json!({}));
        let mut before = Record::default();
        achieved(1, 0).show_in(&mut before);
        let now = Moment::parse("2026-01-01T00:01:30").expect("a time");
        let (ending, after) = (ending(0, "game-1"), achieved(4, 4));
        let recap = of_ending(&ending, Some(&before), &state, Some(&after), false, &now);
        assert_eq!(
            json!(recap)["ach"],
            json!({"tracked": true, "available": true, "baseline": true, "earned": 4,
                "earned_hardcore": 4, "total": 4, "progress_pct": 100, "mastered": true,
                "earned_delta": 3, "earned_hardcore_delta": 4})
        );
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
        let recap = json!(of_history(&state, |_| None).expect("a session"));
        assert_eq!((&recap["name"], &recap["launch_id"]), (&json!("A"), &json!("")));
        assert_eq!((&recap["partial"], &recap["platform"]), (&json!(true), &json!("NES")));
        assert_eq!(recap["stopped_at"], "2026-01-01T00:01:00");
        assert_eq!(
            (&recap["capture"]["moment"], &recap["ach"]["earned_delta"]),
            (&json!(false), &json!(0))
        );
        assert!(of_history(&State::default(), |_| None).is_none());
    }

    #[test]
    fn a_row_of_an_old_library_means_the_game_with_its_name() {
        for (name, found) in [("A", ("game-1", false, "NES")), ("B", ("", true, ""))] {
            let row = json!({"game": name, "started": "2026-01-01T00:00:00", "seconds": 60});
            let game = json!({"game_id": "game-1", "name": "A", "platform": "NES"});
            let state = state(game, json!([row]), json!({}));
            let recap = of_history(&state, |_| None).expect("a session");
            let shown = (recap.game_id.as_str(), recap.game_missing, recap.platform.as_str());
            assert_eq!(shown, found, "{name}");
        }
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
