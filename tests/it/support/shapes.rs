//! Checks JSON answers against the checked-in OpenAPI document: every answer of every black-box test
//! must have the shape that its route documents.

use std::{fs, path::Path, sync::OnceLock};

use serde_json::Value;

fn document() -> &'static Value {
    static PARSED: OnceLock<Value> = OnceLock::new();
    PARSED.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/openapi.json");
        serde_json::from_slice(&fs::read(path).expect("the document")).expect("JSON")
    })
}

/// Where an answer with this status differs from the type that the document has for its route; `None` when it
/// fits, or when the route replies with a file.
pub(crate) fn difference(method: &str, path: &str, status: u16, answer: &Value) -> Option<String> {
    let operation = document()["paths"][path].get(method.to_lowercase())?;
    let Some(response) = operation["responses"].get(status.to_string()) else {
        return Some(format!("{status} is not documented"));
    };
    differs(&response["content"]["application/json"]["schema"], answer, "answer")
}

/// Like JSON Schema for what the document uses of it, but keys that an object does not declare differ.
pub(crate) fn differs(schema: &Value, value: &Value, place: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let component = document().pointer(name.trim_start_matches('#')).expect("a component");
        return differs(component, value, place);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            let tried: Option<Vec<String>> =
                choices.iter().map(|choice| differs(choice, value, place)).collect();
            return tried.map(|tried| tried.join(" or "));
        }
    }
    let wrong = |expected: &str| Some(format!("{place} is no {expected}: {value:.120}"));
    if let Some(only) = schema.get("const") {
        return if only == value { None } else { wrong(&only.to_string()) };
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        return wrong(&schema["enum"].to_string());
    }
    let kinds = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let fits = |kind: &&str| match *kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    if !kinds.iter().any(fits) {
        return wrong(&kinds.join(" or "));
    }
    match value {
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            let of_place = schema["prefixItems"].get(at);
            let schema = of_place.or_else(|| schema.get("items"))?;
            differs(schema, item, &format!("{place}[{at}]"))
        }),
        Value::Object(fields) => {
            let required = schema["required"].as_array().into_iter().flatten();
            let missing = required.filter_map(Value::as_str).find(|key| !fields.contains_key(*key));
            if let Some(key) = missing {
                return Some(format!("{place} lacks {key}"));
            }
            let others = schema.get("additionalProperties");
            fields.iter().find_map(|(key, field)| {
                let declared = schema["properties"].get(key);
                match declared.or(others) {
                    Some(schema) => differs(schema, field, &format!("{place}.{key}")),
                    None if schema.get("properties").is_none() => None,
                    None => Some(format!("{place} has the undeclared key {key}")),
                }
            })
        }
        _ => None,
    }
}
