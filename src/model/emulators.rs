//! The emulators the launcher knows out of the box: what each plays and how it is started.
//!
//! One table, read by imports (which emulator to recommend for a platform) and by launching (which
//! command to detect for it). Its order is the order in which recommendations are shown.

/// How one emulator plays the files of one platform.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// Unique name of this row, `<emulator>-<platform>`.
    pub id: &'static str,
    /// The emulator.
    pub app: &'static App,
    /// The platform it plays.
    pub platform: &'static str,
    /// The file name extensions it takes, lower-case, without dot.
    pub extensions: &'static [&'static str],
    /// The arguments behind the executable; `{path}` stands for the file.
    pub arguments: &'static [&'static str],
    /// Among the definitions of a platform the lowest is tried first.
    pub priority: u16,
}

/// One emulator, whatever the number of platforms it plays.
#[derive(Debug, PartialEq, Eq)]
pub struct App {
    /// The id of its sandboxed package.
    pub id: &'static str,
    /// Its display name.
    pub name: &'static str,
    /// Its executable on the search path when it is installed natively.
    pub executable: &'static str,
}

const CEMU: App = App { id: "info.cemu.Cemu", name: "Cemu", executable: "cemu" };
const DOLPHIN: App =
    App { id: "org.DolphinEmu.dolphin-emu", name: "Dolphin", executable: "dolphin-emu" };
const DUCKSTATION: App =
    App { id: "org.duckstation.DuckStation", name: "DuckStation", executable: "duckstation-qt" };
const EDEN: App = App { id: "io.github.eden-emu.eden", name: "Eden", executable: "eden" };
const MAME: App = App { id: "org.mamedev.MAME", name: "MAME", executable: "mame" };
const MELONDS: App = App { id: "net.kuribo64.melonDS", name: "melonDS", executable: "melonDS" };
const PCSX2: App = App { id: "net.pcsx2.PCSX2", name: "PCSX2", executable: "pcsx2-qt" };
const PPSSPP: App = App { id: "org.ppsspp.PPSSPP", name: "PPSSPP", executable: "ppsspp" };
const RETROARCH: App =
    App { id: "org.libretro.RetroArch", name: "RetroArch", executable: "retroarch" };
const RPCS3: App = App { id: "net.rpcs3.RPCS3", name: "RPCS3", executable: "rpcs3" };
const SCUMMVM: App = App { id: "org.scummvm.ScummVM", name: "ScummVM", executable: "scummvm" };
const VITA3K: App = App { id: "org.vita3k.Vita3K", name: "Vita3K", executable: "Vita3K" };
const XEMU: App = App { id: "app.xemu.xemu", name: "xemu", executable: "xemu" };
const XENIA: App = App { id: "org.xenia.Xenia", name: "Xenia", executable: "xenia" };

const fn row(
    id: &'static str,
    app: &'static App,
    platform: &'static str,
    extensions: &'static [&'static str],
    arguments: &'static [&'static str],
    priority: u16,
) -> Definition {
    Definition { id, app, platform, extensions, arguments, priority }
}

const PATH: &[&str] = &["{path}"];
const BATCH: &[&str] = &["-batch", "{path}"];
const DOLPHIN_RUN: &[&str] = &["-b", "-e", "{path}"];

macro_rules! core {
    ($name:literal) => {
        &["-L", concat!("/usr/lib/libretro/", $name, "_libretro.so"), "{path}"]
    };
}

/// Every definition, ordered by id.
#[rustfmt::skip]
pub const DEFINITIONS: &[Definition] = &[
    row("cemu-wiiu", &CEMU, "Wii U", &["wud", "wux", "rpx", "elf"], &["-g", "{path}"], 10),
    row("dolphin-gamecube", &DOLPHIN, "GameCube", &["gcm", "gcz", "rvz"], DOLPHIN_RUN, 10),
    row("dolphin-iso", &DOLPHIN, "GameCube", &["iso", "ciso"], DOLPHIN_RUN, 30),
    row("dolphin-wii", &DOLPHIN, "Wii", &["wbfs", "wad"], DOLPHIN_RUN, 10),
    row("dolphin-wiiware", &DOLPHIN, "WiiWare", &["wad"], DOLPHIN_RUN, 10),
    row("duckstation-psx", &DUCKSTATION, "PlayStation", &["bin", "cue", "img", "iso", "pbp", "chd"], BATCH, 10),
    row("eden-switch", &EDEN, "Nintendo Switch", &["nsp", "xci", "nca", "nro"], PATH, 10),
    row("mame-arcade", &MAME, "Arcade", &["zip", "7z"], PATH, 5),
    row("melonds-nds", &MELONDS, "Nintendo DS", &["nds"], PATH, 5),
    row("pcsx2-ps2", &PCSX2, "PlayStation 2", &["iso", "chd", "ciso"], BATCH, 10),
    row("ppsspp-psp", &PPSSPP, "PSP", &["pbp", "iso", "cso"], PATH, 10),
    row("retroarch-arcade", &RETROARCH, "Arcade", &["zip", "7z"], core!("mame"), 20),
    row("retroarch-gb", &RETROARCH, "Game Boy", &["gb"], core!("gambatte"), 10),
    row("retroarch-gba", &RETROARCH, "Game Boy Advance", &["gba"], core!("mgba"), 10),
    row("retroarch-gbc", &RETROARCH, "Game Boy Color", &["gbc"], core!("gambatte"), 10),
    row("retroarch-n64", &RETROARCH, "Nintendo 64", &["n64", "z64", "v64"], core!("mupen64plus_next"), 10),
    row("retroarch-nes", &RETROARCH, "NES", &["nes"], core!("fceumm"), 10),
    row("retroarch-saturn", &RETROARCH, "Sega Saturn", &["cue", "chd"], core!("yabause"), 20),
    row("retroarch-snes", &RETROARCH, "SNES", &["sfc", "smc"], core!("snes9x"), 10),
    row("rpcs3-ps3", &RPCS3, "PlayStation 3", &["iso"], PATH, 10),
    row("scummvm-scummvm", &SCUMMVM, "ScummVM", &["scummvm"], PATH, 10),
    row("vita3k-vita", &VITA3K, "PlayStation Vita", &["vpk"], PATH, 10),
    row("xemu-xbox", &XEMU, "Xbox", &["iso", "xiso"], &["-dvd_path", "{path}"], 10),
    row("xenia-xbox360", &XENIA, "Xbox 360", &["xex", "iso"], PATH, 10),
];

/// Every emulator once, in the order of the table.
#[must_use]
pub fn apps() -> Vec<&'static App> {
    let mut apps: Vec<&'static App> = Vec::new();
    for definition in DEFINITIONS {
        if apps.iter().all(|app| app.id != definition.app.id) {
            apps.push(definition.app);
        }
    }
    apps
}

/// The emulator with a package id.
#[must_use]
pub fn app(id: &str) -> Option<&'static App> {
    DEFINITIONS.iter().map(|definition| definition.app).find(|app| app.id == id)
}

/// What a definition is called: the emulator and, in brackets, the platform.
#[must_use]
pub fn label(definition: &Definition) -> String {
    format!("{} ({})", definition.app.name, definition.platform)
}

/// The emulators that play a platform, each once, in the order of the table.
#[must_use]
pub fn for_platform(platform: &str) -> Vec<&'static App> {
    let mut apps: Vec<&'static App> = Vec::new();
    for definition in DEFINITIONS.iter().filter(|definition| definition.platform == platform) {
        if apps.iter().all(|app| app.id != definition.app.id) {
            apps.push(definition.app);
        }
    }
    apps
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_is_whole_and_ordered() {
        assert_eq!(DEFINITIONS.len(), 24);
        assert!(DEFINITIONS.is_sorted_by(|a, b| a.id < b.id), "unique ids in order");
        let apps: BTreeSet<&str> = DEFINITIONS.iter().map(|row| row.app.id).collect();
        assert_eq!(apps.len(), 14);
        for row in DEFINITIONS {
            assert_eq!(row.arguments.iter().filter(|word| **word == "{path}").count(), 1);
            assert!(!row.extensions.is_empty(), "{}", row.id);
        }
    }

    #[track_caller]
    fn check(platform: &str, names: &[&str]) {
        let found: Vec<&str> = for_platform(platform).iter().map(|app| app.name).collect();
        assert_eq!(found, names);
    }

    #[test]
    fn recommends_each_app_once() {
        check("GameCube", &["Dolphin"]);
        check("Arcade", &["MAME", "RetroArch"]);
        check("NES", &["RetroArch"]);
        check("Disc image", &[]);
        check("nes", &[]);
    }

    #[test]
    fn cores_are_spelled_as_installed() {
        let nes = DEFINITIONS.iter().find(|row| row.id == "retroarch-nes").expect("in the table");
        assert_eq!(nes.arguments, ["-L", "/usr/lib/libretro/fceumm_libretro.so", "{path}"]);
    }
}
