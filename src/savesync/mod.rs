//! Saves that go from device to device through the mounted folder: sent after a session, fetched before
//! the next launch. Off unless it is set for a game or its platform. The kept state of a game is treated as one more
//! path of its saves.
//!
//! Saves are never replaced unless they are a version that the new one follows, and what was there is
//! archived first. Where two devices played, both versions stay until the user chooses. The folder may
//! be slow, half written or gone; a game starts anyway.
//!
//! | file | what it owns |
//! |---|---|
//! | `version` | one version as a record |
//! | `decide` | what a sync does, as a pure rule |
//! | `exchange` | the versions of a game in the folder |
//! | `memory` | which game is shared, and what this device remembers |
//! | `service` | syncs, choices and what happens before a launch |
//! | `status` | what the clients are shown |
//! | `gate` | waiting for a folder, with a limit |
//! | `job` | the durable jobs |

pub mod error;
pub mod job;
pub mod memory;
pub mod service;
pub mod status;

mod decide;
mod exchange;
mod gate;
mod version;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::{feature::Feature, saves::folder::Saves};

/// Makes the sharing of saves with its kinds of job.
pub fn install(saves: &Arc<Saves>) -> Feature<Arc<service::SaveSync>> {
    let service = Arc::new(service::SaveSync::new(Arc::clone(saves), service::PATIENCE));
    Feature { kinds: job::kinds(&service), service }
}
