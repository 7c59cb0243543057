//! The durable job that checks every game.

use std::sync::Arc;

use serde_json::Map;

use super::{due::Occasion, service::Health};
use crate::jobs::{Accepted, JobError, Jobs, Kind, SameName, Spec, Submission, Title};

const NAME: &str = "library-health-scan";
const SPEC: Spec = Spec::new("library.health_scan", &[(NAME, Title::Spelled)]);

/// Starts a check of every game. A second call joins the first.
///
/// # Errors
/// When the job is not accepted.
pub fn submit(jobs: &Jobs) -> Result<Accepted, JobError> {
    let (name, input) = (NAME.to_owned(), Map::new());
    jobs.submit(Submission { name, input, same_name: SameName::Join })
}

/// Starts a check of every game when it is due and no game runs.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_due(
    jobs: &Jobs,
    health: &Health,
    running: usize,
    occasion: Occasion,
) -> Result<(), JobError> {
    if running > 0 || !health.is_due(occasion) {
        return Ok(());
    }
    submit(jobs).map(drop)
}

/// The kind of work that checks the games.
pub(super) fn kind(health: &Arc<Health>) -> Kind {
    Kind::new(SPEC, health, Health::scan)
}
