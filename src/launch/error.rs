//! Why a launch or a control of a session was refused, and what the client reads then.

use std::{ffi::OsString, path::PathBuf};

use serde_json::{Value, json};

use super::archives::error::ArchiveError;
use crate::{
    process::{child::SignalError, spawn::SpawnError},
    store::error::{CommitError, Unavailable},
};

/// Why a start was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game was removed while it was being started")]
pub struct GameVanished;

/// Why a game was not started. Nothing is left behind then: no process, no row, no reservation.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The request names a game that is not there (any more).
    #[error("the game to start is not in the library")]
    UnknownGame,
    /// It runs, or is being started.
    #[error("the game {id} is already {}", if *running { "running" } else { "being started" })]
    AlreadyActive {
        /// Stable id of the game.
        id: String,
        /// Whether it runs; otherwise it is being started.
        running: bool,
    },
    /// It has no path and no command that does without one.
    #[error("{name:?} has no path")]
    NoPath {
        /// Name of the game.
        name: String,
    },
    /// Nothing is at its path.
    #[error("{path:?} does not exist")]
    PathGone {
        /// The path of the game.
        path: PathBuf,
    },
    /// There is no command for it and the file does not start by itself.
    #[error("{name:?} has no command and its file is not executable")]
    NotExecutable {
        /// Name of the game.
        name: String,
    },
    /// The program of its command is not there.
    #[error("the program {program:?} was not found")]
    ProgramMissing {
        /// The program as the command spells it.
        program: OsString,
    },
    /// Its archive was not extracted.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The operating system refused to start it.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The start could not be written, so the game was ended again.
    #[error("the start of the game could not be saved")]
    Unsaved(#[source] CommitError<GameVanished>),
}

impl LaunchError {
    /// The message for the client. It ends before an absolute path.
    #[must_use]
    pub fn client_text(&self) -> String {
        match self {
            Self::UnknownGame | Self::Unsaved(CommitError::Refused(_)) => {
                "Game not found".to_owned()
            }
            Self::AlreadyActive { running: true, .. } => "That game is already running.".to_owned(),
            Self::AlreadyActive { running: false, .. } => {
                "That game is already launching.".to_owned()
            }
            Self::NoPath { name } => format!("{name} has no launch path."),
            Self::PathGone { path } => {
                format!("The configured path no longer exists:\n{}", path.display())
            }
            Self::NotExecutable { name } => format!(
                "{name} has no launch command and its file is not executable. Set a launch \
                 command for the platform in Emulator profiles, or per-game in Edit game."
            ),
            Self::ProgramMissing { program } => {
                format!("The launch command was not found: {}", program.to_string_lossy())
            }
            Self::Archive(error) => error.client_text(),
            Self::Spawn(SpawnError::Refused { source, .. }) => {
                format!("The game could not be started: {source}")
            }
            Self::Spawn(SpawnError::Empty) => "The launch command is empty.".to_owned(),
            Self::Unavailable(error) => error.to_string(),
            Self::Unsaved(error) => error.to_string(),
        }
    }

    /// Facts for a client that wants to act on the refusal.
    #[must_use]
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
    /// There is no such action.
    #[error("unknown session action")]
    UnknownAction,
    /// No running session has this id.
    #[error("the session has ended")]
    NotRunning,
    /// The operating system refused the signal.
    #[error("failed to signal the game")]
    NotSignalled(#[source] SignalError),
}

impl ControlError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> &'static str {
        match self {
            Self::UnknownAction => "Unknown session action.",
            Self::NotRunning => "That game is no longer running.",
            Self::NotSignalled(_) => "Could not signal the game process.",
        }
    }
}

impl From<SignalError> for ControlError {
    fn from(error: SignalError) -> Self {
        match error {
            SignalError::Ended => Self::NotRunning,
            refused @ SignalError::Refused { .. } => Self::NotSignalled(refused),
        }
    }
}
