//! Why the file of a game was not identified.

use std::io;

use crate::{base::text, discs::ImageError, files::DiskError};

/// A file that gave no hash.
#[derive(Debug, thiserror::Error)]
pub enum RomError {
    /// The game has no path, or that of a folder.
    #[error("The game has no ROM file.")]
    NoFile,
    #[error("The ROM file of the game is missing.")]
    Missing,
    /// There is no rule for the platform.
    #[error(
        "Files of {0} cannot be identified. Enter the RetroAchievements id of the game (ach_game_id)."
    )]
    Platform(String),
    /// It is packed in a way that this program does not know.
    #[error(
        "Files with the extension .{0} cannot be identified. Enter the RetroAchievements id of the game (ach_game_id)."
    )]
    Packed(String),
    /// The file, or the file in an archive, is larger than is read.
    #[error("The ROM file is larger than 512 MiB.")]
    TooLarge,
    #[error("The archive of the game could not be read.")]
    Archive,
    /// The container of a disc that is damaged, needs another file or is packed in an unknown way.
    #[error("{0} Enter the RetroAchievements id of the game (ach_game_id).")]
    Image(ImageError),
    /// The file is not what games of the console look like.
    #[error("The file of the game is not one of its platform.")]
    NotOfConsole,
    #[error("The ROM file could not be read: {0}.")]
    Unreadable(String),
}

impl From<io::Error> for RomError {
    fn from(error: io::Error) -> Self {
        match ImageError::from(error) {
            ImageError::Io(error) => Self::Unreadable(text::reason(&error)),
            damaged => Self::Image(damaged),
        }
    }
}

impl From<DiskError> for RomError {
    fn from(error: DiskError) -> Self {
        if error.is_missing() { Self::Missing } else { Self::Unreadable(error.reason()) }
    }
}
