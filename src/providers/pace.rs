//! When the next request may go to a host: a number at once, a time between two, and none while
//! the host asked for a pause. The clock is an argument, so that tests need no time.

use std::{
    collections::HashMap,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crossbeam_channel::after;

use super::{
    error::{Cancel, ProviderError},
    table::Pace,
};
use crate::base::Hold as _;

/// How soon a wait ends after it was cancelled.
pub(super) const SLICE: Duration = Duration::from_millis(100);

/// Time, and waiting.
pub trait Clock: Send + Sync {
    /// Since any moment in the past.
    fn now(&self) -> Duration;

    /// Waits for the given time, or until it is cancelled.
    ///
    /// # Errors
    /// [`ProviderError::Stopped`].
    fn wait(&self, time: Duration, cancel: Cancel<'_>) -> Result<(), ProviderError>;
}

/// The clock of the machine.
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that begins now.
    pub fn new() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn wait(&self, time: Duration, cancel: Cancel<'_>) -> Result<(), ProviderError> {
        let end = self.now() + time;
        loop {
            if cancel() {
                return Err(ProviderError::Stopped);
            }
            let left = end.saturating_sub(self.now());
            if left.is_zero() {
                return Ok(());
            }
            // OK because it only means that the time is over.
            let _ = after(left.min(SLICE)).recv();
        }
    }
}

/// The requests that go to one host.
#[derive(Clone, Copy, Default)]
struct Lane {
    open: usize,
    /// When the next one may start.
    next: Duration,
}

/// Keeps the pace of every host.
pub(super) struct Pacer {
    lanes: Mutex<HashMap<String, Lane>>,
    changed: Condvar,
    clock: Arc<dyn Clock>,
}

/// Permission to send a request to a host, released when it is dropped.
pub(super) struct Permit {
    pacer: Arc<Pacer>,
    host: String,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.pacer.give_back(&self.host);
    }
}

impl Pacer {
    /// A pacer by this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { lanes: Mutex::default(), changed: Condvar::new(), clock })
    }

    /// Waits until the host may be asked.
    ///
    /// # Errors
    /// [`ProviderError::Stopped`] when it is cancelled before.
    pub fn take(
        self: &Arc<Self>,
        host: &str,
        pace: Pace,
        cancel: Cancel<'_>,
    ) -> Result<Permit, ProviderError> {
        let mut lanes = self.lanes.hold();
        let start = loop {
            let lane = lanes.entry(host.to_owned()).or_default();
            if lane.open < pace.at_once {
                let start = lane.next.max(self.clock.now());
                *lane = Lane { open: lane.open + 1, next: start + pace.every };
                break start;
            }
            if cancel() {
                return Err(ProviderError::Stopped);
            }
            let waited = self.changed.wait_timeout(lanes, SLICE);
            lanes = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        drop(lanes);
        let permit = Permit { pacer: Arc::clone(self), host: host.to_owned() };
        self.clock.wait(start.saturating_sub(self.clock.now()), cancel)?;
        Ok(permit)
    }

    /// Lets no request start at a host for `time`.
    pub fn hold_off(&self, host: &str, time: Duration) {
        let mut lanes = self.lanes.hold();
        let lane = lanes.entry(host.to_owned()).or_default();
        lane.next = lane.next.max(self.clock.now() + time);
    }

    fn give_back(&self, host: &str) {
        if let Some(lane) = self.lanes.hold().get_mut(host) {
            lane.open -= 1;
        }
        self.changed.notify_all();
    }
}
