//! Exports of the library as JSON or CSV.
//!
//! Owns which games and fields an export holds, the folder of finished exports and the job that
//! writes them. Exports hold fields of games only: never settings, credentials, webhooks or
//! history.

pub mod folder;
pub mod front_ends;
pub mod gamelist;
pub mod job;
pub mod request;

mod columns;
mod selection;

use std::sync::Arc;

use crate::{
    feature::{Deps, Feature},
    probe::disk::Disk,
};

#[cfg(test)]
mod job_tests;

/// Makes the folder of exports and its kind of job.
pub fn install(
    deps: &Deps,
    disk: Arc<dyn Disk + Send + Sync>,
) -> Feature<Arc<folder::ExportFolder>> {
    let service = Arc::new(folder::ExportFolder::new(deps.files.clone(), deps.data_dir.exports()));
    Feature { kinds: vec![job::kind(deps.store.clone(), &service, disk)], service }
}
