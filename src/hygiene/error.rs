//! Why artwork is not fixed, or a fix not undone.

use crate::{artgrid::ArtworkError, files::DiskError, store::Unavailable};

/// A refusal. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum HygieneError {
    /// A request that is not formed as it must be: the sentence for the client.
    #[error("{0}")]
    Malformed(&'static str),
    #[error("There is no fix of artwork to undo.")]
    NothingToUndo,
    /// The provider cannot be asked, or the job was not accepted.
    #[error(transparent)]
    Artwork(#[from] ArtworkError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A file cannot be read or written.
    #[error("The artwork could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}
