//! Requirements of emulators besides the game: BIOS images, firmware, system files, and their places.
//!
//! The only table of them.

use std::path::{Path, PathBuf};

/// What one emulator needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Need {
    /// The id of the emulator.
    pub app: &'static str,
    /// The name of the emulator.
    pub emulator: &'static str,
    /// What is needed.
    pub label: &'static str,
    /// Where it is searched below the home folder: of the native program, of the package.
    pub places: [&'static str; 2],
}

const NEEDS: [Need; 4] = [
    Need {
        app: "org.duckstation.DuckStation",
        emulator: "DuckStation",
        label: "PSX BIOS (scph1001.bin)",
        places: [
            ".local/share/duckstation/bios",
            ".var/app/org.duckstation.DuckStation/data/duckstation/bios",
        ],
    },
    Need {
        app: "net.pcsx2.PCSX2",
        emulator: "PCSX2",
        label: "PS2 BIOS folder",
        places: [".config/PCSX2/bios", ".var/app/net.pcsx2.PCSX2/config/PCSX2/bios"],
    },
    Need {
        app: "net.rpcs3.RPCS3",
        emulator: "RPCS3",
        label: "PS3 firmware (dev_flash)",
        places: [".config/rpcs3/dev_flash", ".var/app/net.rpcs3.RPCS3/config/rpcs3/dev_flash"],
    },
    Need {
        app: "org.libretro.RetroArch",
        emulator: "RetroArch",
        label: "System/BIOS directory",
        places: [
            ".config/retroarch/system",
            ".var/app/org.libretro.RetroArch/config/retroarch/system",
        ],
    },
];

/// What the emulator with an id needs; `None` when that is nothing.
pub fn of_app(id: &str) -> Option<&'static Need> {
    NEEDS.iter().find(|need| need.app == id)
}

/// What the emulator of a name needs, whatever the case of the name.
pub fn of_emulator(name: &str) -> Option<&'static Need> {
    NEEDS.iter().find(|need| need.emulator.eq_ignore_ascii_case(name.trim()))
}

impl Need {
    /// Whether it is firmware that is installed, rather than a BIOS that is copied.
    pub fn is_firmware(&self) -> bool {
        self.label.contains("firmware")
    }

    /// The places where it is searched.
    pub fn paths(&self, home: &Path) -> [PathBuf; 2] {
        self.places.map(|place| home.join(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_found_by_id_and_by_name() {
        for need in &NEEDS {
            assert_eq!(of_app(need.app), Some(need));
            assert_eq!(of_emulator(&format!(" {} ", need.emulator.to_uppercase())), Some(need));
            assert_eq!(need.is_firmware(), need.emulator == "RPCS3");
            assert_eq!(need.paths(Path::new("/h"))[0], Path::new("/h").join(need.places[0]));
        }
        assert!(of_app("org.example.X").is_none() && of_emulator("").is_none());
    }
}
