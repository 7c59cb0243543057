//! Files an emulator needs from elsewhere: firmware, system files.
//!
//! Source: Document 2, "Emulators"; facts of extensions, 2.3.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

/// One thing an emulator needs, with the places it is looked for.
#[derive(Debug)]
struct Need {
    /// The name of the emulator.
    emulator: &'static str,
    /// What it is called.
    label: &'static str,
    /// Its native place and that of the package, below the home.
    places: [&'static str; 2],
}

const NEEDS: [Need; 4] = [
    Need {
        emulator: "DuckStation",
        label: "PSX BIOS (scph1001.bin)",
        places: [
            ".local/share/duckstation/bios",
            ".var/app/org.duckstation.DuckStation/data/duckstation/bios",
        ],
    },
    Need {
        emulator: "PCSX2",
        label: "PS2 BIOS folder",
        places: [".config/PCSX2/bios", ".var/app/net.pcsx2.PCSX2/config/PCSX2/bios"],
    },
    Need {
        emulator: "RPCS3",
        label: "PS3 firmware (dev_flash)",
        places: [".config/rpcs3/dev_flash", ".var/app/net.rpcs3.RPCS3/config/rpcs3/dev_flash"],
    },
    Need {
        emulator: "RetroArch",
        label: "System/BIOS directory",
        places: [
            ".config/retroarch/system",
            ".var/app/org.libretro.RetroArch/config/retroarch/system",
        ],
    },
];

/// One place that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What is needed.
    pub label: &'static str,
    /// Where it was looked for.
    pub path: PathBuf,
    /// Whether something is there: a file, or a folder that is not empty.
    pub found: bool,
}

impl Place {
    /// How it is shown.
    #[must_use]
    pub fn shape(&self) -> Value {
        json!({"name": self.label, "path": self.path.to_string_lossy(), "found": self.found})
    }
}

/// What an emulator of this name needs; nothing for an unknown one.
#[must_use]
pub fn of(name: &str, home: &Path) -> Vec<Place> {
    let needs = NEEDS.iter().filter(|need| need.emulator.eq_ignore_ascii_case(name.trim()));
    needs
        .flat_map(|need| need.places.iter().map(|place| (need.label, home.join(place))))
        .map(|(label, path)| Place { label, found: is_there(&path), path })
        .collect()
}

/// Whether a path is a file or a folder with something in it.
#[must_use]
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
        let bios = home.path().join(NEEDS[0].places[1]);
        fs::create_dir_all(&bios).expect("made");
        assert_eq!(found(), [false, false]);
        fs::write(bios.join("scph1001.bin"), b"x").expect("written");
        assert_eq!(found(), [false, true]);
        assert!(of("Nobody", home.path()).is_empty());
    }
}
