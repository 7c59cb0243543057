//! When the library file is rewritten: soon after a change while it is small, and seldom when it is large, because each
//! fold writes all of it. Folds take at most a twentieth of the time and write at most 1 MiB/s on average, to spare
//! flash storage. Until then the changes are in the log.

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
/// A library file of this many bytes is large: it is written rarely, and writing it leaves memory behind that is
/// worth giving back.
const LARGE: u64 = 4 << 20;
/// The part of a large file that the log may reach before the file is written.
const LOG_SHARE: u64 = 8;
/// How long nothing has to change before a large file is written.
const QUIET: Duration = Duration::from_mins(30);
/// The least time between two folds of a large file, and the longest that one lacks a change.
const SELDOM: Duration = Duration::from_hours(4);
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
    /// Bytes of the log that came since then.
    log: u64,
    /// Whether the file is missing or foreign, so that its size is not a reason to wait.
    is_urgent: bool,
    /// Bytes of the library file.
    file: u64,
    /// When the last fold of this process ended.
    folded: Option<Instant>,
    stopped: bool,
}

impl Pace {
    pub(super) fn new(debounce: Duration) -> Self {
        Self { debounce, needs: Mutex::default(), wake: Condvar::new() }
    }

    /// Notes the bytes of a library file that was read, and of the lines of the log that it lacks.
    pub(super) fn loaded(&self, file: u64, log: u64) {
        let mut needs = self.needs.hold();
        (needs.file, needs.log) = (file, log);
    }

    /// Notes a durable change that took `log` bytes of the log.
    pub(super) fn changed(&self, log: u64) {
        self.note(|needs| needs.log += log);
    }

    /// Notes that the file has to be written whatever its size.
    pub(super) fn needed(&self) {
        self.note(|needs| needs.is_urgent = true);
    }

    fn note(&self, add: impl FnOnce(&mut Needs)) {
        let now = Instant::now();
        let mut needs = self.needs.hold();
        let first = needs.changes.map(|(first, _)| first);
        let waited = needs.can_wait();
        add(&mut needs);
        needs.changes = Some((first.unwrap_or(now), now));
        // Other changes only move the time at which the thread wakes.
        if first.is_none() || waited != needs.can_wait() {
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
            let ended = Instant::now();
            not_before = end_of_rest(started, ended, bytes);
            match outcome {
                Ok(0) => retry = FIRST_RETRY,
                Ok(file) => {
                    retry = FIRST_RETRY;
                    let mut needs = self.needs.hold();
                    (needs.file, needs.folded) = (file, Some(ended));
                }
                // Nothing can be written until the file is repaired, which asks for a fold again.
                Err(FoldError::Unavailable(_)) => {}
                Err(error) => {
                    log::warn!("the library file was not written: {error}");
                    not_before = not_before.max(Instant::now() + retry);
                    retry = (retry * 2).min(LAST_RETRY);
                    self.needed();
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
                (needs.changes, needs.log, needs.is_urgent) = (None, 0, false);
                return true;
            }
            needs = self.wake.wait_timeout(needs, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// When the next fold may start after one that ran between these times and wrote `bytes`.
fn end_of_rest(started: Instant, ended: Instant, bytes: u64) -> Instant {
    let took = ended.saturating_duration_since(started);
    ended + (took * REST).max(Duration::from_millis(bytes.saturating_mul(1_000) / WEAR))
}

impl Needs {
    /// Whether the log may bridge what the file lacks.
    fn can_wait(&self) -> bool {
        !self.is_urgent && self.file >= LARGE && self.log < self.file / LOG_SHARE
    }

    fn due(&self, debounce: Duration) -> Option<Instant> {
        let (first, last) = self.changes?;
        let soon = (last + debounce).min(first + debounce * PATIENCE);
        if !self.can_wait() {
            return Some(soon);
        }
        let rested = self.folded.map_or(first, |folded| folded + SELDOM);
        Some((last + QUIET).max(rested).min(first + SELDOM).max(soon))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(first: u64, last: u64, expected: u64) {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let needs = Needs { changes: Some((at(first), at(last))), ..Needs::default() };
        assert_eq!(needs.due(Duration::from_secs(3)), Some(at(expected)));
    }

    #[test]
    fn due_after_the_last_change_but_not_for_ever_later() {
        check(10, 10, 13);
        check(10, 20, 23);
        check(10, 100, 40);
        assert_eq!(Needs::default().due(Duration::ZERO), None);
    }

    /// Minutes after the start at which a file of 20 MiB is due, when the log has this many bytes.
    #[track_caller]
    fn check_large(first: u64, last: u64, log: u64, folded: Option<u64>, expected: u64) {
        let start = Instant::now();
        let at = |minutes| start + Duration::from_mins(minutes);
        let needs = Needs {
            changes: Some((at(first), at(last))),
            log,
            file: 20 << 20,
            folded: folded.map(at),
            ..Needs::default()
        };
        assert_eq!(needs.due(Duration::ZERO), Some(at(expected)));
        assert_eq!(Needs { is_urgent: true, ..needs }.due(Duration::ZERO), Some(at(first)));
    }

    #[test]
    fn a_large_file_waits_for_quiet_or_for_a_long_log() {
        check_large(10, 20, 1_000, None, 50);
        check_large(10, 245, 1_000, None, 250);
        check_large(310, 310, 1_000, Some(50), 340);
        check_large(60, 61, 1_000, Some(50), 290);
        check_large(60, 61, 5 << 19, Some(50), 60);
    }

    #[test]
    fn an_evening_of_ten_sessions_writes_a_large_file_once_before_the_end() {
        let start = Instant::now();
        let at = |minutes| start + Duration::from_mins(minutes);
        let mut needs = Needs { file: 20 << 20, ..Needs::default() };
        let mut folds = 0;
        // A session starts or ends every twelve minutes; folds happen between.
        for change in (0..20).map(|turn| turn * 12) {
            if let Some(due) = needs.due(Duration::ZERO).filter(|due| *due <= at(change)) {
                (needs.changes, needs.log, needs.folded) = (None, 0, Some(due));
                folds += 1;
            }
            let first = needs.changes.map_or(at(change), |(first, _)| first);
            (needs.changes, needs.log) = (Some((first, at(change))), needs.log + 5_000);
        }
        assert!(folds <= 1, "{folds} folds, and one when the program stops");
    }

    #[test]
    fn a_change_that_makes_the_log_long_wakes_the_thread() {
        let pace = Pace::new(Duration::ZERO);
        pace.loaded(8 << 20, 0);
        std::thread::scope(|scope| {
            let (told, folded) = std::sync::mpsc::channel();
            scope.spawn(|| {
                pace.run(move || {
                    told.send(()).expect("somebody waits");
                    Ok(8 << 20)
                });
            });
            pace.changed(1_000);
            pace.changed(1 << 20);
            folded.recv().expect("a fold");
            pace.stop();
        });
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
