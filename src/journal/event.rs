//! One event: what a game was after a change, or that it was removed.
//!
//! The form is the one in which libraries exchange events. The id is the SHA-256 of the canonical
//! JSON of everything else: keys sorted, no spaces, text as it is. So an event that was changed has
//! another id, and the same event has one id everywhere.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::catalog::Catalog;
use crate::base::{Moment, ids, named::named};

/// The version of the form.
pub const FORMAT: u64 = 3;

/// The 32 bytes of an event's id.
pub type EventId = [u8; 32];

named! {
    /// What kind of change an event records.
    pub enum Kind {
        /// The first event of a game.
        Add = "add",
        /// A change of a game that was there.
        Edit = "edit",
        /// The removal of a game.
        Delete = "delete",
        /// A game that was restored after its removal.
        Restore = "restore",
    }
}

impl Kind {
    /// The letter that stands for it in the file.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Add => 'a',
            Self::Edit => 'e',
            Self::Delete => 'd',
            Self::Restore => 'r',
        }
    }

    pub(super) fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter)
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// The library that recorded it, a random UUID.
    pub device_id: String,
    /// Counted up by that library, from 1.
    pub sequence: u64,
    /// When, in microseconds since the Unix epoch.
    pub at: i64,
    /// The game it is about.
    pub sync_key: String,
    /// What kind of change it is.
    pub kind: Kind,
    /// The events it follows, sorted; none for the first of a game.
    pub parents: Vec<EventId>,
    /// The game afterwards; `None` when it was removed.
    pub catalog: Option<Catalog>,
    /// What was undone by it: the event, the fields, and whether it was undone.
    pub revert: Option<Value>,
}

impl Event {
    /// The event as libraries exchange it, with its id.
    #[cfg(test)]
    pub fn to_value(&self) -> Value {
        let mut map = self.hashed();
        map.insert("event_id".to_owned(), ids::hex(&self.id).into());
        Value::Object(map)
    }

    /// The id this content must have.
    pub fn derive_id(&self) -> EventId {
        // OK because a map of JSON values has text keys and finite numbers only; its keys are sorted.
        let text = serde_json::to_vec(&self.hashed()).unwrap_or_default();
        Sha256::digest(text).into()
    }

    fn hashed(&self) -> Map<String, Value> {
        let parents: Vec<String> = self.parents.iter().map(|id| ids::hex(id)).collect();
        let mut map = Map::from_iter([
            ("format".to_owned(), json!(FORMAT)),
            ("device_id".to_owned(), json!(self.device_id)),
            ("sequence".to_owned(), json!(self.sequence)),
            ("created_at".to_owned(), json!(iso(self.at))),
            ("sync_key".to_owned(), json!(self.sync_key)),
            ("parents".to_owned(), json!(parents)),
        ]);
        match &self.catalog {
            Some(catalog) => map.insert("catalog".to_owned(), Value::Object(catalog.clone())),
            None => map.insert("tombstone".to_owned(), true.into()),
        };
        map
    }
}

/// A time as events write it: UTC with microseconds.
pub fn iso(micros: i64) -> String {
    Moment::from_unix_micros(micros).utc_iso()
}

/// The id that 64 lower-case hex digits spell.
pub fn read_id(text: &str) -> Option<EventId> {
    let digits = text.as_bytes();
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut id = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_the_hash_of_the_canonical_text() {
        let catalog = json!({"name": "Zwölf \u{2603}", "game_id": "game-1"});
        let mut event = Event {
            id: [0; 32],
            device_id: "d".into(),
            sequence: 7,
            at: 1_700_000_000_123_456,
            sync_key: "game:game-1".into(),
            kind: Kind::Add,
            parents: Vec::new(),
            catalog: catalog.as_object().cloned(),
            revert: None,
        };
        let text = "{\"catalog\":{\"game_id\":\"game-1\",\"name\":\"Zwölf \u{2603}\"},\
            \"created_at\":\"2023-11-14T22:13:20.123456+00:00\",\"device_id\":\"d\",\"format\":3,\
            \"parents\":[],\"sequence\":7,\"sync_key\":\"game:game-1\"}";
        let expected: EventId = Sha256::digest(text).into();
        assert_eq!(event.derive_id(), expected);
        event.id = expected;
        assert_eq!(event.to_value()["event_id"], ids::hex(&expected));
        event.catalog = None;
        event.parents.push(expected);
        assert_ne!(event.derive_id(), expected);
        assert_eq!(event.to_value()["tombstone"], true);
        assert_eq!(event.to_value()["parents"], json!([ids::hex(&expected)]));
    }

    #[test]
    fn ids_read_back_and_nothing_else_does() {
        let id: EventId = Sha256::digest(b"x").into();
        assert_eq!(read_id(&ids::hex(&id)), Some(id));
        for bad in ["", "00", &"g".repeat(64), &"A".repeat(64), &"0".repeat(65), &"ü".repeat(32)] {
            assert_eq!(read_id(bad), None, "{bad}");
        }
    }
}
