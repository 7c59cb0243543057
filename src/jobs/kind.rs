//! The trait that a domain module implements for its durable jobs.

use std::sync::Arc;

use serde_json::{Map, Value};

pub use super::context::Failure;
use super::{context::Context, document::Operation, spec::Spec};

/// What a worker returns: its result, or why there is none. A result with a non-empty list
/// `errors` makes the job `partial`.
pub type Outcome = Result<Map<String, Value>, Failure>;

/// A result from its JSON, an object.
pub fn object(result: Value) -> Map<String, Value> {
    if let Value::Object(result) = result { result } else { Map::new() }
}

/// One kind of work: its declaration and its worker.
pub struct Kind {
    pub(super) spec: Spec,
    run: Box<dyn Fn(&Context<'_>) -> Outcome + Send + Sync>,
    clean_up: Box<dyn Fn(&Operation) + Send + Sync>,
}

impl Kind {
    /// A kind whose worker uses this service. The worker polls [`Context::check`] at every step that
    /// may take long, and repeats nothing of what [`Context::resumed_from`] says is finished.
    pub fn new<S: Send + Sync + 'static>(
        spec: Spec,
        service: &Arc<S>,
        run: fn(&S, &Context<'_>) -> Outcome,
    ) -> Self {
        let service = Arc::clone(service);
        let run = Box::new(move |context: &Context<'_>| run(&service, context));
        Self { spec, run, clean_up: Box::new(|_| ()) }
    }

    /// Removes what an operation left for a resume: when it has ended and was not interrupted, and
    /// when the last operation of its chain is forgotten. The chain of retries and resumes shares
    /// what it leaves, under the id of its root.
    pub fn cleaned_by(mut self, clean_up: impl Fn(&Operation) + Send + Sync + 'static) -> Self {
        self.clean_up = Box::new(clean_up);
        self
    }

    pub(super) fn run(&self, context: &Context<'_>) -> Outcome {
        (self.run)(context)
    }

    pub(super) fn clean_up(&self, operation: &Operation) {
        (self.clean_up)(operation);
    }
}
