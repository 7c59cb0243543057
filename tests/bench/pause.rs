//! Letting time pass while the program has nothing to do. For measuring, never for waiting.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Returns after `time`.
pub(crate) fn pause(time: Duration) {
    let start = Instant::now();
    while let Some(left) = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
        thread::park_timeout(left);
    }
}
