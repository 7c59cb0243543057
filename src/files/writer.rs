//! Everything that is written: atomic replacement, copies, private folders, locks.

use std::{
    fs::{File, Metadata},
    io::{self, Read, Write},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt as _},
    path::Path,
    sync::Arc,
};

use super::{
    append::Appender,
    disk::{Disk, SystemDisk, read_range},
    error::DiskError,
    lock::{Lock, LockError},
    temp::{self, Temp, temporary_name},
};

/// All access to the disk. A clone is cheap and shares the disk.
#[derive(Clone)]
pub struct Files {
    disk: Arc<dyn Disk>,
}

impl Files {
    /// The disk of the machine.
    pub fn system() -> Self {
        Self::over(Arc::new(SystemDisk))
    }

    /// Another disk, for example one that fails on purpose.
    pub fn over(disk: Arc<dyn Disk>) -> Self {
        Self { disk }
    }

    pub(super) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// The whole content of a file.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, DiskError> {
        let mut bytes = Vec::new();
        let mut reader = self.reader(path)?;
        let expected = self.disk.stat_file(&reader.file).map_err(DiskError::at("examine", path))?;
        // One byte more than expected, so that the end is seen without growing the buffer.
        bytes.reserve_exact(usize::try_from(expected.len()).unwrap_or(0).saturating_add(1));
        reader.read_to_end(&mut bytes).map_err(DiskError::at("read", path))?;
        Ok(bytes)
    }

    /// The bytes of a file between two offsets; an error when it is shorter.
    pub fn read_range(&self, path: &Path, from: u64, to: u64) -> Result<Vec<u8>, DiskError> {
        let reader = self.reader(path)?;
        read_range(&*self.disk, &reader.file, from, to).map_err(DiskError::at("read", path))
    }

    /// The attributes behind a path, links not followed; `None` when nothing is there.
    pub fn stat(&self, path: &Path) -> Result<Option<Metadata>, DiskError> {
        match self.disk.stat(path) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(DiskError::at("examine", path)(error)),
        }
    }

    /// The names in a folder that are text, sorted; none when the folder is missing.
    pub fn list(&self, path: &Path) -> Result<Vec<String>, DiskError> {
        let names = match self.disk.list(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other.map_err(DiskError::at("list", path))?,
        };
        let mut names: Vec<String> =
            names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Replaces a file, or creates it, in one durable step: a reader sees the old content or
    /// the new, also after a power cut. Only the owner may read it.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.replace_with(path, |sink| sink.write_all(bytes))
    }

    /// As [`Files::replace`], with the content written piece by piece.
    pub fn replace_with(
        &self,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), DiskError> {
        self.write_beside(path, content)?.persist(path)?;
        self.sync_parent(path)
    }

    /// Writes a durable file under a temporary name next to `path`.
    pub fn write_beside(
        &self,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Temp, DiskError> {
        Temp::write(Arc::clone(&self.disk), path, content)
    }

    /// As [`Files::replace`] without making it durable: after a power cut the file may be missing,
    /// empty or torn. For what is made again when it is.
    pub fn replace_unsynced(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        Temp::write_unsynced(Arc::clone(&self.disk), path, bytes)?.persist(path)
    }

    /// Creates a file that must not exist yet, durable, readable by the owner only.
    pub fn create(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        let file = self.disk.create_new(path).map_err(DiskError::at("create", path))?;
        let mut appender = Appender::new(Arc::clone(&self.disk), path.to_owned(), file);
        let written = appender.append(bytes).and_then(|()| appender.sync());
        if written.is_err() {
            // OK because the first error is the one to report.
            drop(self.disk.remove(path));
        }
        written?;
        self.sync_parent(path)
    }

    /// Copies a file, a piece at a time, into a file of its own that replaces `to` in one step.
    pub fn copy(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.copy_beside(from, to)?.persist(to)?;
        self.sync_parent(to)
    }

    /// Copies a file under a temporary name next to `to`, durable, without taking its place yet.
    pub fn copy_beside(&self, from: &Path, to: &Path) -> Result<Temp, DiskError> {
        let mut reader = self.reader(from)?;
        self.write_beside(to, |mut sink| io::copy(&mut reader, &mut sink).map(drop))
    }

    /// Opens an existing file for appending.
    pub fn append(&self, path: &Path) -> Result<Appender, DiskError> {
        let file = self.disk.open_append(path).map_err(DiskError::at("open", path))?;
        Ok(Appender::new(Arc::clone(&self.disk), path.to_owned(), file))
    }

    /// Opens a file for appending; it is created for the owner alone when it is missing.
    pub fn append_or_create(&self, path: &Path) -> Result<Appender, DiskError> {
        let file = self.disk.open_or_create(path).map_err(DiskError::at("open", path))?;
        Ok(Appender::new(Arc::clone(&self.disk), path.to_owned(), file))
    }

    /// Takes the lock file without waiting.
    pub fn lock(&self, path: &Path) -> Result<Lock, LockError> {
        Lock::take(&*self.disk, path)
    }

    /// Gives a file another name in one durable step, replacing what has that name. Both names
    /// are in one folder or in folders of one file system.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.disk.rename(from, to).map_err(DiskError::at("rename", from))?;
        self.sync_parent(to)?;
        if from.parent() == to.parent() { Ok(()) } else { self.sync_parent(from) }
    }

    /// Swaps the names of two files or folders of one file system in one durable step.
    ///
    /// # Errors
    /// Among others when the file system cannot do that: [`DiskError::is_unsupported`].
    pub fn exchange(&self, one: &Path, other: &Path) -> Result<(), DiskError> {
        self.disk.exchange(one, other).map_err(DiskError::at("replace", other))?;
        self.sync_parent(other)?;
        if one.parent() == other.parent() { Ok(()) } else { self.sync_parent(one) }
    }

    /// Keeps the content of a file under another name next to it too, replacing what has that name in one
    /// durable step. Where the file system has no second names it is copied.
    pub fn keep_as(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        let temp = to.with_file_name(temporary_name(to.file_name().unwrap_or_default()));
        if self.disk.link(from, &temp).is_ok() {
            let renamed = self.disk.rename(&temp, to).map_err(DiskError::at("rename", &temp));
            // Between two names of one file a rename does nothing.
            self.remove(&temp)?;
            renamed?;
            return self.sync_parent(to);
        }
        let stat = self.disk.stat(from).map_err(DiskError::at("examine", from))?;
        let mut copy = self.copy_beside(from, to)?;
        self.set_mode(copy.path(), stat.permissions().mode() & 0o777)?;
        copy.persist(to)?;
        self.sync_parent(to)
    }

    /// Removes a file; a missing one is fine.
    pub fn remove(&self, path: &Path) -> Result<(), DiskError> {
        absent_is_fine(self.disk.remove(path)).map_err(DiskError::at("remove", path))
    }

    /// Removes a folder with everything in it; symbolic links are removed, not followed, also one in the place of the
    /// folder. A missing folder is fine.
    pub fn remove_tree(&self, path: &Path) -> Result<(), DiskError> {
        match self.stat(path)? {
            None => Ok(()),
            Some(stat) if stat.is_dir() => self.remove_folder(path),
            Some(_) => self.remove(path),
        }
    }

    fn remove_folder(&self, path: &Path) -> Result<(), DiskError> {
        let names = match self.disk.list(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(DiskError::at("list", path))?,
        };
        for name in names {
            let inner = path.join(name);
            match self.stat(&inner)? {
                Some(stat) if stat.is_dir() => self.remove_folder(&inner)?,
                _ => self.remove(&inner)?,
            }
        }
        absent_is_fine(self.disk.remove_dir(path)).map_err(DiskError::at("remove", path))
    }

    /// Creates a folder and the missing ones above it; the new ones are for the owner alone. One
    /// that exists keeps its permissions.
    pub fn private_dir(&self, path: &Path) -> Result<(), DiskError> {
        let missing: Vec<&Path> = path
            .ancestors()
            .take_while(|part| !part.as_os_str().is_empty() && !part.is_dir())
            .collect();
        for part in missing.into_iter().rev() {
            match self.disk.create_dir(part) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && part.is_dir() => {}
                other => other.map_err(DiskError::at("create", part))?,
            }
            self.sync_parent(part)?;
        }
        Ok(())
    }

    /// Removes a folder that is empty. A missing one is fine.
    pub fn remove_empty_dir(&self, path: &Path) -> Result<(), DiskError> {
        absent_is_fine(self.disk.remove_dir(path)).map_err(DiskError::at("remove", path))
    }

    /// Sets the permission bits of a file or folder.
    pub fn set_mode(&self, path: &Path, mode: u32) -> Result<(), DiskError> {
        self.disk.set_mode(path, mode).map_err(DiskError::at("protect", path))
    }

    /// Makes the names in a folder durable.
    pub fn sync_dir(&self, path: &Path) -> Result<(), DiskError> {
        self.disk.sync_dir(path).map_err(DiskError::at("sync", path))
    }

    /// Removes temporary files that a crash left in a folder for files whose names begin with
    /// `prefix`. Only for the holder of a lock.
    pub fn clear_leftovers(&self, folder: &Path, prefix: &str) -> Result<(), DiskError> {
        let prefix = format!(".{prefix}");
        for name in self.list(folder)? {
            // Other programs have temporary files of their own here.
            if name.starts_with(&prefix) && temp::is_temporary(name.as_bytes()) {
                self.remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Removes temporary files for this file that an earlier process left next to it when it was killed.
    pub fn clear_leftovers_of(&self, path: &Path) -> Result<(), DiskError> {
        let folder = folder_of(path);
        for name in self.list(folder)? {
            let of = temp::destination_of(name.as_bytes());
            if of == path.file_name().map(OsStrExt::as_bytes)
                && temp::is_of_another_process(name.as_bytes())
            {
                self.remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    fn sync_parent(&self, path: &Path) -> Result<(), DiskError> {
        self.sync_dir(folder_of(path))
    }

    fn reader(&self, path: &Path) -> Result<Reader<'_>, DiskError> {
        let file = self.disk.open_read(path).map_err(DiskError::at("open", path))?;
        Ok(Reader { disk: &*self.disk, file })
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn absent_is_fine(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

struct Reader<'a> {
    disk: &'a dyn Disk,
    file: File,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.disk.read(&self.file, buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::files::failing::{FailingDisk, Fault};

    #[test]
    fn replaces_in_one_step_for_the_owner_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("new/deep/file");
        let files = Files::system();
        files.private_dir(path.parent().expect("a folder")).expect("made");
        files.replace(&path, b"one").expect("written");
        let before = files.stat(&path).expect("stat").expect("there").ino();
        files.replace(&path, b"two").expect("written");
        let after = files.stat(&path).expect("stat").expect("there");
        assert_eq!(files.read(&path).expect("read"), b"two");
        assert_ne!(before, after.ino());
        assert_eq!(after.permissions().mode() & 0o777, 0o600);
        let folder = std::fs::metadata(dir.path().join("new")).expect("stat");
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_goes_and_its_target_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let files = Files::system();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        files.private_dir(&target.join("deep")).expect("made");
        files.replace(&target.join("deep/file"), b"kept").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        files.remove_tree(&link).expect("removed");
        assert!(files.stat(&link).expect("stat").is_none());
        assert_eq!(files.read(&target.join("deep/file")).expect("read"), b"kept");
        std::os::unix::fs::symlink(&target, dir.path().join("target/deep/again")).expect("linked");
        files.remove_tree(&target).expect("removed");
        files.remove_tree(&target).expect("a missing one is fine");
        assert!(files.stat(&target).expect("stat").is_none());
    }

    #[test]
    fn every_failing_call_leaves_old_or_new_and_no_leftover() {
        let mut points = 0;
        for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
            for call in 1.. {
                let dir = tempfile::tempdir().expect("a folder");
                let path = dir.path().join("file");
                Files::system().replace(&path, b"old content").expect("written");
                let disk = Arc::new(FailingDisk::new(call, fault));
                let outcome =
                    Files::over(Arc::<FailingDisk>::clone(&disk)).replace(&path, b"new content");
                let content = std::fs::read(&path).expect("readable");
                assert!(content == b"old content" || content == b"new content");
                if outcome.is_ok() {
                    assert_eq!(content, b"new content");
                }
                if fault == Fault::Once {
                    let names = Files::system().list(dir.path()).expect("listed");
                    assert_eq!(names, ["file"], "call {call}");
                }
                Files::system().clear_leftovers(dir.path(), "file").expect("cleared");
                assert_eq!(Files::system().list(dir.path()).expect("listed"), ["file"]);
                if !disk.has_failed() {
                    break;
                }
                points += 1;
            }
        }
        assert!(points >= 9, "{points} points");
    }

    #[test]
    fn temporary_files_of_other_programs_stay() {
        let dir = tempfile::tempdir().expect("a folder");
        let files = Files::system();
        let foreign = [".syncthing.a.json.tmp", ".a.json.0123456789ag.tmp", "a.json.tmp"];
        let ours = temporary_name("a.json".as_ref()).to_string_lossy().into_owned();
        for name in foreign.into_iter().chain([".a.json.0123456789ab.tmp", &ours]) {
            files.replace(&dir.path().join(name), b"x").expect("written");
        }
        files.clear_leftovers_of(&dir.path().join("a.json")).expect("cleared");
        let left = files.list(dir.path()).expect("listed");
        assert!(left.contains(&ours) && left.len() == 4, "{left:?}");
        files.clear_leftovers(dir.path(), "").expect("cleared");
        let mut left = files.list(dir.path()).expect("listed");
        left.sort();
        let mut foreign = foreign.map(str::to_owned);
        foreign.sort();
        assert_eq!(left, foreign);
    }

    #[test]
    fn a_file_is_kept_under_another_name() {
        for without_links in [false, true] {
            let dir = tempfile::tempdir().expect("a folder");
            let (from, to) = (dir.path().join("a"), dir.path().join("b"));
            let files = Files::system();
            files.replace(&from, b"one").expect("written");
            files.set_mode(&from, 0o755).expect("set");
            files.replace(&to, b"older").expect("written");
            // The first call makes the second name.
            let disk = FailingDisk::new(if without_links { 1 } else { 1_000 }, Fault::Once);
            Files::over(Arc::new(disk)).keep_as(&from, &to).expect("kept");
            assert_eq!(files.read(&to).expect("read"), b"one");
            let kept = files.stat(&to).expect("stat").expect("there");
            assert_eq!(kept.permissions().mode() & 0o777, 0o755);
            files.keep_as(&from, &to).expect("kept again");
            assert_eq!(files.list(dir.path()).expect("listed"), ["a", "b"]);
        }
    }

    #[test]
    fn create_never_overwrites_and_remove_tree_follows_no_link() {
        let dir = tempfile::tempdir().expect("a folder");
        let files = Files::system();
        let kept = dir.path().join("kept");
        files.create(&kept, b"x").expect("created");
        assert!(files.create(&kept, b"y").is_err());
        let tree = dir.path().join("tree");
        files.private_dir(&tree.join("inner")).expect("made");
        files.copy(&kept, &tree.join("inner/copy")).expect("copied");
        std::os::unix::fs::symlink(dir.path(), tree.join("link")).expect("linked");
        files.remove_tree(&tree).expect("removed");
        files.remove_tree(&tree).expect("missing is fine");
        assert_eq!(files.list(dir.path()).expect("listed"), ["kept"]);
        assert_eq!(files.read(&kept).expect("read"), b"x");
    }
}
