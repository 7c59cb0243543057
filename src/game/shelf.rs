//! Shelf entries: games without a file, for what is on a real shelf or elsewhere.
//!
//! An entry is made from a name alone and may become playable once it has a file.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    clean::{self, Facts, InputError, Paths},
    edit::{self, EditError, Saved},
    reference::GameRef,
};
use crate::{
    base::Moment,
    model::{Cause, Game, Record},
    store::{CommitError, Store},
};

/// Makes a shelf entry (`POST /api/v2/library/manual-entry`) and returns it with its name as
/// stored.
///
/// # Errors
/// The first broken rule of the posted fields, or the error of the store.
pub fn create_entry(
    store: &Store,
    paths: &dyn Paths,
    posted: &Map<String, Value>,
    now: &Moment,
) -> Result<(Saved, String), CommitError<EditError>> {
    let empty = Record::from(Map::from_iter([("manual_entry".to_owned(), true.into())]));
    let mut record = Record::from(clean_entry(store, paths, posted, &empty, now)?);
    record.set("manual_entry", true);
    record.set("path", "");
    let name = record.text("name").to_owned();
    store.commit(|draft| Ok((edit::add(draft, record, &now.local_iso())?, name)))
}

/// Overlays posted fields on a shelf entry; its path stays as it is.
///
/// # Errors
/// `Game is not a shelf entry.` for any other game, or as [`create_entry`].
pub fn update_entry(
    store: &Store,
    paths: &dyn Paths,
    target: &GameRef,
    posted: &Map<String, Value>,
    now: &Moment,
) -> Result<Saved, CommitError<EditError>> {
    let game = find_entry(store, target)?;
    let fields = clean_entry(store, paths, posted, &game.record(), now)?;
    change_entry(store, game.id(), |record| {
        let path = record.get("path").cloned();
        record.0.extend(fields);
        record.0.insert("path".to_owned(), path.unwrap_or_else(|| "".into()));
    })
}

/// Gives a shelf entry its file and makes it playable.
///
/// # Errors
/// `Game is not a shelf entry.`, `path must be an existing absolute file.`, or the error of the store.
pub fn convert_entry(
    store: &Store,
    paths: &dyn Paths,
    target: &GameRef,
    path: &str,
) -> Result<Saved, CommitError<EditError>> {
    let game = find_entry(store, target)?;
    let error = |_| InputError("path must be an existing absolute file.".to_owned());
    let path = paths.game_file(path).map_err(error);
    let path = path.map_err(|error| CommitError::Refused(error.into()))?;
    change_entry(store, game.id(), |record| {
        record.set("path", path);
        record.set("manual_entry", false);
    })
}

fn find_entry(store: &Store, target: &GameRef) -> Result<Arc<Game>, CommitError<EditError>> {
    let snapshot = store.snapshot().map_err(CommitError::Unavailable)?;
    let unknown = || CommitError::Refused(EditError::UnknownGame);
    let (_, game) = target.find(&snapshot.games).ok_or_else(unknown)?;
    if !game.manual_entry() {
        return Err(CommitError::Refused(not_a_shelf_entry()));
    }
    Ok(Arc::clone(game))
}

fn not_a_shelf_entry() -> EditError {
    EditError::Refused(InputError("Game is not a shelf entry.".to_owned()))
}

fn clean_entry(
    store: &Store,
    paths: &dyn Paths,
    posted: &Map<String, Value>,
    stored: &Record,
    now: &Moment,
) -> Result<Map<String, Value>, CommitError<EditError>> {
    let snapshot = store.snapshot().map_err(CommitError::Unavailable)?;
    let custom_fields = snapshot.settings().get("custom_field_defs").and_then(Value::as_array);
    let now = now.local_iso();
    let facts = Facts {
        stored: Some(stored),
        custom_fields: custom_fields.map_or(&[], Vec::as_slice),
        now: &now,
    };
    let mut posted = posted.clone();
    posted.remove("path");
    clean::clean_game(&posted, &facts, paths).map_err(|error| CommitError::Refused(error.into()))
}

/// Changes an entry that still is one when the commit runs.
fn change_entry(
    store: &Store,
    id: &str,
    change: impl FnOnce(&mut Record),
) -> Result<Saved, CommitError<EditError>> {
    store.commit(|draft| {
        let (position, game) = draft.state().games.find(id).ok_or(EditError::UnknownGame)?;
        if !game.manual_entry() {
            return Err(not_a_shelf_entry());
        }
        let game_id = game.id().to_owned();
        draft.edit_by_person(&game_id, change)?;
        draft.set_cause(Cause::Updated(game_id.clone()));
        Ok(Saved { game_id, position })
    })
}
