//! Where the store keeps its files and how it is set up.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::scribe::Scribe;
use crate::{base::Moment, files::Files};

/// The files of the store, all in one folder so that they can take each other's place.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The folder.
    pub folder: PathBuf,
    /// The state of record.
    pub library: PathBuf,
    /// The state of record before the last fold.
    pub backup: PathBuf,
    /// Older states.
    pub snapshots: PathBuf,
    /// Changes since the backup.
    pub log: PathBuf,
    /// Held while the store is open.
    pub lock: PathBuf,
}

impl Paths {
    /// The layout below a data directory.
    pub fn below(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            library: folder.join("library.json"),
            backup: folder.join("library.json.bak"),
            snapshots: folder.join("library.json.snapshots"),
            log: folder.join("library.log"),
            lock: folder.join(".library.json.lock"),
        }
    }
}

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// Disk access.
    pub files: Files,
    /// Where everything stands.
    pub paths: Paths,
    /// How long after the last change the library file is rewritten. Zero is at once; folds
    /// never take more than a twentieth of the time.
    pub debounce: Duration,
    /// The clock that times commits and names snapshots and files set aside.
    pub now: fn() -> Moment,
    /// Keeps its own record of every commit.
    pub scribe: Option<Arc<dyn Scribe>>,
}

impl Options {
    /// The system's disk and clock, folding at once.
    #[cfg(test)]
    pub fn at(folder: &Path) -> Self {
        Self {
            files: Files::system(),
            paths: Paths::below(folder),
            debounce: Duration::ZERO,
            now: Moment::now,
            scribe: None,
        }
    }
}
