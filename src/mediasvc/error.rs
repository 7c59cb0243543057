//! Errors of the media service.

use crate::{
    files::DiskError,
    game::edit::EditError,
    providers::{MEDIASVC, ProviderError},
    store::Unavailable,
};

/// Why there is no file. No text names anything that was sent.
#[derive(Debug, thiserror::Error)]
pub enum MediaServiceError {
    #[error("Configure EmuMovies credentials in Settings first.")]
    Unconfigured,
    /// A request that is not formed as it must be: the sentence for the client.
    #[error("{0}")]
    Malformed(&'static str),
    #[error("{} rejected the credentials.", MEDIASVC.name)]
    Rejected,
    #[error("{} rejected this account. Nothing was saved.", MEDIASVC.name)]
    NotAccepted,
    /// It could not be tried, for this reason.
    #[error("{0} Nothing was saved.")]
    Untried(String),
    #[error("{} has no such file of the game.", MEDIASVC.name)]
    Missing,
    #[error("{} took too long to answer. Try again later.", MEDIASVC.name)]
    TookTooLong,
    #[error("Could not download from {}: {}.", MEDIASVC.name, .0)]
    Failed(String),
    /// The game is not there.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A file cannot be read or written.
    #[error("It could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

impl From<ProviderError> for MediaServiceError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Status { status: 401 | 403, .. } => Self::Rejected,
            ProviderError::Status { status: 404, .. } => Self::Missing,
            ProviderError::Stopped => Self::TookTooLong,
            error => Self::Failed(error.to_string().trim_end_matches('.').to_owned()),
        }
    }
}
