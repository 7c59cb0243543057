//! Notes of a game: the rules of the `/api/v2/library/notes` routes.

use serde_json::{Value, json};

use super::{
    clean::{InputError, refuse},
    edit::EditError,
    progress,
    reference::GameRef,
};
use crate::{
    base::limits,
    model::Draft,
    store::{Committed, Store},
};

/// Checks the text of a note and returns it trimmed.
///
/// # Errors
/// When it is not text, blank, or longer than [`limits::NOTE_CHARS`].
pub fn read_text(value: Option<&Value>) -> Result<String, InputError> {
    let text = value.and_then(Value::as_str).map_or("", str::trim);
    if text.is_empty() {
        return refuse("text is required.");
    }
    if text.chars().count() > limits::NOTE_CHARS {
        return refuse(format!("text must be at most {} characters.", limits::NOTE_CHARS));
    }
    Ok(text.to_owned())
}

/// As [`add`], in one commit.
pub fn add_note(store: &Store, game: &GameRef, text: &str) -> Committed<String, EditError> {
    store.commit(|draft| add(draft, game, text))
}

/// Adds a note at the end, with the time of the commit, and returns the id of the game.
///
/// # Errors
/// [`EditError::UnknownGame`].
fn add(draft: &mut Draft, game: &GameRef, text: &str) -> Result<String, EditError> {
    let ts = draft.now().local_iso();
    progress::edit_list(draft, game, "notes", |notes| {
        notes.push(json!({"ts": ts, "text": text}));
        Ok(())
    })
}

/// As [`update`], in one commit.
pub fn update_note(
    store: &Store,
    game: &GameRef,
    index: i64,
    text: &str,
) -> Committed<String, EditError> {
    store.commit(|draft| update(draft, game, index, text))
}

/// Replaces the text of the note at `index`; its time stays.
///
/// # Errors
/// `Unknown note entry.`, or [`EditError::UnknownGame`].
fn update(draft: &mut Draft, game: &GameRef, index: i64, text: &str) -> Result<String, EditError> {
    progress::edit_list(draft, game, "notes", |notes| {
        let at = find(notes.len(), index)?;
        let ts = notes[at].get("ts").and_then(Value::as_str).unwrap_or_default().to_owned();
        notes[at] = json!({"ts": ts, "text": text});
        Ok(())
    })
}

/// As [`delete`], in one commit.
pub fn delete_note(store: &Store, game: &GameRef, index: i64) -> Committed<String, EditError> {
    store.commit(|draft| delete(draft, game, index))
}

/// Removes the note at `index`.
///
/// # Errors
/// `Unknown note entry.`, or [`EditError::UnknownGame`].
fn delete(draft: &mut Draft, game: &GameRef, index: i64) -> Result<String, EditError> {
    progress::edit_list(draft, game, "notes", |notes| {
        let at = find(notes.len(), index)?;
        notes.remove(at);
        Ok(())
    })
}

fn find(len: usize, index: i64) -> Result<usize, InputError> {
    let at = usize::try_from(index).ok().filter(|at| *at < len);
    at.ok_or_else(|| InputError("Unknown note entry.".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::Moment, model::State};

    #[test]
    fn notes_are_edited_by_index_and_keep_their_time() {
        let now = Moment::from_unix(0);
        let mut draft = Draft::at(State::default(), now.clone());
        let record = json!({"game_id": "g", "notes": "old"});
        draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        let game = GameRef::Position(0);
        add(&mut draft, &game, "new").expect("added");
        let mut draft = Draft::at(draft.finish().0, Moment::from_unix(60));
        update(&mut draft, &game, 1, "newer").expect("there");
        let notes = |draft: &Draft| {
            draft.state().games.get(0).expect("there").record().list("notes").to_vec()
        };
        let ts = now.local_iso();
        assert_eq!(
            notes(&draft),
            [json!({"ts": ts, "text": "old"}), json!({"ts": ts, "text": "newer"})]
        );
        for index in [-1, 2] {
            let missing = Err(EditError::Refused(InputError("Unknown note entry.".to_owned())));
            assert_eq!(update(&mut draft, &game, index, "x"), missing);
            assert_eq!(delete(&mut draft, &game, index), missing);
        }
        delete(&mut draft, &game, 0).expect("there");
        assert_eq!(notes(&draft).len(), 1);
    }

    #[test]
    fn a_text_is_neither_blank_nor_endless() {
        let read = |value: Value| read_text(Some(&value)).map_err(|error| error.0);
        assert_eq!(read(json!(" a ")), Ok("a".to_owned()));
        assert!(read(json!("ä".repeat(2_000))).is_ok());
        let long = read(json!("ä".repeat(2_001)));
        assert_eq!(long, Err("text must be at most 2000 characters.".to_owned()));
        for value in [json!(" "), json!(1), json!(null)] {
            assert_eq!(read(value), Err("text is required.".to_owned()));
        }
    }
}
