//! Known firmware: its checksums and the names of its files.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Sums by file.
static SUMS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("firmware.txt").lines().filter(|line| !line.starts_with('#'));
    let mut rows = lines.map(|line| line.split(' '));
    rows.by_ref().filter_map(|mut row| Some((row.next()?, row.collect()))).collect()
});

/// The names of all files of firmware, without their folders, in lower case.
static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let groups = |platform: &'static super::Platform| platform.needs.iter().flatten();
    let files = super::all().iter().flat_map(|each| groups(each).chain(&each.wants));
    files.map(|file| file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase()).collect()
});

/// Further names of files, in lower case, with the platforms in whose folders they are firmware.
static FURTHER: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("firmware-names.txt").lines().filter(|line| !line.starts_with('#'));
    let mut further: HashMap<String, Vec<&str>> = HashMap::new();
    for (platforms, files) in lines.filter_map(|line| line.split_once(": ")) {
        for file in files.split(", ") {
            for file in each_digit(file) {
                further.entry(file).or_default().extend(platforms.split(", "));
            }
        }
    }
    further
});

/// The names that one name of the list stands for.
fn each_digit(file: &str) -> Vec<String> {
    match file.split_once("[0-9]") {
        Some((start, end)) => (0..=9).map(|digit| format!("{start}{digit}{end}")).collect(),
        None => vec![file.to_owned()],
    }
}

/// Sets that arcade emulators need for others and that are no game: systems, boards and chips.
const SETS: [&str; 79] = [
    "acpsx",
    "aes",
    "airlbios",
    "aleck64",
    "alg_bios",
    "ar_bios",
    "atarisy1",
    "atpsx",
    "awbios",
    "bctvidbs",
    "bubsys",
    "cchip",
    "channelf",
    "chihiro",
    "coh1000c",
    "coh1000t",
    "coh1000w",
    "coh1002e",
    "coh1002m",
    "coh1002v",
    "coh3002c",
    "coleco",
    "cpzn1",
    "cpzn2",
    "crysbios",
    "cvs",
    "decocass",
    "f355bios",
    "f355dlx",
    "fdsbios",
    "galgbios",
    "gq863",
    "hikaru",
    "hng64",
    "hod2bios",
    "isgsm",
    "iteagle",
    "konamigx",
    "kviper",
    "lindbios",
    "macsbios",
    "maxaflex",
    "megaplay",
    "megatech",
    "midssio",
    "namcoc69",
    "namcoc70",
    "namcoc75",
    "naomi",
    "naomi2",
    "naomigd",
    "neocdz",
    "neogeo",
    "ngp",
    "nmk004",
    "nss",
    "pgm",
    "playch10",
    "qsound",
    "qsound_hle",
    "sammymdl",
    "segasp",
    "shtzone",
    "skns",
    "spec128",
    "spec1282a",
    "spectrum",
    "stvbios",
    "sys246",
    "sys256",
    "sys573",
    "taitofx1",
    "taitogn",
    "taitotz",
    "tps",
    "triforce",
    "vspsx",
    "ym2413",
    "ym2608",
];
/// The extensions of archives with a set.
const ARCHIVES: [&str; 2] = [".zip", ".7z"];
/// The console whose cartridges are sets of arcade emulators.
const NEO_GEO: &str = "Neo Geo";

/// Characters of the name of the firmware of a PlayStation, which tells the model: `scph7001.bin`; a letter may
/// follow the digits.
const MODEL: std::ops::RangeInclusive<usize> = 3..=5;

/// Whether a file of this name among those of a platform is firmware and no game.
pub fn is_named_in(platform: &str, name: &str) -> bool {
    let has_sets = || {
        super::by_name(platform)
            .is_some_and(|known| known.kind == super::Kind::Arcade || known.name == NEO_GEO)
    };
    is_named(name) || is_further(platform, name) || is_set(name) && has_sets()
}

/// Whether a file of this name is firmware in folders of this platform, or in those of none.
fn is_further(platform: &str, name: &str) -> bool {
    let platforms = FURTHER.get(name.to_ascii_lowercase().as_str());
    platforms.is_some_and(|platforms| {
        platforms.contains(&platform) || super::by_name(platform).is_none()
    })
}

fn is_set(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let set = ARCHIVES.iter().find_map(|ending| name.strip_suffix(ending));
    set.is_some_and(|set| SETS.contains(&set))
}

/// Whether a file of this name is firmware of a console and no game.
fn is_named(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.contains(&name) || name.strip_suffix(".bin").is_some_and(is_of_playstation)
}

/// Whether a stem is that of the firmware of a PlayStation: `scph-7001`, `scph102a`, `scph-70012_bios_v12`,
/// `ps2-0230a-20080220`.
fn is_of_playstation(stem: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(rest) = stem.strip_prefix("scph") {
        let model = rest.trim_start_matches(['-', '_']).split('(').next().unwrap_or_default();
        let digits = model.strip_suffix(|last: char| last.is_ascii_alphabetic()).unwrap_or(model);
        let is_model = MODEL.contains(&digits.len()) && is_number(digits);
        return is_model || rest.contains("bios");
    }
    let mut parts = stem.split('-');
    let mut is_next = |length: usize| {
        let start = parts.next().and_then(|part| part.get(..length));
        start.is_some_and(is_number)
    };
    stem.starts_with("ps2-") && { is_next(0) && is_next(4) && is_next(8) }
}

/// The SHA-1 sums, in lower-case hex, that a file of firmware may have; empty when none is known. A file
/// is named by its path below the system folder of RetroArch.
pub fn sums(file: &str) -> &'static [&'static str] {
    SUMS.get(file).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platforms;

    #[test]
    fn files_of_firmware_are_known_by_their_names() {
        for name in [
            "scph5501.bin",
            "SCPH7001.BIN",
            "scph-1002.bin",
            "scph70004.bin",
            "gba_bios.bin",
            "Disksys.ROM",
            "IPL.n64",
            "syscard3.pce",
            "scph102A.bin",
            "scph9002(7502).bin",
            "SCPH-70012_BIOS_V12_USA_200.BIN",
            "ps2-0230a-20080220.bin",
            "ps2-0120j-20001027-185015.bin",
        ] {
            assert!(is_named(name), "{name}");
        }
        for name in [
            "scph.bin",
            "scph12.bin",
            "scphabcd.bin",
            "game.bin",
            "SCPH-1001 Demo.bin",
            "ps2-demo.bin",
            "ps2-0230a.bin",
            "",
        ] {
            assert!(!is_named(name), "{name}");
        }
    }

    #[test]
    fn further_names_count_in_folders_of_their_platform_or_of_none() {
        for (platform, name) in [
            ("Dreamcast", "flash.bin"),
            ("Sega Genesis", "bios_MD.bin"),
            ("PC Engine", "syscard2u.pce"),
            ("Amiga", "kick13.rom"),
            ("MSX", "DISK.ROM"),
            ("ZX Spectrum", "plus3-0.rom"),
            ("SNES", "dsp1b.program.rom"),
            ("Imported", "ATARIXL.ROM"),
            ("NES", "boot0.rom"),
            ("DOS", "boot1.rom"),
            ("PlayStation", "BOOT.ROM"),
            ("Sega Saturn", "cart.rom"),
            ("PC Engine CD", "cd_bios.rom"),
            ("Neo Geo", "uni-bios_4_0.rom"),
        ] {
            assert!(is_named_in(platform, name), "{platform}: {name}");
        }
        for (platform, name) in [
            ("NES", "disk.rom"),
            ("Sega Genesis", "flash.bin"),
            ("NES", "cart.rom"),
            ("Amstrad GX4000", "boot.rom"),
            ("MSX", "boot camp.rom"),
        ] {
            assert!(!is_named_in(platform, name), "{platform}: {name}");
        }
        for (file, platforms) in &*FURTHER {
            assert_eq!(*file, file.to_ascii_lowercase());
            // Machines that are no platforms of the table have the last lines.
            let is_known = |name: &&str| platforms::by_name(name).is_some();
            assert!(platforms.iter().all(is_known) || platforms.len() == 1, "{file}");
        }
    }

    #[test]
    fn sets_of_arcades_without_a_game_are_firmware_among_arcade_games() {
        for name in ["neogeo.zip", "PGM.zip", "qsound.7z"] {
            for platform in ["MAME", "FinalBurn Neo", "Arcade", "Neo Geo"] {
                assert!(is_named_in(platform, name), "{platform}: {name}");
            }
            assert!(!is_named_in("PC", name) && !is_named_in("", name), "{name}");
        }
        for name in ["mslug.zip", "konamigv.zip", "neogeo", "neogeo.txt", "cvs.chd"] {
            assert!(!is_named_in("MAME", name), "{name}");
        }
        assert!(is_named_in("PlayStation", "scph5501.bin"));
    }

    #[test]
    fn every_sum_is_one_and_belongs_to_a_platform() {
        let all = || platforms::all().iter();
        let named = |file: &str| {
            all().any(|each| {
                each.wants.contains(&file) || each.needs.iter().flatten().any(|one| *one == file)
            })
        };
        assert!(SUMS.len() > 50, "{}", SUMS.len());
        for (file, sums) in &*SUMS {
            assert!(named(file) && !sums.is_empty(), "{file}");
            let is_sum = |sum: &&str| sum.len() == 40 && sum.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(sums.iter().all(is_sum), "{file}");
        }
        assert!(sums("scph5501.bin").contains(&"0555c6fae8906f3f09baf5988f00e55f88e9f30b"));
        assert!(sums("nothing.bin").is_empty());
    }
}
