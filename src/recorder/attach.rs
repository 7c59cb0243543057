//! Recordings that belong to a game: named by a client, or found at the end of a session.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use sha1::{Digest as _, Sha1};

use super::Recorder;
use crate::{
    base::{ids, text},
    files::DiskError,
    game::GameRef,
    model::Cause,
    store::{CommitError, Store},
};

/// Bytes of the largest recording that is copied; larger ones stay where they are and are not shown.
const COPIED_BYTES: u64 = 2 << 30;
/// A recording may be a little older than the session by the clock of the disk.
const SLACK: Duration = Duration::from_secs(1);

/// Why a recording was not attached.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error("Game not found")]
    UnknownGame,
    #[error("Recording file not found.")]
    Missing,
    #[error("The recording could not be copied: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

impl Recorder {
    /// Attaches a recording to a game. One that lies outside the media folders is copied into them. Returns
    /// the path that is stored.
    ///
    /// # Errors
    /// [`AttachError`].
    pub fn attach(
        &self,
        store: &Store,
        game: &GameRef,
        path: &Path,
    ) -> Result<String, CommitError<AttachError>> {
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let (_, game) =
            game.find(&state.games).ok_or(CommitError::Refused(AttachError::UnknownGame))?;
        let is_file = path.is_absolute() && fs::metadata(path).is_ok_and(|found| found.is_file());
        if !is_file {
            return Err(CommitError::Refused(AttachError::Missing));
        }
        let stored = self.shown_copy(path).map_err(CommitError::Refused)?;
        store_recording(store, game.id(), &stored, true)?;
        Ok(stored)
    }

    /// Attaches the newest recording of a session to its game.
    ///
    /// # Errors
    /// [`AttachError`].
    pub fn attach_newest(
        &self,
        store: &Store,
        game_id: &str,
        since: SystemTime,
    ) -> Result<(), CommitError<AttachError>> {
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let since = since.checked_sub(SLACK).unwrap_or(SystemTime::UNIX_EPOCH);
        let Some(newest) = self.newest_since(state.settings(), since) else { return Ok(()) };
        let stored = self.shown_copy(&newest).map_err(CommitError::Refused)?;
        store_recording(store, game_id, &stored, false)
    }

    /// The path under which a recording may be shown.
    fn shown_copy(&self, path: &Path) -> Result<String, AttachError> {
        let spelled = path.to_string_lossy().into_owned();
        if let Ok(approved) = self.roots.approve(&spelled) {
            return Ok(approved);
        }
        let Ok(found) = fs::metadata(path) else { return Err(AttachError::Missing) };
        if found.len() > COPIED_BYTES {
            return Ok(spelled);
        }
        let copy = self.recordings.join(name_of(path, found.len(), found.modified().ok()));
        if self.files.stat(&copy)?.is_none() {
            self.files.private_dir(&self.recordings)?;
            self.files.copy(path, &copy)?;
        }
        Ok(copy.to_string_lossy().into_owned())
    }
}

/// Writes a recording into the record of a game.
fn store_recording(
    store: &Store,
    game_id: &str,
    path: &str,
    fills_video: bool,
) -> Result<(), CommitError<AttachError>> {
    store.commit(|draft| {
        let edited = draft.edit_game(game_id, |record| {
            record.set("video_recording", path);
            if fills_video && record.is_blank("video") {
                record.set("video", path);
            }
        });
        draft.set_cause(Cause::MediaChanged(vec![path.to_owned()]));
        edited.map_err(|_| AttachError::UnknownGame)
    })
}

/// The name of a copy: the same for the same recording, so that it is copied once.
fn name_of(path: &Path, size: u64, modified: Option<SystemTime>) -> PathBuf {
    let digest = Sha1::digest(format!("{}:{size}:{modified:?}", path.display()).as_bytes());
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = format!("{}-{}", text::cut(&stem, 80), text::cut(&ids::hex(&digest), 12));
    match path.extension() {
        Some(end) => PathBuf::from(format!("{name}.{}", end.to_string_lossy())),
        None => PathBuf::from(name),
    }
}
