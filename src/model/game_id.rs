//! The stable id of a game: made once when the game is added, then only stored.
//!
//! A game with a file or an entry in a store has an id derived from them, so another device with
//! the same file or entry uses the same id, and importing it again continues its history. A game
//! without either has nothing that identifies it: its id is random.

use sha2::{Digest, Sha256};

use super::record::Record;
use crate::base::ids::{hex, random_hex};

/// Fields that make the id, besides the path.
const IDENTITY: [&str; 6] =
    ["platform", "store_a_app_id", "store_b_app_id", "store_c_id", "libserver_id", "metadb_id"];
/// Fields of which one is enough to identify the game on every device.
const SOURCES: [&str; 5] =
    ["path", "store_a_app_id", "store_b_app_id", "store_c_id", "libserver_id"];

/// Whether a record has a file or an entry in a store or library server.
pub fn is_identified(record: &Record) -> bool {
    SOURCES.iter().any(|key| !record.shown(key).trim().is_empty())
}

/// The id of a new game that nothing identifies: `game-` and 32 hex digits.
pub fn random() -> String {
    format!("game-{}", random_hex(16))
}

/// Whether an id has the form of a derived one: `game-` and 24 hex digits, with or without the
/// number of a collision.
pub fn is_derived(id: &str) -> bool {
    let is_stem = |id: &str| id.strip_prefix("game-").is_some_and(|hex| is_hex(hex, 24));
    is_stem(id) || numbered_stem(id).is_some()
}

/// The part before the number of `game-<24 hex>-<n>`; `None` when the id is not of that form.
pub fn numbered_stem(id: &str) -> Option<&str> {
    let (stem, number) = id.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && is_hex(stem.strip_prefix("game-")?, 24)).then_some(stem)
}

/// The record under another id; its id becomes an alias.
pub fn renamed(mut record: Record, id: &str) -> Record {
    let old = record.text("game_id").to_owned();
    let mut aliases = record.list("legacy_game_ids").to_vec();
    if !aliases.iter().any(|alias| alias.as_str() == Some(&old)) {
        aliases.push(old.into());
    }
    record.set("legacy_game_ids", aliases);
    record.set("game_id", id);
    record
}

fn is_hex(text: &str, len: usize) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == len && text.bytes().all(is_digit)
}

/// The derived id of a record: `game-` and 24 hex digits. The caller resolves collisions; a stored
/// id is never made again, so moving or renaming a game keeps its identity.
pub fn derive(record: &Record) -> String {
    let mut identity = serde_json::Map::new();
    for key in IDENTITY {
        identity.insert(key.to_owned(), record.shown(key).trim().into());
    }
    identity.insert("path".to_owned(), normal_path(record.text("path").trim()).into());
    if identity.values().all(|value| value.as_str() == Some("")) {
        identity.insert("name".to_owned(), record.text("name").trim().into());
    }
    let text = serde_json::Value::Object(identity).to_string();
    format!("game-{}", hex(&Sha256::digest(text.as_bytes())[..12]))
}

fn normal_path(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let rooted = if path.starts_with('/') { "/" } else { "" };
    format!("{rooted}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(value: serde_json::Value) -> String {
        derive(&serde_json::from_value(value).expect("an object"))
    }

    #[test]
    fn depends_on_path_and_ids_but_not_on_the_name() {
        let first = id(json!({"name": "A", "path": "/roms/a.nes", "platform": "NES"}));
        assert_eq!(
            first,
            id(json!({"name": "B", "path": "/roms//x/../a.nes ", "platform": "NES"}))
        );
        assert_ne!(first, id(json!({"name": "A", "path": "/roms/b.nes", "platform": "NES"})));
        assert_eq!(first.len(), "game-".len() + 24);
    }

    #[test]
    fn a_file_or_a_store_identifies_a_game_and_a_platform_does_not() {
        let record = |value| serde_json::from_value(value).expect("an object");
        for value in
            [json!({"path": "/a"}), json!({"store_a_app_id": 440}), json!({"libserver_id": "7"})]
        {
            assert!(is_identified(&record(value)));
        }
        for value in
            [json!({"name": "A", "platform": "NES"}), json!({"path": " ", "metadb_id": "1"})]
        {
            assert!(!is_identified(&record(value)));
        }
    }

    #[test]
    fn random_ids_do_not_look_derived() {
        let derived = id(json!({"name": "A"}));
        assert!(is_derived(&derived) && is_derived(&format!("{derived}-2")));
        assert!(!is_derived(&random()) && !is_derived("game-1") && !is_derived("x"));
        assert_ne!(random(), random());
    }

    #[test]
    fn falls_back_to_the_name() {
        assert_ne!(id(json!({"name": "A"})), id(json!({"name": "B"})));
    }
}
