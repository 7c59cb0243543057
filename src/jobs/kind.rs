//! What a domain module implements to have its work run as a durable job.

use serde_json::{Map, Value};

pub use super::context::Failure;
use super::{context::Context, document::Operation, spec::Spec};

/// What a worker returns: its result, or why there is none. A result with a non-empty list
/// `errors` makes the job `partial`.
pub type Outcome = Result<Map<String, Value>, Failure>;

/// One kind of work. A worker polls [`Context::check`] at every step that may take long, and when
/// it is given a checkpoint it repeats nothing of what that checkpoint says is finished.
pub trait Kind: Send + Sync {
    /// Its declaration.
    fn spec(&self) -> &Spec;

    /// Does the work.
    ///
    /// # Errors
    /// [`Failure`] when it was told to stop or cannot go on.
    fn run(
        &self,
        context: &Context<'_>,
        input: &Map<String, Value>,
        checkpoint: Option<&Value>,
    ) -> Outcome;

    /// Removes what an operation left for a resume. Called when it has ended and not been cut off,
    /// and when the last operation of its chain is forgotten. The chain of retries and resumes
    /// shares what it leaves, under the id of its root.
    fn clean_up(&self, operation: &Operation) {
        log::debug!("operation {} leaves nothing behind", operation.job_id);
    }
}
