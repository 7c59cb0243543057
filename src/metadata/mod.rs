//! Metadata of games: matching them with the metadata database, reviewing and applying what was found, and
//! loading pictures.
//!
//! Owns the certainty of a match and what is written because of it. Everything is written through the origins of
//! fields, so nothing that is locked changes and a pass can be undone. Knows the library and the
//! database; neither knows it. See `docs/design/metadata.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `scrape` | the settings of what is looked up |
//! | `score` | how alike two titles are |
//! | `subject` | what the library knows of a game that helps to find it |
//! | `matching` | which game of the database it is, and how sure that is |
//! | `fields` | the facts of the database as values of fields |
//! | `preview` | the documents and files of reviews |
//! | `previews` | what clients ask of reviews |
//! | `preview_work` | the job that matches the games of a review |
//! | `apply_work` | the jobs that write matches |
//! | `pictures` | which pictures a game gets, loading and checking them |
//! | `candidates` | pictures that the user chooses from |
//! | `offers` | pictures of other providers to choose from |
//! | `manual` | the manual in the archive of a game |
//! | `pending` | imports whose matches are still to come |
//! | `service` | what the parts below share |
//! | `apply` | texts and pictures of one game at once |
//! | `order` | which source is asked first |
//! | `sources` | what the sources know of one game |
//! | `fill` | the job that fills in games from all of them |
//! | `auto` | the jobs that follow an import |
//! | `accounts` | what providers with accounts add to them |
//! | `bulk` | the job that loads pictures for many games |

use std::sync::Arc;

use crate::{
    artgrid::Artwork,
    backup::folder::Backups,
    feature::{Deps, Feature},
    lookup::Lookup,
    metadb::MetadbHandle,
    opendb::Opendb,
    providers::Providers,
};

pub mod accounts;
pub mod apply;
pub mod apply_work;
pub mod auto;
pub mod bulk;
pub mod candidates;
pub mod error;
pub mod fill;
pub mod matching;
pub mod order;
pub mod previews;
pub mod scrape;

mod fields;
mod manual;
mod offers;
mod pending;
mod pictures;
mod preview;
mod preview_work;
mod score;
mod service;
mod sources;
mod subject;

pub use self::service::Metadata;

/// Makes the service and its kinds of job.
pub fn install(
    deps: &Deps,
    handle: &Arc<MetadbHandle>,
    providers: &Arc<Providers>,
    (lookup, artwork, opendb): (&Arc<Lookup>, &Arc<Artwork>, &Arc<Opendb>),
    backups: &Arc<Backups>,
) -> Feature<Arc<Metadata>> {
    let previews = Arc::new(previews::Previews {
        store: deps.store.clone(),
        files: preview::ReviewFiles::new(deps.files.clone(), deps.data_dir.match_previews()),
        handle: Arc::clone(handle),
        backups: Arc::clone(backups),
    });
    let service = Arc::new(Metadata {
        previews: Arc::clone(&previews),
        store: deps.store.clone(),
        files: deps.files.clone(),
        data_dir: deps.data_dir.clone(),
        providers: Arc::clone(providers),
        lookup: Arc::clone(lookup),
        artwork: Arc::clone(artwork),
        opendb: Arc::clone(opendb),
        pending: pending::Pending::default(),
    });
    let mut kinds =
        vec![preview_work::kind(&previews), apply_work::kind(&previews), bulk::kind(&service)];
    kinds.push(fill::kind(&service));
    kinds.extend(auto::kinds(&service));
    Feature { service, kinds }
}
