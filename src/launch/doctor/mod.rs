//! The Launch Doctor: reports before a launch what would fail and how to fix it
//! (`/api/v2/launch/preflight` and `/api/v2/launch/audit`). See `docs/design/launch.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `finding` | what is said about one game, and how it is written |
//! | `machine` | what may be asked about this machine |
//! | `local` | the answers of this machine, each asked once |
//! | `examine` | the rules: a record and a machine to a verdict |
//! | `firmware` | what emulators need besides the game |
//! | `report` | the verdicts of a library by root cause |
//! | `audit` | making, keeping and renewing that report |
//! | `job` | the durable job that makes it |
//! | `schedule` | when that happens by itself |
//! | `grants` | letting a sandboxed emulator see a folder |
//! | `reveal` | showing the folder where a file belongs |
//!
//! Nothing here starts a game or changes a record.

pub mod audit;
pub mod examine;
pub mod finding;
pub mod grants;
pub mod job;
pub mod local;
pub mod machine;
pub mod report;
pub mod reveal;
pub mod schedule;

mod firmware;

use std::sync::Arc;

use crate::{
    base::clock::Moment,
    feature::{Deps, Feature},
    launch::detection::Detector,
};

#[cfg(test)]
mod examine_tests;

/// Makes the doctor and its kind of job.
#[must_use]
pub fn install(deps: &Deps, detector: Arc<Detector>) -> Feature<Arc<audit::Doctor>> {
    let service = Arc::new(audit::Doctor::new(audit::Options {
        store: deps.store.clone(),
        files: deps.files.clone(),
        report: deps.data_dir.launch_audit(),
        data_dir: deps.data_dir.root().to_owned(),
        home: deps.home().to_owned(),
        detector,
        now: Moment::now,
    }));
    let kind = job::AuditKind(Arc::clone(&service));
    Feature { service, kinds: vec![Arc::new(kind)] }
}
