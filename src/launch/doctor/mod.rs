//! The Launch Doctor: reports before a launch what would fail and how to fix it
//! (`/api/v2/launch/preflight` and `/api/v2/launch/audit`). See `docs/design/launch.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `finding` | what is found about one game, and its JSON |
//! | `examine` | the rules: the plan of a launch to a verdict |
//! | `firmware` | what emulators need besides the game |
//! | `report` | the verdicts of a library by root cause |
//! | `audit` | making, keeping and renewing that report, and when |
//! | `job` | the durable job that makes it |
//! | `grants` | letting a sandboxed emulator see a folder |
//! | `reveal` | showing the folder where a file belongs |
//!
//! Nothing here starts a game or changes a record.

pub mod audit;
pub mod examine;
pub mod finding;
pub mod grants;
pub mod job;
pub mod report;
pub mod reveal;

mod firmware;

use std::sync::Arc;

use crate::{
    base::Moment,
    feature::{Deps, Feature},
    launch::detection::Detector,
};

#[cfg(test)]
mod examine_tests;

/// Makes the doctor and its kind of job.
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
    Feature { kinds: vec![job::kind(&service)], service }
}
