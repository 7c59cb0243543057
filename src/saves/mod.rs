//! Data of the player: saved games, high scores, statistics shared between machines.
//!
//! Owns where saves lie, the archives made of them, their restore, the outside save tools, the
//! files of arcade high scores and the shared statistics file. Never follows a symbolic link, never
//! writes a byte of an archive before all of it was verified, and never restores over saves that
//! were not archived first. See `docs/design/saves.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `subject` | the facts about a game |
//! | `places`, `discover` | where saves usually lie, and what of that is there |
//! | `configure` | save paths added to games |
//! | `folder` | the handle of the module, the archives of a game |
//! | `manifest`, `sources` | the manifest and the content of an archive |
//! | `create`, `restore`, `proof` | archives made, restored, tested |
//! | `tools` | the outside save tools |
//! | `scores` | files of arcade high scores |
//! | `statistics`, `cloud` | the merge of statistics, and its file |
//! | `content`, `transfer` | what saves hold, and saves that come from another device or go there |
//! | `job` | the durable jobs |

pub mod cloud;
pub mod configure;
pub mod content;
pub mod create;
pub mod discover;
pub mod error;
pub mod folder;
pub mod job;
pub mod places;
pub mod proof;
pub mod restore;
pub mod scores;
pub mod statistics;
pub mod subject;
pub mod tools;
pub mod transfer;

mod manifest;
mod room;
mod sources;

use std::sync::Arc;

use crate::{
    base::Moment,
    feature::{Deps, Feature},
    files::space,
    probe::found_saves::SaveScan,
};

#[cfg(test)]
mod tests;

/// Makes saves, scores and shared statistics with their kinds of job. `runs` returns whether the game with an id runs.
pub fn install(
    deps: &Deps,
    runs: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Feature<Arc<folder::Saves>> {
    let service = Arc::new(folder::Saves::new(folder::SavesContext {
        files: deps.files.clone(),
        data_dir: deps.data_dir.clone(),
        store: deps.store.clone(),
        home: home(deps),
        runs: Box::new(runs),
        room: space::free_bytes,
        now: Moment::now,
    }));
    Feature { kinds: job::kinds(&service), service }
}

fn home(deps: &Deps) -> places::Home {
    let environment = &deps.environment;
    places::Home::new(deps.home(), environment.config_home(), environment.data_home())
}

/// Searches saves of games where emulators and the first store keep them.
pub fn look(deps: &Deps) -> SaveScan {
    let home = home(deps);
    Box::new(move || discover::look(&home))
}
