//! Why shortcuts were not planned or not written.

use crate::{files::DiskError, formats::shortcuts::Broken, store::Unavailable};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// A key of the request cannot be used: what is wrong with it.
    #[error("{0}")]
    Request(&'static str),
    /// The path is not one of a shortcut file.
    #[error("{0}")]
    Path(&'static str),
    #[error("The shortcut file cannot be used: {0}.")]
    Broken(#[from] Broken),
    #[error("A reviewed shortcut plan is required.")]
    NoPlan,
    #[error("The shortcut plan is invalid.")]
    BadPlan,
    #[error("Select at least one shortcut of this launcher.")]
    NoTarget,
    /// The file or the library changed since the preview.
    #[error("The shortcuts changed since the preview. Preview again.")]
    Stale,
    #[error("Close Steam before changing its shortcuts.")]
    ClientRuns,
    #[error("The disk refused: {}.", .0.reason())]
    Disk(#[from] DiskError),
    #[error("The library cannot be read right now.")]
    Unavailable(#[from] Unavailable),
}
