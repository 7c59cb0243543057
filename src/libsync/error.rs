//! Why libraries were not synchronized.

use crate::journal::exchange::EventError;
use crate::{
    backup::error::BackupError,
    files::DiskError,
    mounted::{folder::FolderError, graph::GraphError},
    store::Unavailable,
};

/// Why libraries were not synchronized.
#[derive(Debug, thiserror::Error)]
pub enum LibsyncError {
    /// Synchronization is off; what it was asked for.
    #[error("Enable library synchronization before {0}.")]
    NotEnabled(&'static str),
    #[error("Configure a mounted cloud sync folder first.")]
    FolderRequired,
    #[error("A reviewed sync plan is required.")]
    PlanRequired,
    /// An event, the folder or a plan breaks a rule.
    #[error("{0}")]
    Invalid(String),
    #[error("Library sync preview is stale; review incoming changes again.")]
    PreviewStale,
    #[error("Local library changed while sync was publishing; retry the operation.")]
    PublishStale,
    /// A request of an older protocol.
    #[error("Whole libraries are not exchanged. Review changes, and publish with protocol v3.")]
    OldProtocol,
    /// The library could not be archived before the change.
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error("The disk refused: {}.", .0.reason())]
    Disk(#[from] DiskError),
    #[error("The library cannot be read right now.")]
    Unavailable(#[from] Unavailable),
}

impl From<EventError> for LibsyncError {
    fn from(error: EventError) -> Self {
        Self::Invalid(error.0.to_owned())
    }
}

impl From<GraphError> for LibsyncError {
    fn from(error: GraphError) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl From<FolderError> for LibsyncError {
    fn from(error: FolderError) -> Self {
        log::warn!("the library was not synchronized: {error:?}");
        match error {
            FolderError::NotConfigured => Self::FolderRequired,
            other => Self::Invalid(other.to_string()),
        }
    }
}
