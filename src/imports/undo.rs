//! Takes an import back: its games, what it changed, and the media that wait for its games.

use crate::{
    config::data_dir::DataDir,
    files::Files,
    game::batches::{self, Undone, UnknownBatch},
    media::queue,
    store::{Committed, Store},
};

/// Takes the import with this id back.
///
/// # Errors
/// [`UnknownBatch`], or an error of the store.
pub fn undo(
    store: &Store,
    files: &Files,
    data: &DataDir,
    id: &str,
) -> Committed<Undone, UnknownBatch> {
    let undone = store.commit(|draft| batches::undo(draft, id))?;
    // The games are gone already; media of games that are not there are passed over.
    if let Err(error) = queue::remove(files, data, &undone.removed) {
        log::warn!("media of games that were taken back stay queued: {error}");
    }
    Ok(undone)
}
