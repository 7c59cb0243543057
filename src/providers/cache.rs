//! Answers that are kept on disk for a time, one file each; the time of the file is its age.
//!
//! The translated answer is kept, never what was sent.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use sha1::{Digest as _, Sha1};

use crate::{
    base::{clock, ids},
    files::{DiskError, Files},
};

/// How long an answer is good.
const LIFE: Duration = Duration::from_hours(30 * 24);
/// Answers that are kept, the newest ones.
const ENTRIES: usize = 2_000;
/// Bytes of the largest one.
const ENTRY_BYTES: u64 = 8 << 20;

/// The kept answers of one provider.
pub struct Cache {
    files: Files,
    folder: PathBuf,
    life: Duration,
}

impl Cache {
    /// Answers in this folder, which need not exist.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self::lasting(files, folder, LIFE)
    }

    /// As [`Cache::new`] for answers that are valid for `life`.
    pub fn lasting(files: Files, folder: PathBuf, life: Duration) -> Self {
        Self { files, folder, life }
    }

    /// The kept answer to a question; `None` when there is none, it is too old or cannot be read.
    pub fn get<T: DeserializeOwned>(&self, question: &[(&str, &str)]) -> Option<T> {
        let path = self.path(question);
        let found = self.files.stat(&path).ok()??;
        let is_good =
            clock::age_of(found.modified().ok()?) < self.life && found.len() <= ENTRY_BYTES;
        let bytes = self.files.read(&path).ok().filter(|_| is_good)?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps an answer. A disk that fails costs nothing but another request.
    pub fn put(&self, question: &[(&str, &str)], answer: &impl Serialize) {
        if let Err(error) = self.try_put(question, answer) {
            log::warn!("an answer was not kept: {error}");
        }
    }

    /// How many answers are kept.
    pub fn count(&self) -> usize {
        self.names().len()
    }

    fn try_put(&self, question: &[(&str, &str)], answer: &impl Serialize) -> Result<(), DiskError> {
        // OK because the answers are structs of texts and numbers.
        let Ok(bytes) = serde_json::to_vec(answer) else { return Ok(()) };
        self.files.private_dir(&self.folder)?;
        let path = self.path(question);
        if self.count() >= ENTRIES {
            self.drop_oldest()?;
        }
        self.files.replace_unsynced(&path, &bytes)
    }

    /// Removes a tenth of the answers.
    fn drop_oldest(&self) -> Result<(), DiskError> {
        let mut aged = Vec::new();
        for name in self.names() {
            let path = self.folder.join(name);
            let modified = self.files.stat(&path)?.and_then(|found| found.modified().ok());
            aged.push((modified, path));
        }
        aged.sort_unstable();
        aged.truncate(ENTRIES / 10);
        aged.iter().try_for_each(|(_, path)| self.files.remove(path))
    }

    fn names(&self) -> Vec<String> {
        let names = self.files.list(&self.folder).unwrap_or_default();
        names
            .into_iter()
            .filter(|name| Path::new(name).extension().is_some_and(|end| end == "json"))
            .collect()
    }

    /// The file of a question: the digest of its parameters, whatever their order.
    fn path(&self, question: &[(&str, &str)]) -> PathBuf {
        let encode = crate::net::location::percent_encoded;
        let mut pairs: Vec<String> = question
            .iter()
            .map(|(key, value)| format!("{}={}", encode(key), encode(value)))
            .collect();
        pairs.sort_unstable();
        self.folder.join(format!("{}.json", ids::hex(&Sha1::digest(pairs.join("&")))))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn answers_are_kept_for_thirty_days_and_the_newest_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(Files::system(), folder.path().join("a/b"));
        let question = [("route", "x"), ("q", "a&b")];
        assert_eq!((cache.get::<Vec<u8>>(&question), cache.count()), (None, 0));
        cache.put(&question, &[1, 2]);
        assert_eq!(cache.get(&[question[1], question[0]]), Some(vec![1, 2]));
        assert_eq!(cache.get::<Vec<u8>>(&[("route", "x"), ("q", "a"), ("b", "")]), None);
        assert_eq!(cache.get::<String>(&question), None, "of another shape");
        let found = File::open(cache.path(&question)).and_then(|file| file.metadata());
        let written = found.and_then(|found| found.modified()).expect("a time");
        let age = |days: u64| {
            let file = File::options().write(true).open(cache.path(&question)).expect("there");
            file.set_modified(written - Duration::from_hours(24 * days)).expect("a time");
        };
        age(29);
        assert!(cache.get::<Vec<u8>>(&question).is_some());
        age(31);
        assert_eq!(cache.get::<Vec<u8>>(&question), None);
        for number in 0..ENTRIES {
            let number = number.to_string();
            cache.put(&[("q", number.as_str())], &0);
        }
        assert_eq!(cache.count(), ENTRIES - ENTRIES / 10 + 1);
        assert!(!cache.path(&question).exists(), "the oldest went");
    }
}
