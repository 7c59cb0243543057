//! How much was played, of what, and the trend (`GET /api/v2/insights/summary`).

use std::cmp::Reverse;

use super::{
    heatmap::{self, Cell, Window},
    plays::Plays,
    sums::{PlatformSum, Sums, playtime},
};
use crate::{
    base::schema::schema,
    model::{Game, Games},
};

/// Platforms and genres of an answer.
const SHOWN: usize = 8;
/// Days of the short view, and of the time it is compared with.
const MONTH: usize = 30;

schema! {
    "InsightSummary"
    /// `GET /api/v2/insights/summary`.
    #[derive(Clone, Debug)]
    pub struct Summary {
        /// One cell for each day, the earliest first.
        pub heatmap: Vec<Cell>,
        /// How many.
        pub days: usize,
        /// Days in a row with play.
        pub streak: Streak,
        /// The whole library and history.
        pub totals: SummaryTotals,
        /// Most games first, at most 8.
        pub top_platforms: Vec<TopPlatform>,
        /// Most games first, at most 8.
        pub top_genres: Vec<TopGenre>,
        /// Most playtime first, at most 10.
        pub top_games: Vec<TopGame>,
        /// The last 30 days compared with the 30 before.
        pub momentum: Momentum,
        /// The last cells of `heatmap`.
        pub last_30_days: Vec<Cell>,
    }

    /// Days in a row with play, within the heatmap.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Streak {
        /// Up to the last day; 0 when nothing was played on it.
        pub current: u64,
        /// The longest.
        pub longest: u64,
        /// The last day with play; empty without one.
        pub last_played: String,
    }

    /// What the library and the history add up to.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SummaryTotals {
        /// Games in the library.
        pub games: u64,
        /// Games that were played.
        pub played: u64,
        /// Tracked and manual playtime.
        pub total_playtime_seconds: u64,
        /// Sessions of the whole history.
        pub total_sessions: usize,
    }

    /// A platform with its games.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TopPlatform {
        /// Its name; `Unspecified` for games without one.
        pub platform: String,
        /// Games.
        pub count: u64,
        /// Their playtime.
        pub playtime_seconds: u64,
    }

    /// A genre with its games.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TopGenre {
        /// Its name.
        pub genre: String,
        /// Games.
        pub count: u64,
    }

    /// A game with its playtime.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TopGame {
        /// Stable id.
        pub game_id: String,
        /// Title.
        pub name: String,
        /// Platform, as stored.
        pub platform: String,
        /// Tracked and manual playtime.
        pub playtime_seconds: u64,
        /// How often it was started.
        pub play_count: u32,
        /// Local time of the last start; empty when there was none.
        pub last_played: String,
    }

    /// Playtime of the last days of the heatmap.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Momentum {
        /// Of the last 30 cells.
        pub last_30_days_seconds: u64,
        /// Of the 30 cells before; 0 in a heatmap of fewer than 60.
        pub previous_30_days_seconds: u64,
        /// The first minus the second.
        pub delta_seconds: i64,
    }
}

/// The summary of a library and its history.
pub(super) fn summary(games: &Games, sums: &Sums, plays: &Plays, window: Window) -> Summary {
    let cells = heatmap::heatmap(plays, window).heatmap;
    let recent = &cells[cells.len().saturating_sub(MONTH)..];
    Summary {
        streak: streak(&cells),
        totals: SummaryTotals {
            games: sums.games,
            played: sums.played,
            total_playtime_seconds: sums.seconds,
            total_sessions: plays.list.len(),
        },
        top_platforms: top_platforms(sums),
        top_genres: top_genres(sums),
        top_games: sums
            .top
            .iter()
            .filter_map(|at| games.get(*at))
            .map(|game| top_game(game))
            .collect(),
        momentum: momentum(&cells),
        last_30_days: recent.to_vec(),
        days: window.days,
        heatmap: cells,
    }
}

/// The platforms with most games, then most playtime.
pub(super) fn top_platforms(sums: &Sums) -> Vec<TopPlatform> {
    let mut found: Vec<(&str, &PlatformSum)> =
        sums.platforms.iter().map(|(name, sum)| (name.as_str(), sum)).collect();
    found.sort_by_key(|(name, sum)| (Reverse(sum.games), Reverse(sum.seconds), *name));
    let row = |(name, sum): (&str, &PlatformSum)| TopPlatform {
        platform: name.to_owned(),
        count: sum.games,
        playtime_seconds: sum.seconds,
    };
    found.into_iter().take(SHOWN).map(row).collect()
}

/// The genres with most games.
pub(super) fn top_genres(sums: &Sums) -> Vec<TopGenre> {
    let mut found: Vec<(&str, u64)> =
        sums.genres.iter().map(|(name, games)| (name.as_str(), *games)).collect();
    found.sort_by_key(|(name, games)| (Reverse(*games), *name));
    let row = |(name, count): (&str, u64)| TopGenre { genre: name.to_owned(), count };
    found.into_iter().take(SHOWN).map(row).collect()
}

/// A game as lists of those played most show it.
pub(super) fn top_game(game: &Game) -> TopGame {
    TopGame {
        game_id: game.id().to_owned(),
        name: game.name().to_owned(),
        platform: game.platform().to_owned(),
        playtime_seconds: playtime(game),
        play_count: game.play_count(),
        last_played: game.last_played().to_owned(),
    }
}

fn streak(cells: &[Cell]) -> Streak {
    let (mut run, mut longest) = (0, 0);
    for cell in cells {
        run = if cell.count > 0 { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let last = cells.iter().rfind(|cell| cell.count > 0);
    let last_played = last.map_or_else(String::new, |cell| cell.date.clone());
    Streak { current: run, longest, last_played }
}

fn momentum(cells: &[Cell]) -> Momentum {
    let seconds =
        |cells: &[Cell]| cells.iter().map(|cell| cell.seconds).fold(0, u64::saturating_add);
    let split = cells.len().saturating_sub(MONTH);
    let before = split.checked_sub(MONTH).map_or(&[][..], |start| &cells[start..split]);
    let (last, previous) = (seconds(&cells[split..]), seconds(before));
    let signed = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX);
    Momentum {
        last_30_days_seconds: last,
        previous_30_days_seconds: previous,
        delta_seconds: signed(last).saturating_sub(signed(previous)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(seconds: &[u64]) -> Vec<Cell> {
        let cell = |(day, seconds): (usize, &u64)| Cell {
            date: format!("day {day}"),
            count: u64::from(*seconds > 0),
            seconds: *seconds,
            level: 0,
        };
        seconds.iter().enumerate().map(cell).collect()
    }

    #[test]
    fn a_streak_ends_with_a_day_without_play() {
        let found = streak(&cells(&[5, 5, 5, 0, 5, 5]));
        assert_eq!((found.current, found.longest, found.last_played.as_str()), (2, 3, "day 5"));
        let found = streak(&cells(&[5, 5, 0]));
        assert_eq!((found.current, found.longest, found.last_played.as_str()), (0, 2, "day 1"));
        assert_eq!(streak(&[]).last_played, "");
    }

    #[test]
    fn momentum_needs_sixty_days_to_compare() {
        let found = momentum(&cells(&[1; 60]));
        assert_eq!(
            (found.last_30_days_seconds, found.previous_30_days_seconds, found.delta_seconds),
            (30, 30, 0)
        );
        let found = momentum(&cells(&[2; 59]));
        assert_eq!(
            (found.last_30_days_seconds, found.previous_30_days_seconds, found.delta_seconds),
            (60, 0, 60)
        );
        assert_eq!(momentum(&cells(&[7; 3])).last_30_days_seconds, 21);
    }
}
