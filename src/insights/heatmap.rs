//! Play by day (`GET /api/v2/insights/heatmap`).

use std::collections::HashMap;

use super::{error::InsightError, plays::Plays};
use crate::base::{Day, Moment, schema::schema};

/// Days of a heatmap: smallest, and both default and largest.
pub const DAYS: (i64, i64) = (1, 366);

/// Seconds a day from which the levels 2, 3 and 4 begin at least.
const CUTS: [u64; 3] = [600, 1_800, 3_600];

schema! {
    /// `GET /api/v2/insights/heatmap`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Heatmap {
        /// One cell for each day, the earliest first.
        pub heatmap: Vec<Cell>,
        /// How many.
        pub days: usize,
    }

    "HeatmapCell"
    /// One local day.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Cell {
        /// `YYYY-MM-DD`.
        pub date: String,
        /// Sessions that started on it.
        pub count: u64,
        /// Their seconds.
        pub seconds: u64,
        /// 0 for a day without play, then 1 to 4 by how it compares with the other days of the history.
        pub level: u8,
    }
}

/// The days that a heatmap shows.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The last day.
    pub end: Day,
    /// How many, 1 to 366.
    pub days: usize,
}

impl Window {
    /// Reads the parameters of a request: the last `days` days up to a date, by default 366 up to today.
    ///
    /// # Errors
    /// 400 with the rule that is broken.
    pub fn of(
        days: Option<i64>,
        end_date: Option<&str>,
        now: &Moment,
    ) -> Result<Self, InsightError> {
        let end = match end_date {
            None => Day::local(now),
            Some(text) => Day::parse(text).ok_or(InsightError::EndDate)?,
        };
        let days = days.unwrap_or(DAYS.1);
        if !(DAYS.0..=DAYS.1).contains(&days) {
            return Err(InsightError::Days);
        }
        Ok(Self { end, days: usize::try_from(days).unwrap_or_default() })
    }

    /// The first day.
    fn start(self) -> Day {
        self.end.plus(1 - i32::try_from(self.days).unwrap_or_default())
    }
}

/// Sessions and seconds of every day with a session.
pub(super) fn by_day(plays: &Plays) -> HashMap<Day, (u64, u64)> {
    let mut days: HashMap<Day, (u64, u64)> = HashMap::new();
    for play in &plays.list {
        if let Some(day) = play.day {
            let (count, seconds) = days.entry(day).or_default();
            *count += 1;
            *seconds = seconds.saturating_add(play.seconds);
        }
    }
    days
}

/// The heatmap of a history.
pub(super) fn heatmap(plays: &Plays, window: Window) -> Heatmap {
    let days = by_day(plays);
    let cuts =
        cuts(days.values().map(|(_, seconds)| *seconds).filter(|seconds| *seconds > 0).collect());
    let cell = |offset: i32| {
        let day = window.start().plus(offset);
        let (count, seconds) = days.get(&day).copied().unwrap_or_default();
        Cell { date: day.text(), count, seconds, level: level(seconds, cuts) }
    };
    let heatmap = (0..i32::try_from(window.days).unwrap_or_default()).map(cell).collect();
    Heatmap { heatmap, days: window.days }
}

/// The seconds from which the levels 2, 3 and 4 begin: quarters of the days with play, and fixed ones
/// where there are too few days.
fn cuts(mut played: Vec<u64>) -> [u64; 3] {
    let count = played.len();
    if count < 4 {
        return CUTS;
    }
    played.sort_unstable();
    let quarter = |number: usize| played[number * count / 4].max(CUTS[number - 1]);
    [quarter(1), quarter(2), quarter(3)]
}

fn level(seconds: u64, cuts: [u64; 3]) -> u8 {
    if seconds == 0 {
        return 0;
    }
    1 + cuts.iter().map(|cut| u8::from(seconds >= *cut)).sum::<u8>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_the_quarters_of_the_days_with_play() {
        assert_eq!(cuts(vec![9_000, 1, 2]), CUTS);
        assert_eq!(cuts(vec![10, 20, 30, 40]), CUTS);
        let cuts = cuts(vec![8_000, 1_000, 5_000, 3_000, 7_000, 2_000, 4_000, 6_000]);
        assert_eq!(cuts, [3_000, 5_000, 7_000]);
        for (seconds, expected) in
            [(0, 0), (1, 1), (2_999, 1), (3_000, 2), (5_000, 3), (6_999, 3), (7_000, 4)]
        {
            assert_eq!(level(seconds, cuts), expected, "{seconds}");
        }
    }

    #[test]
    fn a_window_has_one_to_366_days() {
        let now = Moment::from_unix(0);
        let days = |days, end| {
            Window::of(days, end, &now).map(|window| (window.start().text(), window.days))
        };
        assert_eq!(days(None, None), Ok(("1969-01-01".to_owned(), 366)));
        assert_eq!(days(Some(1), Some("2024-02-29")), Ok(("2024-02-29".to_owned(), 1)));
        assert_eq!(days(Some(0), None), Err(InsightError::Days));
        assert_eq!(days(Some(367), None), Err(InsightError::Days));
        assert_eq!(days(None, Some("2024-2-9")), Err(InsightError::EndDate));
    }
}
