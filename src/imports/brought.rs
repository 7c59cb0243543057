//! Playtime from another program, imported once.
//!
//! An importer notes it in the incoming record; the merge turns the note into one entry of the playtime
//! that was entered by hand, which a user can change and delete like any other. The row remembers
//! the program, so that a later import, also after the entry was deleted, adds nothing.

use serde_json::{Value, json};

use crate::{base::Moment, model::Record};

/// The note in an incoming record: `{program, seconds, last_played}`. No row has it.
const NOTE: &str = "playtime_elsewhere";
/// The largest plausible playtime in seconds: a hundred years.
const MOST_SECONDS: u64 = 100 * 365 * 86_400;
/// The programs whose playtime a row has.
const PROGRAMS: &str = "playtime_programs";
/// Entries of playtime.
const ENTRIES: &str = "manual_sessions";

/// The local time of a last play that another program noted as `text`; blank when it is not a date, and for the epoch,
/// which programs write for "never".
pub fn last_play(text: &str) -> String {
    last_play_at(Moment::parse(text))
}

/// As [`last_play`] for a moment.
pub fn last_play_at(time: Option<Moment>) -> String {
    let time = time.filter(|time| time.unix_seconds() > 0);
    time.map(|time| time.local_iso()).unwrap_or_default()
}

/// Notes that a program counted this playtime; `last` is the local time of the last play, blank when
/// unknown. A time longer than a life is a broken counter.
pub fn note(record: &mut Record, program: &str, seconds: u64, last: &str) {
    let seconds = if seconds > MOST_SECONDS { 0 } else { seconds };
    if seconds > 0 || !last.is_empty() {
        let note = json!({"program": program, "seconds": seconds, "last_played": last});
        record.set(NOTE, note);
    }
}

/// Whether a field is the note.
pub fn is_note(field: &str) -> bool {
    field == NOTE
}

/// Adds what an incoming game notes to its row. Time that the row has already is not added again: both
/// programs counted it. `today` is the date of an entry without a last play.
pub fn settle(row: &mut Record, incoming: &Record, today: &str) {
    row.remove(NOTE);
    let Some(note) = incoming.get(NOTE) else { return };
    let text = |key: &str| note.get(key).and_then(Value::as_str).unwrap_or_default();
    let (program, last) = (text("program"), text("last_played"));
    if row.texts(PROGRAMS).any(|known| known == program) {
        return;
    }
    let seconds = note.get("seconds").and_then(Value::as_u64).unwrap_or(0);
    let entries = row.list(ENTRIES).to_vec();
    let known = entries.iter().filter_map(|entry| entry.get("seconds")?.as_u64());
    let known = known.fold(row.count("playtime_seconds"), u64::saturating_add);
    let left = seconds.saturating_sub(known);
    if left > 0 {
        let date = last.get(..10).unwrap_or(today);
        let remark = format!("Brought over from {program}");
        let entry = json!({"date": date, "note": remark, "seconds": left});
        row.set(ENTRIES, [entries, vec![entry]].concat());
        let programs: Vec<String> = row.texts(PROGRAMS).map(str::to_owned).collect();
        row.set(PROGRAMS, [programs, vec![program.to_owned()]].concat());
    }
    if row.is_blank("last_played") && !last.is_empty() {
        row.set("last_played", last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_and_broken_counters_say_nothing() {
        for never in ["0001-01-01T00:00:00", "0001-01-01T00:00:00+02:00", "", "x"] {
            assert_eq!(last_play(never), "", "{never}");
        }
        assert_eq!(last_play("2024-01-31T20:00:00"), "2024-01-31T20:00:00");
        for (seconds, is_noted) in [(u64::MAX, false), (MOST_SECONDS, true), (0, false)] {
            let mut record = Record::default();
            note(&mut record, "Playnite", seconds, "");
            assert_eq!(record.get(NOTE).is_some(), is_noted, "{seconds}");
        }
    }

    #[test]
    fn playtime_of_a_program_is_added_once_and_never_twice_counted() {
        let mut incoming = Record::default();
        note(&mut incoming, "Steam", 7_200, "2024-01-31T20:00:00");
        let mut row = incoming.clone();
        row.set("playtime_seconds", 3_600);
        settle(&mut row, &incoming, "2026-01-01");
        let entry =
            json!({"date": "2024-01-31", "note": "Brought over from Steam", "seconds": 3_600});
        assert_eq!(row.list(ENTRIES), [entry]);
        assert_eq!(row.text("last_played"), "2024-01-31T20:00:00");
        assert!(row.get(NOTE).is_none());
        let before = row.clone();
        settle(&mut row, &incoming, "2026-01-01");
        assert_eq!(row, before, "once");
        row.set(ENTRIES, json!([]));
        settle(&mut row, &incoming, "2026-01-01");
        assert!(row.list(ENTRIES).is_empty(), "a deleted entry is not added again");
        let mut other = Record::default();
        note(&mut other, "Lutris", 9_000, "");
        settle(&mut row, &other, "2026-01-01");
        assert_eq!(row.list(ENTRIES)[0]["seconds"], 5_400);
        assert_eq!(row.list(ENTRIES)[0]["date"], "2026-01-01");
        note(&mut incoming, "GOG", 0, "");
        let mut plain = Record::default();
        settle(&mut plain, &Record::default(), "2026-01-01");
        assert_eq!(plain, Record::default());
    }
}
