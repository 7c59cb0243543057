//! Finding similar games: questions in plain words, and games like another one
//! (`/api/v2/library/dna/*`). See `docs/design/query.md`.
//!
//! Owns `dna_index.json`, which can be deleted at any time: it is made from the library, and titles are
//! searched while there is none. No server is asked.
//!
//! | file | what it does |
//! |---|---|
//! | `words` | the weighted words of a game |
//! | `lexicon` | related words for the words of a question |
//! | `index` | which games have which words, and ranking them |
//! | `file` | the index on disk |
//! | `service` | loads the index and keeps it up to date |
//! | `anchor`, `search` | what a question asks for, and its answer |
//! | `job` | rebuilding the index |

pub mod job;
pub mod service;
pub mod search;

mod anchor;
mod file;
mod index;
mod lexicon;
mod titles;
mod words;

pub use self::service::Dna;

use std::sync::Arc;

use crate::feature::{Deps, Feature};

#[cfg(test)]
mod tests;

/// Makes the service of the index and its kind of job.
pub fn install(deps: &Deps) -> Feature<Arc<Dna>> {
    let (path, library) = (deps.data_dir.dna_index(), deps.data_dir.library());
    let service = Arc::new(Dna::new(deps.files.clone(), path, library));
    service.follow(&deps.store);
    Feature { kinds: vec![job::kind(&service, deps.store.clone())], service }
}
