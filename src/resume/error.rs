//! Why a game does not resume from a state.

use crate::{files::DiskError, launch::error::LaunchError};

/// Why a game does not resume from a state.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error("Game not found")]
    UnknownGame,
    #[error("Quick resume is switched off in the settings.")]
    Disabled,
    #[error("The emulator of this game cannot resume from a state.")]
    Unsupported,
    #[error("This game has no state to resume from.")]
    Missing,
    #[error("The state was made by another emulator or another version of it.")]
    Stale,
    #[error("This moment has no state to resume from.")]
    MomentMissing,
    #[error("The state of this moment was made by another emulator or another version of it.")]
    MomentStale,
    #[error("The state of this moment is not what was kept.")]
    MomentInvalid,
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("The state could not be used: {}.", .0.reason())]
    Disk(#[from] DiskError),
}
