//! The content of a backup: walks the trees of the data directory without following links.

use std::{
    collections::HashSet,
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::{error::BackupError, members};
use crate::{
    base::limits,
    files::{
        DiskError, Files,
        source::{self, Source},
    },
};

/// A file that will become a member.
#[derive(Clone, Debug)]
pub(super) struct FoundFile {
    /// Its name in the archive.
    pub(super) name: String,
    /// Where it stands.
    pub(super) path: PathBuf,
    /// Bytes when it was found.
    pub(super) size: u64,
}

impl FoundFile {
    /// Opens the file; `None` when it has gone. One that was replaced in the meantime is taken as
    /// it is now, as long as no link leads to it.
    pub(super) fn open(&self, files: &Files) -> Result<Option<Source>, BackupError> {
        open_regular(files, &self.path, &self.name)
    }
}

/// Opens a file that is not a link; `None` when it is gone or no longer a file. `shown` names it
/// to the user.
///
/// # Errors
/// [`BackupError::LinkInSource`], or a disk that refuses.
pub fn open_regular(
    files: &Files,
    path: &Path,
    shown: &str,
) -> Result<Option<Source>, BackupError> {
    let source = match files.open(path) {
        Ok(source) => source,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let opened = source.stat()?;
    // What was opened must be what stands under the name itself, not behind a link there.
    let Some(named) = files.stat(path)? else { return Ok(None) };
    if named.is_symlink() || identity(&named) != identity(&opened) {
        return Err(BackupError::LinkInSource(shown.to_owned()));
    }
    Ok(opened.is_file().then_some(source))
}

/// The files of a walk.
#[derive(Debug, Default)]
pub(super) struct SourceFiles {
    /// Files by name.
    pub(super) files: Vec<FoundFile>,
    /// What has no place in an archive: pipes, sockets, names that are not text or hold a backslash.
    pub(super) skipped: Vec<String>,
    total: u64,
}

impl SourceFiles {
    /// Adds everything in `root/tree`. A missing tree holds nothing.
    ///
    /// # Errors
    /// A symbolic link anywhere, too many files, too many bytes, or a folder that cannot be read.
    pub(super) fn add_tree(&mut self, root: &Path, tree: &str) -> Result<(), BackupError> {
        let top = root.join(tree);
        let Some(stat) = source::stat(&top)? else { return Ok(()) };
        if stat.is_symlink() {
            return Err(BackupError::SourceLink(tree.to_owned()));
        }
        let mut folders = vec![(top, tree.to_owned())];
        while let Some((folder, prefix)) = folders.pop() {
            let at = |action| DiskError::at(action, &folder);
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                other => other.map_err(at("list"))?,
            };
            for entry in entries {
                let entry = entry.map_err(at("list"))?;
                let path = entry.path();
                let Some(stat) = source::stat(&path)? else { continue };
                let shown = format!("{prefix}/{}", entry.file_name().to_string_lossy());
                if stat.is_symlink() {
                    return Err(BackupError::LinkInSource(shown));
                }
                let is_text = entry.file_name().to_str().is_some();
                if !is_text || !members::is_safe(&shown) || !(stat.is_dir() || stat.is_file()) {
                    self.skipped.push(shown);
                } else if stat.is_dir() {
                    folders.push((path, shown));
                } else if !is_unfinished(&shown) {
                    self.add_file(path, shown, &stat)?;
                }
            }
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        path: PathBuf,
        name: String,
        stat: &Metadata,
    ) -> Result<(), BackupError> {
        self.total = self.total.saturating_add(stat.len());
        members::check_sizes([stat.len()].into_iter())?;
        if self.total > limits::BACKUP_BYTES {
            return Err(BackupError::TooLarge);
        }
        if self.files.len() >= limits::BACKUP_MEMBERS {
            return Err(BackupError::TooMany);
        }
        self.files.push(FoundFile { name, path, size: stat.len() });
        Ok(())
    }

    /// Whether two names differ only in their case.
    pub(super) fn is_case_sensitive(&self) -> bool {
        let mut seen = HashSet::with_capacity(self.files.len());
        !self.files.iter().all(|file| seen.insert(file.name.to_lowercase()))
    }
}

fn identity(stat: &Metadata) -> (u64, u64) {
    (stat.dev(), stat.ino())
}

/// Whether a file is one that is just being written next to its destination.
fn is_unfinished(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.starts_with('.') && Path::new(name).extension().is_some_and(|ending| ending == "tmp")
}
