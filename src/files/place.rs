//! Creating a file that must not exist yet, whole or not at all.

use std::{io, path::Path};

use super::{error::DiskError, writer::Files};

impl Files {
    /// Creates a file with this content and these permission bits in one durable step. What has
    /// the name already stays untouched, whatever it is.
    ///
    /// On a file system that cannot do so in one step the file is made under its own name; only
    /// there a crash can leave a part of it.
    ///
    /// # Errors
    /// With the kind [`io::ErrorKind::AlreadyExists`] when the name is taken.
    pub fn place(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), DiskError> {
        match self.move_into_place(path, bytes, mode) {
            Err(error) if is_unsupported(error.source.kind()) => {
                self.create(path, bytes)?;
                self.set_mode(path, mode)
            }
            placed => placed,
        }
    }

    fn move_into_place(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), DiskError> {
        let mut temp = self.write_beside(path, |sink| sink.write_all(bytes))?;
        self.set_mode(temp.path(), mode)?;
        temp.persist_new(path)?;
        self.sync_dir(path.parent().unwrap_or(Path::new("/")))
    }
}

/// Whether another way of making the same file may work: the file system cannot refuse to replace,
/// or the temporary name is too long for it.
fn is_unsupported(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, Unsupported};
    matches!(kind, InvalidFilename | InvalidInput | Unsupported)
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::fs::{PermissionsExt as _, symlink},
        sync::Arc,
    };

    use super::*;
    use crate::files::{
        disk::Disk,
        failing::{FailingDisk, Fault},
    };

    #[test]
    fn places_a_whole_file_once() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("list");
        let files = Files::system();
        files.place(&path, b"one", 0o640).expect("placed");
        let taken = files.place(&path, b"two", 0o640).expect_err("taken");
        assert_eq!(taken.source.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(files.read(&path).expect("read"), b"one");
        let mode = files.stat(&path).expect("stat").expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(files.list(dir.path()).expect("listed"), ["list"]);
    }

    #[test]
    fn a_link_to_nowhere_has_the_name_too() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("list");
        symlink(dir.path().join("elsewhere"), &path).expect("linked");
        assert!(Files::system().place(&path, b"x", 0o644).is_err());
        assert_eq!(Files::system().list(dir.path()).expect("listed"), ["list"]);
    }

    #[test]
    fn a_name_without_room_for_a_temporary_one_is_placed_directly() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x".repeat(255));
        Files::system().place(&path, b"x", 0o644).expect("placed");
        assert!(Files::system().place(&path, b"y", 0o644).is_err());
        assert_eq!(Files::system().read(&path).expect("read"), b"x");
    }

    #[test]
    fn every_failing_call_leaves_the_whole_file_or_none() {
        let mut points = 0;
        for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
            for call in 1.. {
                let dir = tempfile::tempdir().expect("a folder");
                let path = dir.path().join("list");
                let disk = Arc::new(FailingDisk::new(call, fault));
                let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
                let placed = Files::over(door).place(&path, b"content", 0o644);
                match std::fs::read(&path) {
                    Ok(content) => assert_eq!(content, b"content", "call {call}"),
                    Err(_) => assert!(placed.is_err(), "call {call}"),
                }
                if !disk.has_failed() {
                    break;
                }
                points += 1;
            }
        }
        assert!(points >= 13, "{points} points");
    }
}
