//! Why a preview was not made, found, decided on or committed.

use crate::{files::error::DiskError, jobs::error::JobError, store::error::Unavailable};

/// A refusal. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The request does not say which preview.
    #[error("no preview was named")]
    NoId,
    /// There is no such preview (any more).
    #[error("there is no such preview")]
    NotFound,
    /// Its time is over.
    #[error("the preview has expired")]
    Expired,
    /// There are as many previews as there may be.
    #[error("there are too many previews")]
    TooMany,
    /// A cursor that was made up, or that stands behind the end.
    #[error("the cursor is not one of this preview")]
    BadCursor,
    /// A cursor of another revision.
    #[error("the cursor is of another revision")]
    OldCursor,
    /// A commit of another revision.
    #[error("the revision is not that of the preview")]
    OldRevision,
    /// Ambiguous candidates without a decision.
    #[error("candidates without a platform are left")]
    Unresolved,
    /// A choice of an emulator definition that does not exist.
    #[error("there is no emulator definition {0:?}")]
    NoAdapter(String),
    /// Its candidates are not known yet, or never will be.
    #[error("the preview is not ready")]
    NotReady,
    /// A job of the preview runs, or it is committed.
    #[error("the preview is in use")]
    Busy,
    /// A request that is not formed as it must be: the sentence for the client.
    #[error("{0}")]
    Malformed(&'static str),
    /// A decision that cannot be meant: the sentence for the client.
    #[error("{0}")]
    Decision(String),
    /// The job was not accepted.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The files of the preview cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl SetupError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        match self {
            Self::NoId => "preview_id is required.".to_owned(),
            Self::NotFound => "Preview not found.".to_owned(),
            Self::Expired => "Preview has expired.".to_owned(),
            Self::TooMany => "At most 10 active previews are allowed.".to_owned(),
            Self::BadCursor => "Cursor is invalid or stale.".to_owned(),
            Self::OldCursor => "Cursor is bound to a different preview revision.".to_owned(),
            Self::OldRevision => "Preview revision is stale.".to_owned(),
            Self::Unresolved => "Unresolved candidates remain in preview.".to_owned(),
            Self::NoAdapter(id) => format!("Unknown emulator adapter: {id}"),
            Self::NotReady => "The scan of the preview has not finished.".to_owned(),
            Self::Busy => "The preview is being committed or was committed.".to_owned(),
            Self::Malformed(text) => (*text).to_owned(),
            Self::Decision(text) => text.clone(),
            Self::Job(error) => error.to_string(),
            Self::Unavailable(error) => error.to_string(),
            Self::Disk(error) => format!("The preview could not be saved: {}.", error.reason()),
        }
    }
}
