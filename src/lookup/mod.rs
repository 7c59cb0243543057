//! Looking games up at providers that need an account and at stores (`/api/v2/scraper/*`,
//! `/api/metadata/gamedb/*`, `/api/metadata/store-a`, `/trailer`, `/store-d`).
//!
//! Owns the translation of their answers, the checksums by which one of them knows the file of a game,
//! and what is written from them: through the origins of fields, so that nothing that is locked
//! changes. Pace, retries and addresses are those of `providers`. See `docs/design/metadata.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `accounts` | accounts that are entered in the page |
//! | `error` | why there is nothing |
//! | `plain` | texts of answers without mark-up and without their credentials |
//! | `write` | writing what was found to one game |
//! | `hashes` | the checksums of the file of a game, or of the file in its archive |
//! | `scraper` | asking the scraper provider, with kept answers |
//! | `scraper_answers` | what its answers mean |
//! | `scraper_faults` | its error messages, in their many forms |
//! | `scraper_media` | which of its media a game gets |
//! | `scraper_load` | loading them |
//! | `scraper_match` | the job that searches many games |
//! | `scraper_apply` | the job that writes one game |
//! | `gamedb` | asking the game database, with its token |
//! | `gamedb_answers` | what its answers mean |
//! | `gamedb_apply` | writing what it knows |
//! | `store_a` | details, pictures and trailers of one store |
//! | `store_d` | pictures of another one |
//! | `pictures` | pictures to choose from that the game database and the stores name |
//! | `sources` | what filling a game takes from them |
//! | `service` | what all of them share |

use std::sync::Arc;

use crate::{
    feature::{Deps, Feature},
    providers::{Providers, cache::Cache},
};

pub mod accounts;
pub mod error;
pub mod gamedb;
pub mod gamedb_answers;
pub mod hashes;
pub mod pictures;
pub mod scraper;
pub mod scraper_answers;
pub mod scraper_apply;
pub mod scraper_match;
pub mod sources;
pub mod store_d;
pub mod write;

mod gamedb_apply;
mod plain;
mod scraper_faults;
mod scraper_load;
mod scraper_media;
mod service;
mod store_a;

pub use self::error::LookupError;
pub use self::service::Lookup;

/// Makes the service and its kinds of job.
pub fn install(deps: &Deps, providers: &Arc<Providers>) -> Feature<Arc<Lookup>> {
    let cache = |folder| Cache::new(deps.files.clone(), folder);
    let data_dir = deps.data_dir.clone();
    let shared = || (Arc::clone(&deps.accounts), Arc::clone(providers));
    let ((logins, scraper), (keys, gamedb)) = (shared(), shared());
    let service = Arc::new(Lookup {
        scraper: scraper::Scraper::new(logins, scraper, cache(data_dir.scraper_cache())),
        gamedb: gamedb::Gamedb::new(keys, gamedb, cache(data_dir.gamedb_cache())),
        stores: cache(data_dir.store_cache()),
        accounts: Arc::clone(&deps.accounts),
        named: Arc::default(),
        providers: Arc::clone(providers),
        store: deps.store.clone(),
        files: deps.files.clone(),
        data_dir,
    });
    let kinds = vec![scraper_match::kind(&service), scraper_apply::kind(&service)];
    Feature { service, kinds }
}
