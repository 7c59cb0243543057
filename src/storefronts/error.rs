//! Why a store cannot be read.

use crate::process::CaptureError;

/// A store that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StorefrontError {
    #[error("{0} is not installed.")]
    NoLauncher(&'static str),
    /// `xdg-open` is missing.
    #[error("xdg-open is required to start these games.")]
    NoOpener,
    #[error("{store} {}.", why_silent(source))]
    Silent {
        /// The store.
        store: &'static str,
        /// What happened.
        source: CaptureError,
    },
    #[error("{store} failed{}", ending(*code, said))]
    Ended {
        /// The store.
        store: &'static str,
        /// The exit code.
        code: i32,
        /// The last line of its output.
        said: String,
    },
    /// Its command printed something else than a list of games.
    #[error("{0} returned an invalid game list.")]
    NoList(&'static str),
}

fn why_silent(error: &CaptureError) -> String {
    match error {
        CaptureError::TimedOut(time) => format!("did not answer within {} seconds", time.as_secs()),
        _ => "could not be started".to_owned(),
    }
}

fn ending(code: i32, said: &str) -> String {
    if said.is_empty() { format!(" with code {code}.") } else { format!(": {said}") }
}
