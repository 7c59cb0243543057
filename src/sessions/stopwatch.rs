//! How long a game was played: time awake, without pauses.

use std::time::Duration;

/// A stopwatch over the clock of [`crate::base::clock::awake`]; the caller passes the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopwatch {
    counted: Duration,
    running_since: Option<Duration>,
}

impl Stopwatch {
    /// One that was started at `now`.
    pub fn started(now: Duration) -> Self {
        Self { counted: Duration::ZERO, running_since: Some(now) }
    }

    /// One that has counted `counted` already, and has run since `running_since` or stands still.
    pub fn continued(counted: Duration, running_since: Option<Duration>) -> Self {
        Self { counted, running_since }
    }

    /// Stands still from `now` on.
    pub fn pause(&mut self, now: Duration) {
        self.counted = self.read(now);
        self.running_since = None;
    }

    /// Counts on from `now`; one that runs already is not disturbed.
    pub fn resume(&mut self, now: Duration) {
        self.running_since.get_or_insert(now);
    }

    /// Whether it stands.
    pub fn is_paused(&self) -> bool {
        self.running_since.is_none()
    }

    /// What it shows at `now`.
    pub fn read(&self, now: Duration) -> Duration {
        self.counted + self.running_since.map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn pauses_are_left_out() {
        let mut watch = Stopwatch::started(s(100));
        assert_eq!(watch.read(s(110)), s(10));
        watch.pause(s(110));
        watch.pause(s(120));
        assert_eq!((watch.read(s(500)), watch.is_paused()), (s(10), true));
        watch.resume(s(500));
        watch.resume(s(505));
        assert_eq!((watch.read(s(507)), watch.is_paused()), (s(17), false));
    }

    #[test]
    fn a_clock_of_another_boot_counts_nothing() {
        let watch = Stopwatch::continued(s(60), Some(s(9_000)));
        assert_eq!(watch.read(s(5)), s(60));
        assert_eq!(Stopwatch::continued(s(60), None).read(s(9_999)), s(60));
    }
}
