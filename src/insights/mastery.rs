//! How far games were played, by platform and decade (`GET /api/v2/insights/mastery`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::sums::{Stage, Stages, Sums, join_stages, year};
use crate::{
    base::schema::schema,
    model::{Game, State},
};

/// Games without a year, and those from before 1980.
const EARLY: &str = "pre-1980";

schema! {
    /// `GET /api/v2/insights/mastery`.
    #[derive(Clone, Debug, Default)]
    pub struct Mastery {
        /// By platform; games without one are `Unspecified`.
        pub platforms: BTreeMap<String, Bucket>,
        /// All games.
        pub overall: Bucket,
        /// By decade of release: `1980s` and later, or `pre-1980`.
        pub decades: BTreeMap<String, Bucket>,
    }

    "MasteryBucket"
    /// Some games by how far they were brought. Each counts once.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Bucket {
        /// Never started.
        pub never: u64,
        /// Played, without a further progress.
        pub played: u64,
        /// Beaten.
        pub beaten: u64,
        /// Completed.
        pub completed: u64,
        /// Mastered.
        pub mastered: u64,
        /// Games whose achievements are known.
        pub ach_tracked: u64,
        /// Games of which all achievements were earned.
        pub ach_mastered: u64,
        /// Share of achievements earned, in percent, of the games whose achievements are known.
        pub ach_avg_progress: f64,
        /// All of them.
        pub total: u64,
    }
}

/// The achievements of one game as they were last fetched, a file of its own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Earned {
    /// Stable id of the game.
    pub game_id: String,
    /// Share of achievements earned, in percent.
    pub progress_pct: f64,
    /// How many were earned.
    pub earned: u64,
    /// Whether all were earned.
    pub mastered: bool,
}

/// What the achievements of some games add up to.
#[derive(Clone, Copy, Debug, Default)]
struct EarnedSum {
    tracked: u64,
    mastered: u64,
    percent: f64,
}

impl EarnedSum {
    fn add(&mut self, earned: &Earned) {
        self.tracked += 1;
        self.mastered += u64::from(earned.mastered);
        self.percent += earned.progress_pct;
    }
}

fn bucket(stages: Stages, earned: EarnedSum) -> Bucket {
    let of = |stage: Stage| stages[stage as usize];
    #[expect(clippy::cast_precision_loss, reason = "a library has fewer games")]
    let average = if earned.tracked == 0 { 0.0 } else { earned.percent / earned.tracked as f64 };
    Bucket {
        never: of(Stage::Never),
        played: of(Stage::Played),
        beaten: of(Stage::Beaten),
        completed: of(Stage::Completed),
        mastered: of(Stage::Mastered),
        ach_tracked: earned.tracked,
        ach_mastered: earned.mastered,
        ach_avg_progress: (average * 100.0).round() / 100.0,
        total: stages.iter().sum(),
    }
}

/// The name of a decade by its first year.
fn decade_name(decade: Option<i32>) -> String {
    decade.map_or_else(|| EARLY.to_owned(), |year| format!("{year}s"))
}

fn decade(game: &Game) -> Option<i32> {
    year(game.year()).filter(|year| *year >= 1980).map(|year| year / 10 * 10)
}

/// The mastery of a library.
pub(super) fn mastery(state: &State, sums: &Sums, earned: &[Earned]) -> Mastery {
    let mut all = EarnedSum::default();
    let mut platforms: BTreeMap<&str, EarnedSum> = BTreeMap::new();
    let mut decades: BTreeMap<Option<i32>, EarnedSum> = BTreeMap::new();
    for found in earned {
        let Some((_, game)) = state.games.find(&found.game_id) else { continue };
        all.add(found);
        platforms.entry(super::sums::platform(game)).or_default().add(found);
        decades.entry(decade(game)).or_default().add(found);
    }
    let mut stages = Stages::default();
    let mut mastery = Mastery::default();
    for (name, sum) in &sums.platforms {
        join_stages(&mut stages, sum.stages);
        let earned = platforms.get(name.as_str()).copied().unwrap_or_default();
        mastery.platforms.insert(name.clone(), bucket(sum.stages, earned));
    }
    for (decade, stages) in &sums.decades {
        let earned = decades.get(decade).copied().unwrap_or_default();
        mastery.decades.insert(decade_name(*decade), bucket(*stages, earned));
    }
    mastery.overall = bucket(stages, all);
    mastery
}
