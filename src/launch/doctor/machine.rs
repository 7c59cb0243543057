//! What the rules may ask about this machine.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use crate::model::emulators::{Catalog, Definition};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Nothing,
    /// A regular file, or a link to one.
    File,
    /// A folder.
    Folder,
    /// Something else.
    Other,
}

/// The questions. Answers may be kept for the life of the value.
pub trait Machine {
    /// The user's home folder.
    fn home(&self) -> &Path;
    /// What is there.
    fn kind(&self, path: &Path) -> Kind;
    /// Whether it is a file that can be executed.
    fn is_executable(&self, path: &Path) -> bool;
    /// Where a program is, looked for like at a launch.
    fn find_program(&self, name: &OsStr, cwd: &Path) -> Option<PathBuf>;
    /// The emulator definitions.
    fn catalog(&self) -> &Catalog;
    /// The command of an emulator definition; `None` when it is not installed.
    fn command_of(&self, definition: &Definition) -> Option<String>;
    /// Whether a sandboxed package is installed.
    fn is_package(&self, app_id: &str) -> bool;
    /// What a sandboxed package may see; `None` when nobody knows.
    fn visible_folders(&self, app_id: &str) -> Option<Vec<String>>;
    /// Whether there is a file, or a folder with something in it.
    fn has_content(&self, path: &Path) -> bool;
    /// The SHA-1 of a file in lower-case hex; `None` when it cannot be read.
    fn sha1(&self, path: &Path) -> Option<String>;
    /// The names of the files in a ZIP archive; `None` when it cannot be read.
    fn zip_names(&self, path: &Path) -> Option<Vec<String>>;
}
