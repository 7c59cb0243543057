//! Why a preview was not made, found, decided on or committed.

use crate::{files::DiskError, jobs::JobError, store::Unavailable};

/// A refusal. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("preview_id is required.")]
    NoId,
    #[error("Preview not found.")]
    NotFound,
    #[error("Preview has expired.")]
    Expired,
    #[error("At most 10 active previews are allowed.")]
    TooMany,
    /// An invented cursor, or one beyond the end.
    #[error("Cursor is invalid or stale.")]
    BadCursor,
    #[error("Cursor is bound to a different preview revision.")]
    OldCursor,
    #[error("Preview revision is stale.")]
    OldRevision,
    #[error("Unresolved candidates remain in preview.")]
    Unresolved,
    /// A choice of an emulator definition that does not exist.
    #[error("Unknown emulator adapter: {0}")]
    NoAdapter(String),
    /// Its candidates are not known yet, or never will be.
    #[error("The scan of the preview has not finished.")]
    NotReady,
    /// A job of the preview runs, or it is committed.
    #[error("The preview is being committed or was committed.")]
    Busy,
    /// A request that is not formed as it must be: the sentence for the client.
    #[error("{0}")]
    Malformed(&'static str),
    /// A platform chosen for a folder that cannot be meant: the sentence for the client.
    #[error("{0}")]
    Choice(String),
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
    #[error("The preview could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}
