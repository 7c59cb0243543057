//! Why no update was found or installed. The texts are for the client.

use crate::{config::release::ReleaseKeyError, files::DiskError};

/// Why there is no update.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    #[error("Automatic updates require the Service AppImage.")]
    NoBundle,
    #[error("The file of the program cannot be replaced: it is not a regular file.")]
    NoProgram,
    #[error("This build knows no release address.")]
    NoAddress,
    /// The status of the answer.
    #[error("GitHub releases request failed ({0}).")]
    Status(u16),
    /// Too many requests in an hour.
    #[error(
        "GitHub releases request failed ({0}): the limit of requests is reached. Set RELEASES_TOKEN or try again later."
    )]
    Limited(u16),
    #[error("Could not reach GitHub releases: {0}.")]
    Unreachable(String),
    #[error("GitHub releases sent an answer that is not a release.")]
    Answer,
    #[error("The release is missing verified Service update assets.")]
    NoAssets,
    #[error("The release is missing a SHA-256 checksum for the {0}.")]
    NoChecksum(&'static str),
    #[error("The release is missing an Ed25519 signature for the {0}.")]
    NoSignature(&'static str),
    #[error("The release signature URL is not a trusted Service release asset.")]
    SignatureAddress,
    #[error("Service is already up to date.")]
    UpToDate,
    #[error("An update is being installed already.")]
    Busy,
    #[error("The release key is unavailable: {0}.")]
    Key(#[from] ReleaseKeyError),
    #[error("The release checksum is unavailable.")]
    Checksum,
    /// The signature is one of other bytes.
    #[error("The release signature does not match the artifact digest.")]
    OtherDigest,
    #[error("The release signature verification failed.")]
    Forged,
    #[error("The release holds the program that is installed already.")]
    Same,
    #[error("The update is larger than {} GiB.", .0 >> 30)]
    TooLarge(u64),
    #[error("The update could not be downloaded: {0}.")]
    Download(String),
    #[error("The downloaded update does not match its SHA-256 checksum.")]
    OtherBytes,
    #[error("The release holds version {0}, which is older than the one that runs.")]
    Older(String),
    #[error("There is no previous version to return to.")]
    NoPrevious,
    #[error("The program is stopping.")]
    Stopped,
    #[error("The update could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}
