//! A temporary directory of one test: files, scripts and folders below it, all gone at the end.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, lchown},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// The directory. Relative names given to its methods are below it; parents are made as needed.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// A new empty directory. Its path holds no symlink, as approved roots demand.
    pub(crate) fn new() -> Self {
        let base = std::env::temp_dir().canonicalize().expect("a temporary directory");
        let dir = tempfile::Builder::new().prefix("launcher-").tempdir_in(base);
        Self(dir.expect("a new temporary directory"))
    }

    /// The absolute path of a name below the directory.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Makes a folder.
    pub(crate) fn folder(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).expect("a new folder");
        path
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a name below the directory")).expect("parents");
        fs::write(&path, bytes).expect("a new file");
        path
    }

    /// Writes a file with these permission bits.
    pub(crate) fn file_mode(
        &self,
        name: impl AsRef<Path>,
        bytes: impl AsRef<[u8]>,
        mode: u32,
    ) -> PathBuf {
        let path = self.file(name, bytes);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
        path
    }

    /// Gives the directory and everything in it to another user.
    pub(crate) fn give_to(&self, user: u32) {
        let mut waiting = vec![self.0.path().to_owned()];
        while let Some(path) = waiting.pop() {
            lchown(&path, Some(user), Some(user)).expect("another owner");
            if path.is_dir() && !path.is_symlink() {
                let entries = fs::read_dir(&path).expect("a listing");
                waiting.extend(entries.map(|entry| entry.expect("an entry").path()));
            }
        }
    }

    /// Writes an executable shell script of these lines.
    pub(crate) fn script(&self, name: impl AsRef<Path>, lines: &str) -> PathBuf {
        self.file_mode(name, format!("#!/bin/sh\n{lines}\n"), 0o755)
    }

    /// The bytes of a file.
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).expect("a readable file")
    }

    /// The permission bits of a file.
    pub(crate) fn mode(&self, name: impl AsRef<Path>) -> u32 {
        fs::metadata(self.path(name)).expect("a file").permissions().mode() & 0o777
    }
}
