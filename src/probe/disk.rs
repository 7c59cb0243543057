//! The questions that rules ask about the disk.

use std::collections::HashSet;

/// Answers questions about the disk; rules take it as a parameter so that they do no I/O themselves.
pub trait Disk {
    /// Which of these absolute paths exist.
    fn existing(&self, paths: &[&str]) -> HashSet<String>;

    /// Whether a media path may be shown.
    fn is_media(&self, path: &str) -> bool;
}

/// A disk for tests on which there is nothing.
#[cfg(test)]
pub struct EmptyDisk;

#[cfg(test)]
impl Disk for EmptyDisk {
    fn existing(&self, _: &[&str]) -> HashSet<String> {
        HashSet::new()
    }

    fn is_media(&self, _: &str) -> bool {
        false
    }
}
