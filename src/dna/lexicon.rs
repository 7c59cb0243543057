//! Related words for words of a query: moods, mechanics, structure and themes of games.
//!
//! Owns `lexicon.txt`. Only queries are widened, never games, so a new lexicon needs no new index.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::base::text;

/// Counted up with every change of what words mean.
pub const VERSION: u32 = 3;
/// Words that one concept searches.
const EXPANSIONS: usize = 12;

/// A mood, a mechanic, a structure or a theme.
#[derive(Debug)]
pub(super) struct Concept {
    /// What games of it are described with; the words that mean it come last.
    pub(super) words: Vec<&'static str>,
}

/// The concepts by the words that mean them, in all languages of the program.
struct Lexicon {
    concepts: Vec<Concept>,
    by_word: HashMap<String, usize>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| read(include_str!("lexicon.txt")));

/// The concept that a folded word means. Two words that stand side by side and mean one thing are looked
/// up joined.
pub(super) fn concept(word: &str) -> Option<&'static Concept> {
    let at = LEXICON.by_word.get(word)?;
    LEXICON.concepts.get(*at)
}

fn read(lines: &'static str) -> Lexicon {
    let (mut concepts, mut by_word) = (Vec::new(), HashMap::new());
    for line in lines.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let mut parts = line.split('|').map(str::split_whitespace);
        let mut part = || parts.next().into_iter().flatten();
        let meant_by: Vec<&str> = part().collect();
        let mut words: Vec<&str> = part().collect();
        words.extend(
            meant_by.iter().filter(|word| !words.contains(word)).copied().collect::<Vec<_>>(),
        );
        words.truncate(EXPANSIONS);
        for word in meant_by.into_iter().chain(part()) {
            by_word.entry(text::fold(word)).or_insert(concepts.len());
        }
        concepts.push(Concept { words });
    }
    Lexicon { concepts, by_word }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dna::words;

    #[test]
    fn every_language_means_the_same() {
        for (word, first, second) in [
            ("gemütlich", "relaxing", "calm"),
            ("douillet", "relaxing", "calm"),
            ("rol", "role", "quest"),
            ("soccer", "ball", "league"),
            ("fussball", "ball", "league"),
        ] {
            let concept = concept(word).expect(word);
            assert_eq!(concept.words[..2], [first, second], "{word}");
        }
        assert!(concept("zelda").is_none());
    }

    #[test]
    fn concepts_are_bounded_and_their_words_are_words_of_the_index() {
        assert_eq!(LEXICON.concepts.len(), 151);
        for concept in &LEXICON.concepts {
            assert!((2..=EXPANSIONS).contains(&concept.words.len()), "{concept:?}");
            for word in &concept.words {
                assert_eq!(text::fold(word), *word);
                assert_eq!(words::split(word), [*word], "{concept:?}");
            }
        }
    }
}
