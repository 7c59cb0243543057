//! The file name extensions a folder import accepts, and the platform each one means.
//!
//! An extension of a platform is accepted when it means that platform wherever a file lies, or when
//! the file lies in a folder of a platform that lists it: `.md` is a game in `megadrive` and a text
//! elsewhere. Containers that any platform may use are always accepted.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::platforms::{self, Platform};

/// The platform of a file whose extension does not show its machine.
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
    /// A sheet that names the tracks of one disc, or the image of a disc that stands next to it.
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
    /// The role of such a file.
    pub role: Role,
    /// Points that formats add in the ranking of duplicates; less is better.
    pub rank: i32,
}

const fn rom(suffix: &'static str, platform: &'static str) -> Extension {
    Extension { suffix, platform, role: Role::Rom, rank: 0 }
}

const fn program(suffix: &'static str) -> Extension {
    Extension { suffix, platform: UNKNOWN_PLATFORM, role: Role::Program, rank: 0 }
}

const fn disc(suffix: &'static str, role: Role) -> Extension {
    Extension { suffix, platform: DISC_IMAGE, role, rank: PLAYLIST_RANK }
}

const fn archive(suffix: &'static str, rank: i32) -> Extension {
    Extension { suffix, platform: UNKNOWN_PLATFORM, role: Role::Rom, rank }
}

/// Extensions that any platform may use.
const GENERIC: [Extension; 16] = [
    program("sh"),
    program("appimage"),
    program("exe"),
    program("dol"),
    program("elf"),
    rom("iso", DISC_IMAGE),
    rom("ciso", DISC_IMAGE),
    rom("rom", UNKNOWN_PLATFORM),
    Extension { role: Role::CueSheet, ..rom("ccd", DISC_IMAGE) },
    Extension { role: Role::CueSheet, ..rom("mds", DISC_IMAGE) },
    archive("zip", 1),
    archive("7z", 1),
    archive("rar", 0),
    disc("m3u", Role::Playlist),
    disc("cue", Role::CueSheet),
    disc("chd", Role::Rom),
];

/// Extensions of platforms whose files are executables.
const PROGRAMS: [&str; 3] = ["pbp", "xex", "xbe"];

/// Extensions of platforms that are sheets.
const SHEETS: [&str; 2] = ["gdi", "toc"];

/// Extensions that follow another one, which says what the file is.
const SECOND: [&str; 2] = ["gz", "png"];

/// Extensions of archives.
const ARCHIVES: [&str; 3] = ["zip", "7z", "rar"];

/// What converters of discs write before the extension.
const MARKS: [&str; 2] = [".nkit", ".xiso"];

/// Names of files that come with games and are not games, whatever the extension says.
const PAPERS: [&str; 7] =
    ["readme", "license", "licence", "copying", "changelog", "contributing", "news"];

/// How the names of programs begin that are installed with games for Windows and are none themselves.
const COMPANIONS: [&str; 13] = [
    "unins0",
    "unitycrashhandler",
    "crashpad_handler",
    "crashreportclient",
    "crashreporter",
    "notification_help",
    "quicksfv",
    "ue4prereqsetup",
    "ueprereqsetup",
    "vcredist",
    "vc_redist",
    "dxsetup",
    "dxwebsetup",
];

/// The extension of parts that titles of the Switch are made of, firmware too, and the hex digits that their
/// names have then.
const CONTENT: &str = "nca";
const CONTENT_ID: usize = 32;

/// Every known extension by suffix: the generic ones and those of the platforms.
static TABLE: LazyLock<BTreeMap<&'static str, Extension>> = LazyLock::new(|| {
    let of_platforms = platforms::extensions().map(|suffix| {
        let platform = platforms::usual(suffix).map_or(UNKNOWN_PLATFORM, |found| found.name);
        let role = match suffix {
            _ if PROGRAMS.contains(&suffix) => Role::Program,
            _ if SHEETS.contains(&suffix) => Role::CueSheet,
            _ => Role::Rom,
        };
        Extension { suffix, platform, role, rank: 0 }
    });
    // A generic entry replaces that of a platform.
    of_platforms.chain(GENERIC).map(|extension| (extension.suffix, extension)).collect()
});

/// Whether it is an extension of executables of a console.
pub fn is_of_console(extension: &Extension) -> bool {
    PROGRAMS.contains(&extension.suffix)
}

/// Whether it is an extension of a disc, of several platforms or of one alone.
pub fn is_disc(extension: &Extension) -> bool {
    extension.platform == DISC_IMAGE || extension.role == Role::CueSheet
}

/// The extension of a file name given as bytes: what stands after its last dot, in any case. A name
/// that begins with its only dot has none, and papers and programs that come with games have none that
/// counts.
pub fn find(name: &[u8]) -> Option<&'static Extension> {
    let extension = TABLE.get(suffix_of(name)?.as_str())?;
    let stem = &name[..name.len() - extension.suffix.len() - 1];
    let is_paper = PAPERS.iter().any(|paper| stem.eq_ignore_ascii_case(paper.as_bytes()));
    let begins = |start: &&str| {
        stem.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start.as_bytes()))
    };
    let is_companion = extension.suffix == "exe" && COMPANIONS.iter().any(begins);
    let is_content = extension.suffix == CONTENT
        && stem.len() == CONTENT_ID
        && stem.iter().all(u8::is_ascii_hexdigit);
    (!is_paper && !is_companion && !is_content).then_some(extension)
}

/// Whether a file with this extension is a game in a folder of this platform, judged without its content.
pub fn is_accepted(extension: &Extension, folder: Option<&Platform>) -> bool {
    is_generic(extension)
        || platforms::usual(extension.suffix).is_some()
        || folder.is_some_and(|platform| platform.lists(extension.suffix))
}

/// Whether [`platform_of`] leaves no doubt: the folder decides, or the extension is of one platform.
pub fn is_certain(extension: &Extension, folder: Option<&Platform>) -> bool {
    let is_listed = |platform: &Platform| {
        platform.lists(extension.suffix) || platforms::usual(extension.suffix).is_none()
    };
    platforms::owner(extension.suffix).is_some() || folder.is_some_and(is_listed)
}

/// The platform of a file with an accepted extension. The folder decides, unless the extension
/// means another platform and the platform of the folder does not list it.
pub fn platform_of(extension: &Extension, folder: Option<&'static Platform>) -> &'static str {
    let contradicts = |platform: &&Platform| {
        platforms::usual(extension.suffix).is_some() && !platform.lists(extension.suffix)
    };
    folder.filter(|platform| !contradicts(platform)).map_or(extension.platform, |found| found.name)
}

fn is_generic(extension: &Extension) -> bool {
    GENERIC.iter().any(|generic| generic.suffix == extension.suffix)
}

/// A file name without its extension and the mark of a converter.
pub fn stem(name: &str) -> &str {
    match find(name.as_bytes()) {
        Some(extension) => stem_before(name, extension),
        None => without_mark(name.rsplit_once('.').map_or(name, |(stem, _)| stem)),
    }
}

/// A file name without this extension, the mark of a converter, and the extension of the file that an archive
/// is made of (`Title.gba.zip`).
pub fn stem_before<'a>(name: &'a str, extension: &Extension) -> &'a str {
    let stem = &name[..name.len() - extension.suffix.len() - 1];
    without_mark(packed(name, extension).map_or(stem, |(stem, _)| stem))
}

/// The stem of the file that an archive is made of, and its extension.
fn packed<'a>(name: &'a str, extension: &Extension) -> Option<(&'a str, &'static Extension)> {
    if !ARCHIVES.contains(&extension.suffix) {
        return None;
    }
    let inner = &name[..name.len() - extension.suffix.len() - 1];
    let own = find(inner.as_bytes())?;
    let is_told = platforms::usual(own.suffix).is_some() || own.platform == DISC_IMAGE;
    is_told.then(|| (&inner[..inner.len() - own.suffix.len() - 1], own))
}

/// The platform of the file that an archive is made of, by the name of the archive.
pub fn packed_platform(name: &str, extension: &Extension) -> Option<&'static str> {
    let (_, own) = packed(name, extension)?;
    platforms::usual(own.suffix).map(|platform| platform.name)
}

/// A stem without the mark of a converter: that of `Title.nkit` is `Title`.
fn without_mark(stem: &str) -> &str {
    let marked = |mark: &&str| {
        let start = stem.len().checked_sub(mark.len()).filter(|start| *start > 0)?;
        let end = stem.get(start..)?;
        end.eq_ignore_ascii_case(mark).then(|| &stem[..start])
    };
    MARKS.iter().find_map(marked).unwrap_or(stem)
}

/// What stands after the last dot of a name, in lower case. Cartridges in pictures (`.p8.png`) and games that
/// are compressed by themselves (`.iso.gz`) have two extensions, which count together where the table has both.
fn suffix_of(name: &[u8]) -> Option<String> {
    let dot_before = |end: usize| name[..end].iter().rposition(|byte| *byte == b'.');
    let behind =
        |dot: usize| std::str::from_utf8(&name[dot + 1..]).ok().map(str::to_ascii_lowercase);
    let dot = dot_before(name.len()).filter(|at| *at > 0)?;
    let last = behind(dot)?;
    let double = || {
        let both = behind(dot_before(dot).filter(|at| *at > 0)?)?;
        TABLE.contains_key(both.as_str()).then_some(both)
    };
    let both = if SECOND.contains(&last.as_str()) { double() } else { None };
    Some(both.unwrap_or(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, platform: Option<&str>) {
        assert_eq!(find(name.as_bytes()).map(|extension| extension.platform), platform, "{name}");
    }

    #[test]
    fn every_generic_extension_is_accepted_anywhere() {
        for generic in &GENERIC {
            let name = format!("Game.{}", generic.suffix);
            assert_eq!(find(name.as_bytes()), Some(generic), "{name}");
        }
    }

    #[track_caller]
    fn check_in(folder: &str, names: &[&str], expected: Option<&str>) {
        let folder = platforms::by_folder(folder);
        for name in names {
            let found = find(name.as_bytes());
            let found = found.filter(|extension| is_accepted(extension, folder));
            let platform = found.map(|extension| platform_of(extension, folder));
            assert_eq!(platform, expected, "{name}");
        }
    }

    #[test]
    fn the_folder_decides_what_extensions_share() {
        check_in("megadrive", &["A.md", "A.bin", "A.zip", "A.GEN"], Some("Sega Genesis"));
        check_in("wii", &["A.rvz", "A.iso", "A.wad"], Some("Wii"));
        check_in("psx", &["A.pbp", "A.chd", "A.cue", "A.bin", "A.m3u"], Some("PlayStation"));
        check_in("gbc", &["A.gb", "A.gbc"], Some("Game Boy Color"));
        check_in("pico8", &["A.p8.png", "A.p8"], Some("PICO-8"));
    }

    #[test]
    fn an_extension_of_one_platform_wins_over_a_folder_that_does_not_list_it() {
        check_in("snes", &["A.nes"], Some("NES"));
        check_in("nes", &["A.sfc"], Some("SNES"));
        check_in("snes", &["A.rvz"], Some("GameCube"));
    }

    #[test]
    fn what_other_things_use_is_a_game_only_in_a_folder_of_its_platform() {
        check_in(
            "roms",
            &["A.md", "A.bin", "A.dsk", "A.img", "A.love", "A.desktop", "A.txt"],
            None,
        );
        let companions = [
            "unins000.exe",
            "UnityCrashHandler64.exe",
            "VC_redist.x64.exe",
            "dxsetup.EXE",
            "CrashReporter.exe",
            "notification_help.exe",
        ];
        check_in("windows", &companions, None);
        check_in("windows", &["Unins.exe", "Game.exe"], Some("Windows"));
        check_in("switch", &["0a1b2c3d4e5f60718293a4b5c6d7e8f9.nca"], None);
        check_in("switch", &["Game.nca"], Some("Nintendo Switch"));
        check_in("megadrive", &["README.md", "License.md", "A.txt", "md", ".md", "A.png"], None);
        check_in("pico8", &["A.png"], None);
        check_in("love", &["A.love"], Some("LOVE"));
        check_in("roms", &["A.iso.gz", "A.d64.gz", "A.gz"], None);
        check_in("nes", &["A.nes.gz", "A.iso.gz"], None);
        check_in("ps2", &["A.iso.gz", "A (USA).v1.ISO.GZ"], Some("PlayStation 2"));
        check_in("ps2", &["A.gz", "A.d64.gz", "A.tar.gz", ".iso.gz"], None);
        check_in("c64", &["A.d64.gz", "A.prg.gz"], Some("Commodore 64"));
        check_in("zxspectrum", &["A.tzx.gz"], Some("ZX Spectrum"));
        check_in("atari800", &["A.atr.gz"], Some("Atari 8-bit"));
        check_in("atari2600", &["A.a26.gz"], Some("Atari 2600"));
        check_in("roms", &["A.p8.png", "A.P8"], Some("PICO-8"));
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
    fn a_stem_has_no_part_of_the_extension() {
        for (name, expected) in [
            ("A.b.p8.png", "A.b"),
            ("A.P8.PNG", "A"),
            ("A (USA).iso.gz", "A (USA)"),
            ("Pokemon Emerald (USA).gba.zip", "Pokemon Emerald (USA)"),
            ("Mario 64 (USA).n64.zip", "Mario 64 (USA)"),
            ("Mario Kart.NDS.7z", "Mario Kart"),
            ("Crash (USA).iso.zip", "Crash (USA)"),
            ("Dr. Mario.zip", "Dr. Mario"),
            ("Game.exe.zip", "Game.exe"),
            (".gba.zip", ".gba"),
            ("a.nes", "a"),
            ("a.x.y", "a.x"),
            ("a", "a"),
        ] {
            assert_eq!(stem(name), expected, "{name}");
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
        check("ReadMe.MD", None);
        check("", None);
    }
}
