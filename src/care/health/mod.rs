//! The health of a library: a score over five dimensions, the findings behind it, and repairs
//! (`/api/v2/library/health/*`). See `docs/design/changes.md`.
//!
//! Owns the sections `health_cache`, the last score, and `health_fixes`, what was repaired and can be undone. A score
//! is valid while the games are unchanged; only the job makes one.
//!
//! | file | what it does |
//! |---|---|
//! | `rules` | what lowers the score, and by how much |
//! | `score` | the score of what was found |
//! | `fingerprint` | whether the games are what they were |
//! | `snapshot` | the last score, in the library |
//! | `service` | the findings in memory, pages of them, and when to look again |
//! | `due` | when that is |
//! | `selection`, `plan` | the findings to repair, and how |
//! | `fix`, `undo` | repairing, and undoing it |
//! | `job` | the durable job that checks every game |

pub mod due;
pub mod fix;
pub mod job;
pub mod service;
pub mod plan;
pub mod rules;
pub mod score;
pub mod selection;
pub mod snapshot;
pub mod undo;

mod fingerprint;

pub use self::service::Health;

use std::sync::Arc;

use crate::{
    base::Moment,
    feature::{Deps, Feature},
    probe::disk::Disk,
};

/// Makes the service of the health score and its kind of job. `disk` answers what is where.
pub fn install(deps: &Deps, disk: Arc<dyn Disk + Send + Sync>) -> Feature<Arc<Health>> {
    let service = Arc::new(Health::new(deps.store.clone(), disk, Moment::now));
    Feature { kinds: vec![job::kind(&service)], service }
}
