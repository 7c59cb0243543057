//! Why there are no achievements.

use super::rom_error::RomError;
use crate::{
    files::DiskError,
    game::edit::EditError,
    jobs::JobError,
    providers::{ACH, ProviderError},
    store::{CommitError, Unavailable},
};

/// A refusal. Nothing has changed then, and no text names anything that was sent.
#[derive(Debug, thiserror::Error)]
pub enum AchError {
    #[error("Configure {} first.", ACH.name)]
    Unconfigured,
    #[error("{} rejected those credentials.", ACH.name)]
    Rejected,
    /// A request that is not formed as it must be: the sentence for the client.
    #[error("{0}")]
    Malformed(&'static str),
    /// There is no game with this number there.
    #[error("{} has no game {}.", ACH.name, .0)]
    UnknownSet(u32),
    /// The file is known, but not to the provider.
    #[error("No game of {} is linked to the hash {} of this file.", ACH.name, .0)]
    Unlinked(String),
    #[error("{} took too long to answer. Try again later.", ACH.name)]
    TookTooLong,
    #[error("Could not ask {}: {}.", ACH.name, .0)]
    Failed(String),
    /// The file of the game was not identified.
    #[error(transparent)]
    Rom(#[from] RomError),
    /// The game is not there.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The job was not accepted.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A file cannot be read or written.
    #[error("What was asked for could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

impl From<ProviderError> for AchError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Status { status: 401 | 403, .. } => Self::Rejected,
            ProviderError::Stopped => Self::TookTooLong,
            error => Self::Failed(error.to_string().trim_end_matches('.').to_owned()),
        }
    }
}

impl<E: Into<AchError>> From<CommitError<E>> for AchError {
    fn from(error: CommitError<E>) -> Self {
        match error {
            CommitError::Unavailable(error) => error.into(),
            CommitError::Refused(error) => error.into(),
            CommitError::Disk(error) => error.into(),
        }
    }
}
