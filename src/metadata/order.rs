//! Which source is asked first for a field or a kind of media (`/api/v2/metadata/source-order`).

use serde_json::{Map, Value, json};

use super::error::{MetadataError, malformed};
use crate::{
    base::schema::schema,
    metadb::kinds,
    store::{CommitError, Store},
};

/// The setting.
const KEY: &str = "source_order";

/// Where values and pictures come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The database of libretro.
    Opendb,
    /// The metadata database.
    Metadb,
    /// The scraper provider.
    Scraper,
    /// The game database.
    Gamedb,
    /// The artwork provider.
    Artgrid,
}

use Source::{Artgrid, Gamedb, Metadb, Opendb, Scraper};

/// The sources of texts, in the order that holds without a setting: a game is known by its content first.
pub const TEXT_SOURCES: [Source; 4] = [Opendb, Metadb, Scraper, Gamedb];
/// The sources of media, in the order that holds without a setting: larger pictures first.
pub const MEDIA_SOURCES: [Source; 4] = [Metadb, Opendb, Artgrid, Scraper];
/// Fields that are filled.
pub const TEXTS: [&str; 9] = [
    "year",
    "developer",
    "publisher",
    "genre",
    "esrb",
    "series",
    "max_players",
    "description",
    "rating",
];

impl Source {
    /// Every source.
    pub const ALL: [Self; 5] = [Opendb, Metadb, Scraper, Gamedb, Artgrid];

    /// Its name in the API.
    pub fn id(self) -> &'static str {
        match self {
            Opendb => "opendb",
            Metadb => "metadb",
            Scraper => "scraper",
            Gamedb => "gamedb",
            Artgrid => "artgrid",
        }
    }
}

schema! {
    "SourceOrder"
    /// Which sources are asked, and in which order.
    #[derive(Debug, PartialEq, Eq)]
    pub struct ShownOrder {
        /// By field, the first source first.
        pub fields: Vec<OrderRow>,
        /// By kind of media, the first source first.
        pub media: Vec<OrderRow>,
    }

    "SourceOrderRow"
    /// The sources of one field or kind.
    #[derive(Debug, PartialEq, Eq)]
    pub struct OrderRow {
        /// The field or kind.
        pub name: &'static str,
        /// Those that are asked.
        pub sources: Vec<&'static str>,
        /// Those that can be.
        pub known: Vec<&'static str>,
        /// Whether the user set it.
        pub is_set: bool,
    }
}

/// The orders of the settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceOrder {
    set: Map<String, Value>,
}

/// A part of the setting: its name, what can be set in it, and the sources of that.
struct Part {
    key: &'static str,
    noun: &'static str,
    known: &'static [Source],
}

const FIELDS: Part = Part { key: "fields", noun: "field", known: &TEXT_SOURCES };
const MEDIA: Part = Part { key: "media", noun: "media type", known: &MEDIA_SOURCES };

impl Part {
    fn names(&self) -> Vec<&'static str> {
        if self.key == FIELDS.key {
            return TEXTS.to_vec();
        }
        let kinds = kinds::KINDS.iter().filter(|kind| !kind.types.is_empty());
        kinds.map(|kind| kind.kind).collect()
    }

    /// The sources of a list: each known, each once; `None` for anything else.
    fn sources(&self, list: &Value) -> Option<Vec<Source>> {
        let mut found = Vec::new();
        for each in list.as_array()? {
            let source = self.known.iter().find(|known| Some(known.id()) == each.as_str())?;
            if found.contains(source) {
                return None;
            }
            found.push(*source);
        }
        Some(found)
    }
}

impl SourceOrder {
    /// Those of the settings.
    pub fn of(settings: &Map<String, Value>) -> Self {
        let set = settings.get(KEY).and_then(Value::as_object).cloned().unwrap_or_default();
        Self { set }
    }

    /// The sources of a field, the first one first.
    pub fn of_field(&self, field: &str) -> Vec<Source> {
        self.sources(&FIELDS, field)
    }

    /// The sources of a kind of media, the first one first.
    pub fn of_media(&self, kind: &str) -> Vec<Source> {
        self.sources(&MEDIA, kind)
    }

    fn stored(&self, part: &Part, name: &str) -> Option<Vec<Source>> {
        part.sources(self.set.get(part.key)?.get(name)?)
    }

    fn sources(&self, part: &Part, name: &str) -> Vec<Source> {
        self.stored(part, name).unwrap_or_else(|| part.known.to_vec())
    }

    /// As clients see it.
    pub fn shown(&self) -> ShownOrder {
        let rows = |part: &Part| {
            let ids = |sources: &[Source]| sources.iter().map(|source| source.id()).collect();
            let row = |name: &'static str| OrderRow {
                name,
                sources: ids(&self.sources(part, name)),
                known: ids(part.known),
                is_set: self.stored(part, name).is_some(),
            };
            part.names().into_iter().map(row).collect()
        };
        ShownOrder { fields: rows(&FIELDS), media: rows(&MEDIA) }
    }
}

/// Stores the orders that a request names; `null` for one that is to be as without a setting. Those in
/// force then.
///
/// # Errors
/// A name or source that is not known, or one that is named twice; when the library cannot be written.
pub fn save(store: &Store, posted: &Map<String, Value>) -> Result<ShownOrder, MetadataError> {
    for part in [&FIELDS, &MEDIA] {
        let rows = match posted.get(part.key) {
            None | Some(Value::Null) => continue,
            Some(Value::Object(rows)) => rows,
            Some(_) => return malformed(format!("{} must be an object.", part.key)),
        };
        for (name, list) in rows {
            if !part.names().contains(&name.as_str()) {
                return malformed(format!("Unknown {} in the order of sources.", part.noun));
            }
            if !list.is_null() && part.sources(list).is_none() {
                let known: Vec<&str> = part.known.iter().map(|source| source.id()).collect();
                let known = known.join(", ");
                return malformed(format!("{name} must list sources, each once: {known}."));
            }
        }
    }
    let saved = store.change(|draft| {
        let mut set = SourceOrder::of(draft.state().settings()).set;
        for part in [&FIELDS, &MEDIA] {
            let Some(rows) = posted.get(part.key).and_then(Value::as_object) else { continue };
            let stored = set.entry(part.key).or_insert_with(|| json!({}));
            if !stored.is_object() {
                *stored = json!({});
            }
            let Some(stored) = stored.as_object_mut() else { continue };
            for (name, list) in rows {
                if list.is_null() {
                    stored.remove(name);
                } else {
                    stored.insert(name.clone(), list.clone());
                }
            }
        }
        let value = Map::from_iter([(KEY.to_owned(), Value::Object(set))]);
        draft.merge_section("settings", value, &[]);
        SourceOrder::of(draft.state().settings()).shown()
    });
    saved.map_err(CommitError::hand_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(set: Value) -> SourceOrder {
        SourceOrder::of(&Map::from_iter([(KEY.to_owned(), set)]))
    }

    #[test]
    fn without_a_setting_every_source_is_asked() {
        let order = SourceOrder::of(&Map::new());
        assert_eq!(order.of_field("genre"), TEXT_SOURCES);
        assert_eq!(order.of_media("cover"), MEDIA_SOURCES);
        assert!(order.shown().fields.iter().all(|row| !row.is_set));
    }

    #[test]
    fn what_is_set_counts_as_far_as_it_can_be_read() {
        let order = order(json!({
            "fields": {"genre": ["metadb"], "year": ["metadb", "artgrid"], "series": []},
            "media": {"cover": ["artgrid", "opendb"], "banner": "artgrid"},
        }));
        assert_eq!(order.of_field("genre"), [Metadb]);
        assert_eq!(order.of_field("year"), TEXT_SOURCES, "artwork has no texts");
        assert!(order.of_field("series").is_empty());
        assert_eq!(order.of_media("cover"), [Artgrid, Opendb]);
        assert_eq!(order.of_media("banner"), MEDIA_SOURCES);
        assert_eq!(SourceOrder::of(&Map::from_iter([(KEY.to_owned(), json!(1))])).set, Map::new());
    }
}
