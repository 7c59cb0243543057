//! When the program checks the whole library by itself.

use crate::base::Moment;

const DAY: i64 = 24 * 60 * 60;

/// When a look may begin by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The program has just started.
    Start,
    /// An hour has passed.
    Hour,
}

/// Whether a look is due. `rescan` is the setting `health_rescan`, `last` the time of the last one.
///
/// The first look of all waits for the first hour, so that a start is never held up by it.
pub fn is_due(rescan: &str, last: Option<&Moment>, occasion: Occasion, now: &Moment) -> bool {
    let period = match rescan {
        "on_startup" => return occasion == Occasion::Start,
        "daily" => DAY,
        "weekly" => 7 * DAY,
        _ => return false,
    };
    match last {
        None => occasion == Occasion::Hour,
        Some(last) => {
            let age = now.unix_seconds() - last.unix_seconds();
            // A time of tomorrow was read from a clock that was wrong.
            !(-DAY..period).contains(&age)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rescan: &str, age: Option<i64>, at_start: bool, at_hour: bool) {
        let now = Moment::from_unix(1_800_000_000);
        let last = age.map(|age| Moment::from_unix(now.unix_seconds() - age));
        let due = |occasion| is_due(rescan, last.as_ref(), occasion, &now);
        assert_eq!(
            (due(Occasion::Start), due(Occasion::Hour)),
            (at_start, at_hour),
            "{rescan} {age:?}"
        );
    }

    #[test]
    fn a_look_is_due_by_the_age_of_the_last_one() {
        check("daily", None, false, true);
        check("daily", Some(DAY - 1), false, false);
        check("daily", Some(DAY), true, true);
        check("weekly", Some(7 * DAY - 1), false, false);
        check("weekly", Some(7 * DAY), true, true);
        check("weekly", Some(-DAY), false, false);
        check("weekly", Some(-DAY - 1), true, true);
        check("on_startup", Some(0), true, false);
        check("on_startup", None, true, false);
        check("off", Some(99 * DAY), false, false);
    }
}
