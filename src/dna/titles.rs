//! The folded titles of an index, close together in memory because a question for games like one reads all of them, and
//! their character groups.

/// One in `LEAST_PART` of the character groups of a name must be in a title.
const LEAST_PART: usize = 2;
/// Bytes of titles that are gone, from which on the rest may move together.
const MOST_UNUSED: usize = 64 << 10;

/// Folded titles by the number of their game.
#[derive(Clone, Debug, Default)]
pub(super) struct Titles {
    text: String,
    /// Where each title is in the text.
    spans: Vec<Span>,
    /// Bytes of the text that belong to no title.
    unused: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    at: u32,
    len: u32,
}

impl Titles {
    /// The title of a game; empty without one.
    fn get(&self, number: usize) -> &str {
        let Some(Span { at, len }) = self.spans.get(number).copied() else { return "" };
        // OK because `u32` is no wider than `usize`.
        self.text.get(at as usize..at as usize + len as usize).unwrap_or("")
    }

    /// Gives a game a title, in the place of the one that it had. An empty one takes its title from it.
    pub(super) fn set(&mut self, number: usize, title: &str) {
        if self.get(number) == title {
            return;
        }
        if self.spans.len() <= number {
            self.spans.resize(number + 1, Span::default());
        }
        self.unused += self.spans[number].len as usize;
        // A text that outgrows four gigabytes keeps the titles that it has.
        let fits = u32::try_from(self.text.len()).ok().zip(u32::try_from(title.len()).ok());
        self.spans[number] = fits.map_or(Span::default(), |(at, len)| Span { at, len });
        if fits.is_some() {
            self.text.push_str(title);
        }
        if self.unused > MOST_UNUSED.max(self.text.len() / 2) {
            self.close_gaps();
        }
    }

    fn close_gaps(&mut self) {
        let mut closed = Self::default();
        closed.text.reserve_exact(self.text.len() - self.unused);
        for number in 0..self.spans.len() {
            closed.set(number, self.get(number));
        }
        *self = closed;
    }

    /// The games whose titles have most of the character groups of a name; none when no title has half of them.
    pub(super) fn nearest(&self, mut groups: Groups) -> Vec<usize> {
        let (mut most, mut best) = (groups.least(), Vec::new());
        for number in 0..self.spans.len() {
            let title = self.get(number);
            let shared = if title.is_ascii() {
                groups.shared(title.bytes().map(char::from))
            } else {
                groups.shared(title.chars())
            };
            if shared > most {
                best.clear();
                most = shared;
            }
            if shared == most {
                best.push(number);
            }
        }
        best
    }
}

/// Bits of a character in a group.
const LETTER_BITS: u32 = 21;
/// The bits of a group: three characters.
const GROUP_BITS: u64 = (1 << (3 * LETTER_BITS)) - 1;
/// Bits of the sieve as a power of two.
const SIEVE_BITS: u32 = 10;

/// The character groups of a name.
pub(super) struct Groups {
    /// In order, none twice.
    groups: Vec<u64>,
    /// The title in which each was seen last.
    seen: Vec<usize>,
    /// Titles so far.
    titles: usize,
    /// A bit for each hash of a group: most groups of titles are distinguished without a search.
    sieve: [u64; 1 << (SIEVE_BITS - u64::BITS.ilog2())],
}

impl Groups {
    /// Those of a folded name.
    pub(super) fn of(name: &str) -> Self {
        let mut groups: Vec<u64> = groups(name.chars()).collect();
        groups.sort_unstable();
        groups.dedup();
        let mut sieve = [0; _];
        for group in &groups {
            let (word, bit) = place(*group);
            sieve[word] |= bit;
        }
        Self { seen: vec![0; groups.len()], groups, titles: 0, sieve }
    }

    /// How many of them a title must have.
    pub(super) fn least(&self) -> usize {
        self.groups.len().div_ceil(LEAST_PART)
    }

    /// The number of them in the characters of a folded title.
    pub(super) fn shared(&mut self, letters: impl Iterator<Item = char>) -> usize {
        self.titles += 1;
        let mut shared = 0;
        for group in groups(letters) {
            let (word, bit) = place(group);
            if self.sieve[word] & bit != 0
                && let Ok(at) = self.groups.binary_search(&group)
                && self.seen[at] != self.titles
            {
                self.seen[at] = self.titles;
                shared += 1;
            }
        }
        shared
    }
}

/// Where the sieve keeps a group: the word and the bit in it.
fn place(group: u64) -> (usize, u64) {
    // An odd number without a pattern spreads the characters over the upper bits.
    let hash = group.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SIEVE_BITS);
    // OK because the hash has ten bits.
    ((hash >> u64::BITS.ilog2()) as usize, 1 << (hash % u64::from(u64::BITS)))
}

/// Every three neighbouring characters of a text with blanks around it, as one number.
fn groups(letters: impl Iterator<Item = char>) -> impl Iterator<Item = u64> {
    let blank = u64::from(' ');
    let mut last = (blank << LETTER_BITS) | blank;
    letters.chain([' ']).map(move |letter| {
        last = ((last << LETTER_BITS) | u64::from(letter)) & GROUP_BITS;
        last
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_take_the_place_of_others() {
        let mut titles = Titles::default();
        titles.set(2, "größe");
        titles.set(0, "doom");
        assert_eq!([0, 1, 2, 3].map(|number| titles.get(number)), ["doom", "", "größe", ""]);
        titles.set(2, "zelda");
        titles.set(0, "");
        assert_eq!([0, 1, 2].map(|number| titles.get(number)), ["", "", "zelda"]);
    }

    #[test]
    fn titles_that_are_gone_take_little_memory() {
        let mut titles = Titles::default();
        titles.set(1, "zelda");
        for round in 0..100_000 {
            titles.set(0, &format!("doom {round}"));
        }
        assert_eq!((titles.get(0), titles.get(1)), ("doom 99999", "zelda"));
        assert!(titles.text.len() <= 2 * MOST_UNUSED, "{}", titles.text.len());
    }
}
