//! The canonical text of a JSON value and the id that is derived from it.
//!
//! Keys sorted, no spaces, text as it is. Maps of this program keep their keys sorted.

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::base::ids;

/// The key that holds the id of a record and is left out of its hash.
pub const ID: &str = "event_id";

/// The canonical text of a value.
pub fn text(value: &impl Serialize) -> Vec<u8> {
    // OK because JSON values have text keys and finite numbers only.
    serde_json::to_vec(value).unwrap_or_default()
}

/// The SHA-256 of the canonical text of a value, in hex.
pub fn hash(value: &impl Serialize) -> String {
    ids::hex(&Sha256::digest(text(value)))
}

/// The id that a record must have: the hash of everything else in it.
pub fn id_of(record: &Map<String, Value>) -> String {
    let mut hashed = record.clone();
    hashed.remove(ID);
    hash(&hashed)
}

/// Whether a text has the form of an id: 64 lower-case hex digits.
pub fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_id_is_the_hash_of_the_text_without_it() {
        let record = json!({"b": "ü\u{2603}", "a": [1, {"z": null, "y": true}], "event_id": "x"});
        let record = record.as_object().expect("an object");
        let expected = "{\"a\":[1,{\"y\":true,\"z\":null}],\"b\":\"ü\u{2603}\"}";
        assert_eq!(id_of(record), ids::hex(&Sha256::digest(expected)));
        assert!(is_id(&id_of(record)));
        assert!(!is_id("") && !is_id(&"A".repeat(64)) && !is_id(&"a".repeat(65)));
    }
}
