//! Waiting for something the program does in its own time. The only place that pauses.

use std::{
    thread,
    time::{Duration, Instant},
};

/// How long a test waits for anything before it fails: much longer than anything takes, even on a
/// machine that is busy with something else.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Asks `probe` again and again until it has a value.
///
/// Prefer a signal of the program (an answer, an event, a line on stdout) where there is one; this
/// is for states that only show when looked at.
#[track_caller]
pub(crate) fn until<T>(what: &str, probe: impl FnMut() -> Option<T>) -> T {
    let found = poll(probe);
    assert!(found.is_some(), "waited {PATIENCE:?} in vain for: {what}");
    found.expect("checked above")
}

/// Asks `probe` until it has a value, or for as long as [`PATIENCE`].
pub(crate) fn poll<T>(mut probe: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let found = probe();
        if found.is_some() || start.elapsed() >= PATIENCE {
            return found;
        }
        thread::park_timeout(Duration::from_millis(5));
    }
}
