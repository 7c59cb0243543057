//! Why an insight cannot be given.

use crate::files::DiskError;

/// Why an insight cannot be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InsightError {
    /// A date is not valid.
    #[error("end_date must be YYYY-MM-DD")]
    EndDate,
    /// A heatmap has more or fewer days.
    #[error("days must be between 1 and 366")]
    Days,
    /// A year without sessions.
    #[error("year must be between 1970 and 2100")]
    Year,
    /// A value of a request is wrong; the sentence for it.
    #[error("{0}")]
    Refused(String),
    /// No game has this id.
    #[error("Game not found")]
    UnknownGame,
    /// The history cannot be read.
    #[error("The history could not be read: {0}.")]
    Unreadable(String),
}

impl From<DiskError> for InsightError {
    fn from(error: DiskError) -> Self {
        log::error!("{error}");
        Self::Unreadable(error.reason())
    }
}
