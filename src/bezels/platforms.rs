//! The platforms that have bezels.

use crate::platforms::{self, Platform};

fn all() -> impl Iterator<Item = &'static Platform> {
    platforms::all().iter().filter(|platform| !platform.bezels.is_empty())
}

/// The name of a platform in the address of its archive.
pub fn archive_of(platform: &str) -> Option<&'static str> {
    all().find(|known| known.name == platform).map(|known| known.bezels)
}

/// The name of its folder.
pub fn folder_of(platform: &str) -> String {
    platform.replace(' ', "_")
}

/// Their names for people.
pub fn names() -> String {
    all().map(|platform| platform.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_seven_each_with_a_folder() {
        let mut folders: Vec<_> = all().map(|platform| folder_of(platform.name)).collect();
        folders.sort_unstable();
        folders.dedup();
        assert_eq!(folders.len(), 7);
        assert!(names().starts_with("NES, SNES, Nintendo 64, "));
        assert_eq!((archive_of("PlayStation"), archive_of("playstation")), (Some("PSX"), None));
    }
}
