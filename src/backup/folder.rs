//! The archives of this data directory: the handle of the module, names, listing, finding.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
    time::SystemTime,
};

use super::{
    archive,
    error::BackupError,
    items::{self, Item},
};
use crate::{
    base::{Hold as _, Moment, schema::schema},
    config::data_dir::DataDir,
    files::{Files, confine},
    journal::handle::Journal,
    model::Cause,
    store::Store,
};

const PREFIX: &str = "ServiceBackup-";
const ENDING: &str = ".zip";

/// What the module needs from the rest of the program.
pub struct BackupContext {
    /// Disk access.
    pub files: Files,
    /// Where everything lies.
    pub data_dir: DataDir,
    /// The library.
    pub store: Store,
    /// What changed in it and when; `None` where nothing is recorded.
    pub journal: Option<Journal>,
    /// How many games run.
    pub running: Box<dyn Fn() -> usize + Send + Sync>,
    /// The clock.
    pub now: fn() -> Moment,
}

/// Backups and restores of one data directory. One of them happens at a time.
pub struct Backups {
    pub(super) context: BackupContext,
    work: Mutex<()>,
}

schema! {
    "BackupArchive"
    /// One archive of `GET /api/backups`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Listed {
        /// The name of the file.
        pub name: String,
        /// Where it stands, absolute.
        pub path: String,
        /// Bytes.
        pub size: u64,
        /// When it was made, ISO 8601.
        pub created: String,
        /// What it holds.
        pub items: Vec<&'static str>,
        /// Set when it cannot be read.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub invalid: bool,
    }
}

/// Whether a name is one that was given here.
pub(super) fn is_own_name(name: &str) -> bool {
    let stamp = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(ENDING));
    let widths = [4, 2, 2, 2, 2, 2, 6];
    stamp.is_some_and(|stamp| {
        let parts: Vec<&str> = stamp.split('-').collect();
        parts.len() == widths.len()
            && parts.iter().zip(widths).all(|(part, width)| {
                part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit())
            })
    })
}

impl Backups {
    /// The backups of a data directory.
    pub fn new(context: BackupContext) -> Self {
        Self { context, work: Mutex::new(()) }
    }

    /// Waits until no other thread makes or restores a backup.
    pub(super) fn work(&self) -> MutexGuard<'_, ()> {
        self.work.hold()
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.context.data_dir.backups()
    }

    /// Reports an archive that was made.
    pub fn report_created(&self, name: &str, items: &[Item]) {
        let (archive_name, items) = (name.to_owned(), items::names(items));
        self.context.store.report(Cause::BackedUp { archive_name, items });
    }

    /// Reports that the games are those of an archive now.
    pub(super) fn report_restored(&self) {
        self.context.store.report(Cause::BackupRestored);
    }

    pub(super) fn refuse_while_running(&self, restoring: bool) -> Result<(), BackupError> {
        match (self.context.running)() {
            0 => Ok(()),
            _ => Err(BackupError::Running { restoring }),
        }
    }

    /// A name for an archive made now that nothing has yet.
    pub(super) fn free_path(&self) -> Result<PathBuf, BackupError> {
        loop {
            let stamp = (self.context.now)().local_format("%Y-%m-%d-%H-%M-%S-%6f");
            let path = self.folder().join(format!("{PREFIX}{stamp}{ENDING}"));
            if self.context.files.stat(&path)?.is_none() {
                return Ok(path);
            }
        }
    }

    /// The archives, newest first. A file that cannot be read as one is listed as invalid.
    ///
    /// # Errors
    /// When the folder cannot be read; a missing one holds nothing.
    pub fn list(&self) -> Result<Vec<Listed>, BackupError> {
        let row = |(name, size, modified): (String, u64, SystemTime)| {
            let path = self.folder().join(&name);
            let manifest = archive::manifest(&self.context.files, &path);
            let written = Moment::from_system(modified).utc_iso();
            let path = path.to_string_lossy().into_owned();
            match manifest {
                Ok(manifest) => {
                    let made = Some(manifest.created).filter(|text| !text.is_empty());
                    let (items, created) = (items::names(&manifest.items), made.unwrap_or(written));
                    Listed { name, path, size, created, items, invalid: false }
                }
                Err(error) => {
                    log::warn!("the archive {name} cannot be used: {error}");
                    let items = Vec::new();
                    Listed { name, path, size, created: written, items, invalid: true }
                }
            }
        };
        Ok(self.archives()?.into_iter().map(row).collect())
    }

    /// Removes leftovers of interrupted backups. Only for the thread that makes one.
    pub(super) fn clear_leftovers(&self) {
        if let Err(error) = self.context.files.clear_leftovers(&self.folder(), PREFIX) {
            log::warn!("{error}");
        }
    }

    /// Name, bytes and time of every archive file, newest first.
    pub(super) fn archives(&self) -> Result<Vec<(String, u64, SystemTime)>, BackupError> {
        let mut found = Vec::new();
        for name in self.context.files.list(&self.folder())? {
            if !is_archive_name(&name) || name.starts_with('.') {
                continue;
            }
            let Some(stat) = self.context.files.stat(&self.folder().join(&name))? else { continue };
            if stat.is_file() {
                let modified = stat.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push((name, stat.len(), modified));
            }
        }
        found.sort_by(|a, b| (b.2, &b.0).cmp(&(a.2, &a.0)));
        Ok(found)
    }

    /// Removes the oldest archives that were made here until `keep` are left; only those of recovery
    /// when that is what was made. The one that was just made is never removed.
    pub(super) fn rotate(
        &self,
        keep: usize,
        newest: &str,
        is_recovery: bool,
    ) -> Result<(), BackupError> {
        let is_meant = |name: &str| {
            let manifest = || archive::manifest(&self.context.files, &self.folder().join(name));
            !is_recovery || manifest().is_ok_and(|manifest| manifest.is_recovery)
        };
        let mut own = self.archives()?;
        own.retain(|(name, ..)| is_own_name(name) && name != newest && is_meant(name));
        for (name, ..) in own.into_iter().skip(keep.saturating_sub(1)) {
            self.context.files.remove(&self.folder().join(name))?;
        }
        Ok(())
    }

    /// The archive a restore names: absolute, or relative to the folder of backups. It must be a
    /// real `.zip` file in that folder, which may be a link to another disk, or anywhere inside the data directory
    /// with no link on the way below it.
    pub(super) fn locate(&self, path: &str) -> Result<PathBuf, BackupError> {
        let root = self.context.data_dir.root();
        if self.context.files.stat(root)?.is_some_and(|stat| stat.is_symlink()) {
            return Err(BackupError::DataDirLink);
        }
        let given = Path::new(path);
        let path = if given.is_absolute() { given.to_owned() } else { self.folder().join(given) };
        let path = if path.parent() == Some(&self.folder()) {
            path
        } else {
            let relative = path.strip_prefix(root).ok().and_then(Path::to_str);
            let inside = relative.map(|relative| confine::join_inside(root, relative));
            let Some(Ok(path)) = inside else { return Err(BackupError::Place) };
            path
        };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_file = self.context.files.stat(&path)?.is_some_and(|stat| stat.is_file());
        if is_file && is_archive_name(name) { Ok(path) } else { Err(BackupError::Place) }
    }

    /// The archive with this name in the folder of backups.
    pub(super) fn named(&self, name: &str) -> Option<PathBuf> {
        let plain = !name.contains(['/', '\0']) && is_archive_name(name);
        let path = plain.then(|| self.folder().join(name))?;
        self.locate(path.to_str()?).ok()
    }
}

fn is_archive_name(name: &str) -> bool {
    name.len() > ENDING.len()
        && name
            .get(name.len() - ENDING.len()..)
            .is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_given_here_are_rotated() {
        assert!(is_own_name("ServiceBackup-2026-11-21-18-04-05-123456.zip"));
        for bad in [
            "ServiceBackup-2026-11-21-18-04-05-12345.zip",
            "ServiceBackup-2026-11-21-18-04-05.zip",
            "ServiceBackup-2026-11-21-18-04-05-12345x.zip",
            "MyBackup-2026-11-21-18-04-05-123456.zip",
            "ServiceBackup-2026-11-21-18-04-05-123456.zip.bak",
        ] {
            assert!(!is_own_name(bad), "{bad}");
        }
        assert!(is_archive_name("a.ZIP") && !is_archive_name(".zip") && !is_archive_name("aß"));
    }
}
