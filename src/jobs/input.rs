//! The part of an input that may be stored and shown: no secrets, no home directory.

use serde_json::{Map, Value};

/// Keys that hold a secret when they contain one of these.
const SECRETS: [&str; 5] = ["password", "secret", "token", "api_key", "credential"];

/// The input without its secret keys, at any depth.
pub(super) fn without_secrets(input: Map<String, Value>) -> Map<String, Value> {
    let kept = input.into_iter().filter(|(key, _)| {
        let key = key.to_lowercase();
        !SECRETS.iter().any(|secret| key.contains(secret))
    });
    kept.map(|(key, value)| (key, clean(value))).collect()
}

fn clean(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(without_secrets(map)),
        Value::Array(list) => Value::Array(list.into_iter().map(clean).collect()),
        other => other,
    }
}

/// The value with `~` for the home directory at the start of every text.
pub(super) fn without_home(value: &Value, home: &str) -> Value {
    match value {
        Value::String(text) => Value::String(shorten(text, home)),
        Value::Array(list) => list.iter().map(|value| without_home(value, home)).collect(),
        Value::Object(map) => Value::Object(object_without_home(map, home)),
        other => other.clone(),
    }
}

/// As [`without_home`], for an object.
pub(super) fn object_without_home(map: &Map<String, Value>, home: &str) -> Map<String, Value> {
    map.iter().map(|(key, value)| (key.clone(), without_home(value, home))).collect()
}

/// An input with the values of an earlier one where it has what was shown of them.
pub(super) fn with_home(
    given: Map<String, Value>,
    earlier: &Map<String, Value>,
    home: &str,
) -> Map<String, Value> {
    let entries = given.into_iter().map(|(key, value)| match earlier.get(&key) {
        Some(earlier) => (key, restored(value, earlier, home)),
        None => (key, value),
    });
    entries.collect()
}

fn restored(given: Value, earlier: &Value, home: &str) -> Value {
    match (given, earlier) {
        (Value::String(text), Value::String(earlier)) if text == shorten(earlier, home) => {
            Value::String(earlier.clone())
        }
        (Value::Object(given), Value::Object(earlier)) => {
            Value::Object(with_home(given, earlier, home))
        }
        (Value::Array(given), Value::Array(earlier)) => {
            let earlier = earlier.iter().chain(std::iter::repeat(&Value::Null));
            let pairs = given.into_iter().zip(earlier);
            pairs.map(|(given, earlier)| restored(given, earlier, home)).collect()
        }
        (given, _) => given,
    }
}

fn shorten(text: &str, home: &str) -> String {
    let home = home.trim_end_matches('/');
    match text.strip_prefix(home) {
        Some(rest) if !home.is_empty() && (rest.is_empty() || rest.starts_with('/')) => {
            format!("~{rest}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_dropped_wherever_they_stand() {
        let Value::Object(input) = json!({
            "libserver_password": "a", "Secret": "b", "x_API_KEY": "c", "access_token": "d",
            "keep": 1, "list": [{"password": "e", "name": "n"}], "base": {"token": "f", "y": 2},
        }) else {
            return;
        };
        let clean = Value::Object(without_secrets(input));
        assert_eq!(clean, json!({"keep": 1, "list": [{"name": "n"}], "base": {"y": 2}}));
    }

    #[test]
    fn what_was_shown_of_an_input_stands_for_it() {
        let earlier = json!({"path": "/home/me/a.zip", "list": ["/home/me/x", "y"],
            "deep": {"folder": "/home/me"}, "name": "~/a name"});
        let earlier = earlier.as_object().expect("an object");
        let shown = object_without_home(earlier, "/home/me");
        assert_eq!(&with_home(shown, earlier, "/home/me"), earlier);
        let given = json!({"path": "~/b.zip", "list": ["y", "~/x", "~/z"], "deep": 5, "new": "~"});
        let given = given.as_object().expect("an object");
        assert_eq!(&with_home(given.clone(), earlier, "/home/me"), given);
    }

    #[test]
    fn the_home_directory_is_shortened_only_at_a_border() {
        let shown = |text: &str| without_home(&json!([text]), "/home/me/")[0].clone();
        assert_eq!(shown("/home/me/roms"), "~/roms");
        assert_eq!(shown("/home/me"), "~");
        assert_eq!(shown("/home/menu"), "/home/menu");
        assert_eq!(shown("in /home/me"), "in /home/me");
        assert_eq!(without_home(&json!("/x"), "/"), "/x");
    }
}
