//! Errors about saves, with the sentence for the client.

use crate::{backup::error::BackupError, base::limits, files::DiskError, store::Unavailable};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("No configured save paths currently exist.")]
    NoPaths,
    #[error("Save paths must be absolute.")]
    NotAbsolute(String),
    #[error("A save path must not hold the data directory.")]
    HoldsData(String),
    /// A path that was to be added is not there.
    #[error("Save path does not exist.")]
    MissingPath,
    #[error("Save paths are limited to {} entries.", limits::SAVE_PATHS)]
    TooManyPaths,
    #[error("Game not found")]
    UnknownGame,
    #[error("Save backup not found.")]
    NotFound,
    /// The roots of the archive are not the configured save paths.
    #[error("Save backup roots do not match this game.")]
    Roots,
    /// A root is a file where the archive has a folder, or the other way round.
    #[error("Save backup root type does not match this game.")]
    RootType,
    /// Something that is not a file stands where a file goes, or no folder where one goes.
    #[error("Save backup destination is not a file: {0}")]
    InTheWay(String),
    #[error("Close the game before restoring its saves.")]
    Running,
    /// A rule for archives was broken, or a disk refused.
    #[error("{}", about_saves(.0))]
    Archive(#[from] BackupError),
}

/// The sentences about backups are about saves here.
fn about_saves(error: &BackupError) -> String {
    let text = error.to_string();
    match text.strip_prefix("Backup ") {
        Some(rest) => format!("Save backup {rest}"),
        None => text,
    }
}

impl SaveError {
    /// Whether an archive itself is at fault.
    pub fn is_bad_archive(&self) -> bool {
        match self {
            Self::Roots | Self::RootType => true,
            Self::Archive(error) => !matches!(
                error,
                BackupError::Disk(_)
                    | BackupError::Sink(_)
                    | BackupError::Stopped
                    | BackupError::Unavailable(_)
            ),
            _ => false,
        }
    }
}

impl From<DiskError> for SaveError {
    fn from(error: DiskError) -> Self {
        Self::Archive(error.into())
    }
}

impl From<Unavailable> for SaveError {
    fn from(error: Unavailable) -> Self {
        Self::Archive(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: BackupError, expected: &str) {
        assert_eq!(SaveError::from(error).to_string(), expected);
    }

    #[test]
    fn sentences_about_archives_speak_of_saves() {
        check(BackupError::UnsafeName, "Save backup contains an unsafe path.");
        check(BackupError::MemberTooLarge, "Save backup member is too large.");
        check(BackupError::TooLarge, "Save backup expands beyond the allowed size.");
        check(BackupError::TooMany, "Save backup contains too many files.");
        check(BackupError::Manifest, "Save backup manifest is invalid.");
        check(BackupError::Invalid, "Save backup archive is invalid.");
        check(BackupError::Stopped, "The backup was stopped.");
    }
}
