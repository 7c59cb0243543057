//! A game as rules and conditions read it: typed views first, the rest of its record when needed, and the disk last.
//!
//! Owns the order of the questions. A first round leaves every question about the disk open and notes
//! that it did; [`select`] then asks the disk once for all games that are left and decides those
//! again. So the disk is never asked game by game.

use std::{
    cell::{Cell, OnceCell},
    collections::HashSet,
    sync::Arc,
};

use serde_json::Value;

use crate::{
    base::text,
    game::slots::{Slots, slot, text_of},
    model::{Game, Games},
    platforms,
    probe::{disk::Disk, found_saves::SaveKeys},
};

/// Ids that show that a game was bought in a store.
const STORE_IDS: [usize; 4] =
    [slot("store_a_app_id"), slot("store_b_app_id"), slot("store_c_id"), slot("libserver_id")];
/// Words a title may begin with that its initials leave out.
const ARTICLES: [&str; 3] = ["the", "a", "an"];
const COVER: usize = slot("cover");
const BACKGROUND: usize = slot("background");

/// What matching needs from outside: the disk and the categories of platforms.
pub trait MatchContext: Disk {
    /// The category of a platform.
    fn category(&self, platform: &str) -> String;

    /// Whether the emulator or the store of a game keeps saves of it.
    fn keeps_saves(&self, _: SaveKeys<'_>) -> bool {
        false
    }
}

/// One game under question.
pub struct Card<'a> {
    /// The game.
    pub game: &'a Game,
    /// What is not in its record.
    pub context: &'a dyn MatchContext,
    slots: OnceCell<Slots<'a>>,
    /// Paths that exist; `None` while the disk is not asked yet.
    disk: Option<&'a HashSet<String>>,
    is_open: Cell<bool>,
}

impl<'a> Card<'a> {
    fn new(
        game: &'a Game,
        context: &'a dyn MatchContext,
        disk: Option<&'a HashSet<String>>,
    ) -> Self {
        Self { game, context, slots: OnceCell::new(), disk, is_open: Cell::new(false) }
    }

    /// The fields of its record.
    pub fn slots(&self) -> &Slots<'a> {
        self.slots.get_or_init(|| Slots::of(self.game.json()))
    }

    /// Whether a path exists; `None` when that is to be asked later.
    fn exists(&self, path: &str) -> Option<bool> {
        if path.is_empty() {
            return Some(false);
        }
        if self.disk.is_none() {
            self.is_open.set(true);
        }
        Some(self.disk?.contains(path))
    }

    /// Whether something stands at its path; `None` when that is to be asked later.
    pub fn path_exists(&self) -> Option<bool> {
        self.exists(self.game.path())
    }

    /// Whether it is installed: as its record says, else whether its file is there.
    pub fn is_installed(&self) -> Option<bool> {
        match self.slots().flag(const { slot("store_installed") }) {
            Some(stored) => Some(stored),
            None => self.path_exists(),
        }
    }

    /// Whether it was bought, as far as its record says.
    pub fn is_owned(&self) -> bool {
        let slots = self.slots();
        let is = |at: usize| slots.flag(at) == Some(true);
        is(const { slot("owned") })
            || is(const { slot("store_catalog") })
            || STORE_IDS.into_iter().any(|id| !slots.text(id).is_empty())
    }

    /// Whether it has save paths, or its emulator or store keeps saves of it.
    pub fn has_saves(&self) -> bool {
        let slots = self.slots();
        slots.has_items(const { slot("save_paths") })
            || self.context.keeps_saves(SaveKeys {
                name: self.game.name(),
                path: self.game.path(),
                platform: self.game.platform(),
                store_id: &slots.text(STORE_IDS[0]),
            })
    }

    /// Whether it is known to the achievement provider.
    pub fn has_achievements(&self) -> bool {
        !self.slots().text(const { slot("ach_game_id") }).is_empty()
    }

    /// Whether its platform keeps high scores.
    pub fn has_highscores(&self) -> bool {
        platforms::has_sets(self.game.platform())
            && !self.slots().text(const { slot("rom_name") }).is_empty()
    }

    /// Whether its cover or background is missing; `None` when that is to be asked later.
    pub fn lacks_media(&self) -> Option<bool> {
        let has = |at: usize| {
            let path = self.slots().text(at);
            if path.is_empty() || !self.context.is_media(&path) {
                return Some(false);
            }
            self.exists(&path)
        };
        match (has(COVER), has(BACKGROUND)) {
            (Some(false), _) | (_, Some(false)) => Some(true),
            (cover, background) => Some(!(cover? && background?)),
        }
    }

    /// The texts of its notes.
    pub fn notes(&self) -> Vec<String> {
        let at = const { slot("notes") };
        let slots = self.slots();
        if !slots.is_set(at) {
            return Vec::new();
        }
        if !slots.raw(at).starts_with('[') {
            let text = slots.text(at);
            return if text.trim().is_empty() { Vec::new() } else { vec![text.into_owned()] };
        }
        let entries = slots.items(at).into_iter();
        let text = |raw: &str| match serde_json::from_str(raw).ok()? {
            Value::String(text) => Some(text),
            entry => entry.get("text")?.as_str().map(str::to_owned),
        };
        entries.filter_map(text).filter(|text| !text.is_empty()).collect()
    }

    /// Whether a folded text is in the title, the makers or the notes of a game.
    pub fn mentions(&self, term: &str) -> bool {
        let game = self.game;
        let typed = [game.name(), game.platform(), game.genre(), game.developer()];
        let typed = typed.into_iter().chain([game.publisher(), game.series()]);
        // Only what has a blank may be found across two fields.
        let is_single = !term.contains(' ');
        if is_single && typed.clone().any(|text| text::contains_folded(text, term)) {
            return true;
        }
        let sorted_by = self.slots().text(const { slot("sort_title") });
        let notes = self.notes();
        if is_single {
            let mut rest = notes.iter().map(String::as_str).chain([sorted_by.as_ref()]);
            return rest.any(|text| text::contains_folded(text, term));
        }
        let mut words = vec![game.name(), &sorted_by];
        words.extend(typed.skip(1));
        words.extend(notes.iter().map(String::as_str));
        words.retain(|text| !text.is_empty());
        text::contains_folded(&words.join(" "), term)
    }

    /// Whether a folded phrase is found in the game or in the initials of its title.
    pub fn answers(&self, query: &str) -> bool {
        self.mentions(query) || is_acronym(query, self.game.name())
    }

    /// The tags of the game.
    pub fn tags(&self) -> Vec<String> {
        let tags = self.slots().items(const { slot("tags") });
        tags.into_iter().map(|raw| text_of(raw).into_owned()).collect()
    }

    /// Every path of it that may be asked for on the disk.
    fn paths(&self) -> Vec<String> {
        let media = [COVER, BACKGROUND].map(|at| self.slots().text(at).into_owned());
        let paths = std::iter::once(self.game.path().to_owned()).chain(media);
        paths.filter(|path| !path.is_empty()).collect()
    }
}

/// The positions of the games that pass a test, in library order; the disk is asked at most once.
pub fn select(
    games: &Games,
    context: &dyn MatchContext,
    test: &dyn Fn(&Card<'_>) -> bool,
) -> Vec<usize> {
    let mut passed: Vec<(usize, bool)> = Vec::new();
    let mut paths: Vec<String> = Vec::new();
    let all = games.chunks().iter().flat_map(|chunk| chunk.iter()).enumerate();
    for (position, game) in all {
        let card = Card::new(game, context, None);
        if test(&card) {
            passed.push((position, card.is_open.get()));
            if card.is_open.get() {
                paths.extend(card.paths());
            }
        }
    }
    if paths.is_empty() {
        return passed.into_iter().map(|(position, _)| position).collect();
    }
    let existing = context.existing(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let stays = |(position, is_open): &(usize, bool)| {
        let game = games.get(*position);
        !is_open || game.is_some_and(|game| test(&Card::new(game, context, Some(&existing))))
    };
    passed.into_iter().filter(stays).map(|(position, _)| position).collect()
}

/// How many of these games pass a test that asks nothing about the disk.
pub fn count(
    games: &[Arc<Game>],
    context: &dyn MatchContext,
    test: &dyn Fn(&Card<'_>) -> bool,
) -> usize {
    games.iter().filter(|game| test(&Card::new(game, context, None))).count()
}

/// Whether a folded term of two to eight letters or digits stands in the initials of a title.
pub fn is_acronym(term: &str, title: &str) -> bool {
    if !(2..=8).contains(&term.len()) || !term.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let initials = |words: &[&str]| -> String {
        words.iter().filter_map(|word| word.chars().next()).collect::<String>().to_ascii_lowercase()
    };
    let is_titled =
        |first: &&str| ARTICLES.iter().any(|article| article.eq_ignore_ascii_case(first));
    let titled = words.first().is_some_and(is_titled);
    initials(&words).contains(term) || (titled && initials(&words[1..]).contains(term))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_found_with_and_without_an_article() {
        for (term, title, expected) in [
            ("gta", "Grand Theft Auto", true),
            ("ta", "Grand Theft Auto", true),
            ("loz", "The Legend of Zelda", true),
            ("tloz", "The Legend of Zelda", true),
            ("g", "Grand Theft Auto", false),
            ("gtavxyzab", "Grand Theft Auto", false),
            ("g-t", "Grand Theft", false),
            ("ff7", "Final Fantasy 7", true),
        ] {
            assert_eq!(is_acronym(term, title), expected, "{term} {title}");
        }
    }
}
