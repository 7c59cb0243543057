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
pub(crate) fn until<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain for: {what}");
        thread::park_timeout(Duration::from_millis(5));
    }
}
