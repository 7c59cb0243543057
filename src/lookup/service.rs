//! What all lookups share.

use std::sync::Arc;

use super::{gamedb::Gamedb, scraper::Scraper};
use crate::{
    config::data_dir::DataDir,
    files::Files,
    providers::{Providers, accounts::Accounts, cache::Cache},
    store::Store,
};

/// Everything that can be looked up.
pub struct Lookup {
    /// The scraper provider.
    pub scraper: Scraper,
    /// The game database.
    pub gamedb: Gamedb,
    /// The accounts at providers.
    pub accounts: Arc<Accounts>,
    /// Kept answers of the stores.
    pub(super) stores: Cache,
    pub(super) providers: Arc<Providers>,
    pub(super) store: Store,
    pub(super) files: Files,
    pub(super) data_dir: DataDir,
}
