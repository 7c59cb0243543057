//! The checksums of known firmware.

use std::{collections::HashMap, sync::LazyLock};

/// Sums by file.
static SUMS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("firmware.txt").lines().filter(|line| !line.starts_with('#'));
    let mut rows = lines.map(|line| line.split(' '));
    rows.by_ref().filter_map(|mut row| Some((row.next()?, row.collect()))).collect()
});

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
