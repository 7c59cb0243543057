//! How much room a file system has.

use std::path::Path;

/// Bytes that this user may still write where `path` lies; `None` when the system does not report it, as some
/// mounts that give no size at all.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    (found.f_blocks > 0).then(|| found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_room_and_a_missing_one_does_not_tell() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(free_bytes(dir.path()).is_some_and(|free| free > 0));
        assert_eq!(free_bytes(&dir.path().join("missing")), None);
    }
}
