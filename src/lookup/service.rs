//! What all lookups share.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{gamedb::Gamedb, scraper::Scraper};
use crate::{
    config::data_dir::DataDir,
    files::{DiskError, Files},
    media::{media_writer::MediaWriter, named_files::NamedFiles},
    providers::{Providers, accounts::Accounts, cache::Cache, client::Picture},
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
    /// The files that the library names.
    pub named: Arc<NamedFiles>,
    /// Kept answers of the stores.
    pub(super) stores: Cache,
    pub(super) providers: Arc<Providers>,
    pub(super) store: Store,
    pub(super) files: Files,
    pub(super) data_dir: DataDir,
}

impl Lookup {
    /// Stores files of games.
    pub(super) fn media_writer(&self) -> MediaWriter<'_> {
        MediaWriter::new(&self.files, &self.store, &self.named)
    }

    /// Stores a picture in a folder; where it lies.
    pub(super) fn keep_picture(
        &self,
        folder: &Path,
        stem: &str,
        picture: &Picture,
    ) -> Result<PathBuf, DiskError> {
        let path = folder.join(format!("{stem}.{}", picture.kind.ending()));
        self.media_writer().keep(&path, &picture.bytes).map(|(path, _)| path)
    }
}
