//! Why a backup was not made or not restored.

use std::io;

use crate::{
    files::error::DiskError,
    store::error::{CommitError, Unavailable},
};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// No known item was named.
    #[error("no backup item selected")]
    NoItems,
    /// A key of the request is of the wrong type: its name and what it must be.
    #[error("{key} is not {what}")]
    BadKey {
        /// The key.
        key: &'static str,
        /// What it must be, with its article.
        what: &'static str,
    },
    /// Fewer than one archive was to be kept.
    #[error("backup retention below 1")]
    Retention,
    /// Games run; `true` for a restore.
    #[error("games are running")]
    Running {
        /// Whether it was a restore that was asked for.
        restoring: bool,
    },
    /// A tree that was to be archived is a symbolic link; relative to the data directory.
    #[error("backup source {0} is a symbolic link")]
    SourceLink(String),
    /// Something in a tree is a symbolic link; relative to the data directory.
    #[error("backup source contains the symbolic link {0}")]
    LinkInSource(String),
    /// More members than an archive may have.
    #[error("too many members")]
    TooMany,
    /// A name that is empty, absolute, climbs, or holds a NUL or backslash.
    #[error("unsafe member name")]
    UnsafeName,
    /// Two members with one name.
    #[error("duplicate members")]
    Duplicates,
    /// A member that is a link or a device.
    #[error("a member is a link or device")]
    LinkMember,
    /// A member beyond its bound, declared or real.
    #[error("a member is too large")]
    MemberTooLarge,
    /// All members together are beyond the bound.
    #[error("the members are too large together")]
    TooLarge,
    /// The file is no archive, or a member cannot be read.
    #[error("the archive cannot be read")]
    Invalid,
    /// The manifest is missing or says nothing usable.
    #[error("the manifest cannot be used")]
    Manifest,
    /// The library changed after the archive was made.
    #[error("the archive is older than the library")]
    Older,
    /// The path names no archive inside the data directory.
    #[error("the path is no archive inside the data directory")]
    Place,
    /// The data directory is a symbolic link.
    #[error("the data directory is a symbolic link")]
    DataDirLink,
    /// A link stands where a member would be written; relative to the data directory.
    #[error("{0} leads over a symbolic link")]
    DestinationLink(String),
    /// A restored file is not what the archive holds; relative to the data directory.
    #[error("what was restored differs from the archive in {0}")]
    Differs(String),
    /// There is no room for a drill: bytes needed.
    #[error("a drill needs {0} bytes")]
    NoRoom(u64),
    /// The job was told to stop.
    #[error("stopped")]
    Stopped,
    /// What is being written cannot take more.
    #[error("failed to write: {0}")]
    Sink(#[source] io::Error),
    /// A disk call failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// There is no library to read or replace.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl BackupError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        let fixed = match self {
            Self::NoItems => "Select at least one backup item.",
            Self::BadKey { key, what } => return format!("{key} must be {what}."),
            Self::Retention => "Backup retention must be at least 1.",
            Self::Running { restoring: false } => "Close running games before creating a backup.",
            Self::Running { restoring: true } => "Close running games before restoring a backup.",
            Self::SourceLink(path) => return format!("Backup source is a symlink: {path}"),
            Self::LinkInSource(path) => {
                return format!("Backup source contains a symlink: {path}");
            }
            Self::TooMany => "Backup contains too many files.",
            Self::UnsafeName => "Backup contains an unsafe path.",
            Self::Duplicates => "Backup contains duplicate entries.",
            Self::LinkMember => "Backup links are not supported.",
            Self::MemberTooLarge => "Backup member is too large.",
            Self::TooLarge => "Backup expands beyond the allowed size.",
            Self::Invalid => "Backup archive is invalid.",
            Self::Manifest => "Backup manifest is invalid.",
            Self::Older => {
                "This backup is older than the current library. Pass force=True to restore it anyway."
            }
            Self::Place => "Backup path must be a .zip file inside the data directory.",
            Self::DataDirLink => "The data directory must not be a symlink.",
            Self::DestinationLink(path) => {
                return format!("Backup destination is a symlink: {path}");
            }
            Self::Differs(path) => {
                return format!("What was restored differs from the archive: {path}");
            }
            Self::NoRoom(bytes) => {
                return format!(
                    "There is no room to try a restore: {} MiB are needed.",
                    bytes >> 20
                );
            }
            Self::Stopped => "The backup was stopped.",
            Self::Sink(error) => {
                return format!("The backup could not be written: {}.", error.kind());
            }
            Self::Disk(error) => {
                return format!("The disk refused: {}.", error.reason());
            }
            Self::Unavailable(_) => "The library cannot be read right now.",
        };
        fixed.to_owned()
    }
}

impl From<CommitError<std::convert::Infallible>> for BackupError {
    fn from(error: CommitError<std::convert::Infallible>) -> Self {
        match error {
            CommitError::Unavailable(error) => Self::Unavailable(error),
            CommitError::Refused(never) => match never {},
            CommitError::Disk(error) => Self::Disk(error),
        }
    }
}

/// Carries an error of ours through a writer that only knows those of the disk.
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
