//! Showing the user where a file belongs: the folder of a path, or the nearest one that exists, in
//! the file manager of the desktop.
//!
//! Only folders are opened, so nothing in them is started.

use std::path::{Path, PathBuf};

use crate::process::{SpawnError, Spec, search};

/// Opens folders with the program that the desktop has for them.
const OPENER: &str = "xdg-open";

/// Why a place was not shown.
#[derive(Debug, thiserror::Error)]
pub enum RevealError {
    /// The path is relative or empty.
    #[error("The path must be absolute.")]
    Relative,
    #[error("{OPENER} is required to show a folder.")]
    NoOpener,
    #[error("The file manager could not be started.")]
    Spawn(#[from] SpawnError),
}

/// The folder that shows a path: itself when it is one, else the nearest one above it.
///
/// # Errors
/// [`RevealError::Relative`].
pub fn folder_of(path: &Path) -> Result<PathBuf, RevealError> {
    if !path.is_absolute() {
        return Err(RevealError::Relative);
    }
    let nearest = path.ancestors().find(|folder| folder.is_dir());
    Ok(nearest.unwrap_or(Path::new("/")).to_owned())
}

/// The command that shows a folder.
///
/// # Errors
/// [`RevealError::NoOpener`].
pub fn opener(folder: &Path) -> Result<Spec, RevealError> {
    let program = search::on_path(OPENER).ok_or(RevealError::NoOpener)?;
    Ok(Spec::new([program, folder.to_owned()]))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_is_shown_and_never_a_file() {
        let root = tempfile::tempdir().expect("a folder");
        let file = root.path().join("file.bin");
        std::fs::write(&file, b"x").expect("written");
        for path in [root.path().to_owned(), file, root.path().join("not/here/bios.bin")] {
            assert_eq!(folder_of(&path).expect("absolute"), root.path());
        }
        for path in ["", "relative/path"] {
            assert!(matches!(folder_of(Path::new(path)), Err(RevealError::Relative)));
        }
    }
}
