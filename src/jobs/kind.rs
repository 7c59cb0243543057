//! What a domain room brings to have its work run as a durable job.

use serde_json::{Map, Value};

use super::{context::Context, document::Operation};

/// What a worker returns: its result, or why there is none. A result with a non-empty list
/// `errors` makes the job `partial`.
pub type Outcome = Result<Map<String, Value>, Failure>;

/// Why a worker returned without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It was told to stop and did.
    Stopped,
    /// It cannot go on.
    Failed {
        /// Machine-readable code.
        code: &'static str,
        /// A sentence for the user; absolute paths are taken out of it.
        message: String,
    },
}

impl Failure {
    /// A failure without a code of its own.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed { code: "INTERNAL_ERROR", message: message.into() }
    }
}

/// One kind of work. A worker polls [`Context::check`] at every step that may take long, and when
/// it is given a checkpoint it repeats nothing of what that checkpoint says is finished.
pub trait Kind: Send + Sync {
    /// The dotted type, one of those that names of jobs map to.
    fn type_name(&self) -> &'static str;

    /// How often it is tried, 1 to 5; between attempts it pauses for 1, 2, 4... seconds.
    fn attempts(&self) -> u32 {
        1
    }

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
