//! Keepsakes of played games: moments, clips, reels, memories.
//!
//! Owns these lists in the records of games, and their files. Never changes the state that belongs to a
//! moment, and never moves or removes a file of another program.
//!
//! | file | what it does |
//! |---|---|
//! | `service` | what all of them use |
//! | `moment` | a moment as it is requested, stored and reported |
//! | `moments` | moments: made, listed, edited, deleted, resumed from |
//! | `deleted` | moments that were deleted, and bringing them back |
//! | `gallery` | moments of all games, by month |
//! | `clips` | clips of the recorder, or pictures in their place |
//! | `reels`, `reel_job` | what a reel shows, and how it is made |
//! | `assign` | memories given to a game, or taken from it |
//! | `memories` | pictures of other programs, as they were imported |
//! | `memory_roots`, `memory_match`, `memory_job` | where they lie, which game they are of, the import |

pub mod assign;
pub mod clips;
pub mod gallery;
pub mod memories;
pub mod memory_job;
pub mod memory_roots;
pub mod moment;
pub mod moments;
pub mod reel_job;
pub mod reels;
pub mod service;

mod deleted;
mod memory_match;

use std::sync::Arc;

use self::service::Keepsakes;
use crate::{
    feature::{Deps, Feature},
    library::answers::Answers,
};

/// Makes the service with its kinds of job.
pub fn install(deps: &Deps, library: &Arc<Answers>) -> Feature<Arc<Keepsakes>> {
    let service = Arc::new(Keepsakes::new(deps, library));
    let kinds = vec![memory_job::kind(&service), reel_job::kind(&service)];
    Feature { service, kinds }
}
