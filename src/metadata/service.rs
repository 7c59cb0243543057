//! What single applies and loading pictures need.

use std::{path::PathBuf, sync::Arc};

use super::{pending::Pending, previews::Previews};
use crate::{
    artgrid::Artwork,
    config::data_dir::DataDir,
    files::{DiskError, Files},
    lookup::{Lookup, write},
    media::media_writer::MediaWriter,
    model::Game,
    opendb::Opendb,
    providers::{Providers, client::Picture},
    store::Store,
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
    pub(super) artwork: Arc<Artwork>,
    /// The database of libretro.
    pub opendb: Arc<Opendb>,
    /// Imports whose matches are still to come.
    pub(super) pending: Pending,
}

impl Metadata {
    /// The folder of the pictures of a game of the database.
    pub(super) fn folder(&self, id: u32) -> PathBuf {
        self.data_dir.media().join("metadb").join(id.to_string())
    }

    /// Stores a picture of a source in the folder that a game has there; where it lies.
    pub(super) fn keep_picture(
        &self,
        game: &Game,
        source: &str,
        stem: &str,
        picture: &Picture,
    ) -> Result<PathBuf, DiskError> {
        let folder = write::folder(self.data_dir.media().join(source), game.name(), game.id());
        let path = folder.join(format!("{stem}.{}", picture.kind.ending()));
        MediaWriter::new(&self.files, &self.store, &self.lookup.named)
            .keep(&path, &picture.bytes)
            .map(|(path, _)| path)
    }
}
