//! Errors of commands, and their exit codes.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{config::data_dir::DataDirError, files::DiskError, net::client::Unanswered};

/// Why a command ended.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    #[error("no service runs for {0:?}; start it with: service-launcher --no-browser{1}")]
    NotRunning(PathBuf, String),
    /// There is no data directory.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("the running service does not answer: {0}")]
    Unanswered(#[from] Unanswered),
    /// The service refused, in its words; or a sentence of the command.
    #[error("{0}")]
    Failed(String),
    /// The printed output is enough.
    #[error("")]
    Shown,
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl From<DiskError> for CliError {
    fn from(error: DiskError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl CliError {
    /// No service runs for a data directory. `is_default` when the user named none.
    pub fn not_running(data_dir: &Path, is_default: bool) -> Self {
        let option = if is_default {
            String::new()
        } else {
            format!(" --data-dir '{}'", data_dir.display())
        };
        Self::NotRunning(data_dir.to_owned(), option)
    }

    /// The exit code: a row of [`super::table::EXIT_CODES`].
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::NotRunning(..) => 3,
            _ => 1,
        }
    }

    /// Whether the reader of the output has stopped reading, which is not a failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
