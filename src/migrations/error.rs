//! Errors of reading and importing lists.

use crate::{
    files::DiskError,
    formats::xml_rows::Broken,
    store::{CommitError, Unavailable},
};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    #[error("xml_path is required.")]
    NoPath,
    /// The list is not there or cannot be read: why.
    #[error("{0}")]
    Source(&'static str),
    #[error("The list is too large.")]
    TooMuch,
    #[error("The list cannot be used: {0}.")]
    Broken(#[from] Broken),
    /// The options cannot be used: why.
    #[error("{0}")]
    Options(&'static str),
    #[error("The import plan is invalid.")]
    Plan,
    /// File, library or options changed since the preview.
    #[error("The list or the library changed since the preview. Preview again.")]
    Stale,
    #[error("The disk refused: {}.", .0.reason())]
    Disk(#[from] DiskError),
    #[error("The library cannot be read right now.")]
    Unavailable(#[from] Unavailable),
}

impl From<CommitError<Self>> for MigrationError {
    fn from(error: CommitError<Self>) -> Self {
        match error {
            CommitError::Unavailable(error) => Self::Unavailable(error),
            CommitError::Refused(error) => error,
            CommitError::Disk(error) => Self::Disk(error),
        }
    }
}
