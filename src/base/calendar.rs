//! Calendar days as numbers, for rules that count and compare days.

use jiff::civil::{Date, date};

use super::clock::Moment;

/// The day that has the number 0.
const FIRST: Date = date(1970, 1, 1);

/// A day of the calendar, without a time zone: days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

impl Day {
    /// Reads exactly `YYYY-MM-DD`; there is no year 0.
    pub fn parse(text: &str) -> Option<Self> {
        let is_spelled =
            text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        text.parse::<Date>().ok().filter(|day| is_spelled && day.year() > 0).map(Self::of)
    }

    /// The day of a moment in the time zone in which it was read.
    pub fn local(moment: &Moment) -> Self {
        Self::of(moment.zoned().date())
    }

    /// The day of a moment in UTC.
    pub fn utc(moment: &Moment) -> Self {
        let days = moment.unix_seconds().div_euclid(86_400);
        // OK because moments lie within the years -9999 to 9999.
        Self(i32::try_from(days).unwrap_or_default())
    }

    fn of(date: Date) -> Self {
        let span = date.since((jiff::Unit::Day, FIRST)).map(|span| span.get_days());
        Self(span.unwrap_or_default())
    }

    fn date(self) -> Date {
        FIRST.saturating_add(jiff::Span::new().days(self.0))
    }

    /// The day `days` days later.
    #[must_use]
    pub fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// `YYYY-MM-DD`.
    pub fn text(self) -> String {
        self.date().to_string()
    }

    /// Year.
    pub fn year(self) -> i32 {
        i32::from(self.date().year())
    }

    /// Month, 0 (January) to 11.
    pub fn month(self) -> usize {
        usize::try_from(self.date().month() - 1).unwrap_or_default()
    }

    /// Day of the week, 0 (Monday) to 6.
    pub fn weekday(self) -> usize {
        usize::try_from(self.date().weekday().to_monday_zero_offset()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        for (text, number) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-03-01", 11_017),
            ("2024-02-29", 19_782),
            ("2026-11-24", 20_781),
        ] {
            let day = Day::parse(text).expect("a day");
            assert_eq!((day.0, day.text()), (number, text.to_owned()));
        }
    }

    #[test]
    fn only_one_spelling_is_a_day() {
        for bad in [
            "",
            "2023-02-29",
            "0000-01-01",
            "2023-13-01",
            "20230101",
            "2023-1-01",
            "2023-01-01T00:00",
            "+023-01-01",
        ] {
            assert_eq!(Day::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn knows_year_month_and_weekday() {
        let day = Day::parse("2026-11-24").expect("a day");
        assert_eq!((day.year(), day.month(), day.weekday()), (2026, 10, 1));
        assert_eq!(day.plus(7).text(), "2026-12-01");
        assert_eq!(Day::utc(&Moment::from_unix(-1)).text(), "1969-12-31");
        assert_eq!(Day::local(&Moment::from_unix(86_400)).text(), "1970-01-02");
    }
}
