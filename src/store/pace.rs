//! When the library file is written anew: soon after a change, never more than a twentieth of the
//! time, and on the average never faster than flash storage likes. The log bridges the rest.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::error::FoldError;
use crate::base::{Hold as _, memory};

/// A fold that took this long is followed by a rest of that many times as long.
const REST: u32 = 19;
/// Bytes of library files a second, averaged over the rest after a fold.
const WEAR: u64 = 1 << 20;
/// A library that changes all the time is written after this many times the debounce.
const PATIENCE: u32 = 10;
/// A library file of this many bytes leaves memory behind that is worth giving back.
const LARGE: u64 = 4 << 20;
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_mins(1);

/// What the fold thread waits for.
pub(super) struct Pace {
    debounce: Duration,
    needs: Mutex<Needs>,
    wake: Condvar,
}

#[derive(Default)]
struct Needs {
    /// The first and the last change since the last fold.
    changes: Option<(Instant, Instant)>,
    stopped: bool,
}

impl Pace {
    pub(super) fn new(debounce: Duration) -> Self {
        Self { debounce, needs: Mutex::default(), wake: Condvar::new() }
    }

    /// Notes a durable change, or another reason to write the file.
    pub(super) fn changed(&self) {
        let now = Instant::now();
        let mut needs = self.needs.hold();
        let first = needs.changes.map(|(first, _)| first);
        needs.changes = Some((first.unwrap_or(now), now));
        // Later changes only move the time at which the thread wakes.
        if first.is_none() {
            self.wake.notify_all();
        }
    }

    /// Ends the thread after the fold in progress.
    pub(super) fn stop(&self) {
        self.needs.hold().stopped = true;
        self.wake.notify_all();
    }

    /// The fold thread. `fold` returns how many bytes it wrote; 0 when nothing was to be written.
    pub(super) fn run(&self, fold: impl Fn() -> Result<u64, FoldError>) {
        let mut not_before = Instant::now();
        let mut retry = FIRST_RETRY;
        while self.wait_until_due(not_before) {
            let started = Instant::now();
            let outcome = fold();
            let bytes = *outcome.as_ref().unwrap_or(&0);
            if bytes >= LARGE {
                memory::give_back();
            }
            not_before = end_of_rest(started, Instant::now(), bytes);
            match outcome {
                Ok(_) => retry = FIRST_RETRY,
                // Nothing can be written until the file is repaired, which asks for a fold again.
                Err(FoldError::Unavailable(_)) => {}
                Err(error) => {
                    log::warn!("the library file was not written: {error}");
                    not_before = not_before.max(Instant::now() + retry);
                    retry = (retry * 2).min(LAST_RETRY);
                    self.changed();
                }
            }
        }
    }

    /// Waits for the next fold; `false` when there is none because the store closes.
    fn wait_until_due(&self, not_before: Instant) -> bool {
        let mut needs = self.needs.hold();
        loop {
            if needs.stopped {
                return false;
            }
            let Some(due) = needs.due(self.debounce) else {
                needs = self.wake.wait(needs).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = due.max(not_before).saturating_duration_since(Instant::now());
            if left.is_zero() {
                needs.changes = None;
                return true;
            }
            needs = self.wake.wait_timeout(needs, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// When the next fold may start after one that ran between these times and wrote so much.
fn end_of_rest(started: Instant, ended: Instant, bytes: u64) -> Instant {
    let took = ended.saturating_duration_since(started);
    ended + (took * REST).max(Duration::from_millis(bytes.saturating_mul(1_000) / WEAR))
}

impl Needs {
    fn due(&self, debounce: Duration) -> Option<Instant> {
        let (first, last) = self.changes?;
        Some((last + debounce).min(first + debounce * PATIENCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(first: u64, last: u64, expected: u64) {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let needs = Needs { changes: Some((at(first), at(last))), stopped: false };
        assert_eq!(needs.due(Duration::from_secs(3)), Some(at(expected)));
    }

    #[test]
    fn due_after_the_last_change_but_not_for_ever_later() {
        check(10, 10, 13);
        check(10, 20, 23);
        check(10, 100, 40);
        assert_eq!(Needs::default().due(Duration::ZERO), None);
    }

    #[test]
    fn folds_take_a_twentieth_of_the_time_at_most() {
        let start = Instant::now();
        for took in [0, 3, 1_500].map(Duration::from_millis) {
            let next = end_of_rest(start, start + took, 0);
            assert_eq!(next - start, took * 20);
        }
    }

    #[test]
    fn large_files_are_written_seldom() {
        let start = Instant::now();
        let rest = |bytes| end_of_rest(start, start, bytes) - start;
        assert_eq!(rest(100 * WEAR), Duration::from_secs(100));
        assert_eq!(rest(WEAR / 2), Duration::from_millis(500));
        let slow = Duration::from_secs(10);
        assert_eq!(end_of_rest(start, start + slow, WEAR) - start, slow * 20);
    }
}
