//! Undoes an import: its games, its changes, the playlists it wrote, and the media that wait for
//! its games.

use std::{fs, path::Path};

use crate::{
    config::data_dir::DataDir,
    files::Files,
    game::batches::{self, Undone, UnknownBatch, WrittenFile},
    media::queue,
    store::{Committed, Store},
};

use super::{references::SHEET_BYTES, systems};

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
    let undone = store.commit(|draft| {
        let undone = batches::undo(draft, id)?;
        systems::take_back(draft, &undone.folders);
        Ok(undone)
    })?;
    // The games are gone already; media of games that are not there are skipped.
    if let Err(error) = queue::remove(files, data, &undone.removed) {
        log::warn!("media of games that were undone stay queued: {error}");
    }
    for file in undone.files.iter().filter(|file| is_as_written(file)) {
        if let Err(error) = files.remove(Path::new(&file.path)) {
            log::warn!("a playlist of an import that was undone stays: {error}");
        }
    }
    Ok(undone)
}

/// Whether a file is still the one that was written: no link, with the same content.
fn is_as_written(file: &WrittenFile) -> bool {
    let path = Path::new(&file.path);
    let is_small = |found: fs::Metadata| found.is_file() && found.len() <= SHEET_BYTES;
    fs::symlink_metadata(path).is_ok_and(is_small)
        && fs::read(path).is_ok_and(|content| WrittenFile::sum_of(&content) == file.sum)
}
