//! What a member of the household shares: sums of this library over a span of time
//! (`POST /api/v2/household/share`).

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    habits::is_completed,
    mastery::Earned,
    plays::Plays,
    sums::{is_played, playtime},
};
use crate::{
    base::Moment,
    model::{Game, State},
};

/// The largest number that is shared.
const LARGEST: u64 = 2_000_000_000;

/// Sums from `start`, in Unix seconds, until now; of the whole life of the library without a start.
pub(super) fn sums(
    state: &State,
    plays: &Plays,
    earned: &[Earned],
    start: Option<i64>,
    now: &Moment,
) -> Map<String, Value> {
    let counts = match start {
        None => lifetime(state, plays, earned),
        Some(start) => window(state, plays, (start, now.unix_seconds())),
    };
    let [playtime, completions, achievements, games, sessions] = counts;
    let names = ["playtime_seconds", "completions", "ach_count", "games_played", "sessions"];
    let values = [playtime, completions, achievements, games, sessions];
    let shared = |value: u64| Value::from(value.min(LARGEST));
    names.into_iter().map(str::to_owned).zip(values.map(shared)).collect()
}

fn lifetime(state: &State, plays: &Plays, earned: &[Earned]) -> [u64; 5] {
    let games = || state.games.iter().map(AsRef::as_ref);
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let started: u64 = games().map(|game| u64::from(game.play_count())).sum();
    [
        games().map(playtime).fold(0, u64::saturating_add),
        count(games().filter(|game| is_completed(game)).count()),
        earned.iter().map(|earned| earned.earned).fold(0, u64::saturating_add),
        count(games().filter(|game| is_played(game)).count()),
        // Imported games bring a count without sessions.
        started.max(count(plays.list.len())),
    ]
}

fn window(state: &State, plays: &Plays, (start, end): (i64, i64)) -> [u64; 5] {
    let is_inside = |at: i64| (start..=end).contains(&at);
    let of_key = plays.games(state);
    let mut active: HashSet<usize> = HashSet::new();
    let mut keys: HashSet<u32> = HashSet::new();
    let (mut seconds, mut sessions) = (0_u64, 0_u64);
    for play in plays.list.iter().filter(|play| play.utc.is_some_and(is_inside)) {
        seconds = seconds.saturating_add(play.seconds);
        sessions += 1;
        keys.insert(play.key);
        active.extend(of_key[play.key as usize].map(|(position, _)| position));
    }
    let mut games = keys.len() as u64;
    let recorded: HashSet<usize> = of_key.iter().flatten().map(|(position, _)| *position).collect();
    let mut completions = 0_u64;
    for (position, game) in state.games.iter().map(AsRef::as_ref).enumerate() {
        // A game that was played without a recorded session, on another machine for example.
        if !recorded.contains(&position) && instant(game.last_played()).is_some_and(is_inside) {
            seconds = seconds.saturating_add(playtime(game));
            games += 1;
            active.insert(position);
        }
        let is_counted = active.contains(&position) || completed_at(game).is_some_and(is_inside);
        completions += u64::from(is_counted && is_completed(game));
    }
    [seconds, completions, 0, games, sessions]
}

fn instant(text: &str) -> Option<i64> {
    Moment::unix_utc(text)
}

fn completed_at(game: &Game) -> Option<i64> {
    // A check of the text avoids parsing records without the field.
    let is_there = game.json().contains("\"completed_at\"");
    is_there.then(|| instant(game.record().text("completed_at")))?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{Draft, Record, Row as _, rows::HistoryRow};

    #[test]
    fn a_span_counts_what_lies_in_it() {
        let mut draft = Draft::new(State::default());
        for game in [
            json!({"game_id": "a", "playtime_seconds": 5_000, "play_count": 9, "progress": "Beaten"}),
            json!({"game_id": "b", "playtime_seconds": 700, "last_played": "2026-02-18T01:00:00"}),
            json!({"game_id": "c", "progress": "Completed", "completed_at": "2026-02-18T02:00:00"}),
            json!({"game_id": "d", "progress": "Mastered"}),
        ] {
            let record: Record = serde_json::from_value(game).expect("an object");
            draft.add_game(record).expect("added");
        }
        let state = draft.finish().0;
        let rows = json!([
            {"game": "A", "game_id": "a", "started": "2026-02-17T23:59:59Z", "seconds": 100},
            {"game": "A", "game_id": "a", "started": "2026-02-18T00:00:00Z", "seconds": 60},
            {"game": "Gone", "game_id": "gone", "started": "2026-02-18T10:00:00Z", "seconds": 40},
        ]);
        assert_eq!(HistoryRow::SECTION, "history");
        let rows: Vec<HistoryRow> = serde_json::from_value(rows).expect("rows");
        let mut plays = Plays::default();
        for row in &rows {
            plays.add(row);
        }
        let now = Moment::parse_utc("2026-02-18T15:00:00").expect("a time");
        let start = Moment::parse_utc("2026-02-18T00:00:00").map(|start| start.unix_seconds());
        let bounded = sums(&state, &plays, &[], start, &now);
        let expected = json!({"playtime_seconds": 800, "completions": 2, "ach_count": 0,
            "games_played": 3, "sessions": 2});
        assert_eq!(Value::Object(bounded), expected);
        let earned = Earned { earned: 12, ..Earned::default() };
        let all = sums(&state, &plays, &[earned], None, &now);
        let expected = json!({"playtime_seconds": 5_700, "completions": 3, "ach_count": 12,
            "games_played": 2, "sessions": 9});
        assert_eq!(Value::Object(all), expected);
    }
}
