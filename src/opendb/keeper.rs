//! The database that is in use: opened when it is first asked for, and again after it was replaced.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

use super::database::Database;
use crate::base::Hold as _;

/// The database of the data directory.
pub struct Keeper {
    path: PathBuf,
    open: Mutex<Option<Arc<Database>>>,
}

impl Keeper {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, open: Mutex::default() }
    }

    /// The database; `None` before it was downloaded, and when its file cannot be used.
    pub fn database(&self) -> Option<Arc<Database>> {
        let mut open = self.open.hold();
        if !self.path.is_file() {
            *open = None;
        } else if open.is_none() {
            *open = Database::open(&self.path).map(Arc::new);
        }
        open.clone()
    }

    /// Whether the file is there.
    pub fn is_there(&self) -> bool {
        self.path.is_file()
    }

    /// Has the file opened anew. Whoever uses the old one goes on with it.
    pub(super) fn renew(&self) {
        *self.open.hold() = None;
    }
}
