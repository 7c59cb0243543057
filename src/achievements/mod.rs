//! Achievements of games: the account, the game of a file at the provider, progress, badges, and the account in the
//! settings of emulators (`/api/ach/*`).
//!
//! Owns `achievements.json` and `cache/achievements`. The key goes into requests and, when the user asks
//! for it, into the settings of emulators, and nowhere else. See `docs/design/achievements.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `account` | the user name and the key |
//! | `answers` | what the answers of the provider mean |
//! | `client` | asking it, and the lists that are kept for a week |
//! | `content` | bytes of a file at any place |
//! | `rules` | which bytes of a cartridge or set are hashed |
//! | `disc` | which bytes of a disc are hashed |
//! | `rom` | the hashes of a game's file, also in archives and sheets |
//! | `game_progress` | what is written of the progress in a game |
//! | `kept` | which games the files of achievements say are mastered |
//! | `service` | what clients ask |
//! | `job` | the progress in the whole library, and after a session |
//! | `inject`, `config_edit` | settings of emulators |
//! | `error`, `rom_error` | why there are no achievements |

use std::sync::Arc;

use crate::{
    feature::{Deps, Feature},
    providers::Providers,
};

pub mod account;
pub mod answers;
pub mod error;
pub mod inject;
pub mod job;
pub mod kept;
pub mod rom_error;
pub mod service;

mod client;
mod config_edit;
mod content;
mod disc;
mod rom;
mod rules;
mod game_progress;

#[cfg(test)]
mod disc_tests;

pub use self::error::AchError;
pub use self::service::Achievements;

/// Makes the service and its kinds of job.
pub fn install(deps: &Deps, providers: &Arc<Providers>) -> Feature<Arc<Achievements>> {
    // What an archive held while a kill came.
    let cleared = deps.files.clear_leftovers(&deps.data_dir.game_achievements(), rom::MEMBER);
    if let Err(error) = cleared {
        log::warn!("leftovers were not removed: {error}");
    }
    let service = Arc::new(Achievements::new(deps, providers));
    Feature { kinds: job::kinds(&service), service }
}
