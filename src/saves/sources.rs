//! The content of an archive of saves: walks the configured paths without following links.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::{self, Metadata},
    io,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Component, Path, PathBuf},
};

use super::{
    error::SaveError,
    manifest::{Manifest, Root, STATE},
    subject::Subject,
};
use crate::{
    backup::{error::BackupError, members},
    base::limits,
    files::{
        DiskError, Files,
        confine::{self, ConfineError},
        source, temp,
    },
    resume::folder,
};

/// A file that will become a member.
#[derive(Clone, Debug)]
pub(super) struct FoundFile {
    /// Its name in the archive.
    pub(super) member: String,
    /// Where it stands.
    pub(super) path: PathBuf,
    /// Its path below its root, for the user.
    pub(super) shown: String,
    /// Bytes when it was found.
    pub(super) size: u64,
    stamp: (u64, i64, i64),
}

impl FoundFile {
    /// Whether it is not what it was when it was found.
    pub(super) fn has_changed(&self) -> bool {
        fs::symlink_metadata(&self.path).map_or(true, |stat| stamp(&stat) != self.stamp)
    }
}

/// The save files of a game.
#[derive(Debug, Default)]
pub(super) struct SaveFiles {
    /// The files, in the order of their members.
    pub(super) files: Vec<FoundFile>,
    /// The roots and the names that need a spelling.
    pub(super) manifest: Manifest,
    total: u64,
}

/// Checks the configured save paths, and the kept state of a game that includes it.
///
/// # Errors
/// [`SaveError::NoPaths`] when none of them is there, a symbolic link on the way to one or in it,
/// more than an archive may hold, or a folder that cannot be read.
pub(super) fn gather(files: &Files, data: &Path, game: &Subject) -> Result<SaveFiles, SaveError> {
    let mut found = SaveFiles::default();
    for path in &game.save_paths {
        let Some(stat) = examine_root(data, path)? else { continue };
        let (number, file) = (found.manifest.roots.len(), stat.is_file());
        found.manifest.roots.push(Root { path: path.clone(), file });
        if file {
            let name = Path::new(path).file_name().unwrap_or_default();
            found.add_file(number, Path::new(name), PathBuf::from(path), &stat)?;
        } else {
            found.walk(number, Path::new(path))?;
        }
    }
    if let Some(folder) = &game.resume {
        found.add_state(files, folder)?;
    }
    if found.manifest.roots.is_empty() {
        return Err(SaveError::NoPaths);
    }
    found.files.sort_by(|a, b| a.member.cmp(&b.member));
    let mut seen = HashSet::with_capacity(found.files.len());
    found.manifest.case_sensitive =
        !found.files.iter().all(|file| seen.insert(file.member.to_lowercase()));
    Ok(found)
}

/// The attributes of a configured path; `None` when nothing is there that can be archived.
///
/// # Errors
/// A path that is not absolute and plain, that holds the data directory, or a symbolic link.
pub(super) fn examine_root(data: &Path, path: &str) -> Result<Option<Metadata>, SaveError> {
    let place = Path::new(path);
    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    if !place.is_absolute() || path.contains('\0') || !place.components().all(plain) {
        return Err(SaveError::NotAbsolute(path.to_owned()));
    }
    if data.starts_with(place) {
        return Err(SaveError::HoldsData(path.to_owned()));
    }
    match refuse_links(place, path) {
        // Below a file there is nothing.
        Err(SaveError::InTheWay(_)) => return Ok(None),
        other => other?,
    }
    let stat = source::stat(place)?;
    Ok(stat.filter(|stat| stat.is_dir() || stat.is_file()))
}

/// Refuses a path with a symbolic link anywhere in it.
pub(super) fn refuse_links(path: &Path, shown: &str) -> Result<(), SaveError> {
    confine::refuse_link_on_the_way(path).map_err(|error| match error {
        ConfineError::Link { .. } => BackupError::SourceLink(shown.to_owned()).into(),
        ConfineError::Outside => SaveError::NotAbsolute(shown.to_owned()),
        ConfineError::Unreadable { path, source } => {
            // A part of the way that is a file: nothing can be there, and nothing is put there.
            match source.kind() {
                io::ErrorKind::NotADirectory => SaveError::InTheWay(shown.to_owned()),
                _ => DiskError { action: "examine", path, source }.into(),
            }
        }
    })
}

impl SaveFiles {
    fn walk(&mut self, root: usize, top: &Path) -> Result<(), SaveError> {
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            let at = |action| DiskError::at(action, &folder);
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                other => other.map_err(at("list"))?,
            };
            for entry in entries {
                let path = entry.map_err(at("list"))?.path();
                let below = path.strip_prefix(top).unwrap_or(&path).to_owned();
                let Some(stat) = source::stat(&path)? else { continue };
                if stat.is_symlink() {
                    let shown = below.to_string_lossy().into_owned();
                    return Err(BackupError::LinkInSource(shown).into());
                } else if stat.is_dir() {
                    folders.push(path);
                } else if !stat.is_file() {
                    log::warn!("{} is not a file and not archived", path.display());
                } else if !path.file_name().is_some_and(is_unfinished) {
                    self.add_file(root, &below, path, &stat)?;
                }
            }
        }
        Ok(())
    }

    /// Adds what is kept in the folder of a game's states: the record, the state and its picture.
    /// Earlier states and those of moments stay on this device.
    fn add_state(&mut self, files: &Files, folder: &Path) -> Result<(), SaveError> {
        let kept = folder::find_stored(files, folder)?;
        let Some(names) = kept.as_ref().and_then(folder::files_of) else { return Ok(()) };
        let number = self.manifest.roots.len();
        self.manifest.roots.push(Root { path: STATE.to_owned(), file: false });
        for name in names {
            let Some(entry) = folder::find(files, folder, name)? else { continue };
            if let Some(stat) = source::stat(&entry.path)? {
                self.add_file(number, Path::new(name), entry.path, &stat)?;
            }
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        root: usize,
        below: &Path,
        path: PathBuf,
        stat: &Metadata,
    ) -> Result<(), SaveError> {
        let size = stat.len();
        members::check_sizes([size].into_iter())?;
        self.total = self.total.saturating_add(size);
        if self.total > limits::BACKUP_BYTES {
            return Err(BackupError::TooLarge.into());
        }
        // The manifest is a member too.
        if self.files.len() + 1 >= limits::BACKUP_MEMBERS {
            return Err(BackupError::TooMany.into());
        }
        let member = self.manifest.name_member(root, below);
        let shown = below.to_string_lossy().into_owned();
        self.files.push(FoundFile { member, path, shown, size, stamp: stamp(stat) });
        Ok(())
    }
}

fn stamp(stat: &Metadata) -> (u64, i64, i64) {
    (stat.len(), stat.mtime(), stat.mtime_nsec())
}

/// Whether a file is a temporary one that a crash left half written next to its destination.
pub(super) fn is_unfinished(name: &OsStr) -> bool {
    temp::is_temporary(name.as_bytes())
}
