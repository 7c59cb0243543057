//! The entries of a session in the state: when it starts, while it runs, when it ends.
//!
//! Every entry goes to the game with the session's stable id and to no other, also when it is in the trash:
//! when that game is gone, only the history remembers the session. The row of a running session carries its playtime
//! so far; turning it into history removes the row, or marks it as abandoned, in the same
//! commit, so no second of play is credited twice.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    base::Moment,
    config::settings::read,
    game::trash,
    launch::error::GameVanished,
    model::{ActiveSession, Draft, Game, Record, Row, rows::HistoryRow},
    sessions::events::Milestone,
};

/// Status of a row that was written before its game was started: whether there is a process is
/// found out by the mark it carries.
pub const STARTING: &str = "starting";
/// Status of a row whose game runs, as far as we know.
pub const ACTIVE: &str = "active";
/// Status of a row whose game was gone at the next start; its playtime is credited.
pub const ABANDONED: &str = "abandoned";

/// The most due archives.
const OWED: usize = 200;
/// Seconds of an hour.
const HOUR: u64 = 3_600;

/// The key that marks a history row whose end the service did not see.
pub const INTERRUPTED: &str = "interrupted";

/// How a session ended, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Id of the launch.
    pub launch_id: String,
    /// Stable id of the game.
    pub game_id: String,
    /// Name of the game when it was started.
    pub name: String,
    /// Local time of the start.
    pub started: String,
    /// Seconds of play; written as at least 1.
    pub seconds: u64,
    /// Exit code, 0 when unknown.
    pub exit_code: i64,
    /// The end was not seen: the seconds are those of the last checkpoint.
    pub interrupted: bool,
}

/// An archive of the saves of a game that its session ended with, for which no job was accepted yet. It is
/// written with the end, so that neither a kill nor a full disk in between loses the archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwedArchive {
    /// The game.
    pub game_id: String,
    /// The launch.
    pub launch_id: String,
    /// Everything else the row carries.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Row for OwedArchive {
    const SECTION: &'static str = "owed_save_archives";
}

/// Whether a game has save paths, without which no archive of it is due.
pub fn can_owe(game: &Game) -> bool {
    game.record().texts("save_paths").next().is_some()
}

/// Takes the rows of archives away that jobs make now.
pub fn settle_archives(draft: &mut Draft, launch_ids: &[String]) {
    let mut rows = draft.state().rows::<OwedArchive>();
    rows.retain(|row| !launch_ids.contains(&row.launch_id));
    draft.set_rows(&rows);
}

/// Writes that a game is about to be started, so that a crash in the next moments loses neither the
/// game nor the power limit that is set for it.
pub fn record_intent(draft: &mut Draft, session: &ActiveSession) -> Result<(), GameVanished> {
    draft.state().games.find(&session.game_id).ok_or(GameVanished)?;
    put_row(draft, session);
    Ok(())
}

/// Writes the start of a session: the game's statistics and the row of the running session, which
/// takes the place of its intent.
pub fn record_start(
    draft: &mut Draft,
    session: &ActiveSession,
    now: &Moment,
) -> Result<(), GameVanished> {
    let first_play = read::text(draft.state().settings(), "progress_on_first_play");
    let edited = draft.edit_game(&session.game_id, |game| {
        game.set("last_played", now.local_iso());
        game.set("play_count", game.count("play_count").saturating_add(1));
        if game.text("progress").is_empty() && !first_play.is_empty() {
            game.set("progress", first_play);
        }
    });
    edited.map_err(|_| GameVanished)?;
    put_row(draft, session);
    Ok(())
}

/// Writes the playtime so far and whatever else changed into the row of a running session. A row
/// that is gone stays gone.
pub fn record_progress(draft: &mut Draft, session: &ActiveSession) {
    let mut rows = rows(draft);
    if let Some(row) = rows.iter_mut().find(|row| is_launch(row, &session.launch_id)) {
        *row = to_value(session);
        draft.set_section(ActiveSession::SECTION, Value::Array(rows));
    }
}

/// Writes the end of a session: playtime, progress, history; its row goes. Returns the whole hours
/// the game was played when there is one more of them.
pub fn record_end(draft: &mut Draft, ending: &Ending, now: &Moment) -> Option<Milestone> {
    let milestone = credit(draft, ending, now);
    forget(draft, &ending.launch_id);
    let game = draft.state().games.find(&ending.game_id).map(|(_, game)| game);
    if read::flag(draft.state().settings(), "backup_on_close")
        && game.is_some_and(|game| can_owe(game))
    {
        let mut owed = draft.state().rows::<OwedArchive>();
        let (game_id, launch_id) = (ending.game_id.clone(), ending.launch_id.clone());
        owed.push(OwedArchive { game_id, launch_id, ..OwedArchive::default() });
        let old = owed.len().saturating_sub(OWED);
        owed.drain(..old);
        draft.set_rows(&owed);
    }
    milestone
}

/// Writes the unseen end of a session. Its row stays, as abandoned, until it is cleaned up.
pub fn record_abandoned(draft: &mut Draft, ending: &Ending, now: &Moment) {
    credit(draft, ending, now);
    let mut rows = rows(draft);
    for row in rows.iter_mut().filter(|row| is_launch(row, &ending.launch_id)) {
        row["status"] = ABANDONED.into();
    }
    draft.set_section(ActiveSession::SECTION, Value::Array(rows));
}

/// Removes the row of a launch; a missing row is not an error.
pub fn forget(draft: &mut Draft, launch_id: &str) {
    let mut rows = rows(draft);
    rows.retain(|row| !is_launch(row, launch_id));
    draft.set_section(ActiveSession::SECTION, Value::Array(rows));
}

fn credit(draft: &mut Draft, ending: &Ending, now: &Moment) -> Option<Milestone> {
    let seconds = ending.seconds.max(1);
    let settings = draft.state().settings().clone();
    let add = |game: &mut Record| {
        let before = game.count("playtime_seconds");
        let playtime_seconds = before.saturating_add(seconds);
        game.set("playtime_seconds", playtime_seconds);
        automate_progress(game, &settings, now);
        let hours = playtime_seconds / HOUR;
        let (game_id, name) = (ending.game_id.clone(), game.text("name").to_owned());
        let milestone = Milestone { game_id, name, hours, playtime_seconds };
        (hours > before / HOUR).then_some(milestone)
    };
    let milestone = if draft.state().games.find(&ending.game_id).is_some() {
        draft.edit_game(&ending.game_id, add).ok().flatten()
    } else {
        // Hours of a game that is not in the library are not reported.
        trash::edit_record(draft, &ending.game_id, add);
        None
    };
    if read::flag(&settings, "track_session_history") {
        let mut row = HistoryRow {
            game: ending.name.clone(),
            game_id: ending.game_id.clone(),
            started: ending.started.clone(),
            seconds,
            exit_code: ending.exit_code,
            more: Map::new(),
        };
        if ending.interrupted {
            row.more.insert(INTERRUPTED.to_owned(), true.into());
        }
        let stored = draft.state().section(HistoryRow::SECTION).as_array();
        let mut list = stored.cloned().unwrap_or_default();
        list.push(serde_json::to_value(&row).unwrap_or_default());
        draft.set_section(HistoryRow::SECTION, Value::Array(list));
    }
    // A session outlives its game: then the history row is all there is to write.
    milestone
}

/// Moves the progress of a game by how much and how recently it was played, when that is wanted.
fn automate_progress(game: &mut Record, settings: &Map<String, Value>, now: &Moment) {
    if !read::flag(settings, "progress_automation_enabled") {
        return;
    }
    let setting = |key| u64::try_from(read::integer(settings, key)).unwrap_or(0);
    let minutes = setting("progress_automation_play_minutes");
    let played = game.count("playtime_seconds") >= minutes.saturating_mul(60);
    if minutes > 0 && played && matches!(game.text("progress"), "" | "Paused") {
        game.set("progress", "Playing");
    }
    let idle_days = setting("progress_automation_idle_days");
    let idle = Moment::parse(game.text("last_played")).map_or(0, |last| {
        u64::try_from(now.unix_seconds() - last.unix_seconds()).unwrap_or(0) / 86_400
    });
    if idle_days > 0 && idle >= idle_days && game.text("progress") == "Playing" {
        game.set("progress", "Paused");
    }
}

/// The stored rows as they are, also those this version cannot read.
fn rows(draft: &Draft) -> Vec<Value> {
    draft.state().list(ActiveSession::SECTION)
}

/// Puts a row in the place of the one with the same launch, or at the end.
fn put_row(draft: &mut Draft, session: &ActiveSession) {
    let mut rows = rows(draft);
    match rows.iter_mut().find(|row| is_launch(row, &session.launch_id)) {
        Some(row) => *row = to_value(session),
        None => rows.push(to_value(session)),
    }
    draft.set_section(ActiveSession::SECTION, Value::Array(rows));
}

fn is_launch(row: &Value, launch_id: &str) -> bool {
    row.as_object()
        .is_some_and(|row| row.get("launch_id").and_then(Value::as_str).unwrap_or("") == launch_id)
}

fn to_value(session: &ActiveSession) -> Value {
    // OK because a row is a plain struct with text keys.
    serde_json::to_value(session).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{game::reference::GameRef, model::State};

    fn draft(game: Value, settings: Value) -> (Draft, String) {
        let mut draft = Draft::new(State::default());
        let id = draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        draft.set_section("settings", settings);
        (draft, id)
    }

    fn session(game_id: &str) -> ActiveSession {
        ActiveSession {
            game_id: game_id.to_owned(),
            launch_id: "launch".to_owned(),
            status: ACTIVE.to_owned(),
            name: "A".to_owned(),
            ..ActiveSession::default()
        }
    }

    fn ending(game_id: &str, seconds: u64) -> Ending {
        Ending {
            launch_id: "launch".to_owned(),
            game_id: game_id.to_owned(),
            name: "A".to_owned(),
            started: "2026-01-01T00:00:00".to_owned(),
            seconds,
            exit_code: 0,
            interrupted: false,
        }
    }

    fn record(draft: &Draft, id: &str) -> Record {
        draft.state().games.find(id).expect("there").1.record()
    }

    #[test]
    fn rows_that_are_none_are_left_as_they_are() {
        let now = Moment::from_unix(1_700_000_000);
        let (mut draft, id) = draft(json!({"name": "A"}), json!({}));
        let rows = json!([{"game_id": id}, 5, "x", null]);
        draft.set_section(ActiveSession::SECTION, rows);
        record_abandoned(&mut draft, &Ending { launch_id: String::new(), ..ending(&id, 5) }, &now);
        let expected = json!([{"game_id": id, "status": ABANDONED}, 5, "x", null]);
        assert_eq!(*draft.state().section(ActiveSession::SECTION), expected);
    }

    #[test]
    fn an_end_notes_the_archive_that_is_owed_where_one_is_wanted_and_can_be_made() {
        let now = Moment::from_unix(1_700_000_000);
        let owed = |draft: &Draft| draft.state().rows::<OwedArchive>();
        for (wanted, paths, count) in [
            (false, json!(["/saves"]), 0),
            (true, json!(["/saves"]), 1),
            (true, json!([]), 0),
            (true, json!(null), 0),
        ] {
            let (mut draft, id) = draft(
                json!({"name": "A", "save_paths": paths}),
                json!({"backup_on_close": wanted}),
            );
            record_end(&mut draft, &ending(&id, 5), &now);
            assert_eq!(owed(&draft).len(), count);
            settle_archives(&mut draft, &["other".to_owned()]);
            assert_eq!(owed(&draft).len(), count);
            settle_archives(&mut draft, &["launch".to_owned()]);
            assert_eq!(owed(&draft), []);
        }
    }

    #[test]
    fn of_too_many_owed_archives_the_newest_stay() {
        let now = Moment::from_unix(1_700_000_000);
        let game = json!({"name": "A", "save_paths": ["/saves"]});
        let (mut draft, id) = draft(game, json!({"backup_on_close": true}));
        for (ends, first) in [(OWED, 0), (1, 1)] {
            for _ in 0..ends {
                let number = draft
                    .state()
                    .rows::<OwedArchive>()
                    .last()
                    .map_or(0, |row| row.launch_id.parse::<usize>().expect("a number") + 1);
                let launch_id = number.to_string();
                record_end(&mut draft, &Ending { launch_id, ..ending(&id, 5) }, &now);
            }
            let rows = draft.state().rows::<OwedArchive>();
            assert_eq!((rows.len(), &*rows[0].launch_id), (OWED, &*first.to_string()));
        }
    }

    #[test]
    fn an_end_after_the_game_is_gone_owes_nothing() {
        let (mut draft, _) = draft(json!({"name": "A"}), json!({"backup_on_close": true}));
        record_end(&mut draft, &ending("game-gone", 5), &Moment::from_unix(1_700_000_000));
        assert_eq!(draft.state().rows::<OwedArchive>(), []);
    }

    #[test]
    fn a_start_counts_and_leaves_a_row() {
        let now = Moment::from_unix(1_700_000_000);
        for (before, setting, after) in [
            ("", json!(null), "Playing"),
            ("", json!("Paused"), "Paused"),
            ("Beaten", json!(null), "Beaten"),
        ] {
            let settings = if setting.is_null() {
                json!({})
            } else {
                json!({"progress_on_first_play": setting})
            };
            let (mut draft, id) = draft(json!({"name": "A", "progress": before}), settings);
            record_start(&mut draft, &session(&id), &now).expect("there");
            let game = record(&draft, &id);
            assert_eq!((game.text("progress"), game.count("play_count")), (after, 1));
            assert_eq!(game.text("last_played"), "2023-11-14T22:13:20");
            assert_eq!(draft.state().rows::<ActiveSession>(), [session(&id)]);
        }
        let (mut draft, _) = draft(json!({"name": "A"}), json!({}));
        assert_eq!(record_start(&mut draft, &session("game-gone"), &now), Err(GameVanished));
        assert!(draft.state().rows::<ActiveSession>().is_empty());
    }

    #[test]
    fn an_end_credits_once_and_takes_the_row() {
        let now = Moment::from_unix(1_700_000_000);
        let (mut draft, id) = draft(json!({"name": "A", "playtime_seconds": 10}), json!({}));
        record_start(&mut draft, &session(&id), &now).expect("there");
        let progress = ActiveSession { seconds: 5, ..session(&id) };
        record_progress(&mut draft, &progress);
        assert_eq!(draft.state().rows::<ActiveSession>(), std::slice::from_ref(&progress));
        record_end(&mut draft, &ending(&id, 0), &now);
        assert_eq!(record(&draft, &id).count("playtime_seconds"), 11);
        assert!(draft.state().rows::<ActiveSession>().is_empty());
        let history = draft.state().rows::<HistoryRow>();
        assert_eq!((history.len(), history[0].seconds, &history[0].game_id), (1, 1, &id));
        record_progress(&mut draft, &progress);
        assert!(
            draft.state().rows::<ActiveSession>().is_empty(),
            "a late checkpoint revives nothing"
        );
    }

    #[test]
    fn an_intent_becomes_the_row_or_nothing() {
        let now = Moment::from_unix(1_700_000_000);
        let (mut draft, id) = draft(json!({"name": "A"}), json!({}));
        let intent = ActiveSession { status: STARTING.to_owned(), ..session(&id) };
        record_intent(&mut draft, &intent).expect("there");
        assert_eq!(draft.state().rows::<ActiveSession>(), std::slice::from_ref(&intent));
        assert_eq!(record(&draft, &id).count("play_count"), 0);
        record_start(&mut draft, &session(&id), &now).expect("there");
        assert_eq!(draft.state().rows::<ActiveSession>(), [session(&id)]);
        draft.remove_games(&[&id]);
        assert_eq!(record_intent(&mut draft, &intent), Err(GameVanished));
    }

    #[test]
    fn a_whole_hour_more_is_a_milestone() {
        let now = Moment::from_unix(1_700_000_000);
        for (before, seconds, hours) in [
            (0, 3_599, None),
            (0, 3_600, Some(1)),
            (3_599, 0, Some(1)),
            (3_600, 3_599, None),
            (7_000, 7_400, Some(4)),
        ] {
            let (mut draft, id) =
                draft(json!({"name": "A", "playtime_seconds": before}), json!({}));
            let milestone = record_end(&mut draft, &ending(&id, seconds), &now);
            assert_eq!(milestone.as_ref().map(|milestone| milestone.hours), hours);
            if let Some(milestone) = milestone {
                let total = before + seconds.max(1);
                assert_eq!(
                    milestone.to_json(),
                    json!({"game_id": id, "name": "A", "hours": hours, "playtime_seconds": total})
                );
            }
        }
        let (mut draft, _) = draft(json!({"name": "A"}), json!({}));
        assert_eq!(record_end(&mut draft, &ending("game-gone", 9_999), &now), None);
    }

    #[test]
    fn a_removed_game_leaves_history_and_the_neighbour_alone() {
        let now = Moment::from_unix(1_700_000_000);
        let (mut draft, id) = draft(json!({"name": "A"}), json!({}));
        let other: Record =
            serde_json::from_value(json!({"name": "B", "path": "/b"})).expect("object");
        let neighbour = draft.add_game(other).expect("added");
        record_start(&mut draft, &session(&id), &now).expect("there");
        draft.remove_games(&[&id]);
        record_end(&mut draft, &ending(&id, 60), &now);
        assert_eq!(record(&draft, &neighbour).count("playtime_seconds"), 0);
        assert_eq!(draft.state().rows::<HistoryRow>()[0].game, "A");
    }

    #[test]
    fn a_game_in_the_trash_is_credited() {
        let now = Moment::from_unix(1_700_000_000);
        let game = json!({"name": "A", "playtime_seconds": 10});
        let (mut draft, id) = draft(
            game,
            json!({"progress_automation_enabled": true,
            "progress_automation_play_minutes": 1}),
        );
        record_start(&mut draft, &session(&id), &now).expect("there");
        let entry = trash::put(&mut draft, &GameRef::Id(id.clone()), &now).expect("there");
        assert_eq!(record_end(&mut draft, &ending(&id, 3_600), &now), None);
        assert!(draft.state().games.is_empty());
        assert_eq!(draft.state().rows::<HistoryRow>()[0].seconds, 3_600);
        trash::restore(&mut draft, &entry.trash_id, &now).expect("there");
        let record = record(&draft, &id);
        assert_eq!(record.count("playtime_seconds"), 3_610);
        assert_eq!((record.count("play_count"), record.text("progress")), (1, "Playing"));
    }

    #[test]
    fn an_unseen_end_is_credited_with_the_status_of_its_row() {
        let now = Moment::from_unix(1_700_000_000);
        let (mut draft, id) = draft(json!({"name": "A"}), json!({}));
        record_start(&mut draft, &session(&id), &now).expect("there");
        record_abandoned(&mut draft, &Ending { interrupted: true, ..ending(&id, 120) }, &now);
        assert_eq!(record(&draft, &id).count("playtime_seconds"), 120);
        assert_eq!(draft.state().rows::<ActiveSession>()[0].status, ABANDONED);
        assert_eq!(draft.state().rows::<HistoryRow>()[0].more[INTERRUPTED], true);
        forget(&mut draft, "other");
        assert_eq!(draft.state().rows::<ActiveSession>().len(), 1);
        forget(&mut draft, "launch");
        assert!(draft.state().rows::<ActiveSession>().is_empty());
    }

    #[test]
    fn a_row_without_a_launch_is_abandoned_like_any_other() {
        let now = Moment::from_unix(1_700_000_000);
        let (mut draft, id) = draft(json!({"name": "A"}), json!({}));
        draft.set_section("active_sessions", json!([{"game_id": id, "status": "active"}]));
        let unnamed = Ending { launch_id: String::new(), ..ending(&id, 5) };
        record_abandoned(&mut draft, &unnamed, &now);
        assert_eq!(draft.state().rows::<ActiveSession>()[0].status, ABANDONED);
    }

    #[test]
    fn history_keeps_every_session_and_can_be_off() {
        let now = Moment::from_unix(1_700_000_000);
        let (mut draft, id) = draft(json!({"name": "A"}), json!({}));
        let old: Vec<_> = (0..500).map(|at| json!({"game": at.to_string()})).collect();
        draft.set_section("history", json!(old));
        record_end(&mut draft, &ending(&id, 5), &now);
        let rows = draft.state().rows::<HistoryRow>();
        assert_eq!((rows.len(), &*rows[0].game, &*rows[500].game), (501, "0", "A"));
        draft.set_section("settings", json!({"track_session_history": false}));
        record_end(&mut draft, &ending(&id, 5), &now);
        assert_eq!(draft.state().rows::<HistoryRow>(), rows);
        assert_eq!(record(&draft, &id).count("playtime_seconds"), 10);
    }

    #[test]
    fn progress_follows_play_and_idleness() {
        let now = Moment::parse("2026-06-30T12:00:00").expect("a time");
        let on = |minutes: u64, days: u64| {
            json!({"progress_automation_enabled": true,
            "progress_automation_play_minutes": minutes, "progress_automation_idle_days": days})
        };
        for (progress, last, settings, after) in [
            ("", "2026-06-30T11:00:00", on(1, 30), "Playing"),
            ("", "2026-06-30T11:00:00", on(2, 30), ""),
            ("", "2026-06-30T11:00:00", on(0, 30), ""),
            ("Paused", "2026-06-30T11:00:00", on(1, 30), "Playing"),
            ("Beaten", "2026-06-30T11:00:00", on(1, 30), "Beaten"),
            ("Playing", "2026-05-31T12:00:00", on(0, 30), "Paused"),
            ("Playing", "2026-05-31T12:00:01", on(0, 30), "Playing"),
            ("Playing", "2026-05-31T12:00:00", on(0, 0), "Playing"),
            ("Playing", "not a time", on(0, 1), "Playing"),
            ("", "2026-06-30T11:00:00", json!({}), ""),
        ] {
            let game = json!({"name": "A", "progress": progress, "last_played": last});
            let (mut draft, id) = draft(game, settings.clone());
            record_end(&mut draft, &ending(&id, 60), &now);
            assert_eq!(record(&draft, &id).text("progress"), after, "{progress} {last} {settings}");
        }
    }
}
