//! Games in archives: extracted before a launch, kept for the next one within a bound.
//!
//! Owns `cache/archives`. A folder there is named after the archive it came from (real path, size,
//! time of change) and is whole when it holds its receipt: it was filled under another name before.
//! Refuses what leads out of the folder, links, devices and anything beyond the limits of a game
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

/// Extracts a ZIP archive below an empty folder of ours, by the rules of game archives.
///
/// # Errors
/// [`ArchiveError`]; what was extracted so far is the caller's to remove.
pub fn unzip(files: &Files, archive: &Path, into: &Path) -> Result<(), ArchiveError> {
    Zip::open(files, archive)?.ok_or(ArchiveError::Unreadable)?.extract(files, into)
}

/// Looks whether an archive can be extracted, as far as its directory tells. An archive that a program
/// lists is not opened: listing a large one takes seconds.
///
/// # Errors
/// [`ArchiveError`].
pub fn check(archive: &Path) -> Result<(), ArchiveError> {
    let is_zip = archive.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"));
    if is_zip && Zip::open(&Files::system(), archive)?.is_some() {
        return Ok(());
    }
    Tool::find().map(drop)
}

/// The names of the files in an archive that a program lists: one that is no ZIP archive.
///
/// # Errors
/// [`ArchiveError`].
pub fn list(archive: &Path) -> Result<Vec<String>, ArchiveError> {
    let members = Tool::find()?.list(archive)?;
    Ok(members.into_iter().filter(|it| !it.is_folder()).map(|it| it.name).collect())
}

/// Extracts one file of such an archive below an empty folder of ours.
///
/// # Errors
/// [`ArchiveError`]; what was extracted so far is the caller's to remove.
pub fn extract_one(archive: &Path, name: &str, into: &Path) -> Result<(), ArchiveError> {
    Tool::find()?.extract(archive, Some(name), into).map(drop)
}
