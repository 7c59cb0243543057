//! Why something about saves was refused or failed, with the sentence for the client.

use crate::{
    backup::error::BackupError, base::limits, files::error::DiskError, store::error::Unavailable,
};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// None of the configured save paths is there.
    #[error("no configured save path exists")]
    NoPaths,
    /// A configured save path is not absolute and plain.
    #[error("the save path {0} is not an absolute path")]
    NotAbsolute(String),
    /// A configured save path holds the data directory.
    #[error("the save path {0} holds the data directory")]
    HoldsData(String),
    /// A path that was to be added is not there.
    #[error("the save path does not exist")]
    MissingPath,
    /// One path more than a game may have.
    #[error("the game has as many save paths as it may have")]
    TooManyPaths,
    /// There is no such game.
    #[error("there is no such game")]
    UnknownGame,
    /// There is no such archive of this game.
    #[error("there is no such save backup")]
    NotFound,
    /// The roots of the archive are not the configured save paths.
    #[error("the roots of the archive are not those of the game")]
    Roots,
    /// A root is a file where the archive has a folder, or the other way round.
    #[error("a root of the archive is of another type than the one on the disk")]
    RootType,
    /// Something that is no file stands where a file goes, or no folder where one goes.
    #[error("{0} cannot be put where something else stands")]
    InTheWay(String),
    /// The game runs.
    #[error("the game runs")]
    Running,
    /// A rule for archives was broken, or a disk refused.
    #[error(transparent)]
    Archive(#[from] BackupError),
}

impl SaveError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        let fixed = match self {
            Self::NoPaths => "No configured save paths currently exist.",
            Self::NotAbsolute(_) => "Save paths must be absolute.",
            Self::HoldsData(_) => "A save path must not hold the data directory.",
            Self::MissingPath => "Save path does not exist.",
            Self::TooManyPaths => {
                return format!("Save paths are limited to {} entries.", limits::SAVE_PATHS);
            }
            Self::UnknownGame => "Game not found",
            Self::NotFound => "Save backup not found.",
            Self::Roots => "Save backup roots do not match this game.",
            Self::RootType => "Save backup root type does not match this game.",
            Self::InTheWay(name) => {
                return format!("Save backup destination is not a file: {name}");
            }
            Self::Running => "Close the game before restoring its saves.",
            Self::Archive(error) => {
                let text = error.client_text();
                return match text.strip_prefix("Backup ") {
                    Some(rest) => format!("Save backup {rest}"),
                    None => text,
                };
            }
        };
        fixed.to_owned()
    }

    /// Whether an archive itself is at fault.
    #[must_use]
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
        assert_eq!(SaveError::from(error).client_text(), expected);
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
