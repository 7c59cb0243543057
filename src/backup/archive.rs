//! An archive of the library opened for reading: its directory checked, its manifest read.

use std::{
    ops::{Deref, DerefMut},
    path::Path,
};

use serde_json::{Map, Value, json};

use super::{
    error::BackupError,
    items::{self, Item},
    zipped::Zipped,
};
use crate::{base::Moment, files::Files};

/// The member that says what an archive is.
pub(super) const MANIFEST: &str = "manifest.json";
/// The member with the settings.
pub(super) const SETTINGS: &str = "settings.json";
/// The member with the library.
pub(super) const LIBRARY: &str = "library.json";
/// The member with the journal of the library; archives of older versions have none.
pub(super) const JOURNAL: &str = "library.journal";

/// Bytes of a manifest.
const MANIFEST_BYTES: u64 = 1 << 20;
/// Bytes of a member that is parsed: far above any library, far below what a machine holds.
const PARSED_BYTES: u64 = 1 << 30;

/// The manifest of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    /// What it holds.
    pub(super) items: Vec<Item>,
    /// When it was made, as written there.
    pub(super) created: String,
    /// Whether credentials were taken out.
    pub(super) redacted_secrets: bool,
    /// Whether names that differ only in their case are different files.
    pub(super) case_sensitive: bool,
    /// Whether it was made before a change from other libraries.
    pub(super) is_recovery: bool,
}

impl Manifest {
    /// The manifest of a new archive.
    pub(super) fn new(items: &[Item], now: &Moment, case_sensitive: bool) -> Self {
        let created = now.utc_iso();
        let items = items.to_vec();
        Self { items, created, redacted_secrets: true, case_sensitive, is_recovery: false }
    }

    /// As bytes. Marks are written only where they are needed.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut map = Map::new();
        map.insert("items".to_owned(), json!(items::names(&self.items)));
        map.insert("created".to_owned(), json!(self.created));
        map.insert("redacted_secrets".to_owned(), json!(self.redacted_secrets));
        if self.case_sensitive {
            map.insert("case_sensitive".to_owned(), json!(true));
        }
        if self.is_recovery {
            map.insert("recovery".to_owned(), json!(true));
        }
        Value::Object(map).to_string().into_bytes()
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let list = value.get("items")?.as_array()?;
        let named: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
        let created = match value.get("created") {
            None | Some(Value::Null) => "",
            Some(created) => created.as_str()?,
        };
        let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
        Some(Self {
            items: items::select(&named?).ok()?,
            created: created.to_owned(),
            redacted_secrets: flag("redacted_secrets"),
            case_sensitive: flag("case_sensitive"),
            is_recovery: flag("recovery"),
        })
    }
}

/// An open archive that broke no rule.
pub(super) struct Archive {
    zip: Zipped,
    /// Its manifest.
    pub(super) manifest: Manifest,
}

impl Deref for Archive {
    type Target = Zipped;

    fn deref(&self) -> &Zipped {
        &self.zip
    }
}

impl DerefMut for Archive {
    fn deref_mut(&mut self) -> &mut Zipped {
        &mut self.zip
    }
}

impl Archive {
    /// Opens an archive, checks every entry of its directory and reads its manifest.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(super) fn open(files: &Files, path: &Path) -> Result<Self, BackupError> {
        let mut zip = Zipped::open(files, path)?;
        let manifest = match zip.read_within(MANIFEST, MANIFEST_BYTES) {
            Ok(Some(bytes)) => Manifest::parse(&bytes),
            Ok(None) | Err(BackupError::Invalid | BackupError::MemberTooLarge) => None,
            Err(error) => return Err(error),
        };
        // The manifest decides about case; without one the stricter rule is reported first.
        zip.refuse_duplicates(manifest.as_ref().is_some_and(|manifest| manifest.case_sensitive))?;
        Ok(Self { zip, manifest: manifest.ok_or(BackupError::Manifest)? })
    }

    /// The bytes of a member that will be parsed; `None` when there is no such member.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than anything that can be parsed.
    pub(super) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, BackupError> {
        self.zip.read_within(name, PARSED_BYTES)
    }
}

/// Reads only the manifest of an archive.
///
/// # Errors
/// As [`Archive::open`].
pub(super) fn manifest(files: &Files, path: &Path) -> Result<Manifest, BackupError> {
    Archive::open(files, path).map(|archive| archive.manifest)
}
