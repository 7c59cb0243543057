//! Errors of lookups and of writing their results.

use crate::{
    files::DiskError,
    game::edit::EditError,
    jobs::{JobError, kind::Failure},
    providers::{ProviderError, SCRAPER},
    store::{CommitError, Unavailable},
};

/// A refusal; nothing has changed then. No text names anything that was sent.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    #[error("Set {variables} in .env to use {provider}.")]
    Unconfigured {
        /// What the provider is called.
        provider: &'static str,
        /// The variables that are missing.
        variables: &'static str,
    },
    #[error("{provider} rejected the login. Check {variables}.")]
    Rejected {
        /// What the provider is called.
        provider: &'static str,
        /// The variables that hold what it rejected.
        variables: &'static str,
    },
    #[error("{0} has no such game.")]
    NoGame(&'static str),
    /// The provider gave a reason.
    #[error("{0} refused the request: {1}")]
    Refused(&'static str, String),
    /// Nothing more can be asked today.
    #[error("The requests that {0} allows for today are used up.")]
    Quota(&'static str),
    /// The provider serves no client now, or only accounts of a higher level.
    #[error("{0} is closed at the moment. Try again later.")]
    Closed(&'static str),
    /// It does not serve this program at all.
    #[error("{0} refused the request: {1}")]
    Banned(&'static str, String),
    #[error("{0} took too long to answer. Try again later.")]
    TookTooLong(&'static str),
    #[error("Could not ask {0}: {1}.")]
    Failed(&'static str, String),
    /// A request that cannot be meant, or lacks something: the sentence for the client.
    #[error("{0}")]
    Malformed(String),
    /// The game is not there.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The job was not accepted.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A file cannot be written, or the library cannot be saved.
    #[error("What was found could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

impl LookupError {
    /// Why a provider gave no answer.
    pub(super) fn of(provider: &'static str, error: &ProviderError) -> Self {
        match error {
            ProviderError::Stopped => Self::TookTooLong(provider),
            error => Self::Failed(provider, error.to_string().trim_end_matches('.').to_owned()),
        }
    }

    /// Whether the next question would fail for the same reason.
    pub fn is_lasting(&self) -> bool {
        matches!(
            self,
            Self::Unconfigured { .. }
                | Self::Rejected { .. }
                | Self::Quota(_)
                | Self::Closed(_)
                | Self::Banned(..)
                | Self::TookTooLong(_)
                | Self::Unavailable(_)
                | Self::Disk(_)
        )
    }

    /// Whether the disk or the library is the reason, and no provider.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Disk(_) | Self::Job(_))
    }
}

impl From<CommitError<Self>> for LookupError {
    fn from(error: CommitError<Self>) -> Self {
        match error {
            CommitError::Unavailable(error) => error.into(),
            CommitError::Refused(error) => error,
            CommitError::Disk(error) => error.into(),
        }
    }
}

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Unavailable(_) | LookupError::Disk(_) | LookupError::Job(_) => {
                log::error!("{error}");
                Self::new(error.to_string())
            }
            error => Self::refused(&error),
        }
    }
}

/// Why the place of a media file of the scraper provider stays empty.
#[derive(Debug)]
pub(super) enum NoMedia {
    /// The work as a whole cannot go on.
    Ends(LookupError),
    /// Only this file is missing: why, without its address.
    Missing(String),
    /// The provider lists the file and does not have it.
    Absent,
}

impl From<LookupError> for NoMedia {
    fn from(error: LookupError) -> Self {
        if error.is_lasting() { Self::Ends(error) } else { Self::Missing(error.to_string()) }
    }
}

impl From<ProviderError> for NoMedia {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Stopped => Self::Ends(LookupError::TookTooLong(SCRAPER.name)),
            error => Self::Missing(error.to_string()),
        }
    }
}

/// A request that cannot be meant.
pub(super) fn malformed<T>(sentence: impl Into<String>) -> Result<T, LookupError> {
    Err(LookupError::Malformed(sentence.into()))
}
