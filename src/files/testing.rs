//! What unit tests put on the disk.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

/// Writes a file and makes the folders above it.
#[expect(clippy::disallowed_methods, reason = "tests prepare files themselves")]
pub fn put(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("its folder");
    fs::write(path, bytes).expect("the file");
}

/// Makes a pipe that nobody writes to.
pub fn pipe(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    path
}
