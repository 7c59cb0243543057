//! The schema and the screen rows say what the rules do.

use serde_json::{Map, Value};

use super::describe::{posted_schema, public_schema, screen_rows};
use super::project::{Derived, project};
use super::setting::{Access, Group, Writer};
use super::table::SETTINGS;

#[test]
fn the_public_schema_names_every_projected_key() {
    let shown = project(&Map::new(), &Derived::default());
    let schema = public_schema();
    let properties = schema["properties"].as_object().expect("properties");
    let declared: Vec<&String> = properties.keys().collect();
    assert_eq!(declared, shown.keys().collect::<Vec<_>>());
    for (key, value) in &shown {
        let kind = match value {
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            _ => "object",
        };
        let found = &properties[key]["type"];
        let fits = match found {
            Value::String(one) => one == kind || (one == "number" && kind == "integer"),
            Value::Array(several) => several.iter().any(|one| one == kind),
            // Columns may be a list or an object.
            _ => properties[key].get("oneOf").is_some(),
        };
        assert!(fits, "{key}: {kind} against {found}");
    }
}

#[test]
fn the_posted_schema_has_what_can_be_posted_and_no_secret_default() {
    let schema = posted_schema();
    let properties = schema["properties"].as_object().expect("properties");
    for setting in SETTINGS {
        let row = properties.get(setting.key);
        assert_eq!(row.is_some(), setting.writer == Writer::Settings, "{}", setting.key);
        if let (Some(row), Access::Secret { .. }) = (row, setting.access) {
            assert_eq!(row["writeOnly"], true);
            assert!(row.get("default").is_none());
        }
    }
    assert_eq!(properties["save_backup_limit"]["maximum"], 500);
    assert_eq!(properties["tracking_frequency"]["minimum"], 0.5);
    assert_eq!(properties["watch_folders"]["maxItems"], 50);
    assert_eq!(properties["locale"]["enum"][0], "en");
    assert_eq!(properties["screensaver_seconds"]["anyOf"][0]["const"], 0);
}

#[test]
fn the_screen_shows_each_row_once_in_the_order_of_the_groups() {
    let rows = screen_rows();
    let shown = SETTINGS.iter().filter(|setting| setting.group != Group::None);
    assert_eq!(rows.len(), shown.count());
    let mut groups: Vec<&str> = rows.iter().filter_map(|row| row["group"].as_str()).collect();
    groups.dedup();
    let expected = [
        "general",
        "appearance",
        "library",
        "import",
        "media",
        "launching",
        "sessions",
        "backups",
        "bigscreen",
        "recorder",
        "stores",
        "sharing",
        "webhooks",
    ];
    assert_eq!(groups, expected);
    let row = |key: &str| rows.iter().find(|row| row["key"] == key).expect("shown");
    assert_eq!(row("tracking_delay")["control"], "number");
    assert_eq!(row("tracking_delay")["max"], 600.0);
    assert_eq!(row("libserver_password")["set_flag"], "libserver_password_set");
    assert!(row("libserver_password").get("default").is_none());
    assert_eq!(row("locale")["label"], "setting.locale");
}
