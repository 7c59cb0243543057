//! The settings of what is looked up after imports (`/api/v2/metadata/scrape-settings`).

use serde_json::{Map, Value};

use crate::{
    base::schema::schema,
    config::settings::{read, table::AUTO_IMPORTED},
    model::State,
    store::{Committed, Store},
};

/// The settings, in the order in which they are shown.
const KEYS: [&str; 4] = [
    "scrape_after_import",
    "scrape_scraper_enabled",
    "scrape_gamedb_enabled",
    "scrape_artgrid_enabled",
];

schema! {
    /// What is looked up after an import.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ScrapeSettings {
        /// Whether anything is.
        pub scrape_after_import: bool,
        pub scrape_scraper_enabled: bool,
        pub scrape_gamedb_enabled: bool,
        pub scrape_artgrid_enabled: bool,
    }
}

impl ScrapeSettings {
    /// Those in force.
    pub fn of(settings: &Map<String, Value>) -> Self {
        let [after, scraper, gamedb, artgrid] = KEYS.map(|key| read::flag(settings, key));
        Self {
            scrape_after_import: after,
            scrape_scraper_enabled: scraper,
            scrape_gamedb_enabled: gamedb,
            scrape_artgrid_enabled: artgrid,
        }
    }
}

/// The kinds of media of the settings.
pub(super) fn usual_media(state: &State) -> Vec<String> {
    let named = read::texts(state.settings(), "auto_import_media_types");
    if named.is_empty() {
        AUTO_IMPORTED.iter().map(|kind| (*kind).to_owned()).collect()
    } else {
        named
    }
}

/// Stores those that a request names; any value counts as true or false. Those in force then.
///
/// # Errors
/// When the library cannot be read or written.
pub fn save(store: &Store, posted: &Map<String, Value>) -> Committed<ScrapeSettings> {
    let named = KEYS.iter().filter_map(|key| Some((*key, posted.get(*key)?)));
    let named: Map<String, Value> =
        named.map(|(key, value)| (key.to_owned(), is_true(value).into())).collect();
    store.change(|draft| {
        draft.merge_section("settings", named, &[]);
        ScrapeSettings::of(draft.state().settings())
    })
}

/// Whether a value counts as true: anything but nothing.
fn is_true(value: &Value) -> bool {
    !crate::model::origins::is_unset(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn any_value_is_true_or_false() {
        for (value, expected) in [
            (json!(null), false),
            (json!(0), false),
            (json!(""), false),
            (json!([]), false),
            (json!({}), false),
            (json!("false"), true),
            (json!(-1), true),
            (json!([0]), true),
        ] {
            assert_eq!(is_true(&value), expected, "{value}");
        }
    }

    #[test]
    fn without_stored_ones_imports_are_followed_by_the_database_alone() {
        let shown = ScrapeSettings::of(&Map::new());
        assert!(shown.scrape_after_import && !shown.scrape_scraper_enabled);
        assert!(!shown.scrape_gamedb_enabled && !shown.scrape_artgrid_enabled);
    }
}
