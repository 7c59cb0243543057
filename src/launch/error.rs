//! Errors of launches and of controlling sessions, with the sentence for the client.

use std::{ffi::OsString, path::PathBuf};

use serde_json::{Value, json};

use super::archives::error::ArchiveError;
use crate::{
    files::DiskError,
    process::{SignalError, SpawnError},
    store::{CommitError, Unavailable},
};

/// Why a start was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Game not found")]
pub struct GameVanished;

/// Why a game was not started. Nothing is left behind then: no process, no row, no reservation.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The request names a game that is not there (any more).
    #[error("Game not found")]
    UnknownGame,
    /// It runs, or is being started.
    #[error("That game is already {}.", if *running { "running" } else { "launching" })]
    AlreadyActive {
        /// Stable id of the game.
        id: String,
        /// Whether it runs; otherwise it is being started.
        running: bool,
    },
    /// It has no path and no command that does without one.
    #[error("{name} has no launch path.")]
    NoPath {
        /// Name of the game.
        name: String,
    },
    #[error("The configured path no longer exists:\n{}", .path.display())]
    PathGone {
        /// The path of the game.
        path: PathBuf,
    },
    #[error("The first disc of the playlist no longer exists: {disc}")]
    DiscGone {
        /// The name of its file.
        disc: String,
    },
    #[error("The playlist of {name} names no disc.")]
    NoDiscs {
        /// Name of the game.
        name: String,
    },
    /// There is no command for it and the file does not start by itself.
    #[error(
        "{name} has no launch command and its file is not executable. Set a launch command for \
         the platform in Emulator profiles, or per-game in Edit game."
    )]
    NotExecutable {
        /// Name of the game.
        name: String,
    },
    #[error("The launch command was not found: {}", .program.to_string_lossy())]
    ProgramMissing {
        /// The program as the command spells it.
        program: OsString,
    },
    /// Its emulator has no core that plays it.
    #[error("RetroArch core is missing.")]
    CoreMissing,
    /// A plugin does not want it to start; the text is that of the plugin.
    #[error("{0}")]
    Canceled(String),
    /// Its archive was not extracted.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("The emulator of this game cannot resume from a state.")]
    NoStates,
    #[error("The state could not be used: {}.", .0.reason())]
    States(#[source] DiskError),
    /// The operating system refused to start it.
    #[error("{}", not_started(.0))]
    Spawn(#[from] SpawnError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The start could not be written, so the game was ended again.
    #[error(transparent)]
    Unsaved(CommitError<GameVanished>),
}

fn not_started(error: &SpawnError) -> String {
    match error {
        SpawnError::Refused { source, .. } => format!("The game could not be started: {source}"),
        SpawnError::Empty => "The launch command is empty.".to_owned(),
    }
}

impl LaunchError {
    /// Facts for a client that wants to act on the refusal.
    pub fn detail(&self) -> Option<Value> {
        match self {
            Self::AlreadyActive { id, running } => {
                let state = if *running { "running" } else { "pending" };
                Some(json!({"stable_game_id": id, "state": state}))
            }
            _ => None,
        }
    }
}

/// Why a running session was not controlled.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("Unknown session action.")]
    UnknownAction,
    #[error("That game is no longer running.")]
    NotRunning,
    #[error("Could not signal the game process.")]
    NotSignalled(#[source] SignalError),
}

impl From<SignalError> for ControlError {
    fn from(error: SignalError) -> Self {
        match error {
            SignalError::Ended => Self::NotRunning,
            refused @ SignalError::Refused { .. } => Self::NotSignalled(refused),
        }
    }
}
