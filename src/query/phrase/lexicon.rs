//! The words the grammar knows besides its patterns: filler words, genres, stores.

/// Words without meaning for a game. They are dropped when no pattern takes them.
const STOPWORDS: &str = "\
    a about all also am an and any anything are as at be but by can could do every find for \
    from game games get give got had has have i i'd i'm i've if in is it its just let let's \
    library like list looking me my need of on one ones or our play please show so some \
    something stuff that the them there these they thing things this those title titles to \
    us want was we were what where which who will with would you your";

/// What `on W` and `for W` never mean a platform by.
const NO_PLATFORMS: &[&str] =
    &["sale", "free", "cheap", "real", "sure", "fun", "good", "great", "best", "kids"];

/// Brand words of stores, as they stand in the source of a game.
const STORES: &str = "\
    steam gog heroic lutris store_a store_b store_c store_d libserver epic itch battlenet \
    origin uplay humble amazon";

/// Genre words and what they look for; words without a list look for themselves.
const GENRES: &[(&str, &str)] = &[
    ("rpg, rpgs, role-playing, role playing", "rpg, role-playing, role playing"),
    (
        "jrpg, sport, sim, souls, strategy, rts, survival horror, horror, survival, metroidvania, \
         open world, visual novel, point and click, shmup, bullet hell, indie, action, adventure, \
         stealth, sandbox, arcade, pinball, card, board, rhythm, moba, mmo, tower defense, \
         turn-based, casual, walking sim",
        "",
    ),
    ("jrpgs", "jrpg"),
    ("metroidvanias", "metroidvania"),
    ("shmups", "shmup"),
    ("platformer, platformers", "platform"),
    ("shooter, shooters", "shoot"),
    ("fps", "fps, first-person shooter, shooter"),
    ("puzzle, puzzles, puzzler", "puzzl"),
    ("racing, racer", "rac"),
    ("driving", "rac, driv"),
    ("sports", "sport"),
    ("fighting, fighter", "fight"),
    ("sims, simulation, simulations, simulator, simulators", "sim"),
    (
        "rogue, roguelike, roguelikes, rogue-like, rogue-likes, roguelite, roguelites, rogue-lite, rogue-lites",
        "rogue",
    ),
    ("educational, education", "educat"),
    ("soulslike, soulslikes, souls-like, souls-likes", "souls"),
    ("open-world", "open world"),
    ("visual novels", "visual novel"),
    ("point-and-click", "point and click"),
    ("beat em up, brawler, brawlers", "beat em up, beat 'em up, brawler"),
    ("turn based", "turn-based"),
    ("trivia, quiz", "trivia, quiz"),
    ("walking simulator", "walking sim"),
];

/// Whether a word has no meaning for a game.
pub(super) fn is_stopword(word: &str) -> bool {
    STOPWORDS.split(' ').any(|known| known == word)
}

/// Whether a word may stand for a platform, a developer or anything else that has a name.
pub(super) fn may_be_name(word: &str) -> bool {
    !is_stopword(word) && !NO_PLATFORMS.contains(&word)
}

/// Whether a word is the brand of a store.
pub(super) fn is_store(word: &str) -> bool {
    STORES.split(' ').any(|brand| brand == word)
}

/// The longest genre at the beginning of these words: how many of them it takes, and what it looks
/// for.
pub(super) fn genre(words: &[&str]) -> Option<(usize, Vec<String>)> {
    let length = |trigger: &str| trigger.split(' ').count();
    let fits = |(trigger, _): &(&str, &str)| {
        let length = length(trigger);
        length <= words.len() && trigger.split(' ').eq(words[..length].iter().copied())
    };
    let rows = GENRES.iter();
    let rows = rows.flat_map(|(words, stems)| words.split(", ").map(move |word| (word, *stems)));
    let (trigger, stems) = rows.filter(fits).max_by_key(|(word, _)| length(word))?;
    let stems = if stems.is_empty() { trigger } else { stems };
    Some((length(trigger), stems.split(", ").map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopwords_are_no_names() {
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
