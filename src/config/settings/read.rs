//! Reading stored settings: the stored value while it is valid in form, else the default.
//!
//! A stored value that does not satisfy its rule, because the file was edited by hand or written by
//! another version, counts as not stored; it stays in the file. A key that the table does not have
//! reads as `null`, `false`, 0 or empty.

use serde_json::{Map, Value};

use super::rule::CheckDepth;
use super::setting::{Access, Setting};
use super::table::{self, SETTINGS};

/// Every setting with its default value.
#[cfg(test)]
pub fn defaults() -> Map<String, Value> {
    SETTINGS.iter().map(|setting| (setting.key.to_owned(), setting.default.value())).collect()
}

/// The value in force for `key`.
pub fn value(stored: &Map<String, Value>, key: &str) -> Value {
    table::find(key).map_or(Value::Null, |setting| value_of(stored, setting))
}

/// A boolean setting.
pub fn flag(stored: &Map<String, Value>, key: &str) -> bool {
    value(stored, key).as_bool().unwrap_or(false)
}

/// A setting that is a whole number.
pub fn integer(stored: &Map<String, Value>, key: &str) -> i64 {
    value(stored, key).as_i64().unwrap_or(0)
}

/// A setting that is a number with or without a fraction.
pub fn number(stored: &Map<String, Value>, key: &str) -> f64 {
    value(stored, key).as_f64().unwrap_or(0.0)
}

/// A setting that is a text, secrets included.
pub fn text(stored: &Map<String, Value>, key: &str) -> String {
    match value(stored, key) {
        Value::String(text) => text,
        _ => String::new(),
    }
}

/// A setting that is a list of texts.
pub fn texts(stored: &Map<String, Value>, key: &str) -> Vec<String> {
    let Value::Array(entries) = value(stored, key) else { return Vec::new() };
    entries
        .into_iter()
        .filter_map(|entry| match entry {
            Value::String(text) => Some(text),
            _ => None,
        })
        .collect()
}

/// Every stored secret, to keep it out of what leaves the program.
pub fn secrets(stored: &Map<String, Value>) -> Vec<String> {
    let is_secret = |setting: &&Setting| matches!(setting.access, Access::Secret { .. });
    let secret = |setting: &Setting| stored.get(setting.key)?.as_str().map(str::to_owned);
    let webhooks = stored.get("webhooks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let signing =
        webhooks.iter().filter_map(|webhook| Some(webhook.get("secret")?.as_str()?.to_owned()));
    let all = SETTINGS.iter().filter(is_secret).filter_map(secret).chain(signing);
    all.filter(|text| !text.is_empty()).collect()
}

/// The value in force for a row of the table.
pub(super) fn value_of(stored: &Map<String, Value>, setting: &Setting) -> Value {
    // Attract mode follows the screensaver until it has a delay of its own.
    let key = match setting.key {
        "attract_mode_seconds" if !stored.contains_key(setting.key) => "screensaver_seconds",
        key => key,
    };
    let found = stored.get(key).and_then(|value| setting.rule.check(value, CheckDepth::Shape).ok());
    found.unwrap_or_else(|| setting.default.value())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("not an object: {other}"),
        }
    }

    #[test]
    fn invalid_stored_values_read_as_the_default() {
        let stored = stored(json!({
            "save_backup_limit": 501, "track_session_history": "no", "tracking_frequency": 0.1,
            "bigscreen_mode": 3, "watch_folders": "x",
        }));
        assert_eq!(integer(&stored, "save_backup_limit"), 10);
        assert!(flag(&stored, "track_session_history"));
        assert!((number(&stored, "tracking_frequency") - 2.0).abs() < f64::EPSILON);
        assert_eq!(text(&stored, "bigscreen_mode"), "stage");
        assert!(texts(&stored, "watch_folders").is_empty());
        assert_eq!(value(&stored, "no such key"), Value::Null);
    }

    #[test]
    fn a_folder_that_is_gone_is_still_the_setting() {
        let stored = stored(json!({"watch_folders": ["/no/such"], "cloud_folder": "/no/such"}));
        assert_eq!(texts(&stored, "watch_folders"), ["/no/such"]);
        assert_eq!(text(&stored, "cloud_folder"), "/no/such");
    }

    #[test]
    fn attract_mode_follows_the_screensaver() {
        let seconds = |value: Value| integer(&stored(value), "attract_mode_seconds");
        assert_eq!(seconds(json!({})), 90);
        assert_eq!(seconds(json!({"screensaver_seconds": 300})), 300);
        assert_eq!(seconds(json!({"screensaver_seconds": 300, "attract_mode_seconds": 60})), 60);
        assert_eq!(seconds(json!({"screensaver_seconds": 0})), 0);
    }
}
