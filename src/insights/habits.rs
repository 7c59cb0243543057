//! What the user plays, when and for how long, by the sessions of the last three months.

use std::{
    collections::BTreeSet,
    hash::{Hash, Hasher},
    ops::Range,
    ptr,
};

use hashbrown::HashMap;

use super::{
    plays::Plays,
    sums::{Stage, genres, playtime, split_genres, stage},
};
use crate::{
    base::{Day, Moment, text, workers::in_halves},
    model::{Game, State},
};

/// How far back sessions count, in days.
const WINDOW: i64 = 90;
/// After this many days a session counts half.
const HALF_LIFE: f64 = 30.0;
/// Sessions that are enough for a habit.
const ENOUGH: usize = 8;
/// Seconds of a day.
const DAY: i64 = 86_400;
/// Minutes that a game of some genres takes, by words of its genre.
const ESTIMATES: [(&[&str], u64); 3] = [
    (&["rpg", "strategy", "simulation"], 120),
    (&["adventure", "action", "shooter", "platform", "fighting"], 60),
    (&["puzzle", "card", "board"], 30),
];
/// Minutes of any other game.
const USUAL_ESTIMATE: u64 = 45;
/// What is left of a game at least, in minutes.
const LEAST_LEFT: u64 = 15;
/// A game played for this share of its estimate is finished.
const FINISHED_SHARE: f64 = 0.8;
/// The rating from which on a game is liked, of five.
const LIKED: f32 = 4.0;
/// Days without play after which a game that is not finished was abandoned.
const ABANDONED_DAYS: i64 = 30;

/// Minutes that a game takes, by its genre.
pub(super) fn estimate(game: &Game) -> u64 {
    estimate_of(game.genre())
}

/// Minutes that a game of a genre takes.
pub(super) fn estimate_of(genre: &str) -> u64 {
    let genre = genre.to_lowercase();
    let of_words = |(words, _): &&(&[&str], u64)| words.iter().any(|word| genre.contains(word));
    ESTIMATES.iter().find(of_words).map_or(USUAL_ESTIMATE, |(_, minutes)| *minutes)
}

/// Minutes that are left of a game.
pub(super) fn minutes_left(game: &Game) -> u64 {
    left_of(estimate(game), playtime(game))
}

/// Minutes that are left of `estimate` after these seconds of play.
pub(super) fn left_of(estimate: u64, seconds: u64) -> u64 {
    match seconds {
        0 => estimate,
        seconds => estimate.saturating_sub(seconds.saturating_add(30) / 60).max(LEAST_LEFT),
    }
}

/// Whether a game was beaten, completed or mastered.
pub(super) fn is_completed(game: &Game) -> bool {
    matches!(stage(game), Stage::Beaten | Stage::Completed | Stage::Mastered)
}

/// A part of the day, by the hour in UTC.
fn daypart(seconds: i64) -> usize {
    match seconds.rem_euclid(DAY) / 3_600 {
        5..=11 => 0,
        12..=16 => 1,
        17..=22 => 2,
        _ => 3,
    }
}

/// The habits of the last three months.
pub(super) struct Habits<'a> {
    /// Now, in Unix seconds.
    now: i64,
    /// Sessions in the window.
    pub(super) sessions: usize,
    /// Seconds of the median session; `None` without any.
    pub(super) median: Option<u64>,
    genre_seconds: HashMap<String, f64>,
    platform_seconds: HashMap<String, f64>,
    daypart_seconds: HashMap<String, [f64; 4]>,
    finished: HashMap<String, Outcomes>,
    /// Days of play in the window.
    days: HashMap<ByAddress<'a>, BTreeSet<Day>>,
    /// Seconds of play in the window.
    seconds: HashMap<ByAddress<'a>, u64>,
    /// What is known of each game, by its position. Games lie all over the memory, so each is read once.
    facts: Vec<GameFacts>,
    /// Games with playtime, in library order.
    pub(super) played: Vec<Begun<'a>>,
    /// Seconds of play of each completed game, in library order.
    pub(super) completed: Vec<u64>,
}

/// How far a game was brought, and when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameFacts {
    /// Whole days since it was played last; `None` when that is not known.
    pub(super) days: Option<i64>,
    /// When it was played last, in Unix seconds; likewise.
    pub(super) last: Option<i64>,
    /// Whether it was beaten, completed or mastered.
    pub(super) is_completed: bool,
    /// Whether it is a favorite or rated with four stars or more.
    pub(super) is_liked: bool,
    /// Whether the user hid it.
    pub(super) is_hidden: bool,
}

/// A game with playtime.
pub(super) struct Begun<'a> {
    /// Its position.
    pub(super) id: usize,
    pub(super) game: &'a Game,
    /// Minutes that such a game takes.
    pub(super) estimate: u64,
}

/// A game of the state that the habits are read from. Looking it up reads nothing of it, because a whole library
/// is looked up.
#[derive(Clone, Copy)]
struct ByAddress<'a>(&'a Game);

impl PartialEq for ByAddress<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for ByAddress<'_> {}

impl Hash for ByAddress<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::from_ref(self.0).hash(state);
    }
}

/// Numbers of games that were finished, and that were abandoned.
type Outcomes = (u64, u64);

/// What one pass over a run of games collects.
#[derive(Default)]
struct GamesRead<'a> {
    facts: Vec<GameFacts>,
    completed: Vec<u64>,
    played: Vec<Begun<'a>>,
    /// Minutes that a game takes, and the outcomes of such games, by the text of the genre. Many games share few
    /// texts, so those are read once.
    texts: HashMap<&'a str, (u64, Outcomes)>,
}

impl<'a> GamesRead<'a> {
    /// Reads the games at these positions. `last` is the last play of each game by the sessions, `now` in Unix
    /// seconds as they are.
    fn of(state: &'a State, last: &[Option<i64>], now: i64, range: Range<usize>) -> Self {
        let mut read = Self { facts: Vec::with_capacity(range.len()), ..Self::default() };
        let games = range.filter_map(|id| Some((id, &**state.games.get(id)?)));
        for (id, game) in games {
            read.add(id, game, last.get(id).copied().flatten(), now);
        }
        read
    }

    fn add(&mut self, id: usize, game: &'a Game, last: Option<i64>, now: i64) {
        let last = Moment::unix_utc(game.last_played()).max(last);
        let days = last.map(|last| (now - last).max(0) / DAY);
        let is_completed = is_completed(game);
        let is_liked = game.favorite() || game.rating().is_some_and(|rating| rating >= LIKED);
        let is_hidden = game.hidden();
        self.facts.push(GameFacts { days, last, is_completed, is_liked, is_hidden });
        if is_completed {
            self.completed.push(playtime(game));
        }
        if playtime(game) == 0 {
            return;
        }
        let genre = game.genre();
        let (estimate, (finished, abandoned)) =
            self.texts.entry(genre).or_insert_with(|| (estimate_of(genre), Outcomes::default()));
        #[expect(clippy::cast_precision_loss, reason = "a share needs no precision")]
        let share = playtime(game) as f64 / (*estimate * 60) as f64;
        if is_completed || share >= FINISHED_SHARE {
            *finished += 1;
        } else if days.is_some_and(|days| days >= ABANDONED_DAYS) {
            *abandoned += 1;
        }
        self.played.push(Begun { id, game, estimate: *estimate });
    }
}

impl<'a> Habits<'a> {
    /// Reads them from the history and the library.
    pub(super) fn of(state: &'a State, plays: &Plays, now: &Moment) -> Self {
        let mut habits = Self {
            now: now.unix_seconds(),
            sessions: 0,
            median: None,
            genre_seconds: HashMap::new(),
            platform_seconds: HashMap::new(),
            daypart_seconds: HashMap::new(),
            finished: HashMap::new(),
            days: HashMap::new(),
            seconds: HashMap::new(),
            facts: Vec::with_capacity(state.games.len()),
            played: Vec::new(),
            completed: Vec::new(),
        };
        let last = habits.read_sessions(state, plays);
        habits.read_games(state, &last);
        habits
    }

    /// Reads the sessions. Returns the last play of each game, in Unix seconds, by its position.
    fn read_sessions(&mut self, state: &'a State, plays: &Plays) -> Vec<Option<i64>> {
        let games = plays.games(state);
        let mut lengths: Vec<u64> = Vec::new();
        let mut last: Vec<Option<i64>> = vec![None; games.len()];
        for play in &plays.list {
            let key = play.key as usize;
            let (Some(at), Some(game)) = (play.utc, games.get(key)) else { continue };
            last[key] = last[key].max(Some(at));
            if at < self.now - WINDOW * DAY || at > self.now + DAY {
                continue;
            }
            self.sessions += 1;
            if play.seconds > 0 {
                lengths.push(play.seconds);
            }
            let Some((_, game)) = game else { continue };
            self.add_session(game, at, play.seconds);
        }
        lengths.sort_unstable();
        self.median = median(&lengths);
        let mut by_position = vec![None; state.games.len()];
        for (game, at) in games.iter().zip(last) {
            if let Some((position, _)) = game {
                by_position[*position] = by_position[*position].max(at);
            }
        }
        by_position
    }

    fn add_session(&mut self, game: &'a Game, at: i64, seconds: u64) {
        #[expect(clippy::cast_precision_loss, reason = "weights need no precision")]
        let (age, played) = ((self.now - at).max(0) as f64 / DAY as f64, seconds as f64);
        let weighted = played * 0.5_f64.powf(age / HALF_LIFE);
        for genre in genres(game) {
            let genre = text::fold(genre);
            self.daypart_seconds.entry(genre.clone()).or_default()[daypart(at)] += weighted;
            *self.genre_seconds.entry(genre).or_default() += weighted;
        }
        let platform = text::fold(game.platform().trim());
        if !platform.is_empty() {
            *self.platform_seconds.entry(platform).or_default() += weighted;
        }
        let day = Day::utc(&Moment::from_unix(at));
        self.days.entry(ByAddress(game)).or_default().insert(day);
        let sum = self.seconds.entry(ByAddress(game)).or_default();
        *sum = sum.saturating_add(seconds);
    }

    /// Reads the progress of each game and counts the games by outcome.
    fn read_games(&mut self, state: &'a State, last: &[Option<i64>]) {
        let read = |range: Range<usize>| GamesRead::of(state, last, self.now, range);
        for half in in_halves(state.games.len(), read) {
            self.facts.extend(half.facts);
            self.completed.extend(half.completed);
            self.played.extend(half.played);
            for (text, (_, outcomes)) in half.texts {
                for genre in split_genres(text) {
                    let (finished, abandoned) = self.finished.entry(text::fold(genre)).or_default();
                    *finished += outcomes.0;
                    *abandoned += outcomes.1;
                }
            }
        }
    }

    /// Whether there are enough sessions.
    pub(super) fn is_enough(&self) -> bool {
        self.sessions >= ENOUGH
    }

    /// What is known of each game, by its position.
    pub(super) fn facts(&self) -> &[GameFacts] {
        &self.facts
    }

    /// What is known of the game at a position.
    pub(super) fn facts_of(&self, position: usize) -> GameFacts {
        self.facts.get(position).copied().unwrap_or_default()
    }

    /// Whole days since a game came into the library; `None` when that is not known.
    pub(super) fn days_here(&self, game: &Game) -> Option<i64> {
        let added = Moment::unix_utc(game.added_at())?;
        Some((self.now - added).max(0) / DAY)
    }

    /// Seconds of play of a game in the window.
    pub(super) fn seconds_of(&self, game: &Game) -> u64 {
        self.seconds.get(&ByAddress(game)).copied().unwrap_or(0)
    }

    /// The days on which a game was played in the window; `None` for a game that was not.
    pub(super) fn days_of(&self, game: &'a Game) -> Option<&BTreeSet<Day>> {
        self.days.get(&ByAddress(game))
    }

    /// The score of the genres in a text for a game that has them.
    pub(super) fn genre_habit<'t>(&self, text: &'t str) -> GenreHabit<'t> {
        let genres: Vec<(&str, String)> =
            split_genres(text).into_iter().map(|genre| (genre, text::fold(genre))).collect();
        let shares =
            genres.iter().map(|(genre, folded)| (share(&self.genre_seconds, folded), *genre));
        let best = shares.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
        let at_this_time = |folded: &String| {
            let parts = self.daypart_seconds.get(folded)?;
            let all: f64 = parts.iter().sum();
            (all > 0.0).then(|| parts[daypart(self.now)] / all)
        };
        let daypart_fit =
            genres.iter().filter_map(|(_, folded)| at_this_time(folded)).max_by(f64::total_cmp);
        let primary = text.split(',').next().unwrap_or("").trim();
        let (affinity, genre) = best.unwrap_or((0.0, ""));
        GenreHabit {
            affinity,
            genre,
            completion: self.completion(primary),
            daypart_fit: daypart_fit.unwrap_or(0.5),
            estimate: estimate_of(text),
            folded: genres.into_iter().map(|(_, folded)| folded).collect(),
        }
    }

    /// How much a platform is played, relative to the most played one, 0 to 1.
    pub(super) fn platform_affinity(&self, platform: &str) -> f64 {
        share(&self.platform_seconds, &text::fold(platform.trim()))
    }

    /// The share of games of a genre that were finished and not abandoned; `None` when nothing is known.
    pub(super) fn completion(&self, genre: &str) -> Option<f64> {
        let (finished, abandoned) = self.finished.get(&text::fold(genre)).copied()?;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no precision")]
        let share = finished as f64 / (finished + abandoned) as f64;
        (finished + abandoned > 0).then_some(share)
    }

    /// How well a game with `minutes_left` left fits a usual session, 0 to 1.
    pub(super) fn session_fit(&self, minutes_left: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "minutes")]
        self.median
            .map_or(0.7, |median| (4.0 * (median as f64 / 60.0) / minutes_left as f64).min(1.0))
    }
}

/// The score of the text of genres of a game.
pub(super) struct GenreHabit<'t> {
    /// How much the most played of its genres is played, relative to the most played genre, 0 to 1.
    pub(super) affinity: f64,
    /// That genre; empty without any.
    pub(super) genre: &'t str,
    /// The share of games of the first genre that were finished and not abandoned.
    pub(super) completion: Option<f64>,
    /// How much the genres are played at this time of the day, 0 to 1.
    pub(super) daypart_fit: f64,
    /// Minutes that such a game takes.
    pub(super) estimate: u64,
    /// The genres, folded.
    pub(super) folded: Vec<String>,
}

/// The middle of sorted values; the mean of both middle ones.
pub(super) fn median(sorted: &[u64]) -> Option<u64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some(sorted[middle - 1].midpoint(sorted[middle])),
    }
}

fn share(seconds: &HashMap<String, f64>, name: &str) -> f64 {
    let most = seconds.values().copied().max_by(f64::total_cmp).unwrap_or(0.0);
    if most > 0.0 { seconds.get(name).copied().unwrap_or(0.0) / most } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1, 5, 9]), Some(5));
        assert_eq!(median(&[1, 5, 7, 9]), Some(6));
    }

    #[test]
    fn something_is_left_of_every_game() {
        assert_eq!([0, 60, 1_800].map(|seconds| left_of(600, seconds)), [600, 599, 570]);
        assert_eq!(left_of(600, u64::MAX), LEAST_LEFT);
    }

    #[test]
    fn parts_of_the_day() {
        let hours = [4, 5, 11, 12, 16, 17, 22, 23, 0];
        assert_eq!(hours.map(|hour| daypart(hour * 3_600)), [3, 0, 0, 1, 1, 2, 2, 3, 3]);
    }
}
