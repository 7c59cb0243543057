//! Why a list was not read or not brought over.

use crate::{
    files::error::DiskError,
    formats::xml_rows::Broken,
    store::error::{CommitError, Unavailable},
};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// No list was named.
    #[error("no list was named")]
    NoPath,
    /// The list is not there or cannot be read: why.
    #[error("the list cannot be read: {0}")]
    Source(&'static str),
    /// It is no list of that kind.
    #[error("the list cannot be used: {0}")]
    Broken(#[from] Broken),
    /// The options cannot be used: why.
    #[error("the options cannot be used: {0}")]
    Options(&'static str),
    /// The plan is no object.
    #[error("the plan cannot be used")]
    Plan,
    /// File, library or options changed since the preview.
    #[error("the plan is stale")]
    Stale,
    /// A disk call failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// There is no library.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl MigrationError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        let fixed = match self {
            Self::NoPath => "xml_path is required.",
            Self::Source(why) | Self::Options(why) => why,
            Self::Broken(broken) => return format!("The list cannot be used: {broken}."),
            Self::Plan => "The import plan is invalid.",
            Self::Stale => "The list or the library changed since the preview. Preview again.",
            Self::Disk(error) => return format!("The disk refused: {}.", error.reason()),
            Self::Unavailable(_) => "The library cannot be read right now.",
        };
        fixed.to_owned()
    }
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
