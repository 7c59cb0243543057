//! The content of the library file, as one immutable value.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use super::{games::Games, rows::Row};

/// The key of the section of the settings.
pub(super) const SETTINGS: &str = "settings";

/// The version of the library file this build writes and the newest it reads.
pub const SCHEMA_VERSION: u64 = 6;

/// The library at one revision: the games and the sections. A clone is cheap.
#[derive(Clone, Default)]
pub struct State {
    /// All games in library order.
    pub games: Games,
    /// Counted up by every commit for the life of the library.
    pub revision: u64,
    sections: BTreeMap<Arc<str>, Arc<Value>>,
}

static NOTHING: Value = Value::Null;

impl State {
    /// A state of these games and sections.
    pub fn new(games: Games, sections: BTreeMap<Arc<str>, Arc<Value>>, revision: u64) -> Self {
        Self { games, revision, sections }
    }

    /// A top-level key of the library file other than the games; null when it is missing.
    pub fn section(&self, key: &str) -> &Value {
        self.sections.get(key).map_or(&NOTHING, AsRef::as_ref)
    }

    /// The section behind its pointer, for caches that hang on identity.
    pub fn shared(&self, key: &str) -> Option<&Arc<Value>> {
        self.sections.get(key)
    }

    /// Every section with its key, in key order.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &Arc<Value>)> {
        self.sections.iter().map(|(key, value)| (key.as_ref(), value))
    }

    /// The stored settings; defaults are not filled in.
    pub fn settings(&self) -> &Map<String, Value> {
        static EMPTY: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();
        self.section(SETTINGS).as_object().unwrap_or_else(|| EMPTY.get_or_init(Map::new))
    }

    /// The entries of a section; none when it is missing or not a list.
    pub fn list(&self, key: &str) -> Vec<Value> {
        self.section(key).as_array().cloned().unwrap_or_default()
    }

    /// The rows of a section; what is no object is skipped. In a loose row a value of another type reads as one that is
    /// not set, so that no odd value hides its row and loses it at the next write.
    pub fn rows<R: Row>(&self) -> Vec<R> {
        let list = self.section(R::SECTION).as_array().map_or(&[][..], Vec::as_slice);
        let fitting = |row: &Value| if R::IS_LOOSE { read_fitting(row) } else { None };
        list.iter().filter_map(|row| R::deserialize(row).ok().or_else(|| fitting(row))).collect()
    }

    pub(super) fn put_section(&mut self, key: &str, value: Value) {
        self.sections.insert(key.into(), Arc::new(value));
    }
}

/// A row without the values that do not fit its type.
fn read_fitting<R: Row>(row: &Value) -> Option<R> {
    let fits = |key: &str, value: &Value| {
        R::deserialize(Value::Object(Map::from_iter([(key.to_owned(), value.clone())]))).is_ok()
    };
    let fitting = row.as_object()?.iter().filter(|(key, value)| fits(key, value));
    let fitting = fitting.map(|(key, value)| (key.clone(), value.clone())).collect();
    R::deserialize(Value::Object(fitting)).ok()
}
