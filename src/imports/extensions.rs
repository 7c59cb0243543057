//! The file name extensions a folder import accepts, and the platform each one means.
//!
//! Only the extension decides the platform: folder names are not considered, and an archive could
//! hold anything, so it gets [`UNKNOWN_PLATFORM`].

/// The platform of a file whose extension says nothing about its machine.
pub const UNKNOWN_PLATFORM: &str = "Imported";

/// The platform of disc images, which many machines share.
pub const DISC_IMAGE: &str = "Disc image";

/// The ranking points of the formats that describe a whole disc or game.
pub const PLAYLIST_RANK: i32 = -2;

/// What a file is to an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A dump of one game, named after it.
    Rom,
    /// An executable. Every game may call its own `start.sh` or `EBOOT.PBP`, so the name means
    /// something only within its folder.
    Program,
    /// A cue sheet: names the tracks of one disc.
    CueSheet,
    /// A playlist: names the discs of one game.
    Playlist,
}

/// One accepted extension.
#[derive(Debug, PartialEq, Eq)]
pub struct Extension {
    /// Lower-case, without the dot.
    pub suffix: &'static str,
    /// The platform it means.
    pub platform: &'static str,
    /// What such a file is.
    pub role: Role,
    /// Points that formats add in the ranking of duplicates; less is better.
    pub rank: i32,
}

const fn rom(suffix: &'static str, platform: &'static str) -> Extension {
    Extension { suffix, platform, role: Role::Rom, rank: 0 }
}

const fn program(suffix: &'static str, platform: &'static str) -> Extension {
    Extension { suffix, platform, role: Role::Program, rank: 0 }
}

const fn disc(suffix: &'static str, role: Role) -> Extension {
    Extension { suffix, platform: DISC_IMAGE, role, rank: PLAYLIST_RANK }
}

const fn archive(suffix: &'static str, rank: i32) -> Extension {
    Extension { suffix, platform: UNKNOWN_PLATFORM, role: Role::Rom, rank }
}

/// Every accepted extension.
pub const EXTENSIONS: &[Extension] = &[
    program("sh", UNKNOWN_PLATFORM),
    program("appimage", UNKNOWN_PLATFORM),
    program("exe", UNKNOWN_PLATFORM),
    rom("iso", DISC_IMAGE),
    rom("rom", UNKNOWN_PLATFORM),
    rom("nes", "NES"),
    rom("sfc", "SNES"),
    rom("smc", "SNES"),
    rom("gba", "Game Boy Advance"),
    rom("gb", "Game Boy"),
    rom("gbc", "Game Boy Color"),
    archive("zip", 1),
    archive("7z", 1),
    archive("rar", 0),
    disc("m3u", Role::Playlist),
    disc("cue", Role::CueSheet),
    disc("chd", Role::Rom),
    rom("wbfs", "Wii"),
    rom("rvz", "GameCube"),
    rom("n64", "Nintendo 64"),
    rom("z64", "Nintendo 64"),
    rom("v64", "Nintendo 64"),
    rom("nds", "Nintendo DS"),
    rom("3ds", "Nintendo 3DS"),
    rom("cia", "Nintendo 3DS"),
    program("pbp", "PSP"),
    rom("vpk", "PlayStation Vita"),
    rom("xci", "Nintendo Switch"),
    rom("nsp", "Nintendo Switch"),
    rom("wad", "WiiWare"),
    rom("ciso", DISC_IMAGE),
    rom("gcm", "GameCube"),
    rom("gcz", "GameCube"),
    rom("wia", "Wii"),
    program("dol", UNKNOWN_PLATFORM),
    program("elf", UNKNOWN_PLATFORM),
    program("xex", "Xbox 360"),
];

/// The accepted extension of a file name given as bytes: what stands after its last dot, in any
/// case. A name that begins with its only dot has none.
pub fn find(name: &[u8]) -> Option<&'static Extension> {
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0)?;
    let suffix = &name[dot + 1..];
    EXTENSIONS.iter().find(|extension| suffix.eq_ignore_ascii_case(extension.suffix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, platform: Option<&str>) {
        assert_eq!(find(name.as_bytes()).map(|extension| extension.platform), platform, "{name}");
    }

    #[test]
    fn knows_exactly_the_contract_list() {
        let listed = ".sh, .appimage, .exe, .iso, .rom, .nes, .sfc, .smc, .gba, .gb, .gbc, .zip, \
            .7z, .rar, .m3u, .cue, .chd, .wbfs, .rvz, .n64, .z64, .v64, .nds, .3ds, .cia, .pbp, \
            .vpk, .xci, .nsp, .wad, .ciso, .gcm, .gcz, .wia, .dol, .elf, .xex";
        let ours: Vec<String> =
            EXTENSIONS.iter().map(|extension| format!(".{}", extension.suffix)).collect();
        assert_eq!(ours.join(", "), listed);
    }

    #[test]
    fn infers_the_platform_from_the_extension() {
        for (suffixes, platform) in [
            ("nes", "NES"),
            ("sfc smc", "SNES"),
            ("n64 z64 v64", "Nintendo 64"),
            ("gb", "Game Boy"),
            ("gbc", "Game Boy Color"),
            ("gba", "Game Boy Advance"),
            ("nds", "Nintendo DS"),
            ("3ds cia", "Nintendo 3DS"),
            ("xci nsp", "Nintendo Switch"),
            ("rvz gcm gcz", "GameCube"),
            ("wbfs wia", "Wii"),
            ("wad", "WiiWare"),
            ("pbp", "PSP"),
            ("vpk", "PlayStation Vita"),
            ("xex", "Xbox 360"),
            ("iso cue chd ciso m3u", "Disc image"),
            ("sh appimage exe rom rar dol zip 7z elf", "Imported"),
        ] {
            for suffix in suffixes.split(' ') {
                check(&format!("Game.{suffix}"), Some(platform));
            }
        }
    }

    #[test]
    fn takes_the_last_dot_in_any_case() {
        check("Game.v1.NES", Some("NES"));
        check("a\nb.Sfc", Some("SNES"));
        check("-.nes", Some("NES"));
        check("..nes", Some("NES"));
        check(".nes", None);
        check("nes", None);
        check("Game.nes.", None);
        check("Game.nes ", None);
        check("Game.txt", None);
        check("", None);
    }
}
