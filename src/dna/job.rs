//! The durable job that rebuilds the index.

use std::sync::Arc;

use serde_json::{Map, json};

use super::service::{Dna, IndexStatus};
use crate::{
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    store::Store,
};

const NAME: &str = "dna-index-rebuild";
const SPEC: Spec = Spec::new("dna.index_rebuild", &[(NAME, Title::Spelled)]);

/// What the worker needs.
struct Builder {
    dna: Arc<Dna>,
    store: Store,
}

/// Rebuilds the index on request; a build in progress is abandoned.
///
/// # Errors
/// When the job is not accepted.
pub fn submit(jobs: &Jobs) -> Result<Accepted, JobError> {
    put(jobs, "requested", SameName::Replace)
}

/// Rebuilds the index when that is needed, unless it is being built.
pub fn submit_due(jobs: &Jobs, status: IndexStatus) {
    let Some(reason) = status.reason() else { return };
    if let Err(error) = put(jobs, reason, SameName::Join) {
        log::warn!("the index of games is not made: {error}");
    }
}

fn put(jobs: &Jobs, reason: &str, same_name: SameName) -> Result<Accepted, JobError> {
    let input = Map::from_iter([("reason".to_owned(), reason.into())]);
    jobs.submit(Submission { name: NAME.to_owned(), input, same_name })
}

/// The kind of work that makes the index.
pub(super) fn kind(dna: &Arc<Dna>, store: Store) -> Kind {
    Kind::new(SPEC, &Arc::new(Builder { dna: Arc::clone(dna), store }), build)
}

fn build(builder: &Builder, context: &Context<'_>) -> Outcome {
    let state = builder.store.snapshot();
    let state = state.map_err(|_| Failure::new("The library cannot be read right now."))?;
    let (indexed, build_ms) = builder.dna.rebuild(&state, context)?;
    let reason = context.text("reason");
    Ok(object(json!({"indexed": indexed, "build_ms": build_ms, "reason": reason})))
}
