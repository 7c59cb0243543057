//! Playtime entered by hand: a list of `{seconds, date, note}` in the field `manual_sessions`
//! (`/api/v2/library/playtime/*`).
//!
//! The total is counted from the list when the game is shown, so it never disagrees with it.

use serde_json::{Map, Value, json};

use super::{
    clean::{InputError, refuse},
    edit::EditError,
    progress,
    reference::GameRef,
};
use crate::{
    base::{Day, Moment, limits, schema::schema},
    model::Draft,
    store::{Committed, Store},
};

const FIELD: &str = "manual_sessions";

/// A checked entry, before its date is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    seconds: u64,
    date: Option<String>,
    note: Option<String>,
}

schema! {
    "PlaytimeEntry"
    /// An entry as it is stored.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StoredEntry {
        /// The day.
        pub date: String,
        /// A remark.
        pub note: String,
        /// How long it was played.
        pub seconds: u64,
    }
}

impl Entry {
    /// Reads `seconds`, `date` and `note` of a request.
    ///
    /// # Errors
    /// The sentence for the first of them that is not within its bounds.
    pub fn read(body: &Map<String, Value>) -> Result<Self, InputError> {
        let seconds = body.get("seconds").filter(|seconds| seconds.is_i64() || seconds.is_u64());
        let seconds =
            seconds.ok_or_else(|| InputError("seconds must be an integer.".to_owned()))?;
        let seconds =
            seconds.as_u64().filter(|seconds| (1..=limits::MANUAL_SECONDS).contains(seconds));
        let bounds =
            || InputError(format!("seconds must be between 1 and {}.", limits::MANUAL_SECONDS));
        Ok(Self {
            seconds: seconds.ok_or_else(bounds)?,
            date: read_date(body.get("date"))?,
            note: read_note(body.get("note"))?,
        })
    }

    /// The stored form: what is missing comes from the entry before, then from now.
    fn stored(self, before: Option<&Value>, now: &Moment) -> StoredEntry {
        let kept = |key: &str| {
            let text = before.and_then(|entry| entry.get(key)?.as_str());
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let date = self.date.or_else(|| kept("date")).unwrap_or_else(|| now.local_date());
        let note = self.note.or_else(|| kept("note")).unwrap_or_default();
        StoredEntry { date, note, seconds: self.seconds }
    }
}

fn read_date(value: Option<&Value>) -> Result<Option<String>, InputError> {
    let error = || InputError("date must be YYYY-MM-DD.".to_owned());
    let text = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim(),
        Some(_) => return Err(error()),
    };
    if text.is_empty() {
        return Ok(None);
    }
    let day = Day::parse(text).filter(|day| day.text() == text);
    if day.is_some() { Ok(Some(text.to_owned())) } else { Err(error()) }
}

fn read_note(value: Option<&Value>) -> Result<Option<String>, InputError> {
    let text = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim(),
        Some(_) => return refuse("note must be text."),
    };
    if text.chars().count() > limits::MANUAL_NOTE_CHARS {
        let limit = limits::MANUAL_NOTE_CHARS;
        return refuse(format!("note must be at most {limit} characters."));
    }
    Ok(Some(text.to_owned()))
}

/// As [`log`], in one commit.
pub fn log_entry(
    store: &Store,
    game: &GameRef,
    entry: Entry,
) -> Committed<(String, StoredEntry), EditError> {
    store.commit(|draft| log(draft, game, entry))
}

/// Adds an entry and returns the id of the game and the entry as stored; without a date it is
/// today's.
///
/// # Errors
/// [`EditError::UnknownGame`].
fn log(
    draft: &mut Draft,
    game: &GameRef,
    entry: Entry,
) -> Result<(String, StoredEntry), EditError> {
    let stored = entry.stored(None, draft.now());
    let id = progress::edit_list(draft, game, FIELD, |entries| {
        entries.push(json!(stored));
        Ok(())
    })?;
    Ok((id, stored))
}

/// As [`update`], in one commit.
pub fn update_entry(
    store: &Store,
    game: &GameRef,
    index: i64,
    entry: Entry,
) -> Committed<(String, StoredEntry), EditError> {
    store.commit(|draft| update(draft, game, index, entry))
}

/// Replaces the entry at `index`; a date or note that is not given stays.
///
/// # Errors
/// `Unknown playtime entry.`, or [`EditError::UnknownGame`].
fn update(
    draft: &mut Draft,
    game: &GameRef,
    index: i64,
    entry: Entry,
) -> Result<(String, StoredEntry), EditError> {
    let mut stored = None;
    let now = draft.now().clone();
    let id = progress::edit_list(draft, game, FIELD, |entries| {
        let slot = find(entries.len(), index).and_then(|at| entries.get_mut(at));
        let slot = slot.ok_or_else(unknown)?;
        let entry = entry.stored(Some(slot), &now);
        *slot = json!(entry);
        stored = Some(entry);
        Ok(())
    })?;
    Ok((id, stored.ok_or_else(unknown)?))
}

/// As [`delete`], in one commit.
pub fn delete_entry(store: &Store, game: &GameRef, index: i64) -> Committed<String, EditError> {
    store.commit(|draft| delete(draft, game, index))
}

/// Removes the entry at `index`.
///
/// # Errors
/// `Unknown playtime entry.`, or [`EditError::UnknownGame`].
fn delete(draft: &mut Draft, game: &GameRef, index: i64) -> Result<String, EditError> {
    progress::edit_list(draft, game, FIELD, |entries| {
        let at = find(entries.len(), index).ok_or_else(unknown)?;
        entries.remove(at);
        Ok(())
    })
}

fn unknown() -> InputError {
    InputError("Unknown playtime entry.".to_owned())
}

fn find(len: usize, index: i64) -> Option<usize> {
    usize::try_from(index).ok().filter(|at| *at < len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::State;

    #[track_caller]
    fn check(body: &Value, expected: Result<(u64, Option<&str>, Option<&str>), &str>) {
        let read = Entry::read(body.as_object().expect("an object"));
        let read = read.map(|entry| (entry.seconds, entry.date, entry.note));
        let text = |text: Option<&str>| text.map(str::to_owned);
        let expected = expected.map(|(seconds, date, note)| (seconds, text(date), text(note)));
        assert_eq!(read.map_err(|error| error.0), expected.map_err(str::to_owned), "{body}");
    }

    #[test]
    fn entries_stay_within_their_bounds() {
        check(&json!({"seconds": 1}), Ok((1, None, None)));
        check(&json!({"seconds": 86_400, "date": ""}), Ok((86_400, None, None)));
        for seconds in [json!(0), json!(86_401), json!(-5), json!(u64::MAX)] {
            check(&json!({"seconds": seconds}), Err("seconds must be between 1 and 86400."));
        }
        for seconds in [json!(null), json!("60"), json!(1.5), json!(true)] {
            check(&json!({"seconds": seconds}), Err("seconds must be an integer."));
        }
        check(&json!({}), Err("seconds must be an integer."));
        let dated = json!({"seconds": 1, "date": "2026-02-28", "note": " x "});
        check(&dated, Ok((1, Some("2026-02-28"), Some("x"))));
        let last = json!({"seconds": 1, "date": "9999-12-31"});
        check(&last, Ok((1, Some("9999-12-31"), None)));
        for date in
            [json!("2026-02-30"), json!("28.2.2026"), json!("2026-02-28T10:00:00"), json!(1)]
        {
            check(&json!({"seconds": 1, "date": date}), Err("date must be YYYY-MM-DD."));
        }
        let note = "ä".repeat(200);
        check(&json!({"seconds": 1, "note": note}), Ok((1, None, Some(&note))));
        let note = "ä".repeat(201);
        check(&json!({"seconds": 1, "note": note}), Err("note must be at most 200 characters."));
        check(&json!({"seconds": 1, "note": 4}), Err("note must be text."));
    }

    #[test]
    fn the_list_is_edited_by_index() {
        let mut draft = Draft::new(State::default());
        draft
            .add_game(json!({"game_id": "g"}).as_object().cloned().expect("it").into())
            .expect("added");
        let game = GameRef::Position(0);
        let entry = |body: Value| Entry::read(body.as_object().expect("an object")).expect("valid");
        let (_, first) =
            log(&mut draft, &game, entry(json!({"seconds": 5, "note": "n"}))).expect("logged");
        assert_eq!(json!(first), json!({"seconds": 5, "date": "1970-01-01", "note": "n"}));
        let changed = update(&mut draft, &game, 0, entry(json!({"seconds": 7}))).expect("there");
        assert_eq!(json!(changed.1), json!({"seconds": 7, "date": "1970-01-01", "note": "n"}));
        assert_eq!(draft.state().games.get(0).expect("there").manual_playtime_seconds(), 7);
        for index in [-1, 1] {
            let missing = EditError::Refused(unknown());
            assert_eq!(delete(&mut draft, &game, index), Err(missing));
        }
        delete(&mut draft, &game, 0).expect("there");
        assert_eq!(draft.state().games.get(0).expect("there").manual_playtime_seconds(), 0);
    }
}
