//! The words the grammar knows beside its patterns: filler words, genres, stores.

/// Words that say nothing about a game. They vanish when no pattern claims them.
const STOPWORDS: &[&str] = &[
    "a",
    "about",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "but",
    "by",
    "can",
    "could",
    "do",
    "every",
    "find",
    "for",
    "from",
    "game",
    "games",
    "get",
    "give",
    "got",
    "had",
    "has",
    "have",
    "i",
    "i'd",
    "i'm",
    "i've",
    "if",
    "in",
    "is",
    "it",
    "its",
    "just",
    "let",
    "let's",
    "library",
    "like",
    "list",
    "looking",
    "me",
    "my",
    "need",
    "of",
    "on",
    "one",
    "ones",
    "or",
    "our",
    "play",
    "please",
    "show",
    "so",
    "some",
    "something",
    "stuff",
    "that",
    "the",
    "them",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "title",
    "titles",
    "to",
    "us",
    "want",
    "was",
    "we",
    "were",
    "what",
    "where",
    "which",
    "who",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// What `on W` and `for W` never mean a platform by.
const NO_PLATFORMS: &[&str] =
    &["sale", "free", "cheap", "real", "sure", "fun", "good", "great", "best", "kids"];

/// Brand words of stores, as they stand in the source of a game.
const STORES: &[&str] = &[
    "steam",
    "gog",
    "heroic",
    "lutris",
    "store_a",
    "store_b",
    "store_c",
    "store_d",
    "libserver",
    "epic",
    "itch",
    "battlenet",
    "origin",
    "uplay",
    "humble",
    "amazon",
];

/// Genre words and what they look for; a word that looks for itself has no list.
const GENRES: &[(&str, &[&str])] = &[
    ("rpg", &["rpg", "role-playing", "role playing"]),
    ("rpgs", &["rpg", "role-playing", "role playing"]),
    ("role-playing", &["rpg", "role-playing", "role playing"]),
    ("role playing", &["rpg", "role-playing", "role playing"]),
    ("jrpg", &[]),
    ("platformer", &["platform"]),
    ("platformers", &["platform"]),
    ("shooter", &["shoot"]),
    ("shooters", &["shoot"]),
    ("fps", &["fps", "first-person shooter", "shooter"]),
    ("puzzle", &["puzzl"]),
    ("puzzles", &["puzzl"]),
    ("puzzler", &["puzzl"]),
    ("racing", &["rac"]),
    ("racer", &["rac"]),
    ("driving", &["rac", "driv"]),
    ("sport", &["sport"]),
    ("sports", &["sport"]),
    ("fighting", &["fight"]),
    ("fighter", &["fight"]),
    ("sim", &["sim"]),
    ("sims", &["sim"]),
    ("simulation", &["sim"]),
    ("simulator", &["sim"]),
    ("roguelike", &["rogue"]),
    ("roguelikes", &["rogue"]),
    ("roguelite", &["rogue"]),
    ("educational", &["educat"]),
    ("education", &["educat"]),
    ("soulslike", &["souls"]),
    ("souls", &["souls"]),
    ("strategy", &[]),
    ("rts", &[]),
    ("survival horror", &[]),
    ("horror", &[]),
    ("survival", &[]),
    ("metroidvania", &[]),
    ("open world", &[]),
    ("open-world", &["open world"]),
    ("visual novel", &[]),
    ("visual novels", &["visual novel"]),
    ("point and click", &[]),
    ("point-and-click", &["point and click"]),
    ("beat em up", &["beat em up", "beat 'em up", "brawler"]),
    ("brawler", &["beat em up", "beat 'em up", "brawler"]),
    ("shmup", &[]),
    ("bullet hell", &[]),
    ("indie", &[]),
    ("action", &[]),
    ("adventure", &[]),
    ("stealth", &[]),
    ("sandbox", &[]),
    ("arcade", &[]),
    ("pinball", &[]),
    ("card", &[]),
    ("board", &[]),
    ("rhythm", &[]),
    ("moba", &[]),
    ("mmo", &[]),
    ("tower defense", &[]),
    ("turn-based", &[]),
    ("turn based", &["turn-based"]),
    ("trivia", &["trivia", "quiz"]),
    ("quiz", &["trivia", "quiz"]),
    ("casual", &[]),
    ("walking sim", &["walking sim"]),
    ("walking simulator", &["walking sim"]),
];

/// Whether a word says nothing about a game.
#[must_use]
pub(super) fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

/// Whether a word may stand for a platform, a developer or anything else that has a name.
#[must_use]
pub(super) fn may_be_name(word: &str) -> bool {
    !is_stopword(word) && !NO_PLATFORMS.contains(&word)
}

/// Whether a word is the brand of a store.
#[must_use]
pub(super) fn is_store(word: &str) -> bool {
    STORES.contains(&word)
}

/// The longest genre at the beginning of these words: how many of them it takes, and what it looks
/// for.
#[must_use]
pub(super) fn genre(words: &[&str]) -> Option<(usize, Vec<String>)> {
    let fits = |(trigger, _): &&(&str, &[&str])| {
        let length = trigger.split(' ').count();
        length <= words.len() && trigger.split(' ').eq(words[..length].iter().copied())
    };
    let length = |trigger: &str| trigger.split(' ').count();
    let (trigger, stems) = GENRES.iter().filter(fits).max_by_key(|(word, _)| length(word))?;
    let stems = if stems.is_empty() { std::slice::from_ref(trigger) } else { stems };
    Some((length(trigger), stems.iter().map(|stem| (*stem).to_owned()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopwords_are_sorted_for_the_search() {
        assert!(STOPWORDS.is_sorted());
        assert!(is_stopword("the") && !is_stopword("zelda"));
        assert!(!may_be_name("sale") && may_be_name("snes"));
    }

    #[test]
    fn the_longest_genre_counts() {
        let stems = |words: &[&str]| genre(words);
        assert_eq!(stems(&["survival", "horror", "x"]), Some((2, vec!["survival horror".into()])));
        assert_eq!(stems(&["survival", "x"]), Some((1, vec!["survival".into()])));
        assert_eq!(stems(&["driving"]), Some((1, vec!["rac".into(), "driv".into()])));
        assert_eq!(stems(&["open"]), None);
        assert_eq!(stems(&[]), None);
    }
}
