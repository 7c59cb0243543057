//! Trophies for what was played (`/api/v2/insights/trophies`). An awarded trophy is never revoked.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    error::InsightError,
    plays::Plays,
    sums::{Sums, is_played},
    wrapped::longest_run,
};
use crate::{
    base::{Day, Moment, schema::schema},
    game::slots::{Slots, slot},
    model::{Cause, Draft, State},
    probe::probes::Probes,
    store::{Committed, Store},
};

/// Where awards are stored: `{"awarded": {<id>: <local time>}}`.
const SECTION: &str = "trophies";
/// Covers that are checked on the disk in one step.
const STEP: usize = 256;

/// A trophy: its id and what must be reached.
struct Rule {
    id: &'static str,
    target: u64,
}

const fn rule(id: &'static str, target: u64) -> Rule {
    Rule { id, target }
}

/// Games with a cover that make a curator.
const CURATED: u64 = 25;

/// How many trophies there are.
const TROPHIES: usize = 12;

/// Every trophy in the order in which it is shown; [`measure`] measures them in the same order.
static RULES: [Rule; TROPHIES] = [
    rule("century_club", 360_000),
    rule("collector", 100),
    rule("completionist", 5),
    rule("curator", CURATED),
    rule("decade_tourist", 4),
    rule("deep_diver", 72_000),
    rule("first_launch", 1),
    rule("marathon", 14_400),
    rule("night_owl", 1),
    rule("old_school", 1),
    rule("platform_hopper", 4),
    rule("week_streak", 7),
];

schema! {
    /// `GET /api/v2/insights/trophies`.
    #[derive(Clone, Debug)]
    pub struct Trophies {
        /// Every trophy, always in this order.
        pub trophies: Vec<Trophy>,
        /// How many are awarded.
        pub earned: usize,
        /// How many there are.
        pub total: usize,
    }

    /// One trophy.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Trophy {
        /// Which one.
        pub id: &'static str,
        /// Whether it was awarded, or what it asks for is reached.
        pub awarded: bool,
        /// Local time of the award; `null` before it is stored.
        pub awarded_at: Option<String>,
        /// How far it is.
        pub progress: TrophyProgress,
    }

    /// The progress of a trophy.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TrophyProgress {
        /// What is reached, at most the target.
        pub current: u64,
        /// What must be reached.
        pub target: u64,
    }

    /// `POST /api/v2/insights/trophies/evaluate`.
    #[derive(Clone, Debug)]
    pub struct Evaluated {
        /// Trophies that were awarded now.
        pub newly_awarded: Vec<Award>,
        /// How many are awarded.
        pub earned: usize,
        /// How many there are.
        pub total: usize,
    }

    "TrophyAward"
    /// A trophy that was awarded.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Award {
        /// Which one.
        pub id: &'static str,
        /// Local time.
        pub awarded_at: String,
    }
}

/// What is reached of each rule, uncapped.
pub(super) type Measures = [u64; TROPHIES];

/// Measures what the rules ask for; `covers` is the number of games with a cover, counted up to the target.
pub(super) fn measure(state: &State, sums: &Sums, plays: &Plays, covers: u64) -> Measures {
    let mut sums = sums.clone();
    for (_, game) in plays.games(state).into_iter().flatten() {
        if !is_played(game) {
            sums.add_played(game);
        }
    }
    let days: BTreeSet<Day> = plays.list.iter().filter_map(|play| Some(play.written?.0)).collect();
    let hours = plays.list.iter().filter_map(|play| play.written?.1);
    let finished = |stages: &[u64; 5]| stages[2..].iter().sum::<u64>();
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    [
        sums.tracked,
        sums.games,
        sums.platforms.values().map(|sum| finished(&sum.stages)).sum(),
        covers,
        count(sums.played_decades.len()),
        sums.longest,
        count(plays.list.len()),
        plays.list.iter().map(|play| play.seconds).max().unwrap_or(0),
        count(hours.filter(|hour| *hour < 5).count()),
        u64::from(sums.is_old_played),
        count(sums.platforms.values().filter(|sum| sum.is_played).count()),
        longest_run(&days),
    ]
}

/// How many games have a cover on the disk, counted up to what a trophy asks for.
pub(super) fn covers(state: &State, probes: &Probes) -> u64 {
    let games = state.games.iter();
    let covers = games.filter_map(|game| {
        let cover = Slots::of(game.json()).text(const { slot("cover") }).into_owned();
        probes.roots().covers(&cover).then_some(cover)
    });
    let mut covers = covers.peekable();
    let mut found = 0;
    while covers.peek().is_some() && found < CURATED {
        let some: Vec<String> = covers.by_ref().take(STEP).collect();
        let there = probes.existing(&some.iter().map(String::as_str).collect::<Vec<_>>());
        let count = some.iter().filter(|cover| there.contains(cover.as_str())).count();
        found += u64::try_from(count).unwrap_or(u64::MAX);
    }
    found.min(CURATED)
}

/// The stored awards.
fn awards(state: &State) -> Map<String, Value> {
    state.section(SECTION)["awarded"].as_object().cloned().unwrap_or_default()
}

/// Every trophy with its progress.
pub(super) fn trophies(state: &State, measures: &Measures) -> Trophies {
    let awards = awards(state);
    let trophy = |(rule, current): (&Rule, &u64)| {
        let stored = awards.get(rule.id).and_then(Value::as_str).map(str::to_owned);
        Trophy {
            id: rule.id,
            awarded: stored.is_some() || *current >= rule.target,
            awarded_at: stored,
            progress: TrophyProgress { current: (*current).min(rule.target), target: rule.target },
        }
    };
    let trophies: Vec<Trophy> = RULES.iter().zip(measures).map(trophy).collect();
    let earned = trophies.iter().filter(|trophy| trophy.awarded).count();
    Trophies { trophies, earned, total: TROPHIES }
}

/// Stores the awards that are due and returns them; writes nothing when there are none.
///
/// # Errors
/// When the library cannot be written.
pub(super) fn evaluate(
    store: &Store,
    measures: &Measures,
    now: &Moment,
) -> Committed<Evaluated, InsightError> {
    store.commit(|draft| Ok(award(draft, measures, now)))
}

fn award(draft: &mut Draft, measures: &Measures, now: &Moment) -> Evaluated {
    let mut stored = awards(draft.state());
    let is_due =
        |(rule, current): &(&Rule, &u64)| **current >= rule.target && !stored.contains_key(rule.id);
    let award =
        |(rule, _): (&'static Rule, &u64)| Award { id: rule.id, awarded_at: now.local_iso() };
    let newly_awarded: Vec<Award> = RULES.iter().zip(measures).filter(is_due).map(award).collect();
    if !newly_awarded.is_empty() {
        for award in &newly_awarded {
            stored.insert(award.id.to_owned(), award.awarded_at.as_str().into());
        }
        let mut section = draft.state().section(SECTION).as_object().cloned().unwrap_or_default();
        section.insert("awarded".to_owned(), Value::Object(stored));
        draft.set_section(SECTION, Value::Object(section));
        let rows = newly_awarded.iter().map(|award| json!(award)).collect();
        draft.set_cause(Cause::TrophiesAwarded(rows));
    }
    let earned = trophies(draft.state(), measures).earned;
    Evaluated { newly_awarded, earned, total: TROPHIES }
}
