//! Paths of a list on this machine, facts from the path of a game, and reading a list.

use std::{
    collections::{BTreeSet, HashMap},
    fs, io,
    path::Path,
};

use super::{error::MigrationError, list_layout::ListLayout, options::Options};
use crate::{
    files::Files,
    formats::m3u,
    game::path_checks,
    platforms,
    probe::spelling,
    scan::{Tree as _, extensions, references::SHEET_BYTES, tree::Disk},
};

/// How the name of a playlist of discs ends.
const PLAYLIST: &str = ".m3u";
/// How many folders above a file may name its platform.
const FOLDERS: usize = 3;

/// A path of a list as an absolute one of this machine; what leads nowhere stays as it is written.
/// Mappings hold for what is written and for where it leads.
pub fn resolve(path: &str, options: &Options, layout: &ListLayout, home: &Path) -> String {
    if let Some(file) = as_written(path, layout, home) {
        return file;
    }
    let mapped = options.map(path);
    let is_foreign = mapped.as_bytes().get(1) == Some(&b':');
    let absolute = match mapped.strip_prefix("%ROMPATH%") {
        Some(rest) => Some(layout.games.join(rest.trim_start_matches('/'))),
        None => path_checks::absolute(&mapped, home)
            .or_else(|| path_checks::absolute(layout.root.join(&mapped).to_str()?, home)),
    };
    match absolute.as_deref().and_then(Path::to_str) {
        Some(text) if !is_foreign => options.map(text),
        _ => mapped,
    }
}

/// The file with a backslash in its name that a path is, which elsewhere stands between folders.
fn as_written(path: &str, layout: &ListLayout, home: &Path) -> Option<String> {
    let path = path.trim();
    let found = path.contains('\\').then(|| {
        let spelled =
            if path.starts_with(['/', '~']) { path.into() } else { layout.root.join(path) };
        path_checks::absolute(spelled.to_str()?, home)
    });
    let file = found.flatten().filter(|file| file.is_file())?;
    file.to_str().map(str::to_owned)
}

/// The real folders of files, each asked for once.
#[derive(Debug, Default)]
pub struct RealFolders(HashMap<String, Option<String>>);

impl RealFolders {
    /// The path of a file whose folder is reached through links, as an import of that folder has it; `None`
    /// where it is the same, or where the folder is not there. A file that is a link itself keeps its name.
    pub fn real(&mut self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').filter(|_| path.starts_with('/'))?;
        let find = || {
            let real = fs::canonicalize(folder).ok()?;
            real.to_str().filter(|real| *real != folder).map(str::to_owned)
        };
        let real = self.0.entry(folder.to_owned()).or_insert_with(find).as_ref()?;
        Some(format!("{}/{name}", real.trim_end_matches('/')))
    }
}

/// The file that stands for a listed folder: the one inside with the name of the folder, which is what
/// front ends start, else the only game that the library has below it. `None` for a file that the library
/// has, and for a folder without such a file. `known` are the paths of the library.
pub fn file_of_folder(path: &str, known: &BTreeSet<&str>) -> Option<String> {
    if known.contains(path) && !Path::new(path).is_dir() {
        return None;
    }
    let folder = path.trim_end_matches('/');
    let inside = format!("{folder}/");
    let (_, name) = folder.rsplit_once('/').filter(|_| path.starts_with('/'))?;
    let alike = format!("{inside}{name}");
    if Path::new(&alike).is_file() {
        return Some(alike);
    }
    let mut below = known.range(inside.as_str()..).take_while(|known| known.starts_with(&inside));
    let only = below.next().filter(|only| **only != inside)?;
    below.next().is_none().then(|| (*only).to_owned())
}

/// Whether a path is that of a playlist of discs, by its name.
pub fn is_playlist(path: &str) -> bool {
    let start = path.len().saturating_sub(PLAYLIST.len());
    path.get(start..).is_some_and(|ending| ending.eq_ignore_ascii_case(PLAYLIST))
}

/// Whether a text may name a playlist of discs.
pub fn names_playlist(text: &str) -> bool {
    [PLAYLIST, ".M3U"].iter().any(|ending| text.contains(ending))
}

/// The files that a playlist of discs names and that are there; none for any other path.
pub fn discs_of(path: &str) -> Vec<String> {
    if !is_playlist(path) {
        return Vec::new();
    }
    let folder = Path::new(path).parent().unwrap_or(Path::new("/"));
    let bytes = Disk.read_start(Path::new(path), SHEET_BYTES).unwrap_or_default();
    let disc = |entry: &String| {
        let slashed = entry.replace('\\', "/");
        let mut spelled = [entry.as_str(), &slashed].into_iter();
        let file = spelled.find_map(|entry| {
            let file = spelling::on_disk(folder, Path::new(entry));
            file.is_file().then_some(file)
        })?;
        path_checks::absolute(file.to_str()?, folder)?.to_str().map(str::to_owned)
    };
    let entries = m3u::parse(&bytes);
    entries.iter().filter(|entry| !is_playlist(entry)).filter_map(disc).collect()
}

/// The name of a file without folders and extension.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').find(|name| !name.is_empty()).unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// The platform of a listed file by the system of its list (blank without one), the nearest folders
/// above it and its extension, as in an import of the folder; empty when it is unknown.
pub fn platform_of(path: &str, system: &str) -> &'static str {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let folder =
        platforms::by_folder(system).or_else(|| parts.take(FOLDERS).find_map(platforms::by_folder));
    let Some(extension) = extensions::find(name.as_bytes()) else {
        return folder.map_or("", |found| found.name);
    };
    let platform = extensions::platform_of(extension, folder);
    if [extensions::UNKNOWN_PLATFORM, extensions::DISC_IMAGE].contains(&platform) {
        ""
    } else {
        platform
    }
}

/// The bytes of a list of at most `most` bytes.
///
/// # Errors
/// [`MigrationError`] when it is missing, no file, or larger.
pub fn read_list(path: &Path, most: u64, files: &Files) -> Result<Vec<u8>, MigrationError> {
    let source = files.open(path).map_err(|error| {
        let is_other = error.source.kind() == io::ErrorKind::InvalidInput;
        MigrationError::Source(if is_other {
            "The list must be a file."
        } else {
            "The list does not exist."
        })
    })?;
    if source.stat()?.len() > most {
        return Err(MigrationError::Source("The list is too large."));
    }
    Ok(files.read(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_can_be_of_one_machine_only_says_so() {
        for (path, expected) in [
            ("/r/a.nes", "NES"),
            ("/r/A.GBA", "Game Boy Advance"),
            ("/r/a.zip", ""),
            ("/r/a.iso", ""),
            ("/r.nes/a", ""),
        ] {
            assert_eq!(platform_of(path, ""), expected, "{path}");
        }
        for (path, system, expected) in [
            ("/roms/megadrive/a.md", "", "Sega Genesis"),
            ("/roms/psx/Long Saga/a.cue", "", "PlayStation"),
            ("/roms/snes/a.zip", "", "SNES"),
            ("/mnt/a.chd", "saturn", "Sega Saturn"),
            ("/psx/b/c/d/e.chd", "", ""),
            ("/roms/snes/a.gba", "", "Game Boy Advance"),
        ] {
            assert_eq!(platform_of(path, system), expected, "{path} {system}");
        }
    }

    #[test]
    fn a_game_without_a_name_has_that_of_its_file() {
        for (path, expected) in
            [("/r/A (USA).sfc", "A (USA)"), ("/r/.x", ".x"), ("/r/b.ps3/", "b"), ("", "")]
        {
            assert_eq!(stem(path), expected, "{path}");
        }
    }
}
