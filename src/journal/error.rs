//! Errors of the journal.

use crate::{files::DiskError, store::Unavailable};

/// Why the journal could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Its file cannot be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The log of the library cannot be read.
    #[error(transparent)]
    Log(#[from] Unavailable),
    /// It does not hold every change, because its file could not be written.
    #[error("the journal is behind the library")]
    Behind,
}

/// Why a question was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It breaks a rule; the sentence for the client.
    #[error("{0}")]
    Request(String),
    /// A date is missing, cannot be read, or comes after a later one.
    #[error("{0}")]
    Date(String),
}

impl QueryError {
    pub(super) fn request(message: impl Into<String>) -> Self {
        Self::Request(message.into())
    }

    pub(super) fn date(message: impl Into<String>) -> Self {
        Self::Date(message.into())
    }
}
