//! Why a backup was not made or not restored.

use std::io;

use crate::{
    files::DiskError,
    store::{CommitError, Unavailable},
};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("Select at least one backup item.")]
    NoItems,
    /// A key of the request is of the wrong type: its name and what it must be.
    #[error("{key} must be {what}.")]
    BadKey {
        /// The key.
        key: &'static str,
        /// What it must be, with its article.
        what: &'static str,
    },
    #[error("Backup retention must be at least 1.")]
    Retention,
    /// Games run; `true` for a restore.
    #[error("Close running games before {} a backup.", if *restoring { "restoring" } else { "creating" })]
    Running {
        /// Whether it was a restore that was asked for.
        restoring: bool,
    },
    /// A tree that was to be archived is a symbolic link; relative to the data directory.
    #[error("Backup source is a symlink: {0}")]
    SourceLink(String),
    /// Something in a tree is a symbolic link; relative to the data directory.
    #[error("Backup source contains a symlink: {0}")]
    LinkInSource(String),
    #[error("Backup contains too many files.")]
    TooMany,
    /// A name that is empty, absolute, climbs, or holds a NUL or backslash.
    #[error("Backup contains an unsafe path.")]
    UnsafeName,
    #[error("Backup contains duplicate entries.")]
    Duplicates,
    /// A member that is a link or a device.
    #[error("Backup links are not supported.")]
    LinkMember,
    /// A member beyond its bound, declared or real.
    #[error("Backup member is too large.")]
    MemberTooLarge,
    #[error("Backup expands beyond the allowed size.")]
    TooLarge,
    /// The file is not an archive, or a member cannot be read.
    #[error("Backup archive is invalid.")]
    Invalid,
    /// The manifest is missing or not usable.
    #[error("Backup manifest is invalid.")]
    Manifest,
    #[error("This backup is older than the current library. Pass force=True to restore it anyway.")]
    Older,
    #[error("Backup path must be a .zip file inside the data directory.")]
    Place,
    #[error("The data directory must not be a symlink.")]
    DataDirLink,
    /// A link stands where a member would be written; relative to the data directory.
    #[error("Backup destination is a symlink: {0}")]
    DestinationLink(String),
    /// Something that is not a file stands where a member would be written, or no folder where one is needed;
    /// relative to the data directory.
    #[error("Backup destination is not a file: {0}")]
    InTheWay(String),
    /// A restored file is not what the archive holds; relative to the data directory.
    #[error("What was restored differs from the archive: {0}")]
    Differs(String),
    /// There is no room for a drill: bytes needed.
    #[error("There is no room to try a restore: {} MiB are needed.", .0 >> 20)]
    NoRoom(u64),
    #[error("The backup was stopped.")]
    Stopped,
    #[error("The backup could not be written: {}.", .0.kind())]
    Sink(#[source] io::Error),
    #[error("The disk refused: {}.", .0.reason())]
    Disk(#[from] DiskError),
    /// There is no library to read or replace.
    #[error("The library cannot be read right now.")]
    Unavailable(#[from] Unavailable),
}

impl From<CommitError<std::convert::Infallible>> for BackupError {
    fn from(error: CommitError<std::convert::Infallible>) -> Self {
        error.hand_on()
    }
}

/// Carries an error of this module through a writer that only knows those of the disk.
#[derive(Default)]
pub struct Slip(Option<BackupError>);

impl Slip {
    /// The outcome as the disk's writer understands it; the error is kept.
    ///
    /// # Errors
    /// What stands for the error at the disk.
    pub fn pass(&mut self, outcome: Result<(), BackupError>) -> io::Result<()> {
        match outcome {
            Ok(()) => Ok(()),
            Err(BackupError::Sink(error)) => Err(error),
            Err(error) => {
                let words = error.to_string();
                self.0 = Some(error);
                Err(io::Error::other(words))
            }
        }
    }

    /// The outcome with the error that was kept in place of the disk's.
    ///
    /// # Errors
    /// The error that was kept, else the disk's.
    pub fn settle<T>(self, outcome: Result<T, DiskError>) -> Result<T, BackupError> {
        outcome.map_err(|error| self.0.unwrap_or(BackupError::Disk(error)))
    }
}
