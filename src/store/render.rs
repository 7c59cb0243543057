//! A state as the bytes of `library.json`.
//!
//! Small libraries are laid out for people; large ones are compact with one game on a line, which
//! keeps them diffable and lets them be read on several cores.

use std::io::{self, Write};

use serde::ser::{Serialize as _, SerializeMap as _, Serializer as _};
use serde_json::{Value, ser::PrettyFormatter};

use crate::model::{State, state::SCHEMA_VERSION};

/// Libraries up to this many games and [`PRETTY_BYTES`] are laid out for people.
const PRETTY_GAMES: usize = 500;
const PRETTY_BYTES: usize = 1 << 20;

/// The keys that are not sections.
pub(super) const RESERVED: [&str; 4] = ["schema_version", "lineage", "revision", "games"];

/// The sections every library has, in the order in which they are written.
pub(super) const SECTIONS: [&str; 9] = [
    "profiles",
    "history",
    "settings",
    "playlists",
    "queue",
    "notifications",
    "ui_state",
    "active_sessions",
    "trash",
];

/// Writes the library file of a state.
pub(super) fn write_library(state: &State, lineage: &str, sink: &mut dyn Write) -> io::Result<()> {
    if state.games.len() <= PRETTY_GAMES {
        let bytes = pretty(state, lineage)?;
        if bytes.len() <= PRETTY_BYTES {
            return sink.write_all(&bytes);
        }
    }
    compact(state, lineage, sink)
}

fn sections(state: &State) -> impl Iterator<Item = (&str, &Value)> {
    let known = SECTIONS.iter().filter_map(|key| Some((*key, &**state.shared(key)?)));
    let others = state
        .sections()
        .map(|(key, value)| (key, &**value))
        .filter(|(key, _)| !SECTIONS.contains(key) && !RESERVED.contains(key));
    known.chain(others)
}

fn pretty(state: &State, lineage: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"  ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("schema_version", &SCHEMA_VERSION)?;
    map.serialize_entry("lineage", lineage)?;
    map.serialize_entry("revision", &state.revision)?;
    let games: Vec<_> = state.games.iter().map(|game| game.record()).collect();
    map.serialize_entry("games", &games)?;
    for (key, value) in sections(state) {
        map.serialize_entry(key, value)?;
    }
    map.end()?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn compact(state: &State, lineage: &str, sink: &mut dyn Write) -> io::Result<()> {
    let lineage = Value::from(lineage);
    let revision = state.revision;
    write!(
        sink,
        "{{\"schema_version\":{SCHEMA_VERSION},\"lineage\":{lineage},\"revision\":{revision},\
         \"games\":["
    )?;
    let mut separator: &[u8] = b"\n";
    for game in state.games.iter() {
        sink.write_all(separator)?;
        sink.write_all(game.json().as_bytes())?;
        separator = b",\n";
    }
    sink.write_all(b"\n]")?;
    for (key, value) in sections(state) {
        write!(sink, ",\n{}:", Value::from(key))?;
        value.serialize(&mut serde_json::Serializer::new(&mut *sink))?;
    }
    sink.write_all(b"\n}\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{Draft, Record};

    fn library(count: usize, text: &str) -> State {
        let mut draft = Draft::new(State::default());
        for number in 0..count {
            let record = json!({"name": format!("Game {number}"), "description": text});
            let record: Record = serde_json::from_value(record).expect("an object");
            draft.add_game(record).expect("added");
        }
        draft.set_section("future", json!({"kept": true}));
        draft.set_section("settings", json!({"theme": "dark"}));
        draft.finish().0
    }

    #[track_caller]
    fn check(count: usize, text: &str, lines: std::ops::Range<usize>) {
        let state = library(count, text);
        let mut bytes = Vec::new();
        write_library(&state, "L", &mut bytes).expect("written");
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(value["games"].as_array().map(Vec::len), Some(count));
        assert_eq!(value["settings"]["theme"], "dark");
        assert_eq!(value["future"]["kept"], true);
        assert_eq!(value["schema_version"], 6);
        let written = bytes.split(|byte| *byte == b'\n').count() - 1;
        assert!(lines.contains(&written), "{written} lines");
        assert_eq!(bytes.last(), Some(&b'\n'));
    }

    #[test]
    fn small_is_pretty_and_large_has_one_game_a_line() {
        check(0, "", 8..20);
        check(500, "", 2_000..4_000);
        check(501, "", 501..520);
        check(400, &"x".repeat(4_000), 400..420);
    }
}
