//! One change applied to many games in one commit (`POST /api/games/bulk`).
//!
//! Owns which keys a bulk change may carry and what each value must be. Everything is checked
//! before the first game is touched, so a refusal changes nothing.

use serde_json::{Map, Value};

use super::{card::MatchContext, collections, filter_match, filter_rules, phrase::matching};
use crate::{
    base::{Moment, limits::PHRASE_CHARS},
    game::{
        GameRef, InputError,
        clean::{self, refuse},
        reference,
        tags::TagChange,
    },
    model::{Cause, Draft, Games, Record},
    store::{Committed, Store},
};

/// Keys of a bulk change (rule 1, and the personal stars).
pub const KEYS: [&str; 16] = [
    "platform",
    "genre",
    "progress",
    "rating",
    "user_rating",
    "favorite",
    "hidden",
    "esrb",
    "custom_fields",
    "tags",
    "tags_add",
    "tags_remove",
    "play_count",
    "playtime_seconds",
    "last_played",
    "reset_stats",
];

/// Keys of the wizard (rule 6).
pub const WIZARD_KEYS: [&str; 8] =
    ["platform", "genre", "progress", "rating", "favorite", "hidden", "esrb", "custom_fields"];

/// What a reset sets the statistics to (rule 5).
fn unplayed() -> [(&'static str, Value); 3] {
    [("play_count", 0.into()), ("playtime_seconds", 0.into()), ("last_played", "".into())]
}

/// A checked change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BulkChange {
    fields: Map<String, Value>,
    custom: Option<Value>,
    tags: Option<TagChange>,
    reset: bool,
}

impl BulkChange {
    /// Reads a bulk change.
    ///
    /// # Errors
    /// `No valid bulk changes were supplied.` when there is no known key, the first key that is not
    /// known, or the first bad value.
    pub fn read(changes: Option<&Value>) -> Result<Self, InputError> {
        let empty = Map::new();
        let changes = changes.and_then(Value::as_object).unwrap_or(&empty);
        let is_known = |key: &&String| KEYS.contains(&key.as_str());
        if !changes.keys().any(|key| is_known(&key)) {
            return refuse("No valid bulk changes were supplied.");
        }
        if let Some(key) = changes.keys().find(|key| !is_known(key)) {
            return refuse(format!("{key} cannot be changed in bulk."));
        }
        let mut change = Self { tags: TagChange::read(changes)?, ..Self::default() };
        for (key, value) in changes {
            change.take(key, value)?;
        }
        Ok(change)
    }

    /// Reads a change of the wizard.
    ///
    /// # Errors
    /// `Bulk wizard contains unsupported fields.` for any other key, else as [`BulkChange::read`].
    pub fn read_wizard(changes: Option<&Value>) -> Result<Self, InputError> {
        let keys = changes.and_then(Value::as_object).into_iter().flat_map(Map::keys);
        if keys.into_iter().any(|key| !WIZARD_KEYS.contains(&key.as_str())) {
            return refuse("Bulk wizard contains unsupported fields.");
        }
        Self::read(changes)
    }

    fn take(&mut self, key: &str, value: &Value) -> Result<(), InputError> {
        let checked = match key {
            "tags" | "tags_add" | "tags_remove" => return Ok(()),
            "reset_stats" => {
                self.reset = read_flag(key, value)?;
                return Ok(());
            }
            "custom_fields" => {
                if !value.is_object() {
                    return refuse("Custom fields must be an object.");
                }
                self.custom = Some(value.clone());
                return Ok(());
            }
            "favorite" | "hidden" => read_flag(key, value)?.into(),
            "play_count" | "playtime_seconds" => read_count(key, value)?.into(),
            "last_played" => read_time(value)?.into(),
            "progress" => clean::clean_progress(value)?.into(),
            "rating" => clean::clean_rating(value)?,
            "user_rating" => clean::clean_stars(value)?,
            _ => clean::clean_text(key, value)?.into(),
        };
        self.fields.insert(key.to_owned(), checked);
        Ok(())
    }

    fn apply(&self, record: &mut Record, custom: Option<&Map<String, Value>>) {
        if self.reset {
            record.0.extend(unplayed().map(|(key, value)| (key.to_owned(), value)));
        }
        record.0.extend(self.fields.clone());
        if let Some(tags) = &self.tags {
            tags.apply(record);
        }
        if let Some(custom) = custom {
            let stored = record.get("custom_fields").and_then(Value::as_object);
            let mut fields = stored.cloned().unwrap_or_default();
            fields.extend(custom.clone());
            record.set("custom_fields", fields);
        }
    }
}

fn read_flag(key: &str, value: &Value) -> Result<bool, InputError> {
    let error = || InputError(format!("{} must be true or false.", clean::label(key)));
    value.as_bool().ok_or_else(error)
}

fn read_count(key: &str, value: &Value) -> Result<u64, InputError> {
    let error = || InputError(format!("{key} must be a non-negative integer."));
    value.as_u64().ok_or_else(error)
}

/// A date stays a date; a date and time becomes local time, as records hold it. Blank clears.
fn read_time(value: &Value) -> Result<String, InputError> {
    let error = || InputError("last_played must be a date or date and time.".to_owned());
    let text = match value {
        Value::Null => "",
        Value::String(text) => text.trim(),
        _ => return Err(error()),
    };
    if text.is_empty() {
        return Ok(String::new());
    }
    let moment = Moment::parse(text).ok_or_else(error)?;
    Ok(if text == moment.local_date() { text.to_owned() } else { moment.local_iso() })
}

/// The games that preset rules take, for a change of more games than a request can name.
///
/// # Errors
/// `Select at least one game.` when no rule is left of them, or they take none.
pub fn select_by_rules(
    games: &Games,
    posted: &Map<String, Value>,
    context: &dyn MatchContext,
) -> Result<Vec<GameRef>, InputError> {
    let rules = filter_rules::of_preset(posted);
    // No rules take every game, which an empty form is not meant to do.
    let taken =
        if rules.is_empty() { Vec::new() } else { filter_match::taken(&rules, games, context) };
    named(games, &taken)
}

/// The games that a phrase takes, for the same purpose.
///
/// # Errors
/// `query is too long.`, or `Select at least one game.` when it takes none.
pub fn select_by_phrase(
    games: &Games,
    query: &str,
    context: &dyn MatchContext,
    now: &Moment,
) -> Result<Vec<GameRef>, InputError> {
    if query.chars().count() > PHRASE_CHARS {
        return refuse("query is too long.");
    }
    let read = collections::read_phrase(query, games, now);
    named(games, &matching::taken(&read, games, context, now))
}

fn named(games: &Games, positions: &[usize]) -> Result<Vec<GameRef>, InputError> {
    if positions.is_empty() {
        return refuse("Select at least one game.");
    }
    let found = positions.iter().filter_map(|position| games.get(*position));
    Ok(found.map(|game| GameRef::Id(game.id().to_owned())).collect())
}

/// As [`change`], in one commit.
pub fn change_games(
    store: &Store,
    games: &[GameRef],
    values: &BulkChange,
) -> Committed<Vec<String>, InputError> {
    store.commit(|draft| change(draft, games, values))
}

/// Applies a change to every named game and returns their stable ids, each once.
///
/// # Errors
/// `A selected game no longer exists.` for the first unknown game, or a custom field that is no
/// text; nothing is changed then.
fn change(
    draft: &mut Draft,
    games: &[GameRef],
    change: &BulkChange,
) -> Result<Vec<String>, InputError> {
    let ids = reference::select(&draft.state().games, games)?;
    let defined = draft.state().settings().get("custom_field_defs").and_then(Value::as_array);
    let defined = defined.map_or(&[][..], Vec::as_slice);
    let custom = change.custom.as_ref().map(|custom| clean::clean_custom_fields(custom, defined));
    let custom = custom.transpose()?;
    let custom = custom.as_ref().and_then(Value::as_object);
    for id in &ids {
        // OK because the id was found in this very draft.
        drop(draft.edit_by_person(id, |record| change.apply(record, custom)));
    }
    draft.set_cause(Cause::Bulk(ids.clone()));
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::State;

    #[track_caller]
    fn refused(changes: &Value, expected: &str) {
        let error = BulkChange::read(Some(changes)).map_err(|error| error.0);
        assert_eq!(error, Err(expected.to_owned()), "{changes}");
    }

    #[track_caller]
    fn changed(stored: &Value, changes: &Value) -> Record {
        let mut draft = Draft::new(State::default());
        let fields = json!([{"name": "Shelf", "options": []}, {"name": "Box"}]);
        draft.set_section("settings", json!({"custom_field_defs": fields}));
        let record = serde_json::from_value(stored.clone()).expect("an object");
        draft.add_game(record).expect("added");
        let read = BulkChange::read(Some(changes)).expect("a change");
        let ids = change(&mut draft, &[GameRef::Position(0)], &read);
        assert_eq!(ids.map(|ids| ids.len()), Ok(1));
        draft.state().games.get(0).expect("there").record()
    }

    #[test]
    fn every_value_is_checked() {
        refused(&json!({}), "No valid bulk changes were supplied.");
        refused(&json!({"name": "x"}), "No valid bulk changes were supplied.");
        refused(&json!([]), "No valid bulk changes were supplied.");
        for value in [json!(null), json!(1), json!("true")] {
            refused(&json!({"favorite": value}), "Favorite must be true or false.");
            refused(&json!({"hidden": value}), "Hidden must be true or false.");
            refused(&json!({"reset_stats": value}), "Reset stats must be true or false.");
        }
        for value in [json!(-1), json!(1.5), json!("1"), json!(true), json!(null)] {
            refused(&json!({"play_count": value}), "play_count must be a non-negative integer.");
            refused(
                &json!({"playtime_seconds": value}),
                "playtime_seconds must be a non-negative integer.",
            );
        }
        for value in [json!("yesterday"), json!(5), json!("2026-13-01"), json!("2026-02-30")] {
            let text = "last_played must be a date or date and time.";
            refused(&json!({"last_played": value}), text);
        }
        refused(&json!({"user_rating": 6}), "User rating must be an integer from 0 to 5.");
        refused(&json!({"custom_fields": []}), "Custom fields must be an object.");
        refused(&json!({"genre": []}), "Genre must be text.");
    }

    #[test]
    fn resets_first_and_merges_custom_fields() {
        let stored = json!({
            "name": "A", "play_count": 4, "playtime_seconds": 9, "last_played": "2020-01-01T00:00:00",
            "custom_fields": {"Shelf": "1", "old": "kept"}, "notes": "text",
        });
        let changes = json!({
            "reset_stats": true, "play_count": 2,
            "custom_fields": {"Box": " b ", "Shelf": "", "unknown": "x"},
        });
        let record = changed(&stored, &changes);
        assert_eq!((record.count("play_count"), record.count("playtime_seconds")), (2, 0));
        assert_eq!(record.get("last_played"), Some(&json!("")));
        let fields = json!({"Shelf": "1", "old": "kept", "Box": "b"});
        assert_eq!(record.get("custom_fields"), Some(&fields));
        assert_eq!(record.list("notes").len(), 1);
        let untouched = changed(&stored, &json!({"reset_stats": false}));
        assert_eq!(untouched.count("play_count"), 4);
    }

    #[test]
    fn times_are_stored_as_records_hold_them() {
        let time =
            |text: &str| changed(&json!({}), &json!({"last_played": text})).shown("last_played");
        assert_eq!(time("2026-05-01"), "2026-05-01");
        assert_eq!(time("2026-05-01T10:11:12"), "2026-05-01T10:11:12");
        assert_eq!(time("2026-05-01 10:11"), "2026-05-01T10:11:00");
        assert_eq!(time(" "), "");
    }
}
