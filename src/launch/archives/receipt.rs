//! The receipt of an extracted archive: its content, and when it was last used.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::members::{Member, RECEIPT};
use crate::files::{DiskError, Files};

/// The content of `.complete`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Receipt {
    /// The archive.
    pub(super) archive: PathBuf,
    /// When it was extracted, in milliseconds since 1970 by the clock of the file system.
    pub(super) extracted: i64,
    /// When it was last wanted, in seconds since 1970.
    pub(super) used: i64,
    /// The files that came out of it.
    pub(super) files: Vec<Entry>,
}

/// One file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Name below the folder.
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
}

impl Receipt {
    /// The receipt for these members.
    pub(super) fn new(archive: &Path, members: &[Member], extracted: i64, used: i64) -> Self {
        let files = members.iter().filter(|member| !member.is_folder());
        let files = files.map(|member| Entry { name: member.name.clone(), size: member.size });
        Self { archive: archive.to_owned(), extracted, used, files: files.collect() }
    }

    /// That of a folder; `None` when it has none that can be read.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(RECEIPT)).ok()?).ok()
    }

    /// Writes it into the folder.
    pub(super) fn write(&self, files: &Files, folder: &Path) -> Result<(), DiskError> {
        // OK because a plain struct with text keys is always written.
        let text = serde_json::to_vec(self).unwrap_or_default();
        files.replace(&folder.join(RECEIPT), &text)
    }

    /// Bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Whether everything in the folder is still as extracted, so that removing it loses nothing: no other file, and
    /// none that was written to since.
    pub(super) fn is_all_there_is(&self, folder: &Path) -> bool {
        let known: HashMap<&str, u64> =
            self.files.iter().map(|file| (file.name.as_str(), file.size)).collect();
        self.is_untouched(folder, "", &known)
    }

    fn is_untouched(&self, folder: &Path, prefix: &str, known: &HashMap<&str, u64>) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        entries.into_iter().all(|entry| {
            let Ok(entry) = entry else { return false };
            let Ok(name) = entry.file_name().into_string() else { return false };
            let Ok(stat) = fs::symlink_metadata(entry.path()) else { return false };
            let path = format!("{prefix}{name}");
            if stat.is_dir() {
                return self.is_untouched(&entry.path(), &format!("{path}/"), known);
            }
            let changed = stat.mtime() * 1_000 + stat.mtime_nsec() / 1_000_000;
            path == RECEIPT
                || (known.get(path.as_str()) == Some(&stat.len()) && changed <= self.extracted)
        })
    }
}
