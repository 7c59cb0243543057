//! Whether conditions hold for a game. A missing value does not meet a condition, unless the condition asks for just
//! that.

use std::sync::Arc;

use super::{
    Phrase,
    condition::{Condition, Flag},
};
use crate::{
    base::{Moment, text},
    game::slots::slot,
    model::{Game, Games},
    query::card::{self, Card, MatchContext, select},
};

/// States in which a game is finished.
const FINISHED: [&str; 3] = ["Beaten", "Completed", "Mastered"];
/// Words in genre, play mode and tags that speak of playing together.
const TOGETHER: [&str; 5] = ["co-op", "coop", "co op", "cooperative", "couch"];
/// The same for playing against each other.
const AGAINST: [&str; 6] =
    ["multiplayer", "multi-player", "versus", "split screen", "split-screen", "party"];
const DAY: i64 = 24 * 60 * 60;

/// The positions of the games a phrase takes, hidden ones too, in library order. A phrase that asks
/// for nothing takes none.
pub fn taken(
    phrase: &Phrase,
    games: &Games,
    context: &dyn MatchContext,
    now: &Moment,
) -> Vec<usize> {
    if phrase.is_empty() {
        return Vec::new();
    }
    let test = Test::of(phrase, now);
    select(games, context, &|card| test.passes(card))
}

/// How many of these games a phrase takes that hangs on nothing but them.
pub fn count_lasting(
    phrase: &Phrase,
    games: &[Arc<Game>],
    context: &dyn MatchContext,
    now: &Moment,
) -> usize {
    debug_assert!(is_lasting(phrase), "the clock or the disk decides about {:?}", phrase.text);
    if phrase.is_empty() {
        return 0;
    }
    let test = Test::of(phrase, now);
    card::count(games, context, &|card| test.passes(card))
}

/// Whether a phrase takes the same games for as long as they are the same: it depends neither on the time nor on the
/// disk.
pub fn is_lasting(phrase: &Phrase) -> bool {
    let hangs_on_more = |condition: &Condition| {
        matches!(
            condition,
            Condition::Installed(_)
                | Condition::MissingMedia(_)
                | Condition::Owned
                | Condition::Saves(_)
                | Condition::IdleDays(_)
                | Condition::PlayedWithin(_)
                | Condition::AddedDays(_)
        )
    };
    !phrase.conditions.iter().any(hangs_on_more)
}

/// A phrase ready to be asked about many games.
struct Test<'a> {
    conditions: Vec<&'a Condition>,
    query: String,
    now: i64,
}

impl<'a> Test<'a> {
    fn of(phrase: &'a Phrase, now: &Moment) -> Self {
        let joined = phrase.unparsed.join(" ");
        let query = text::fold(phrase.plain_query().unwrap_or(&joined).trim());
        // Conditions on typed fields come first: most games are decided without opening their record.
        let mut conditions: Vec<&Condition> = phrase.conditions.iter().collect();
        conditions.sort_by_key(|condition| price(condition));
        Self { conditions, query, now: now.unix_seconds() }
    }

    fn passes(&self, card: &Card<'_>) -> bool {
        self.conditions.iter().all(|condition| holds(condition, card, self.now))
            && (self.query.is_empty() || card.answers(&self.query))
    }
}

fn price(condition: &Condition) -> u8 {
    match condition {
        Condition::Installed(_) | Condition::MissingMedia(_) | Condition::Owned => 2,
        Condition::Saves(_)
        | Condition::Achievements(_)
        | Condition::PlayersMax(_)
        | Condition::PlayersMin(_)
        | Condition::Coop
        | Condition::Multiplayer
        | Condition::HoursMax(_)
        | Condition::HoursMin(_)
        | Condition::Region(_)
        | Condition::Tag(_)
        | Condition::Flag(..)
        | Condition::NotQuery(_) => 1,
        _ => 0,
    }
}

/// Whether a condition holds; what depends on the disk holds while the disk was not asked.
fn holds(condition: &Condition, card: &Card<'_>, now: i64) -> bool {
    let game = card.game;
    let within = |text: &str, part: &str| text::contains_folded(text, part);
    let any = |values: &[String], text: &str| values.iter().any(|value| within(text, value));
    let is_played =
        game.play_count() > 0 || !game.last_played().is_empty() || !game.progress().is_empty();
    match condition {
        Condition::Favorite(set) => game.favorite() == *set,
        Condition::Hidden(set) => game.hidden() == *set,
        Condition::Installed(set) => card.is_installed().is_none_or(|is| is == *set),
        Condition::Saves(set) => card.has_saves() == *set,
        Condition::Achievements(set) => card.has_achievements() == *set,
        Condition::MissingMedia(set) => card.lacks_media().is_none_or(|lacks| lacks == *set),
        Condition::Highscores => card.has_highscores(),
        Condition::Platform(name) => game.platform() == name,
        Condition::Developer(part) => within(game.developer(), part),
        Condition::Publisher(part) => within(game.publisher(), part),
        Condition::Genre(values) => any(values, game.genre()),
        Condition::Progress(values) => values
            .iter()
            .any(|value| game.progress() == if value == "Unplayed" { "" } else { value.as_str() }),
        Condition::Esrb(values) => values.iter().any(|value| value == game.esrb()),
        Condition::PlatformAny(values) => any(values, game.platform()),
        Condition::Played => is_played,
        Condition::Unplayed => !is_played,
        Condition::Backlog => ["", "Playing", "Paused"].contains(&game.progress()),
        Condition::NotFinished => !FINISHED.contains(&game.progress()),
        Condition::Years { min, max } => year_of(game).is_some_and(|year| {
            min.is_none_or(|min| year >= min) && max.is_none_or(|max| year <= max)
        }),
        Condition::PlayersMax(players) => max_players(card) <= *players,
        Condition::PlayersMin(players) => max_players(card) >= *players,
        Condition::Coop => speaks_of(card, &TOGETHER),
        Condition::Multiplayer => {
            max_players(card) >= 2 || speaks_of(card, &TOGETHER) || speaks_of(card, &AGAINST)
        }
        Condition::IdleDays(days) => {
            is_idle(game, |last| now - last.unix_seconds() >= days.saturating_mul(DAY))
        }
        Condition::IdleBefore(year) => is_idle(game, |last| local_year(last) < *year),
        Condition::PlayedWithin(days) => is_within(game.last_played(), *days, now),
        Condition::AddedDays(days) => is_within(game.added_at(), *days, now),
        Condition::AddedYear(year) => {
            Moment::parse(game.added_at()).is_some_and(|added| local_year(&added) == *year)
        }
        Condition::HoursMax(hours) => hours_of(card).is_some_and(|found| found <= *hours),
        Condition::HoursMin(hours) => hours_of(card).is_some_and(|found| found >= *hours),
        Condition::RatingMin(rating) => {
            game.rating().is_some_and(|found| f64::from(found) >= *rating)
        }
        Condition::Unrated => game.rating().is_none_or(|rating| rating <= 0.0),
        Condition::StarsMin(stars) => {
            game.user_rating() > 0 && f64::from(game.user_rating()) >= *stars
        }
        Condition::Unstarred => game.user_rating() == 0,
        Condition::Series(part) => within(game.series(), part),
        Condition::Region(part) => within(&card.slots().text(const { slot("region") }), part),
        Condition::Source(part) => within(game.source(), part),
        Condition::Tag(part) => card.tags().iter().any(|tag| within(tag, part)),
        Condition::Credit(start) => [game.developer(), game.publisher()]
            .into_iter()
            .any(|name| text::fold(name.trim()).starts_with(start.as_str())),
        Condition::Owned => card.is_owned() && card.is_installed().is_none_or(|is| !is),
        Condition::Flag(flag, set) => is_flagged(card, *flag) == *set,
        Condition::NotQuery(part) => !card.mentions(part),
    }
}

fn is_flagged(card: &Card<'_>, flag: Flag) -> bool {
    let slots = card.slots();
    match flag {
        Flag::ManualEntry => card.game.manual_entry(),
        Flag::Broken => slots.flag(const { slot("broken") }) == Some(true),
        Flag::Portable => slots.flag(const { slot("portable") }) == Some(true),
        Flag::Controller => !slots.text(const { slot("controller_support") }).trim().is_empty(),
        Flag::Notes => !card.notes().is_empty(),
    }
}

/// The first four digits that stand together.
fn year_of(game: &Game) -> Option<i64> {
    let runs = game.year().split(|letter: char| !letter.is_ascii_digit());
    runs.filter_map(|run| run.get(..4)).find_map(|year| year.parse().ok())
}

fn max_players(card: &Card<'_>) -> i64 {
    i64::try_from(card.slots().players()).unwrap_or(i64::MAX)
}

fn hours_of(card: &Card<'_>) -> Option<f64> {
    let hours = card.slots().number(const { slot("time_to_beat_hours") }).0;
    hours.filter(|hours| *hours > 0.0)
}

/// Whether one of these words is in the texts of a game about how it is played.
fn speaks_of(card: &Card<'_>, words: &[&str]) -> bool {
    let mode = card.slots().text(const { slot("play_mode") });
    let tags = card.tags();
    let texts = [mode.as_ref(), card.game.genre()];
    let mut texts = texts.into_iter().chain(tags.iter().map(String::as_str));
    let is_versus = words.contains(&"versus");
    texts.any(|text| {
        words.iter().any(|word| text::contains_folded(text, word))
            || (is_versus
                && text
                    .split(|letter: char| !letter.is_alphanumeric())
                    .any(|word| word.eq_ignore_ascii_case("vs")))
    })
}

/// Whether a game was never played, or last at a time that is long enough ago.
fn is_idle(game: &Game, is_long_ago: impl Fn(&Moment) -> bool) -> bool {
    if game.last_played().is_empty() {
        return game.play_count() == 0;
    }
    Moment::parse(game.last_played()).is_some_and(|last| is_long_ago(&last))
}

fn is_within(time: &str, days: i64, now: i64) -> bool {
    let then = Moment::parse(time);
    then.is_some_and(|then| now - then.unix_seconds() <= days.saturating_mul(DAY))
}

fn local_year(moment: &Moment) -> i64 {
    moment.local_format("%Y").parse().unwrap_or(0)
}
