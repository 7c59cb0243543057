//! The fixes that can be undone: for each a list of what it replaced, and copies of those files.
//!
//! The list is written before the library changes, so that what a kill leaves can be undone too.

use std::{
    ffi::OsStr,
    fs::Metadata,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    base::{ids, schema::schema},
    files::{DiskError, Files},
};

/// Fixes that can be undone, the newest ones.
pub const KEPT: usize = 20;
/// Bytes of the largest file that is copied.
const COPY_BYTES: u64 = 64 << 20;
/// Characters of the longest id of a batch.
const ID_CHARS: usize = 128;
/// Characters of a game id that may be used in a file name.
const NAME_CHARS: usize = 80;

schema! {
    "ArtworkBatch"
    /// A fix that can be undone.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ShownBatch {
        pub batch_id: String,
        /// UTC.
        pub created_at: String,
        /// Where its pictures came from.
        pub provider: String,
        /// Pictures that it wrote.
        pub count: usize,
    }
}

/// What a fix did to one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The game.
    pub game_id: String,
    /// The media field.
    pub field: String,
    /// Its path before; empty when it had none.
    pub previous: String,
    /// Whether the field had no path before.
    pub created: bool,
    /// The name of the copy of the file before; empty when there was none.
    pub backup: String,
    /// Its path afterwards.
    pub new: String,
    /// What the fix wrote besides the picture; unknown in the list of an earlier version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
}

/// How a fix tied a game to the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Link {
    /// Where the pictures of the game came from before; may be empty.
    pub previous_provider: String,
    /// Its number at the provider before; may be empty.
    pub previous_id: String,
    /// Its number afterwards.
    pub new_id: String,
}

/// A fix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Batch {
    /// Its id.
    pub batch_id: String,
    /// UTC.
    pub created_at: String,
    /// Where its pictures came from.
    pub provider: String,
    /// In the order in which they were written.
    pub records: Vec<Entry>,
}

/// Whether a text may be the id of a batch: a letter or digit, then letters, digits, `_` and `-`.
pub fn is_id(text: &str) -> bool {
    let is_inner = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    text.len() <= ID_CHARS
        && text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && text.chars().all(is_inner)
}

/// The folder of the fixes.
pub struct Batches {
    files: Files,
    folder: PathBuf,
}

impl Batches {
    /// Fixes in this folder, which need not exist.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self { files, folder }
    }

    /// All of them, newest first. Files that cannot be read are left out.
    pub fn all(&self) -> Vec<Batch> {
        let names = self.files.list(&self.folder).unwrap_or_default();
        let ids = names.iter().filter_map(|name| name.strip_suffix(".json")).filter(|id| is_id(id));
        let mut all: Vec<Batch> = ids.filter_map(|id| self.find(id)).collect();
        all.sort_by(|a, b| (&b.created_at, &b.batch_id).cmp(&(&a.created_at, &a.batch_id)));
        all
    }

    /// As they are listed, the newest ones.
    pub fn shown(&self) -> Vec<ShownBatch> {
        let shown = |batch: Batch| ShownBatch {
            count: batch.records.len(),
            batch_id: batch.batch_id,
            created_at: batch.created_at,
            provider: batch.provider,
        };
        self.all().into_iter().take(KEPT).map(shown).collect()
    }

    /// The fix with this id.
    pub fn find(&self, id: &str) -> Option<Batch> {
        let bytes = self.files.read(&self.list_of(id)?).ok()?;
        let batch: Batch = serde_json::from_slice(&bytes).ok()?;
        (batch.batch_id == id && !batch.records.is_empty()).then_some(batch)
    }

    /// Writes the list of a fix.
    ///
    /// # Errors
    /// When the disk refuses; the list is as it was.
    pub fn put(&self, batch: &Batch) -> Result<(), DiskError> {
        let Some(path) = self.list_of(&batch.batch_id) else { return Ok(()) };
        self.files.private_dir(&self.folder)?;
        // OK because the list is made of texts.
        let bytes = serde_json::to_vec_pretty(batch).unwrap_or_default();
        self.files.replace(&path, &bytes)
    }

    /// Copies a file that is about to be replaced; the name of the copy, empty when there is no file or
    /// it is too large.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn copy(
        &self,
        batch: &str,
        game_id: &str,
        field: &str,
        from: &Path,
    ) -> Result<String, DiskError> {
        let Some(found) = self.files.stat(from)?.filter(Metadata::is_file) else {
            return Ok(String::new());
        };
        if found.len() > COPY_BYTES {
            return Ok(String::new());
        }
        let folder = self.folder.join(batch);
        self.files.private_dir(&folder)?;
        let ending = from.extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_plain = |text: &str| text.chars().all(|it| it.is_ascii_alphanumeric());
        let ending =
            if is_plain(ending) && (1..=5).contains(&ending.len()) { ending } else { "bin" };
        let is_name = game_id.len() <= NAME_CHARS
            && game_id.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
        let digest = ids::hex(&Sha256::digest(game_id));
        let game = if is_name { game_id } else { digest.as_str() };
        let name = format!("{game}-{field}.{ending}");
        self.files.copy(from, &folder.join(&name))?;
        Ok(name)
    }

    /// Where a copy lies; `None` for a name that is not that of a copy.
    pub fn copy_path(&self, batch: &str, name: &str) -> Option<PathBuf> {
        let is_plain = !name.is_empty() && !name.contains('/') && !name.starts_with('.');
        (is_plain && is_id(batch)).then(|| self.folder.join(batch).join(name))
    }

    /// Removes a fix with its copies.
    ///
    /// # Errors
    /// When the disk refuses; the list goes last.
    pub fn remove(&self, id: &str) -> Result<(), DiskError> {
        let Some(list) = self.list_of(id) else { return Ok(()) };
        self.files.remove_tree(&self.folder.join(id))?;
        self.files.remove(&list)
    }

    /// Removes all but the newest ones.
    pub fn prune(&self) {
        for batch in self.all().into_iter().skip(KEPT) {
            if let Err(error) = self.remove(&batch.batch_id) {
                log::warn!("an old fix of artwork stays: {error}");
            }
        }
    }

    /// Removes the copies of a fix that was cut off before it had a list. Only while no fix is made.
    pub fn sweep(&self) {
        for name in self.files.list(&self.folder).unwrap_or_default() {
            let Some(list) = self.list_of(&name) else { continue };
            let folder = self.folder.join(&name);
            let is_lone = self.files.stat(&list).is_ok_and(|list| list.is_none());
            if is_lone
                && folder.is_dir()
                && let Err(error) = self.files.remove_tree(&folder)
            {
                log::warn!("copies of an unfinished fix of artwork stay: {error}");
            }
        }
    }

    fn list_of(&self, id: &str) -> Option<PathBuf> {
        is_id(id).then(|| self.folder.join(format!("{id}.json")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(number: usize) -> Batch {
        let records = vec![Entry { game_id: "g".to_owned(), ..Entry::default() }];
        Batch {
            batch_id: format!("b{number}"),
            created_at: format!("2026-01-{number:02}"),
            provider: "artgrid".to_owned(),
            records,
        }
    }

    #[test]
    fn ids_are_plain() {
        for (text, expected) in [
            ("a", true),
            ("9_-Z", true),
            ("", false),
            ("-a", false),
            ("_a", false),
            ("a/b", false),
            ("..", false),
            ("a.json", false),
            ("ä", false),
        ] {
            assert_eq!(is_id(text), expected, "{text}");
        }
        assert!(is_id(&"a".repeat(128)) && !is_id(&"a".repeat(129)));
    }

    #[test]
    fn copies_without_a_list_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let batches = Batches::new(Files::system(), folder.path().to_owned());
        batches.sweep();
        let picture = folder.path().join("cover.png");
        Files::system().replace(&picture, b"old").expect("written");
        for id in ["b1", "b2"] {
            batches.copy(id, "g", "cover", &picture).expect("copied");
        }
        batches.put(&batch(2)).expect("written");
        batches.sweep();
        assert!(!folder.path().join("b1").exists() && folder.path().join("b2").exists());
        assert!(picture.exists() && batches.find("b2").is_some());
    }

    #[test]
    fn the_newest_fixes_stay_with_their_copies() {
        let folder = tempfile::tempdir().expect("a folder");
        let batches = Batches::new(Files::system(), folder.path().join("a"));
        assert_eq!(batches.all(), []);
        let picture = folder.path().join("cover.png");
        Files::system().replace(&picture, b"old").expect("written");
        for number in 1..=KEPT + 2 {
            batches.put(&batch(number)).expect("written");
        }
        let name = batches.copy("b1", "g/../x", "cover", &picture).expect("copied");
        assert!(name.ends_with("-cover.png") && !name.contains('/'), "{name}");
        assert_eq!(batches.copy("b22", "g", "cover", &picture).expect("copied"), "g-cover.png");
        let gone = folder.path().join("gone.png");
        assert_eq!(batches.copy("b22", "g", "icon", &gone).expect("no file"), "");
        batches.prune();
        let shown = batches.shown();
        assert_eq!((shown.len(), shown[0].batch_id.as_str(), shown[0].count), (KEPT, "b22", 1));
        assert_eq!((batches.find("b1"), batches.find("b3").is_some()), (None, true));
        assert!(!folder.path().join("a/b1").exists());
        let copy = batches.copy_path("b22", "g-cover.png").expect("a path");
        assert_eq!(Files::system().read(&copy).expect("there"), b"old");
        assert_eq!(batches.copy_path("b22", "../b3.json"), None);
        batches.remove("b22").expect("removed");
        assert!(!copy.exists() && batches.find("b22").is_none());
    }
}
