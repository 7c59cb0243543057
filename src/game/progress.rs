//! Where the player stands with a game and how much they like it: progress and personal stars.

use serde_json::Value;

use super::{
    clean::{self, InputError},
    edit::EditError,
    reference::GameRef,
};
use crate::{
    model::{Cause, Draft, Record},
    store::{Committed, Store},
};

/// As [`set_progress`], in one commit.
pub fn save_progress(
    store: &Store,
    game: &GameRef,
    value: Option<&Value>,
) -> Committed<(String, String), EditError> {
    store.commit(|draft| set_progress(draft, game, value))
}

/// Sets the progress of a game and returns its stable id and the stored value; `Unplayed` is
/// stored as empty text. The game will not be suggested again for having been started.
///
/// # Errors
/// `Unknown progress value.`, or [`EditError::UnknownGame`].
fn set_progress(
    draft: &mut Draft,
    game: &GameRef,
    value: Option<&Value>,
) -> Result<(String, String), EditError> {
    let unknown = || InputError("Unknown progress value.".to_owned());
    let progress =
        clean::clean_progress(value.filter(|value| value.is_string()).ok_or_else(unknown)?)?;
    let id = edit(draft, game, |record| {
        record.set("progress", progress.as_str());
        record.set("progress_suggested", true);
    })?;
    Ok((id, progress))
}

/// As [`set_stars`], in one commit.
pub fn save_stars(
    store: &Store,
    game: &GameRef,
    value: Option<&Value>,
) -> Committed<(String, Value), EditError> {
    store.commit(|draft| set_stars(draft, game, value))
}

/// Sets the personal stars of a game, 0 to 5, and returns its stable id and the stars; 0 clears.
///
/// # Errors
/// `User rating must be an integer from 0 to 5.`, or [`EditError::UnknownGame`].
fn set_stars(
    draft: &mut Draft,
    game: &GameRef,
    value: Option<&Value>,
) -> Result<(String, Value), EditError> {
    let stars = clean::clean_stars(value.unwrap_or(&Value::Null))?;
    let id = edit(draft, game, |record| record.set("user_rating", stars.clone()))?;
    Ok((id, stars))
}

/// Edits a named game and returns its stable id.
pub(super) fn edit(
    draft: &mut Draft,
    game: &GameRef,
    edit: impl FnOnce(&mut Record),
) -> Result<String, EditError> {
    let (_, game) = game.find(&draft.state().games).ok_or(EditError::UnknownGame)?;
    let id = game.id().to_owned();
    draft.edit_by_person(&id, edit)?;
    draft.set_cause(Cause::Updated(id.clone()));
    Ok(id)
}

/// Edits a list of a named game and returns its stable id; nothing changes when the edit fails.
pub(super) fn edit_list(
    draft: &mut Draft,
    game: &GameRef,
    key: &str,
    change: impl FnOnce(&mut Vec<Value>) -> Result<(), InputError>,
) -> Result<String, EditError> {
    let mut outcome = Ok(());
    let id = edit(draft, game, |record| {
        let mut entries = record.list(key).to_vec();
        outcome = change(&mut entries);
        if outcome.is_ok() {
            record.set(key, entries);
        }
    })?;
    outcome?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::State;

    fn draft() -> Draft {
        let mut draft = Draft::new(State::default());
        let record = json!({"game_id": "game-1", "progress": "Playing", "user_rating": 2});
        draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        draft
    }

    #[test]
    fn sets_known_values_only() {
        let (mut draft, game) = (draft(), GameRef::Position(0));
        for (value, expected) in [
            (json!("Beaten"), Some("Beaten")),
            (json!("Unplayed"), Some("")),
            (json!(""), Some("")),
        ] {
            let set = set_progress(&mut draft, &game, Some(&value));
            let expected = expected.map(|progress| ("game-1".to_owned(), progress.to_owned()));
            assert_eq!(set.ok(), expected, "{value}");
        }
        for value in [json!("Won"), json!(1), json!(null)] {
            assert!(set_progress(&mut draft, &game, Some(&value)).is_err(), "{value}");
        }
        assert!(set_progress(&mut draft, &game, None).is_err());
        for value in [json!(0), json!(5)] {
            assert!(set_stars(&mut draft, &game, Some(&value)).is_ok(), "{value}");
        }
        for value in [json!(-1), json!(6), json!(2.5), json!("3"), json!(true)] {
            assert!(set_stars(&mut draft, &game, Some(&value)).is_err(), "{value}");
        }
        let gone = set_stars(&mut draft, &GameRef::Position(1), Some(&json!(1)));
        assert_eq!(gone, Err(EditError::UnknownGame));
    }
}
