//! The columns of an export, and how the value of a game is written in JSON and in CSV.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::model::{
    Game, Record,
    fields::{self, Kind},
    media::{IMAGES, VIDEOS},
};

/// The columns of every export, in order.
const COLUMNS: [&str; 46] = [
    "game_id",
    "name",
    "sort_title",
    "alternate_names",
    "manual_entry",
    "platform",
    "genre",
    "year",
    "developer",
    "publisher",
    "series",
    "region",
    "esrb",
    "max_players",
    "description",
    "notes",
    "wikipedia_url",
    "progress",
    "rating",
    "user_rating",
    "play_count",
    "playtime_seconds",
    "manual_playtime_seconds",
    "manual_sessions",
    "last_played",
    "favorite",
    "hidden",
    "broken",
    "portable",
    "installed",
    "added_at",
    "source",
    "store_a_app_id",
    "store_b_app_id",
    "store_c_id",
    "libserver_id",
    "gamedb_id",
    "ach_game_id",
    "metadb_id",
    "install_dir",
    "disc_count",
    "rom_name",
    "clone_of",
    "set_type",
    "tags",
    "custom_fields",
];

/// The columns, with those of media paths when they are wanted.
pub(super) fn columns(include_media_paths: bool) -> Vec<&'static str> {
    let mut columns = COLUMNS.to_vec();
    if include_media_paths {
        columns.extend(IMAGES.iter().chain(&VIDEOS));
        columns.push("screenshots");
    }
    columns
}

/// The value of a game in a column; `None` when it is unset. What the record does not hold of whether the game is
/// installed, its path does.
fn value(game: &Game, record: &Record, existing: &HashSet<String>, column: &str) -> Option<Value> {
    match column {
        "installed" => {
            let stored = record.get("store_installed").and_then(Value::as_bool);
            Some(stored.unwrap_or_else(|| existing.contains(game.path())).into())
        }
        "game_id" => Some(game.id().into()),
        "manual_playtime_seconds" => Some(game.manual_playtime_seconds().into()),
        _ => record.get(column).filter(|value| !value.is_null()).cloned(),
    }
}

/// The JSON value of an unset column.
fn unset(column: &str) -> Value {
    match fields::field(column).map(|field| field.kind) {
        Some(Kind::Flag) => json!(false),
        Some(Kind::Count) => json!(0),
        Some(Kind::List) => json!([]),
        Some(Kind::Object) => json!({}),
        Some(Kind::NumberOrNull) => Value::Null,
        Some(Kind::Text | Kind::Media | Kind::NumberOrBlank) | None => json!(""),
    }
}

/// Appends the game as one JSON object with its columns in order.
pub(super) fn write_json(
    out: &mut String,
    game: &Game,
    existing: &HashSet<String>,
    columns: &[&str],
) {
    let record = game.record();
    out.push('{');
    for (at, column) in columns.iter().enumerate() {
        let value = value(game, &record, existing, column).unwrap_or_else(|| unset(column));
        if at > 0 {
            out.push(',');
        }
        out.push('"');
        out.push_str(column);
        out.push_str("\":");
        out.push_str(&value.to_string());
    }
    out.push('}');
}

/// Appends the header line.
pub(super) fn write_csv_header(out: &mut String, columns: &[&str]) {
    write_line(out, columns.iter().map(|column| (*column).to_owned()));
}

/// Appends the game as one CSV line; a cell may hold line breaks within quotes.
pub(super) fn write_csv(
    out: &mut String,
    game: &Game,
    existing: &HashSet<String>,
    columns: &[&str],
) {
    let record = game.record();
    let cells = columns.iter().map(|column| {
        value(game, &record, existing, column).as_ref().map_or_else(String::new, cell)
    });
    write_line(out, cells);
}

fn write_line(out: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(',');
        }
        if cell.contains(['"', ',', '\n', '\r']) {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&cell);
        }
    }
    out.push_str("\r\n");
}

/// A value as text: lists are joined by `;`, a note is its text.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(element).collect::<Vec<_>>().join(";"),
        Value::Object(map) if map.is_empty() => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

fn element(value: &Value) -> String {
    match value.get("text") {
        Some(Value::String(text)) => text.clone(),
        _ => match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(record: Value) -> Game {
        Game::from_json(&record.to_string()).expect("a game")
    }

    fn sample() -> Game {
        game(json!({
            "game_id": "game-1", "name": "Comma, \"quote\"", "alternate_names": ["A", "B"],
            "notes": [{"ts": "t", "text": "first"}, {"ts": "t", "text": "two\nlines"}],
            "manual_sessions": [{"seconds": 60, "date": "2026-01-01", "note": ""}],
            "rating": 4.5, "favorite": true, "cover": "/media/a.png", "screenshots": ["/s/1", "/s/2"],
            "webhook_secret": "never", "path": "/roms/a",
        }))
    }

    #[test]
    fn json_rows_have_every_column_in_order_and_nothing_else() {
        for media in [false, true] {
            let columns = columns(media);
            let mut out = String::new();
            write_json(&mut out, &sample(), &HashSet::from(["/roms/a".to_owned()]), &columns);
            let mut rest = out.as_str();
            for column in &columns {
                let at = rest.find(&format!("\"{column}\":"));
                rest = &rest[at.unwrap_or_else(|| panic!("{column} is missing in {rest}"))..];
            }
            let row: Value = serde_json::from_str(&out).expect("json");
            assert_eq!(row.as_object().map(serde_json::Map::len), Some(columns.len()));
            assert_eq!((&row["rating"], &row["favorite"]), (&json!(4.5), &json!(true)));
            assert_eq!(
                (&row["play_count"], &row["hidden"], &row["genre"]),
                (&json!(0), &json!(false), &json!(""))
            );
            assert_eq!(
                (&row["manual_playtime_seconds"], &row["installed"]),
                (&json!(60), &json!(true))
            );
            assert_eq!(row.get("cover").is_some(), media);
        }
    }

    #[test]
    fn csv_cells_are_joined_and_quoted() {
        let columns = [
            "game_id",
            "name",
            "alternate_names",
            "notes",
            "rating",
            "favorite",
            "genre",
            "screenshots",
        ];
        let mut out = String::new();
        write_csv_header(&mut out, &columns);
        write_csv(&mut out, &sample(), &HashSet::new(), &columns);
        assert_eq!(
            out,
            "game_id,name,alternate_names,notes,rating,favorite,genre,screenshots\r\n\
             game-1,\"Comma, \"\"quote\"\"\",A;B,\"first;two\nlines\",4.5,true,,/s/1;/s/2\r\n"
        );
    }

    #[test]
    fn each_column_stands_once() {
        let columns = columns(true);
        for (at, column) in columns.iter().enumerate() {
            assert!(!columns[at + 1..].contains(column), "{column}");
        }
        for secret in ["path", "launch", "launch_env"] {
            assert!(!columns.contains(&secret));
        }
    }
}
