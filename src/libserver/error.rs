//! Errors of the library server.

use std::path::PathBuf;

use crate::{
    files::{confine::ConfineError, error::DiskError},
    net::location::LocationError,
};

/// An error of the library server, of its settings or of the folder for its games.
#[derive(Debug, thiserror::Error)]
pub enum LibserverError {
    /// No address is set.
    #[error("no library server is set")]
    NoServer,
    /// The address is not a URL.
    #[error("the address of the library server is not valid: {0}")]
    Address(#[from] LocationError),
    /// Plain http to another machine.
    #[error("plain http to another machine")]
    PlainHttp,
    /// No answer.
    #[error("the library server did not answer: {0}")]
    Unreachable(String),
    /// An answer with an error status.
    #[error("the library server answered {status} to {what}: {said}")]
    Refused {
        /// The request.
        what: &'static str,
        /// HTTP status.
        status: u16,
        /// The beginning of its answer.
        said: String,
    },
    /// An answer of another form than expected.
    #[error("the library server answered something else to {0}")]
    Nonsense(&'static str),
    /// A redirect to another server.
    #[error("the library server sent the request elsewhere")]
    Elsewhere,
    /// Nothing of this id.
    #[error("the library server has no game {0}")]
    UnknownGame(String),
    /// An id that is no number of 1 to 20 digits.
    #[error("a game of the library server is named by a number")]
    BadId,
    /// The install folder may not be used.
    #[error("the install folder cannot be used: {0}")]
    Root(&'static str),
    /// A path leads out of the install folder or through a link.
    #[error(transparent)]
    Confined(#[from] ConfineError),
    /// The path to be removed lies elsewhere.
    #[error("{0:?} does not lie in the install folder")]
    OutsideRoot(PathBuf),
    /// No game of the library has this id.
    #[error("the game is not in the library")]
    NoGame,
    /// The row is not from the library server.
    #[error("the game is not from the library server")]
    Foreign,
    /// The row names no folder.
    #[error("the game names no install folder")]
    NoFolder,
    /// The download is larger than a file may be.
    #[error("the download is larger than 4 GiB")]
    TooLarge,
    /// The download ended early or does not match its checksum.
    #[error("the download is damaged: {0}")]
    Damaged(&'static str),
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The library could not be changed.
    #[error("the library could not be saved: {0}")]
    NotSaved(String),
    /// The job was cancelled.
    #[error("the installation was stopped")]
    Stopped,
}

impl LibserverError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        match self {
            Self::NoServer => "Library server URL is not configured.".to_owned(),
            Self::Address(_) => "Library server URL is not valid.".to_owned(),
            Self::PlainHttp => {
                "Library server URL must use https, or set SERVICE_ALLOW_HTTP_LIBSERVER=1."
                    .to_owned()
            }
            Self::Unreachable(reason) => format!("Could not reach the library server: {reason}"),
            Self::Refused { what, status, said } => {
                format!("Library server {what} request failed ({status}): {said}")
            }
            Self::Nonsense(what) => format!("Library server returned an invalid {what} answer."),
            Self::Elsewhere => "Library server redirected to another server.".to_owned(),
            Self::UnknownGame(id) => format!("Library server has no game {id}."),
            Self::BadId => "libserver_id must be a number of 1 to 20 digits.".to_owned(),
            Self::Root(reason) => format!("Library server install folder {reason}."),
            Self::Confined(ConfineError::Link { .. }) => {
                "Library server files may not be symlinks.".to_owned()
            }
            Self::Confined(_) | Self::OutsideRoot(_) => {
                "The game does not lie in the library server install folder.".to_owned()
            }
            Self::NoGame => "Game not found".to_owned(),
            Self::Foreign => "This game is not from the library server.".to_owned(),
            Self::NoFolder => "This game has no install folder.".to_owned(),
            Self::TooLarge => "The download is larger than 4 GiB.".to_owned(),
            Self::Damaged(reason) => format!("The download is damaged: {reason}."),
            Self::Disk(error) => format!("The game could not be installed: {}.", error.reason()),
            Self::NotSaved(reason) => format!("The library could not be saved: {reason}"),
            Self::Stopped => "The installation was stopped.".to_owned(),
        }
    }
}
