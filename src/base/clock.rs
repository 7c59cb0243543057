//! The time of day, local and UTC, and the shapes in which records write it.
//!
//! The only place that reads the system clock. Rules receive a [`Moment`]; they never ask for the
//! time themselves, so a test can hand them any.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::{
    Timestamp, Zoned,
    civil::DateTime,
    tz::{Offset, TimeZone},
};

/// One reading of the clock: an instant and the local time zone it was read in.
#[derive(Clone, Debug)]
pub struct Moment(Zoned);

impl Moment {
    /// Now, in the machine's time zone.
    pub fn now() -> Self {
        Self(Zoned::now())
    }

    /// The moment `seconds` after the Unix epoch, in UTC; out-of-range values clamp to the epoch. What becomes a local
    /// time is read with [`Moment::from_unix_local`].
    pub fn from_unix(seconds: i64) -> Self {
        Self(Timestamp::from_second(seconds).unwrap_or_default().to_zoned(TimeZone::UTC))
    }

    /// As [`Moment::from_unix`], in the machine's time zone.
    pub fn from_unix_local(seconds: i64) -> Self {
        Self(Self::from_unix(seconds).0.with_time_zone(TimeZone::system()))
    }

    /// The moment `micros` microseconds after the Unix epoch, in UTC; the last moment there is for a later one, and the
    /// epoch for one before the first.
    pub fn from_unix_micros(micros: i64) -> Self {
        let last = if micros > 0 { Timestamp::MAX } else { Timestamp::UNIX_EPOCH };
        Self(Timestamp::from_microsecond(micros).unwrap_or(last).to_zoned(TimeZone::UTC))
    }

    /// The moment of a file's modification time, in the machine's time zone.
    pub fn from_system(time: SystemTime) -> Self {
        Self(Timestamp::try_from(time).unwrap_or_default().to_zoned(TimeZone::system()))
    }

    /// Parses a stored time: ISO 8601 with offset or `Z`, or naive, which is read as local time. There is no
    /// year 0.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let local = match zoned(text) {
            Some(stamp) => stamp.to_zoned(TimeZone::system()),
            None => text.parse::<DateTime>().ok()?.to_zoned(TimeZone::system()).ok()?,
        };
        Some(Self(local)).filter(|moment| moment.0.year() > 0)
    }

    /// Parses a stored time like [`Moment::parse`], but reads a naive one as UTC.
    pub fn parse_utc(text: &str) -> Option<Self> {
        let text = text.trim();
        let naive = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
        let stamp = zoned(text).map(|stamp| stamp.to_zoned(TimeZone::UTC));
        stamp.or_else(naive).map(Self)
    }

    /// The Unix seconds of a stored time as [`Moment::parse_utc`] reads it.
    pub fn unix_utc(text: &str) -> Option<i64> {
        let text = text.trim();
        usual(text).or_else(|| Self::parse_utc(text).map(|moment| moment.unix_seconds()))
    }

    /// The last microsecond of a day of UTC, written `YYYY-MM-DD`; the last moment there is for a day that ends
    /// after it. There is no year 0.
    pub fn end_of_utc_day(text: &str) -> Option<Self> {
        let day: jiff::civil::Date = text.parse().ok().filter(|_| text.len() == 10)?;
        if day.year() < 1 {
            return None;
        }
        let end = day.at(23, 59, 59, 999_999_000).to_zoned(TimeZone::UTC);
        Some(Self(end.unwrap_or_else(|_| Timestamp::MAX.to_zoned(TimeZone::UTC))))
    }

    /// Local time without offset, to the second: `2026-11-21T18:04:05` (library records).
    pub fn local_iso(&self) -> String {
        self.0.strftime("%Y-%m-%dT%H:%M:%S").to_string()
    }

    /// UTC with offset and microseconds: `2026-11-21T18:04:05.123456+00:00` (jobs, journal).
    pub fn utc_iso(&self) -> String {
        self.utc().strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00").to_string()
    }

    /// UTC with offset, to the second: `2026-11-21T18:04:05+00:00` (trust in plugins).
    pub fn utc_iso_seconds(&self) -> String {
        self.utc().strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()
    }

    /// UTC compact stamp for file names: `20261121T180405Z`.
    pub fn utc_compact(&self) -> String {
        self.utc().strftime("%Y%m%dT%H%M%SZ").to_string()
    }

    /// The local calendar date `YYYY-MM-DD`.
    pub fn local_date(&self) -> String {
        self.0.strftime("%Y-%m-%d").to_string()
    }

    /// Formats local time with a `strftime` pattern; used for names of backup files.
    pub fn local_format(&self, pattern: &str) -> String {
        self.0.strftime(pattern).to_string()
    }

    /// Whole seconds since the Unix epoch.
    pub fn unix_seconds(&self) -> i64 {
        self.0.timestamp().as_second()
    }

    /// Milliseconds since the Unix epoch.
    pub fn unix_millis(&self) -> i64 {
        self.0.timestamp().as_millisecond()
    }

    /// Microseconds since the Unix epoch.
    pub fn unix_micros(&self) -> i64 {
        self.0.timestamp().as_microsecond()
    }

    pub(super) fn zoned(&self) -> &Zoned {
        &self.0
    }

    fn utc(&self) -> Zoned {
        self.0.with_time_zone(TimeZone::UTC)
    }
}

/// How long the machine has been awake since it was booted: a clock that is never set, that stands
/// still while the machine sleeps, and that two processes of one boot read alike.
pub fn awake() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    // OK because this clock counts up from zero.
    Duration::try_from(time).unwrap_or_default()
}

/// The age of a file time against now; zero when it lies in the future.
pub fn age_of(time: SystemTime) -> Duration {
    let now = Moment::now().unix_millis();
    let then = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let then = i64::try_from(then).unwrap_or(i64::MAX);
    Duration::from_millis(u64::try_from(now.saturating_sub(then)).unwrap_or(0))
}

/// A time with an offset or `Z`. A text that can have neither is not tried, because libraries are full of them.
fn zoned(text: &str) -> Option<Timestamp> {
    let has_zone =
        text.bytes().skip(10).any(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-' | b'['));
    has_zone.then(|| text.parse().ok())?
}

/// The Unix seconds of a time that is written like most in a library: `2026-11-21T18:04:05`, also with `Z`. Whole
/// libraries are read like this, and the parser of every shape takes several times as long.
fn usual(text: &str) -> Option<i64> {
    let digits: &[u8; 19] = text.strip_suffix('Z').unwrap_or(text).as_bytes().try_into().ok()?;
    let is_shaped = digits.iter().zip(b"0000-00-00T00:00:00").all(|(byte, shape)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    });
    // OK because each part has at most four digits.
    let number = |at: std::ops::Range<usize>| {
        digits[at].iter().fold(0_i16, |sum, digit| sum * 10 + i16::from(digit - b'0'))
    };
    let small = |at: usize| i8::try_from(number(at..at + 2)).ok();
    if !is_shaped {
        return None;
    }
    let (month, day) = (small(5)?, small(8)?);
    let (hour, minute, second) = (small(11)?, small(14)?, small(17)?);
    let time = DateTime::new(number(0..4), month, day, hour, minute, second, 0).ok()?;
    Offset::UTC.to_timestamp(time).ok().map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_the_three_shapes() {
        let moment = Moment::from_unix(1_700_000_000);
        assert_eq!(moment.local_iso(), "2023-11-14T22:13:20");
        assert_eq!(moment.utc_iso(), "2023-11-14T22:13:20.000000+00:00");
        assert_eq!(moment.utc_compact(), "20231114T221320Z");
    }

    #[test]
    fn the_awake_clock_counts_up() {
        let (before, after) = (awake(), awake());
        assert!(before > Duration::ZERO && after >= before);
    }

    #[test]
    fn reads_naive_offset_and_zulu() {
        let zulu = Moment::parse("2023-11-14T22:13:20Z").expect("zulu");
        let offset = Moment::parse("2023-11-14T23:13:20+01:00").expect("offset");
        assert_eq!(zulu.unix_seconds(), offset.unix_seconds());
        assert!(Moment::parse("2023-11-14T22:13:20").is_some());
        assert!(Moment::parse("yesterday").is_none());
    }

    #[test]
    fn seconds_are_those_of_the_moment() {
        for text in [
            "2026-11-21T18:04:05",
            "2026-11-21T18:04:05Z",
            " 2026-11-21T18:04:05 ",
            "1969-12-31T23:59:59",
            "0000-01-01T00:00:00",
            "9999-12-31T23:59:59",
            "2024-02-29T00:00:00",
            "2023-02-29T00:00:00",
            "2026-11-21T24:00:00",
            "2026-11-21T23:59:60",
            "2026-13-01T00:00:00",
            "2026-11-21T18:04",
            "2026-11-21T18:04:05.5",
            "2026-11-21 18:04:05",
            "2026-11-21T18:04:05+02:00",
            "2026-11-21T18:04:ö",
            "2026-11-21",
            "",
        ] {
            let expected = Moment::parse_utc(text).map(|moment| moment.unix_seconds());
            assert_eq!(Moment::unix_utc(text), expected, "{text}");
        }
    }

    #[test]
    fn a_day_ends_with_its_last_microsecond() {
        let end = Moment::end_of_utc_day("2023-11-14").expect("a day");
        assert_eq!(end.utc_iso(), "2023-11-14T23:59:59.999999+00:00");
        let last = Moment::end_of_utc_day("9999-12-31").expect("a day");
        assert!(
            last.unix_micros()
                > Moment::parse("9999-12-30T00:00:00Z").expect("a time").unix_micros()
        );
        let again = Moment::from_unix_micros(last.unix_micros());
        assert_eq!((again.utc_iso(), again.unix_micros()), (last.utc_iso(), last.unix_micros()));
        assert_eq!(Moment::from_unix_micros(i64::MAX).unix_micros(), last.unix_micros());
        assert_eq!(Moment::from_unix_micros(i64::MIN).unix_micros(), 0);
        for bad in [
            "0000-01-01",
            "",
            "2023-11",
            "2023-13-01",
            "2023-02-29",
            "20231114",
            "2023-11-14T00:00",
        ] {
            assert!(Moment::end_of_utc_day(bad).is_none(), "{bad}");
        }
    }
}
