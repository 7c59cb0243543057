//! The marker of a disc in a name: `(Disc 1)`, `CD2`, `- Side B`, `(Tape 1 of 2)`.

use std::borrow::Cow;

use crate::base::text;

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
/// Letters of discs that are too many for numbers on a box, each alone.
const LATER_DISCS: [char; 8] = ['e', 'f', 'g', 'h', 'E', 'F', 'G', 'H'];
/// A word that is a marker only with a count, `(Part 1 of 2)`: titles have parts too.
const COUNTED: &str = "part ";

/// Words of other languages that are a marker only in brackets and before a number.
const ABROAD: [&str; 2] = ["disque", "disco"];
/// What stands between a disc and the number of discs in other languages.
const COUNTS_ABROAD: [&str; 4] = [" von ", " de ", " sur ", " di "];

/// The word of a marker that names a side, of a disc when that has a marker of its own.
const SIDE: &str = "side";
/// What may separate the side from the disc in one pair of brackets.
const JOINTS: [char; 5] = [' ', '.', '_', '-', ','];

/// A name split at its disc marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked<'a> {
    /// The name before the marker and the separators in front of it.
    pub before: &'a str,
    /// The same with the brackets behind the marker.
    pub title: Cow<'a, str>,
    /// Which disc: one or more of `0-9a-d`, or one of `e-h`, in the spelling of the name.
    pub disc: &'a str,
    /// Which side of the disc, where the name marks both; else empty.
    pub side: &'a str,
}

impl Marked<'_> {
    /// Disc and side as a text that is the same for every spelling of them.
    pub fn id(&self) -> String {
        let disc = text::fold(self.disc);
        if self.side.is_empty() { disc } else { format!("{disc}, side {}", text::fold(self.side)) }
    }

    /// The place of the disc among those of its game: 2 before 10, A before B, a side behind the one
    /// before it.
    pub fn order(&self) -> impl Ord + use<> {
        [order_of(self.disc), order_of(self.side)]
    }
}

/// A disc or side in its order: its number, that of a letter by its place in the alphabet, and what
/// stands behind the number (`1a`).
fn order_of(token: &str) -> (u64, String) {
    let token = text::fold(token);
    let digits = token.bytes().take_while(u8::is_ascii_digit).count();
    match (token[..digits].parse(), token.as_bytes()) {
        (Ok(number), _) => (number, token[digits..].to_owned()),
        (Err(_), [letter @ b'a'..=b'z']) => (u64::from(letter - b'a') + 1, String::new()),
        (Err(_), _) => (0, token),
    }
}

/// A marker, and where it stands in a name.
#[derive(Clone, Copy, Debug)]
struct Marker<'a> {
    /// Where the name before it ends.
    start: usize,
    /// Where it ends itself.
    end: usize,
    /// The disc it names; empty for a side alone.
    disc: &'a str,
    /// The side it names; empty for a disc alone.
    side: &'a str,
}

/// Splits a stem at its disc marker.
///
/// At the end of the name that is: optional separators, an optional bracket, a marker word, optional
/// spaces (or underscores, which stand for them), the disc, an optional closing bracket. Before other
/// brackets, and with a count of the discs, it has brackets of its own. A marker with a count goes
/// before the others: `Name (Disk 2 of 6)(Disk F)`. The side of a disc stands in the brackets of the
/// disc, in brackets of its own, or behind the disc at the end of the name.
pub fn split(stem: &str) -> Option<Marked<'_>> {
    let first = in_brackets(stem, |inner| filling(inner, true))
        .or_else(|| in_brackets(stem, |inner| filling(inner, false)))
        .or_else(|| at_end(stem))?;
    Some(match other_half(stem, first) {
        Some(second) if second.start < first.start => marked(stem, [second, first]),
        Some(second) => marked(stem, [first, second]),
        None => marked(stem, [first]),
    })
}

/// The name without these markers, which stand in their order.
fn marked<'a, const COUNT: usize>(stem: &'a str, markers: [Marker<'a>; COUNT]) -> Marked<'a> {
    let before = &stem[..markers[0].start];
    let ends = markers.iter().map(|marker| marker.end);
    let starts = markers[1..].iter().map(|marker| marker.start).chain([stem.len()]);
    let behind = ends.zip(starts).map(|(end, start)| stem.get(end..start).unwrap_or("").trim());
    let mut title = Cow::Borrowed(before);
    for part in behind.filter(|part| !part.is_empty()) {
        title = Cow::Owned(format!("{title} {part}"));
    }
    let named = |half: fn(&Marker<'a>) -> &'a str| {
        markers.iter().map(half).find(|text| !text.is_empty()).unwrap_or_default()
    };
    let (disc, side) = (named(|marker| marker.disc), named(|marker| marker.side));
    // A side alone is what its game has instead of discs.
    let (disc, side) = if disc.is_empty() { (side, "") } else { (disc, side) };
    Marked { before, title, disc, side }
}

/// The brackets at the end of a text, the last ones first, each with the text up to them and its inside.
fn brackets(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text.trim_end();
    std::iter::from_fn(move || {
        let close = rest.chars().next_back().filter(|last| [')', ']'].contains(last))?;
        let start = rest.rfind(if close == ')' { '(' } else { '[' })?;
        let whole = rest;
        rest = rest[..start].trim_end();
        Some((whole, &whole[start + 1..whole.len() - 1]))
    })
}

/// The marker in brackets which nothing but brackets follow: `Name (Disc 1 of 2) (USA)`. `read` makes
/// disc and side of what stands in the brackets.
fn in_brackets<'a>(
    stem: &'a str,
    read: impl Fn(&'a str) -> Option<(&'a str, &'a str)>,
) -> Option<Marker<'a>> {
    let mut all = brackets(stem);
    let (marker, before) = all.find_map(|(whole, inner)| {
        let (disc, side) = read(inner)?;
        let before = stem[..whole.len() - inner.len() - 2].trim_end_matches(SEPARATORS);
        Some((Marker { start: before.len(), end: whole.len(), disc, side }, before))
    })?;
    // A name that is nothing but brackets does not name a game.
    let is_named = !before.is_empty() && !before.ends_with([')', ']'])
        || before.find(['(', '[']).is_some_and(|first| first > 0);
    is_named.then_some(marker)
}

/// Disc and side that a marker names which fills its brackets; a wanted count says how many discs there
/// are.
fn filling(inner: &str, is_counted: bool) -> Option<(&str, &str)> {
    if inner.contains(['(', ')', '[', ']']) {
        return None;
    }
    let (disc, side) = match at_end(inner) {
        Some(end) if !end.side.is_empty() && end.start > 0 => {
            (inner[..end.start].trim_end_matches(JOINTS), end.side)
        }
        _ => (inner, ""),
    };
    let (disc, other) = if is_counted { counted(disc)? } else { whole(disc)? };
    // The sides of two halves do not name a disc.
    (side.is_empty() || other.is_empty())
        .then_some((disc, if side.is_empty() { other } else { side }))
}

/// Disc and side of a marker that says how many there are: `Disk 1 of 2`, `Disk1of2`, `Part 1 of 2`.
fn counted(marker: &str) -> Option<(&str, &str)> {
    let fold = marker.to_ascii_lowercase();
    let abroad = || {
        let ends = |word: &str| fold.find(word).map(|at| (at, at + word.len()));
        let is_number = |count: &str| count.bytes().all(|byte| byte.is_ascii_digit());
        COUNTS_ABROAD.into_iter().find_map(ends).filter(|(_, count)| is_number(&fold[*count..]))
    };
    let end = fold.find(" of ").map(|at| (at, at + 4)).or_else(|| joined_count(&fold));
    let end = end.or_else(abroad);
    let (end, _) = end.filter(|(_, count)| {
        let count = &fold[*count..];
        !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })?;
    let marker = &marker[..end];
    let part = fold[..end].strip_prefix(COUNTED).map(|number| &marker[end - number.len()..]);
    let part =
        part.filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    part.map(|part| (part, "")).or_else(|| whole(marker))
}

/// Disc and side of a marker that is a whole text.
fn whole(marker: &str) -> Option<(&str, &str)> {
    let end = at_end(marker).filter(|end| end.start == 0).map(|end| (end.disc, end.side));
    end.or_else(|| {
        let disc = marker.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let word = &marker[..marker.len() - disc.len()];
        let disc = disc.trim_start_matches([' ', '_']);
        let is_disc = ABROAD.iter().any(|abroad| word.eq_ignore_ascii_case(abroad))
            && !disc.is_empty()
            && disc.bytes().all(|byte| byte.is_ascii_digit());
        is_disc.then_some((disc, ""))
    })
}

/// Where the disc ends and the count begins in `disk 1of2`: an `of` right between two numbers.
fn joined_count(fold: &str) -> Option<(usize, usize)> {
    let (at, _) = fold.match_indices("of").find(|(at, of)| {
        let is_digit = |at: Option<usize>| {
            at.and_then(|at| fold.as_bytes().get(at)).is_some_and(u8::is_ascii_digit)
        };
        is_digit(at.checked_sub(1)) && is_digit(Some(at + of.len()))
    })?;
    Some((at, at + "of".len()))
}

/// The side of the disc that `first` names, or the disc whose side it names.
fn other_half<'a>(stem: &'a str, first: Marker<'a>) -> Option<Marker<'a>> {
    let wants_side = first.side.is_empty();
    if !wants_side && !first.disc.is_empty() {
        return None;
    }
    let is_wanted =
        |disc: &str, side: &str| if wants_side { disc.is_empty() } else { side.is_empty() };
    let behind = stem.get(first.end..).unwrap_or_default();
    let offsets = [(first.end, behind), (0, &stem[..first.start])];
    let found = offsets.into_iter().find_map(|(offset, text)| {
        brackets(text).find_map(|(whole, inner)| {
            let (disc, side) = filling(inner, true).or_else(|| filling(inner, false))?;
            let open = offset + whole.len() - inner.len() - 2;
            let start = stem[..open].trim_end_matches(SEPARATORS).len();
            let end = offset + whole.len();
            is_wanted(disc, side).then_some(Marker { start, end, disc, side })
        })
    });
    // Without brackets only a disc right before its side is one: titles have sides too.
    let before = at_end(&stem[..first.start]);
    found.or_else(|| before.filter(|before| !wants_side && !before.disc.is_empty()))
}

fn at_end(stem: &str) -> Option<Marker<'_>> {
    let open = stem.strip_suffix([')', ']']).unwrap_or(stem);
    let before_disc = open.trim_end_matches(|letter: char| {
        letter.is_ascii_digit() || matches!(letter.to_ascii_lowercase(), 'a'..='d')
    });
    let found = |start: usize| {
        let (before, is_side) = word_before(&open[..start])?;
        let named = &open[start..];
        let (disc, side) = if is_side { ("", named) } else { (named, "") };
        Some(Marker { start: before, end: stem.len(), disc, side })
    };
    // The disc takes every letter it can, so `CD` at the end of `CD1` may look like a part of it;
    // shorter discs are tried until a word precedes.
    let mut starts = before_disc.len()..open.len();
    starts.find_map(found).or_else(|| {
        // Further letters end too many words to be taken without a blank before them.
        let letter = open.chars().next_back()?;
        let start = open.len().checked_sub(1).filter(|_| LATER_DISCS.contains(&letter))?;
        found(start).filter(|_| open[..start].ends_with([' ', '_']))
    })
}

/// Where the name before the marker word ends that `text` ends with, and whether the word names a side.
fn word_before(text: &str) -> Option<(usize, bool)> {
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
        return Some((before.trim_end_matches(SEPARATORS).len(), word == SIDE));
    }
    None
}

/// Whether a marker word right after `before` is the tail of a longer word. A capital after a lower-case letter
/// (`GameCD1`) begins a new one.
fn continues_a_word(before: &str, first: u8) -> bool {
    before.chars().next_back().is_some_and(|last| {
        last.is_alphabetic() && !(first.is_ascii_uppercase() && last.is_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            ("Game (Disk H)", Some(("Game", "H"))),
            ("Game [Disk E]", Some(("Game", "E"))),
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
            ("Game (FR)(Tape 2 of 4)[data]", Some(("Game (FR) [data]", "2"))),
            ("Game (Disk 1of2)", Some(("Game", "1"))),
            ("Game (Disc2of2) (USA)", Some(("Game (USA)", "2"))),
            ("Game (Disk of 2)", None),
            ("Game (Tape 1)", Some(("Game", "1"))),
            ("Game (Part 1 of 2)", Some(("Game", "1"))),
            ("Game (Part 1)", None),
            ("Game Videotape 1", None),
            ("Game (Disque 1)", Some(("Game", "1"))),
            ("Game (France) (disque_2) (Rev 1)", Some(("Game (France) (Rev 1)", "2"))),
            ("Game (Disco 1)", Some(("Game", "1"))),
            ("Game (CD 1 von 2)", Some(("Game", "1"))),
            ("Game (CD 2 de 2) (Spain)", Some(("Game (Spain)", "2"))),
            ("Game (Disque 1 sur 2)", Some(("Game", "1"))),
            ("Game (Disco 2 di 2)", Some(("Game", "2"))),
            ("Game (CD 1 de Luxe)", None),
            ("Game (Disco A)", None),
            ("Game (Disque 1 sur)", None),
            ("Game Disco 2", None),
            ("Game_(Side b of B)(x)", Some(("Game (x)", "b"))),
        ] {
            check_marker(stem, expected);
        }
    }

    #[test]
    fn a_side_belongs_to_its_disc() {
        for (stem, title, disc, side) in [
            ("Game (1990)(M)(Disk 1 of 2)(Side A)", "Game (1990)(M)", "1", "A"),
            ("Game (1990)(M)(Disk 1 of 2 Side A)[a]", "Game (1990)(M) [a]", "1", "A"),
            ("Game (Disk 1 Side B)", "Game", "1", "B"),
            ("Game (Disk 1, Side 2)", "Game", "1", "2"),
            ("Game (USA) (Disc 2) (Rev 1) (Side A) (x)", "Game (USA) (Rev 1) (x)", "2", "A"),
            ("Game (Side B) (Disk 2)", "Game", "2", "B"),
            ("Game (Disk 1)(Side B of B)", "Game", "1", "B"),
            ("Game [Disk E] [Side b]", "Game", "E", "b"),
            ("Game - Disk 1 - Side B", "Game", "1", "B"),
            ("Game_Disk1_SideB", "Game", "1", "B"),
            ("Disk 1 (Side B)", "", "1", "B"),
            ("Game (Side B)", "Game", "B", ""),
            ("Dark Side 2 (Disc 1)", "Dark Side 2", "1", ""),
            ("Game (Disk 2 of 6)(Disk F)", "Game (Disk F)", "2", ""),
            ("Game (Side A) (Side B)", "Game (Side A)", "B", ""),
            ("é (Tape 1 of 2 Side A)é", "", "", ""),
        ] {
            let marked = split(stem);
            let shown = marked.as_ref().map(|marked| (&*marked.title, marked.disc, marked.side));
            assert_eq!(shown.unwrap_or_default(), (title, disc, side), "{stem}");
        }
    }

    #[test]
    fn discs_are_in_their_order() {
        let order = |stem: &str| split(stem).map(|marked| marked.order());
        for (first, second) in [
            ("G (Disk 9)", "G (Disk 10)"),
            ("G (Disk A)", "G (Disk H)"),
            ("G (Disk 1 Side B)", "G (Disk 2 Side A)"),
            ("G (Disk 1 Side A)", "G (Disk 1)(Side B)"),
            ("G (Disk 2)", "G (Disk 10)(Side A)"),
            ("G (Disk 1A)", "G (Disk 1B)"),
        ] {
            assert!(order(first) < order(second), "{first}");
        }
        assert!(order("G (Disk 01)") == order("G (Disk 1)"));
        let id = |stem: &str| split(stem).map(|marked| marked.id());
        assert_eq!(id("G (Disk B Side A)"), id("g [disk b][side a]"));
        assert_ne!(id("G (Disk B)"), id("G (Disk B)(Side A)"));
    }

    proptest! {
        #[test]
        fn whatever_the_name_it_ends(stem in "(Disc|Side|[()\\[\\] _é,]|[0-9a-h]| of |tape){0,12}") {
            if let Some(marked) = split(&stem) {
                prop_assert!(marked.title.starts_with(marked.before));
                prop_assert!(!marked.disc.is_empty());
            }
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
            "Game Disc ef",
            "CDE",
            "Tapeh",
            "Game (Disk I)",
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
