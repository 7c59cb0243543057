//! The database of libretro: makers, genres, years and pictures of games, available without an account.
//!
//! Owns reading its archive, the file made of it, finding a game there by its content, its serial number,
//! the name of its set or its title, and the names of its pictures. It is downloaded when the user asks for
//! it, built next to the old file and swapped as a whole. Writes nothing to the library.
//!
//! | file | what it does |
//! |---|---|
//! | `entry` | the facts about a game in a block of the archive |
//! | `build` | the file from the downloaded archive |
//! | `database` | the file as it is asked |
//! | `sync` | downloading it, as a job |
//! | `serial` | the serial number in the image of a disc |
//! | `subject` | what identifies the game of a file |
//! | `pictures` | which pictures there are, and loading them |

use std::sync::Arc;

use crate::{
    feature::{Deps, Feature},
    providers::{Providers, cache::Cache},
};

pub mod database;
pub mod pictures;
pub mod sync;

mod build;
mod entry;
mod serial;
mod subject;

#[cfg(test)]
mod database_tests;

pub use self::database::{OpendbHandle, Row};
use self::pictures::Pictures;

/// Everything that is known without an account.
pub struct Opendb {
    /// The database.
    pub handle: Arc<OpendbHandle>,
    /// Its pictures.
    pub pictures: Pictures,
    /// Checksums of files, by path, size and time.
    sums: Cache,
}

/// Keeps the database of the data directory, and registers the job that downloads it.
pub fn install(deps: &Deps, providers: &Arc<Providers>) -> Feature<Arc<Opendb>> {
    let handle = Arc::new(OpendbHandle::new(deps.data_dir.open_database()));
    let kinds = vec![sync::kind(deps, &handle, providers)];
    let pictures = Pictures::new(Arc::clone(providers), deps);
    let sums = Cache::new(deps.files.clone(), deps.data_dir.content_sums());
    Feature { service: Arc::new(Opendb { handle, pictures, sums }), kinds }
}
