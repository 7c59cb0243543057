//! Games that were started and not finished: those worth finishing, and those to park (`/api/v2/insights/radar`).

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    error::InsightError,
    habits::{Begun, GameFacts, Habits, is_completed, median, minutes_left},
    plays::Plays,
    sums::playtime,
};
use crate::{
    base::{Moment, schema::schema},
    game::GameRef,
    model::{Cause, Draft, Game, State},
    store::{Committed, Store},
};

/// Where parked games are stored: `{"parked": [<id>]}`.
const SECTION: &str = "radio";
/// Seconds of play from which a game counts as begun.
const BEGUN: u64 = 900;
/// Days without play from which it counts as left.
const LEFT_DAYS: i64 = 14;
/// The least sessions for a statement.
const ENOUGH: usize = 3;
/// Games of one list; more are not read, and an answer stays small.
const LONGEST: usize = 500;
/// Seconds of play that a game may take at least, where no game was played to the end.
const USUAL_BUDGET: u64 = 360 * 60;

schema! {
    /// `GET /api/v2/insights/radar`.
    #[derive(Clone, Debug)]
    pub struct RadarReply {
        /// The games.
        pub radar: Radar,
    }

    /// Games that were begun and left, the longest left first; 500 in each list at most.
    #[derive(Clone, Debug)]
    pub struct Radar {
        /// Worth finishing.
        pub winnable: Vec<RadarEntry>,
        /// Better parked.
        pub park: Vec<RadarEntry>,
        /// Whether the history holds enough; both lists are empty otherwise.
        pub enough_history: bool,
    }

    /// A game that was begun and left.
    #[derive(Clone, Debug)]
    pub struct RadarEntry {
        /// Stable id.
        pub game_id: String,
        /// Position in the library.
        pub id: usize,
        /// Title.
        pub name: String,
        /// Platform, as stored.
        pub platform: String,
        /// Whether it has a cover to show.
        pub has_cover: bool,
        /// Days since it was played.
        pub days_stalled: i64,
        /// Seconds of play.
        pub observed_seconds: u64,
        /// Minutes that are left of it.
        pub estimated_minutes: u64,
        /// Why it is here.
        pub reasons: Vec<Reason>,
    }

    "InsightReason"
    /// A reason: the key of a text and what is put into it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Reason {
        /// Key of the text.
        pub key: &'static str,
        /// Values by name.
        pub params: Map<String, Value>,
    }

    "RadarParked"
    /// `POST /api/v2/insights/radar/park`.
    #[derive(Clone, Debug)]
    pub struct Parked {
        /// Whether it is parked now; a completed game is not.
        pub parked: bool,
        /// Stable id.
        pub game_id: String,
        /// Title.
        pub name: String,
        /// Progress.
        pub progress: String,
        /// `parked`, or `already_completed`.
        pub code: &'static str,
    }
}

impl Reason {
    pub(super) fn new(key: &'static str, params: Value) -> Self {
        let params = match params {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        Self { key, params }
    }
}

/// The ids of parked games.
pub(super) fn parked(state: &State) -> Vec<String> {
    let list = state.section(SECTION)["parked"].as_array().map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The radar of a library, without covers.
pub(super) fn radar(state: &State, plays: &Plays, now: &Moment) -> Radar {
    let habits = Habits::of(state, plays, now);
    let mut completed = habits.completed.clone();
    let enough_history = habits.sessions >= ENOUGH || !completed.is_empty();
    if !enough_history {
        return Radar { winnable: Vec::new(), park: Vec::new(), enough_history };
    }
    completed.sort_unstable();
    let usual = habits.median.unwrap_or(0).saturating_mul(4).max(USUAL_BUDGET);
    let budget = median(&completed).unwrap_or(usual);
    let parked: HashSet<String> = parked(state).into_iter().collect();
    let (mut winnable, mut park) = (Vec::new(), Vec::new());
    for begun in &habits.played {
        let Begun { id, game, estimate } = *begun;
        let GameFacts { days, is_completed, is_hidden, .. } = habits.facts_of(id);
        let is_begun = playtime(game) >= BEGUN && !is_completed && !is_hidden;
        let Some(days) = days.filter(|days| is_begun && *days >= LEFT_DAYS) else { continue };
        if !parked.is_empty() && parked.contains(game.id()) {
            continue;
        }
        let is_winnable = is_winnable(game, estimate, days, budget);
        let list = if is_winnable { &mut winnable } else { &mut park };
        list.push(Left { id, game, days });
    }
    Radar {
        winnable: entries(winnable, "radio.reason.winnable"),
        park: entries(park, "radio.reason.park"),
        enough_history,
    }
}

/// A game that was begun and left, with its position.
struct Left<'a> {
    id: usize,
    game: &'a Game,
    days: i64,
}

/// The entries of a list, the longest left first, with the same reason for all.
fn entries(mut list: Vec<Left<'_>>, key: &'static str) -> Vec<RadarEntry> {
    let order =
        |a: &Left<'_>, b: &Left<'_>| b.days.cmp(&a.days).then_with(|| a.game.id().cmp(b.game.id()));
    if list.len() > LONGEST {
        list.select_nth_unstable_by(LONGEST, order);
        list.truncate(LONGEST);
    }
    list.sort_unstable_by(order);
    let entry = |left: Left<'_>| RadarEntry {
        game_id: left.game.id().to_owned(),
        id: left.id,
        name: left.game.name().to_owned(),
        platform: left.game.platform().to_owned(),
        has_cover: false,
        days_stalled: left.days,
        observed_seconds: left.game.playtime_seconds(),
        estimated_minutes: minutes_left(left.game),
        reasons: vec![Reason::new(key, json!({"days": left.days}))],
    };
    list.into_iter().map(entry).collect()
}

/// Whether a game that was left is worth finishing: a quarter was played, or its estimate in minutes fits the seconds
/// that are played to the end.
fn is_winnable(game: &Game, estimate: u64, days: i64, budget: u64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a share needs no precision")]
    let invested = playtime(game) as f64 / (estimate * 60) as f64;
    let is_far = estimate * 60 * 2 > budget.saturating_mul(3);
    let is_deep_stall = days >= 30 && invested < 0.15 && is_far;
    !is_deep_stall && (invested >= 0.25 || estimate * 60 <= budget)
}

/// `POST /api/v2/insights/radar/park`: pauses a game and takes it off the radar.
///
/// # Errors
/// [`InsightError::UnknownGame`], or when the library cannot be written.
pub fn park(store: &Store, game: &GameRef) -> Committed<Parked, InsightError> {
    store.commit(|draft| park_in(draft, game))
}

fn park_in(draft: &mut Draft, game: &GameRef) -> Result<Parked, InsightError> {
    let found = game.find(&draft.state().games).ok_or(InsightError::UnknownGame)?.1;
    let (game_id, name) = (found.id().to_owned(), found.name().to_owned());
    if is_completed(found) {
        let progress = found.progress().to_owned();
        return Ok(Parked { parked: false, game_id, name, progress, code: "already_completed" });
    }
    let progress = "Paused";
    draft
        .edit_game(&game_id, |record| record.set("progress", progress))
        .map_err(|_| InsightError::UnknownGame)?;
    let mut ids = parked(draft.state());
    if !ids.contains(&game_id) {
        ids.push(game_id.clone());
        let mut section = draft.state().section(SECTION).as_object().cloned().unwrap_or_default();
        section.insert("parked".to_owned(), json!(ids));
        draft.set_section(SECTION, Value::Object(section));
    }
    draft.set_cause(Cause::Updated(game_id.clone()));
    Ok(Parked { parked: true, game_id, name, progress: progress.to_owned(), code: "parked" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_was_entered_by_hand_was_not_observed() {
        let mut draft = Draft::new(State::default());
        let game = json!({"game_id": "game-1", "name": "A", "genre": "RPG", "playtime_seconds": 1_800,
            "manual_sessions": [{"seconds": 3_600}], "last_played": "2026-01-01T10:00:00"});
        let done = json!({"game_id": "done", "name": "B", "progress": "Beaten", "playtime_seconds": 36_000});
        for record in [game, done] {
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        }
        let now = Moment::parse_utc("2026-11-26T12:00:00").expect("a time");
        let radar = radar(&draft.finish().0, &Plays::default(), &now);
        let entries: Vec<_> = radar.winnable.iter().chain(&radar.park).collect();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].observed_seconds, 1_800);
    }

    /// So many games that were begun and left, the first of the library the longest ago, and one that was beaten.
    fn left(count: usize) -> State {
        let mut draft = Draft::new(State::default());
        let mut add = |record: Value| {
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        };
        for number in 0..count {
            // Five games of each day.
            let (year, day) = (2000 + number / 5 / 28, number / 5 % 28 + 1);
            add(json!({"game_id": format!("game-{number:04}"), "name": "A", "genre": "RPG",
                "playtime_seconds": 3_600, "last_played": format!("{year}-01-{day:02}T10:00:00")}));
        }
        add(
            json!({"game_id": "done", "name": "B", "progress": "Beaten", "playtime_seconds": 36_000}),
        );
        draft.finish().0
    }

    #[test]
    fn a_list_holds_those_that_were_left_the_longest() {
        let now = Moment::parse_utc("2026-11-26T12:00:00").expect("a time");
        for count in [LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 20] {
            let radar = radar(&left(count), &Plays::default(), &now);
            let ids: Vec<&str> =
                radar.winnable.iter().map(|entry| entry.game_id.as_str()).collect();
            let expected: Vec<String> =
                (0..count.min(LONGEST)).map(|number| format!("game-{number:04}")).collect();
            assert_eq!(ids, expected);
            assert_eq!((radar.park.len(), radar.enough_history), (0, true));
            assert_eq!(radar.winnable[0].id, 0);
        }
    }
}
