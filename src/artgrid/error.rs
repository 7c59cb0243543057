//! Errors of the artwork provider, and of adding its pictures to games.

use crate::{
    game::edit::EditError,
    jobs::JobError,
    providers::{ARTGRID, ProviderError},
    store::Unavailable,
};

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

impl ArtgridError {
    /// Whether no request can succeed before something is changed.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Disabled | Self::Unconfigured | Self::KeyRejected)
    }

    /// Whether nothing more is to be asked for the same game: it is final, or the time is up or it was cancelled.
    /// Any other failure of one question says nothing about the next one.
    pub fn ends_game(&self) -> bool {
        self.is_final() || matches!(self, Self::TookTooLong)
    }

    /// The note on a kind of picture that could not be listed.
    pub(super) fn note(&self, field: &str) -> String {
        format!("{field}: {}", self.to_string().trim_end_matches('.'))
    }
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

/// Why pictures are not added to games. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum ArtworkError {
    #[error(transparent)]
    Artgrid(#[from] ArtgridError),
    /// A request that is not formed as it must be: the sentence for the client.
    #[error("{0}")]
    Malformed(&'static str),
    /// No picture that was asked for could be loaded, and nothing else was to be changed.
    #[error("failed to download selected media: {0}")]
    NoPictures(String),
    /// The game is not there.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The job was not accepted.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
