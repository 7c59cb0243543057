//! The signal to a running job to stop: a flag that it polls, and that wakes it from a pause.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use crate::base::Hold as _;

/// What was signalled to a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StopSignal {
    /// Nothing yet.
    #[default]
    GoOn,
    /// It was cancelled.
    Cancel,
    /// The program stops.
    Interrupt,
}

/// The signals to one job. The first one stands.
#[derive(Default)]
pub(super) struct Control {
    signal: Mutex<StopSignal>,
    changed: Condvar,
}

impl Control {
    /// Gives a signal, unless there is one already.
    pub(super) fn give(&self, signal: StopSignal) {
        let mut current = self.signal.hold();
        if *current == StopSignal::GoOn {
            *current = signal;
            self.changed.notify_all();
        }
    }

    /// The signal that stands.
    pub(super) fn signal(&self) -> StopSignal {
        *self.signal.hold()
    }

    /// Waits for a signal, at most for `pause`; returns the one that stands then.
    pub(super) fn wait(&self, pause: Duration) -> StopSignal {
        let signal = self.signal.hold();
        let waited =
            self.changed.wait_timeout_while(signal, pause, |signal| *signal == StopSignal::GoOn);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_first_signal_stands_and_wakes_a_pause() {
        let control = Control::default();
        assert_eq!(control.wait(Duration::ZERO), StopSignal::GoOn);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| control.wait(Duration::from_mins(1)));
            control.give(StopSignal::Cancel);
            control.give(StopSignal::Interrupt);
            assert_eq!(waiting.join().expect("no panic"), StopSignal::Cancel);
        });
        assert_eq!(control.signal(), StopSignal::Cancel);
    }
}
