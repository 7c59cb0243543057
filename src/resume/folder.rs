//! The folder of a game's states: its name, its record, and the search for the states in it.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::Deserialize;
use sha1::{Digest as _, Sha1};

use crate::{
    base::{ids, schema::schema, text},
    files::{DiskError, Files, confine, temp},
};

/// The record of the kept state.
pub const RECORD: &str = "state.json";
/// The settings of the emulator for one session. Its time of change is when the session began.
pub const CONFIG: &str = "service-session.cfg";
/// Earlier states.
pub const ARCHIVE: &str = "archive";
/// The states of moments.
pub const MOMENTS: &str = "moments";
/// The name of the picture of the kept state, without its extension.
pub const THUMBNAIL: &str = "thumb";
/// Characters of the name of a folder.
const KEY_CHARS: usize = 80;
/// Digits that distinguish changed names.
const DIGEST_CHARS: usize = 12;
/// Bytes of the largest record that is read.
pub const RECORD_BYTES: u64 = 64 * 1024;
/// Folders below the folder of a game that are searched.
const DEPTH: usize = 6;
/// The most entries that are read in one search.
const ENTRIES: usize = 10_000;
/// Extensions of pictures, which emulators write next to states.
pub const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "webp"];

schema! {
    "ResumeState"
    /// What is known of a kept state. The stored record has these keys.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(default)]
    pub struct StoredState {
        /// The emulator definition.
        pub adapter_id: String,
        pub capture_id: String,
        /// UTC.
        pub captured_at: String,
        /// The build of the emulator and of its core.
        pub emulator_version: String,
        /// Below the folder of the game, with slashes.
        pub file: String,
        pub kind: String,
        /// The session that left it.
        pub launch_id: String,
        /// Bytes.
        pub size: u64,
        /// The name of its picture; empty without one.
        pub thumbnail: String,
    }
}

/// The name of the folder of a game.
pub fn key(game_id: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let plain: String =
        game_id.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    // Names of dots alone lead elsewhere.
    if plain == game_id && plain.len() <= KEY_CHARS && !plain.trim_matches('.').is_empty() {
        return plain;
    }
    let digest = ids::hex(&Sha1::digest(game_id.as_bytes()));
    let digest = text::cut(&digest, DIGEST_CHARS);
    let kept = text::cut(&plain, KEY_CHARS - DIGEST_CHARS - 1).trim_start_matches('.');
    format!("{kept}-{digest}")
}

/// A regular file in the folder of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: PathBuf,
    /// Below the folder, with slashes.
    pub name: String,
    pub modified: SystemTime,
    pub size: u64,
}

impl Entry {
    fn of(path: PathBuf, name: String, found: &Metadata) -> Self {
        let modified = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Self { path, name, modified, size: found.len() }
    }
}

/// The record of the kept state; `None` when there is none or its file is gone.
pub fn stored(files: &Files, folder: &Path) -> Option<StoredState> {
    find_stored(files, folder).ok().flatten()
}

/// As [`stored`], for callers that must not mistake a failing disk for a missing state.
///
/// # Errors
/// When the disk fails.
pub fn find_stored(files: &Files, folder: &Path) -> Result<Option<StoredState>, DiskError> {
    let record = find(files, folder, RECORD)?.filter(|found| found.size <= RECORD_BYTES);
    let Some(record) = record else { return Ok(None) };
    let Some(record) = parse(&files.read(&record.path)?) else { return Ok(None) };
    let file = find(files, folder, &record.file)?;
    Ok(file.map(|file| StoredState { size: file.size, ..record }))
}

/// The stored record, whether its file is there or not.
pub fn record(files: &Files, folder: &Path) -> Option<StoredState> {
    let path = confine::join_inside(folder, RECORD).ok()?;
    let found = files.stat(&path).ok()??;
    if !found.is_file() || found.len() > RECORD_BYTES || is_link(files, folder) {
        return None;
    }
    parse(&files.read(&path).ok()?)
}

/// Reads a record; `None` for bytes that are not a record.
pub fn parse(bytes: &[u8]) -> Option<StoredState> {
    serde_json::from_slice(bytes).ok()
}

/// What belongs to a kept state by its record: the record, the state, and its picture where it has one.
/// `None` for a record that names what belongs to something else.
pub fn files_of(record: &StoredState) -> Option<Vec<&str>> {
    let first = record.file.split('/').next().unwrap_or("");
    if matches!(first, "" | RECORD | CONFIG | ARCHIVE | MOMENTS) {
        return None;
    }
    let picture = Some(record.thumbnail.as_str()).filter(|name| !name.is_empty());
    let is_picture = |name: &str| PICTURES.iter().any(|end| name == format!("{THUMBNAIL}.{end}"));
    if !picture.is_none_or(is_picture) {
        return None;
    }
    Some([RECORD, &record.file].into_iter().chain(picture).collect())
}

/// The regular file with this name below the folder, reached without a link; `None` when it cannot be
/// examined.
pub fn existing(files: &Files, folder: &Path, name: &str) -> Option<Entry> {
    find(files, folder, name).ok().flatten()
}

/// As [`existing`], for callers that are about to replace it.
///
/// # Errors
/// When the disk fails, so that it is unknown whether it is there.
pub fn find(files: &Files, folder: &Path, name: &str) -> Result<Option<Entry>, DiskError> {
    let Ok(path) = confine::join_inside(folder, name) else { return Ok(None) };
    let Some(found) = files.stat(&path)? else { return Ok(None) };
    let is_file = found.is_file() && !is_link(files, folder);
    Ok(is_file.then(|| Entry::of(path, name.to_owned(), &found)))
}

/// Whether the folder itself is a link, which this program never makes.
pub fn is_link(files: &Files, folder: &Path) -> bool {
    files.stat(folder).ok().flatten().is_some_and(|found| found.is_symlink())
}

/// The files of a game's folder, without what this module writes itself.
pub fn entries(files: &Files, folder: &Path) -> Result<Vec<Entry>, DiskError> {
    let mut found = Vec::new();
    if !is_link(files, folder) {
        search(files, folder, "", 0, &mut found)?;
    }
    Ok(found)
}

fn search(
    files: &Files,
    folder: &Path,
    below: &str,
    depth: usize,
    found: &mut Vec<Entry>,
) -> Result<(), DiskError> {
    for name in files.list(folder)? {
        if found.len() >= ENTRIES {
            break;
        }
        let is_own = depth == 0 && matches!(name.as_str(), RECORD | CONFIG | ARCHIVE | MOMENTS);
        if is_own || temp::is_temporary(name.as_bytes()) {
            continue;
        }
        let path = folder.join(&name);
        let Some(stat) = files.stat(&path)? else { continue };
        let name = if below.is_empty() { name } else { format!("{below}/{name}") };
        if stat.is_file() {
            found.push(Entry::of(path, name, &stat));
        } else if stat.is_dir() && depth < DEPTH {
            search(files, &path, &name, depth + 1, found)?;
        }
    }
    Ok(())
}

/// Whether an entry is a state by the patterns of a definition: a picture never is.
pub fn is_state(name: &str, patterns: &[String]) -> bool {
    let is_picture = PICTURES.iter().any(|end| ending(name).eq_ignore_ascii_case(end));
    !is_picture && patterns.iter().any(|pattern| matches(pattern, name))
}

/// What follows the last dot of a name; empty without one.
pub fn ending(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, end)| end)
}

/// Whether a name fits a pattern: `*` and `?` stand for characters of one part, `**` for any number of
/// folders.
pub fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let name: Vec<&str> = name.split('/').collect();
    fits(&pattern, &name)
}

fn fits(pattern: &[&str], name: &[&str]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=name.len()).any(|at| fits(rest, &name[at..])),
        (Some((part, rest)), Some((first, others))) => {
            part_fits(part.as_bytes(), first.as_bytes()) && fits(rest, others)
        }
        _ => false,
    }
}

/// One part, in time that grows with the product of both lengths at most.
fn part_fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&letter) if letter == b'?' || letter == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                p = at + 1;
                t = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|&letter| letter == b'*')
}

/// A path as text, for answers and for arguments.
pub fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
