//! What emulators need besides the game: firmware of the consoles they play.

use std::path::{Path, PathBuf};

use super::machine::Machine;
use crate::{base::text, model::emulators::App};

/// Platforms that do not start without the firmware of their console, folded.
const DISC_CONSOLES: [&str; 9] = [
    "playstation",
    "playstation 1",
    "playstation 2",
    "playstation 3",
    "ps1",
    "saturn",
    "sega saturn",
    "dreamcast",
    "sega dreamcast",
];

/// What one emulator needs.
#[derive(Debug)]
pub(super) struct Need {
    app: &'static str,
    /// What it is called.
    pub(super) name: &'static str,
    /// Where it is looked for below the home folder: of the native program, of the package.
    places: [&'static str; 2],
    /// A file in that folder whose SHA-1 is known.
    file: Option<(&'static str, &'static str)>,
    /// Whether it is firmware that is installed, rather than a BIOS that is copied.
    pub(super) is_firmware: bool,
}

const NEEDS: [Need; 4] = [
    Need {
        app: "org.duckstation.DuckStation",
        name: "PSX BIOS (scph1001.bin)",
        places: [
            ".local/share/duckstation/bios",
            ".var/app/org.duckstation.DuckStation/data/duckstation/bios",
        ],
        file: Some(("scph1001.bin", "10155d8d6e6e832d6ea66db9bc098321fb5e8ebf")),
        is_firmware: false,
    },
    Need {
        app: "net.pcsx2.PCSX2",
        name: "PS2 BIOS folder",
        places: [".config/PCSX2/bios", ".var/app/net.pcsx2.PCSX2/config/PCSX2/bios"],
        file: None,
        is_firmware: false,
    },
    Need {
        app: "net.rpcs3.RPCS3",
        name: "PS3 firmware (dev_flash)",
        places: [".config/rpcs3/dev_flash", ".var/app/net.rpcs3.RPCS3/config/rpcs3/dev_flash"],
        file: None,
        is_firmware: true,
    },
    Need {
        app: "org.libretro.RetroArch",
        name: "System/BIOS directory",
        places: [
            ".config/retroarch/system",
            ".var/app/org.libretro.RetroArch/config/retroarch/system",
        ],
        file: None,
        is_firmware: false,
    },
];

/// What an emulator needs to play a platform; `None` when that is nothing.
pub(super) fn need(app: &App, platform: &str) -> Option<&'static Need> {
    let platform = text::fold(platform.trim());
    let wanted = DISC_CONSOLES.contains(&platform.as_str());
    NEEDS.iter().find(|need| wanted && need.app == app.id)
}

impl Need {
    /// Whether it is there.
    pub(super) fn is_met(&self, machine: &dyn Machine) -> bool {
        self.paths(machine).iter().any(|path| machine.has_content(path))
    }

    /// Where a person puts it.
    pub(super) fn path(&self, machine: &dyn Machine) -> PathBuf {
        machine.home().join(self.places[0])
    }

    /// The expected and the found SHA-1 of the known file, where they differ.
    pub(super) fn drift(&self, machine: &dyn Machine) -> Option<(&'static str, String)> {
        let (file, expected) = self.file?;
        let found = self.paths(machine).into_iter().find_map(|path| machine.sha1(&path.join(file)));
        found.filter(|found| found != expected).map(|found| (expected, found))
    }

    fn paths(&self, machine: &dyn Machine) -> [PathBuf; 2] {
        self.places.map(|place| Path::join(machine.home(), place))
    }
}
