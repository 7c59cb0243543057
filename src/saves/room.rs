//! Whether the disks have the room that a restore needs: asked before the first file is replaced.

use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use rustix::io::Errno;

use crate::files::DiskError;

/// Bytes that file systems hand out at once.
const BLOCK: u64 = 4_096;
/// Bytes of the unit in which the blocks of a file are counted.
const UNIT: u64 = 512;

/// What the files of one file system need.
struct Need {
    /// A folder on it.
    folder: PathBuf,
    /// Bytes by which it is fuller once the files so far were replaced.
    grown: i128,
    /// The most bytes by which it is fuller in between.
    most: i128,
}

/// Checks that files of these sizes can take their places one after the other. `free` returns the bytes left where a
/// folder lies.
///
/// # Errors
/// What a full disk would answer.
pub(super) fn check(
    files: impl Iterator<Item = (impl AsRef<Path>, u64)>,
    free: fn(&Path) -> Option<u64>,
) -> Result<(), DiskError> {
    let mut needs: BTreeMap<u64, Need> = BTreeMap::new();
    for (target, size) in files {
        let target = target.as_ref();
        let mut above = target.ancestors().skip(1);
        let Some((folder, stat)) = above.find_map(|part| Some((part, fs::metadata(part).ok()?)))
        else {
            continue;
        };
        let new = || Need { folder: folder.to_owned(), grown: 0, most: 0 };
        let need = needs.entry(stat.dev()).or_insert_with(new);
        let taken = i128::from(size.div_ceil(BLOCK)) * i128::from(BLOCK);
        // A file is written whole before the one it replaces goes.
        need.most = need.most.max(need.grown + taken);
        need.grown += taken - fs::symlink_metadata(target).map_or(0, |old| given_back(&old));
    }
    let is_short =
        |need: &&Need| free(&need.folder).is_some_and(|free| i128::from(free) < need.most);
    match needs.values().find(is_short) {
        Some(need) => Err(DiskError::at("write", &need.folder)(io::Error::from(Errno::NOSPC))),
        None => Ok(()),
    }
}

/// Bytes that are free when a file goes: none while it has another name.
fn given_back(old: &Metadata) -> i128 {
    if old.nlink() == 1 { i128::from(old.blocks()) * i128::from(UNIT) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing;

    #[test]
    fn files_are_counted_in_blocks_and_one_after_the_other() {
        let dir = tempfile::tempdir().expect("a folder");
        let (one, two) = (dir.path().join("one"), dir.path().join("new/two"));
        let files = |size: u64| [(one.as_path(), size), (two.as_path(), 1)].into_iter();
        check(files(4_097), |_| Some(3 * BLOCK)).expect("three blocks");
        check(files(4_097), |_| Some(3 * BLOCK - 1)).expect_err("a byte is missing");
        check(files(4_097), |_| None).expect("nobody knows");
        // Two blocks to write the first one, and its old self goes before the second one comes.
        testing::put(&one, vec![7; 8_192]);
        fs::File::open(&one).and_then(|file| file.sync_all()).expect("on the disk");
        check(files(4_097), |_| Some(2 * BLOCK)).expect("two blocks");
        check(files(4_097), |_| Some(2 * BLOCK - 1)).expect_err("a byte is missing");
    }
}
