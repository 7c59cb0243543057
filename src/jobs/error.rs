//! Why a job was not accepted, cancelled, retried or resumed.

use crate::files::error::DiskError;

/// A request about a job that was refused. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// No operation has this id.
    #[error("there is no operation {0}")]
    Unknown(String),
    /// It has ended, or it is in the middle of its last step.
    #[error("operation {0} cannot be cancelled")]
    NotCancellable(String),
    /// It is not failed or interrupted, or a job of its name is active.
    #[error("operation {0} cannot be retried")]
    NotRetryable(String),
    /// It is not interrupted, has nothing to go on from, or a job of its name is active.
    #[error("operation {0} cannot be resumed")]
    NotResumable(String),
    /// Too many jobs wait or run.
    #[error("the job queue is full")]
    QueueFull,
    /// A name is empty, longer than 128 characters or holds control characters.
    #[error("a job may not be called {0:?}")]
    BadName(String),
    /// No kind of work has such a name.
    #[error("there is no worker for {0}")]
    NoWorker(String),
    /// The program is stopping.
    #[error("no jobs are accepted any more")]
    Stopping,
    /// The job could not be written down.
    #[error("the job could not be saved: {}", .0.reason())]
    NotSaved(DiskError),
}
