//! Why bezels were not downloaded.

use super::platforms::names;
use crate::{
    files::DiskError,
    providers::{BEZELS, ProviderError},
};

/// A refusal. The bezels that are there stay.
#[derive(Debug, thiserror::Error)]
pub enum BezelError {
    #[error("Unknown bezel platform. Choose one of {}.", names())]
    UnknownPlatform,
    #[error("Bezels are being downloaded already.")]
    Busy,
    #[error("Could not download the bezels of {}: {}.", BEZELS.name, .0)]
    Failed(String),
    #[error("Downloading the bezels took too long. Try again later.")]
    TookTooLong,
    #[error("The archive of bezels is larger than {} MiB.", .0 >> 20)]
    TooLarge(u64),
    #[error("The archive of bezels is not valid.")]
    Damaged,
    #[error("The archive of bezels holds a file with an unsafe name.")]
    Unsafe,
    #[error("The archive of bezels holds too much.")]
    TooMuch,
    #[error("The archive holds no bezels.")]
    Empty,
    #[error("There is not enough room for the bezels.")]
    NoRoom,
    /// A file cannot be read or written.
    #[error("The bezels could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

impl From<ProviderError> for BezelError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Stopped => Self::TookTooLong,
            error => Self::Failed(error.to_string().trim_end_matches('.').to_owned()),
        }
    }
}
