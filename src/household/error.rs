//! Why a request about the household was refused.

use super::record::RecordError;
use crate::mounted::folder::FolderError;

/// Why a request about the household was refused.
#[derive(Debug, thiserror::Error)]
pub enum HouseholdError {
    /// The request has another form.
    #[error("{0}")]
    Request(&'static str),
    /// A field of a record that is to be written breaks a rule.
    #[error("{0}")]
    Field(String),
    /// A record breaks a rule, or does not fit the others.
    #[error("{0}")]
    Record(String),
    #[error("Sharing of household statistics is switched off in the settings.")]
    StatsDisabled,
    #[error("This protocol is not known. Use v1.")]
    Protocol,
    #[error("Configure a mounted cloud sync folder first.")]
    FolderRequired,
    /// The folder cannot be used, or holds something that is not a record.
    #[error("{0}")]
    Sync(String),
    #[error("The household changed while it was published. Publish again.")]
    Stale,
}

impl From<RecordError> for HouseholdError {
    fn from(error: RecordError) -> Self {
        Self::Record(error.0)
    }
}

impl From<FolderError> for HouseholdError {
    fn from(error: FolderError) -> Self {
        log::warn!("the household was not exchanged: {error:?}");
        match error {
            FolderError::NotConfigured => Self::FolderRequired,
            other => Self::Sync(other.to_string()),
        }
    }
}
