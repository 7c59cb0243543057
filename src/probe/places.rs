//! Folders in which people keep games: the usual names below the home folder and on drives that are mounted for the
//! user.
//!
//! Reads names only; of a folder it checks only whether it is empty.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Usual places below the home folder or the root of a drive.
const USUAL: [&str; 9] = [
    "Games",
    "games",
    "ROMs",
    "Roms",
    "roms",
    "Emulation/roms",
    "retrodeck/roms",
    "RetroPie/roms",
    "Emulators/roms",
];
/// The most drives that are read.
const DRIVES: usize = 32;

/// The usual folders that exist and hold something, each once and by its real path. `media` is the
/// folder in which the system mounts the drives of users: `<media>/<user>/<drive>`.
pub fn usual(home: &Path, media: &Path) -> Vec<PathBuf> {
    let drives = folders_of(media).into_iter().flat_map(|person| folders_of(&person)).take(DRIVES);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for root in std::iter::once(home.to_owned()).chain(drives) {
        for name in USUAL {
            let Ok(place) = fs::canonicalize(root.join(name)) else { continue };
            if holds_something(&place) && seen.insert(place.clone()) {
                found.push(place);
            }
        }
    }
    found
}

fn folders_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).take(DRIVES).collect();
    folders.sort();
    folders
}

/// Whether a folder is there and not empty.
pub fn holds_something(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;
    use crate::files::testing;

    #[test]
    fn usual_folders_are_found_once_and_empty_ones_not() {
        let root = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(root.path()).expect("real");
        let (home, media) = (root.join("home"), root.join("media"));
        for file in ["home/Games/a.nes", "media/me/card/Emulation/roms/nes/b.nes"] {
            testing::put(root.join(file), b"x");
        }
        fs::create_dir_all(home.join("ROMs")).expect("made");
        std::os::unix::fs::symlink(home.join("Games"), home.join("games")).expect("linked");
        let card = media.join("me/card/Emulation/roms");
        assert_eq!(usual(&home, &media), [home.join("Games"), card]);
        assert!(usual(&root.join("gone"), &root.join("gone")).is_empty());
    }
}
