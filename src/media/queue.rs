//! `media-queue.json`: games that an import brought together with their number in the metadata
//! database, and whose media are to be fetched.
//!
//! Only lists of other launchers know such numbers; files, stores and emulators do not. Serves `GET
//! /api/media/queue`.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::{
    base::Hold as _,
    config::{
        data_dir::DataDir,
        settings::{read, table::AUTO_IMPORTED},
    },
    files::{DiskError, Files},
    model::{Game, State},
};

/// Held while the file is read and replaced; only one process uses the data directory.
static TURN: Mutex<()> = Mutex::new(());

/// The queue; empty when the file is missing or damaged.
pub fn waiting(files: &Files, data: &DataDir) -> Vec<Value> {
    let bytes = files.read(&data.media_queue()).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Adds the new games that are known to the metadata database, in their order and at most
/// `media_download_limit` of them (0 for all). Returns how many there were.
///
/// # Errors
/// When the queue cannot be written; it is as it was then.
pub fn add(
    files: &Files,
    data: &DataDir,
    state: &State,
    game_ids: &[String],
) -> Result<usize, DiskError> {
    let new = entries(state, game_ids);
    if new.is_empty() {
        return Ok(0);
    }
    let count = new.len();
    rewrite(files, data, |queue| queue.extend(new))?;
    Ok(count)
}

/// Takes games out of the queue.
///
/// # Errors
/// As [`add`].
pub fn remove(files: &Files, data: &DataDir, game_ids: &[String]) -> Result<(), DiskError> {
    let gone: HashSet<&str> = game_ids.iter().map(String::as_str).collect();
    rewrite(files, data, |queue| queue.retain(|row| !is_of(row, &gone)))
}

/// Takes kinds of media that were loaded for games out of their rows. A row that waits for no other kind leaves
/// the queue.
///
/// # Errors
/// As [`add`].
pub fn take_loaded(
    files: &Files,
    data: &DataDir,
    game_ids: &[String],
    kinds: &[String],
) -> Result<(), DiskError> {
    let games: HashSet<&str> = game_ids.iter().map(String::as_str).collect();
    rewrite(files, data, |queue| {
        queue.retain_mut(|row| !is_of(row, &games) || waits_further(row, kinds));
    })
}

/// Whether a row is about one of these games.
fn is_of(row: &Value, game_ids: &HashSet<&str>) -> bool {
    row["game_id"].as_str().is_some_and(|id| game_ids.contains(id))
}

/// Removes kinds of media from a row; whether others are left.
fn waits_further(row: &mut Value, loaded: &[String]) -> bool {
    let Some(media) = row.get_mut("media").and_then(Value::as_array_mut) else { return false };
    media.retain(|kind| !loaded.iter().any(|known| Some(known.as_str()) == kind.as_str()));
    !media.is_empty()
}

/// Changes the queue; its file is written only when that changes anything.
fn rewrite(
    files: &Files,
    data: &DataDir,
    change: impl FnOnce(&mut Vec<Value>),
) -> Result<(), DiskError> {
    let _turn = TURN.hold();
    let before = waiting(files, data);
    let mut queue = before.clone();
    change(&mut queue);
    if queue == before {
        return Ok(());
    }
    // OK because a list of plain values has a JSON form.
    let bytes = serde_json::to_vec(&queue).unwrap_or_default();
    files.replace(&data.media_queue(), &bytes)
}

fn entries(state: &State, game_ids: &[String]) -> Vec<Value> {
    let settings = state.settings();
    let mut kinds = read::texts(settings, "auto_import_media_types");
    if kinds.is_empty() {
        kinds = AUTO_IMPORTED.iter().map(|kind| (*kind).to_owned()).collect();
    }
    kinds.sort_unstable();
    let limit = match usize::try_from(read::integer(settings, "media_download_limit")) {
        Ok(0) | Err(_) => usize::MAX,
        Ok(limit) => limit,
    };
    let games = game_ids.iter().filter_map(|id| state.games.find(id));
    let known = games.filter(|(_, game)| !game.record().shown("metadb_id").trim().is_empty());
    let entry = |(_, game): (usize, &Arc<Game>)| json!({"name": game.name(), "path": game.path(), "game_id": game.id(), "media": kinds});
    known.take(limit).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Games, Record};

    #[track_caller]
    fn check(settings: Value, expected: &[(&str, &[&str])]) {
        let rows: Vec<Record> = serde_json::from_value(json!([
            {"game_id": "game-1", "name": "A", "path": "/a", "metadb_id": "7"},
            {"game_id": "game-2", "name": "B", "path": "/b"},
            {"game_id": "game-3", "name": "C", "path": "/c", "metadb_id": 8},
            {"game_id": "game-4", "name": "D", "path": "/d", "metadb_id": " "},
        ]))
        .expect("records");
        let games = Games::from_games(rows.iter().map(Game::seal));
        let state =
            State::new(games, [("settings".into(), settings.into())].into_iter().collect(), 1);
        let ids = ["game-4", "game-3", "game-2", "game-1", "game-0"].map(str::to_owned);
        let expected: Vec<Value> = expected
            .iter()
            .map(|(id, media)| {
                let name = if *id == "game-1" { "A" } else { "C" };
                let path = format!("/{}", name.to_lowercase());
                json!({"name": name, "path": path, "game_id": id, "media": media})
            })
            .collect();
        assert_eq!(entries(&state, &ids), expected);
    }

    #[test]
    fn known_games_wait_for_their_media() {
        check(json!({}), &[("game-3", AUTO_IMPORTED), ("game-1", AUTO_IMPORTED)]);
        let banner =
            json!({"auto_import_media_types": ["icon", "banner"], "media_download_limit": 1});
        check(banner, &[("game-3", &["banner", "icon"])]);
        check(
            json!({"auto_import_media_types": []}),
            &[("game-3", AUTO_IMPORTED), ("game-1", AUTO_IMPORTED)],
        );
    }

    #[test]
    fn a_row_leaves_when_nothing_that_it_waits_for_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let (files, data) = (Files::system(), DataDir::at(folder.path().to_owned()));
        let row = |id: &str, media: &[&str]| json!({"game_id": id, "media": media});
        let rows = [row("a", &["background", "cover"]), row("b", &["cover"]), row("c", &["cover"])];
        rewrite(&files, &data, |queue| queue.extend(rows)).expect("written");
        let take = |ids: &[&str], kinds: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
            take_loaded(&files, &data, &own(ids), &own(kinds)).expect("written");
            waiting(&files, &data)
        };
        let icon = take(&["a", "b"], &["icon"]);
        assert_eq!(icon.len(), 3);
        let left = take(&["a", "b"], &["cover", "icon"]);
        assert_eq!(left, [row("a", &["background"]), row("c", &["cover"])]);
    }
}
