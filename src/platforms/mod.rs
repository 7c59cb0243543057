//! The platforms: names, folders, extensions, cores and ids of every machine the program knows.
//!
//! `platforms.txt` is the table; its first lines say what its words mean. No other module lists
//! platforms. A game may also have a platform that is not in the table: its name is a text of the
//! user, and rules must accept any.

pub mod firmware;

mod folders;
mod platform;
mod table;

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use crate::base::text;

pub use self::platform::{Base, EmulatorFolder, Kind, OTHER, Platform, Trait};

/// The table in the order of the file.
static TABLE: LazyLock<Vec<Platform>> = LazyLock::new(|| {
    table::parse(include_str!("platforms.txt")).unwrap_or_else(|error| {
        log::error!("the table of platforms cannot be used: {error}");
        Vec::new()
    })
});

/// Positions by folded name.
static NAMES: LazyLock<HashMap<String, &'static Platform>> =
    LazyLock::new(|| all().iter().map(|platform| (text::fold(platform.name), platform)).collect());

/// Platforms by the keys of folder names.
static FOLDERS: LazyLock<HashMap<String, &'static Platform>> =
    LazyLock::new(|| folders::index(all()));

/// The platforms of an extension: those it belongs to first.
static EXTENSIONS: LazyLock<BTreeMap<&'static str, Vec<&'static Platform>>> = LazyLock::new(|| {
    let mut index: BTreeMap<&'static str, Vec<&'static Platform>> = BTreeMap::new();
    for platform in all() {
        for extension in platform.extensions() {
            index.entry(extension).or_default().push(platform);
        }
    }
    for (extension, platforms) in &mut index {
        platforms.sort_by_key(|platform| {
            let is_own = platform.own_extensions.contains(extension);
            (!is_own, !platform.usual_extensions.contains(extension))
        });
    }
    index
});

/// Every platform, in the order of the table.
pub fn all() -> &'static [Platform] {
    &TABLE
}

/// The platform of this name, in any case and with blanks around it.
pub fn by_name(name: &str) -> Option<&'static Platform> {
    NAMES.get(&text::fold(name.trim())).copied()
}

/// Positions by folded name in the databases of LaunchBox and libretro.
static LISTED: LazyLock<HashMap<String, &'static Platform>> = LazyLock::new(|| {
    let mut index = HashMap::new();
    for platform in all() {
        for name in [platform.metadb, platform.libretro].into_iter().filter(|name| !name.is_empty())
        {
            index.entry(text::fold(name)).or_insert(platform);
        }
    }
    index
});

/// The platform of this name, or of this name in the databases of LaunchBox and libretro, which other
/// programs use.
pub fn by_listed_name(name: &str) -> Option<&'static Platform> {
    by_name(name).or_else(|| LISTED.get(&text::fold(name.trim())).copied())
}

/// The names of the platforms whose games are sets.
static SETS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let sets = all().iter().filter(|platform| platform.traits.contains(&Trait::Sets));
    sets.map(|platform| platform.name).collect()
});

/// Whether the games of a platform are sets, known by name, whose high scores are kept. Asked for every
/// game, so it compares without a copy.
pub fn has_sets(name: &str) -> bool {
    SETS.iter().any(|known| known.eq_ignore_ascii_case(name.trim()))
}

/// The platform of this name or of this name of a folder.
pub fn by_any_name(name: &str) -> Option<&'static Platform> {
    by_name(name).or_else(|| by_folder(name))
}

/// The family of a platform by any of its names: what games of it have in common with those of
/// another one. [`OTHER`] is not a family.
pub fn family_of(name: &str) -> &'static str {
    by_any_name(name).map_or(OTHER, |platform| platform.family)
}

/// The platform that a folder of this name holds games of. Case, blanks and punctuation do not count, nor
/// does anything in brackets at the end; the maker may stand in front (`Sony - PlayStation (2026)`).
pub fn by_folder(name: &str) -> Option<&'static Platform> {
    folders::find(&FOLDERS, name)
}

/// Every extension of the table, each once: lower case, without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    EXTENSIONS.keys().copied()
}

/// The platforms whose games can have this extension (lower case, without the dot): the one it
/// belongs to first, then the one it usually means.
pub fn by_extension(extension: &str) -> &'static [&'static Platform] {
    EXTENSIONS.get(extension).map_or(&[], Vec::as_slice)
}

/// The platform that an extension (lower case, without the dot) means wherever a file lies.
pub fn owner(extension: &str) -> Option<&'static Platform> {
    let first = by_extension(extension).first().copied();
    first.filter(|platform| platform.own_extensions.contains(&extension))
}

/// The platform that an extension means when nothing else decides: its owner, else the usual one.
pub fn usual(extension: &str) -> Option<&'static Platform> {
    let first = by_extension(extension).first().copied();
    owner(extension)
        .or_else(|| first.filter(|platform| platform.usual_extensions.contains(&extension)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_is_whole() {
        let table = table::parse(include_str!("platforms.txt")).expect("a valid table");
        assert!(table.len() > 150);
        let names: BTreeSet<String> =
            table.iter().map(|platform| text::fold(platform.name)).collect();
        assert_eq!(names.len(), table.len(), "names are unique");
        for platform in &table {
            let name = platform.name;
            assert!((1971..=2030).contains(&platform.year), "{name}");
            let like = |other: &Platform| other.name == platform.like && other.like.is_empty();
            assert!(platform.like.is_empty() || table.iter().any(like), "{name}");
            let extensions: Vec<&str> = platform.extensions().collect();
            let unique: BTreeSet<&&str> = extensions.iter().collect();
            assert_eq!(unique.len(), extensions.len(), "{name} lists an extension twice");
            for extension in extensions {
                let is_plain = |letter: char| {
                    letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '.'
                };
                assert!(extension.chars().all(is_plain), "{name}: {extension}");
            }
        }
    }

    #[test]
    fn an_extension_belongs_to_at_most_one_platform() {
        for (extension, platforms) in &*EXTENSIONS {
            let claim = |platform: &&&Platform| {
                platform.own_extensions.contains(extension)
                    || platform.usual_extensions.contains(extension)
            };
            assert!(platforms.iter().filter(claim).count() <= 1, "{extension}");
        }
    }

    #[track_caller]
    fn check_extension(extension: &str, expected_owner: Option<&str>, expected: Option<&str>) {
        assert_eq!(owner(extension).map(|platform| platform.name), expected_owner, "{extension}");
        assert_eq!(usual(extension).map(|platform| platform.name), expected, "{extension}");
    }

    #[test]
    fn extensions_mean_platforms() {
        for (extensions, platform) in [
            ("nes", "NES"),
            ("sfc smc", "SNES"),
            ("n64 z64 v64", "Nintendo 64"),
            ("gb", "Game Boy"),
            ("gbc", "Game Boy Color"),
            ("gba", "Game Boy Advance"),
            ("nds dsi", "Nintendo DS"),
            ("3ds cia cci cxi", "Nintendo 3DS"),
            ("xci nsp", "Nintendo Switch"),
            ("wbfs", "Wii"),
            ("vpk", "PlayStation Vita"),
            ("pce", "PC Engine"),
            ("gen smd", "Sega Genesis"),
            ("tzx z80", "ZX Spectrum"),
        ] {
            for extension in extensions.split(' ') {
                check_extension(extension, Some(platform), Some(platform));
            }
        }
        for (extensions, platform) in [
            ("rvz gcm gcz", "GameCube"),
            ("wia", "Wii"),
            ("wad", "WiiWare"),
            ("pbp cso", "PSP"),
            ("xex", "Xbox 360"),
            ("gdi cdi", "Dreamcast"),
        ] {
            for extension in extensions.split(' ') {
                check_extension(extension, None, Some(platform));
            }
        }
        for extension in ["iso", "bin", "md", "rom", "zip", "txt", ""] {
            check_extension(extension, None, None);
        }
        assert!(by_extension("rvz").iter().any(|platform| platform.name == "Wii"));
        assert!(by_name("Wii").is_some_and(|wii| wii.lists("rvz") && !wii.lists("nes")));
        assert!(by_extension("txt").is_empty());
    }

    #[test]
    fn traits_are_found_by_name() {
        for name in ["Arcade", " mame ", "FINALBURN NEO"] {
            assert!(has_sets(name), "{name}");
        }
        assert!(!has_sets("Neo Geo") && !has_sets(""));
        let desktop = |name: &str| {
            by_any_name(name).is_some_and(|found| found.traits.contains(&Trait::Desktop))
        };
        assert!(desktop("macOS") && desktop("pc") && desktop("Linux") && !desktop("DOS"));
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(by_name(" playstation 2 ").map(|found| found.name), Some("PlayStation 2"));
        assert_eq!(by_name("Playstation2"), None);
        let listed = |name: &str| by_listed_name(name).map(|found| found.name);
        assert_eq!(listed("Super Nintendo Entertainment System"), Some("SNES"));
        assert_eq!(listed(" Sony Playstation 2"), Some("PlayStation 2"));
        assert_eq!(listed("Sega - Mega Drive - Genesis"), Some("Sega Genesis"));
        assert_eq!(
            (listed("PC"), listed("DOS"), listed("genesis")),
            (Some("PC"), Some("DOS"), None)
        );
        assert_eq!(by_name(""), None);
        for name in ["Windows", "Arcade", "MAME", "Wii"] {
            assert_eq!(by_folder(name).map(|found| found.name), Some(name), "{name}");
        }
        let database = |name: &str| by_any_name(name).map(|found| found.metadb);
        for (name, expected) in
            [("PC", "Windows"), ("pc", "Windows"), ("mame", "Arcade"), ("WiiWare", "Nintendo Wii")]
        {
            assert_eq!(database(name), Some(expected), "{name}");
        }
    }
}
