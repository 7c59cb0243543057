//! The marker of a disc in a name: `(Disc 1)`, `CD2`, `- Side B`, `(Tape 1 of 2)`.

use std::borrow::Cow;

/// What separates a marker from the name before it.
pub const SEPARATORS: [char; 4] = [' ', '.', '_', '-'];

/// The words of a marker. The second column says whether the word also ends ordinary words
/// (`Outside 2`, `ABCD1`) and therefore has to begin one of its own.
const WORDS: [(&str, bool); 6] = [
    ("disc", false),
    ("disk", false),
    ("dvd", false),
    ("cd", true),
    ("side", true),
    ("tape", true),
];
/// A word that is a marker only with a count, `(Part 1 of 2)`: titles have parts too.
const COUNTED: &str = "part ";

/// A name split at its disc marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked<'a> {
    /// The name before the marker and the separators in front of it.
    pub before: &'a str,
    /// The same with the brackets behind the marker.
    pub title: Cow<'a, str>,
    /// Which disc: one or more of `0-9a-d`, in the spelling of the name.
    pub disc: &'a str,
}

/// Splits a stem at its disc marker.
///
/// At the end of the name that is: optional separators, an optional bracket, a marker word, optional
/// spaces (or underscores, which stand for them), the disc, an optional closing bracket. Before other
/// brackets, and with a count of the discs, it has brackets of its own. A marker with a count goes
/// before the others: `Name (Disk 1 of 2)(Side A)`.
pub fn split(stem: &str) -> Option<Marked<'_>> {
    split_in_brackets(stem, counted_disc)
        .or_else(|| split_at_end(stem))
        .or_else(|| split_in_brackets(stem, disc_of))
}

/// Splits at a marker in brackets which nothing but brackets follow: `Name (Disc 1 of 2) (USA)`. What
/// stands in the brackets names a disc by `disc_of`.
fn split_in_brackets(stem: &str, disc_of: impl Fn(&str) -> Option<&str>) -> Option<Marked<'_>> {
    let mut rest = stem.trim_end();
    loop {
        let close = rest.chars().next_back().filter(|last| [')', ']'].contains(last))?;
        let start = rest.rfind(if close == ')' { '(' } else { '[' })?;
        let before = rest[..start].trim_end_matches(SEPARATORS);
        if let Some(disc) = disc_of(&rest[start + 1..rest.len() - 1]) {
            let behind = stem[rest.len()..].trim();
            // A name that is nothing but brackets says nothing of a game.
            let is_named = !before.is_empty() && !before.ends_with([')', ']'])
                || before.find(['(', '[']).is_some_and(|first| first > 0);
            let title = if behind.is_empty() {
                Cow::Borrowed(before)
            } else {
                Cow::Owned(format!("{before} {behind}"))
            };
            return is_named.then_some(Marked { before, title, disc });
        }
        rest = rest[..start].trim_end();
    }
}

/// The disc a marker names that fills its brackets.
fn disc_of(inner: &str) -> Option<&str> {
    if inner.contains(['(', ')', '[', ']']) {
        return None;
    }
    let marked = split_at_end(inner)?;
    marked.title.is_empty().then_some(marked.disc)
}

/// The disc a marker names that fills its brackets and says how many there are.
fn counted_disc(inner: &str) -> Option<&str> {
    let fold = inner.to_ascii_lowercase();
    let end = fold.find(" of ").filter(|at| {
        let count = &fold[at + 4..];
        !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })?;
    let inner = &inner[..end];
    let part = fold[..end].strip_prefix(COUNTED).map(|number| &inner[end - number.len()..]);
    part.filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        .or_else(|| disc_of(inner))
}

fn split_at_end(stem: &str) -> Option<Marked<'_>> {
    let open = stem.strip_suffix([')', ']']).unwrap_or(stem);
    let before_disc = open.trim_end_matches(|letter: char| {
        letter.is_ascii_digit() || matches!(letter.to_ascii_lowercase(), 'a'..='d')
    });
    // The disc takes every letter it can, so `CD` at the end of `CD1` may look like a part of it;
    // shorter discs are tried until a word stands in front.
    let mut start = before_disc.len();
    while start < open.len() {
        if let Some(title) = title_before(&open[..start]) {
            let disc = &open[start..];
            return Some(Marked { before: title, title: Cow::Borrowed(title), disc });
        }
        start += 1;
    }
    None
}

/// The name before the marker word that `text` ends with.
fn title_before(text: &str) -> Option<&str> {
    let text = text.trim_end_matches([' ', '_']);
    let bytes = text.as_bytes();
    for (word, stands_alone) in WORDS {
        let Some(start) = bytes.len().checked_sub(word.len()) else { continue };
        if !bytes[start..].eq_ignore_ascii_case(word.as_bytes()) {
            continue;
        }
        // OK because the bytes from here on are ASCII, so this is a character boundary.
        let before = &text[..start];
        if stands_alone && continues_a_word(before, bytes[start]) {
            continue;
        }
        let before = before.strip_suffix(['(', '[']).unwrap_or(before);
        return Some(before.trim_end_matches(SEPARATORS));
    }
    None
}

/// Whether a marker word right after `before` is the tail of a longer word. A capital after a
/// small letter (`GameCD1`) begins a new one.
fn continues_a_word(before: &str, first: u8) -> bool {
    before.chars().next_back().is_some_and(|last| {
        last.is_alphabetic() && !(first.is_ascii_uppercase() && last.is_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_marker(stem: &str, expected: Option<(&str, &str)>) {
        let marked = split(stem);
        let marked = marked.as_ref().map(|marked| (&*marked.title, marked.disc));
        assert_eq!(marked, expected, "{stem:?}");
    }

    #[test]
    fn reads_every_spelling_of_a_marker() {
        for (stem, expected) in [
            ("Game (Disc 1)", Some(("Game", "1"))),
            ("Game [disk 2]", Some(("Game", "2"))),
            ("Game - CD 03", Some(("Game", "03"))),
            ("Game_DVD1", Some(("Game", "1"))),
            ("Game.side.b", None),
            ("Game.side b", Some(("Game", "b"))),
            ("Game (Side A", Some(("Game", "A"))),
            ("GameDisc12", Some(("Game", "12"))),
            ("GameCD1", Some(("Game", "1"))),
            ("Disc 1", Some(("", "1"))),
            ("(CD1)", Some(("", "1"))),
            ("Pokémon é (Disc d)", Some(("Pokémon é", "d"))),
            ("Game (USA) (Disc 1)", Some(("Game (USA)", "1"))),
            ("Game . _ - (Disc 1)", Some(("Game", "1"))),
            ("Game disc abcd", Some(("Game", "abcd"))),
            ("Game cd1cd2", Some(("Game", "1cd2"))),
            ("Game_Disc_1", Some(("Game", "1"))),
        ] {
            check_marker(stem, expected);
        }
    }

    #[test]
    fn brackets_may_follow_a_marker_in_brackets() {
        for (stem, expected) in [
            ("Game (Disc 1) (USA)", Some(("Game (USA)", "1"))),
            ("Game (USA) (Disc 2) (Rev 1) [!]", Some(("Game (USA) (Rev 1) [!]", "2"))),
            ("Game (Disc 1 of 2)", Some(("Game", "1"))),
            ("Game [CD2 of 2] (Europe)", Some(("Game (Europe)", "2"))),
            ("Game (1990)(M)(Disk 1 of 2)(Side A)", Some(("Game (1990)(M) (Side A)", "1"))),
            ("Game (FR)(Tape 2 of 4)[data]", Some(("Game (FR) [data]", "2"))),
            ("Game (Tape 1)", Some(("Game", "1"))),
            ("Game (Part 1 of 2)", Some(("Game", "1"))),
            ("Game (Part 1)", None),
            ("Game Videotape 1", None),
            ("Game_(Side b of B)(x)", Some(("Game (x)", "b"))),
        ] {
            check_marker(stem, expected);
        }
    }

    #[test]
    fn leaves_other_names_alone() {
        for stem in [
            "Game",
            "Game 2",
            "Game (USA)",
            "Disc",
            "Game (Disc)",
            "Game (Disc x)",
            "Game Disc 1e",
            "Game (Discovery 1) (USA)",
            "Game (Disc 1) (USA) remixed",
            "Game (Disc 1 of) (USA)",
            "(Disc 1) (USA)",
            "(USA) (Disc 1) (Rev 1)",
            "Game )(USA)",
            "Outside 2",
            "Inside 1",
            "Riverside a",
            "ABCD1",
            "1",
            "",
            ")",
            "é",
            "Game (Disc 1))",
        ] {
            check_marker(stem, None);
        }
    }
}
