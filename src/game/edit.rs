//! Changing one game: save and favourite. Each is one commit, and a refusal changes nothing.
//!
//! A save may include the values of its fields that the client saw. It is refused when one of them shows
//! something else by then, so of two clients that write one field at the same time the second gets an error.

use serde_json::{Map, Value};

use super::{
    clean::{self, Facts, InputError, Paths},
    reference::GameRef,
};
use crate::{
    base::Moment,
    model::{
        Cause, Draft, DraftError, Record, State,
        fields::{self, Edit},
        origins,
    },
    store::{CommitError, Store},
};

/// Why an edit was refused.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The named game is not in the library (any more).
    #[error("Game not found")]
    UnknownGame,
    /// The post broke a rule.
    #[error(transparent)]
    Refused(#[from] InputError),
    /// Fields show something else than the client saw: each with what it shows now.
    #[error("Changed by another client meanwhile: {}.", names(.0))]
    Changed(Map<String, Value>),
    /// A field that the client saw was changed between the check and the commit.
    #[error("the game was changed while it was checked")]
    Overtaken,
    /// The draft refused the change.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

fn names(present: &Map<String, Value>) -> String {
    present.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// What a client saw of a game.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Values by field, as a public game shows them.
    pub values: &'a Map<String, Value>,
    /// Shows the game at a position of a state.
    pub show: &'a dyn Fn(&State, usize) -> Map<String, Value>,
}

/// A posted game.
#[derive(Clone, Copy)]
pub struct Post<'a> {
    /// The game to change; `None` makes a new one.
    pub target: Option<&'a GameRef>,
    /// Its fields.
    pub fields: &'a Map<String, Value>,
    /// What must still be so.
    pub seen: Option<Seen<'a>>,
}

/// A saved game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Its stable id.
    pub game_id: String,
    /// Its position in the library.
    pub position: usize,
}

/// Creates a game, or overlays the posted fields on the named one (`POST /api/game`).
///
/// Paths are looked up before the commit, against the snapshot; the commit overlays the checked
/// fields on whatever the record is by then, so two clients that edit different fields both win.
/// What the client saw is compared with the snapshot, and inside the commit the snapshot with the
/// record; a change in between restarts the comparison.
///
/// # Errors
/// [`EditError`] inside [`CommitError::Refused`], or an error of the store.
pub fn save_game(
    store: &Store,
    paths: &dyn Paths,
    post: Post<'_>,
    now: &Moment,
) -> Result<Saved, CommitError<EditError>> {
    loop {
        match try_save(store, paths, post, now) {
            // OK because another commit went through in between, so all clients together
            // go on; the next round either finds that change or passes.
            Err(CommitError::Refused(EditError::Overtaken)) => {}
            outcome => return outcome,
        }
    }
}

fn try_save(
    store: &Store,
    paths: &dyn Paths,
    post: Post<'_>,
    now: &Moment,
) -> Result<Saved, CommitError<EditError>> {
    let snapshot = store.snapshot().map_err(CommitError::Unavailable)?;
    let found = match post.target {
        None if post.seen.is_some() => {
            let text = "expected needs a game that is already there.".to_owned();
            return Err(CommitError::Refused(InputError(text).into()));
        }
        None => None,
        Some(target) => {
            let unknown = || CommitError::Refused(EditError::UnknownGame);
            let (position, game) = target.find(&snapshot.games).ok_or_else(unknown)?;
            if let Some(seen) = post.seen {
                compare(seen, &snapshot, position).map_err(CommitError::Refused)?;
            }
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
    let clean = clean::clean_game(post.fields, &facts, paths)
        .map_err(|error| CommitError::Refused(error.into()))?;
    store.commit(|draft| match &found {
        None => add(draft, clean.into(), &now),
        Some((id, record)) => {
            let still = post.seen.map(|seen| (seen.values, record));
            overlay(draft, id, still, clean)
        }
    })
}

/// Compares what a client saw with what is shown now.
fn compare(seen: Seen<'_>, state: &State, position: usize) -> Result<(), EditError> {
    let is_written = |key: &str| fields::field(key).is_some_and(|field| field.edit == Edit::Posted);
    if let Some(key) = seen.values.keys().find(|key| !is_written(key)) {
        let text = format!("expected cannot name {key}, which a save does not change.");
        return Err(InputError(text).into());
    }
    let mut shown = (seen.show)(state, position);
    let mut changed = Map::new();
    for (key, value) in seen.values {
        let now = shown.remove(key).unwrap_or_default();
        if !is_same(value, &now) {
            changed.insert(key.clone(), now);
        }
    }
    if changed.is_empty() { Ok(()) } else { Err(EditError::Changed(changed)) }
}

/// Equal as JSON, where a number is its value: clients write 4.0 as 4.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(key, one): (&String, &Value)| {
                other.get(key).is_some_and(|other| is_same(one, other))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}

/// Adds a new game.
pub(super) fn add(draft: &mut Draft, mut record: Record, now: &str) -> Result<Saved, EditError> {
    if record.is_blank("added_at") {
        record.set("added_at", now);
    }
    origins::mark_made(&mut record, now);
    let game_id = draft.add_game(record)?;
    draft.set_cause(Cause::Created);
    Ok(Saved { game_id, position: draft.state().games.len() - 1 })
}

fn overlay(
    draft: &mut Draft,
    id: &str,
    still: Option<(&Map<String, Value>, &Record)>,
    fields: Map<String, Value>,
) -> Result<Saved, EditError> {
    let position = draft.state().games.position(id).ok_or(EditError::UnknownGame)?;
    if let Some((expected, before)) = still {
        let game = draft.state().games.get(position).ok_or(EditError::UnknownGame)?;
        let record = game.record();
        if expected.keys().any(|key| record.get(key) != before.get(key)) {
            return Err(EditError::Overtaken);
        }
    }
    draft.edit_by_person(id, |record| record.0.extend(fields))?;
    draft.set_cause(Cause::Updated(id.to_owned()));
    Ok(Saved { game_id: id.to_owned(), position })
}

/// Toggles the favourite mark and returns what it is now.
///
/// # Errors
/// [`EditError::UnknownGame`], or an error of the store.
pub fn toggle_favorite(store: &Store, target: &GameRef) -> Result<bool, CommitError<EditError>> {
    store.commit(|draft| {
        let (_, game) = target.find(&draft.state().games).ok_or(EditError::UnknownGame)?;
        let (game_id, favorite) = (game.id().to_owned(), !game.favorite());
        draft.edit_by_person(&game_id, |record| record.set("favorite", favorite))?;
        draft.set_cause(Cause::Updated(game_id));
        Ok(favorite)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_by_value_and_everything_else_as_it_is() {
        for (one, other, expected) in [
            (json!(4), json!(4.0), true),
            (json!(4), json!("4"), false),
            (json!(""), json!(null), false),
            (json!([1, "a"]), json!([1.0, "a"]), true),
            (json!([1, 2]), json!([1]), false),
            (json!(["a", "b"]), json!(["b", "a"]), false),
            (json!({"a": 1, "b": 2}), json!({"b": 2.0, "a": 1}), true),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!({"a": 1}), json!({"b": 1}), false),
            (json!([{"ts": "", "text": "x"}]), json!([{"ts": "", "text": "y"}]), false),
        ] {
            assert_eq!(is_same(&one, &other), expected, "{one} {other}");
            assert_eq!(is_same(&other, &one), expected, "{other} {one}");
        }
    }
}
