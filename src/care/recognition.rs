//! Reading games again (`/api/v2/library/recognition`): folder, extension and content of their files, compared with the
//! library.
//!
//! A title that the user typed stays, and so does a field that is locked expressly. A change names the value it replaces, so a field that was changed
//! meanwhile stays too, and the same request with both values exchanged undoes a change.

use std::convert::Infallible;

use serde_json::Value;

use crate::{
    base::{ids, schema::schema},
    game::{
        InputError, clean,
        origins::{self, Mode},
    },
    model::{
        Cause, Draft, Record, State,
        origins::{Origin, Origins, Right},
    },
    store::{Committed, Store},
};

/// Games of one request.
pub const GAMES: usize = 1_000;
/// Changes of one request.
const CHANGES: usize = 3 * GAMES;
/// The fields that are read again, in the order they are shown.
const FIELDS: [&str; 3] = ["platform", "name", "region"];

schema! {
    "RecognitionChange"
    /// One field and what replaces it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Change {
        /// The stable id of the game.
        pub game_id: String,
        /// `platform`, `name` or `region`.
        pub field: String,
        /// Its present value.
        pub expected: String,
        /// Its new value.
        pub value: String,
    }

    "Recognition"
    /// What reading games again would change.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Recognition {
        /// The changes in the order of the request.
        pub changes: Vec<Change>,
        /// Games that stay as they are.
        pub unchanged: usize,
        /// Games without a file that can be read: those of stores, and those whose file is gone.
        pub unreadable: usize,
    }
}

/// Reads games again by their ids; those that are gone are left out. `read` gives the fields that the
/// file of a game says, none for a game without a file.
pub fn read_again(
    state: &State,
    ids: &[&str],
    read: impl Fn(&Record) -> Option<Record>,
) -> Recognition {
    let mut found = Recognition::default();
    for id in ids {
        let Some((_, game)) = state.games.find(id) else { continue };
        let record = game.record();
        match read(&record) {
            None => found.unreadable += 1,
            Some(proposed) => {
                let before = found.changes.len();
                found.changes.extend(changes(&record, &proposed));
                found.unchanged += usize::from(found.changes.len() == before);
            }
        }
    }
    found
}

/// The user asks for these very games and sees every change, so only a title that was typed and what is
/// locked expressly stays.
fn right(field: &str) -> Right {
    if field == "name" { Right::Pass } else { Right::Request }
}

fn changes<'a>(record: &'a Record, proposed: &'a Record) -> impl Iterator<Item = Change> + 'a {
    let origins = Origins::of(record);
    let differs = move |field: &&str| {
        !proposed.is_blank(field)
            && proposed.text(field) != record.text(field)
            && !origins.holds(field, right(field))
    };
    FIELDS.into_iter().filter(differs).map(|field| Change {
        game_id: record.text("game_id").to_owned(),
        field: field.to_owned(),
        expected: record.text(field).to_owned(),
        value: proposed.text(field).to_owned(),
    })
}

/// Reads the changes of a request.
///
/// # Errors
/// [`InputError`] when it is not a list of 1 to 3,000 changes, each with an id, a field that is read again,
/// its present value and its new one. A game keeps a name.
pub fn read_changes(value: Option<&Value>) -> Result<Vec<Change>, InputError> {
    let list = value.and_then(Value::as_array).filter(|list| (1..=CHANGES).contains(&list.len()));
    let Some(list) = list else {
        return clean::refuse(format!("changes must be a list of 1 to {CHANGES} changes."));
    };
    list.iter().map(read_change).collect()
}

fn read_change(value: &Value) -> Result<Change, InputError> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let (Some(game_id), Some(field), Some(expected), Some(_)) =
        (text("game_id"), text("field"), text("expected"), text("value"))
    else {
        return clean::refuse("Each change needs game_id, field, expected and value.");
    };
    if !FIELDS.contains(&field) {
        return clean::refuse(format!("{field} cannot be read again."));
    }
    let new = clean::clean_text(field, &value["value"])?;
    if field == "name" && new.is_empty() {
        return clean::refuse("Name is required.");
    }
    Ok(Change {
        game_id: game_id.to_owned(),
        field: field.to_owned(),
        expected: expected.to_owned(),
        value: new,
    })
}

/// Writes the new values of fields that still have the expected ones, in one commit; how many.
///
/// # Errors
/// When the library cannot be written.
pub fn apply(store: &Store, changes: &[Change]) -> Committed<usize, Infallible> {
    let pass = ids::random_hex(6);
    store.commit(|draft| Ok(write(draft, changes, &pass)))
}

/// As [`apply`], in a draft, as a pass with this id.
fn write(draft: &mut Draft, changes: &[Change], pass: &str) -> usize {
    let origin = Origin { pass: pass.to_owned(), ..Origin::file("") };
    let mut updated = 0;
    let mut games: Vec<String> = Vec::new();
    for Change { game_id, field, expected, value } in changes {
        // A game that is gone is left out, like one with another value.
        let found = draft.state().games.find(game_id);
        if found.is_none_or(|(_, game)| game.record().text(field) != expected) {
            continue;
        }
        let mode = if expected.is_empty() { Mode::Fill } else { Mode::Replace };
        let values = [(field.as_str(), value.as_str().into())];
        let written = origins::fill(draft, game_id, origin.clone(), right(field), mode, &values);
        if !written.is_empty() {
            updated += 1;
            games.push(game_id.clone());
        }
    }
    games.dedup();
    origins::note_pass(draft, pass, "library.recognition", games.len());
    if !games.is_empty() {
        draft.set_cause(Cause::Bulk(games));
    }
    updated
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_is_a_change() {
        let game = |value: Value| -> Record { serde_json::from_value(value).expect("a record") };
        let record = game(json!({"game_id": "g", "name": "A", "platform": "NES", "region": "USA"}));
        let proposed = game(json!({"name": "A", "platform": "SNES", "region": ""}));
        let found: Vec<Change> = changes(&record, &proposed).collect();
        let text = str::to_owned;
        let expected = Change {
            game_id: text("g"),
            field: text("platform"),
            expected: text("NES"),
            value: text("SNES"),
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn requests_are_checked() {
        let one = json!({"game_id": "g", "field": "region", "expected": "", "value": " USA "});
        let read = |value: Value| read_changes(Some(&value)).map_err(|error| error.0);
        assert_eq!(read(json!([one])).expect("a list")[0].value, "USA");
        for (value, message) in [
            (json!([]), "changes must be a list of 1 to 3000 changes."),
            (json!([{"game_id": "g"}]), "Each change needs game_id, field, expected and value."),
            (
                json!([{"game_id": "g", "field": "launch", "expected": "", "value": "x"}]),
                "launch cannot be read again.",
            ),
            (
                json!([{"game_id": "g", "field": "name", "expected": "A", "value": " "}]),
                "Name is required.",
            ),
        ] {
            assert_eq!(read(value), Err(message.to_owned()));
        }
    }
}
