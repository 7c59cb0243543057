//! The questions that rules ask about the disk, answered from the probe cache.

use std::collections::HashSet;

use super::answers::Answers;
use crate::probe::disk::Disk;

impl Disk for Answers {
    fn existing(&self, paths: &[&str]) -> HashSet<String> {
        self.probes().existing(paths).into_iter().map(str::to_owned).collect()
    }

    fn is_media(&self, path: &str) -> bool {
        self.probes().roots().covers(path)
    }
}
