//! What somebody plays, when and for how long, by the sessions of the last three months.

use std::collections::{BTreeSet, HashMap};

use super::{
    plays::Plays,
    sums::{Stage, genres, playtime, stage},
};
use crate::{
    base::{Day, Moment, text},
    model::{Game, State},
};

/// How far back sessions count, in days.
const WINDOW: i64 = 90;
/// After so many days a session counts half.
const HALF_LIFE: f64 = 30.0;
/// Sessions that say enough about a habit.
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
/// Days without play after which a game that is not finished was abandoned.
const ABANDONED_DAYS: i64 = 30;

/// Minutes that a game takes, by its genre.
pub(super) fn estimate(game: &Game) -> u64 {
    let genre = game.genre().to_lowercase();
    let of_words = |(words, _): &&(&[&str], u64)| words.iter().any(|word| genre.contains(word));
    ESTIMATES.iter().find(of_words).map_or(USUAL_ESTIMATE, |(_, minutes)| *minutes)
}

/// Minutes that are left of a game.
pub(super) fn minutes_left(game: &Game) -> u64 {
    match playtime(game) {
        0 => estimate(game),
        seconds => estimate(game).saturating_sub((seconds + 30) / 60).max(LEAST_LEFT),
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
pub(super) struct Habits {
    /// Now, in Unix seconds.
    now: i64,
    /// Sessions in the window.
    pub(super) sessions: usize,
    /// Seconds of the median session; `None` without any.
    pub(super) median: Option<u64>,
    genre_seconds: HashMap<String, f64>,
    platform_seconds: HashMap<String, f64>,
    daypart_seconds: HashMap<String, [f64; 4]>,
    finished: HashMap<String, (u64, u64)>,
    /// Days of play in the window by stable id.
    days: HashMap<String, BTreeSet<Day>>,
    /// Seconds of play in the window by stable id.
    seconds: HashMap<String, u64>,
    /// The last play of each game of the history by stable id, in Unix seconds.
    last: HashMap<String, i64>,
}

impl Habits {
    /// Reads them from the history and the library.
    pub(super) fn of(state: &State, plays: &Plays, now: &Moment) -> Self {
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
            last: HashMap::new(),
        };
        habits.read_sessions(state, plays);
        for game in state.games.iter().filter(|game| playtime(game) > 0) {
            habits.count_completion(game);
        }
        habits
    }

    fn read_sessions(&mut self, state: &State, plays: &Plays) {
        let games = plays.games(state);
        let mut lengths: Vec<u64> = Vec::new();
        for play in &plays.list {
            let (Some(at), Some(game)) = (play.utc, games.get(play.key as usize)) else { continue };
            if let Some((_, game)) = game {
                let last = self.last.entry(game.id().to_owned()).or_insert(at);
                *last = (*last).max(at);
            }
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
    }

    fn add_session(&mut self, game: &Game, at: i64, seconds: u64) {
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
        self.days.entry(game.id().to_owned()).or_default().insert(day);
        let sum = self.seconds.entry(game.id().to_owned()).or_default();
        *sum = sum.saturating_add(seconds);
    }

    fn count_completion(&mut self, game: &Game) {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no precision")]
        let share = playtime(game) as f64 / (estimate(game) * 60) as f64;
        let is_finished = is_completed(game) || share >= FINISHED_SHARE;
        let is_abandoned =
            !is_finished && self.days_since(game).is_some_and(|days| days >= ABANDONED_DAYS);
        for genre in genres(game) {
            let (finished, abandoned) = self.finished.entry(text::fold(genre)).or_default();
            *finished += u64::from(is_finished);
            *abandoned += u64::from(is_abandoned);
        }
    }

    /// Whether the sessions say enough.
    pub(super) fn is_enough(&self) -> bool {
        self.sessions >= ENOUGH
    }

    /// Whole days since a game was played last; `None` when that is not known.
    pub(super) fn days_since(&self, game: &Game) -> Option<i64> {
        let stored = Moment::parse_utc(game.last_played()).map(|moment| moment.unix_seconds());
        let last = self.last.get(game.id()).copied().max(stored)?;
        Some((self.now - last).max(0) / DAY)
    }

    /// Whole days since a game came into the library; `None` when that is not known.
    pub(super) fn days_here(&self, game: &Game) -> Option<i64> {
        let added = Moment::parse_utc(game.added_at())?.unix_seconds();
        Some((self.now - added).max(0) / DAY)
    }

    /// Seconds of play of a game in the window.
    pub(super) fn seconds_of(&self, game: &Game) -> u64 {
        self.seconds.get(game.id()).copied().unwrap_or(0)
    }

    /// Whether two games were played within a week of each other.
    pub(super) fn are_played_together(&self, a: &Game, b: &Game) -> bool {
        let (Some(a), Some(b)) = (self.days.get(a.id()), self.days.get(b.id())) else {
            return false;
        };
        a.iter().any(|day| b.range(day.plus(-7)..=day.plus(7)).next().is_some())
    }

    /// The genre of a game that is played most, with its share of what the most played genre has, 0 to 1.
    pub(super) fn genre_affinity<'a>(&self, game: &'a Game) -> (f64, &'a str) {
        let best = genres(game)
            .into_iter()
            .map(|genre| (share(&self.genre_seconds, &text::fold(genre)), genre));
        best.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1))).unwrap_or((0.0, ""))
    }

    /// How much the platform of a game is played beside the most played one, 0 to 1.
    pub(super) fn platform_affinity(&self, game: &Game) -> f64 {
        share(&self.platform_seconds, &text::fold(game.platform().trim()))
    }

    /// The share of games of a genre that were finished and not abandoned; `None` when nothing is known.
    pub(super) fn completion(&self, genre: &str) -> Option<f64> {
        let (finished, abandoned) = self.finished.get(&text::fold(genre)).copied()?;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no precision")]
        let share = finished as f64 / (finished + abandoned) as f64;
        (finished + abandoned > 0).then_some(share)
    }

    /// How well a game fits a usual session, 0 to 1.
    pub(super) fn session_fit(&self, game: &Game) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "minutes")]
        self.median.map_or(0.7, |median| {
            (4.0 * (median as f64 / 60.0) / minutes_left(game) as f64).min(1.0)
        })
    }

    /// How much the genres of a game are played at this time of the day, 0 to 1.
    pub(super) fn daypart_fit(&self, game: &Game) -> f64 {
        let of_genre = |genre: &str| {
            let parts = self.daypart_seconds.get(&text::fold(genre))?;
            let all: f64 = parts.iter().sum();
            (all > 0.0).then(|| parts[daypart(self.now)] / all)
        };
        genres(game).into_iter().filter_map(of_genre).max_by(f64::total_cmp).unwrap_or(0.5)
    }
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
    fn parts_of_the_day() {
        let hours = [4, 5, 11, 12, 16, 17, 22, 23, 0];
        assert_eq!(hours.map(|hour| daypart(hour * 3_600)), [3, 0, 0, 1, 1, 2, 2, 3, 3]);
    }
}
