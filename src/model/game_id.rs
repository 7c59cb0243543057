//! The stable id of a game: made once from what the game was when it came, then only stored.

use sha2::{Digest, Sha256};

use super::record::Record;
use crate::base::ids::hex;

/// Fields that make the id, besides the path.
const IDENTITY: [&str; 6] =
    ["platform", "store_a_app_id", "store_b_app_id", "store_c_id", "libserver_id", "metadb_id"];

/// The id a new record gets: `game-` and 24 hex digits. The caller resolves collisions; a stored
/// id is never made again, so moving or renaming a game keeps its identity.
#[must_use]
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
    fn falls_back_to_the_name() {
        assert_ne!(id(json!({"name": "A"})), id(json!({"name": "B"})));
    }
}
