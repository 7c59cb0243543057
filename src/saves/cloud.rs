//! The shared file of statistics in a mounted folder: locked, read, merged, replaced in one step.
//!
//! The library is committed first: a sync that is cut off has written too little into the file, never
//! too much into the library, and the next one completes it. A file that cannot be used is kept
//! under another name.

use std::path::{Path, PathBuf};

use super::{
    folder::Saves,
    statistics::{self, Shared},
};
use crate::{
    base::{Hold as _, schema::schema},
    config::settings::read,
    files::{
        DiskError,
        lock::{Lock, LockError},
    },
    store::{CommitError, Unavailable},
};

/// The name of the shared file.
pub const FILE: &str = "service-statistics.json";
const LOCK: &str = ".service-statistics.json.lock";
/// Bytes of a shared file that are read: far above that of any library.
const FILE_BYTES: u64 = 128 << 20;

schema! {
    "CloudSync"
    /// A finished sync.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Synced {
        /// The shared file.
        pub path: String,
        /// Games of this library in it.
        pub games: usize,
        /// Games of this library that changed.
        pub merged: usize,
        /// When, ISO 8601 with offset.
        pub synced_at: String,
    }
}

/// Why nothing was synchronized.
#[derive(Debug, thiserror::Error)]
pub enum CloudError {
    #[error("Configure a mounted cloud sync folder first.")]
    NoFolder,
    #[error("Cloud sync folder does not exist.")]
    MissingFolder,
    /// Another machine or program holds the lock.
    #[error("Another machine is synchronizing right now. Try again in a moment.")]
    Busy,
    /// A link or folder stands where the lock goes.
    #[error("The lock file in the cloud sync folder cannot be used.")]
    Strange,
    #[error("The disk refused: {}.", .0.reason())]
    Disk(#[from] DiskError),
    #[error("The library cannot be read right now.")]
    Unavailable(#[from] Unavailable),
}

impl From<CommitError<std::convert::Infallible>> for CloudError {
    fn from(error: CommitError<std::convert::Infallible>) -> Self {
        error.hand_on()
    }
}

impl Saves {
    /// Whether a folder is configured.
    pub fn has_cloud_folder(&self) -> bool {
        let state = self.context.store.snapshot();
        state.is_ok_and(|state| !read::text(state.settings(), "cloud_folder").trim().is_empty())
    }

    /// Merges the statistics of this library with those in the cloud folder.
    ///
    /// # Errors
    /// [`CloudError`]. After a disk that refused, the library may know what the file knows, but the
    /// file not yet what the library knows.
    pub fn sync_statistics(&self) -> Result<Synced, CloudError> {
        let _alone = self.sync.hold();
        let state = self.context.store.snapshot()?;
        let folder = read::text(state.settings(), "cloud_folder");
        if folder.trim().is_empty() {
            return Err(CloudError::NoFolder);
        }
        let folder = PathBuf::from(folder.trim());
        if !folder.is_absolute() || !folder.is_dir() {
            return Err(CloudError::MissingFolder);
        }
        let lock = self.lock_folder(&folder)?;
        let path = folder.join(FILE);
        let (shared, is_bad) = self.read_shared(&path)?;
        let now = (self.context.now)();
        let merged =
            self.context.store.change(|draft| statistics::merge(draft, shared.as_ref(), &now))?;
        let files = &self.context.files;
        if is_bad {
            let stamp = now.local_format("%Y%m%d-%H%M%S-%6f");
            files.rename(&path, &folder.join(format!("{FILE}.bad-{stamp}")))?;
        }
        if let Some(file) = &merged.file {
            if lock.is_some() {
                files.clear_leftovers(&folder, &format!("{FILE}."))?;
            }
            files.replace(&path, &file.to_bytes())?;
        }
        drop(lock);
        Ok(Synced {
            path: path.to_string_lossy().into_owned(),
            games: merged.games,
            merged: merged.merged,
            synced_at: merged.synced_at,
        })
    }

    /// Takes the lock; none on a mount that knows no locks, where the merge itself mends what two
    /// machines do at the same moment.
    fn lock_folder(&self, folder: &Path) -> Result<Option<Lock>, CloudError> {
        let path = folder.join(LOCK);
        if self.context.files.stat(&path)?.is_some_and(|stat| !stat.is_file()) {
            return Err(CloudError::Strange);
        }
        match self.context.files.lock(&path) {
            Ok(lock) => Ok(Some(lock)),
            Err(LockError::Held { .. }) => Err(CloudError::Busy),
            Err(LockError::Disk(error)) if error.is_without_locks() => {
                log::warn!("the cloud folder knows no locks: {error}");
                Ok(None)
            }
            Err(LockError::Disk(error)) => Err(error.into()),
        }
    }

    /// The shared file, and whether something else stands in its place.
    fn read_shared(&self, path: &Path) -> Result<(Option<Shared>, bool), CloudError> {
        let files = &self.context.files;
        let Some(stat) = files.stat(path)? else { return Ok((None, false)) };
        if !stat.is_file() || stat.len() > FILE_BYTES {
            return Ok((None, true));
        }
        let shared = Shared::parse(&files.read(path)?);
        if shared.is_none() {
            log::warn!("{} cannot be used and is kept under another name", path.display());
        }
        Ok((shared.clone(), shared.is_none()))
    }
}
