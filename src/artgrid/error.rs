//! Why the artwork provider gave nothing.

use crate::providers::{ARTGRID, ProviderError};

/// Why there is no answer. No text names anything that was sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtgridError {
    #[error("{} is switched off in the settings.", ARTGRID.name)]
    Disabled,
    #[error("Set ARTGRID_API_KEY in .env to use {}.", ARTGRID.name)]
    Unconfigured,
    /// It is not asked again before the key was tested.
    #[error("{} rejected the key. Check ARTGRID_API_KEY and test it again.", ARTGRID.name)]
    KeyRejected,
    #[error("{} has no game {}.", ARTGRID.name, .0)]
    UnknownGame(u32),
    /// The provider said so in an answer.
    #[error("{} refused the request: {}", ARTGRID.name, .0)]
    Refused(String),
    #[error("{} took too long to answer. Try again later.", ARTGRID.name)]
    TookTooLong,
    #[error("Could not ask {}: {}.", ARTGRID.name, .0)]
    Failed(String),
}

impl From<ProviderError> for ArtgridError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Status { status: 401 | 403, .. } => Self::KeyRejected,
            ProviderError::Stopped => Self::TookTooLong,
            error => Self::Failed(error.to_string().trim_end_matches('.').to_owned()),
        }
    }
}
