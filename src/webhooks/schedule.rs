//! The meaning of a response, and the delay before the next attempt.

use std::time::Duration;

use crate::base::{Moment, limits};

/// What a status means for a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It arrived.
    Delivered,
    /// It may arrive later.
    Retry,
    /// It will not arrive.
    Failed,
}

/// Judges the status of an answer.
pub fn judge(status: u16) -> Verdict {
    match status {
        200..=299 => Verdict::Delivered,
        408 | 425 | 429 | 500..=599 => Verdict::Retry,
        _ => Verdict::Failed,
    }
}

/// The wait after attempt number `attempt` (from 1): 1, 2, 4, 8 seconds, raised by `Retry-After`
/// (seconds or an HTTP date) but never beyond [`limits::WEBHOOK_WAIT`].
pub fn pause(attempt: u32, retry_after: Option<&str>, now: &Moment) -> Duration {
    let doubled = Duration::from_secs(1 << attempt.saturating_sub(1).min(5));
    let asked = retry_after.and_then(|text| asked_wait(text.trim(), now)).unwrap_or_default();
    doubled.max(asked).min(limits::WEBHOOK_WAIT)
}

fn asked_wait(text: &str, now: &Moment) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // Digits beyond the range of the type ask for more than the longest wait anyway.
        return Some(text.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let date = Moment::from_system(httpdate::parse_http_date(text).ok()?);
    let seconds = u64::try_from(date.unix_seconds() - now.unix_seconds()).ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_700_000_000;

    #[test]
    fn each_status_has_its_verdict() {
        for (status, expected) in [
            (200, Verdict::Delivered),
            (204, Verdict::Delivered),
            (299, Verdict::Delivered),
            (300, Verdict::Failed),
            (302, Verdict::Failed),
            (308, Verdict::Failed),
            (400, Verdict::Failed),
            (404, Verdict::Failed),
            (408, Verdict::Retry),
            (410, Verdict::Failed),
            (425, Verdict::Retry),
            (426, Verdict::Failed),
            (429, Verdict::Retry),
            (500, Verdict::Retry),
            (503, Verdict::Retry),
            (599, Verdict::Retry),
            (600, Verdict::Failed),
        ] {
            assert_eq!(judge(status), expected, "{status}");
        }
    }

    #[track_caller]
    fn check(attempt: u32, retry_after: Option<&str>, seconds: u64) {
        let waited = pause(attempt, retry_after, &Moment::from_unix(NOW));
        assert_eq!(waited, Duration::from_secs(seconds), "{attempt} {retry_after:?}");
    }

    #[test]
    fn waits_double_and_are_raised_but_clamped() {
        for (attempt, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8)] {
            check(attempt, None, seconds);
        }
        check(1, Some("7"), 7);
        check(4, Some(" 3 "), 8);
        check(1, Some("0"), 1);
        check(1, Some("30"), 30);
        check(1, Some("31"), 30);
        check(1, Some("99999999999999999999999"), 30);
        for nonsense in ["", "-5", "1.5", "soon", "+9"] {
            check(1, Some(nonsense), 1);
        }
        check(1, Some("Tue, 14 Nov 2023 22:13:32 GMT"), 12);
        check(1, Some("Tue, 14 Nov 2023 23:13:20 GMT"), 30);
        check(2, Some("Tue, 14 Nov 2023 22:13:00 GMT"), 2);
    }

    proptest! {
        #[test]
        fn a_wait_is_never_longer_than_the_longest(attempt in any::<u32>(), asked in ".{0,24}") {
            let waited = pause(attempt, Some(&asked), &Moment::from_unix(NOW));
            prop_assert!(waited >= Duration::from_secs(1) && waited <= limits::WEBHOOK_WAIT);
        }
    }
}
