//! The last score, as the library keeps it.

use std::collections::BTreeMap;

use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use super::{
    rules::Finding,
    score::{self, Deduction, DimensionScore},
};
use crate::{
    base::{Moment, schema::schema},
    model::{Draft, State},
};

/// The section of the library.
const SECTION: &str = "health_cache";
/// The setting with the time of the last look.
const LAST: &str = "last_health_rescan";

schema! {
    /// `GET /api/v2/library/health`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct HealthReport {
        /// 0 to 100; `null` without a check since the last change.
        pub score: Option<u32>,
        /// The parts of the score by their names.
        pub dimensions: BTreeMap<String, DimensionScore>,
        /// What lowers it, the weightiest first; at most 500.
        pub deductions: Vec<Deduction>,
        /// Games that were checked.
        pub game_count: usize,
        /// UTC; blank without a check since the last change.
        pub computed_at: String,
        /// Always false: only the job checks the games.
        pub recomputed: bool,
        /// Whether games changed since.
        pub dirty: bool,
        /// Whether there is no score of this library at all.
        pub full: bool,
        /// Whether the score is the one of the library as it is.
        pub scanned: bool,
    }
}

/// Keeps a score in the library. `fingerprint` is what the games are known by.
pub(super) fn keep(
    draft: &mut Draft,
    findings: &[Finding],
    fingerprint: &str,
    now: &Moment,
) -> u32 {
    let score = score::score(findings);
    let deductions = score::deductions(&draft.state().games, findings);
    let kept = json!({
        "score": score.total,
        "dimensions": score.dimensions,
        "deductions": deductions,
        "game_count": draft.state().games.len(),
        "computed_at": now.utc_iso(),
        "fingerprint": fingerprint,
    });
    draft.set_section(SECTION, kept);
    let last = Map::from_iter([(LAST.to_owned(), Value::from(now.utc_iso()))]);
    draft.merge_section("settings", last, &[]);
    score.total
}

/// The time of the last look; `None` when there was none or it cannot be read.
pub(super) fn last(state: &State) -> Option<Moment> {
    state.settings().get(LAST).and_then(Value::as_str).and_then(Moment::parse)
}

/// Whether the library keeps a score.
fn is_kept(state: &State) -> bool {
    state.section(SECTION)["score"].is_u64()
}

/// Whether the score that the library keeps is the one of these games.
pub(super) fn is_valid(state: &State, fingerprint: &dyn Fn() -> String) -> bool {
    let kept = state.section(SECTION);
    is_kept(state)
        && kept["game_count"].as_u64() == Some(state.games.len() as u64)
        && kept["fingerprint"].as_str().is_some_and(|kept| kept == fingerprint())
}

/// The score as it is shown.
pub(super) fn report(state: &State, is_valid: bool) -> HealthReport {
    let kept = state.section(SECTION);
    if !is_valid {
        let full = !is_kept(state);
        return HealthReport { dirty: true, full, ..HealthReport::default() };
    }
    let count = kept["game_count"].as_u64().and_then(|count| usize::try_from(count).ok());
    HealthReport {
        score: kept["score"].as_u64().and_then(|score| u32::try_from(score).ok()),
        dimensions: BTreeMap::deserialize(&kept["dimensions"]).unwrap_or_default(),
        deductions: Vec::deserialize(&kept["deductions"]).unwrap_or_default(),
        game_count: count.unwrap_or(0),
        computed_at: kept["computed_at"].as_str().unwrap_or("").to_owned(),
        recomputed: false,
        dirty: false,
        full: false,
        scanned: true,
    }
}
