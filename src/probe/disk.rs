//! The questions that rules ask about the disk.

use std::collections::HashSet;

/// Answers questions about the disk; rules take it as a parameter so that they do no I/O themselves.
pub trait Disk {
    /// Which of these absolute paths exist.
    fn existing(&self, paths: &[&str]) -> HashSet<String>;

    /// Whether a media path may be shown.
    fn is_media(&self, path: &str) -> bool;
}
