//! Games the user excluded from imports (`/api/import/exclusions`).
//!
//! An exclusion names a source and the id the game has there; for launchers of several stores it
//! also names the inner store.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    base::{
        schema::{Schema, Type, schema},
        text,
    },
    model::{Draft, Record, State},
    store::{Committed, Store},
};

/// The key of the settings that holds them.
const KEY: &str = "import_exclusions";
/// The fields that hold the id of a record in its source, the most specific first.
const IDS: [&str; 8] = [
    "store_a_app_id",
    "store_b_app_id",
    "store_c_id",
    "libserver_id",
    "wrapper_id",
    "engine_library_id",
    "rom_name",
    "path",
];

/// One exclusion as it is stored and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "StoredExclusion")]
pub struct Exclusion {
    /// The source, as the user named it.
    pub source: String,
    /// The id there.
    pub external_id: String,
    /// The inner store, when the source has several.
    pub inner: String,
}

schema! {
    "Exclusion"
    /// How an exclusion is stored and shown.
    struct StoredExclusion {
        external_id: String,
        source: String,
        /// `store_b`, the inner store and the id.
        #[serde(skip_serializing_if = "Option::is_none")]
        store_b: Option<[String; 3]>,
    }
}

impl Schema for Exclusion {
    const SCHEMA: &'static Type = StoredExclusion::SCHEMA;
}

impl From<Exclusion> for StoredExclusion {
    fn from(Exclusion { source, external_id, inner }: Exclusion) -> Self {
        let store_b =
            (!inner.is_empty()).then(|| ["store_b".to_owned(), inner, external_id.clone()]);
        Self { external_id, source, store_b }
    }
}

/// A request without a source or without an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("source and external_id are required.")]
pub struct Incomplete;

impl Exclusion {
    /// Reads `{source, external_id, store_b_source?}`.
    ///
    /// # Errors
    /// [`Incomplete`] when the source or the id is blank.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Incomplete> {
        let record = Record::from(body.clone());
        let field = |key: &str| record.shown(key).trim().to_owned();
        let read = Self {
            source: field("source"),
            external_id: field("external_id"),
            inner: field("store_b_source"),
        };
        if read.source.is_empty() || read.external_id.is_empty() {
            Err(Incomplete)
        } else {
            Ok(read)
        }
    }

    /// The exclusion that keeps out exactly what a record is; `None` when its source gives it no id.
    pub fn for_record(record: &Record) -> Option<Self> {
        let source = record.text("source").trim().to_owned();
        let ids = IDS.iter().map(|key| record.shown(key).trim().to_owned());
        let external_id =
            ids.into_iter().find(|id| !id.is_empty()).filter(|_| !source.is_empty())?;
        Some(Self { source, external_id, inner: record.text("store_b_source").trim().to_owned() })
    }

    fn stored(value: &Value) -> Option<Self> {
        let record = Record::from(value.as_object()?.clone());
        let inner = record.texts("store_b").nth(1).unwrap_or_default().to_owned();
        let (source, external_id) = (record.shown("source"), record.shown("external_id"));
        (!source.is_empty() && !external_id.is_empty()).then_some(Self {
            source,
            external_id,
            inner,
        })
    }

    /// What two equal exclusions share.
    fn key(&self) -> (String, String, String) {
        (text::fold(&self.source), self.external_id.clone(), text::fold(&self.inner))
    }

    fn excludes(&self, record: &Record) -> bool {
        let same = |a: &str, b: &str| text::fold(a) == text::fold(b);
        let inner = record.text("store_b_source");
        let by_source = same(&self.source, record.text("source"))
            || (!inner.is_empty() && same(&self.source, "store_b"));
        by_source
            && (self.inner.is_empty() || same(&self.inner, inner))
            && (IDS.iter().any(|key| record.shown(key).trim() == self.external_id)
                || list_id(record) == Some(&self.external_id))
    }
}

/// The id in a list of another program: its identity without the name of the list.
fn list_id(record: &Record) -> Option<&str> {
    record.text("source_identity").split_once(':').map(|(_, id)| id)
}

/// The exclusions of a library.
pub fn list(state: &State) -> Vec<Exclusion> {
    let stored = state.settings().get(KEY).and_then(Value::as_array);
    stored.into_iter().flatten().filter_map(Exclusion::stored).collect()
}

/// Whether a record must not be imported.
pub fn is_excluded(exclusions: &[Exclusion], record: &Record) -> bool {
    exclusions.iter().any(|exclusion| exclusion.excludes(record))
}

/// As [`add`], in one commit.
pub fn add_exclusion(store: &Store, exclusion: &Exclusion) -> Committed<()> {
    store.change(|draft| add(draft, exclusion))
}

/// Adds an exclusion; one that exists is not added again.
pub fn add(draft: &mut Draft, exclusion: &Exclusion) {
    add_all(draft, std::slice::from_ref(exclusion));
}

/// Adds exclusions; those that exist are not added again.
pub fn add_all(draft: &mut Draft, exclusions: &[Exclusion]) {
    let mut all = list(draft.state());
    let mut known: HashSet<_> = all.iter().map(Exclusion::key).collect();
    let new = exclusions.iter().filter(|exclusion| known.insert(exclusion.key()));
    let new: Vec<Exclusion> = new.cloned().collect();
    if !new.is_empty() {
        all.extend(new);
        save(draft, &all);
    }
}

/// As [`remove`], in one commit.
pub fn remove_exclusion(store: &Store, exclusion: &Exclusion) -> Committed<(bool, usize)> {
    store.change(|draft| remove(draft, exclusion))
}

/// Removes an exclusion; returns whether it existed and how many are left.
fn remove(draft: &mut Draft, exclusion: &Exclusion) -> (bool, usize) {
    let mut all = list(draft.state());
    let before = all.len();
    all.retain(|other| other.key() != exclusion.key());
    let left = all.len();
    if left != before {
        save(draft, &all);
    }
    (left != before, left)
}

fn save(draft: &mut Draft, all: &[Exclusion]) {
    draft.merge_section("settings", Map::from_iter([(KEY.to_owned(), json!(all))]), &[]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exclusion(value: Value) -> Result<Exclusion, Incomplete> {
        Exclusion::read(value.as_object().expect("an object"))
    }

    #[track_caller]
    fn check(wanted: Value, record: Value, expected: bool) {
        let record: Record = serde_json::from_value(record).expect("an object");
        let wanted = exclusion(wanted).expect("complete");
        assert_eq!(is_excluded(&[wanted], &record), expected);
    }

    #[test]
    fn names_a_source_and_an_id() {
        for value in [json!({}), json!({"source": "x"}), json!({"source": " ", "external_id": "1"})]
        {
            assert_eq!(exclusion(value), Err(Incomplete));
        }
        let steam = json!({"source": "Store_A", "external_id": 440});
        check(steam.clone(), json!({"source": "store_a", "store_a_app_id": "440"}), true);
        check(steam.clone(), json!({"source": "store_a", "store_a_app_id": "441"}), false);
        check(steam, json!({"source": "GOG", "store_b_app_id": "440"}), false);
    }

    #[test]
    fn an_inner_store_counts_when_it_is_named() {
        let game = json!({"source": "GOG", "store_b_source": "GOG", "store_b_app_id": "7"});
        check(json!({"source": "store_b", "external_id": "7"}), game.clone(), true);
        let named =
            |inner: &str| json!({"source": "store_b", "external_id": "7", "store_b_source": inner});
        check(named("gog"), game.clone(), true);
        check(named("Epic"), game, false);
    }

    #[test]
    fn is_added_once_and_removed() {
        let mut draft = Draft::new(State::default());
        let one =
            exclusion(json!({"source": "store_b", "external_id": "7", "store_b_source": "GOG"}))
                .expect("complete");
        add(&mut draft, &one);
        add(&mut draft, &one);
        assert_eq!(list(draft.state()), std::slice::from_ref(&one));
        assert_eq!(remove(&mut draft, &one), (true, 0));
        assert_eq!(remove(&mut draft, &one), (false, 0));
    }
}
