//! Counts the files that an import leaves out because it does not know their type.

use std::collections::BTreeMap;

/// Extensions that are reported: the most frequent ones.
const TOLD: usize = 50;
/// Extensions that are counted on their own; files with later ones count as files without one.
const COUNTED: usize = 5_000;
/// Characters of an extension; what is longer is a part of the name.
const LENGTH: usize = 12;

/// Folders whose files are counted on their own, and extensions of each.
const FOLDERS: usize = 5_000;
const OF_FOLDER: usize = 50;

/// Numbers of files by extension: lower case, empty for none.
type Counts = BTreeMap<Box<str>, usize>;

/// Files of unknown type, counted by extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownFiles {
    counts: Counts,
    /// The same by the folder that decides the system.
    folders: BTreeMap<Box<str>, Counts>,
}

impl UnknownFiles {
    /// Counts a file by its name, given as bytes; `folder` decides its system.
    pub fn add(&mut self, folder: &str, name: &[u8]) {
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0);
        let suffix = dot.and_then(|at| std::str::from_utf8(&name[at + 1..]).ok());
        let suffix = suffix.filter(|text| {
            text.len() <= LENGTH && text.chars().all(|letter| letter.is_ascii_alphanumeric())
        });
        let suffix = suffix.unwrap_or_default().to_ascii_lowercase();
        count(&mut self.counts, &suffix, COUNTED);
        if let Some(counts) = self.folders.get_mut(folder) {
            count(counts, &suffix, OF_FOLDER);
        } else if self.folders.len() < FOLDERS {
            self.folders.insert(folder.into(), Counts::from([(suffix.into(), 1)]));
        }
    }

    /// How many files were counted.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// The most frequent extensions (lower case, empty for none) and how many files have them.
    pub fn most_frequent(&self) -> BTreeMap<String, usize> {
        most_frequent(&self.counts, TOLD)
    }

    /// The folders in the order of their paths, each with its number of files and its most frequent
    /// extensions, at most `told`.
    pub fn folders(
        &self,
        told: usize,
    ) -> impl Iterator<Item = (&str, usize, BTreeMap<String, usize>)> {
        self.folders.iter().map(move |(path, counts)| {
            (&**path, counts.values().sum(), most_frequent(counts, told))
        })
    }
}

fn count(counts: &mut Counts, suffix: &str, most: usize) {
    let is_full = counts.len() >= most && !counts.contains_key(suffix);
    let key = if is_full { "" } else { suffix };
    *counts.entry(key.into()).or_default() += 1;
}

fn most_frequent(counts: &Counts, told: usize) -> BTreeMap<String, usize> {
    let mut counts: Vec<(&Box<str>, usize)> =
        counts.iter().map(|(suffix, count)| (suffix, *count)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(told);
    counts.into_iter().map(|(suffix, count)| (suffix.to_string(), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_by_extension() {
        let mut unknown = UnknownFiles::default();
        for name in ["a.txt", "B.TXT", "c", ".d", "e.a b", "f.0123456789abc", "g."] {
            unknown.add("/r/x", name.as_bytes());
        }
        unknown.add("/r", b"h.\xff");
        assert_eq!(unknown.total(), 8);
        let expected = BTreeMap::from([("txt".to_owned(), 2), (String::new(), 6)]);
        assert_eq!(unknown.most_frequent(), expected);
        let folders: Vec<_> = unknown.folders(1).collect();
        let one = |suffix: &str, count| BTreeMap::from([(suffix.to_owned(), count)]);
        assert_eq!(folders, [("/r", 1, one("", 1)), ("/r/x", 7, one("", 5))]);
    }

    #[test]
    fn the_answer_is_bounded_and_the_total_is_not() {
        let mut unknown = UnknownFiles::default();
        for number in 0..COUNTED + 100 {
            unknown.add("/r", format!("a.x{number}").as_bytes());
        }
        unknown.add("/r", b"b.x7");
        let told = unknown.most_frequent();
        assert_eq!(unknown.total(), COUNTED + 101);
        assert_eq!(told.len(), TOLD);
        assert_eq!((told["x7"], told[""]), (2, 100));
    }
}
