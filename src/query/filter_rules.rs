//! The rules of filter presets and filter playlists: which keys exist, and how a posted rule is
//! normalised.

use serde_json::{Map, Value};

/// What the value of a preset rule may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Text.
    Text,
    /// Text, where `all` is not a rule.
    Choice,
    /// A boolean, also as text.
    Flag,
    /// `installed`, `uninstalled`, `all` or a boolean.
    Installed,
}

/// The rules of a preset.
const PRESET: [(&str, Takes); 16] = [
    ("platform", Takes::Choice),
    ("view", Takes::Text),
    ("query", Takes::Text),
    ("esrb", Takes::Choice),
    ("progress", Takes::Choice),
    ("favorite", Takes::Flag),
    ("installed", Takes::Installed),
    ("platform_category", Takes::Choice),
    ("genre", Takes::Text),
    ("developer", Takes::Text),
    ("publisher", Takes::Text),
    ("hidden", Takes::Flag),
    ("has_saves", Takes::Flag),
    ("has_achievements", Takes::Flag),
    ("has_missing_media", Takes::Flag),
    ("has_highscores", Takes::Flag),
];

/// The rules of a filter playlist; each is kept as text.
const PLAYLIST: [&str; 12] = [
    "platform",
    "view",
    "query",
    "platform_category",
    "esrb",
    "progress",
    "genre",
    "developer",
    "publisher",
    "installed",
    "hidden",
    "favorite",
];

/// The rules of a preset in their stored form; what is unknown, blank or of the wrong kind is left
/// out.
pub fn of_preset(posted: &Map<String, Value>) -> Map<String, Value> {
    let rule = |(key, takes): &(&str, Takes)| {
        let value = posted.get(*key)?;
        Some(((*key).to_owned(), preset_rule(*takes, value)?))
    };
    PRESET.iter().filter_map(rule).collect()
}

fn preset_rule(takes: Takes, value: &Value) -> Option<Value> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    match takes {
        Takes::Text => text.map(Value::from),
        Takes::Choice => text.filter(|text| !text.eq_ignore_ascii_case("all")).map(Value::from),
        Takes::Flag => flag(value).map(Value::from),
        Takes::Installed => match text {
            Some("installed" | "uninstalled" | "all") => text.map(Value::from),
            _ => flag(value).map(Value::from),
        },
    }
}

/// The boolean of a rule; filter playlists keep it as text.
pub(super) fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The rules of a filter playlist in their stored form: trimmed texts, blanks left out.
pub fn of_playlist(posted: &Map<String, Value>) -> Map<String, Value> {
    let rule = |key: &&str| {
        let text = match posted.get(*key)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        (!text.is_empty()).then(|| ((*key).to_owned(), text.into()))
    };
    PLAYLIST.iter().filter_map(rule).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(rules: fn(&Map<String, Value>) -> Map<String, Value>, posted: Value, kept: Value) {
        assert_eq!(Value::Object(rules(posted.as_object().expect("an object"))), kept);
    }

    #[test]
    fn presets_keep_what_they_know() {
        check(
            of_preset,
            json!({"platform": " NES ", "esrb": "all", "progress": "ALL", "view": "all", "x": 1}),
            json!({"platform": "NES", "view": "all"}),
        );
        for key in [
            "favorite",
            "hidden",
            "has_saves",
            "has_achievements",
            "has_missing_media",
            "has_highscores",
        ] {
            check(of_preset, json!({key: true}), json!({key: true}));
            check(of_preset, json!({key: " false "}), json!({key: false}));
            for value in [json!("yes"), json!(1), json!(null), json!("")] {
                check(of_preset, json!({key: value}), json!({}));
            }
        }
        for key in ["query", "genre", "developer", "publisher", "view"] {
            check(of_preset, json!({key: " a b "}), json!({key: "a b"}));
            check(of_preset, json!({key: " "}), json!({}));
            check(of_preset, json!({key: true}), json!({}));
        }
        for value in [json!("installed"), json!("uninstalled"), json!("all"), json!(true)] {
            check(of_preset, json!({"installed": value}), json!({"installed": value}));
        }
        check(of_preset, json!({"installed": "maybe"}), json!({}));
    }

    #[test]
    fn playlists_keep_texts() {
        check(
            of_playlist,
            json!({"platform": " NES ", "genre": "", "favorite": true, "has_saves": true, "query": []}),
            json!({"platform": "NES", "favorite": "true"}),
        );
    }
}
