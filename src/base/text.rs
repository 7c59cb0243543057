//! Folding and trimming of text for comparison, and the words of the system; storage always keeps the user's spelling.

use std::borrow::Cow;

/// The text of the system for a failure, without its number: "No space left on device".
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Case-folds for comparison: lower case, with the sharp s and the final sigma unified.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
            continue;
        }
        for lower in letter.to_lowercase() {
            match lower {
                'ß' => folded.push_str("ss"),
                'ς' => folded.push('σ'),
                other => folded.push(other),
            }
        }
    }
    folded
}

/// Whether a text is this one, which is already folded.
pub fn is_folded(text: &str, folded: &str) -> bool {
    // Without a copy, because whole libraries are compared like this.
    if text.is_ascii() { text.eq_ignore_ascii_case(folded) } else { fold(text) == folded }
}

/// Whether `needle`, already folded, occurs in `haystack` when that is folded.
pub fn contains_folded(haystack: &str, needle: &str) -> bool {
    if needle.is_empty() {
        return true;
    }
    if !haystack.is_ascii() {
        return fold(haystack).contains(needle);
    }
    // Without a copy, because whole libraries are searched like this.
    let (haystack, needle) = (haystack.as_bytes(), needle.as_bytes());
    let first = needle[0];
    haystack.windows(needle.len()).any(|window| {
        window[0].to_ascii_lowercase() == first && window.eq_ignore_ascii_case(needle)
    })
}

/// Trims and turns every run of blanks and control characters into one space.
pub fn collapse(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text of one line: itself, or collapsed where it holds line breaks or other control characters.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let breaks = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    if text.contains(breaks) { Cow::Owned(collapse(text)) } else { Cow::Borrowed(text) }
}

/// The first `count` characters.
pub fn cut(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

/// A title as a part of a path: letters and digits in lower case, everything else as single dashes, at
/// most 60 characters. Empty for a title without letters and digits.
pub fn slug(title: &str) -> String {
    let mut slug = String::with_capacity(title.len());
    for letter in fold(title).chars() {
        if letter.is_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    cut(&slug, 60).trim_end_matches('-').to_owned()
}

/// Whether `name` may name an environment variable: `[A-Za-z_][A-Za-z0-9_]*`.
pub fn is_variable_name(name: &str) -> bool {
    let mut letters = name.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compared_with_a_folded_one() {
        for (text, folded, expected) in [
            ("Zelda", "zelda", true),
            ("Zelda II", "zelda", false),
            ("GRÖSSE", "grösse", true),
            ("Größe", "grösse", true),
            ("Grosse", "grösse", false),
            ("", "", true),
        ] {
            assert_eq!(is_folded(text, folded), expected, "{text}");
            assert_eq!(fold(text) == folded, expected, "{text}");
        }
    }

    #[test]
    fn folds_beyond_ascii() {
        assert_eq!(fold("Pokémon STRAßE"), "pokémon strasse");
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        for (haystack, needle, expected) in [
            ("Super MARIO", "mario", true),
            ("Super MARIO", "r m", true),
            ("Super MARIO", "mariö", false),
            ("Mari", "mario", false),
            ("Pokémon", "KÉM", false),
            ("Pokémon", "kém", true),
            ("Pokemon", "pokemon", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(contains_folded(haystack, needle), expected, "{haystack} {needle}");
        }
    }

    #[test]
    fn collapses_and_cuts() {
        assert_eq!(collapse("  a \t b\n"), "a b");
        assert_eq!(collapse("\u{1}a\u{0}\u{85}b\u{7f}"), "a b");
        assert_eq!(one_line("a\r\n\tb\u{2028} c "), "a b c");
        assert_eq!(one_line(" a  b "), " a  b ");
        assert_eq!(cut("größe", 3), "grö");
        assert_eq!(cut("ab", 3), "ab");
    }

    #[test]
    fn variable_names_are_plain_identifiers() {
        for (name, expected) in
            [("A", true), ("_a9", true), ("", false), ("9a", false), ("a-b", false), ("ä", false)]
        {
            assert_eq!(is_variable_name(name), expected, "{name}");
        }
    }
}
