//! Counts the files that an import leaves out because it does not know their type.

use std::collections::BTreeMap;

/// Extensions that are told; the most frequent ones.
const TOLD: usize = 50;
/// Extensions that are counted on their own; files with later ones count as files without one.
const COUNTED: usize = 5_000;
/// Characters of an extension; what is longer is a part of the name.
const LENGTH: usize = 12;

/// Files of unknown type, counted by extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownFiles {
    counts: BTreeMap<Box<str>, usize>,
}

impl UnknownFiles {
    /// Counts a file by its name, given as bytes.
    pub fn add(&mut self, name: &[u8]) {
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0);
        let suffix = dot.and_then(|at| std::str::from_utf8(&name[at + 1..]).ok());
        let suffix = suffix.filter(|text| {
            text.len() <= LENGTH && text.chars().all(|letter| letter.is_ascii_alphanumeric())
        });
        let suffix = suffix.unwrap_or_default().to_ascii_lowercase();
        let is_full = self.counts.len() >= COUNTED && !self.counts.contains_key(suffix.as_str());
        let key = if is_full { Box::default() } else { suffix.into() };
        *self.counts.entry(key).or_default() += 1;
    }

    /// How many files were counted.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// The most frequent extensions (lower case, empty for none) and how many files have them.
    pub fn most_frequent(&self) -> BTreeMap<String, usize> {
        let mut counts: Vec<(&Box<str>, usize)> =
            self.counts.iter().map(|(suffix, count)| (suffix, *count)).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts.truncate(TOLD);
        counts.into_iter().map(|(suffix, count)| (suffix.to_string(), count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_by_extension() {
        let mut unknown = UnknownFiles::default();
        for name in ["a.txt", "B.TXT", "c", ".d", "e.a b", "f.0123456789abc", "g."] {
            unknown.add(name.as_bytes());
        }
        unknown.add(b"h.\xff");
        assert_eq!(unknown.total(), 8);
        let expected = BTreeMap::from([("txt".to_owned(), 2), (String::new(), 6)]);
        assert_eq!(unknown.most_frequent(), expected);
    }

    #[test]
    fn the_answer_is_bounded_and_the_total_is_not() {
        let mut unknown = UnknownFiles::default();
        for number in 0..COUNTED + 100 {
            unknown.add(format!("a.x{number}").as_bytes());
        }
        unknown.add(b"b.x7");
        let told = unknown.most_frequent();
        assert_eq!(unknown.total(), COUNTED + 101);
        assert_eq!(told.len(), TOLD);
        assert_eq!((told["x7"], told[""]), (2, 100));
    }
}
