//! An advisory lock file: one holder at a time, freed by the kernel when the holder dies.

use std::{fs::File, io, path::Path};

use super::{disk::Disk, error::DiskError};

/// The lock, held until this value is dropped. The file stays.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that was just started has it open until it runs its own
        // program. OK to pass over a failure because the lock ends then.
        drop(self.file.unlock());
    }
}

/// Why the lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{} is locked by another process", path.display())]
    Held {
        /// The lock file.
        path: std::path::PathBuf,
    },
    /// The lock file could not be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl Lock {
    pub(super) fn take(disk: &dyn Disk, path: &Path) -> Result<Self, LockError> {
        let file = disk.open_or_create(path).map_err(DiskError::at("open", path))?;
        match disk.lock(&file) {
            Ok(()) => Ok(Self { file }),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(LockError::Held { path: path.to_owned() })
            }
            Err(error) => Err(DiskError::at("lock", path)(error).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::writer::Files;

    #[test]
    fn a_second_holder_is_refused_until_the_first_lets_go() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(".lock");
        let files = Files::system();
        let first = files.lock(&path).expect("free");
        assert!(matches!(files.lock(&path), Err(LockError::Held { .. })));
        drop(first);
        assert!(files.lock(&path).is_ok());
    }

    #[test]
    fn a_child_process_that_was_just_started_does_not_hold_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(".lock");
        let files = Files::system();
        let first = files.lock(&path).expect("free");
        let inherited = first.file.try_clone().expect("a second handle");
        drop(first);
        assert!(files.lock(&path).is_ok());
        drop(inherited);
    }
}
