//! Why a store cannot be read.

use crate::process::capture::CaptureError;

/// A store that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StorefrontError {
    /// Nothing on this machine starts its games.
    #[error("{0} is not installed")]
    NoLauncher(&'static str),
    /// `xdg-open` is missing.
    #[error("there is no system opener")]
    NoOpener,
    /// Its command could not be run.
    #[error("failed to ask {store}: {source}")]
    Silent {
        /// The store.
        store: &'static str,
        /// What happened.
        source: CaptureError,
    },
    /// Its command ended with an error.
    #[error("{store} ended with code {code}: {said}")]
    Ended {
        /// The store.
        store: &'static str,
        /// The exit code.
        code: i32,
        /// The last line of its output.
        said: String,
    },
    /// Its command printed something else than a list of games.
    #[error("{0} printed no list of games")]
    NoList(&'static str),
}

impl StorefrontError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        match self {
            Self::NoLauncher(store) => format!("{store} is not installed."),
            Self::NoOpener => "xdg-open is required to start these games.".to_owned(),
            Self::Silent { store, source: CaptureError::TimedOut(time) } => {
                format!("{store} did not answer within {} seconds.", time.as_secs())
            }
            Self::Silent { store, .. } => format!("{store} could not be started."),
            Self::Ended { store, code, said } if said.is_empty() => {
                format!("{store} failed with code {code}.")
            }
            Self::Ended { store, said, .. } => format!("{store} failed: {said}"),
            Self::NoList(store) => format!("{store} returned an invalid game list."),
        }
    }
}
