//! Detects whether entries were added to or removed from a folder tree since its last scan.
//!
//! The modification time of a folder changes with its entries, so only folders are examined, never
//! files.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// The most folders of one tree that are checked; a larger tree counts as changed each time.
const FOLDERS: usize = 20_000;

/// A number that differs when a folder of the tree has other entries; `None` when the tree cannot
/// be read or is too large.
pub fn of(root: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut waiting: Vec<PathBuf> = vec![root.to_owned()];
    let mut seen = 0;
    while let Some(folder) = waiting.pop() {
        seen += 1;
        let stat = fs::symlink_metadata(&folder).ok()?;
        if seen > FOLDERS || !stat.is_dir() {
            return None;
        }
        (folder.as_os_str(), stat.mtime(), stat.mtime_nsec(), stat.ino()).hash(&mut hasher);
        let mut inner: Vec<PathBuf> = Vec::new();
        let mut entries = 0_u64;
        for entry in fs::read_dir(&folder).ok()?.flatten() {
            entries += 1;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                inner.push(entry.path());
            }
        }
        entries.hash(&mut hasher);
        inner.sort();
        waiting.extend(inner);
    }
    Some(hasher.finish())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    #[test]
    fn tells_of_entries_at_any_depth() {
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("a/b");
        fs::create_dir_all(&inner).expect("made");
        let before = of(root.path()).expect("readable");
        assert_eq!(of(root.path()), Some(before));
        fs::write(inner.join("new.nes"), b"x").expect("written");
        assert_ne!(of(root.path()), Some(before));
        assert_eq!(of(&root.path().join("gone")), None);
    }
}
