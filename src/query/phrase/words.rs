//! Splitting a phrase into words: case folded, quotes and typed keys recognised.
//!
//! Owns what a word is. Does not know what words mean.

use crate::base::text;

/// Characters at the edge of a word that do not belong to it.
const EDGES: &str = ".,;:!?()[]{}<>*/\\|_=~`'’…«»¿¡&";
/// Characters that end every pattern.
const BREAKS: &str = ".,;!?…";
/// What may follow a number in one word: `10h`, `2-player`, `4-star`.
const UNITS: [&str; 9] = ["h", "hr", "hrs", "hour", "hours", "player", "players", "star", "stars"];

/// One word of a phrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Folded, without quotes, key and leading minus.
    pub(super) text: String,
    /// The same in the spelling of the user.
    pub(super) spelled: String,
    /// The folded key of `key:value`.
    pub(super) key: Option<String>,
    /// Whether it stood in quotes: it is a value or searched for, and part of no pattern.
    pub(super) is_quoted: bool,
    /// Whether a minus stood before it.
    pub(super) is_denied: bool,
    /// Whether a character before it ends every pattern.
    pub(super) opens: bool,
}

impl Word {
    /// The whole word as it is searched for when nothing understands it, folded.
    pub(super) fn literal(&self) -> String {
        let minus = if self.is_denied { "-" } else { "" };
        match &self.key {
            Some(key) => format!("{minus}{key}:{}", self.text),
            None => format!("{minus}{}", self.text),
        }
    }

    /// Whether it is nothing but a word.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_quoted && !self.is_denied && self.key.is_none()
    }
}

/// The words of a phrase in their order.
pub(super) fn split(phrase: &str) -> Vec<Word> {
    let straight: String = phrase
        .chars()
        .map(|letter| match letter {
            '’' | '‘' | 'ʼ' => '\'',
            '“' | '”' | '„' => '"',
            other => other,
        })
        .collect();
    let mut words = Vec::new();
    let mut opens = false;
    let mut rest = straight.trim_start();
    while !rest.is_empty() {
        let (piece, quoted, after) = next_piece(rest);
        rest = after.trim_start();
        let ends = quoted.is_none() && piece.ends_with(|last| BREAKS.contains(last));
        if let Some(word) = read(piece, quoted) {
            push(&mut words, Word { opens, ..word });
            opens = false;
        }
        opens |= ends || (quoted.is_none() && piece.starts_with(|first| BREAKS.contains(first)));
    }
    words
}

/// A piece up to the next blank or quote, the quoted text right behind it, and what follows. Text in
/// quotes belongs to the piece when that is empty, a minus, or a key.
fn next_piece(text: &str) -> (&str, Option<&str>, &str) {
    let end = text.find(|letter: char| letter.is_whitespace() || letter == '"');
    let (piece, after) = text.split_at(end.unwrap_or(text.len()));
    let takes_quotes = matches!(piece, "" | "-") || (piece.len() > 1 && piece.ends_with(':'));
    match after.strip_prefix('"') {
        Some(inside) if takes_quotes => {
            let (quoted, after) = inside.split_once('"').unwrap_or((inside, ""));
            (piece, Some(quoted), after)
        }
        _ => (piece, None, after),
    }
}

fn read(piece: &str, quoted: Option<&str>) -> Option<Word> {
    let (is_denied, bare) = match piece.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, piece),
    };
    let is_edge = |letter: char| EDGES.contains(letter);
    let (key, value) = match quoted {
        Some(quoted) => {
            let key = bare.trim_end_matches(':').trim_matches(is_edge);
            (Some(key).filter(|key| !key.is_empty()), text::collapse(quoted))
        }
        None => match bare.trim_matches(is_edge).split_once(':') {
            Some((key, value)) => (Some(key), value.trim_start_matches(is_edge).to_owned()),
            None => (None, bare.trim_matches(is_edge).to_owned()),
        },
    };
    let key = key.map(text::fold);
    (!value.is_empty()).then(|| Word {
        text: text::fold(&value),
        spelled: value,
        key,
        is_quoted: quoted.is_some(),
        is_denied,
        opens: false,
    })
}

/// Adds a word; a number with its unit becomes two.
fn push(words: &mut Vec<Word>, word: Word) {
    if word.is_plain()
        && let Some((number, unit)) = split_unit(&word.text)
    {
        let part = |text: &str| Word {
            text: text.to_owned(),
            spelled: text.to_owned(),
            ..Word::default()
        };
        words.push(Word { opens: word.opens, ..part(number) });
        words.push(part(unit));
        return;
    }
    words.push(word);
}

fn split_unit(text: &str) -> Option<(&str, &str)> {
    let (number, unit) = match text.split_once('-') {
        Some(parts) => parts,
        None => text.split_at(text.find(|letter: char| letter.is_ascii_alphabetic())?),
    };
    let is_number = number_of(number.trim_end_matches('+')).is_some();
    (is_number && UNITS.contains(&unit)).then_some((number, unit))
}

/// A number of up to seven digits, with or without a fraction, or one of the words one to eight.
pub(super) fn number_of(text: &str) -> Option<f64> {
    const WORDS: [&str; 8] = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
    if let Some(at) = WORDS.iter().position(|word| *word == text) {
        return u8::try_from(at + 1).ok().map(f64::from);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |part: &str| {
        (1..=7).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    (are_digits(whole) && are_digits(fraction)).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(phrase: &str, expected: &[&str]) {
        let shown = |word: &Word| {
            let opens = if word.opens { "/" } else { "" };
            let quotes = if word.is_quoted { "\"" } else { "" };
            format!("{opens}{quotes}{}{quotes}", word.literal())
        };
        let words: Vec<String> = split(phrase).iter().map(shown).collect();
        assert_eq!(words, expected, "{phrase}");
    }

    #[test]
    fn words_lose_their_edges_and_their_case() {
        check("  Short,  (RPG)! games ", &["short", "/rpg", "/games"]);
        check("haven’t PLAYED", &["haven't", "played"]);
        check("co-op e10+ 100% c# #tag", &["co-op", "e10+", "100%", "c#", "#tag"]);
        check("a , b", &["a", "/b"]);
        check("", &[]);
        check("... -", &[]);
        check("ÄRA straße", &["ära", "strasse"]);
    }

    #[test]
    fn quotes_keys_and_minus_are_kept_apart() {
        check("\"Super  Mario\" x", &["\"super mario\"", "x"]);
        check("genre:RPG platform:\"Super NES\"", &["genre:rpg", "\"platform:super nes\""]);
        check("-horror -\"point and click\"", &["-horror", "\"-point and click\""]);
        check("“curly”", &["\"curly\""]);
        check("\"open end", &["\"open end\""]);
        check("zelda: \"\"", &["zelda"]);
        check("half\"life\"", &["half", "\"life\""]);
        check(":x x:", &["x", "x"]);
    }

    #[test]
    fn a_number_parts_from_its_unit() {
        check(
            "10h 2-player two-player 10+h 4-star",
            &["10", "h", "2", "player", "two", "player", "10+", "h", "4", "star"],
        );
        check("1080p 2d h10 x-com", &["1080p", "2d", "h10", "x-com"]);
        for (text, expected) in [
            ("one", Some(1.0)),
            ("eight", Some(8.0)),
            ("nine", None),
            ("12", Some(12.0)),
            ("4.5", Some(4.5)),
            ("12345678", None),
            ("", None),
            (".5", None),
            ("1e3", None),
            ("-1", None),
        ] {
            assert_eq!(number_of(text), expected, "{text}");
        }
    }
}
