//! The manual that lies in the archive of a game.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use crate::{
    files::{DiskError, Files, temp::temporary_name},
    launch::archives::{self, error::ArchiveError},
    media::media_writer::MediaWriter,
};

/// Bytes of a manual.
const BYTES: u64 = 64 << 20;
/// The most members of an archive that are read.
const MEMBERS: usize = 10_000;
/// The names that are taken first.
const NAMES: [&str; 2] = ["manual.pdf", "manual.txt"];

/// Why there is no manual.
#[derive(Debug, thiserror::Error)]
pub enum NoManual {
    #[error("no manual in this archive")]
    None,
    #[error("the archive cannot be read")]
    Unreadable,
    #[error("{}", lower(.0))]
    Tool(ArchiveError),
    #[error("the manual is too large")]
    TooLarge,
    #[error("it cannot be saved: {}", .0.reason())]
    Disk(#[from] DiskError),
}

/// A sentence that stands behind a colon.
fn lower(error: &ArchiveError) -> String {
    let text = error.to_string();
    text.trim_end_matches('.').to_owned()
}

/// Copies the manual of a game's archive into a folder, which is there; where it lies then. Games with the same
/// number share the folder, so no file of it is replaced.
///
/// # Errors
/// [`NoManual`].
pub fn copy(files: &Files, archive: &str, folder: &Path) -> Result<PathBuf, NoManual> {
    let archive = Path::new(archive);
    let ending = archive.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let (ending, bytes) = match ending.to_ascii_lowercase().as_str() {
        "zip" => unzip(archive)?,
        "7z" | "rar" => extract(files, archive, folder)?,
        _ => return Err(NoManual::None),
    };
    let path = folder.join(format!("manual.{ending}"));
    Ok(MediaWriter::without_replacing(files).keep(&path, &bytes)?.0)
}

/// The manual of a ZIP archive: its extension and its bytes.
fn unzip(archive: &Path) -> Result<(String, Vec<u8>), NoManual> {
    let unreadable = |_| NoManual::Unreadable;
    let file = File::open(archive).map_err(|_| NoManual::Unreadable)?;
    let mut zip = zip::ZipArchive::new(file).map_err(unreadable)?;
    let names = zip.file_names().take(MEMBERS).filter_map(Result::ok);
    let names: Vec<String> = names.map(std::borrow::Cow::into_owned).collect();
    let name = choose(&names).ok_or(NoManual::None)?;
    let member = zip.by_name(name).map_err(unreadable)?;
    if member.size() > BYTES {
        return Err(NoManual::TooLarge);
    }
    Ok((ending(name), read(member)?))
}

/// The manual of another archive, extracted by the program that a launch takes too.
fn extract(files: &Files, archive: &Path, folder: &Path) -> Result<(String, Vec<u8>), NoManual> {
    let names = archives::list(archive).map_err(NoManual::Tool)?;
    let name = choose(&names).ok_or(NoManual::None)?;
    let scratch = folder.join(temporary_name("manual".as_ref()));
    files.private_dir(&scratch)?;
    let extracted = archives::extract_one(archive, name, &scratch).map_err(NoManual::Tool);
    let bytes = extracted
        .and_then(|()| read(File::open(scratch.join(name)).map_err(|_| NoManual::Unreadable)?));
    // OK because a leftover is removed at the next start.
    drop(files.remove_tree(&scratch));
    Ok((ending(name), bytes?))
}

fn read(source: impl Read) -> Result<Vec<u8>, NoManual> {
    let mut bytes = Vec::new();
    // One more byte reveals a file that is larger than declared.
    source.take(BYTES + 1).read_to_end(&mut bytes).map_err(|_| NoManual::Unreadable)?;
    if bytes.len() as u64 > BYTES { Err(NoManual::TooLarge) } else { Ok(bytes) }
}

/// The member that is the manual: the one that is called so, else the document with the shortest name.
fn choose(names: &[String]) -> Option<&str> {
    let documents = || names.iter().filter(|name| ["pdf", "txt"].contains(&ending(name).as_str()));
    let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let called = NAMES.iter().find_map(|wanted| documents().find(|name| base(name) == *wanted));
    called.or_else(|| documents().min_by_key(|name| (name.len(), *name))).map(String::as_str)
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_manual_never_replaces_that_of_another_game() {
        let scratch = tempfile::tempdir().expect("a folder");
        let (files, folder) = (Files::system(), scratch.path());
        let copied = |name: &str, manual: &[u8]| {
            let archive = folder.join(name);
            let mut zip = zip::ZipWriter::new(File::create(&archive).expect("a file"));
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file("manual.pdf", options).expect("a member");
            zip.write_all(manual).expect("written");
            zip.finish().expect("whole");
            copy(&files, archive.to_str().expect("a text"), folder).expect("copied")
        };
        let first = copied("a.zip", b"%PDF of a");
        let second = copied("b.zip", b"%PDF of b");
        assert_eq!(first, folder.join("manual.pdf"));
        assert_eq!(files.read(&first).expect("there"), b"%PDF of a");
        assert_eq!(files.read(&second).expect("there"), b"%PDF of b");
        assert_eq!(copied("c.zip", b"%PDF of b"), second, "the same bytes are one file");
    }

    #[test]
    fn the_manual_is_the_one_that_is_called_so_else_the_shortest_document() {
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            choose(&names).map(str::to_owned)
        };
        let text = |name: &str| Some(name.to_owned());
        assert_eq!(chosen(&["a.txt", "docs/Manual.TXT", "x.pdf"]), text("docs/Manual.TXT"));
        assert_eq!(chosen(&["manual.txt", "manual.pdf"]), text("manual.pdf"));
        assert_eq!(chosen(&["long name.pdf", "b.txt", "a.txt", "c.nes"]), text("a.txt"));
        assert_eq!(chosen(&["game.nes", "manual"]), None);
    }
}
