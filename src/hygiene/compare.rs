//! The pictures that a fix of artwork replaced, next to the present ones (`GET /api/v2/artgrid/hygiene/batch` and
//! `/before`).

use super::{
    batches::{self, Batch, Entry},
    error::HygieneError,
    service::Hygiene,
};
use crate::{base::schema::schema, formats::thumbnail, model::State};

/// Pixels of the width of a picture from before.
const WIDTH: u32 = 480;

schema! {
    "ArtworkBatchPictures"
    /// `GET /api/v2/artgrid/hygiene/batch`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Compared {
        pub batch_id: String,
        /// UTC.
        pub created_at: String,
        /// Where its pictures came from.
        pub provider: String,
        /// In the order in which the fix wrote them.
        pub pictures: Vec<Pair>,
    }

    "ArtworkBatchPicture"
    /// One picture that a fix wrote.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Pair {
        pub game_id: String,
        /// The title; blank for a game that is gone.
        pub name: String,
        /// The media field.
        pub field: String,
        /// Whether there was a picture before and its copy is kept.
        pub had_picture: bool,
        /// Whether the field still has what the fix gave it. Only then taking the fix back changes it.
        pub current: bool,
    }
}

impl Hygiene {
    /// The pictures of a fix.
    ///
    /// # Errors
    /// For an invalid id, or one of a fix that is not kept.
    pub fn compared(&self, state: &State, batch_id: &str) -> Result<Compared, HygieneError> {
        let batch = self.kept(batch_id)?;
        let pair = |entry: Entry| {
            let game = state.games.find(&entry.game_id).map(|(_, game)| game);
            Pair {
                name: game.map(|game| game.name().to_owned()).unwrap_or_default(),
                had_picture: !entry.backup.is_empty(),
                current: game.is_some_and(|game| game.record().text(&entry.field) == entry.new),
                game_id: entry.game_id,
                field: entry.field,
            }
        };
        Ok(Compared {
            pictures: batch.records.into_iter().map(pair).collect(),
            batch_id: batch.batch_id,
            created_at: batch.created_at,
            provider: batch.provider,
        })
    }

    /// A smaller copy of the picture that a field had before a fix. `None` when it had none.
    ///
    /// # Errors
    /// As [`Hygiene::compared`], and when the disk refuses.
    pub fn before(
        &self,
        batch_id: &str,
        game_id: &str,
        field: &str,
    ) -> Result<Option<Vec<u8>>, HygieneError> {
        let batch = self.kept(batch_id)?;
        let is_asked = |entry: &&Entry| entry.game_id == game_id && entry.field == field;
        let entry = batch.records.iter().find(is_asked);
        let copy = entry.and_then(|entry| self.batches.copy_path(batch_id, &entry.backup));
        let Some(copy) = copy else { return Ok(None) };
        let files = &self.artwork.files;
        // Whatever was there before: only pictures are served.
        let is_fit = |length: u64| length <= thumbnail::MOST_BYTES;
        if !files.stat(&copy)?.is_some_and(|found| found.is_file() && is_fit(found.len())) {
            return Ok(None);
        }
        let bytes = files.read(&copy)?;
        let is_picture = thumbnail::Kind::of(&bytes).is_some();
        // A picture that is small already stays as it is.
        Ok(is_picture.then(|| thumbnail::make(&bytes, WIDTH).unwrap_or(bytes)))
    }

    fn kept(&self, batch_id: &str) -> Result<Batch, HygieneError> {
        if !batches::is_id(batch_id) {
            return Err(HygieneError::Malformed("batch_id is not valid."));
        }
        self.batches.find(batch_id).ok_or(HygieneError::NothingToUndo)
    }
}
