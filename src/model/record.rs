//! One JSON object with typed, forgiving accessors: how a stored record is read and changed.
//!
//! Unknown keys stay where they are, so a record survives a round trip through an older or a
//! newer version.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::base::schema::{Schema, Type};

/// An open record: any JSON object. A missing or mistyped field reads as empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Record(pub Map<String, Value>);

impl Schema for Record {
    const SCHEMA: &'static Type = &Type::Table {
        name: "StoredRecord",
        schema: || json!({"type": "object", "additionalProperties": {}}),
    };
}

impl Record {
    /// The field as text; empty when it is missing or not text.
    pub fn text(&self, key: &str) -> &str {
        self.0.get(key).and_then(Value::as_str).unwrap_or("")
    }

    /// The field as text, numbers written out; empty when missing, null or structured.
    pub fn shown(&self, key: &str) -> String {
        match self.0.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(flag)) => flag.to_string(),
            _ => String::new(),
        }
    }

    /// Whether the field is `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The field as a non-negative whole number; zero when it is not one.
    pub fn count(&self, key: &str) -> u64 {
        match self.0.get(key) {
            Some(Value::Number(number)) => number.as_u64().unwrap_or_else(|| {
                let float = number.as_f64().unwrap_or(0.0);
                // OK because the cast saturates and the value was checked to be positive.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturating by definition"
                )]
                if float > 0.0 { float as u64 } else { 0 }
            }),
            Some(Value::String(text)) => text.trim().parse().unwrap_or(0),
            _ => 0,
        }
    }

    /// The field as a number, also when it was stored as text.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.0.get(key)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The field as a list; empty when it is not one.
    pub fn list(&self, key: &str) -> &[Value] {
        self.0.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The texts of a list field.
    pub fn texts<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.list(key).iter().filter_map(Value::as_str)
    }

    /// The raw field.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Whether the field is missing, null, empty text, or an empty list or object.
    pub fn is_blank(&self, key: &str) -> bool {
        match self.0.get(key) {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(list)) => list.is_empty(),
            Some(Value::Object(map)) => map.is_empty(),
            Some(_) => false,
        }
    }

    /// Sets a field.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Removes a field and returns it.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    /// Compact JSON of the record.
    pub fn to_json(&self) -> String {
        // OK because a map of JSON values has text keys and finite numbers only.
        serde_json::to_string(&self.0).unwrap_or_default()
    }
}

impl From<Map<String, Value>> for Record {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn reads_forgivingly() {
        let record =
            record(json!({"a": "x", "n": 3, "f": 2.5, "neg": -4, "s": " 7 ", "l": ["p", 1]}));
        assert_eq!(record.text("a"), "x");
        assert_eq!(record.text("n"), "");
        assert_eq!(record.shown("n"), "3");
        assert_eq!((record.count("n"), record.count("f"), record.count("neg")), (3, 2, 0));
        assert_eq!(record.count("s"), 7);
        assert_eq!(record.number("f"), Some(2.5));
        assert_eq!(record.texts("l").collect::<Vec<_>>(), ["p"]);
        assert!(record.is_blank("missing") && !record.is_blank("n"));
    }

    #[test]
    fn keeps_unknown_keys() {
        let text = r#"{"future":{"x":[1,2]},"name":"A"}"#;
        let mut record: Record = serde_json::from_str(text).expect("valid");
        record.set("name", "B");
        assert_eq!(record.to_json(), r#"{"future":{"x":[1,2]},"name":"B"}"#);
    }
}
