//! The database that is in use: opened when it is first asked for, and again after it was replaced.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::file::Database;
use crate::base::Hold as _;

/// A database of the data directory.
pub struct DatabaseHandle<D> {
    path: PathBuf,
    open: Mutex<Option<Arc<D>>>,
}

impl<D: Database> DatabaseHandle<D> {
    /// The database in this file, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path, open: Mutex::new(None) }
    }

    /// The database; `None` before it was downloaded, and when its file cannot be used.
    pub fn database(&self) -> Option<Arc<D>> {
        let mut open = self.open.hold();
        if !self.path.is_file() {
            *open = None;
        } else if open.is_none() {
            *open = D::open(&self.path).map(Arc::new);
        }
        open.clone()
    }

    /// A number that is known about its archive; `None` without a database or without the number.
    pub fn count(&self, key: &str) -> Option<u64> {
        self.database()?.fact(key)?.parse().ok()
    }

    /// Whether the file is there.
    pub fn is_there(&self) -> bool {
        self.path.is_file()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reopens the file. Readers of the old one continue with it.
    pub(super) fn renew(&self) {
        *self.open.hold() = None;
    }
}
