//! Errors of reading, changing and restoring the library.

use std::{convert::Infallible, path::PathBuf};

use crate::files::{DiskError, lock::LockError};

/// What is wrong with the content of a library file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("it is not UTF-8")]
    NotText,
    /// The text is not JSON; the parser's words.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error("it is neither an object nor a list of games")]
    NotALibrary,
    #[error("its schema version {0} is not one from 1 to 6")]
    Version(String),
    #[error("its games are not a list")]
    NoGames,
    /// The game at this position, from 0, is not an object.
    #[error("the game at position {0} is not an object")]
    NotAGame(usize),
}

/// Why there is no state to read or to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The library file is damaged; it stays as it is until it is repaired or recovered.
    #[error("the library file cannot be used: {0}")]
    Corrupt(#[from] Flaw),
    /// The library file could not be read; it is tried again with the next request.
    #[error("the library file could not be read: {0}")]
    Unreadable(String),
    /// Both are missing, and the files next to them show that there was a library.
    #[error(
        "the library file and its backup are missing, but changes or snapshots of it are there"
    )]
    Missing,
    #[error("the library has been closed")]
    Closed,
}

/// Why a commit did not happen. The texts are fit for the user.
#[derive(Debug, thiserror::Error)]
pub enum CommitError<E> {
    /// There is no state to change.
    #[error(transparent)]
    Unavailable(Unavailable),
    /// The change itself refused; nothing has been done.
    #[error("{0}")]
    Refused(E),
    /// The change could not be made durable; nothing has been done.
    #[error("The library could not be saved: {}", .0.reason())]
    Disk(DiskError),
}

impl CommitError<Infallible> {
    /// As an error of a module that has both reasons; the change cannot have refused.
    pub fn hand_on<E: From<Unavailable> + From<DiskError>>(self) -> E {
        match self {
            Self::Unavailable(error) => error.into(),
            Self::Refused(never) => match never {},
            Self::Disk(error) => error.into(),
        }
    }
}

/// What a commit returns; a change without an error type of its own is never refused.
pub type Committed<T, E = Infallible> = Result<T, CommitError<E>>;

/// Why the store did not come up at all. A damaged library is no such reason.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the library in {} is open in another process", folder.display())]
    Locked {
        /// The data directory.
        folder: PathBuf,
    },
    #[error("the data directory cannot be used: {0}")]
    Folder(DiskError),
    /// A device, a pipe or a folder has the name of a file of this program, or a file that of a folder.
    #[error("{} is not a {expected}; move it away and start again", path.display())]
    Kind {
        /// What is in the way.
        path: PathBuf,
        /// What belongs there: "file" or "folder".
        expected: &'static str,
    },
}

impl From<LockError> for OpenError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Held { path } => {
                Self::Locked { folder: path.parent().map(PathBuf::from).unwrap_or_default() }
            }
            LockError::Disk(error) => Self::Folder(error),
        }
    }
}

/// Why the library file was not rewritten.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// There is no state to write.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Another program changed the file at the same moment; its change is loaded first.
    #[error("the library file was changed by another program")]
    Foreign,
}

/// Why a recovery did not happen. The texts are those of the interface.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    #[error("No last-known-good state exists at {}.", path.display())]
    NoBackup {
        /// Where it would stand.
        path: PathBuf,
    },
    /// The backup or the snapshot is damaged as well.
    #[error("The last-known-good state is also unusable: {}", path.display())]
    Unusable {
        /// The file that was tried.
        path: PathBuf,
        /// What is wrong with it.
        reason: Unavailable,
    },
    #[error("Unknown snapshot: {0}")]
    UnknownSnapshot(String),
    #[error("The library could not be saved: {}", .0.reason())]
    Disk(#[from] DiskError),
    #[error("the library has been closed")]
    Closed,
}
