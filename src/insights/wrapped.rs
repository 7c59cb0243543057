//! One year of play (`GET /api/v2/insights/wrapped`).

use std::collections::BTreeSet;

use hashbrown::HashSet;

use super::{
    plays::{Play, Plays, local_day},
    summary::{TopGame, TopGenre, TopPlatform, top_game, top_genres, top_platforms},
    sums::{Stage, Sums, year},
};
use crate::{
    base::{Day, Moment, schema::schema},
    model::{Game, State},
};

/// The years that can be asked for.
pub const YEARS: (i64, i64) = (1970, 2100);

/// The days of a week from Monday on.
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// Pairs of games that are counted; a history made to be large has no more.
const PAIRS: usize = 1_000_000;

schema! {
    /// `GET /api/v2/insights/wrapped`.
    #[derive(Clone, Debug)]
    pub struct Wrapped {
        /// The year.
        pub year: i32,
        /// What it adds up to.
        pub totals: WrappedTotals,
        /// How often a session of the year finished its game; of a year without sessions, the games of the
        /// library by their progress now.
        pub progress: WrappedProgress,
        /// Days in a row with play.
        pub streak: WrappedStreak,
        /// The first of each list, of the games played in the year.
        pub top: WrappedTop,
        /// The earliest release among the games played.
        pub oldest_played: Option<OldestPlayed>,
        /// The first session of the year.
        pub first_play: Option<FirstPlay>,
        /// The month with most play.
        pub busiest_month: Option<BusiestMonth>,
        /// The day of the week with most play.
        pub busiest_weekday: Option<BusiestWeekday>,
        /// Seconds of each month, January first.
        pub per_month: Vec<u64>,
        /// Pairs of games that were played on one day; counted up to a million.
        pub co_play_pairs: usize,
    }

    /// What a year adds up to.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WrappedTotals {
        /// Seconds of its sessions.
        pub playtime_seconds: u64,
        /// Sessions.
        pub sessions: usize,
        /// Games with a session.
        pub games_played: usize,
        /// Those of them that came into the library in the year.
        pub new_games: usize,
    }

    /// Numbers of sessions, or of games, by what they reached.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WrappedProgress {
        /// Beaten.
        pub beaten: u64,
        /// Completed.
        pub completed: u64,
        /// Mastered.
        pub mastered: u64,
    }

    /// Days in a row with play.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WrappedStreak {
        /// The longest of the year.
        pub longest: u64,
    }

    /// The top games of a year, with their playtime over all years.
    #[derive(Clone, Debug)]
    pub struct WrappedTop {
        /// By playtime.
        pub game: Option<TopGame>,
        /// By games.
        pub platform: Option<TopPlatform>,
        /// By games.
        pub genre: Option<TopGenre>,
    }

    /// A game by its year of release.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct OldestPlayed {
        /// Stable id.
        pub game_id: String,
        /// Title.
        pub name: String,
        /// Year of release.
        pub year: i32,
    }

    /// A session.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FirstPlay {
        /// Its start, as it is stored.
        pub date: String,
        /// Stable id of the game; empty in rows of old libraries whose game is gone.
        pub game_id: String,
        /// Title of the game, or its name when it was played.
        pub name: String,
    }

    /// A month with its play.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BusiestMonth {
        /// 1 to 12.
        pub month: usize,
        /// Seconds of play.
        pub seconds: u64,
    }

    /// A day of the week with its play.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BusiestWeekday {
        /// English name.
        pub weekday: &'static str,
        /// Seconds of play.
        pub seconds: u64,
    }
}

/// What was played in a year. `sums` returns the totals of the library; it is not called for a year with sessions.
pub(super) fn wrapped(
    state: &State,
    sums: impl FnOnce() -> Sums,
    plays: &Plays,
    wanted: i32,
) -> Wrapped {
    let rows: Vec<(&Play, Day)> = plays
        .list
        .iter()
        .filter_map(|play| Some((play, play.day?)))
        .filter(|(_, day)| day.year() == wanted)
        .collect();
    let games = plays.games(state);
    let days: BTreeSet<(Day, Played)> =
        rows.iter().map(|(play, day)| (*day, Played::of(play, &games))).collect();
    let played: BTreeSet<Played> = days.iter().map(|(_, played)| *played).collect();
    let found: Vec<(usize, &Game)> =
        played.iter().filter_map(|played| played.game(state)).collect();
    let of_year = Sums::of(found.iter().copied());
    let is_new = |game: &Game| local_day(game.added_at()).is_some_and(|day| day.year() == wanted);
    let mut per_month = vec![0_u64; 12];
    let mut per_weekday = [0_u64; 7];
    for (play, day) in &rows {
        for sum in [&mut per_month[day.month()], &mut per_weekday[day.weekday()]] {
            *sum = sum.saturating_add(play.seconds);
        }
    }
    let game = of_year.top.first().and_then(|at| state.games.get(*at));
    let played_days: BTreeSet<Day> = rows.iter().map(|(_, day)| *day).collect();
    Wrapped {
        year: wanted,
        totals: WrappedTotals {
            playtime_seconds: rows
                .iter()
                .map(|(play, _)| play.seconds)
                .fold(0, u64::saturating_add),
            sessions: rows.len(),
            games_played: played.len(),
            new_games: found.iter().filter(|(_, game)| is_new(game)).count(),
        },
        progress: progress(&rows, sums),
        streak: WrappedStreak { longest: longest_run(&played_days) },
        top: WrappedTop {
            game: game.map(|game| top_game(game)),
            platform: top_platforms(&of_year).into_iter().next(),
            genre: top_genres(&of_year).into_iter().next(),
        },
        oldest_played: oldest(&found),
        first_play: first_play(plays, &games, &rows),
        busiest_month: busiest(&per_month)
            .map(|(month, seconds)| BusiestMonth { month: month + 1, seconds }),
        busiest_weekday: busiest(&per_weekday)
            .map(|(day, seconds)| BusiestWeekday { weekday: WEEKDAYS[day], seconds }),
        per_month,
        co_play_pairs: pairs(&days),
    }
}

fn progress(rows: &[(&Play, Day)], sums: impl FnOnce() -> Sums) -> WrappedProgress {
    let library = rows.is_empty().then(sums);
    let count = |at: usize, stage: Stage| match &library {
        Some(sums) => sums.platforms.values().map(|sum| sum.stages[stage as usize]).sum(),
        None => rows.iter().map(|(play, _)| u64::from(play.noted[at])).sum(),
    };
    WrappedProgress {
        beaten: count(0, Stage::Beaten),
        completed: count(1, Stage::Completed),
        mastered: count(2, Stage::Mastered),
    }
}

/// The most days in a row.
pub(super) fn longest_run(days: &BTreeSet<Day>) -> u64 {
    let (mut run, mut longest) = (0, 0);
    let mut before: Option<Day> = None;
    for day in days {
        run = if before.is_some_and(|before| before.plus(1) == *day) { run + 1 } else { 1 };
        longest = longest.max(run);
        before = Some(*day);
    }
    longest
}

fn oldest(games: &[(usize, &Game)]) -> Option<OldestPlayed> {
    let dated = games.iter().filter_map(|(_, game)| Some((year(game.year())?, *game)));
    let (year, game) = dated.min_by_key(|(year, _)| *year)?;
    Some(OldestPlayed { game_id: game.id().to_owned(), name: game.name().to_owned(), year })
}

fn first_play(
    plays: &Plays,
    games: &[Option<(usize, &Game)>],
    rows: &[(&Play, Day)],
) -> Option<FirstPlay> {
    // A time without a zone is a local one here, as in the days.
    let first_day = rows.iter().map(|(_, day)| *day).min()?;
    let of_day = rows.iter().filter(|(_, day)| *day == first_day);
    let (play, _) = of_day
        .min_by_key(|(play, _)| Moment::parse(&play.started).map(|moment| moment.unix_micros()))?;
    let key = plays.keys.get(play.key as usize)?;
    let game = games.get(play.key as usize).copied().flatten().map(|(_, game)| game);
    let id = key.strip_prefix("name:").map_or(key.as_ref(), |_| "");
    Some(FirstPlay {
        date: play.started.to_string(),
        game_id: game.map_or(id, Game::id).to_owned(),
        name: game.map_or(plays.name(play.key), Game::name).to_owned(),
    })
}

/// The largest value that is not zero, the first of equals.
fn busiest(seconds: &[u64]) -> Option<(usize, u64)> {
    let most = seconds.iter().copied().max().filter(|most| *most > 0)?;
    seconds.iter().position(|seconds| *seconds == most).map(|at| (at, most))
}

/// The game of a session: one of the library, or a removed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Played {
    /// Its position.
    Game(usize),
    /// What named it in the history.
    Gone(u32),
}

impl Played {
    fn of(play: &Play, games: &[Option<(usize, &Game)>]) -> Self {
        let game = games.get(play.key as usize).copied().flatten();
        game.map_or(Self::Gone(play.key), |(position, _)| Self::Game(position))
    }

    fn game(self, state: &State) -> Option<(usize, &Game)> {
        let Self::Game(position) = self else { return None };
        state.games.get(position).map(|game| (position, game.as_ref()))
    }
}

/// How many pairs of games were played on one day.
fn pairs(days: &BTreeSet<(Day, Played)>) -> usize {
    let days: Vec<(Day, Played)> = days.iter().copied().collect();
    let mut pairs: HashSet<(Played, Played)> = HashSet::new();
    for of_day in days.chunk_by(|(a, _), (b, _)| a == b) {
        for (at, (_, first)) in of_day.iter().enumerate() {
            for (_, second) in &of_day[at + 1..] {
                if pairs.len() >= PAIRS {
                    return PAIRS;
                }
                pairs.insert((*first, *second));
            }
        }
    }
    pairs.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_the_busiest_are_found() {
        let days = |days: &[i32]| days.iter().map(|day| Day(*day)).collect::<BTreeSet<_>>();
        assert_eq!(longest_run(&days(&[1, 2, 4, 5, 6, 9])), 3);
        assert_eq!(longest_run(&days(&[])), 0);
        assert_eq!(busiest(&[0, 7, 7]), Some((1, 7)));
        assert_eq!(busiest(&[0, 0]), None);
    }
}
