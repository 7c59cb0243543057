//! Older states kept next to the library: a copy now and then, the newest five.
//!
//! A snapshot is a copy of what a fold has just written, taken when the newest one is ten minutes
//! old or fewer than five exist. Names are `<UTC stamp>-<8 hex>.json`, the digits counting up with
//! the revision, so that names sort by age also within one second.

use std::io::{self, Write};

use super::options::{Options, Paths};
use crate::{
    base::Moment,
    files::{DiskError, Files},
};

/// Snapshots kept.
const KEPT: usize = 5;
/// Seconds between two snapshots once there are [`KEPT`].
const APART: i64 = 600;

/// The name of a snapshot of this revision taken now: new, and last in order.
pub(super) fn next_name(options: &Options, revision: u64) -> Result<String, DiskError> {
    Ok(name_after(&names(options)?, &(options.now)(), revision))
}

fn name_after(names: &[String], now: &Moment, revision: u64) -> String {
    let stamp = now.utc_compact();
    let number = |name: &String| {
        let digits = name.strip_prefix(&stamp)?.strip_prefix('-')?.strip_suffix(".json")?;
        u64::from_str_radix(digits, 16).ok()
    };
    let newest = names.iter().filter_map(number).max();
    let number = newest.map_or(revision, |newest| revision.max(newest.saturating_add(1)));
    format!("{stamp}-{:08x}.json", number.min(u64::from(u32::MAX)))
}

/// The names of all snapshots, oldest first.
pub(super) fn names(options: &Options) -> Result<Vec<String>, DiskError> {
    names_in(&options.files, &options.paths)
}

/// As [`names`].
pub(super) fn names_in(files: &Files, paths: &Paths) -> Result<Vec<String>, DiskError> {
    let mut names = files.list(&paths.snapshots)?;
    names.retain(|name| name.strip_suffix(".json").is_some_and(|stem| !stem.starts_with('.')));
    Ok(names)
}

/// Takes a snapshot when one is due. A failure is logged; the library is safe.
pub(super) fn take_if_due(
    options: &Options,
    revision: u64,
    content: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) {
    let taken = names(options).and_then(|names| {
        if !is_due(&names, &(options.now)()) {
            return Ok(());
        }
        options.files.private_dir(&options.paths.snapshots)?;
        let path = options.paths.snapshots.join(next_name(options, revision)?);
        options.files.replace_with(&path, content)
    });
    if let Err(error) = taken {
        log::warn!("no snapshot of the library was taken: {error}");
    }
    prune(options);
}

/// Removes all but the newest snapshots.
pub(super) fn prune(options: &Options) {
    let pruned = names(options).and_then(|names| {
        let surplus = names.len().saturating_sub(KEPT);
        names[..surplus]
            .iter()
            .try_for_each(|name| options.files.remove(&options.paths.snapshots.join(name)))
    });
    if let Err(error) = pruned {
        log::warn!("old snapshots of the library were not removed: {error}");
    }
}

fn is_due(names: &[String], now: &Moment) -> bool {
    let Some(newest) = names.last().filter(|_| names.len() >= KEPT) else { return true };
    let taken = newest.split('-').next().and_then(Moment::parse);
    // A name of the future or of another form does not hold up the next snapshot.
    taken.is_none_or(|taken| {
        let age = now.unix_seconds() - taken.unix_seconds();
        !(0..APART).contains(&age)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(age: i64, count: i64, expected: bool) {
        let now = 1_700_000_000;
        let names: Vec<String> = (0..count)
            .map(|number| {
                let taken = Moment::from_unix(now - age - 1000 * (count - 1 - number));
                name_after(&[], &taken, 7)
            })
            .collect();
        assert_eq!(is_due(&names, &Moment::from_unix(now)), expected, "{age} s, {count}");
    }

    #[test]
    fn names_sort_by_age_within_a_second() {
        let now = Moment::from_unix(1_700_000_000);
        let mut names = Vec::new();
        for revision in [9, 9, 10, 300, 4] {
            names.push(name_after(&names, &now, revision));
        }
        assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
        assert_eq!(names[0], "20231114T221320Z-00000009.json");
    }

    #[test]
    fn due_while_few_and_then_every_ten_minutes() {
        check(0, 0, true);
        check(0, 4, true);
        check(0, 5, false);
        check(599, 5, false);
        check(600, 5, true);
        check(-50, 5, true);
    }
}
