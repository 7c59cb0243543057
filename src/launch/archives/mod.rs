//! Games in archives: extracted before a launch, kept for the next one within a bound.
//!
//! Owns `cache/archives`. A folder there is named after the archive it came from (real path, size,
//! time of change) and is whole when it holds its receipt: it was filled under another name before.
//! Refuses paths out of the folder, links, devices and anything beyond the limits of a game
//! archive. A folder in which something else was written, such as a saved game, is never removed.

pub mod cache;
pub mod error;

mod members;
mod receipt;
mod tool;
mod zipped;

use std::path::Path;

use self::{error::ArchiveError, tool::Tool, zipped::Zip};
use crate::files::Files;

/// Extracts a ZIP archive below an empty folder of this program, by the rules of game archives.
///
/// # Errors
/// [`ArchiveError`]; what was extracted so far is the caller's to remove.
pub fn unzip(files: &Files, archive: &Path, into: &Path) -> Result<(), ArchiveError> {
    Zip::open(files, archive)?.ok_or(ArchiveError::Unreadable)?.extract(files, into)
}

/// Checks whether an archive can be extracted, judging by its directory. An archive that a program lists is not opened:
/// listing a large one takes seconds.
///
/// # Errors
/// [`ArchiveError`].
pub fn check(archive: &Path) -> Result<(), ArchiveError> {
    if is_zip(archive) && Zip::open(&Files::system(), archive)?.is_some() {
        return Ok(());
    }
    Tool::find().map(drop)
}

fn is_zip(archive: &Path) -> bool {
    archive.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"))
}

/// The file of an archive that is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its name in the archive.
    pub name: String,
    /// Whether it may be executed once it is extracted.
    pub is_executable: bool,
    /// Whether it starts by itself then.
    pub starts_itself: bool,
}

/// Which file of a ZIP archive is played: the named one, or the one that a launch takes when no name is
/// given. `None` when there is none, and of an archive that a program lists.
pub fn played(archive: &Path, member: &str) -> Option<Packed> {
    if !is_zip(archive) {
        return None;
    }
    let mut zip = Zip::open(&Files::system(), archive).ok()??;
    let files = zip.members().iter().map(|each| (each.name.as_str(), each.size));
    let name = members::target(files, member).ok()?.to_owned();
    let is_executable = zip.is_executable(&name);
    let starts_itself = is_executable && zip.is_program(&name);
    Some(Packed { name, is_executable, starts_itself })
}

/// The names of the files in an archive that a program lists: one that is no ZIP archive.
///
/// # Errors
/// [`ArchiveError`].
pub fn list(archive: &Path) -> Result<Vec<String>, ArchiveError> {
    let members = Tool::find()?.list(archive)?;
    Ok(members.into_iter().filter(|it| !it.is_folder()).map(|it| it.name).collect())
}

/// Extracts one file of such an archive below an empty folder of this program.
///
/// # Errors
/// [`ArchiveError`]; what was extracted so far is the caller's to remove.
pub fn extract_one(archive: &Path, name: &str, into: &Path) -> Result<(), ArchiveError> {
    Tool::find()?.extract(archive, Some(name), into).map(drop)
}
