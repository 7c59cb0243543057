//! The metadata database: what the games database of LaunchBox knows, in one file on this machine.
//!
//! Owns reading its dump, the file made of it, and searching that. It is downloaded when the user asks
//! for it, built next to the old file and swapped as a whole. Knows no game of the library.
//!
//! | file | what it does |
//! |---|---|
//! | `normal` | titles as they are compared |
//! | `kinds` | which pictures of the database are which media of a game |
//! | `titles` | all titles in memory: equal, containing, similar |
//! | `build` | the file from the records of the dump |
//! | `archive` | the records from the downloaded archive |
//! | `database` | the file as it is asked |
//! | `sync` | downloading it, as a job |

use std::sync::Arc;

use crate::{
    feature::{Deps, Feature},
    providers::Providers,
};

pub mod database;
pub mod kinds;
pub mod normal;
pub mod sync;

mod archive;
mod build;
mod titles;

#[cfg(test)]
mod database_tests;

pub use self::database::{Database, Image, MetadbHandle, Row};

/// Keeps the database of the data directory, and registers the job that downloads it.
pub fn install(deps: &Deps, providers: &Arc<Providers>) -> Feature<Arc<MetadbHandle>> {
    let handle = Arc::new(MetadbHandle::new(deps.data_dir.metadata_database()));
    Feature { kinds: vec![sync::kind(deps, &handle, providers)], service: handle }
}
