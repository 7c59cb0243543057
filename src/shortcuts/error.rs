//! Why shortcuts were not planned or not written.

use crate::{files::error::DiskError, formats::shortcuts::Broken, store::error::Unavailable};

/// What was refused, or what failed.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// A key of the request cannot be used: what is wrong with it.
    #[error("the request cannot be used: {0}")]
    Request(&'static str),
    /// The path is not one of a shortcut file.
    #[error("the path cannot be used: {0}")]
    Path(&'static str),
    /// The file is no shortcut file.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// No plan came with the request.
    #[error("there is no plan")]
    NoPlan,
    /// The plan is none that was made here.
    #[error("the plan cannot be used")]
    BadPlan,
    /// Nothing was named that could be removed.
    #[error("no target is an entry of ours")]
    NoTarget,
    /// The file or the library changed since the preview.
    #[error("the plan is stale")]
    Stale,
    /// The client of the store runs.
    #[error("the client of the store runs")]
    ClientRuns,
    /// A disk call failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// There is no library.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl BridgeError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        let fixed = match self {
            Self::Request(what) | Self::Path(what) => *what,
            Self::Broken(broken) => return format!("The shortcut file cannot be used: {broken}."),
            Self::NoPlan => "A reviewed shortcut plan is required.",
            Self::BadPlan => "The shortcut plan is invalid.",
            Self::NoTarget => "Select at least one shortcut of this launcher.",
            Self::Stale => "The shortcuts changed since the preview. Preview again.",
            Self::ClientRuns => "Close Steam before changing its shortcuts.",
            Self::Disk(error) => return format!("The disk refused: {}.", error.reason()),
            Self::Unavailable(_) => "The library cannot be read right now.",
        };
        fixed.to_owned()
    }
}
