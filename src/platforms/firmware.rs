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

/// Characters of the name of the firmware of a PlayStation, which tells the model: `scph7001.bin`.
const MODEL: std::ops::RangeInclusive<usize> = 4..=5;

/// Whether a file of this name is firmware of a console and no game.
pub fn is_named(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let model = name.strip_prefix("scph").and_then(|rest| rest.strip_suffix(".bin"));
    let model = model.map(|rest| rest.trim_start_matches(['-', '_']));
    let is_model = |model: &str| {
        MODEL.contains(&model.len()) && model.bytes().all(|byte| byte.is_ascii_digit())
    };
    model.is_some_and(is_model) || NAMES.contains(&name)
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
        ] {
            assert!(is_named(name), "{name}");
        }
        for name in ["scph.bin", "scph12.bin", "scphabcd.bin", "game.bin", "SCPH-1001 Demo.bin", ""]
        {
            assert!(!is_named(name), "{name}");
        }
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
