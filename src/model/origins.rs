//! Where the values of a game's fields come from, and which of them are locked.
//!
//! Kept in one field of the record, [`KEY`], which a game has only when there is something to record: an
//! untouched import costs nothing. Fields that were written together share an entry. What the user set
//! is locked against every automatic pass, and the value that it replaced is kept to go back to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{media, record::Record};

/// The field of the record that holds all this.
pub const KEY: &str = "field_origins";
/// The user.
pub const PERSON: &str = "person";
/// The name and the content of the game's file.
pub const FILE: &str = "file";
/// A store, a folder or a list of another program; the reference names it.
pub const IMPORT: &str = "import";

/// Fields besides those of the media that automatic passes write, so that a lock has a meaning.
const LOCKABLE: [&str; 34] = [
    "name",
    "sort_title",
    "alternate_names",
    "platform",
    "region",
    "languages",
    "revision",
    "genre",
    "year",
    "release_date",
    "developer",
    "publisher",
    "series",
    "collection",
    "description",
    "esrb",
    "rating",
    "max_players",
    "play_mode",
    "status",
    "controller_support",
    "time_to_beat_hours",
    "wikipedia_url",
    "video_url",
    "screenshots",
    "documents",
    "path",
    "launch",
    "install_dir",
    "metadb_id",
    "gamedb_id",
    "scraper_id",
    "ach_game_id",
    "disc_count",
];
/// Where a game lies. It moves when the game is installed elsewhere, so only an express lock holds it.
const PLACE: [&str; 3] = ["path", "launch", "install_dir"];
/// Fields that are written along with others and do not show the user's intent.
const BOOKKEEPING: [&str; 3] = [KEY, "game_id", "progress_suggested"];

/// Where a value came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// [`PERSON`], [`FILE`], [`IMPORT`] or the id of a provider.
    pub by: String,
    /// Which one: the id of the game at the provider, the store or program of an import; may be blank.
    #[serde(rename = "ref", skip_serializing_if = "String::is_empty")]
    pub reference: String,
    /// Local time.
    pub at: String,
    /// The automatic pass that wrote it; blank for none that can be undone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pass: String,
}

/// What a write may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Of an automatic pass: nothing that the user set or locked.
    Pass,
    /// Of a user's request for exactly these fields of just these games: nothing that is locked expressly.
    Request,
}

/// Everything known of one game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origins {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    set: Vec<Group>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    before: BTreeMap<String, Before>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    locks: BTreeMap<String, bool>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Group {
    #[serde(flatten)]
    origin: Origin,
    fields: Vec<String>,
}

/// The value that the present one replaced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Before {
    value: Value,
    #[serde(flatten)]
    origin: Origin,
}

impl Origin {
    /// Of the user, at this local time.
    pub fn person(at: &str) -> Self {
        Self { by: PERSON.to_owned(), at: at.to_owned(), ..Self::default() }
    }

    /// Of an import from this store or program, at this local time.
    pub fn import(reference: &str, at: &str) -> Self {
        let (by, at) = (IMPORT.to_owned(), at.to_owned());
        Self { by, reference: reference.to_owned(), at, ..Self::default() }
    }

    /// Of the game's file, at this local time.
    pub fn file(at: &str) -> Self {
        Self { by: FILE.to_owned(), at: at.to_owned(), ..Self::default() }
    }

    fn is_person(&self) -> bool {
        self.by == PERSON
    }
}

impl Origins {
    /// Those of a record; none where the field is missing or nothing that can be read.
    pub fn of(record: &Record) -> Self {
        record.get(KEY).and_then(|stored| Self::deserialize(stored).ok()).unwrap_or_default()
    }

    /// Where the value of a field came from, as far as it was recorded.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        let is_of = |group: &&Group| group.fields.iter().any(|field| field == key);
        self.set.iter().find(is_of).map(|group| &group.origin)
    }

    /// Whether automatic passes leave a field alone.
    pub fn is_locked(&self, key: &str) -> bool {
        self.locks.get(key).copied().unwrap_or_else(|| {
            !PLACE.contains(&key) && self.origin(key).is_some_and(Origin::is_person)
        })
    }

    /// The express lock of a field or the express leave to write it, as far as there is one.
    pub fn lock(&self, key: &str) -> Option<bool> {
        self.locks.get(key).copied()
    }

    /// Whether a write with this right leaves a field alone.
    pub fn holds(&self, key: &str, right: Right) -> bool {
        match right {
            Right::Pass => self.is_locked(key),
            Right::Request => self.locks.get(key) == Some(&true),
        }
    }

    /// The value that can be gone back to.
    pub fn before(&self, key: &str) -> Option<(&Value, &Origin)> {
        self.before.get(key).map(|before| (&before.value, &before.origin))
    }

    fn store(self, record: &mut Record) {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) if !map.is_empty() => record.set(KEY, map),
            _ => drop(record.remove(KEY)),
        }
    }

    fn put(&mut self, key: &str, origin: Origin) {
        self.forget(key);
        match self.set.iter_mut().find(|group| group.origin == origin) {
            Some(group) => group.fields.push(key.to_owned()),
            None => self.set.push(Group { origin, fields: vec![key.to_owned()] }),
        }
    }

    fn forget(&mut self, key: &str) {
        for group in &mut self.set {
            group.fields.retain(|field| field != key);
        }
        self.set.retain(|group| !group.fields.is_empty());
    }

    /// Notes that a field of this record is about to be replaced.
    fn replaces(&mut self, record: &Record, key: &str, origin: Origin) {
        let present = self.origin(key).cloned().unwrap_or_default();
        let is_unset = record.get(key).is_none_or(is_unset);
        if origin.is_person() {
            self.locks.retain(|field, is_locked| field != key || *is_locked);
            if !present.is_person() && !is_unset && is_lockable(key) {
                self.keep(record, key, present);
            }
        } else if is_unset {
            self.before.remove(key);
        } else {
            self.keep(record, key, present);
        }
        self.put(key, origin);
    }

    fn keep(&mut self, record: &Record, key: &str, origin: Origin) {
        let value = record.get(key).cloned().unwrap_or_default();
        self.before.insert(key.to_owned(), Before { value, origin });
    }

    /// Gives a field the value that it had before and what was known of it.
    fn go_back(&mut self, record: &mut Record, key: &str) {
        self.forget(key);
        match self.before.remove(key) {
            Some(before) => {
                record.set(key, before.value);
                if !before.origin.by.is_empty() {
                    self.put(key, before.origin);
                }
            }
            None => drop(record.remove(key)),
        }
    }

    /// Adds the entries of other origins for a field.
    fn take(&mut self, key: &str, other: &Self) {
        match other.origin(key) {
            Some(origin) => self.put(key, origin.clone()),
            None => self.forget(key),
        }
        match other.before.get(key) {
            Some(before) => drop(self.before.insert(key.to_owned(), before.clone())),
            None => drop(self.before.remove(key)),
        }
        match other.locks.get(key) {
            Some(lock) => drop(self.locks.insert(key.to_owned(), *lock)),
            None => drop(self.locks.remove(key)),
        }
    }
}

/// Whether a field can be locked.
pub fn is_lockable(key: &str) -> bool {
    LOCKABLE.contains(&key) || media::FIELDS.contains(&key)
}

/// The fields that can be locked, in the order in which they are shown.
pub fn lockable() -> impl Iterator<Item = &'static str> {
    LOCKABLE.into_iter().chain(media::FIELDS)
}

/// Whether a value is that of an unset field.
pub fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

/// The one way in which automatic passes write the fields of a game.
pub struct FieldWriter<'a> {
    record: &'a mut Record,
    origins: Origins,
    origin: Origin,
    right: Right,
    changed: Vec<String>,
}

impl<'a> FieldWriter<'a> {
    /// Writes values of this origin to a record.
    pub fn new(record: &'a mut Record, origin: Origin, right: Right) -> Self {
        let origins = Origins::of(record);
        Self { record, origins, origin, right, changed: Vec::new() }
    }

    /// The record as written so far.
    pub fn record(&self) -> &Record {
        self.record
    }

    /// Sets a field that has no value; whether it did.
    pub fn fill(&mut self, key: &str, value: impl Into<Value>) -> bool {
        let is_unset = self.record.get(key).is_none_or(is_unset);
        is_unset && self.replace(key, value)
    }

    /// Sets a field that has another value; whether it did.
    pub fn replace(&mut self, key: &str, value: impl Into<Value>) -> bool {
        let value = value.into();
        let is_same = match self.record.get(key) {
            Some(present) => *present == value,
            None => is_unset(&value),
        };
        if is_same || self.origins.holds(key, self.right) {
            return false;
        }
        if is_lockable(key) {
            self.origins.replaces(self.record, key, self.origin.clone());
        }
        self.record.set(key, value);
        self.changed.push(key.to_owned());
        true
    }

    /// The fields that have another value now, in the order of the writes.
    pub fn finish(self) -> Vec<String> {
        if !self.changed.is_empty() {
            self.origins.store(self.record);
        }
        self.changed
    }
}

/// Notes what the user changed in a record, at this local time.
pub fn mark_person(before: &Record, record: &mut Record, at: &str) {
    let mut keys: Vec<&String> = before.0.keys().chain(record.0.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let value =
        |record: &Record, key: &str| record.get(key).filter(|value| !is_unset(value)).cloned();
    let is_changed = |key: &&&String| {
        !BOOKKEEPING.contains(&key.as_str()) && value(before, key) != value(record, key)
    };
    let keys: Vec<String> = keys.iter().filter(is_changed).map(|key| (*key).clone()).collect();
    if keys.is_empty() {
        return;
    }
    let mut origins = Origins::of(record);
    for key in keys {
        origins.replaces(before, &key, Origin::person(at));
    }
    origins.store(record);
}

/// Notes that the user made this record.
pub fn mark_made(record: &mut Record, at: &str) {
    let mut origins = Origins::of(record);
    let set: Vec<String> =
        record.0.iter().filter(|(_, value)| !is_unset(value)).map(|(key, _)| key.clone()).collect();
    for key in set.iter().filter(|key| is_lockable(key)) {
        origins.put(key, Origin::person(at));
    }
    origins.store(record);
}

/// Whether the user changed anything in a game.
pub fn is_edited(record: &Record) -> bool {
    Origins::of(record).set.iter().any(|group| group.origin.is_person())
}

/// Locks a field or lets automatic passes write it again; whether that changed anything.
pub fn set_lock(record: &mut Record, key: &str, is_locked: bool) -> bool {
    let mut origins = Origins::of(record);
    let present = origins.locks.get(key).copied();
    // A lock that the origin implies already is written down all the same: it then holds requests too.
    let wanted = if is_locked {
        Some(true)
    } else {
        origins.origin(key).is_some_and(Origin::is_person).then_some(false)
    };
    match wanted {
        Some(lock) => drop(origins.locks.insert(key.to_owned(), lock)),
        None => drop(origins.locks.remove(key)),
    }
    origins.store(record);
    present != wanted
}

/// Gives a field its last automatic value, and opens it for automatic passes; whether there is one.
pub fn revert(record: &mut Record, key: &str) -> bool {
    let mut origins = Origins::of(record);
    if !origins.before.contains_key(key) {
        return false;
    }
    origins.locks.remove(key);
    origins.go_back(record, key);
    origins.store(record);
    true
}

/// Undoes what an automatic pass wrote to a record and was not changed or locked since; returns the fields.
pub fn undo_pass(record: &mut Record, pass: &str) -> Vec<String> {
    let mut origins = Origins::of(record);
    let of_pass = origins.set.iter().filter(|group| group.origin.pass == pass);
    let fields = of_pass.flat_map(|group| group.fields.iter());
    let fields: Vec<String> =
        fields.filter(|field| !origins.holds(field, Right::Request)).cloned().collect();
    for field in &fields {
        origins.go_back(record, field);
    }
    if !fields.is_empty() {
        origins.store(record);
    }
    fields
}

/// Gives fields of a record the origins that they have in another one.
pub fn carry(record: &mut Record, other: &Record, keys: &[&str]) {
    if record.get(KEY).is_none() && other.get(KEY).is_none() {
        return;
    }
    let (mut origins, other) = (Origins::of(record), Origins::of(other));
    for key in keys {
        origins.take(key, &other);
    }
    origins.store(record);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::fields;

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    fn provider(pass: &str) -> Origin {
        let text = str::to_owned;
        Origin { by: text("metadb"), reference: text("7"), at: text("t2"), pass: text(pass) }
    }

    fn person(row: &mut Record, key: &str, value: impl Into<Value>) {
        let before = row.clone();
        row.set(key, value);
        mark_person(&before, row, "t1");
    }

    #[test]
    fn what_can_be_locked_is_a_field() {
        let mut seen = std::collections::HashSet::new();
        for key in lockable() {
            assert!(fields::field(key).is_some() && seen.insert(key), "{key}");
        }
        assert!(PLACE.iter().all(|key| is_lockable(key)));
    }

    #[test]
    fn a_pass_writes_together_and_is_taken_back_together() {
        let start = record(json!({"name": "a (USA)", "genre": "", "unknown": 1}));
        let mut row = start.clone();
        let mut writer = FieldWriter::new(&mut row, provider("p1"), Right::Pass);
        assert!(writer.replace("name", "A") && writer.fill("genre", "Puzzle"));
        assert!(writer.fill("year", "1990"));
        assert!(!writer.fill("year", "1991") && !writer.replace("genre", "Puzzle"));
        assert!(!writer.replace("developer", ""));
        assert_eq!(writer.finish(), ["name", "genre", "year"]);
        let stored = json!({
            "set": [{"by": "metadb", "ref": "7", "at": "t2", "pass": "p1",
                     "fields": ["name", "genre", "year"]}],
            "before": {"name": {"value": "a (USA)", "by": "", "at": ""}},
        });
        assert_eq!(row.get(KEY), Some(&stored));
        let mut other = row.clone();
        assert!(undo_pass(&mut other, "p2").is_empty() && other == row);
        person(&mut row, "year", "1989");
        assert_eq!(undo_pass(&mut row, "p1"), ["name", "genre"]);
        assert_eq!(row.text("name"), "a (USA)");
        assert_eq!((row.text("year"), row.get("genre")), ("1989", None));
        assert!(revert(&mut row, "year") && row.text("year") == "1990");
        assert_eq!(Origins::of(&row).origin("year"), Some(&provider("p1")));
        assert_eq!(undo_pass(&mut row, "p1"), ["year"]);
        assert_eq!(row, record(json!({"name": "a (USA)", "unknown": 1})));
    }

    #[test]
    fn what_a_person_set_is_locked() {
        let mut row = record(json!({"name": "A", "genre": "Old", "path": "/a"}));
        person(&mut row, "genre", "Mine");
        person(&mut row, "path", "/b");
        person(&mut row, "series", "");
        let write = |row: &mut Record, right, key: &str| {
            let mut writer = FieldWriter::new(row, provider("p"), right);
            writer.replace(key, "theirs");
            !writer.finish().is_empty()
        };
        assert!(!write(&mut row, Right::Pass, "genre"));
        assert!(write(&mut row.clone(), Right::Pass, "path"), "a game may move");
        assert!(write(&mut row.clone(), Right::Pass, "series"), "nothing was set");
        assert!(write(&mut row.clone(), Right::Request, "genre"));
        assert!(set_lock(&mut row, "genre", true) && set_lock(&mut row, "path", true));
        assert!(!set_lock(&mut row, "path", true));
        for right in [Right::Pass, Right::Request] {
            assert!(!write(&mut row, right, "genre") && !write(&mut row, right, "path"));
        }
        assert!(set_lock(&mut row, "genre", false));
        assert!(write(&mut row, Right::Pass, "genre"));
        assert_eq!(Origins::of(&row).before("genre").map(|before| before.0), Some(&json!("Mine")));
        person(&mut row, "genre", "");
        assert!(!write(&mut row, Right::Pass, "genre"), "a cleared field stays clear");
        assert!(set_lock(&mut row, "name", true) && set_lock(&mut row, "name", false));
        assert!(!Origins::of(&row).locks.contains_key("name"));
    }

    #[test]
    fn reverting_goes_back_to_the_last_automatic_value() {
        let mut row = record(json!({"name": "A", "notes": []}));
        assert!(!revert(&mut row, "name") && !is_edited(&row));
        person(&mut row, "name", "B");
        person(&mut row, "name", "C");
        person(&mut row, "notes", json!([{"ts": "t", "text": "x"}]));
        assert!(is_edited(&row) && set_lock(&mut row, "name", true));
        assert!(!revert(&mut row, "notes"), "no pass writes them");
        assert!(revert(&mut row, "name"));
        assert_eq!(row.text("name"), "A");
        assert!(!Origins::of(&row).is_locked("name"));
        let mut made = record(json!({"name": "A", "genre": "", "favorite": true}));
        mark_made(&mut made, "t");
        let known = Origins::of(&made);
        assert!(known.is_locked("name"));
        assert!(["genre", "favorite"].iter().all(|key| known.origin(key).is_none()));
    }

    #[test]
    fn what_is_known_moves_with_a_value() {
        let mut from = record(json!({"name": "A", "genre": "x"}));
        person(&mut from, "genre", "y");
        set_lock(&mut from, "genre", true);
        let mut to = record(json!({"name": "B", "genre": "y"}));
        carry(&mut to, &from, &["genre", "year"]);
        assert_eq!(to.get(KEY), from.get(KEY));
        carry(&mut to, &record(json!({})), &["genre"]);
        assert_eq!(to.get(KEY), None);
        let odd = record(json!({KEY: [1]}));
        assert_eq!(Origins::of(&odd), Origins::default());
    }
}
