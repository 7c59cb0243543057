//! Medians and percentiles of samples.

use std::time::{Duration, Instant};

/// Measured values of one thing, in one unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// `times` durations of `work`, in milliseconds.
    pub(crate) fn time(times: usize, mut work: impl FnMut()) -> Self {
        (0..times)
            .map(|_| {
                let start = Instant::now();
                work();
                millis(start.elapsed())
            })
            .collect()
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// The values in the order in which they came.
    pub(crate) fn into_values(self) -> Vec<f64> {
        self.0
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value below which half of them lie.
    pub(crate) fn median(&self) -> f64 {
        self.percentile(50)
    }

    /// The smallest value that `percent` of them do not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// A duration in milliseconds.
pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// A count as a number to calculate with; exact below 2^53, which no count here reaches.
#[expect(clippy::cast_precision_loss, reason = "counts and sizes are far below 2^53")]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}
