//! The artwork provider: finding a game there, listing its pictures, and adding them to games
//! (`/api/v2/artgrid/*`).
//!
//! Owns the translation of its answers, the parts that are shown, and whether requests are allowed. Everything is
//! written through the origins of fields, so nothing that is locked changes.
//!
//! | file | what it does |
//! |---|---|
//! | `answers` | what its answers mean: hits, games, pictures |
//! | `client` | asking it, with kept answers |
//! | `artwork` | loading pictures and writing them to a game |
//! | `apply` | the job for one game |
//! | `matching` | the job for many games |
//! | `error` | why there is no answer |

pub mod answers;
pub mod apply;
pub mod artwork;
pub mod client;
pub mod error;
pub mod matching;

use std::sync::Arc;

pub use self::artwork::Artwork;
pub use self::client::Artgrid;
pub use self::error::{ArtgridError, ArtworkError};

use crate::{
    feature::{Deps, Feature},
    media::named_files::NamedFiles,
    providers::{Providers, cache::Cache},
};

/// Makes the service and its kinds of job.
pub fn install(
    deps: &Deps,
    providers: &Arc<Providers>,
    named: &Arc<NamedFiles>,
) -> Feature<Arc<Artwork>> {
    let answers = Cache::new(deps.files.clone(), deps.data_dir.artgrid_cache());
    let artgrid = Artgrid::new(Arc::clone(&deps.accounts), Arc::clone(providers), answers);
    let service = Arc::new(Artwork {
        artgrid: Arc::new(artgrid),
        store: deps.store.clone(),
        files: deps.files.clone(),
        data_dir: deps.data_dir.clone(),
        named: Arc::clone(named),
    });
    Feature { kinds: vec![apply::kind(&service), matching::kind(&service)], service }
}
