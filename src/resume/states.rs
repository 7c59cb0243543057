//! The kept states of all games: where they lie, one change at a time.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard},
};

use super::folder::{self, StoredState};
use crate::{base::Hold as _, files::Files};

/// The kept states of all games.
pub struct States {
    files: Files,
    root: PathBuf,
    /// One change of a folder at a time.
    changing: Mutex<()>,
}

impl States {
    /// The states below a folder.
    pub fn new(files: Files, root: PathBuf) -> Self {
        Self { files, root, changing: Mutex::default() }
    }

    /// The folder of a game, which need not exist.
    pub fn folder_of(&self, game_id: &str) -> PathBuf {
        self.root.join(folder::key(game_id))
    }

    /// The state that is kept of a game; `None` without one, or when its file is gone.
    pub fn stored(&self, game_id: &str) -> Option<StoredState> {
        folder::stored(&self.files, &self.folder_of(game_id))
    }

    pub(super) fn hold(&self) -> MutexGuard<'_, ()> {
        self.changing.hold()
    }

    pub(super) fn files(&self) -> &Files {
        &self.files
    }
}
