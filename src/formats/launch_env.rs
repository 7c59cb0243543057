//! The environment a game is started with: lines of `KEY=value`, or an object, in; an object stored.
//!
//! A key is `[A-Za-z_][A-Za-z0-9_]*`, up to 64 characters; a value is taken as it is, up to 4,096
//! characters without NUL; at most 64 entries. Posted text is checked strictly, entry by entry; what an older version stored
//! is read leniently, because a launch must not fail over one malformed pair.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::base::text;

/// Entries of one game.
const ENTRIES: usize = 64;
/// Characters of one key.
const KEY_CHARS: usize = 64;
/// Characters of one value.
const VALUE_CHARS: usize = 4096;

/// A posted environment that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchEnvError {
    #[error("Launch environment must be lines or an object.")]
    NotLines,
    /// A line, or an entry of the object in its order, that is no `KEY=value` within the bounds.
    #[error("Invalid launch environment line: {number}")]
    Line {
        /// Its number, counted from 1; blank lines and comments count too.
        number: usize,
    },
}

/// The object `{KEY: value}` to store for a posted environment: text with one entry a line, a list
/// of such lines, an object, or `null` for none. Blank lines and lines that begin with `#` are
/// skipped; a key that comes twice has its last value; `null` as a value is the empty text.
pub fn parse(posted: &Value) -> Result<Map<String, Value>, LaunchEnvError> {
    match posted {
        Value::Null => Ok(Map::new()),
        Value::String(lines) => parse_lines(lines.lines().map(Some)),
        Value::Array(lines) => parse_lines(lines.iter().map(Value::as_str)),
        Value::Object(pairs) => parse_object(pairs),
        _ => Err(LaunchEnvError::NotLines),
    }
}

/// The pairs of a stored environment, in the order of their keys; malformed ones are left out.
pub fn stored_pairs(stored: &Value) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    let add_line = |line: &str| {
        if let Some((key, value)) = pair_of(line) {
            pairs.insert(key.to_owned(), value.to_owned());
        }
    };
    match stored {
        Value::String(lines) => lines.lines().for_each(add_line),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).for_each(add_line),
        Value::Object(found) => {
            for (key, value) in found {
                if let Some(value) = text_of(value).filter(|value| is_key(key) && is_value(value)) {
                    pairs.insert(key.clone(), value);
                }
            }
        }
        _ => {}
    }
    pairs
}

fn parse_lines<L: AsRef<str>>(
    lines: impl Iterator<Item = Option<L>>,
) -> Result<Map<String, Value>, LaunchEnvError> {
    let mut pairs = Map::new();
    for (at, line) in lines.enumerate() {
        let refusal = LaunchEnvError::Line { number: at + 1 };
        let line = line.ok_or(refusal)?;
        let line = line.as_ref();
        if is_skipped(line) {
            continue;
        }
        let (key, value) = pair_of(line).ok_or(refusal)?;
        pairs.insert(key.to_owned(), Value::from(value));
        if pairs.len() > ENTRIES {
            return Err(refusal);
        }
    }
    Ok(pairs)
}

fn parse_object(posted: &Map<String, Value>) -> Result<Map<String, Value>, LaunchEnvError> {
    let mut pairs = Map::new();
    for (at, (key, value)) in posted.iter().enumerate() {
        let refusal = LaunchEnvError::Line { number: at + 1 };
        let value = text_of(value).filter(|value| is_value(value)).ok_or(refusal)?;
        if !is_key(key) || pairs.len() == ENTRIES {
            return Err(refusal);
        }
        pairs.insert(key.clone(), Value::String(value));
    }
    Ok(pairs)
}

fn is_skipped(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// The key and value of one line; a comment has none.
fn pair_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start().split_once('=')?;
    (is_key(key) && is_value(value)).then_some((key, value))
}

/// A value as text: numbers and booleans as they are written in JSON, `null` as nothing.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn is_key(key: &str) -> bool {
    key.len() <= KEY_CHARS && text::is_variable_name(key)
}

fn is_value(value: &str) -> bool {
    !value.contains('\0') && value.chars().count() <= VALUE_CHARS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(posted: Value, expected: Value) {
        let found = match parse(&posted) {
            Ok(pairs) => Value::Object(pairs),
            Err(error) => Value::from(error.to_string()),
        };
        assert_eq!(found, expected, "{posted}");
    }

    #[test]
    fn reads_lines_lists_and_objects() {
        check(json!("A=1\n\n # note\n_b2=x = y \n"), json!({"A": "1", "_b2": "x = y "}));
        check(json!("A=1\r\nA=2\r\n"), json!({"A": "2"}));
        check(json!(["A=1", "", "#", " B="]), json!({"A": "1", "B": ""}));
        check(
            json!({"A": "1", "B": null, "C": 2, "D": true}),
            json!({"A": "1", "B": "", "C": "2", "D": "true"}),
        );
        check(json!(null), json!({}));
        check(json!(""), json!({}));
    }

    #[test]
    fn names_the_line_that_is_wrong() {
        let line = |number: usize| json!(format!("Invalid launch environment line: {number}"));
        for bad in ["word", "=x", "1A=x", "A-B=x", "Ä=x", "A =x", "A.B=x", "export A=x"] {
            check(json!(bad), line(1));
            check(json!(format!("OK=1\n\n# note\n{bad}\nLATER=1")), line(4));
        }
        check(json!("A=a\0b"), line(1));
        check(json!(["A=1", 5]), line(2));
        check(json!({"A": "1", "B-": "1"}), line(2));
        check(json!({"A": ["x"]}), line(1));
        check(json!({"": "x"}), line(1));
        check(json!(5), json!("Launch environment must be lines or an object."));
    }

    #[test]
    fn bounds_hold_at_the_edge_and_not_past_it() {
        let value = |chars: usize| "ä".repeat(chars);
        let lines =
            |count: usize| (0..count).map(|n| format!("K{n:03}=v")).collect::<Vec<_>>().join("\n");
        let as_object =
            |count: usize| (0..count).map(|n| (format!("K{n:03}"), json!("v"))).collect::<Value>();
        assert!(parse(&json!(format!("A={}", value(4096)))).is_ok());
        assert_eq!(parse(&json!({"A": value(4097)})), Err(LaunchEnvError::Line { number: 1 }));
        assert_eq!(
            parse(&json!(format!("A={}", value(4097)))),
            Err(LaunchEnvError::Line { number: 1 })
        );
        for (edge, past) in [(json!(lines(64)), json!(lines(65))), (as_object(64), as_object(65))] {
            assert_eq!(parse(&edge).map(|pairs| pairs.len()), Ok(64));
            assert_eq!(parse(&past), Err(LaunchEnvError::Line { number: 65 }));
        }
    }

    #[test]
    fn stored_pairs_leave_out_what_is_malformed() {
        let pairs = |stored: Value| {
            let found = stored_pairs(&stored);
            found.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(pairs(json!({"A": "1", "B": null, "C-": "x", "D": {}})), ["A=1", "B="]);
        assert_eq!(pairs(json!("A=1\nbad\n#A=2\nB=2")), ["A=1", "B=2"]);
        assert_eq!(pairs(json!(["A=1", 3, "-"])), ["A=1"]);
        assert!(pairs(json!(7)).is_empty());
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_stable_and_within_bounds(text in "(?s).{0,120}") {
            if let Ok(pairs) = parse(&json!(text)) {
                prop_assert!(pairs.len() <= ENTRIES);
                let again = parse(&Value::Object(pairs.clone()));
                prop_assert_eq!(again.as_ref(), Ok(&pairs));
                prop_assert_eq!(stored_pairs(&Value::Object(pairs.clone())).len(), pairs.len());
            }
        }

        #[test]
        fn a_line_comes_back(key in "[A-Za-z_][A-Za-z0-9_]{0,20}", value in "[^\0\r\n]{0,60}") {
            let pairs = parse(&json!(format!("{key}={value}")));
            prop_assert_eq!(pairs.map(Value::Object), Ok(json!({ key: value })));
        }
    }
}
