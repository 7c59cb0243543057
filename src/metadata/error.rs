//! Why matches were not reviewed, applied or loaded.

use crate::{files::DiskError, game::edit::EditError, jobs::JobError, store::Unavailable};

/// A refusal. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum MetadataError {
    #[error("Download the metadata database first.")]
    NoDatabase,
    #[error("No source of game data can be asked. Download a database or enter an account first.")]
    NoSource,
    #[error("preview_id is required.")]
    NoId,
    #[error("Match preview not found.")]
    NotFound,
    #[error("Match preview has expired.")]
    Expired,
    #[error("Cursor is stale.")]
    OldCursor,
    #[error("Preview revision is stale.")]
    OldRevision,
    #[error("The matches of the preview are not known yet.")]
    NotReady,
    /// Too many previews are worked on.
    #[error("Too many match previews are being made.")]
    TooMany,
    #[error("Metadata game not found.")]
    UnknownRow,
    #[error("The picture is not one of this game.")]
    UnknownPicture,
    /// A request that is not formed as it must be: the sentence for the client.
    #[error("{0}")]
    Malformed(String),
    /// No picture that was asked for could be loaded, and nothing else was to be changed.
    #[error("failed to download selected media: {0}")]
    NoMedia(String),
    /// A source that could not be asked: the sentence for the client.
    #[error("{0}")]
    Source(String),
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
    #[error("What was found could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// A request that is not formed as it must be.
pub(super) fn malformed<T>(sentence: impl Into<String>) -> Result<T, MetadataError> {
    Err(MetadataError::Malformed(sentence.into()))
}
