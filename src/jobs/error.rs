//! Why a job was not accepted, cancelled, retried or resumed.

use crate::files::DiskError;

/// A request about a job that was refused. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("Job not found.")]
    Unknown(String),
    /// It has ended, or it is in the middle of its last step.
    #[error("Operation {0} cannot be cancelled.")]
    NotCancellable(String),
    /// It is not failed or interrupted, or a job of its name is active.
    #[error("Operation {0} cannot be retried.")]
    NotRetryable(String),
    /// It is not interrupted, or has nothing to resume from.
    #[error("Operation {0} cannot be resumed.")]
    NotResumable(String),
    /// It could be resumed if no job of its name were active.
    #[error("Operation {0} cannot be resumed.")]
    NotResumableNow(String),
    /// Its new input is about something else than its name; the key of the input.
    #[error("A retry keeps the {0} of its job.")]
    OtherSubject(&'static str),
    /// Too many jobs wait or run.
    #[error("The background job queue is full.")]
    QueueFull,
    /// A name is empty, longer than 128 characters or holds control characters.
    #[error("The name of the job is not valid.")]
    BadName(String),
    #[error("This kind of job is not available.")]
    NoWorker(String),
    #[error("The program is stopping.")]
    Stopping,
    #[error("The job could not be saved: {}.", .0.reason())]
    NotSaved(#[source] DiskError),
}
