//! Shelf entries: games without a file, for what stands on a real shelf or elsewhere.
//!
//! An entry is made from a name alone and may become playable once it has a file.

use serde_json::{Map, Value};

use super::{
    clean::{self, Facts, Paths, Refusal},
    edit::{EditError, Saved},
    reference::GameRef,
};
use crate::{
    base::clock::Moment,
    model::{cause::Cause, record::Record},
    store::{error::CommitError, open::Store},
};

/// Makes a shelf entry (`POST /api/v2/library/manual-entry`) and returns it with its name as
/// stored.
///
/// # Errors
/// The first broken rule of the posted fields, or what the store says.
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
    record.set("added_at", now.local_iso());
    let name = record.text("name").to_owned();
    store.commit(|draft| {
        let game_id = draft.add_game(record)?;
        draft.set_cause(Cause::Created);
        Ok((Saved { game_id, position: draft.state().games.len() - 1 }, name))
    })
}

/// Overlays posted fields on a shelf entry; its path stays empty.
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
    let snapshot = store.snapshot().map_err(CommitError::Unavailable)?;
    let unknown = || CommitError::Refused(EditError::UnknownGame);
    let (_, game) = target.find(&snapshot.games).ok_or_else(unknown)?;
    if !game.manual_entry() {
        return Err(CommitError::Refused(not_a_shelf_entry()));
    }
    let fields = clean_entry(store, paths, posted, &game.record(), now)?;
    change_entry(store, game.id(), |record| {
        record.0.extend(fields);
        record.set("path", "");
    })
}

/// Gives a shelf entry its file and makes it playable.
///
/// # Errors
/// `Game is not a shelf entry.`, `path must be an existing absolute file.`, or what the store says.
pub fn convert_entry(
    store: &Store,
    paths: &dyn Paths,
    target: &GameRef,
    path: &str,
) -> Result<Saved, CommitError<EditError>> {
    let snapshot = store.snapshot().map_err(CommitError::Unavailable)?;
    let unknown = || CommitError::Refused(EditError::UnknownGame);
    let (_, game) = target.find(&snapshot.games).ok_or_else(unknown)?;
    if !game.manual_entry() {
        return Err(CommitError::Refused(not_a_shelf_entry()));
    }
    let refusal = |_| Refusal("path must be an existing absolute file.".to_owned());
    let path = paths.game_file(path).map_err(refusal);
    let path = path.map_err(|refusal| CommitError::Refused(refusal.into()))?;
    change_entry(store, game.id(), |record| {
        record.set("path", path);
        record.set("manual_entry", false);
    })
}

fn not_a_shelf_entry() -> EditError {
    EditError::Refused(Refusal("Game is not a shelf entry.".to_owned()))
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
    clean::clean_game(&posted, &facts, paths)
        .map_err(|refusal| CommitError::Refused(refusal.into()))
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
        draft.edit_game(&game_id, change)?;
        draft.set_cause(Cause::Updated(game_id.clone()));
        Ok(Saved { game_id, position })
    })
}
