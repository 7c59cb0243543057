//! Records that are written here: members, challenges, results and shares.

use serde_json::{Map, Value, json};

use super::{
    book::Book,
    error::HouseholdError,
    record::{self, Kind, Record, STATUSES, challenge_key},
    views::{Period, USUAL_COLOR, ineligible},
};
use crate::base::{Moment, ids};

/// Bytes of the random id of a challenge.
const ID_BYTES: usize = 16;

/// A field that is given: not null and, as a text, trimmed and not blank.
fn given(body: &Map<String, Value>, name: &str) -> Option<Value> {
    match body.get(name)? {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.trim().into()),
        other => Some(other.clone()),
    }
}

/// An id that is given, as text. What is not an id stays as it is and is refused with the record.
fn given_id(body: &Map<String, Value>, name: &str) -> Option<Value> {
    let value = given(body, name)?;
    Some(record::id_of(&value).map_or(value, Value::String))
}

fn field<T>(sentence: impl Into<String>) -> Result<T, HouseholdError> {
    Err(HouseholdError::Field(sentence.into()))
}

fn required_id(body: &Map<String, Value>, name: &str) -> Result<Value, HouseholdError> {
    match given_id(body, name) {
        Some(id) => Ok(id),
        None => field(format!("{name} is required.")),
    }
}

/// The period of a request; `None` when it names none.
///
/// # Errors
/// When it is not a period.
pub fn period(value: Option<&Value>) -> Result<Option<Period>, HouseholdError> {
    let known = || format!("period must be one of {}.", record::PERIODS.join(", "));
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => match Period::read(text) {
            Some(period) => Ok(Some(period)),
            None => field(known()),
        },
        Some(_) => field(known()),
    }
}

/// Writes a record into the book; a field that breaks a rule is one of the request.
fn write(
    book: &mut Book,
    kind: Kind,
    payload: &Map<String, Value>,
    now: &Moment,
) -> Result<Record, HouseholdError> {
    book.check_room(1)?;
    book.write(kind, payload, now).map_err(|error| HouseholdError::Field(error.0))
}

/// Adds or updates a member.
///
/// # Errors
/// [`HouseholdError::Field`], or a household that is full.
pub fn member(
    book: &mut Book,
    body: &Map<String, Value>,
    now: &Moment,
) -> Result<Record, HouseholdError> {
    let mut payload = Map::from_iter([("member_id".to_owned(), required_id(body, "member_id")?)]);
    match given(body, "display_name") {
        Some(name) => payload.insert("display_name".to_owned(), name),
        None => return field("display_name is required."),
    };
    let color = given(body, "avatar_color").unwrap_or_else(|| USUAL_COLOR.into());
    payload.insert("avatar_color".to_owned(), color);
    let shared = given(body, "stats_shared").unwrap_or(Value::Bool(false));
    payload.insert("stats_shared".to_owned(), shared);
    write(book, Kind::Member, &payload, now)
}

/// Adds or updates a challenge.
///
/// # Errors
/// As [`member`].
pub fn challenge(
    book: &mut Book,
    body: &Map<String, Value>,
    now: &Moment,
) -> Result<Record, HouseholdError> {
    let id = given_id(body, "challenge_id").unwrap_or_else(|| ids::random_hex(ID_BYTES).into());
    let Some(title) = given(body, "title") else { return field("title is required.") };
    let by = given_id(body, "created_by").unwrap_or_else(|| book.device.as_str().into());
    let mut payload = Map::from_iter([
        ("challenge_id".to_owned(), id),
        ("title".to_owned(), title),
        ("metric".to_owned(), given(body, "metric").unwrap_or_else(|| "completions".into())),
        ("target".to_owned(), given(body, "target").unwrap_or_else(|| 1.into())),
        ("created_by".to_owned(), by),
    ]);
    for (name, value) in [
        ("description", given(body, "description")),
        ("game_id", given_id(body, "game_id")),
        ("deadline", given(body, "deadline")),
        ("participant_ids", given(body, "participant_ids")),
        ("status", Some(given(body, "status").unwrap_or_else(|| STATUSES[0].into()))),
    ] {
        if let Some(value) = value {
            payload.insert(name.to_owned(), value);
        }
    }
    write(book, Kind::Challenge, &payload, now)
}

/// Adds or updates what a member reached in a challenge.
///
/// # Errors
/// As [`member`], and [`HouseholdError::Record`] when the challenge takes no such result.
pub fn result(
    book: &mut Book,
    body: &Map<String, Value>,
    now: &Moment,
) -> Result<Record, HouseholdError> {
    let challenge_id = required_id(body, "challenge_id")?;
    let member_id = required_id(body, "member_id")?;
    let mut payload = Map::from_iter([
        ("challenge_id".to_owned(), challenge_id.clone()),
        ("member_id".to_owned(), member_id.clone()),
        ("value".to_owned(), given(body, "value").unwrap_or_else(|| 0.into())),
    ]);
    let text = |value: &Value| record::id_of(value).unwrap_or_default();
    let winners = book.winners();
    let challenge = winners.get(&challenge_key(&text(&challenge_id))).copied();
    let challenge = challenge.filter(|challenge| challenge.payload().is_some());
    let refused = |sentence: &str| Err(HouseholdError::Record(sentence.to_owned()));
    let Some(challenge) = challenge else { return refused("There is no such challenge.") };
    if !matches!(challenge.text("status"), "" | "open" | "active") {
        return refused("The challenge is closed.");
    }
    // A result is about the game of its challenge unless it says something else.
    let of_challenge = Some(challenge.id_text("game_id")).filter(|game| !game.is_empty());
    let game = given_id(body, "game_id").or_else(|| of_challenge.map(Value::String));
    let game_text = game.as_ref().map(text).unwrap_or_default();
    if let Some(reason) = ineligible(challenge, &text(&member_id), &game_text, now) {
        return refused(reason);
    }
    if let Some(game) = game {
        payload.insert("game_id".to_owned(), game);
    }
    if let Some(note) = given(body, "note") {
        payload.insert("note".to_owned(), note);
    }
    if let Some(completed) = given(body, "completed") {
        if completed == Value::Bool(true) {
            payload.insert("completed_at".to_owned(), now.utc_iso().into());
        }
        payload.insert("completed".to_owned(), completed);
    }
    write(book, Kind::Result, &payload, now)
}

/// Shares statistics of a member; `computed` are those of this library.
///
/// # Errors
/// As [`member`].
pub fn share(
    book: &mut Book,
    body: &Map<String, Value>,
    period: Period,
    computed: Option<Map<String, Value>>,
    now: &Moment,
) -> Result<Record, HouseholdError> {
    let member_id = required_id(body, "member_id")?;
    let Some(member) = record::id_of(&member_id) else {
        return field("member_id must be an id of 1 to 256 characters.");
    };
    let share_id = format!("{member}:{}", period.name());
    if share_id.chars().count() > record::ID_CHARS {
        return field("member_id is too long to share statistics.");
    }
    let stats = computed.map_or_else(|| given(body, "stats").unwrap_or_default(), Value::Object);
    let mut payload = Map::from_iter([
        ("share_id".to_owned(), share_id.into()),
        ("member_id".to_owned(), member.into()),
        ("period".to_owned(), json!(period)),
        ("stats".to_owned(), stats),
    ]);
    if let Some(start) = period.start(now) {
        payload.insert("window_start".to_owned(), Moment::from_unix(start).utc_iso().into());
        payload.insert("window_end".to_owned(), now.utc_iso().into());
    }
    write(book, Kind::Share, &payload, now)
}
