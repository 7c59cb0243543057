//! The title by which duplicates are recognised: without what file names add to it.

use crate::base::text;

/// Characters of a title that are compared.
const TITLE_CHARS: usize = 200;
/// Words of file names that do not identify a game.
const MARKERS: [&str; 14] = [
    "usa", "europe", "japan", "world", "en", "jp", "fr", "de", "es", "pt", "beta", "proto", "demo",
    "unl",
];

/// A title without bracketed parts, without markers of regions and revisions, folded.
pub(super) fn plain_title(name: &str) -> String {
    let (mut bare, mut depth) = (String::with_capacity(name.len()), 0_usize);
    for letter in text::fold(name).chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            letter if depth == 0 => bare.push(letter),
            _ => {}
        }
    }
    let words: Vec<&str> = bare
        .split(|letter: char| !letter.is_alphanumeric() && letter != '.')
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (word, next) = (words[at], words.get(at + 1).copied().unwrap_or(""));
        let is_version =
            word.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && is_number(rest));
        let takes_next = match word {
            "rev" => next.len() <= 2 && !next.is_empty(),
            "disc" | "disk" | "prg" => !next.is_empty() && is_number(next),
            _ => false,
        };
        let is_marker = MARKERS.contains(&word) || is_version || takes_next;
        if !is_marker {
            kept.extend(word.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
        }
        at += if takes_next { 2 } else { 1 };
    }
    // A title of nothing but markers is a title all the same.
    let joined = if kept.is_empty() { words.join(" ") } else { kept.join(" ") };
    text::cut(&joined, TITLE_CHARS).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_regions_revisions_and_brackets() {
        for (name, expected) in [
            ("Super Game (USA) [!]", "super game"),
            ("Super Game - Europe Rev A v1.2", "super game"),
            ("Größe: Disc 2", "grösse"),
            ("Game.Name Disk 1 PRG 0", "game name"),
            ("Final Fantasy 7", "final fantasy 7"),
            ("Rev", "rev"),
            ("Japan", "japan"),
            ("(USA)", ""),
            ("", ""),
        ] {
            assert_eq!(plain_title(name), expected, "{name}");
        }
        assert_eq!(plain_title(&"x".repeat(300)).len(), TITLE_CHARS);
    }
}
