//! A folder of records: `<mounted folder>/<name>/events/<id>.json`.
//!
//! Files whose names do not end with `.json`, or begin with a full stop, belong to other programs and are skipped:
//! programs that synchronize folders keep their own files there. Anything else must be a record. No symbolic link is
//! followed below the mounted folder.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::canonical;
use crate::files::{
    DiskError, Files,
    lock::{Lock, LockError},
};

/// Where a kind of records lies, and how many there may be.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The folder below the mounted one.
    pub name: &'static str,
    /// The lock file in it.
    pub lock: &'static str,
    /// Most files.
    pub files: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("Configure a mounted cloud sync folder first.")]
    NotConfigured,
    #[error("The cloud sync folder is not there. Is it mounted?")]
    Missing,
    #[error(
        "A symbolic link or something else stands in the place of a folder or file of the exchange."
    )]
    Strange,
    #[error("Another machine is exchanging records right now. Try again in a moment.")]
    Busy,
    #[error("The folder holds more records than can be read.")]
    TooMany,
    #[error("A record in the folder is too large.")]
    TooLarge,
    #[error("A file in the folder does not have the name of a record.")]
    Name,
    #[error("A record in the folder has another content than the one here.")]
    Differs,
    #[error("The disk refused: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// The folder of one kind of records.
pub struct Folder<'a> {
    files: &'a Files,
    layout: Layout,
    top: PathBuf,
    events: PathBuf,
}

impl<'a> Folder<'a> {
    /// The folder below the mounted one that the settings name; nothing is created.
    ///
    /// # Errors
    /// [`FolderError::NotConfigured`], [`FolderError::Missing`] or [`FolderError::Strange`].
    pub fn below(files: &'a Files, mounted: &str, layout: Layout) -> Result<Self, FolderError> {
        let mounted = mounted.trim();
        if mounted.is_empty() {
            return Err(FolderError::NotConfigured);
        }
        let mounted = Path::new(mounted);
        if !mounted.is_absolute() || !mounted.is_dir() {
            return Err(FolderError::Missing);
        }
        let top = mounted.join(layout.name);
        let events = top.join("events");
        let folder = Self { files, layout, top, events };
        folder.is_folder(&folder.top)?;
        folder.is_folder(&folder.events)?;
        Ok(folder)
    }

    /// Whether a folder is there; something else in its place is an error.
    fn is_folder(&self, path: &Path) -> Result<bool, FolderError> {
        match self.files.stat(path)? {
            None => Ok(false),
            Some(stat) if stat.is_dir() => Ok(true),
            Some(_) => Err(FolderError::Strange),
        }
    }

    /// Keeps other machines away; `None` on a mount that knows no locks. Creates the folder.
    ///
    /// # Errors
    /// [`FolderError`]; [`FolderError::Busy`] while another machine has the lock.
    pub fn lock(&self) -> Result<Option<Lock>, FolderError> {
        self.files.private_dir(&self.events)?;
        let path = self.top.join(self.layout.lock);
        if self.files.stat(&path)?.is_some_and(|stat| !stat.is_file()) {
            return Err(FolderError::Strange);
        }
        match self.files.lock(&path) {
            Ok(lock) => {
                // What a kill left half written.
                self.files.clear_leftovers(&self.events, "")?;
                Ok(Some(lock))
            }
            Err(LockError::Held { .. }) => Err(FolderError::Busy),
            Err(LockError::Disk(error)) if error.is_without_locks() => {
                log::warn!("the mounted folder knows no locks: {error}");
                Ok(None)
            }
            Err(LockError::Disk(error)) => Err(error.into()),
        }
    }

    /// Hands every record of the folder to `take`, as the id of its name and its bytes.
    ///
    /// # Errors
    /// [`FolderError`] of the first invalid file, or that of `take`.
    pub fn read<E: From<FolderError>>(
        &self,
        mut take: impl FnMut(&str, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let names = self.files.list(&self.events).map_err(FolderError::from)?;
        let is_json = |name: &str| Path::new(name).extension().is_some_and(|end| end == "json");
        let is_ours = |name: &&String| is_json(name) && !name.starts_with('.');
        let names: Vec<&String> = names.iter().filter(is_ours).collect();
        if names.len() > self.layout.files {
            return Err(FolderError::TooMany.into());
        }
        let mut left = self.layout.bytes;
        for name in names {
            let id = name.trim_end_matches(".json");
            if !canonical::is_id(id) || name.len() != id.len() + 5 {
                return Err(FolderError::Name.into());
            }
            let bytes = self.bytes_of(&self.events.join(name))?;
            let length = bytes.len() as u64;
            left = left.checked_sub(length).ok_or(FolderError::TooMany)?;
            take(id, &bytes)?;
        }
        Ok(())
    }

    /// The bytes of a plain file that is not too large.
    fn bytes_of(&self, path: &Path) -> Result<Vec<u8>, FolderError> {
        let stat = self.files.stat(path)?.ok_or(FolderError::Strange)?;
        if !stat.is_file() {
            return Err(FolderError::Strange);
        }
        if stat.len() > self.layout.file_bytes {
            return Err(FolderError::TooLarge);
        }
        Ok(self.files.read_range(path, 0, stat.len())?)
    }

    /// Adds a record and returns whether it was new. A file with its name must have the same bytes.
    ///
    /// # Errors
    /// [`FolderError`]; [`FolderError::Differs`] for other bytes.
    pub fn add(&self, id: &str, bytes: &[u8]) -> Result<bool, FolderError> {
        let path = self.events.join(format!("{id}.json"));
        match self.files.place(&path, bytes, 0o600) {
            Ok(()) => Ok(true),
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {
                let is_same = self.bytes_of(&path)? == bytes;
                if is_same { Ok(false) } else { Err(FolderError::Differs) }
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files and links themselves")]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;

    const LAYOUT: Layout =
        Layout { name: "exchange", lock: ".lock", files: 3, file_bytes: 10, bytes: 20 };

    struct Mounted(tempfile::TempDir, Files);

    impl Mounted {
        fn new() -> Self {
            Self(tempfile::tempdir().expect("a folder"), Files::system())
        }

        fn folder(&self) -> Result<Folder<'_>, FolderError> {
            Folder::below(&self.1, &self.0.path().to_string_lossy(), LAYOUT)
        }

        fn events(&self) -> PathBuf {
            self.0.path().join("exchange/events")
        }

        fn read(&self) -> Result<Vec<(String, Vec<u8>)>, FolderError> {
            let mut records = Vec::new();
            self.folder()?.read(|id, bytes| {
                records.push((id.to_owned(), bytes.to_owned()));
                Ok::<(), FolderError>(())
            })?;
            Ok(records)
        }
    }

    fn id(letter: char) -> String {
        letter.to_string().repeat(64)
    }

    #[test]
    fn records_are_added_once_and_read_back() {
        let mounted = Mounted::new();
        assert!(mounted.read().expect("an empty folder").is_empty());
        assert!(!mounted.events().exists(), "reading creates nothing");
        let folder = mounted.folder().expect("there");
        let lock = folder.lock().expect("free");
        assert!(matches!(mounted.folder().expect("there").lock(), Err(FolderError::Busy)));
        assert!(folder.add(&id('a'), b"one").expect("added"));
        assert!(!folder.add(&id('a'), b"one").expect("there already"));
        assert!(matches!(folder.add(&id('a'), b"two"), Err(FolderError::Differs)));
        drop(lock);
        fs::write(mounted.events().join(".half.json"), b"x").expect("written");
        fs::write(mounted.events().join("notes.txt"), b"x").expect("written");
        assert_eq!(mounted.read().expect("read"), [(id('a'), b"one".to_vec())]);
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&mounted.events()), 0o700);
        assert_eq!(mode(&mounted.events().join(format!("{}.json", id('a')))), 0o600);
    }

    #[test]
    fn everything_that_is_read_is_bounded() {
        for (files, expected) in [
            (vec![("a", 10), ("b", 10)], "fine"),
            (vec![("a", 11)], "TooLarge"),
            (vec![("a", 10), ("b", 10), ("c", 1)], "TooMany"),
            (vec![("a", 1), ("b", 1), ("c", 1), ("d", 1)], "TooMany"),
        ] {
            let mounted = Mounted::new();
            fs::create_dir_all(mounted.events()).expect("created");
            for (letter, size) in files {
                let path = mounted.events().join(format!("{}.json", letter.repeat(64)));
                fs::write(path, vec![b'x'; size]).expect("written");
            }
            let read = mounted.read().map(|_| "fine".to_owned());
            assert_eq!(read.unwrap_or_else(|error| format!("{error:?}")), expected);
        }
    }

    #[test]
    fn links_and_foreign_names_are_refused() {
        let mounted = Mounted::new();
        fs::create_dir_all(mounted.events()).expect("created");
        let link = mounted.events().join(format!("{}.json", id('a')));
        symlink("/etc/hostname", &link).expect("linked");
        assert!(matches!(mounted.read(), Err(FolderError::Strange)));
        fs::remove_file(&link).expect("removed");
        fs::create_dir(&link).expect("created");
        assert!(matches!(mounted.read(), Err(FolderError::Strange)));
        fs::remove_dir(&link).expect("removed");
        fs::write(mounted.events().join("a.json"), b"x").expect("written");
        assert!(matches!(mounted.read(), Err(FolderError::Name)));
        fs::remove_dir_all(mounted.0.path().join("exchange")).expect("removed");
        symlink("/tmp", mounted.0.path().join("exchange")).expect("linked");
        assert!(matches!(mounted.folder().map(drop), Err(FolderError::Strange)));
        let files = Files::system();
        let below = |path: &str| Folder::below(&files, path, LAYOUT).map(drop);
        assert!(matches!(below(" "), Err(FolderError::NotConfigured)));
        assert!(matches!(below("/no/such/folder"), Err(FolderError::Missing)));
        assert!(matches!(below("relative"), Err(FolderError::Missing)));
    }
}
