//! All titles of the database in memory, sorted, in one text: which are equal to, contain or resemble
//! one.
//!
//! 150,000 games have about 250,000 titles, ten megabytes. Going through all of them takes less than a
//! millisecond, so no index of words is needed and any part of a title is found.

use std::{cmp::Reverse, collections::HashMap};

use memchr::memmem;

/// Counters for pairs of characters.
const PAIRS: usize = 512;
/// The least likeness, between 0 and 1, of a title that resembles another.
const ALIKE: f32 = 0.6;

/// One title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Title {
    /// The number of the game.
    pub game: u32,
    /// The number of its platform.
    pub platform: u16,
    /// Characters of its name as it is shown.
    pub length: u16,
    /// Whether it is another name of the game.
    pub is_alternate: bool,
}

/// The bytes of one stored title besides its text.
const STORED: usize = 4 + 2 + 2 + 1 + 4;

/// The titles, sorted by their text.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// Texts with a line break behind each.
    text: String,
    /// Where each text begins, and one more: the end.
    starts: Vec<u32>,
    titles: Vec<Title>,
    /// The pairs of characters in each.
    marks: Vec<u128>,
    /// The positions of those of each platform.
    of_platform: HashMap<u16, Vec<u32>>,
}

impl Titles {
    /// Sorts titles; their texts are normalised and not empty.
    pub fn new(mut all: Vec<(String, Title)>) -> Self {
        all.sort_unstable_by(|(a, one), (b, other)| {
            let rest = |title: &Title| (title.game, title.is_alternate);
            a.cmp(b).then_with(|| rest(one).cmp(&rest(other)))
        });
        let mut titles = Self::default();
        for (text, title) in all {
            titles.push(&text, title);
        }
        titles.end();
        titles
    }

    fn push(&mut self, text: &str, title: Title) {
        self.starts.push(self.position());
        let at = u32::try_from(self.titles.len()).unwrap_or(u32::MAX);
        self.of_platform.entry(title.platform).or_default().push(at);
        self.text.push_str(text);
        self.text.push('\n');
        self.titles.push(title);
        self.marks.push(mark(text));
    }

    fn end(&mut self) {
        self.starts.push(self.position());
    }

    /// Where the next text begins; texts beyond four gigabytes are not kept.
    fn position(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    fn text(&self, at: usize) -> &str {
        let (from, to) = (self.starts[at] as usize, self.starts[at + 1] as usize);
        &self.text[from..to - 1]
    }

    /// The titles with this text.
    pub fn equal(&self, text: &str) -> &[Title] {
        let all = 0..self.titles.len();
        let from = partition(all.clone(), |at| self.text(at) < text);
        let to = partition(from..all.end, |at| self.text(at) == text);
        &self.titles[from..to]
    }

    /// At most `limit` games with a title that has this text in it: equal ones first, then those of
    /// the platform, then the shortest names. A game is named once.
    pub fn containing(&self, text: &str, platform: Option<u16>, limit: usize) -> Vec<u32> {
        let mut best = Best::new(limit);
        let finder = memmem::Finder::new(text);
        let all = self.text.as_bytes();
        let (mut from, mut at) = (0, 0);
        while let Some(found) = finder.find(&all[from..]) {
            let found = from + found;
            // Most hits are near the one before.
            let near = self.starts[at..].iter().take(16).position(|start| *start as usize > found);
            let range = at..self.titles.len();
            at = near.map_or_else(
                || partition(range, |at| self.starts[at + 1] as usize <= found),
                |next| at + next - 1,
            );
            let title = self.titles[at];
            let is_equal = self.text(at) == text;
            let is_here = platform == Some(title.platform);
            best.put((!is_equal, !is_here, title.is_alternate, title.length), title.game);
            from = self.starts[at + 1] as usize;
            at += 1;
        }
        best.games()
    }

    /// At most `limit` games with a title that resembles this text, the most alike first, each with that
    /// title. With a platform only its games.
    pub fn similar(&self, text: &str, platform: Option<u16>, limit: usize) -> Vec<(u32, &str)> {
        let alike = Alike::to(text);
        let mut best = Best::new(limit);
        match platform {
            Some(platform) => {
                for at in self.of_platform.get(&platform).into_iter().flatten() {
                    self.compare(*at as usize, &alike, &mut best);
                }
            }
            None => (0..self.titles.len()).for_each(|at| self.compare(at, &alike, &mut best)),
        }
        let rows = best.rows.into_iter().take(limit);
        rows.map(|((_, _, _, at), game)| (game, self.text(at))).collect()
    }

    fn compare(&self, at: usize, wanted: &Alike, best: &mut Best<Likeness>) {
        if (wanted.mark & !self.marks[at]).count_ones() > wanted.allowed {
            return;
        }
        let other = self.text(at);
        if !wanted.lengths.contains(&other.len()) {
            return;
        }
        let alike = wanted.pairs.likeness(other);
        if alike >= ALIKE {
            let title = self.titles[at];
            #[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 1")]
            #[expect(clippy::cast_sign_loss, reason = "it is between 0 and 1")]
            let rank = Reverse((alike * 1_000.0) as u16);
            best.put((rank, title.is_alternate, title.length, at), title.game);
        }
    }

    /// The form in which they are stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.text.len() + self.titles.len() * STORED);
        for (at, title) in self.titles.iter().enumerate() {
            let text = self.text(at);
            bytes.extend(title.game.to_le_bytes());
            bytes.extend(title.platform.to_le_bytes());
            bytes.extend(title.length.to_le_bytes());
            bytes.push(title.is_alternate.into());
            bytes.extend(u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    /// Reads what [`Titles::to_bytes`] wrote; `None` when it is anything else.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut titles = Self::default();
        titles.text.reserve(bytes.len());
        while !bytes.is_empty() {
            let (head, rest) = bytes.split_first_chunk::<STORED>()?;
            let length = u32::from_le_bytes(*head.last_chunk::<4>()?) as usize;
            let (text, rest) = rest.split_at_checked(length)?;
            let title = Title {
                game: u32::from_le_bytes(*head.first_chunk::<4>()?),
                platform: u16::from_le_bytes([head[4], head[5]]),
                length: u16::from_le_bytes([head[6], head[7]]),
                is_alternate: head[8] == 1,
            };
            titles.push(std::str::from_utf8(text).ok()?, title);
            bytes = rest;
        }
        titles.end();
        Some(titles)
    }
}

/// How alike, whether it is another name, its length, its position.
type Likeness = (Reverse<u16>, bool, u16, usize);

/// What titles are compared with.
struct Alike {
    mark: u128,
    /// Pairs that a title may lack.
    allowed: u32,
    pairs: Pairs,
    lengths: std::ops::RangeInclusive<usize>,
}

impl Alike {
    fn to(text: &str) -> Self {
        let mark = mark(text);
        // A wrong character changes two pairs; more than a third of other pairs is another title.
        let allowed = mark.count_ones().div_ceil(3) + 1;
        let lengths = text.len() * 2 / 3..=text.len() * 3 / 2 + 1;
        Self { mark, allowed, pairs: Pairs::of(text), lengths }
    }
}

/// The first position of a range for which this does not hold; it holds for those before.
fn partition(range: std::ops::Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (range.start, range.end);
    while from < to {
        let middle = usize::midpoint(from, to);
        if holds(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

/// The best games so far, each once with its best rank. More are kept than are asked for, because a
/// game that is put again with a better rank leaves its place to others.
struct Best<R> {
    limit: usize,
    rows: Vec<(R, u32)>,
}

/// Games kept for each one that is asked for.
const SPARE: usize = 4;

impl<R: Ord + Copy> Best<R> {
    fn new(limit: usize) -> Self {
        Self { limit, rows: Vec::new() }
    }

    fn put(&mut self, rank: R, game: u32) {
        let is_full = self.rows.len() >= self.limit * SPARE;
        if is_full && self.rows.last().is_none_or(|last| *last <= (rank, game)) {
            return;
        }
        if let Some(known) = self.rows.iter().position(|(_, other)| *other == game) {
            if self.rows[known].0 <= rank {
                return;
            }
            self.rows.remove(known);
        }
        let at = self.rows.partition_point(|row| *row < (rank, game));
        self.rows.insert(at, (rank, game));
        self.rows.truncate(self.limit * SPARE);
    }

    fn games(self) -> Vec<u32> {
        self.rows.into_iter().take(self.limit).map(|(_, game)| game).collect()
    }
}

/// A number below `PAIRS` for two neighbouring bytes.
fn pair(two: &[u8]) -> usize {
    (usize::from(two[0]).wrapping_mul(31) ^ usize::from(two[1]).wrapping_mul(7)) % PAIRS
}

/// One bit for each pair of characters, several pairs sharing one.
fn mark(text: &str) -> u128 {
    text.as_bytes().windows(2).fold(0, |mark, two| mark | 1 << (pair(two) % 128))
}

/// How often each pair of characters is in a text.
struct Pairs {
    counts: [u8; PAIRS],
    total: usize,
}

impl Pairs {
    fn of(text: &str) -> Self {
        let mut counts = [0_u8; PAIRS];
        for two in text.as_bytes().windows(2) {
            counts[pair(two)] = counts[pair(two)].saturating_add(1);
        }
        Self { counts, total: text.len().saturating_sub(1) }
    }

    /// The part of the pairs that both have, between 0 and 1.
    fn likeness(&self, text: &str) -> f32 {
        let mut left = self.counts;
        let mut common = 0_usize;
        for two in text.as_bytes().windows(2) {
            let count = &mut left[pair(two)];
            common += usize::from(*count > 0);
            *count = count.saturating_sub(1);
        }
        let both = self.total + text.len().saturating_sub(1);
        #[expect(clippy::cast_precision_loss, reason = "titles are short")]
        let likeness = (2 * common) as f32 / both.max(1) as f32;
        likeness
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn titles(all: &[(&str, u32, u16, bool)]) -> Titles {
        let title = |(text, game, platform, is_alternate): &(&str, u32, u16, bool)| {
            let length = u16::try_from(text.len()).expect("short");
            let title =
                Title { game: *game, platform: *platform, length, is_alternate: *is_alternate };
            ((*text).to_owned(), title)
        };
        Titles::new(all.iter().map(title).collect())
    }

    fn some() -> Titles {
        titles(&[
            ("comet", 5, 2, false),
            ("comet rangers", 1, 1, false),
            ("comet rangers ii", 2, 1, false),
            ("comet rangers", 3, 2, false),
            ("suisei rangers", 2, 1, true),
            ("the comet", 4, 1, false),
        ])
    }

    #[test]
    fn equal_titles_are_found() {
        let all = some();
        let games = |text: &str| all.equal(text).iter().map(|title| title.game).collect::<Vec<_>>();
        assert_eq!(games("comet rangers"), [1, 3]);
        assert_eq!(games("suisei rangers"), [2]);
        assert_eq!(games("rangers"), [0_u32; 0]);
        assert!(Titles::new(Vec::new()).equal("a").is_empty());
    }

    #[test]
    fn equal_ones_come_first_then_the_platform_then_short_names() {
        let all = some();
        assert_eq!(all.containing("comet", None, 9), [5, 4, 1, 3, 2]);
        assert_eq!(all.containing("comet", Some(1), 9), [5, 4, 1, 2, 3]);
        assert_eq!(all.containing("comet", Some(1), 2), [5, 4]);
        assert_eq!(all.containing("rangers", Some(2), 9), [3, 1, 2]);
        assert_eq!(all.containing("r", None, 9).len(), 3);
        assert!(all.containing("x", None, 9).is_empty());
    }

    #[test]
    fn a_slip_does_not_hide_a_title() {
        let all = some();
        let (one, two) = ("comet rangers", "comet rangers ii");
        assert_eq!(all.similar("comet rangerz", None, 9), [(1, one), (3, one), (2, two)]);
        assert_eq!(all.similar("commet rangers", Some(2), 9), [(3, one)]);
        assert_eq!(all.similar("suisei ranger 2", None, 9), [(2, "suisei rangers")]);
        assert!(all.similar("puzzle of stones", None, 9).is_empty());
        assert!(all.similar("comet rangers", Some(3), 9).is_empty());
    }

    #[test]
    fn damaged_bytes_are_no_titles() {
        let bytes = some().to_bytes();
        for cut in 1..bytes.len() {
            if let Some(read) = Titles::from_bytes(&bytes[..cut]) {
                assert!(read.titles.len() < 6);
            }
        }
        assert!(Titles::from_bytes(&[255; 40]).is_none());
    }

    proptest! {
        #[test]
        fn what_contains_a_text_is_found(
            names in prop::collection::vec("[abc ]{1,6}", 1..60), part in "[abc]{1,3}", limit in 1_usize..8,
        ) {
            let rows: Vec<_> = names.iter().enumerate()
                .map(|(at, name)| (name.as_str(), u32::try_from(at).expect("few"), 0, false)).collect();
            let all = titles(&rows);
            let mut expected: Vec<_> = rows.iter().filter(|row| row.0.contains(&part))
                .map(|row| (row.0 != part, row.0.len(), row.1)).collect();
            expected.sort_unstable();
            let expected: Vec<_> = expected.into_iter().take(limit).map(|row| row.2).collect();
            prop_assert_eq!(all.containing(&part, None, limit), expected);
            let again = Titles::from_bytes(&all.to_bytes()).expect("its own bytes");
            prop_assert_eq!((again.text, again.starts, again.titles), (all.text, all.starts, all.titles));
        }
    }
}
