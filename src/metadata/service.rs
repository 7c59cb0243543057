//! What single applies and loading pictures need.

use std::{path::PathBuf, sync::Arc};

use super::{pending::Pending, previews::Previews};
use crate::{
    config::data_dir::DataDir, files::Files, lookup::Lookup, providers::Providers, store::Store,
};

/// Everything that is looked up for games.
pub struct Metadata {
    /// The reviews of matches.
    pub previews: Arc<Previews>,
    pub(super) store: Store,
    pub(super) files: Files,
    pub(super) data_dir: DataDir,
    pub(super) providers: Arc<Providers>,
    pub(super) lookup: Arc<Lookup>,
    /// Imports whose matches are still to come.
    pub(super) pending: Pending,
}

impl Metadata {
    /// The folder of the pictures of a game of the database.
    pub(super) fn folder(&self, id: u32) -> PathBuf {
        self.data_dir.media().join("metadb").join(id.to_string())
    }
}
