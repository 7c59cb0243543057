//! Errors of the library server.

use std::path::PathBuf;

use crate::{
    files::{DiskError, confine::ConfineError},
    net::location::LocationError,
};

/// An error of the library server, of its settings or of the folder for its games.
#[derive(Debug, thiserror::Error)]
pub enum LibserverError {
    #[error("Library server URL is not configured.")]
    NoServer,
    #[error("Library server URL is not valid.")]
    Address(#[from] LocationError),
    #[error("Library server URL must use https, or set SERVICE_ALLOW_HTTP_LIBSERVER=1.")]
    PlainHttp,
    /// It is link-local, unspecified, no single machine, or this service.
    #[error("Library server URL may not point at this service or at a link-local address.")]
    Reach,
    #[error("The stored password was entered for another library server. Enter it again.")]
    OtherServer,
    #[error("Could not reach the library server: {0}")]
    Unreachable(String),
    #[error("Library server {what} request failed ({status}): {reason}")]
    Refused {
        /// The request.
        what: &'static str,
        /// HTTP status.
        status: u16,
        /// The message of the server, at most 400 characters, or the meaning of the status.
        reason: String,
    },
    #[error("Library server returned an invalid {0} answer.")]
    Nonsense(&'static str),
    #[error("Library server redirected to another server.")]
    Elsewhere,
    #[error("Library server has no game {0}.")]
    UnknownGame(String),
    /// An id that is not a number of 1 to 20 digits.
    #[error("libserver_id must be a number of 1 to 20 digits.")]
    BadId,
    #[error("Library server install folder {0}.")]
    Root(&'static str),
    /// A path leads out of the install folder or through a link.
    #[error("{}", confined(.0))]
    Confined(#[from] ConfineError),
    #[error("The game does not lie in the library server install folder.")]
    OutsideRoot(PathBuf),
    #[error("Game not found")]
    NoGame,
    #[error("This game is not from the library server.")]
    Foreign,
    #[error("This game has no install folder.")]
    NoFolder,
    #[error("The download is larger than 4 GiB.")]
    TooLarge,
    /// The download ended early or does not match its checksum.
    #[error("The download is damaged: {0}.")]
    Damaged(&'static str),
    #[error("The game could not be installed: {}.", .0.reason())]
    Disk(#[from] DiskError),
    #[error("{0}")]
    NotSaved(String),
    #[error("Library server files may not be symlinks.")]
    Link,
    #[error("The installation was stopped.")]
    Stopped,
}

fn confined(error: &ConfineError) -> &'static str {
    match error {
        ConfineError::Link { .. } => "Library server files may not be symlinks.",
        _ => "The game does not lie in the library server install folder.",
    }
}
