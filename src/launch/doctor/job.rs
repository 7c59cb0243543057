//! The durable job that looks at every game.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{audit::Doctor, schedule::Occasion};
use crate::jobs::{
    context::Context,
    error::JobError,
    kind::{Kind, Outcome},
    runner::{Accepted, Filter, Jobs, SameName, Submission},
    spec::{Spec, Title},
};

/// The name of the job.
const NAME: &str = "launch-audit";
const SPEC: Spec = Spec::new("launch.audit", &[(NAME, Title::Fixed("Launch Audit"))]);

/// Has every game looked at. A second call replaces the first.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_audit(jobs: &Jobs, deep: bool) -> Result<Accepted, JobError> {
    let input = Map::from_iter([("deep".to_owned(), deep.into())]);
    jobs.submit(Submission { name: NAME.to_owned(), input, same_name: SameName::Replace })
}

/// Has every game looked at when that is due and no game runs.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_due(
    jobs: &Jobs,
    doctor: &Doctor,
    running: usize,
    occasion: Occasion,
) -> Result<(), JobError> {
    if running > 0 || !doctor.is_due(occasion) {
        return Ok(());
    }
    submit_audit(jobs, false).map(drop)
}

/// The newest job as the report shows it: `null`, or where it stands.
#[must_use]
pub fn latest(jobs: &Jobs) -> Value {
    let filter = Filter { limit: 1, kind: Some(SPEC.type_name.to_owned()), ..Filter::default() };
    let page = jobs.list(&filter);
    page.jobs.first().map_or(Value::Null, |job| {
        json!({
            "job_id": job["job_id"],
            "state": job["state"],
            "current": job["current"],
            "total": job["total"],
            "error": job["error"],
        })
    })
}

/// The worker of `launch.audit`.
pub struct AuditKind(pub Arc<Doctor>);

impl Kind for AuditKind {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn run(&self, context: &Context<'_>, input: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let deep = input.get("deep").and_then(Value::as_bool).unwrap_or(false);
        self.0.audit(context, deep)
    }
}
