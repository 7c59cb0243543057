//! The history as lists: newest first, and by day.

use std::collections::HashMap;

use crate::{
    base::{Moment, schema::schema},
    config::settings::read,
    files::DiskError,
    history::archive::{self, Archive},
    model::{Game, State, rows::HistoryRow},
};

/// Rows of `GET /api/history`: default and largest.
pub const ROWS: (i64, i64) = (100, 500);
/// Days of the timeline: default and largest.
pub const DAYS: (i64, i64) = (90, 3_650);
/// Sessions in one answer of the timeline at most; the newest ones.
const TIMELINE: usize = 10_000;

/// The setting that switches the history on.
const TRACKED: &str = "track_session_history";

schema! {
    /// `GET /api/history`.
    #[derive(Clone, Debug)]
    pub struct History {
        /// Sessions, newest first.
        pub history: Vec<HistoryRow>,
        /// Whether sessions are recorded.
        pub enabled: bool,
        /// All recorded sessions, of the game when one is named.
        pub total: u64,
        /// Their seconds of play.
        pub total_seconds: u64,
    }
}

/// `GET /api/history`: the newest `limit` rows, newest first; those of one game when its id is given.
///
/// # Errors
/// When the archive cannot be read.
pub fn list(
    state: &State,
    archive: &Archive,
    limit: usize,
    game_id: Option<&str>,
) -> Result<History, DiskError> {
    let keys = game_id.map(|id| keys_of(state, id));
    let is_wanted = |row: &HistoryRow| {
        keys.as_ref().is_none_or(|keys| keys.iter().any(|key| *key == archive::key(row)))
    };
    let history = archive.newest(state, limit, is_wanted)?;
    let totals = archive.totals(state, keys.as_deref())?;
    Ok(History {
        history,
        enabled: read::flag(state.settings(), TRACKED),
        total: totals.sessions,
        total_seconds: totals.seconds,
    })
}

/// What names a game in rows: its id, its former ids, and its name in rows of old libraries.
fn keys_of(state: &State, game_id: &str) -> Vec<String> {
    let Some((_, game)) = state.games.find(game_id) else { return vec![game_id.to_owned()] };
    let ids = std::iter::once(game.id()).chain(game.legacy_ids()).map(str::to_owned);
    ids.chain([format!("name:{}", game.name())]).collect()
}

schema! {
    /// `GET /api/v2/history/timeline`.
    #[derive(Clone, Debug)]
    pub struct Timeline {
        /// Days with sessions, the latest first.
        pub groups: Vec<TimelineDay>,
        /// How far back it goes.
        pub days: i64,
        /// Sessions in it.
        pub total: usize,
        /// Whether sessions are recorded.
        pub enabled: bool,
    }

    /// The sessions of one local day.
    #[derive(Clone, Debug)]
    pub struct TimelineDay {
        /// `YYYY-MM-DD`.
        pub date: String,
        /// Newest first.
        pub entries: Vec<TimelineEntry>,
    }

    /// One session.
    #[derive(Clone, Debug)]
    pub struct TimelineEntry {
        /// Stable id of the game; empty in rows of old libraries whose game is gone.
        pub game_id: String,
        /// Name of the game when it was played.
        pub name: String,
        /// Local time of the start.
        pub started: String,
        /// Seconds of play.
        pub seconds: u64,
        /// Exit code of the process; `-n` when a signal `n` ended it.
        pub exit_code: i64,
        /// Whether the game has a cover to show.
        pub has_cover: bool,
        /// Name of the file of the recording, without its folder; empty without one.
        pub recording: String,
    }
}

/// The rows of the last `days` days, for [`timeline`]; none while the history is off.
///
/// # Errors
/// When the archive cannot be read.
pub fn recent(
    state: &State,
    archive: &Archive,
    days: i64,
    now: &Moment,
) -> Result<Vec<HistoryRow>, DiskError> {
    let enabled = read::flag(state.settings(), TRACKED);
    if enabled { archive.since(state, now.unix_seconds() - days * 86_400) } else { Ok(Vec::new()) }
}

/// `GET /api/v2/history/timeline`: the rows of the last `days` days by local day, newest first, at
/// most 10,000. `has_cover` returns whether a game has a cover to show.
pub fn timeline(
    state: &State,
    rows: &[HistoryRow],
    days: i64,
    has_cover: impl Fn(&Game) -> bool,
) -> Timeline {
    let enabled = read::flag(state.settings(), TRACKED);
    let mut sessions: Vec<(Moment, &HistoryRow)> =
        rows.iter().filter_map(|row| Some((Moment::parse(&row.started)?, row))).collect();
    let total = sessions.len();
    sessions.sort_by_key(|(started, _)| std::cmp::Reverse(started.unix_seconds()));
    sessions.truncate(TIMELINE);
    let names = by_name(state, sessions.iter().map(|(_, row)| *row));
    // Asked once a game: the answer may come from the disk.
    let mut covers: HashMap<String, bool> = HashMap::new();
    let mut has_cover =
        |game: &Game| *covers.entry(game.id().to_owned()).or_insert_with(|| has_cover(game));
    let mut groups: Vec<TimelineDay> = Vec::new();
    for (started, row) in &sessions {
        let game = meant(state, row, &names);
        let date = started.local_date();
        if groups.last().is_none_or(|last| last.date != date) {
            groups.push(TimelineDay { date, entries: Vec::new() });
        }
        if let Some(day) = groups.last_mut() {
            day.entries.push(entry(row, game, &mut has_cover));
        }
    }
    Timeline { groups, days, total, enabled }
}

/// The stored cover of every game in these rows, by stable id; games without one are left out.
pub fn covers(state: &State, rows: &[HistoryRow]) -> HashMap<String, String> {
    let by_id = rows.iter().filter_map(|row| Some(state.games.find(&row.game_id)?.1.as_ref()));
    let played = by_name(state, rows).into_values().chain(by_id);
    let cover = |game: &Game| game.record().text("cover").to_owned();
    let covers = played.map(|game| (game.id().to_owned(), cover(game)));
    covers.filter(|(_, cover)| !cover.is_empty()).collect()
}

fn entry(
    row: &HistoryRow,
    game: Option<&Game>,
    has_cover: impl FnMut(&Game) -> bool,
) -> TimelineEntry {
    let own =
        row.more.get("recording").and_then(|path| path.as_str()).filter(|path| !path.is_empty());
    let newest = || game.map(|game| game.record().text("video_recording").to_owned());
    let recording = own.map(str::to_owned).or_else(newest).unwrap_or_default();
    TimelineEntry {
        game_id: game.map_or(row.game_id.as_str(), Game::id).to_owned(),
        name: row.game.clone(),
        started: row.started.clone(),
        seconds: row.seconds,
        exit_code: row.exit_code,
        has_cover: game.is_some_and(has_cover),
        // Only the base name: no path of this machine goes out.
        recording: recording.rsplit('/').next().unwrap_or("").to_owned(),
    }
}

/// The game that was played in a session.
pub fn game_of<'a>(state: &'a State, row: &'a HistoryRow) -> Option<&'a Game> {
    meant(state, row, &by_name(state, [row]))
}

/// The game of a row: by its id, or by its name in one of an old library.
fn meant<'a>(
    state: &'a State,
    row: &HistoryRow,
    names: &HashMap<&str, &'a Game>,
) -> Option<&'a Game> {
    match row.game_id.as_str() {
        "" => names.get(row.game.as_str()).copied(),
        id => state.games.find(id).map(|(_, game)| game.as_ref()),
    }
}

/// The games that rows of old libraries mean, which carry only a name.
fn by_name<'a>(
    state: &'a State,
    rows: impl IntoIterator<Item = &'a HistoryRow>,
) -> HashMap<&'a str, &'a Game> {
    let unknown = rows.into_iter().filter(|row| row.game_id.is_empty());
    let wanted: std::collections::HashSet<_> = unknown.map(|row| row.game.as_str()).collect();
    if wanted.is_empty() {
        return HashMap::new();
    }
    let games = state.games.iter().filter(|game| wanted.contains(game.name()));
    let mut found = HashMap::new();
    for game in games {
        // Of several the first one, as everywhere a session is known by a name alone.
        found.entry(game.name()).or_insert(game.as_ref());
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        files::Files,
        model::{Draft, State},
    };

    fn state(history: Value, settings: Value) -> State {
        let mut draft = Draft::new(State::default());
        let game = json!({"game_id": "game-1", "name": "A", "video_recording": "/v/clip.mkv"});
        draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        draft.set_section("history", history);
        draft.set_section("settings", settings);
        draft.finish().0
    }

    fn nothing_archived() -> Archive {
        Archive::new(Files::system(), "/nowhere/history.archive".into())
    }

    #[test]
    fn a_session_shows_its_own_recording() {
        let row = |more: Value| {
            let mut row = json!({"game": "A", "game_id": "game-1", "seconds": 5});
            row.as_object_mut().expect("an object").extend(more.as_object().expect("more").clone());
            serde_json::from_value::<HistoryRow>(row).expect("a row")
        };
        let state = state(json!([]), json!({}));
        let (_, game) = state.games.find("game-1").expect("there");
        let shown = |more| entry(&row(more), Some(game), |_| false).recording;
        assert_eq!(shown(json!({"recording": "/x/y/rec.mkv"})), "rec.mkv");
        assert_eq!(shown(json!({"recording": ""})), "clip.mkv");
        assert_eq!(shown(json!({})), "clip.mkv");
    }

    #[test]
    fn the_rows_of_a_game_are_those_with_its_id_a_former_one_or_its_name() {
        let row = |game: &str, id: &str| json!({"game": game, "game_id": id, "seconds": 5});
        let rows = json!([row("A", "game-1"), row("A", ""), row("B", "old-1"), row("B", "game-2")]);
        let mut draft = Draft::new(State::default());
        let game = json!({"game_id": "game-1", "name": "A", "legacy_game_ids": ["old-1"]});
        draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        draft.set_section("history", rows);
        let state = draft.finish().0;
        for (id, total) in [("game-1", 3), ("old-1", 3), ("game-2", 1), ("game-9", 0)] {
            let answer = list(&state, &nothing_archived(), 500, Some(id)).expect("read");
            assert_eq!((answer.history.len(), answer.total), (total, total as u64), "{id}");
            assert_eq!(answer.total_seconds, 5 * total as u64);
        }
    }

    #[test]
    fn a_row_without_an_id_means_the_first_game_of_its_name() {
        let mut draft = Draft::new(State::default());
        for id in ["game-1", "game-2"] {
            let game = json!({"game_id": id, "name": "A"});
            draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        }
        let state = draft.finish().0;
        let row: HistoryRow = serde_json::from_value(json!({"game": "A"})).expect("a row");
        let found = meant(&state, &row, &by_name(&state, [&row])).expect("a game");
        assert_eq!(found.id(), "game-1");
    }

    #[test]
    fn lists_newest_first() {
        let rows: Vec<_> =
            (0..600).map(|at| json!({"game": at.to_string(), "seconds": at})).collect();
        let state = state(json!(rows), json!({}));
        for limit in [1, 500] {
            let answer = list(&state, &nothing_archived(), limit, None).expect("read");
            let newest = answer.history[0].game.as_str();
            assert_eq!((answer.history.len(), newest, answer.enabled), (limit, "599", true));
        }
    }

    #[test]
    fn rows_of_old_libraries_read_and_the_switch_shows() {
        let rows = json!([{"game": "A", "started": "t", "seconds": 2, "exit_code": [3, "x"]}]);
        let state = state(rows, json!({"track_session_history": false}));
        let answer = list(&state, &nothing_archived(), 100, None).expect("read");
        assert_eq!((answer.history[0].exit_code, answer.enabled), (3, false));
        assert!(recent(&state, &nothing_archived(), 90, &Moment::now()).expect("read").is_empty());
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
        let within = |days| recent(&state, &nothing_archived(), days, &now).expect("read");
        let answer = timeline(&state, &within(90), 90, |game| game.id() == "game-1");
        assert_eq!((answer.total, answer.days), (3, 90));
        let dates: Vec<&str> = answer.groups.iter().map(|day| day.date.as_str()).collect();
        assert_eq!(dates, ["2026-06-30", "2026-06-29"]);
        assert_eq!(
            json!(answer.groups[0].entries),
            json!([
                {"game_id": "game-9", "name": "Gone", "started": "2026-06-30T09:00:00", "seconds": 5,
                    "exit_code": 0, "has_cover": false, "recording": ""},
                {"game_id": "game-1", "name": "A", "started": "2026-06-30T08:00:00", "seconds": 5,
                    "exit_code": 0, "has_cover": true, "recording": "clip.mkv"},
            ])
        );
        assert_eq!(answer.groups[1].entries[0].game_id, "game-1");
        for (days, total) in [(1, 3), (3_650, 4)] {
            assert_eq!(timeline(&state, &within(days), days, |_| false).total, total, "{days}");
        }
    }
}
