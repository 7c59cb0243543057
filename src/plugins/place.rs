//! Packages on disk: their files, their checksum, and reading small JSON files of others.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::base::ids::hex;

/// Files and folders of a package, and its bytes.
pub(super) const ENTRIES: usize = 25_000;
pub(super) const BYTES: u64 = 512 << 20;
/// Bytes of a manifest, and of the state of all plugins.
const TEXT_BYTES: u64 = 16 << 20;

/// A file of a package.
#[derive(Debug)]
pub(super) struct PackageFile {
    /// Its path below the package, with slashes.
    pub name: String,
    pub is_executable: bool,
}

/// Why a package cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    #[error("Plugin directories may not contain symlinks.")]
    Symlink,
    #[error("Plugin packages may hold only files and folders with names that are text.")]
    Special,
    #[error("The plugin package is too large.")]
    TooLarge,
    #[error("The plugin package cannot be read.")]
    Unreadable,
}

/// The files of a package in the order of their names, and whether it holds anything else.
fn walk(package: &Path) -> Result<(Vec<PackageFile>, Option<PackageError>), PackageError> {
    let unreadable = |_| PackageError::Unreadable;
    let (mut files, mut count, mut bytes, mut other) = (Vec::new(), 0, 0, None);
    let mut folders = vec![(package.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Links are not followed.
            let stat = entry.metadata().map_err(unreadable)?;
            count += 1;
            bytes += if stat.is_file() { stat.len() } else { 0 };
            if count > ENTRIES || bytes > BYTES {
                return Err(PackageError::TooLarge);
            }
            let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}"))
            else {
                other.get_or_insert(PackageError::Special);
                continue;
            };
            if stat.is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            } else if stat.is_file() {
                let is_executable = stat.permissions().mode() & 0o100 != 0;
                files.push(PackageFile { name, is_executable });
            } else if stat.is_symlink() {
                other = Some(PackageError::Symlink);
            } else {
                other.get_or_insert(PackageError::Special);
            }
        }
    }
    files.sort_unstable_by(|one, two| one.name.cmp(&two.name));
    Ok((files, other))
}

/// The files of a package that holds nothing but files and folders.
///
/// # Errors
/// [`PackageError`].
pub(super) fn files(package: &Path) -> Result<Vec<PackageFile>, PackageError> {
    match walk(package)? {
        (files, None) => Ok(files),
        (_, Some(other)) => Err(other),
    }
}

/// SHA-256 over the regular files of a package in the order of their paths: of each the path, a zero
/// byte and the SHA-256 of its content.
///
/// # Errors
/// [`PackageError`].
pub(super) fn checksum(package: &Path) -> Result<String, PackageError> {
    let (files, _) = walk(package)?;
    let mut whole = Sha256::new();
    for file in files {
        whole.update(file.name.as_bytes());
        whole.update([0]);
        let content = fs::read(package.join(&file.name)).map_err(|_| PackageError::Unreadable)?;
        whole.update(Sha256::digest(content));
    }
    Ok(hex(&whole.finalize()))
}

/// The value in a regular JSON file; `None` when it is missing, too large or broken.
pub(super) fn read_json(path: &Path) -> Option<Value> {
    let stat = fs::symlink_metadata(path).ok()?;
    let bytes = (stat.is_file() && stat.len() <= TEXT_BYTES).then(|| fs::read(path).ok())??;
    serde_json::from_slice(&bytes).ok()
}

/// The packages of a folder, by name.
pub(super) fn packages(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut packages: Vec<_> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, _)| !name.starts_with('.'))
        .collect();
    packages.sort_unstable();
    packages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing;

    #[test]
    fn the_checksum_is_that_of_names_and_contents() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            testing::put(folder.path().join(name), text);
        };
        write("a/b", "one");
        write("a-b", "two");
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("linked");
        let mut whole = Sha256::new();
        for (name, text) in [("a-b", "two"), ("a/b", "one")] {
            whole.update(name);
            whole.update([0]);
            whole.update(Sha256::digest(text));
        }
        assert_eq!(checksum(folder.path()), Ok(hex(&whole.finalize())));
        let found = files(folder.path()).map(|files| files.len());
        assert_eq!(found, Err(PackageError::Symlink));
    }
}
