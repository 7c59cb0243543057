//! Platform categories: which group of platforms a platform belongs to.
//!
//! The mapping below is built in; the setting `platform_categories` holds only what the user
//! changed about it.

use serde_json::{Map, Value};

use super::field_error::BrokenRule;
use crate::{
    base::text,
    platforms::{self, OTHER},
};

/// Characters of a platform or category name.
const NAME_CHARS: usize = 80;
/// Overrides kept.
const OVERRIDES: usize = 1000;

/// The category of `platform`: the user's choice, else the built-in one by any of its names, else
/// [`OTHER`]. `stored` are the stored settings.
pub fn category_of<'a>(stored: &'a Map<String, Value>, platform: &str) -> &'a str {
    let overrides = stored.get("platform_categories").and_then(Value::as_object);
    let chosen = overrides.and_then(|overrides| overrides.get(platform)).and_then(Value::as_str);
    chosen.or_else(|| built_in(platform)).unwrap_or(OTHER)
}

/// Every built-in platform with its category, the user's choices laid over.
pub fn merged(stored: &Map<String, Value>) -> Map<String, Value> {
    let mut all: Map<String, Value> = platforms::all()
        .iter()
        .map(|platform| (platform.name.to_owned(), Value::from(platform.category)))
        .collect();
    if let Some(Ok(Value::Object(overrides))) =
        stored.get("platform_categories").map(check_overrides)
    {
        all.extend(overrides);
    }
    all
}

fn built_in(platform: &str) -> Option<&'static str> {
    platforms::by_any_name(platform).map(|known| known.category)
}

/// The overrides in a posted mapping: entries that say what is built in anyway, and blank ones, are
/// dropped, so posting the whole projection back stores nothing new.
pub(super) fn check_overrides(value: &Value) -> Result<Value, BrokenRule> {
    let posted = value.as_object().ok_or(BrokenRule::NotObject)?;
    let mut overrides = Map::new();
    for (platform, category) in posted {
        let category = category.as_str().ok_or(BrokenRule::NotText)?;
        let category = text::cut(category.trim(), NAME_CHARS);
        let platform = text::cut(platform.trim(), NAME_CHARS);
        let known = platforms::by_name(platform)
            .is_some_and(|known| known.name == platform && known.category == category);
        if !platform.is_empty() && !category.is_empty() && !known {
            overrides.insert(platform.to_owned(), Value::from(category));
        }
    }
    if overrides.len() > OVERRIDES {
        return Err(BrokenRule::NotListOf { cap: OVERRIDES });
    }
    Ok(Value::Object(overrides))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_user_wins_over_the_built_in_mapping() {
        let stored = json!({"platform_categories": {"NES": "Childhood", "Amiga": "Commodore"}});
        let stored = stored.as_object().expect("object");
        for (platform, expected) in [
            ("NES", "Childhood"),
            ("Amiga", "Commodore"),
            ("snes", "Nintendo"),
            ("ScummVM", "Adventure"),
            ("Xbox One", "Microsoft"),
            ("PlayStation 1", "Sony"),
            ("3DS", "Nintendo"),
            ("Mega Drive", "Sega"),
            ("Sony Playstation 2", "Sony"),
            ("Drive", "Other"),
            ("", "Other"),
            ("Unspecified", "Other"),
        ] {
            assert_eq!(category_of(stored, platform), expected);
        }
        let merged = merged(stored);
        assert_eq!(merged["NES"], "Childhood");
        assert_eq!(merged["Amiga"], "Commodore");
        assert_eq!(merged["PSP"], "Sony");
    }

    #[test]
    fn posting_the_merged_mapping_back_stores_only_the_changes() {
        let stored = json!({"platform_categories": {"NES": "Childhood"}});
        let merged = merged(stored.as_object().expect("object"));
        let again = check_overrides(&Value::Object(merged));
        assert_eq!(again, Ok(json!({"NES": "Childhood"})));
    }
}
