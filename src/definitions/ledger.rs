//! The record of what the definition channel installed: `emulator_defs_update.json`.
//!
//! A file belongs to the channel while it holds exactly what the channel wrote; one that was edited
//! is the user's. A ledger that cannot be read owns nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::base::ids;

/// Its name in the folder of the definitions.
pub const NAME: &str = "emulator_defs_update.json";

/// The pack that is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Its version as the index named it.
    pub version: String,
    /// The files of the pack that were written, with the SHA-256 of what was written.
    pub installed: BTreeMap<String, String>,
    /// The files of the pack that were not written because the user has such a file.
    #[serde(default)]
    pub kept_local: Vec<String>,
    /// The version before it.
    #[serde(default)]
    pub previous_version: Option<String>,
    /// The SHA-256 of the archive.
    #[serde(default)]
    pub digest: String,
    /// The archives it and its predecessors replaced, oldest first: none of them is installed again.
    #[serde(default)]
    pub replaced: Vec<String>,
}

impl Ledger {
    /// Reads a ledger; `None` when the bytes are not a ledger.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// How it is stored.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Whether the channel wrote exactly this into a file.
    pub fn owns(&self, name: &str, content: &[u8]) -> bool {
        self.installed.get(name).is_some_and(|written| *written == digest(content))
    }
}

/// The SHA-256 of a content in hex.
pub fn digest(content: &[u8]) -> String {
    ids::hex(&Sha256::digest(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_owned_while_it_is_as_it_was_written() {
        let installed = BTreeMap::from([("a.yaml".to_owned(), digest(b"x"))]);
        let ledger = Ledger { version: "1".to_owned(), installed, ..Ledger::default() };
        assert_eq!(Ledger::read(&ledger.bytes()), Some(ledger.clone()));
        assert!(ledger.owns("a.yaml", b"x"));
        assert!(!ledger.owns("a.yaml", b"y") && !ledger.owns("b.yaml", b"x"));
        for torn in [&b"{}"[..], b"[]", b"{\"version\": 1, \"installed\": {}}", b""] {
            assert_eq!(Ledger::read(torn), None);
        }
    }
}
