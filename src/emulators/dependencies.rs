//! Files an emulator needs from elsewhere: firmware, system files.
//!
//! Serves `GET /api/emulators/dependencies`.

use std::{fs, path::Path};

use crate::{base::schema::schema, model::needs};

schema! {
    /// One place that was checked.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DependencyPlace {
        /// Whether something is there: a file, or a folder that is not empty.
        pub found: bool,
        /// What is needed.
        #[serde(rename = "name")]
        pub label: &'static str,
        /// Where it was searched.
        pub path: String,
    }
}

/// What an emulator of this name needs; nothing for an unknown one.
pub fn of(name: &str, home: &Path) -> Vec<DependencyPlace> {
    needs::of_emulator(name)
        .into_iter()
        .flat_map(|need| need.paths(home).map(|path| (need.label, path)))
        .map(|(label, path)| DependencyPlace {
            found: is_there(&path),
            label,
            path: path.to_string_lossy().into_owned(),
        })
        .collect()
}

/// Whether a path is a file or a folder with something in it.
pub fn is_there(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
        }
        Ok(found) => found.is_file(),
        Err(_) => false,
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_counts_when_something_lies_in_it() {
        let home = tempfile::tempdir().expect("a home");
        let found =
            || of("duckstation", home.path()).iter().map(|place| place.found).collect::<Vec<_>>();
        assert_eq!(found(), [false, false]);
        let need = needs::of_emulator("DuckStation").expect("known");
        let bios = need.paths(home.path())[1].clone();
        fs::create_dir_all(&bios).expect("made");
        assert_eq!(found(), [false, false]);
        fs::write(bios.join("scph1001.bin"), b"x").expect("written");
        assert_eq!(found(), [false, true]);
        assert!(of("Nobody", home.path()).is_empty());
    }
}
