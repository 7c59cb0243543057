//! How long a game was played: time awake, pauses included.

use std::time::Duration;

/// A stopwatch over the clock of [`crate::base::clock::awake`]; the caller passes the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopwatch {
    counted: Duration,
    since: Duration,
}

impl Stopwatch {
    /// One that was started at `now`.
    pub fn started(now: Duration) -> Self {
        Self::continued(Duration::ZERO, now)
    }

    /// One that had counted `counted` at `since` and has run from then on.
    pub fn continued(counted: Duration, since: Duration) -> Self {
        Self { counted, since }
    }

    /// What it shows at `now`.
    pub fn read(&self, now: Duration) -> Duration {
        self.counted + now.saturating_sub(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn it_counts_on_from_what_it_had_counted() {
        assert_eq!(Stopwatch::started(s(100)).read(s(110)), s(10));
        assert_eq!(Stopwatch::continued(s(60), s(100)).read(s(110)), s(70));
    }

    #[test]
    fn a_clock_of_another_boot_counts_nothing() {
        assert_eq!(Stopwatch::continued(s(60), s(9_000)).read(s(5)), s(60));
    }
}
