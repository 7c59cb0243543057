//! Errors of the disk, with the facts and a sentence for the user.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::base::text;

/// A disk call that failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to {action} {}: {source}", path.display())]
pub struct DiskError {
    /// What was tried, as a verb: "write", "rename".
    pub action: &'static str,
    /// The file or folder it was tried on.
    pub path: PathBuf,
    /// The operating system's answer.
    pub source: io::Error,
}

impl DiskError {
    /// Names the file and the attempt behind an operating-system error.
    pub(crate) fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { action, path, source }
    }

    /// The operating system's reason without path and number: "No space left on device".
    pub fn reason(&self) -> String {
        text::reason(&self.source)
    }

    /// Whether the file or folder simply is not there.
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// Whether the file system cannot do what was asked of it at all.
    pub fn is_unsupported(&self) -> bool {
        let unsupported = [libc::EINVAL, libc::ENOSYS, libc::EOPNOTSUPP];
        self.source.raw_os_error().is_some_and(|number| unsupported.contains(&number))
    }

    /// Whether a lock was asked for that the file system does not have.
    pub fn is_without_locks(&self) -> bool {
        self.action == "lock"
            && (self.is_unsupported()
                || self.source.kind() == io::ErrorKind::Unsupported
                || self.source.raw_os_error() == Some(libc::ENOLCK))
    }

    /// The same error once more, for every thread that waited for the call.
    pub fn again(&self) -> Self {
        let source = match self.source.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::new(self.source.kind(), self.source.to_string()),
        };
        Self { action: self.action, path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_is_fit_for_a_person_and_survives_copies() {
        let source = io::Error::from_raw_os_error(libc::ENOSPC);
        let error = DiskError::at("write", Path::new("/data/library.log"))(source);
        assert_eq!(error.reason(), "No space left on device");
        assert_eq!(error.again().reason(), "No space left on device");
        assert!(error.to_string().starts_with("failed to write /data/library.log: No space"));
    }
}
