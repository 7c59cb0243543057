//! Installing and removing packages: staged, checked, swapped in, and moved aside on removal.
//!
//! A kill at any moment leaves the old package or the new one; [`sweep`] tidies up what else it left.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    error::PluginError,
    manifest::{self, Manifest, ManifestError},
    place::{self, checksum},
};
use crate::{
    base::{Moment, ids},
    files::{DiskError, Files},
    launch::archives,
};

/// Where a package waits to take its place: `.<id>.installing`.
const INSTALLING: &str = ".installing";
/// Where a ZIP file is extracted or downloaded.
const UNPACKING: &str = ".unpacking";
/// Packages that are being replaced.
const REPLACED: &str = ".backups";
/// Packages that were removed.
const REMOVED: &str = ".removed";
/// The end of a name in [`REPLACED`] and [`REMOVED`], and its length.
const STAMP: &str = "-%Y%m%d-%H%M%S-%6f";
const STAMP_BYTES: usize = 23;

/// A package that was installed.
pub(super) struct Installed {
    pub manifest: Manifest,
    /// Whether it replaced another version.
    pub updated: bool,
}

/// The folder of plugins.
pub(super) struct Site<'a> {
    pub files: &'a Files,
    pub folder: &'a Path,
}

/// A folder that is removed when it is dropped.
pub(super) struct Workspace<'a> {
    files: &'a Files,
    pub path: PathBuf,
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.files.remove_tree(&self.path) {
            log::warn!("a folder of an installation stays: {error}");
        }
    }
}

impl Site<'_> {
    /// A new folder to work in, next to the packages.
    pub(super) fn workspace(&self) -> Result<Workspace<'_>, DiskError> {
        let path = self.folder.join(format!(".{}{UNPACKING}", ids::random_hex(8)));
        self.files.private_dir(&path)?;
        Ok(Workspace { files: self.files, path })
    }

    /// Installs the package in a folder or a ZIP file. `expected` is the id that it must have.
    pub(super) fn install(
        &self,
        source: &Path,
        expected: Option<&str>,
        now: &Moment,
    ) -> Result<Installed, PluginError> {
        let found = fs::metadata(source).map_err(|_| PluginError::Source)?;
        let is_zip = source.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"));
        if found.is_dir() {
            place::files(source)?;
            return self.install_folder(source, expected, now);
        }
        if !found.is_file() || !is_zip {
            return Err(PluginError::Source);
        }
        let workspace = self.workspace()?;
        archives::unzip(self.files, source, &workspace.path)?;
        self.install_folder(&workspace.path, expected, now)
    }

    fn install_folder(
        &self,
        source: &Path,
        expected: Option<&str>,
        now: &Moment,
    ) -> Result<Installed, PluginError> {
        let root = root_of(source).ok_or(ManifestError::Unreadable)?;
        let manifest = Manifest::read(&root, None)?;
        if expected.is_some_and(|expected| expected != manifest.id) {
            return Err(PluginError::OtherPlugin);
        }
        let files = place::files(&root)?;
        let stage = Workspace {
            files: self.files,
            path: self.folder.join(format!(".{}{INSTALLING}", manifest.id)),
        };
        self.files.remove_tree(&stage.path)?;
        self.files.private_dir(&stage.path)?;
        for file in files {
            let target = stage.path.join(&file.name);
            self.files.private_dir(target.parent().unwrap_or(&stage.path))?;
            self.files.copy(&root.join(&file.name), &target)?;
            if file.is_executable {
                self.files.set_mode(&target, 0o700)?;
            }
        }
        // The copy counts: the source may have changed meanwhile.
        let manifest = Manifest::read(&stage.path, Some(&manifest.id))?;
        checksum(&stage.path)?;
        let updated = self.swap_in(&stage.path, &manifest.id, now)?;
        Ok(Installed { manifest, updated })
    }

    /// Puts a staged package in its place; the previous one is restored when that fails.
    fn swap_in(&self, stage: &Path, id: &str, now: &Moment) -> Result<bool, PluginError> {
        let target = self.folder.join(id);
        match self.files.stat(&target)? {
            None => {
                self.files.rename(stage, &target)?;
                return Ok(false);
            }
            Some(found) if found.is_dir() => {}
            Some(_) => return Err(PluginError::NameTaken),
        }
        let replaced = self.aside(REPLACED, id, now)?;
        if let Err(error) = self.files.rename(stage, &target) {
            self.files.rename(&replaced, &target)?;
            return Err(error.into());
        }
        if let Err(error) = self.files.remove_tree(&replaced) {
            log::warn!("the replaced version of a plugin stays: {error}");
        }
        Ok(true)
    }

    /// Moves a package into a hidden folder next to the packages.
    fn aside(&self, place: &str, id: &str, now: &Moment) -> Result<PathBuf, DiskError> {
        let folder = self.folder.join(place);
        self.files.private_dir(&folder)?;
        let aside = folder.join(format!("{id}{}", now.local_format(STAMP)));
        self.files.rename(&self.folder.join(id), &aside)?;
        Ok(aside)
    }

    /// Moves a package away; the user can bring it back by hand.
    pub(super) fn remove(&self, id: &str, now: &Moment) -> Result<(), DiskError> {
        self.aside(REMOVED, id, now).map(drop)
    }

    /// Cleans up after a kill: a package that was being replaced is restored when its successor is not in place, and
    /// unfinished folders are removed.
    pub(super) fn sweep(&self) -> Result<(), DiskError> {
        for name in self.files.list(self.folder)? {
            if name.starts_with('.') && (name.ends_with(INSTALLING) || name.ends_with(UNPACKING)) {
                self.files.remove_tree(&self.folder.join(name))?;
            }
        }
        let replaced = self.folder.join(REPLACED);
        for name in self.files.list(&replaced)? {
            let id = name.len().checked_sub(STAMP_BYTES).and_then(|end| name.get(..end));
            let Some(id) = id.filter(|id| manifest::is_id(id)) else { continue };
            let target = self.folder.join(id);
            if self.files.stat(&target)?.is_none() {
                self.files.rename(&replaced.join(&name), &target)?;
            } else {
                self.files.remove_tree(&replaced.join(&name))?;
            }
        }
        Ok(())
    }
}

/// The folder with the manifest: this one, else the first one in it.
fn root_of(source: &Path) -> Option<PathBuf> {
    let has_manifest = |folder: &Path| folder.join(manifest::FILE).is_file();
    if has_manifest(source) {
        return Some(source.to_owned());
    }
    let mut folders = place::packages(source).into_iter().map(|(_, path)| path);
    folders.find(|folder| has_manifest(folder))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::files::{
        disk::Disk,
        failing::{FailingDisk, Fault},
    };

    fn package(folder: &Path, version: &str) -> PathBuf {
        let package = folder.join(format!("source-{version}"));
        fs::create_dir_all(package.join("in")).expect("made");
        let manifest = serde_json::json!({"id": "a.b", "name": "A", "version": version});
        fs::write(package.join("plugin.json"), manifest.to_string()).expect("written");
        fs::write(package.join("plugin.py"), version).expect("written");
        fs::write(package.join("in/more"), version).expect("written");
        package
    }

    /// The version of the one package, read from all of its files.
    fn version(folder: &Path) -> Option<String> {
        let manifest = Manifest::read(&folder.join("a.b"), Some("a.b")).ok()?;
        for name in ["plugin.py", "in/more"] {
            let text = fs::read_to_string(folder.join("a.b").join(name)).expect("whole");
            assert_eq!(text, manifest.version);
        }
        Some(manifest.version)
    }

    #[test]
    fn whichever_disk_call_fails_the_old_or_the_new_package_is_there() {
        let now = Moment::from_unix(0);
        let mut points = 0;
        for fault in [Fault::Once, Fault::ForEver] {
            for call in 1.. {
                let scratch = tempfile::tempdir().expect("a folder");
                let folder = scratch.path().join("plugins");
                let sources = ["1", "2"].map(|version| package(scratch.path(), version));
                let system = Files::system();
                let site = Site { files: &system, folder: &folder };
                site.install(&sources[0], None, &now).expect("installed");
                let disk = Arc::new(FailingDisk::new(call, fault));
                let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
                let failing = Files::over(door);
                let outcome =
                    Site { files: &failing, folder: &folder }.install(&sources[1], None, &now);
                site.sweep().expect("swept");
                let there = version(&folder).expect("a whole package");
                assert!(outcome.is_err() || there == "2", "{fault:?} {call}");
                let names = system.list(&folder).expect("listed");
                let stray = names.iter().any(|name| name.ends_with(INSTALLING));
                assert!(!stray, "{names:?}");
                if !disk.has_failed() {
                    break;
                }
                points += 1;
            }
        }
        assert!(points > 40, "{points} points");
    }

    #[test]
    fn a_package_may_lie_one_folder_deeper_and_a_file_is_none() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = scratch.path().join("plugins");
        let files = Files::system();
        let site = Site { files: &files, folder: &folder };
        package(&scratch.path().join("outer"), "1");
        let now = Moment::from_unix(0);
        let installed = site.install(&scratch.path().join("outer"), None, &now).expect("installed");
        assert!(!installed.updated);
        assert_eq!(version(&folder).as_deref(), Some("1"));
        site.remove("a.b", &now).expect("removed");
        assert_eq!(version(&folder), None);
        let removed = files.list(&folder.join(REMOVED)).expect("listed");
        assert!(removed[0].starts_with("a.b-") && removed[0].len() == 3 + STAMP_BYTES);
        fs::write(scratch.path().join("x.txt"), "").expect("written");
        for source in ["x.txt", "missing"] {
            let refused = site.install(&scratch.path().join(source), None, &now);
            assert!(matches!(refused, Err(PluginError::Source)), "{source}");
        }
        let other = site.install(&scratch.path().join("outer"), Some("c.d"), &now);
        assert!(matches!(other, Err(PluginError::OtherPlugin)));
    }
}
