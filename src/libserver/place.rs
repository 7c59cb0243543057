//! The folder for games of the library server, and the folder of one game in it.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use rustix::process::geteuid;

use crate::files::{
    Files,
    confine::{self, ConfineError},
};

use super::error::LibserverError;

/// Characters of the part of a folder name that is made from the title.
const SLUG: usize = 120;

/// Checks the install folder and makes it when it is missing: absolute, no link on the way, not the
/// root of the disk, owned by the user, writable only by the user.
///
/// # Errors
/// [`LibserverError::Root`], [`LibserverError::Disk`].
pub fn prepare(files: &Files, root: &Path) -> Result<(), LibserverError> {
    check(root)?;
    if !root.exists() {
        files.private_dir(root)?;
    }
    let stat = fs::symlink_metadata(root).map_err(|_| LibserverError::Root("cannot be read"))?;
    if !stat.is_dir() {
        return Err(LibserverError::Root("is not a folder"));
    }
    if stat.uid() != geteuid().as_raw() {
        return Err(LibserverError::Root("belongs to somebody else"));
    }
    if stat.mode() & 0o022 != 0 {
        return Err(LibserverError::Root("can be written by others"));
    }
    Ok(())
}

/// The rules of the install folder that need no folder to be there.
///
/// # Errors
/// [`LibserverError::Root`].
pub fn check(root: &Path) -> Result<(), LibserverError> {
    if !root.is_absolute() {
        return Err(LibserverError::Root("must be an absolute path"));
    }
    if root.parent().is_none() {
        return Err(LibserverError::Root("must not be the root of the disk"));
    }
    confine::refuse_link_on_the_way(root).map_err(|error| match error {
        ConfineError::Link { .. } => LibserverError::Root("must not contain symlinks"),
        other => LibserverError::Confined(other),
    })
}

/// The id of a game as the server numbers it: 1 to 20 digits, leading zeros dropped.
///
/// # Errors
/// [`LibserverError::BadId`].
pub fn clean_id(id: &str) -> Result<String, LibserverError> {
    let id = id.trim();
    if !(1..=20).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(LibserverError::BadId);
    }
    let digits = id.trim_start_matches('0');
    Ok(if digits.is_empty() { "0" } else { digits }.to_owned())
}

/// The folder of a game: its title in plain letters, and its id.
pub fn folder(root: &Path, title: &str, id: &str) -> PathBuf {
    let plain = title.to_lowercase();
    let words: Vec<&str> = plain
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let slug: String = words.join("-").chars().take(SLUG).collect();
    let slug = slug.trim_matches('-');
    root.join(if slug.is_empty() { format!("game-{id}") } else { format!("{slug}-{id}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers() {
        for (id, expected) in [
            ("7", Some("7")),
            (" 007 ", Some("7")),
            ("0", Some("0")),
            ("12345678901234567890", Some("12345678901234567890")),
            ("123456789012345678901", None),
            ("", None),
            ("7a", None),
            ("-7", None),
            ("../7", None),
        ] {
            assert_eq!(clean_id(id).ok().as_deref(), expected, "{id}");
        }
    }

    #[test]
    fn a_title_never_chooses_a_folder_elsewhere() {
        for (title, expected) in [
            ("The Game: II", "/r/the-game-ii-7"),
            ("../../etc", "/r/etc-7"),
            ("日本", "/r/game-7"),
            ("", "/r/game-7"),
        ] {
            assert_eq!(folder(Path::new("/r"), title, "7"), Path::new(expected));
        }
        let long = folder(Path::new("/r"), &"a".repeat(300), "7");
        assert_eq!(long.file_name().map(std::ffi::OsStr::len), Some(SLUG + 2));
    }
}
