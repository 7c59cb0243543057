//! An event as libraries exchange it: what a game was after a change, or that it was removed.
//!
//! An event never changes, and its id is the hash of everything else.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    catalog::{self, Catalog},
    event::FORMAT,
};
use crate::{
    base::Moment,
    mounted::{
        canonical,
        graph::{Node, Nodes},
    },
};

/// The section of a library that is about the exchange.
pub const SECTION: &str = "library_sync";

/// Bytes of an event, and of the catalog in it.
pub const BYTES: usize = 1 << 20;
const CATALOG_BYTES: usize = 256 << 10;
/// Events that are known at once.
pub const EVENTS: usize = 50_000;
/// How deep a value of a catalog is nested.
const DEPTH: usize = 8;
/// Events that one event follows.
pub const PARENTS: usize = 256;
/// Characters of an id.
const ID_CHARS: usize = 256;

/// Why something is not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EventError(pub &'static str);

/// An event that was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its id.
    pub id: String,
    /// The key of the game.
    pub key: String,
    /// The device that recorded it.
    pub device: String,
    sequence: u64,
    parents: Vec<String>,
    value: Map<String, Value>,
}

impl Node for Event {
    fn key(&self) -> &str {
        &self.key
    }

    fn parents(&self) -> &[String] {
        &self.parents
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }
}

/// Who records events: the device and the number of its next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorder {
    /// A random UUID.
    pub device: String,
    /// Counted up from 1.
    pub next: u64,
}

impl Event {
    /// Checks a value from outside.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn read(value: &Value) -> Result<Self, EventError> {
        let wrong = |sentence| Err(EventError(sentence));
        let Some(map) = value.as_object() else { return wrong("An event must be an object.") };
        let keys =
            ["format", "event_id", "device_id", "sequence", "created_at", "sync_key", "parents"];
        let is_known =
            |key: &String| keys.contains(&key.as_str()) || key == "catalog" || key == "tombstone";
        if map.len() != keys.len() + 1 || !map.keys().all(is_known) {
            return wrong("An event has other keys than it must have.");
        }
        if map.get("format").and_then(Value::as_u64) != Some(FORMAT) {
            return wrong("format must be 3.");
        }
        let id_text = |name: &str| {
            let text = map.get(name)?.as_str()?;
            let is_id = (1..=ID_CHARS).contains(&text.chars().count());
            (is_id && !text.chars().any(char::is_control)).then(|| text.to_owned())
        };
        let (Some(device), Some(key)) = (id_text("device_id"), id_text("sync_key")) else {
            return wrong("device_id and sync_key must be texts of 1 to 256 characters.");
        };
        let sequence = map.get("sequence").and_then(Value::as_u64).filter(|number| *number >= 1);
        let Some(sequence) = sequence else { return wrong("sequence must be an integer >= 1.") };
        let created = map.get("created_at").and_then(Value::as_str).unwrap_or("");
        let has_zone = created.get(10..).is_some_and(|time| time.contains(['Z', 'z', '+', '-']));
        if !has_zone || created.len() > 80 || Moment::parse_utc(created).is_none() {
            return wrong("created_at must be a time with a zone.");
        }
        let parents = map.get("parents").and_then(Value::as_array);
        let parents: Option<Vec<String>> =
            parents.and_then(|list| list.iter().map(|id| id.as_str().map(str::to_owned)).collect());
        let Some(parents) = parents.filter(|list| list.len() <= PARENTS) else {
            return wrong("parents must be a list of at most 256 ids.");
        };
        if !parents.is_sorted_by(|a, b| a < b) || !parents.iter().all(|id| canonical::is_id(id)) {
            return wrong("parents must be sorted ids, each once.");
        }
        match (map.get("catalog"), map.get("tombstone")) {
            (Some(Value::Object(catalog)), None) => check_catalog(&key, catalog)?,
            (None, Some(Value::Bool(true))) => {}
            _ => return wrong("An event has either a catalog or tombstone: true."),
        }
        if canonical::text(map).len() > BYTES {
            return wrong("An event must not be larger than 1 MiB.");
        }
        let id = canonical::id_of(map);
        if map.get(canonical::ID).and_then(Value::as_str) != Some(id.as_str()) {
            return wrong("event_id is not the hash of the event.");
        }
        Ok(Self { id, key, device, sequence, parents, value: map.clone() })
    }

    /// Records what a game is now; `parents` are sorted.
    ///
    /// # Errors
    /// A catalog that is too large.
    pub fn record(
        recorder: &mut Recorder,
        key: &str,
        parents: Vec<String>,
        catalog: Option<Catalog>,
        now: &Moment,
    ) -> Result<Self, EventError> {
        let mut map = Map::from_iter([
            ("format".to_owned(), FORMAT.into()),
            ("device_id".to_owned(), recorder.device.as_str().into()),
            ("sequence".to_owned(), recorder.next.into()),
            ("created_at".to_owned(), now.utc_iso().into()),
            ("sync_key".to_owned(), key.into()),
            ("parents".to_owned(), parents.into()),
        ]);
        match catalog {
            Some(catalog) => map.insert("catalog".to_owned(), Value::Object(catalog)),
            None => map.insert("tombstone".to_owned(), true.into()),
        };
        map.insert(canonical::ID.to_owned(), canonical::id_of(&map).into());
        let event = Self::read(&Value::Object(map))?;
        recorder.next += 1;
        Ok(event)
    }

    /// The game afterwards, as far as libraries share it; `None` when it was removed.
    pub fn catalog(&self) -> Option<Catalog> {
        let catalog = self.value.get("catalog").and_then(Value::as_object);
        catalog.map(|catalog| shared(&self.key, catalog.clone()))
    }

    /// The event as libraries exchange it.
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// The event as a file: canonical, with a line feed.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = canonical::text(&self.value);
        bytes.push(b'\n');
        bytes
    }
}

/// The events that the section of a library holds itself, when another program kept them there. What is no
/// event, is filed under another id or follows one about another game is skipped.
pub fn held(section: &Value) -> Nodes<Event> {
    let mut events = Nodes::new();
    for (id, value) in section["events"].as_object().into_iter().flatten() {
        match Event::read(value) {
            Ok(event) if event.id == *id => drop(events.insert(event.id.clone(), event)),
            Ok(_) => log::warn!("an event of the library has another id than it is filed under"),
            Err(error) => log::warn!("an event of the library cannot be read: {error}"),
        }
    }
    let is_astray = |event: &&Event| {
        let mut parents = event.parents.iter().filter_map(|id| events.get(id));
        parents.any(|parent| parent.key != event.key)
    };
    let astray: BTreeSet<String> =
        events.values().filter(is_astray).map(|event| event.id.clone()).collect();
    events.retain(|id, _| !astray.contains(id));
    events
}

/// Whether the `game_id` of a game with this key is another one in each library.
pub fn has_own_id(key: &str) -> bool {
    key.starts_with("verified:")
}

/// The part of a catalog that libraries share.
pub fn shared(key: &str, mut catalog: Catalog) -> Catalog {
    if has_own_id(key) {
        catalog.remove("game_id");
    }
    catalog
}

fn check_catalog(key: &str, catalog: &Catalog) -> Result<(), EventError> {
    let known: BTreeSet<&str> = catalog::FIELDS.into_iter().collect();
    if !catalog.keys().all(|field| known.contains(field.as_str())) {
        return Err(EventError("A catalog holds a field that is not exchanged."));
    }
    if canonical::text(catalog).len() > CATALOG_BYTES {
        return Err(EventError("A catalog must not be larger than 256 KiB."));
    }
    if catalog.values().any(|value| depth(value) > DEPTH) {
        return Err(EventError("A catalog is nested too deeply."));
    }
    let game_id = catalog.get("game_id").and_then(Value::as_str).unwrap_or("");
    if key.strip_prefix("game:").is_some_and(|id| id != game_id) {
        return Err(EventError("sync_key does not fit the game."));
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sealed(mut value: Value) -> Value {
        let id = canonical::id_of(value.as_object().expect("an object"));
        value["event_id"] = id.into();
        value
    }

    #[test]
    fn an_event_is_what_its_hash_says_and_keeps_the_rules() {
        let good = json!({"format": 3, "device_id": "d", "sequence": 1, "created_at": "2026-01-02T03:04:05Z",
            "sync_key": "game:g", "parents": [], "catalog": {"game_id": "g", "name": "Ü"}});
        assert!(Event::read(&sealed(good.clone())).is_ok());
        assert!(Event::read(&good).is_err());
        let deep = (0..9).fold(json!(1), |value, _| json!([value]));
        for (pointer, value) in [
            ("/format", json!(1)),
            ("/sequence", json!(0)),
            ("/created_at", json!("2026-01-02T03:04:05")),
            ("/sync_key", json!("game:other")),
            ("/parents", json!(["x"])),
            ("/more", json!(1)),
            ("/tombstone", json!(true)),
            ("/catalog/path", json!("/secret")),
            ("/catalog/tags", deep),
            ("/catalog/description", json!("x".repeat(CATALOG_BYTES))),
        ] {
            let mut bad = good.clone();
            let (parent, key) = pointer.rsplit_once('/').expect("a path");
            bad.pointer_mut(parent).expect("there")[key] = value;
            assert!(Event::read(&sealed(bad)).is_err(), "{pointer}");
        }
        let mut recorder = Recorder { device: "d".into(), next: 4 };
        let now = Moment::from_unix(0);
        let gone =
            Event::record(&mut recorder, "game:g", Vec::new(), None, &now).expect("recorded");
        assert_eq!((gone.catalog(), recorder.next), (None, 5));
    }
}
