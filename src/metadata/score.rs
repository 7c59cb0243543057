//! How alike two titles are.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::base::schema::schema;

/// From here on a title counts as highly similar.
const HIGH: f64 = 0.9;
/// From here on words overlap strongly.
const STRONG: f64 = 0.8;
/// Characters of a title that are compared.
const COMPARED: usize = 200;

schema! {
    "MatchScore"
    /// How well a game of the metadata database fits one of the library.
    #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    pub struct Score {
        /// 0 to 1, four decimal places.
        pub title_similarity: f64,
        /// The part of the words that both have, 0 to 1, four decimal places.
        pub token_overlap: f64,
        pub platform_exact: bool,
        /// In words.
        pub reasons: Vec<String>,
    }
}

impl Score {
    /// The score of two normalised titles.
    pub fn of(ours: &str, theirs: &str, platform_exact: bool) -> Self {
        let similarity = similarity(ours, theirs);
        let overlap = overlap(ours, theirs);
        let title = match () {
            () if ours == theirs => Some("exact normalized title"),
            () if similarity >= HIGH => Some("high title similarity"),
            () => None,
        };
        let words = (overlap >= STRONG).then_some("strong token overlap");
        let platform = if platform_exact { "exact platform" } else { "platform mismatch" };
        let reasons = title.into_iter().chain(words).chain([platform]);
        Self {
            title_similarity: rounded(similarity),
            token_overlap: rounded(overlap),
            platform_exact,
            reasons: reasons.map(str::to_owned).collect(),
        }
    }

    /// The score where there is nothing to compare.
    pub fn none(reason: &str) -> Self {
        Self { reasons: vec![reason.to_owned()], ..Self::default() }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// The part of the words of two titles that both have.
fn overlap(ours: &str, theirs: &str) -> f64 {
    let words = |title| str::split_whitespace(title).collect::<BTreeSet<_>>();
    let (ours, theirs) = (words(ours), words(theirs));
    ratio(ours.intersection(&theirs).count(), ours.union(&theirs).count())
}

/// Twice the characters of the blocks that two titles share in the same order, as a part of all.
fn similarity(ours: &str, theirs: &str) -> f64 {
    if ours == theirs {
        return 1.0;
    }
    let letters = |title: &str| title.chars().take(COMPARED).collect::<Vec<_>>();
    let (ours, theirs) = (letters(ours), letters(theirs));
    ratio(2 * shared(&ours, &theirs), ours.len() + theirs.len())
}

fn ratio(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "titles are short")]
    let ratio = part as f64 / whole.max(1) as f64;
    ratio
}

/// The characters of the longest block that both have, and of the blocks before and behind it.
fn shared(ours: &[char], theirs: &[char]) -> usize {
    let (mut open, mut count) = (vec![(ours, theirs)], 0);
    while let Some((a, b)) = open.pop() {
        let (from, at, length) = longest(a, b);
        if length > 0 {
            count += length;
            open.push((&a[..from], &b[..at]));
            open.push((&a[from + length..], &b[at + length..]));
        }
    }
    count
}

/// Where the longest block that both have begins in each, and its length; the first one of several.
fn longest(a: &[char], b: &[char]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    let mut lengths = vec![0; b.len() + 1];
    for (i, letter) in a.iter().enumerate() {
        let mut before = 0;
        for (j, other) in b.iter().enumerate() {
            let length = if letter == other { before + 1 } else { 0 };
            before = std::mem::replace(&mut lengths[j + 1], length);
            if length > best.2 {
                best = (i + 1 - length, j + 1 - length, length);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(ours: &str, theirs: &str, similarity: f64, overlap: f64, reasons: &[&str]) {
        let score = Score::of(ours, theirs, true);
        assert_eq!((score.title_similarity, score.token_overlap), (similarity, overlap));
        assert_eq!(score.reasons, reasons);
    }

    #[test]
    fn titles_are_compared_by_blocks_and_by_words() {
        let (exact, high, words, here) = (
            "exact normalized title",
            "high title similarity",
            "strong token overlap",
            "exact platform",
        );
        check("comet rangers", "comet rangers", 1.0, 1.0, &[exact, words, here]);
        check("comet rangers", "comet rangerz", 0.9231, 0.3333, &[high, here]);
        check("comet rangers", "rangers comet", 0.5385, 1.0, &[words, here]);
        check("abcd", "bcde", 0.75, 0.0, &[here]);
        check("comet", "", 0.0, 0.0, &[here]);
        let other = Score::of("a", "a", false);
        assert_eq!(
            (other.platform_exact, other.reasons.last().map(String::as_str)),
            (false, Some("platform mismatch"))
        );
        assert_eq!(Score::none("no candidates").reasons, ["no candidates"]);
    }

    proptest! {
        #[test]
        fn a_score_is_between_nothing_and_everything(ours in "[a-c ]{0,30}", theirs in "[a-c ]{0,30}") {
            let score = Score::of(&ours, &theirs, true);
            for value in [score.title_similarity, score.token_overlap] {
                prop_assert!((0.0..=1.0).contains(&value));
            }
            let same = Score::of(&ours, &ours, true);
            prop_assert!(same.title_similarity >= 1.0);
        }
    }
}
