//! Why saves were not shared between devices, with the sentence for the client.

use crate::{
    backup::error::BackupError, files::DiskError, mounted::folder::FolderError,
    saves::error::SaveError, store::Unavailable,
};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("Saves of this game are not shared between devices.")]
    Off,
    #[error("Add a save path to the game first.")]
    NoPaths,
    /// Two games of the library would share their saves.
    #[error(
        "Another game has the same platform and title, so their saves cannot be distinguished."
    )]
    Ambiguous,
    #[error("The saves of the other device have not arrived completely. Try again in a moment.")]
    Arriving,
    #[error("The saves of the other device are not at the same save paths as here.")]
    OtherPaths,
    #[error("That version of the saves is not among the newest ones.")]
    NotNewest,
    #[error("The cloud sync folder does not answer.")]
    NoAnswer,
    #[error("Close the game before its saves are replaced.")]
    Running,
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Save(SaveError),
}

impl From<SaveError> for SyncError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Running => Self::Running,
            SaveError::Roots => Self::OtherPaths,
            other => Self::Save(other),
        }
    }
}

impl From<BackupError> for SyncError {
    fn from(error: BackupError) -> Self {
        Self::Save(error.into())
    }
}

impl From<DiskError> for SyncError {
    fn from(error: DiskError) -> Self {
        Self::Save(error.into())
    }
}

impl From<Unavailable> for SyncError {
    fn from(error: Unavailable) -> Self {
        Self::Save(error.into())
    }
}

impl SyncError {
    /// Whether the work was asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Save(SaveError::Archive(BackupError::Stopped)))
    }
}
