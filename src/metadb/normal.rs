//! Titles as they are compared: folded, without accents and punctuation, the article in front.

use crate::{base::text, names};

/// Words of groups in parentheses that are not part of the title.
const TAG_WORDS: [&str; 6] = ["usa", "europe", "japan", "world", "rev", "disc"];

/// Letters of Latin alphabets and their forms without diacritics.
const PLAIN: [(&str, &str); 26] = [
    ("àáâãäåāăąǎ", "a"),
    ("æ", "ae"),
    ("çćĉċč", "c"),
    ("ďđð", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįı", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľŀł", "l"),
    ("ñńņňŋ", "n"),
    ("òóôõöøōŏőǒ", "o"),
    ("œ", "oe"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ţťŧț", "t"),
    ("þ", "th"),
    ("ùúûüũūŭůűųǔ", "u"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
    ("²", "2"),
    ("³", "3"),
    ("½", "1 2"),
    ("™®", " "),
];

/// The key by which titles are compared: without tags of regions and revisions, in lower case, Latin
/// letters without accents, an article that stands behind in front, single blanks for everything that
/// is neither letter nor digit. Empty when nothing is left.
pub fn normalise(title: &str) -> String {
    let bare = without_tags(title);
    let turned = names::turn_articles(bare.trim());
    let mut key = String::with_capacity(turned.len());
    for letter in text::fold(&turned).chars() {
        match letter {
            'a'..='z' | '0'..='9' => key.push(letter),
            // Accents that stand behind their letter, and apostrophes inside of words.
            '\u{300}'..='\u{36f}' | '\'' | '’' => {}
            _ if letter.is_ascii() => blank(&mut key),
            _ => match PLAIN.iter().find(|(letters, _)| letters.contains(letter)) {
                Some((_, plain)) if plain.trim().is_empty() => blank(&mut key),
                Some((_, plain)) => key.push_str(plain),
                None if letter.is_alphanumeric() => key.push(letter),
                None => blank(&mut key),
            },
        }
    }
    key.truncate(key.trim_end().len());
    key
}

fn blank(key: &mut String) {
    if !key.is_empty() && !key.ends_with(' ') {
        key.push(' ');
    }
}

/// The title without `[...]`, and without `(...)` that name a region, revision or disc.
fn without_tags(title: &str) -> String {
    let mut bare = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(at) = rest.find(['(', '[']) {
        let (before, group) = rest.split_at(at);
        bare.push_str(before);
        let closing = if group.starts_with('(') { ')' } else { ']' };
        let Some(end) = group.find(closing) else {
            rest = group;
            break;
        };
        let inner = text::fold(&group[..=end]);
        if closing == ')' && !TAG_WORDS.iter().any(|word| inner.contains(word)) {
            bare.push_str(&group[..=end]);
        }
        rest = &group[end + 1..];
    }
    bare.push_str(rest);
    bare
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn titles_are_equal_that_are_meant_to_be() {
        for (title, expected) in [
            ("Comet Rangers II", "comet rangers ii"),
            ("  COMET-Rangers: II!  ", "comet rangers ii"),
            ("Comet Rangers (USA, Europe) (Rev 1) [!] [b1]", "comet rangers"),
            ("Comet (Part 2) (disc 1)", "comet part 2"),
            ("Legend of the Comet, The", "the legend of the comet"),
            ("Pokémon - L'Île Ægir", "pokemon lile aegir"),
            ("Poke\u{301}mon", "pokemon"),
            ("Comet's Day & Night™", "comets day night"),
            ("Straße", "strasse"),
            ("Comet (USA", "comet usa"),
            ("悪魔城", "悪魔城"),
            ("(Europe)", ""),
            ("!?", ""),
            ("", ""),
        ] {
            assert_eq!(normalise(title), expected, "{title}");
        }
    }

    proptest! {
        #[test]
        fn a_key_is_its_own_key(title in "\\PC{0,40}") {
            let key = normalise(&title);
            prop_assert!(!key.starts_with(' ') && !key.ends_with(' ') && !key.contains("  "));
            prop_assert!(!key.contains(['(', '[', '\n']));
            prop_assert_eq!(normalise(&key), key);
        }
    }
}
