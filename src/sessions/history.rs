//! The history as lists: newest first, and by day.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::{
    base::clock::Moment,
    config::settings::read,
    model::{game::Game, rows::HistoryRow, state::State},
};

/// Rows of one reply: default and maximum.
pub const ROWS: (usize, usize) = (100, 500);
/// Days of the timeline: default and largest.
pub const DAYS: (i64, i64) = (90, 3_650);

/// The setting that switches the history on.
const TRACKED: &str = "track_session_history";

/// `GET /api/history`: the newest `limit` rows, newest first; `limit` is clamped to 1..500 and is
/// the default when it is no number.
#[must_use]
pub fn list(state: &State, limit: Option<&str>) -> Map<String, Value> {
    let limit = number(limit).map_or(ROWS.0, clamp_rows);
    let rows = state.rows::<HistoryRow>();
    let newest: Vec<_> = rows.iter().rev().take(limit).map(|row| json!(row)).collect();
    object(json!({"history": newest, "enabled": read::flag(state.settings(), TRACKED)}))
}

/// `GET /api/v2/history/timeline`: the sessions of the last `days` days (clamped to 1..3650, the
/// default when it is no number) by local day, newest first. Empty while the history is off.
/// `has_cover` tells whether a game has a cover to show.
#[must_use]
pub fn timeline(
    state: &State,
    days: Option<&str>,
    now: &Moment,
    has_cover: impl Fn(&Game) -> bool,
) -> Map<String, Value> {
    let days = number(days).map_or(DAYS.0, |days| days.clamp(1, DAYS.1));
    let enabled = read::flag(state.settings(), TRACKED);
    let rows = if enabled { state.rows::<HistoryRow>() } else { Vec::new() };
    let since = now.unix_seconds() - days * 86_400;
    let mut sessions: Vec<(Moment, &HistoryRow)> = rows
        .iter()
        .filter_map(|row| Some((Moment::parse(&row.started)?, row)))
        .filter(|(started, _)| started.unix_seconds() >= since)
        .collect();
    sessions.sort_by_key(|(started, _)| std::cmp::Reverse(started.unix_seconds()));
    let names = by_name(state, &sessions);
    // Asked once a game: the answer may come from the disk.
    let mut covers: HashMap<String, bool> = HashMap::new();
    let mut has_cover =
        |game: &Game| *covers.entry(game.id().to_owned()).or_insert_with(|| has_cover(game));
    let mut groups: Vec<(String, Vec<Value>)> = Vec::new();
    for (started, row) in &sessions {
        let game = match row.game_id.as_str() {
            "" => names.get(row.game.as_str()).copied(),
            id => state.games.find(id).map(|(_, game)| game.as_ref()),
        };
        let date = started.local_date();
        if groups.last().is_none_or(|(last, _)| *last != date) {
            groups.push((date, Vec::new()));
        }
        if let Some((_, entries)) = groups.last_mut() {
            entries.push(entry(row, game, &mut has_cover));
        }
    }
    let groups: Vec<_> = groups
        .into_iter()
        .map(|(date, entries)| json!({"date": date, "entries": entries}))
        .collect();
    object(json!({"groups": groups, "days": days, "total": sessions.len(), "enabled": enabled}))
}

/// The stored cover of every game in the history, by stable id; games without one are left out.
#[must_use]
pub fn covers(state: &State) -> HashMap<String, String> {
    let rows = state.rows::<HistoryRow>();
    let sessions: Vec<_> = rows.iter().map(|row| (Moment::from_unix(0), row)).collect();
    let by_id = rows.iter().filter_map(|row| Some(state.games.find(&row.game_id)?.1.as_ref()));
    let played = by_name(state, &sessions).into_values().chain(by_id);
    let cover = |game: &Game| game.record().text("cover").to_owned();
    let covers = played.map(|game| (game.id().to_owned(), cover(game)));
    covers.filter(|(_, cover)| !cover.is_empty()).collect()
}

fn entry(row: &HistoryRow, game: Option<&Game>, has_cover: impl FnMut(&Game) -> bool) -> Value {
    let recording = game.map(|game| game.record().text("video_recording").to_owned());
    let recording = recording.unwrap_or_default();
    json!({
        "game_id": game.map_or(row.game_id.as_str(), Game::id),
        "name": row.game,
        "started": row.started,
        "seconds": row.seconds,
        "has_cover": game.is_some_and(has_cover),
        // Only the base name: no path of this machine goes out.
        "recording": recording.rsplit('/').next().unwrap_or(""),
    })
}

/// The games that rows of old libraries mean, which carry only a name.
fn by_name<'a>(
    state: &'a State,
    sessions: &[(Moment, &'a HistoryRow)],
) -> HashMap<&'a str, &'a Game> {
    let nameless = sessions.iter().filter(|(_, row)| row.game_id.is_empty());
    let wanted: std::collections::HashSet<_> = nameless.map(|(_, row)| row.game.as_str()).collect();
    if wanted.is_empty() {
        return HashMap::new();
    }
    let games = state.games.iter().filter(|game| wanted.contains(game.name()));
    games.map(|game| (game.name(), game.as_ref())).collect()
}

fn number(text: Option<&str>) -> Option<i64> {
    text?.trim().parse().ok()
}

fn clamp_rows(limit: i64) -> usize {
    usize::try_from(limit).unwrap_or(1).clamp(1, ROWS.1)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{draft::Draft, state::State};

    fn state(history: Value, settings: Value) -> State {
        let mut draft = Draft::new(State::default());
        let game = json!({"game_id": "game-1", "name": "A", "video_recording": "/v/clip.mkv"});
        draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        draft.set_section("history", history);
        draft.set_section("settings", settings);
        draft.finish().0
    }

    #[test]
    fn lists_newest_first_within_bounds() {
        let rows: Vec<_> =
            (0..600).map(|at| json!({"game": at.to_string(), "seconds": at})).collect();
        let state = state(json!(rows), json!({}));
        for (limit, count) in [
            (None, 100),
            (Some("0"), 1),
            (Some("-5"), 1),
            (Some("1"), 1),
            (Some("500"), 500),
            (Some("501"), 500),
            (Some("x"), 100),
            (Some(""), 100),
            (Some("99999999999999999999"), 100),
        ] {
            let answer = list(&state, limit);
            let history = answer["history"].as_array().expect("a list");
            assert_eq!((history.len(), &history[0]["game"]), (count, &json!("599")), "{limit:?}");
            assert_eq!(answer["enabled"], true);
        }
    }

    #[test]
    fn rows_of_old_libraries_read_and_the_switch_shows() {
        let rows = json!([{"game": "A", "started": "t", "seconds": 2, "exit_code": [3, "x"]}]);
        let state = state(rows, json!({"track_session_history": false}));
        let answer = list(&state, None);
        assert_eq!(answer["history"][0]["exit_code"], 3);
        assert_eq!(answer["enabled"], false);
        assert_eq!(timeline(&state, None, &Moment::now(), |_| true)["groups"], json!([]));
    }

    #[test]
    fn the_timeline_groups_by_day() {
        let row = |game: &str, id: &str, started: &str| json!({"game": game, "game_id": id, "started": started, "seconds": 5, "exit_code": 0});
        let rows = json!([
            row("Old", "game-9", "2026-01-01T10:00:00"),
            row("A", "", "2026-06-29T23:59:59"),
            row("A", "game-1", "2026-06-30T08:00:00"),
            row("Gone", "game-9", "2026-06-30T09:00:00"),
            row("B", "game-1", "yesterday"),
        ]);
        let now = Moment::parse("2026-06-30T12:00:00").expect("a time");
        let state = state(rows, json!({}));
        let answer = timeline(&state, None, &now, |game| game.id() == "game-1");
        assert_eq!((&answer["total"], &answer["days"]), (&json!(3), &json!(90)));
        let groups = answer["groups"].as_array().expect("a list");
        assert_eq!(
            (&groups[0]["date"], &groups[1]["date"]),
            (&json!("2026-06-30"), &json!("2026-06-29"))
        );
        assert_eq!(
            groups[0]["entries"],
            json!([
                {"game_id": "game-9", "name": "Gone", "started": "2026-06-30T09:00:00", "seconds": 5,
                    "has_cover": false, "recording": ""},
                {"game_id": "game-1", "name": "A", "started": "2026-06-30T08:00:00", "seconds": 5,
                    "has_cover": true, "recording": "clip.mkv"},
            ])
        );
        assert_eq!(groups[1]["entries"][0]["game_id"], "game-1");
        for (days, total) in [("1", 3), ("0", 3), ("3650", 4), ("99999", 4), ("soon", 3)] {
            assert_eq!(timeline(&state, Some(days), &now, |_| false)["total"], total, "{days}");
        }
    }
}
