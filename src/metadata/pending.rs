//! The imports whose matches are still to come: their pictures wait for them.

use std::{
    collections::HashSet,
    sync::{Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    base::Hold as _,
    jobs::{Context, kind::Failure},
};

/// How long pictures wait for the matches.
const PATIENCE: Duration = Duration::from_mins(10);
/// How soon a wait ends after it was cancelled.
const SLICE: Duration = Duration::from_millis(200);

/// The imports whose matches are still to come.
#[derive(Default)]
pub(super) struct Pending {
    batches: Mutex<HashSet<String>>,
    changed: Condvar,
}

impl Pending {
    /// Notes that an import is about to be matched.
    pub fn begin(&self, batch: &str) {
        self.batches.hold().insert(batch.to_owned());
    }

    /// Notes that its matching ended.
    pub fn end(&self, batch: &str) {
        self.batches.hold().remove(batch);
        self.changed.notify_all();
    }

    /// Waits until the matching of an import ended, at most ten minutes; whether it did.
    ///
    /// # Errors
    /// When the job is asked to stop.
    pub fn wait(&self, batch: &str, context: &Context<'_>) -> Result<bool, Failure> {
        let begun = Instant::now();
        let mut batches = self.batches.hold();
        while batches.contains(batch) {
            context.check()?;
            if begun.elapsed() > PATIENCE {
                return Ok(false);
            }
            let waited = self.changed.wait_timeout(batches, SLICE);
            batches = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(true)
    }
}
