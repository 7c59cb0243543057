//! The patterns of the grammar as one table, and the search for the longest one at a word.
//!
//! A pattern is a row of words: `a|b` is one of these, `[a|b]` may be missing, `<n>` is a number,
//! `<n+>` a number with a plus, `<y>` a year, `<unit>` a span of time, `<neg>` a denial, `<store>` a
//! store, `<w>` a name, which may stand in quotes, and `<w:store>` a name that is a store. Commas
//! separate patterns of one meaning. Of several patterns the one that takes most words counts, of
//! equal ones the earlier.

use std::sync::LazyLock;

use super::{
    condition::{Condition, Flag},
    lexicon,
    words::{Word, number_of},
};

/// What the symbols of a pattern held.
#[derive(Clone, Debug, Default)]
struct Caught {
    number: f64,
    year: i64,
    days: i64,
    name: String,
    this_year: i64,
}

impl Caught {
    /// The number when it is a whole one from 1 on.
    fn whole(&self) -> Option<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "seven digits at most")]
        (self.number.fract() == 0.0 && self.number >= 1.0).then_some(self.number as i64)
    }

    /// A span in days, as long as it can be written in seven digits.
    fn idle(&self) -> Option<i64> {
        Some(self.whole()? * self.days).filter(|days| *days < 10_000_000)
    }

    fn rating(&self) -> Option<f64> {
        (0.0..=5.0).contains(&self.number).then_some(self.number)
    }
}

type Means = fn(&Caught) -> Option<Condition>;

/// The table; its order decides between patterns of one length.
const ROWS: &[(&str, Means)] = &[
    ("<neg> played|started, unplayed, untouched, unstarted, unopened", |_| {
        Some(Condition::Unplayed)
    }),
    ("<neg> played in [over] <n> <unit>", |caught| caught.idle().map(Condition::IdleDays)),
    ("<neg> played in [over] a <unit>", |caught| Some(Condition::IdleDays(caught.days))),
    ("<neg> played since <y>", |caught| Some(Condition::IdleBefore(caught.year))),
    ("played", |_| Some(Condition::Played)),
    ("recently played, played recently|lately", |_| Some(Condition::PlayedWithin(31))),
    ("recently|newly|just added, added recently, new to [the] library, new to my library", |_| {
        Some(Condition::AddedDays(31))
    }),
    ("added this year", |caught| Some(Condition::AddedYear(caught.this_year))),
    ("this year", |caught| years(Some(caught.this_year), Some(caught.this_year))),
    ("unbeaten, unfinished, <neg> finished|beaten|completed", |_| Some(Condition::NotFinished)),
    ("backlog, pile of shame", |_| Some(Condition::Backlog)),
    ("[still|currently] playing, in progress", |_| progress(&["Playing", "Paused"])),
    ("finished", |_| progress(&["Beaten", "Completed", "Mastered"])),
    ("100%, hundred percent, 100 percent", |_| progress(&["Completed", "Mastered"])),
    ("beat|beaten", |_| progress(&["Beaten"])),
    ("complete|completed", |_| progress(&["Completed"])),
    ("mastered", |_| progress(&["Mastered"])),
    ("abandoned, dropped, gave up [on]", |_| progress(&["Abandoned"])),
    ("paused, on hold, parked", |_| progress(&["Paused"])),
    ("short|quick|tiny|bite-sized", |_| Some(Condition::HoursMax(5.0))),
    ("long|epic|lengthy", |_| Some(Condition::HoursMin(20.0))),
    (
        "under <n> h|hr|hrs|hour|hours, less than <n> h|hr|hrs|hour|hours, \
         no more than <n> h|hr|hrs|hour|hours, <n> h|hr|hrs|hour|hours or less|shorter",
        |caught| Some(Condition::HoursMax(caught.number)),
    ),
    (
        "over <n> h|hr|hrs|hour|hours, more than <n> h|hr|hrs|hour|hours, \
         at least <n> h|hr|hrs|hour|hours, <n+> h|hr|hrs|hour|hours",
        |caught| Some(Condition::HoursMin(caught.number)),
    ),
    (
        "rated <n>, rated <n> or higher|better|more|up, rated at least <n>, <n> star|stars, rated <n+>, \
         <n+> star|stars, rated <n> star|stars, [rated] <n> star|stars or higher|better|more|up",
        |caught| Some(Condition::RatingMin(caught.rating()?)),
    ),
    ("highly rated", |_| Some(Condition::RatingMin(4.0))),
    ("top|best rated", |_| Some(Condition::RatingMin(4.5))),
    ("unrated, no rating, not rated", |_| Some(Condition::Unrated)),
    ("my <n> star|stars, my rating at least <n>", |caught| {
        Some(Condition::StarsMin(caught.rating()?))
    }),
    ("unrated by me, not rated by me", |_| Some(Condition::Unstarred)),
    ("rated|esrb e|everyone", |_| esrb(&["E"])),
    ("rated|esrb e10+", |_| esrb(&["E10+"])),
    ("rated|esrb t|teen", |_| esrb(&["T"])),
    ("rated|esrb m|mature", |_| esrb(&["M"])),
    ("rated|esrb ao|adults, adults only", |_| esrb(&["AO"])),
    ("rated|esrb rp", |_| esrb(&["RP"])),
    ("rated|esrb ec", |_| esrb(&["EC"])),
    ("mature, adult", |_| esrb(&["M", "AO"])),
    (
        "kids, for [the] kids, for my kids, kid-friendly, kid friendly, family [friendly], \
         family-friendly",
        |_| esrb(&["E", "E10+", "EC"]),
    ),
    ("released|made|from|in|on <y>, released|made in|on <y>", |caught| {
        years(Some(caught.year), Some(caught.year))
    }),
    ("before|pre <y>, prior to <y>", |caught| years(None, Some(caught.year - 1))),
    ("after <y>", |caught| years(Some(caught.year + 1), None)),
    ("since <y>", |caught| years(Some(caught.year), None)),
    ("retro, classic|classics, vintage, old school, old-school", |_| years(None, Some(2000))),
    ("solo, single player, single-player, singleplayer, one player", |_| {
        Some(Condition::PlayersMax(1))
    }),
    (
        "<n> players|people|friends|player, for <n>, for <n> players|people|friends, \
         [up] to <n> players",
        |caught| Some(Condition::PlayersMin(caught.whole()?)),
    ),
    ("co-op, coop, co op, cooperative, couch, couch co-op, couch coop", |_| Some(Condition::Coop)),
    (
        "multiplayer, multi-player, multi player, split screen, split-screen, party, \
         party game|games",
        |_| Some(Condition::Multiplayer),
    ),
    ("favorite|favorites|favourite|favourites|faves", |_| Some(Condition::Favorite(true))),
    ("not favorite|favorites|favourite|favourites, unfavorited", |_| {
        Some(Condition::Favorite(false))
    }),
    ("hidden", |_| Some(Condition::Hidden(true))),
    ("not hidden, unhidden", |_| Some(Condition::Hidden(false))),
    ("installed", |_| Some(Condition::Installed(true))),
    ("uninstalled, not installed", |_| Some(Condition::Installed(false))),
    ("own|owned", |_| Some(Condition::Owned)),
    ("[with|has] saves, [with|has] save files", |_| Some(Condition::Saves(true))),
    ("no|without saves, no|without save files", |_| Some(Condition::Saves(false))),
    ("[with|has] achievements", |_| Some(Condition::Achievements(true))),
    ("no|without achievements", |_| Some(Condition::Achievements(false))),
    ("missing media|cover|covers|art|artwork, no|without cover|covers", |_| {
        Some(Condition::MissingMedia(true))
    }),
    ("with|has cover|covers", |_| Some(Condition::MissingMedia(false))),
    ("high scores, leaderboards, highscores", |_| Some(Condition::Highscores)),
    ("shelf|manual entry|entries, physical", |_| Some(Condition::Flag(Flag::ManualEntry, true))),
    ("broken, not working", |_| Some(Condition::Flag(Flag::Broken, true))),
    ("working", |_| Some(Condition::Flag(Flag::Broken, false))),
    ("portable", |_| Some(Condition::Flag(Flag::Portable, true))),
    ("controller|gamepad [support]", |_| Some(Condition::Flag(Flag::Controller, true))),
    ("with notes, noted", |_| Some(Condition::Flag(Flag::Notes, true))),
    ("no notes, without notes", |_| Some(Condition::Flag(Flag::Notes, false))),
    ("<store> game|games|library, on|from <w:store>", |caught| {
        Some(Condition::Source(caught.name.clone()))
    }),
    ("on|for <w>", |caught| Some(Condition::PlatformAny(vec![caught.name.clone()]))),
    ("from|by <w>, made|developed|published by <w>", |caught| {
        Some(Condition::Credit(caught.name.clone()))
    }),
    ("tag|tagged [with] <w>", |caught| Some(Condition::Tag(caught.name.clone()))),
    ("not|no|never|without <w>", |caught| Some(Condition::NotQuery(caught.name.clone()))),
];

fn years(min: Option<i64>, max: Option<i64>) -> Option<Condition> {
    Some(Condition::Years { min, max })
}

fn progress(states: &[&str]) -> Option<Condition> {
    Some(Condition::Progress(states.iter().map(|state| (*state).to_owned()).collect()))
}

fn esrb(ratings: &[&str]) -> Option<Condition> {
    Some(Condition::Esrb(ratings.iter().map(|rating| (*rating).to_owned()).collect()))
}

/// One symbol of a pattern.
#[derive(Debug)]
enum Symbol {
    Number,
    NumberPlus,
    Year,
    Unit,
    Denial,
    Name,
    Store,
    StoreName,
    OneOf(Vec<&'static str>),
    Maybe(Vec<&'static str>),
}

impl Symbol {
    fn read(text: &'static str) -> Self {
        match text {
            "<n>" => Self::Number,
            "<n+>" => Self::NumberPlus,
            "<y>" => Self::Year,
            "<unit>" => Self::Unit,
            "<neg>" => Self::Denial,
            "<w>" => Self::Name,
            "<store>" => Self::Store,
            "<w:store>" => Self::StoreName,
            _ => match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
                Some(inside) => Self::Maybe(inside.split('|').collect()),
                None => Self::OneOf(text.split('|').collect()),
            },
        }
    }

    /// Whether a word fits; what it held is kept.
    fn takes(&self, word: &Word, caught: &mut Caught) -> bool {
        if let Self::Name | Self::StoreName = self {
            caught.name.clone_from(&word.text);
            return word.key.is_none()
                && !word.is_denied
                && match self {
                    Self::StoreName => lexicon::is_store(&word.text),
                    _ => word.is_quoted || lexicon::may_be_name(&word.text),
                };
        }
        let text = word.text.as_str();
        word.is_plain()
            && match self {
                Self::Number => keep(number_of(text), &mut caught.number),
                Self::NumberPlus => {
                    keep(text.strip_suffix('+').and_then(number_of), &mut caught.number)
                }
                Self::Year => keep(year_of(text), &mut caught.year),
                Self::Unit => keep(days_of(text), &mut caught.days),
                Self::Store => {
                    text.clone_into(&mut caught.name);
                    lexicon::is_store(text)
                }
                Self::Denial => is_denial(text),
                Self::OneOf(words) | Self::Maybe(words) => words.contains(&text),
                Self::Name | Self::StoreName => false,
            }
    }
}

fn keep<T>(found: Option<T>, place: &mut T) -> bool {
    found.map(|value| *place = value).is_some()
}

fn is_denial(word: &str) -> bool {
    ["not", "never", "haven't", "havent", "hasn't", "hasnt", "ain't", "aint"].contains(&word)
}

/// A year from 1970 to 2099.
pub(super) fn year_of(word: &str) -> Option<i64> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let year = is_year.then(|| word.parse().ok()).flatten()?;
    (1970..=2099).contains(&year).then_some(year)
}

fn days_of(word: &str) -> Option<i64> {
    Some(match word {
        "year" | "years" => 365,
        "month" | "months" => 30,
        "week" | "weeks" => 7,
        "day" | "days" => 1,
        _ => return None,
    })
}

/// `1990s`, `1990's` and `90s`; two digits from 40 on are of the last century.
fn decade_of(word: &str) -> Option<Condition> {
    let digits = word.strip_suffix("'s").or_else(|| word.strip_suffix('s'))?;
    let start = match digits.len() {
        4 => year_of(digits)?,
        2 if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let year: i64 = digits.parse().ok()?;
            if year >= 40 { 1900 + year } else { 2000 + year }
        }
        _ => return None,
    };
    (start % 10 == 0).then(|| years(Some(start), Some(start + 9)))?
}

static PATTERNS: LazyLock<Vec<(Vec<Symbol>, Means)>> = LazyLock::new(|| {
    let forms =
        ROWS.iter().flat_map(|(forms, means)| forms.split(", ").map(move |form| (form, *means)));
    forms.map(|(form, means)| (form.split(' ').map(Symbol::read).collect(), means)).collect()
});

/// The longest meaning at the beginning of these words, with the number of words it takes.
pub(super) fn meaning(words: &[Word], this_year: i64) -> Option<(usize, Condition)> {
    let first = words.first()?;
    let reach = words.iter().skip(1).take_while(|word| !word.opens).count() + 1;
    let words = &words[..reach];
    let mut best: Option<(usize, Condition)> = None;
    let mut offer = |length: usize, condition: Option<Condition>| {
        if let Some(condition) = condition
            && best.as_ref().is_none_or(|(known, _)| length > *known)
        {
            best = Some((length, condition));
        }
    };
    for (symbols, means) in PATTERNS.iter() {
        let mut caught = Caught { this_year, ..Caught::default() };
        if let Some(length) = fit(symbols, words, &mut caught) {
            offer(length, means(&caught));
        }
    }
    if first.is_plain() {
        offer(1, decade_of(&first.text));
        if words.get(1).is_some_and(Word::is_plain)
            && matches!(first.text.as_str(), "the" | "from" | "in")
        {
            offer(2, decade_of(&words[1].text));
        }
        if let Some(tag) = first.text.strip_prefix('#').filter(|tag| !tag.is_empty()) {
            offer(1, Some(Condition::Tag(tag.to_owned())));
        }
        let plain: Vec<&str> = words
            .iter()
            .take_while(|word| word.is_plain())
            .map(|word| word.text.as_str())
            .collect();
        if let Some((length, stems)) = lexicon::genre(&plain) {
            offer(length, Some(Condition::Genre(stems)));
        }
    }
    if first.is_denied && first.key.is_none() {
        offer(1, Some(Condition::NotQuery(first.text.clone())));
    }
    best
}

/// How many words a pattern takes, at most; `None` when it does not fit.
fn fit(symbols: &[Symbol], words: &[Word], caught: &mut Caught) -> Option<usize> {
    let Some((symbol, symbols)) = symbols.split_first() else { return Some(0) };
    let taken = words.first().is_some_and(|word| symbol.takes(word, caught));
    if taken && let Some(length) = fit(symbols, &words[1..], caught) {
        return Some(length + 1);
    }
    matches!(symbol, Symbol::Maybe(_)).then(|| fit(symbols, words, caught))?
}
