//! Library backups: create, list, compare with the library, restore.
//!
//! Owns what a backup holds, the folder of archives, the rules for every member of an archive that
//! comes from outside, and the two jobs. An archive holds no credentials; a restore keeps the
//! present ones. Nothing of an archive is written before all of it has been verified. See
//! `docs/design/backup.md`.

pub mod create;
pub mod diff;
pub mod drill;
pub mod error;
pub mod folder;
pub mod items;
pub mod job;
pub mod members;
pub mod pack;
pub mod redact;
pub mod restore;
pub mod schedule;
pub mod plugin_state;
pub mod sources;
pub mod watch;
pub mod zipped;

mod age;
mod archive;

use std::sync::Arc;

use crate::{
    base::Moment,
    feature::{Deps, Feature},
    journal::handle::Journal,
};

#[cfg(test)]
mod attack_tests;
#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod tests;

/// Makes the backups and their kinds of job. `running` counts the games that run.
pub fn install(
    deps: &Deps,
    journal: &Journal,
    running: impl Fn() -> usize + Send + Sync + 'static,
) -> Feature<Arc<folder::Backups>> {
    let service = Arc::new(folder::Backups::new(folder::BackupContext {
        files: deps.files.clone(),
        data_dir: deps.data_dir.clone(),
        store: deps.store.clone(),
        journal: Some(journal.clone()),
        running: Box::new(running),
        now: Moment::now,
    }));
    Feature { kinds: job::kinds(&service), service }
}
