//! The durable job that examines every game.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::audit::Doctor;
use crate::{
    base::schema::schema,
    care::health::due::Occasion,
    jobs::{
        Accepted, JobError, Jobs, Kind, SameName, Spec, Submission, Title, machine::State,
        runner::Filter,
    },
};

/// The name of the job.
const NAME: &str = "launch-audit";
const SPEC: Spec = Spec::new("launch.audit", &[(NAME, Title::Fixed("Launch Audit"))]);

/// Submits the examination of every game. A second call replaces the first.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_audit(jobs: &Jobs, deep: bool) -> Result<Accepted, JobError> {
    let input = Map::from_iter([("deep".to_owned(), deep.into())]);
    jobs.submit(Submission { name: NAME.to_owned(), input, same_name: SameName::Replace })
}

/// Submits the examination of every game when it is due and no game runs.
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

schema! {
    "AuditJob"
    /// Where an audit stands.
    pub struct LatestJob {
        current: u64,
        error: Option<String>,
        job_id: String,
        state: State,
        total: Option<u64>,
    }
}

/// The newest job as the report shows it.
pub fn latest(jobs: &Jobs) -> Option<LatestJob> {
    let filter = Filter { limit: 1, kind: Some(SPEC.type_name.to_owned()), ..Filter::default() };
    let page = jobs.list(&filter);
    page.jobs.into_iter().next().map(|job| LatestJob {
        current: job.current,
        error: job.error,
        job_id: job.job_id,
        state: job.state,
        total: job.total,
    })
}

/// The kind of work that examines the games.
pub fn kind(doctor: &Arc<Doctor>) -> Kind {
    Kind::new(SPEC, doctor, |doctor, context| {
        doctor.audit(context, context.input().get("deep") == Some(&Value::Bool(true)))
    })
}
