//! The recorded part of a game, and the key that names it over its life.
//!
//! The catalog is what describes a game: names, people, ids, notes, tags. Where it lies, how it is
//! started, how it was played and what it looks like never enter an event. A field that is unset
//! (missing, null, empty) is not part of the catalog, so writing an empty text where nothing was is
//! no change.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::model::Game;

/// The catalog of one game: the fields of [`FIELDS`] that are set, in the order of their names.
pub type Catalog = Map<String, Value>;

/// The fields of a catalog.
pub const FIELDS: [&str; 31] = [
    "game_id",
    "name",
    "sort_title",
    "alternate_names",
    "platform",
    "genre",
    "year",
    "developer",
    "publisher",
    "series",
    "region",
    "esrb",
    "max_players",
    "description",
    "notes",
    "wikipedia_url",
    "source",
    "store_a_app_id",
    "store_b_app_id",
    "store_c_id",
    "libserver_id",
    "gamedb_id",
    "ach_game_id",
    "metadb_id",
    "disc_count",
    "rom_name",
    "clone_of",
    "set_type",
    "manual_entry",
    "tags",
    LIBRARY_SYNC_ID,
];

/// The id under which several libraries know one game.
const LIBRARY_SYNC_ID: &str = "library_sync_id";

/// Fields that say which game it is, here or at a provider. They are recorded and never reverted:
/// other records point to them.
pub const IDENTITY: [&str; 9] = [
    "game_id",
    "store_a_app_id",
    "store_b_app_id",
    "store_c_id",
    "libserver_id",
    "gamedb_id",
    "ach_game_id",
    "metadb_id",
    LIBRARY_SYNC_ID,
];

/// Whether a field may be undone.
pub fn is_revertible(field: &str) -> bool {
    FIELDS.contains(&field) && !IDENTITY.contains(&field)
}

/// The catalog of a game.
pub fn of(game: &Game) -> Catalog {
    let mut reader = serde_json::Deserializer::from_str(game.json());
    // OK because the text of a game was read as an object when the game was made.
    let mut catalog = reader.deserialize_map(Fields).unwrap_or_default();
    catalog.insert("game_id".to_owned(), game.id().into());
    catalog
}

/// The key of a game: the id it shares with other libraries, else its own.
pub fn sync_key(catalog: &Catalog) -> String {
    let text = |field: &str| catalog.get(field).and_then(Value::as_str).unwrap_or("");
    match text(LIBRARY_SYNC_ID).trim() {
        "" => own_key(text("game_id")),
        shared => format!("verified:{shared}"),
    }
}

/// The key of a game that is known here only.
pub fn own_key(game_id: &str) -> String {
    format!("game:{game_id}")
}

/// Whether a field with this value counts as unset.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Reads the fields of a catalog out of a record and passes over the rest without building it.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Catalog;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a game")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Catalog, A::Error> {
        let mut catalog = Catalog::new();
        while let Some(Key(key)) = fields.next_key()? {
            let Some(key) = key else {
                fields.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: Value = fields.next_value()?;
            if is_blank(&value) {
                catalog.remove(key);
            } else {
                catalog.insert(key.to_owned(), value);
            }
        }
        Ok(catalog)
    }
}

/// The name of a field, when it is one of the catalog.
struct Key(Option<&'static str>);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(Key(FIELDS.into_iter().find(|field| *field == key)))
    }
}

/// One field that differs between two catalogs; `None` is unset.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The field.
    pub field: String,
    /// Its value before.
    pub from: Option<Value>,
    /// Its value after.
    pub to: Option<Value>,
}

/// The fields in which two catalogs differ, in the order of their names.
pub fn differences(before: &Catalog, after: &Catalog) -> Vec<Difference> {
    let mut fields: Vec<&String> = before.keys().chain(after.keys()).collect();
    fields.sort_unstable();
    fields.dedup();
    let values = |field: &String| (before.get(field).cloned(), after.get(field).cloned());
    fields
        .into_iter()
        .map(|field| (field, values(field)))
        .filter(|(_, (from, to))| from != to)
        .map(|(field, (from, to))| Difference { field: field.clone(), from, to })
        .collect()
}

/// Differences as an object `{field: {from, to}}`; unset is null.
pub fn shown(differences: &[Difference]) -> Value {
    let entry =
        |it: &Difference| (it.field.clone(), serde_json::json!({"from": it.from, "to": it.to}));
    Value::Object(differences.iter().map(entry).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Record;

    #[track_caller]
    fn check(record: Value, expected: Value, key: &str) {
        let record: Record = serde_json::from_value(record).expect("an object");
        let catalog = of(&Game::seal(&record));
        assert_eq!(Value::Object(catalog.clone()), expected);
        assert_eq!(sync_key(&catalog), key);
    }

    #[test]
    fn only_what_describes_a_game_and_is_set_is_recorded() {
        check(
            json!({"game_id": "game-1", "name": "A \"b\"\n", "path": "/x", "favorite": true,
                "hidden": true, "progress": "Beaten", "rating": 4, "playtime_seconds": 3,
                "cover": "/c", "launch": "x", "genre": "", "tags": [], "notes": null,
                "year": "1991", "disc_count": 0, "manual_entry": false}),
            json!({"game_id": "game-1", "name": "A \"b\"\n", "year": "1991", "disc_count": 0,
                "manual_entry": false}),
            "game:game-1",
        );
        check(
            json!({"game_id": "game-1", "library_sync_id": " shared "}),
            json!({"game_id": "game-1", "library_sync_id": " shared "}),
            "verified:shared",
        );
    }

    #[test]
    fn the_difference_of_two_catalogs_is_true_both_ways() {
        let catalog = |value: Value| value.as_object().cloned().unwrap_or_default();
        let one = catalog(json!({"name": "A", "genre": "x", "year": "1"}));
        let two = catalog(json!({"name": "B", "tags": ["t"], "year": "1"}));
        let expected = json!({"genre": {"from": "x", "to": null}, "name": {"from": "A", "to": "B"},
            "tags": {"from": null, "to": ["t"]}});
        assert_eq!(shown(&differences(&one, &two)), expected);
        assert_eq!(differences(&two, &two), []);
        assert_eq!(differences(&two, &one).len(), 3);
    }
}
