//! The settings table for clients: the schema of the API document and the rows of the settings screen.

use serde_json::{Map, Value, json};

use super::project::DERIVED_KEYS;
use super::rule::{Names, PathKind, Rule};
use super::setting::{Access, Group, Setting, Writer};
use super::table::SETTINGS;

/// JSON schema of the projection that `GET /api/settings` answers.
pub fn public_schema() -> Value {
    let mut properties = Map::new();
    for setting in SETTINGS {
        match setting.access {
            Access::Public => properties.insert(setting.key.to_owned(), value_schema(setting)),
            Access::Secret { flag } => {
                properties.insert(flag.to_owned(), json!({ "type": "boolean", "readOnly": true }))
            }
            Access::Hidden => None,
        };
    }
    for (key, kind) in DERIVED_KEYS {
        properties.insert((*key).to_owned(), json!({ "type": kind, "readOnly": true }));
    }
    json!({ "type": "object", "properties": properties })
}

/// JSON schema of the partial object that `POST /api/settings` takes.
pub fn posted_schema() -> Value {
    let properties: Map<String, Value> = SETTINGS
        .iter()
        .filter(|setting| setting.writer == Writer::Settings)
        .map(|setting| (setting.key.to_owned(), value_schema(setting)))
        .collect();
    json!({ "type": "object", "properties": properties })
}

/// The rows of the generated settings screen, in the order of the groups: key, group, locale key of
/// the label, control, route of the feature, setting it is edited with, default and bounds. What no
/// panel shows is left out.
pub fn screen_rows() -> Vec<Value> {
    let mut shown: Vec<&Setting> =
        SETTINGS.iter().filter(|setting| setting.group != Group::None).collect();
    // The sort keeps the order of the table inside a group.
    shown.sort_by_key(|setting| setting.group);
    shown.into_iter().map(screen_row).collect()
}

fn screen_row(setting: &Setting) -> Value {
    let mut row = Map::new();
    row.insert("key".to_owned(), Value::from(setting.key));
    row.insert("group".to_owned(), Value::from(setting.group.name()));
    row.insert("label".to_owned(), Value::from(format!("setting.{}", setting.key)));
    row.insert("control".to_owned(), Value::from(control_of(setting.rule)));
    for (key, value) in [("feature", setting.feature), ("edited_with", setting.edited_with)] {
        row.extend(value.map(|value| (key.to_owned(), Value::from(value))));
    }
    if let Access::Secret { flag } = setting.access {
        row.insert("set_flag".to_owned(), Value::from(flag));
    } else {
        row.insert("default".to_owned(), setting.default.value());
    }
    row.extend(bounds_of(setting.rule));
    Value::Object(row)
}

/// The control that edits a value of this rule.
fn control_of(rule: Rule) -> &'static str {
    match rule {
        Rule::Flag => "switch",
        Rule::Integer { .. } | Rule::ZeroOr { .. } | Rule::Position => "integer",
        Rule::Number { .. } => "number",
        Rule::Choice(_) | Rule::Progress(_) => "choice",
        Rule::Text(_) | Rule::Hint(_) => "text",
        Rule::Secret(_) => "password",
        Rule::Websocket(_) | Rule::LibraryServer => "address",
        Rule::Names(Names { known: [], .. }) => "texts",
        Rule::Names(_) => "choices",
        Rule::Commands(_) => "commands",
        Rule::Folders(_) => "folders",
        Rule::Path(PathKind::Folder | PathKind::NewFolder) => "folder",
        Rule::Path(PathKind::Any) => "path",
        Rule::Path(PathKind::Audio | PathKind::Video) => "file",
        Rule::Buttons(_) => "buttons",
        Rule::Flags(_) => "switches",
        Rule::CustomFields => "fields",
        Rule::CompositorPresets => "presets",
        Rule::Categories => "categories",
        Rule::Columns(_) => "columns",
        Rule::List => "list",
        Rule::Object => "object",
    }
}

fn bounds_of(rule: Rule) -> Map<String, Value> {
    let bounds = match rule {
        Rule::Integer { min, max } => json!({ "min": min, "max": max }),
        Rule::ZeroOr { min, max } => json!({ "min": min, "max": max, "off": 0 }),
        Rule::Number { min, max } => json!({ "min": min, "max": max }),
        Rule::Choice(choices) | Rule::Progress(choices) => json!({ "choices": choices }),
        Rule::Text(chars) | Rule::Hint(chars) | Rule::Secret(chars) | Rule::Websocket(chars) => {
            json!({ "max_length": chars })
        }
        Rule::Names(Names { known, cap, .. }) => json!({ "choices": known, "max_items": cap }),
        Rule::Commands(cap) | Rule::Folders(cap) | Rule::Columns(cap) => {
            json!({ "max_items": cap })
        }
        Rule::Buttons(names) | Rule::Flags(names) => json!({ "choices": names }),
        _ => Value::Null,
    };
    match bounds {
        Value::Object(bounds) => bounds,
        _ => Map::new(),
    }
}

fn value_schema(setting: &Setting) -> Value {
    let mut schema = match rule_schema(setting.rule) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    if setting.access == Access::Public {
        schema.insert("default".to_owned(), setting.default.value());
    } else {
        schema.insert("writeOnly".to_owned(), Value::Bool(true));
    }
    if setting.writer != Writer::Settings {
        schema.insert("readOnly".to_owned(), Value::Bool(true));
    }
    Value::Object(schema)
}

fn rule_schema(rule: Rule) -> Value {
    match rule {
        Rule::Flag => json!({ "type": "boolean" }),
        Rule::Integer { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        Rule::ZeroOr { min, max } => json!({
            "type": "integer",
            "anyOf": [{ "const": 0 }, { "minimum": min, "maximum": max }],
        }),
        Rule::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Rule::Position => json!({ "type": "integer" }),
        Rule::Choice(choices) | Rule::Progress(choices) => {
            json!({ "type": "string", "enum": choices })
        }
        Rule::Text(_) | Rule::Websocket(_) | Rule::LibraryServer | Rule::Path(_) => {
            json!({ "type": "string" })
        }
        Rule::Hint(_) => json!({ "type": ["string", "boolean"] }),
        Rule::Secret(chars) => json!({ "type": ["string", "null"], "maxLength": chars }),
        Rule::Names(Names { known: [], cap, needed, .. }) => json!({
            "type": "array", "items": { "type": "string" }, "maxItems": cap,
            "minItems": u8::from(needed),
        }),
        Rule::Names(Names { known, cap, needed, .. }) => json!({
            "type": "array", "items": { "type": "string", "enum": known }, "maxItems": cap,
            "minItems": u8::from(needed),
        }),
        Rule::Commands(cap) | Rule::Folders(cap) => {
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": cap })
        }
        Rule::Buttons(names) => {
            let button = json!({ "type": "integer", "minimum": 0, "maximum": 31 });
            named_schema(names, &button)
        }
        Rule::Flags(names) => named_schema(names, &json!({ "type": "boolean" })),
        Rule::CustomFields | Rule::CompositorPresets => {
            json!({ "type": "array", "items": { "type": "object" } })
        }
        Rule::Categories => {
            json!({ "type": "object", "additionalProperties": { "type": "string" } })
        }
        Rule::Columns(cap) => {
            let columns =
                json!({ "type": "array", "items": { "type": "string" }, "maxItems": cap });
            json!({ "oneOf": [columns, { "type": "object", "additionalProperties": columns }] })
        }
        Rule::List => json!({ "type": "array" }),
        Rule::Object => json!({ "type": "object" }),
    }
}

fn named_schema(names: &[&str], value: &Value) -> Value {
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), value.clone())).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}
