//! Cleaning the titles of games that were imported under the names of their files
//! (`/api/v2/library/titles`).
//!
//! Only a title that still is the name of the file is offered; one that the user typed or locked stays. A change
//! names the title it replaces, so a title that was changed meanwhile stays too, and the same request
//! with both titles exchanged undoes a change.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    base::{ids, schema::schema},
    game::{
        InputError, clean,
        origins::{self, Mode},
    },
    model::{
        Draft, Game, Games,
        origins::{Origin, Origins, Right},
    },
    names::arcade,
    store::{Committed, Store},
};

/// The most titles of one answer and one request.
const MOST: usize = 100_000;

schema! {
    "TitleChange"
    /// One title and what replaces it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Change {
        /// The stable id of the game.
        pub game_id: String,
        /// Its present title.
        pub expected: String,
        /// Its new title.
        pub name: String,
    }
}

/// The titles that can be cleaned, in the order of the library.
pub fn proposals(games: &Games) -> Vec<Change> {
    let propose = |game: &Arc<Game>| {
        let expected = game.name();
        let name = clean_title(expected, game.platform(), game.path(), || {
            game.record().text("rom_name").to_owned()
        });
        let name = name.filter(|name| name != expected)?;
        let is_locked = Origins::of(&game.record()).is_locked("name");
        (!is_locked).then(|| Change {
            game_id: game.id().to_owned(),
            expected: expected.to_owned(),
            name,
        })
    };
    games.iter().filter_map(propose).collect()
}

/// The clean title of a game whose title is the name of its file; `None` for any other. The name that a
/// set gives to the file is asked for only when the title could be one, because it opens the record.
fn clean_title(
    name: &str,
    platform: &str,
    path: &str,
    set_name: impl FnOnce() -> String,
) -> Option<String> {
    let name = name.trim();
    let title = arcade::read(platform, name).0.title;
    if name.is_empty() || title == name {
        return None;
    }
    let file_name = path.rsplit('/').next()?;
    let is_file = |file: &str| file.rsplit_once('.').is_some_and(|(stem, _)| stem.trim() == name);
    (is_file(file_name) || is_file(&set_name())).then_some(title)
}

/// Reads the list of a request.
///
/// # Errors
/// [`InputError`] when it is not a list of 1 to 100,000 changes with an id, the present title and a new
/// one that is not blank.
pub fn read(value: Option<&Value>) -> Result<Vec<Change>, InputError> {
    let list = value.and_then(Value::as_array).filter(|list| (1..=MOST).contains(&list.len()));
    let Some(list) = list else {
        return clean::refuse(format!("titles must be a list of 1 to {MOST} changes."));
    };
    list.iter().map(read_one).collect()
}

fn read_one(value: &Value) -> Result<Change, InputError> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let (Some(game_id), Some(expected), Some(_)) =
        (text("game_id"), text("expected"), text("name"))
    else {
        return clean::refuse("Each title needs game_id, expected and name.");
    };
    let name = clean::clean_text("name", &value["name"])?;
    if name.is_empty() {
        return clean::refuse("Name is required.");
    }
    Ok(Change { game_id: game_id.to_owned(), expected: expected.to_owned(), name })
}

/// Writes the new titles of games that still have the expected ones, in one commit; how many.
///
/// # Errors
/// When the library cannot be written.
pub fn apply(store: &Store, changes: &[Change]) -> Committed<usize, std::convert::Infallible> {
    let pass = ids::random_hex(6);
    store.commit(|draft| Ok(write(draft, changes, &pass)))
}

/// As [`apply`], in a draft, as a pass with this id.
pub fn write(draft: &mut Draft, changes: &[Change], pass: &str) -> usize {
    let origin = Origin { pass: pass.to_owned(), ..Origin::file("") };
    let mut updated = 0;
    for Change { game_id, expected, name } in changes {
        // A game that is gone is left out, like one with another title.
        let found = draft.state().games.find(game_id);
        if found.is_some_and(|(_, game)| game.name() == expected) {
            let values = [("name", name.as_str().into())];
            let written =
                origins::fill(draft, game_id, origin.clone(), Right::Pass, Mode::Replace, &values);
            updated += written.len();
        }
    }
    origins::note_pass(draft, pass, "library.titles", updated);
    updated
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(game: Value, expected: Option<&str>) {
        let set_name = || game["rom_name"].as_str().unwrap_or_default().to_owned();
        let [name, path] = ["name", "path"].map(|key| game[key].as_str().expect("text"));
        let platform = game["platform"].as_str().unwrap_or_default();
        assert_eq!(clean_title(name, platform, path, set_name).as_deref(), expected);
    }

    #[test]
    fn only_names_of_files_are_cleaned() {
        let path = "/r/Legend, The (USA).nes";
        check(json!({"name": "Legend, The (USA)", "path": path}), Some("The Legend"));
        check(json!({"name": "Legend (my hack)", "path": path}), None);
        check(json!({"name": "", "path": path}), None);
        let arcade = json!({"name": "1942", "platform": "Arcade", "path": "/r/1942.zip"});
        check(arcade, None);
        let arcade = json!({"name": "sf2", "platform": "MAME", "path": "/r/sf2.zip"});
        check(arcade, Some("Street Fighter II: The World Warrior"));
        check(json!({"name": "Legend, The (USA)", "path": ""}), None);
        check(
            json!({"name": "Long (USA)", "path": "/d/x.m3u", "rom_name": "Long (USA).m3u"}),
            Some("Long"),
        );
    }

    #[test]
    fn requests_are_checked() {
        let one = json!({"game_id": "g", "expected": "A (U)", "name": " A "});
        let read_one = |value: Value| read(Some(&value)).map_err(|error| error.0);
        assert_eq!(read_one(json!([one])).expect("a list")[0].name, "A");
        assert_eq!(read_one(json!(vec![one.clone(); MOST])).map(|list| list.len()), Ok(MOST));
        for (value, message) in [
            (json!(vec![one; MOST + 1]), "titles must be a list of 1 to 100000 changes."),
            (json!([]), "titles must be a list of 1 to 100000 changes."),
            (json!("x"), "titles must be a list of 1 to 100000 changes."),
            (json!([{"game_id": "g"}]), "Each title needs game_id, expected and name."),
            (json!([{"game_id": "g", "expected": "A", "name": "  "}]), "Name is required."),
        ] {
            assert_eq!(read_one(value), Err(message.to_owned()));
        }
    }
}
