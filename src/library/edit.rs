//! Changing one game: save and favourite. Each is one commit, and a refusal changes nothing.

use serde_json::{Map, Value};

use super::{
    clean::{self, Facts, Paths, Refusal},
    notes,
    reference::GameRef,
};
use crate::{
    base::clock::Moment,
    model::{
        draft::{Draft, DraftError},
        record::Record,
    },
    store::{error::CommitError, open::Store},
};

/// Why an edit was refused.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The named game is not in the library (any more).
    #[error("game not found")]
    UnknownGame,
    /// The post broke a rule.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The draft refused the change.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

/// A saved game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Its stable id.
    pub game_id: String,
    /// Its position in the library.
    pub position: usize,
}

/// Creates a game, or overlays the posted fields on the one that is named
/// (Document 1, `POST /api/game`).
///
/// Paths are looked up before the commit, against the snapshot; the commit overlays the checked
/// fields on whatever the record is by then, so two clients that edit different fields both win.
///
/// # Errors
/// [`EditError`] inside [`CommitError::Refused`], or what the store says.
pub fn save_game(
    store: &Store,
    paths: &dyn Paths,
    target: Option<&GameRef>,
    posted: &Map<String, Value>,
    now: &Moment,
) -> Result<Saved, CommitError<EditError>> {
    let snapshot = store.snapshot().map_err(CommitError::Unavailable)?;
    let found = match target {
        None => None,
        Some(target) => {
            let unknown = || CommitError::Refused(EditError::UnknownGame);
            let (_, game) = target.find(&snapshot.games).ok_or_else(unknown)?;
            Some((game.id().to_owned(), game.record()))
        }
    };
    let now = now.local_iso();
    let custom_fields = snapshot.settings().get("custom_field_defs").and_then(Value::as_array);
    let facts = Facts {
        stored: found.as_ref().map(|(_, record)| record),
        custom_fields: custom_fields.map_or(&[], Vec::as_slice),
        now: &now,
    };
    let clean = clean::clean_game(posted, &facts, paths)
        .map_err(|refusal| CommitError::Refused(refusal.into()))?;
    store.commit(|draft| match &found {
        None => add(draft, clean, &now),
        Some((id, _)) => overlay(draft, id, clean, &now),
    })
}

fn add(draft: &mut Draft, fields: Map<String, Value>, now: &str) -> Result<Saved, EditError> {
    let mut record = Record::from(fields);
    record.set("added_at", now);
    let game_id = draft.add_game(record)?;
    Ok(Saved { game_id, position: draft.state().games.len() - 1 })
}

fn overlay(
    draft: &mut Draft,
    id: &str,
    fields: Map<String, Value>,
    now: &str,
) -> Result<Saved, EditError> {
    let position = draft.state().games.position(id).ok_or(EditError::UnknownGame)?;
    draft.edit_game(id, |record| {
        notes::migrate(record, now);
        record.0.extend(fields);
    })?;
    Ok(Saved { game_id: id.to_owned(), position })
}

/// A toggled favourite mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toggled {
    /// Stable id of the game.
    pub game_id: String,
    /// What the mark is now.
    pub favorite: bool,
}

/// Toggles the favourite mark and returns what it is now.
///
/// # Errors
/// [`EditError::UnknownGame`], or what the store says.
pub fn toggle_favorite(
    store: &Store,
    target: &GameRef,
    now: &Moment,
) -> Result<Toggled, CommitError<EditError>> {
    store.commit(|draft| {
        let (_, game) = target.find(&draft.state().games).ok_or(EditError::UnknownGame)?;
        let (game_id, favorite) = (game.id().to_owned(), !game.favorite());
        draft.edit_game(&game_id, |record| {
            notes::migrate(record, &now.local_iso());
            record.set("favorite", favorite);
        })?;
        Ok(Toggled { game_id, favorite })
    })
}
