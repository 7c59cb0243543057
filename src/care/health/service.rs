//! The findings in memory, and pages of them.
//!
//! The library keeps the score and the weightiest findings only. All of them are kept in memory after the last check;
//! after a restart the first requested page costs another check.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use serde_json::{Map, Value, json};

use super::{
    due::{self, Occasion},
    fingerprint::Fingerprints,
    rules::{Dimension, Finding, examine},
    score::{self, Issue},
    snapshot::{self, HealthReport},
};
use crate::{
    base::{Hold as _, Moment, schema::schema},
    config::settings::read,
    jobs::{
        Context,
        kind::{Failure, object},
    },
    model::State,
    probe::disk::Disk,
    store::Store,
};

schema! {
    "HealthIssues"
    /// `GET /api/v2/library/health/issues`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct IssuePage {
        /// Whether the library was checked since its last change.
        pub scanned: bool,
        /// In library order.
        pub issues: Vec<Issue>,
        /// How many there are.
        pub total: usize,
        /// The most of one page.
        pub limit: usize,
        /// How many stand before this page.
        pub offset: usize,
        /// The dimension that was asked for; blank for all.
        pub dimension: &'static str,
    }
}

/// The health of one library.
pub struct Health {
    pub(super) store: Store,
    disk: Arc<dyn Disk + Send + Sync>,
    now: fn() -> Moment,
    prints: Fingerprints,
    kept: Mutex<Option<Kept>>,
}

/// All findings, and what the games are known by that they are of.
struct Kept {
    fingerprint: String,
    findings: Arc<[Finding]>,
}

impl Health {
    /// Checks nothing yet.
    pub fn new(store: Store, disk: Arc<dyn Disk + Send + Sync>, now: fn() -> Moment) -> Self {
        Self { store, disk, now, prints: Fingerprints::default(), kept: Mutex::default() }
    }

    /// The disk that is asked.
    pub fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    fn is_valid(&self, state: &State) -> bool {
        snapshot::is_valid(state, &|| self.prints.of(state))
    }

    /// `GET /api/v2/library/health`.
    pub fn report(&self, state: &State) -> HealthReport {
        snapshot::report(state, self.is_valid(state))
    }

    /// `GET /api/v2/library/health/issues`.
    pub fn page(
        &self,
        state: &State,
        dimension: Option<Dimension>,
        limit: usize,
        offset: usize,
    ) -> IssuePage {
        let scanned = self.is_valid(state);
        let findings = if scanned { self.findings(state) } else { Arc::from([]) };
        let is_asked = |finding: &&Finding| {
            dimension.is_none_or(|dimension| finding.code.dimension() == dimension)
        };
        let asked = findings.iter().filter(is_asked);
        let page = asked.clone().skip(offset).take(limit);
        IssuePage {
            scanned,
            issues: page.filter_map(|finding| score::issue(&state.games, finding)).collect(),
            total: asked.count(),
            limit,
            offset,
            dimension: dimension.map_or("", Dimension::name),
        }
    }

    /// The findings in these games; checks them when those are not in memory.
    fn findings(&self, state: &State) -> Arc<[Finding]> {
        let fingerprint = self.prints.of(state);
        let known = self
            .kept
            .hold()
            .as_ref()
            .filter(|kept| kept.fingerprint == fingerprint)
            .map(|kept| Arc::clone(&kept.findings));
        known.unwrap_or_else(|| {
            let findings: Arc<[Finding]> = self.detect(state).into();
            let kept = Kept { fingerprint, findings: Arc::clone(&findings) };
            *self.kept.hold() = Some(kept);
            findings
        })
    }

    /// Checks every game now.
    pub fn detect(&self, state: &State) -> Vec<Finding> {
        match examine::<Infallible>(state, &*self.disk, &mut |_| Ok(())) {
            Ok(findings) => findings,
            Err(never) => match never {},
        }
    }

    /// Checks every game and keeps the score; returns the result of the job. When the job is cancelled,
    /// the old score stays.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn scan(&self, context: &Context<'_>) -> Result<Map<String, Value>, Failure> {
        let state = self.store.snapshot();
        let state = state.map_err(|_| Failure::new("The library cannot be read right now."))?;
        context.expect(state.games.len() as u64, "games");
        let findings = examine(&state, &*self.disk, &mut |done| {
            context.progress(done as u64, "");
            context.check()
        })?;
        let fingerprint = self.prints.of(&state);
        let now = (self.now)();
        let kept = self.store.change(|draft| {
            // Games that changed meanwhile make the score one of an earlier library.
            snapshot::keep(draft, &findings, &fingerprint, &now)
        });
        let score =
            kept.map_err(|error| Failure::new(format!("The score was not saved: {error}")))?;
        let findings = findings.into();
        *self.kept.hold() = Some(Kept { fingerprint, findings });
        Ok(object(json!({"score": score, "game_count": state.games.len()})))
    }

    /// Whether the program checks the library by itself now. An empty one has no health.
    pub fn is_due(&self, occasion: Occasion) -> bool {
        let Ok(state) = self.store.snapshot() else { return false };
        let rescan = read::text(state.settings(), "health_rescan");
        let last = snapshot::last(&state);
        let due = due::is_due(&rescan, last.as_ref(), occasion, &(self.now)());
        due && !state.games.is_empty()
    }
}
