//! Questions for games that are like one: what asks for them, and which game is meant.

use std::cmp::Ordering;

use crate::{
    base::text,
    model::{Game, Games},
};

/// A title must have one in so many of the letter groups of a name.
const LEAST_SHARE: usize = 2;
/// Characters of a name that are compared.
const NAME_CHARS: usize = 128;

/// What a question asks for.
#[derive(Debug)]
pub(super) enum Asked<'a> {
    /// Games that fit words.
    Anything,
    /// Games like this one.
    Like(&'a Game),
    /// Games like one that is not there, named like this.
    Unknown(String),
}

/// What a whole question asks for. Its blanks are collapsed.
pub(super) fn asked<'a>(query: &str, games: &'a Games) -> Asked<'a> {
    let Some(name) = name_in(query) else { return Asked::Anything };
    match resolve(name, games) {
        Some(game) => Asked::Like(game),
        None => Asked::Unknown(name.to_owned()),
    }
}

/// The name in `like X`, `games like X`, `similar to X` and `more like X`.
fn name_in(query: &str) -> Option<&str> {
    let query = ["games", "game"].iter().find_map(|word| after(query, word)).unwrap_or(query);
    let name = ["like", "similar to", "more like"].iter().find_map(|words| after(query, words))?;
    let name = name.trim_matches(['"', '\'', '?', '.', '!', ' ']);
    (!name.is_empty()).then_some(name)
}

/// What follows these words and a blank at the beginning of a text.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len()).filter(|head| head.eq_ignore_ascii_case(words))?;
    text[head.len()..].strip_prefix(' ')
}

/// The game whose title has most of the letter groups of a name; of equal ones the shorter title, then the
/// first by its letters.
fn resolve<'a>(name: &str, games: &'a Games) -> Option<&'a Game> {
    let mut wanted = Wanted::of(&text::fold(text::cut(name, NAME_CHARS)));
    let least = wanted.groups.len().div_ceil(LEAST_SHARE);
    let length = |game: &Game| game.name().chars().count();
    let mut best: Option<(usize, &Game)> = None;
    for game in games.iter() {
        let title = game.name();
        let shared = if title.is_ascii() {
            // Without a copy, because the titles of a whole library are looked at.
            wanted.shared(title.bytes().map(|byte| char::from(byte.to_ascii_lowercase())))
        } else {
            wanted.shared(text::fold(title).chars())
        };
        if shared < least {
            continue;
        }
        let is_better = best.is_none_or(|(most, known)| match shared.cmp(&most) {
            Ordering::Equal => (length(game), title) < (length(known), known.name()),
            order => order == Ordering::Greater,
        });
        if is_better {
            best = Some((shared, game));
        }
    }
    best.map(|(_, game)| game)
}

/// Bits of a letter in a group.
const LETTER_BITS: u32 = 21;
/// The bits of a group: three letters.
const GROUP_BITS: u64 = (1 << (3 * LETTER_BITS)) - 1;
/// Bits of the sieve as a power of two.
const SIEVE_BITS: u32 = 10;

/// The letter groups of a name.
struct Wanted {
    /// In order, none twice.
    groups: Vec<u64>,
    /// The title in which each was seen last.
    seen: Vec<usize>,
    /// Titles so far.
    titles: usize,
    /// A bit for each hash of a group: most groups of titles are told apart without a search.
    sieve: [u64; 1 << (SIEVE_BITS - u64::BITS.ilog2())],
}

impl Wanted {
    /// Those of a folded name.
    fn of(name: &str) -> Self {
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

    /// How many of them the letters of a title have.
    fn shared(&mut self, letters: impl Iterator<Item = char>) -> usize {
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
    // An odd number without a pattern spreads the letters over the upper bits.
    let hash = group.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SIEVE_BITS);
    // OK because the hash has ten bits.
    ((hash >> u64::BITS.ilog2()) as usize, 1 << (hash % u64::from(u64::BITS)))
}

/// Every three neighbouring letters of a text with blanks around it, as one number.
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
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_names_its_game() {
        for (query, expected) in [
            ("like Zelda", Some("Zelda")),
            ("Games LIKE The Legend of Zelda", Some("The Legend of Zelda")),
            ("game like \"Doom\"?", Some("Doom")),
            ("similar to Doom", Some("Doom")),
            ("more like Doom", Some("Doom")),
            ("like ", None),
            ("like", None),
            ("I like Doom", None),
            ("likeable games", None),
            ("größe like x", None),
        ] {
            assert_eq!(name_in(query.trim_end()), expected, "{query}");
        }
    }

    #[test]
    fn the_nearest_title_is_meant() {
        let names = ["Doom II", "Doom", "The Legend of Zelda", "Doom", "Größe"];
        let games = names.iter().enumerate().map(|(number, name)| {
            let record = json!({"game_id": number.to_string(), "name": name});
            Arc::new(Game::from_json(&record.to_string()).expect("a game"))
        });
        let games = Games::from_games(games);
        for (name, expected) in [
            ("doom", Some("1")),
            ("doom 2", Some("1")),
            ("Doom II", Some("0")),
            ("legend of zelda", Some("2")),
            ("grösse", Some("4")),
            ("Chrono Trigger", None),
        ] {
            assert_eq!(resolve(name, &games).map(Game::id), expected, "{name}");
        }
        assert!(resolve("doom", &Games::default()).is_none());
    }
}
