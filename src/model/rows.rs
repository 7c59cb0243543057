//! The typed rows of the state's sections. Keys a row does not name stay with it.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::loose::{LooseFlag, LooseNumber, LooseText};
use crate::base::schema::schema;

/// A row type that fills one section of the state, a list under one top-level key.
pub trait Row: Serialize + DeserializeOwned {
    /// The top-level key of the section in `library.json`.
    const SECTION: &'static str;
    /// Whether a value of another type reads as one that is not set. Otherwise it makes its row none.
    const IS_LOOSE: bool = true;
}

schema! {
    /// One finished session (section `history`, oldest first; older rows are archived).
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct HistoryRow {
        /// Name of the game when it was played.
        pub game: String,
        /// Stable id of the game; empty in rows of old libraries.
        pub game_id: String,
        /// Local time of the start.
        pub started: String,
        /// Seconds from the start to the end, pauses too, without sleep; at least 1.
        pub seconds: u64,
        /// Exit code of the process; `-n` when a signal `n` ended it.
        pub exit_code: i64,
        /// Everything else the row carries.
        #[serde(flatten)]
        pub more: Map<String, Value>,
    }
}

impl Row for HistoryRow {
    const SECTION: &'static str = "history";
    /// A session of which nobody knows how long it was says nothing.
    const IS_LOOSE: bool = false;
}

/// A session that was running when this was written (section `active_sessions`). A value of another type
/// reads as one that is not set, so that no odd row hides a game that runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActiveSession {
    /// Stable id of the game.
    #[serde(deserialize_with = "text")]
    pub game_id: String,
    /// Id of the launch.
    #[serde(deserialize_with = "text")]
    pub launch_id: String,
    /// Process id of the started program.
    #[serde(deserialize_with = "process_id")]
    pub pid: i32,
    /// Its process group.
    #[serde(deserialize_with = "process_id")]
    pub pgid: i32,
    /// Kernel start time of the process, field 22 of its `stat`, in clock ticks since boot.
    #[serde(deserialize_with = "count")]
    pub proc_start_time: u64,
    /// The first 100 characters of its command line.
    #[serde(deserialize_with = "text")]
    pub command_fingerprint: String,
    /// Local time of the start.
    #[serde(deserialize_with = "text")]
    pub start_time: String,
    /// Seconds played when the row was last written.
    #[serde(deserialize_with = "count")]
    pub seconds: u64,
    /// Name of the game when it was started.
    #[serde(deserialize_with = "text")]
    pub name: String,
    /// The boot of the machine it was started in; empty in rows of old libraries.
    #[serde(deserialize_with = "text")]
    pub boot_id: String,
    /// Milliseconds of uptime, sleep left out, when the row was last written.
    #[serde(deserialize_with = "count")]
    pub uptime_ms: u64,
    /// Whether the user had paused it then.
    #[serde(deserialize_with = "flag")]
    pub paused: bool,
    /// The launch profile that was used; the platform when none was named.
    #[serde(deserialize_with = "text")]
    pub effective_profile: String,
    /// Name of the performance profile whose power limit is in force; empty for none.
    #[serde(deserialize_with = "text")]
    pub perf_profile: String,
    /// Watts to go back to when the session is over; 0 leaves the limit.
    #[serde(deserialize_with = "watts")]
    pub restore_tdp_w: f64,
    /// Folder of the archive cache the game was extracted to; empty for none.
    #[serde(deserialize_with = "text")]
    pub archive_key: String,
    /// `starting`, `active` or `abandoned`.
    #[serde(deserialize_with = "text")]
    pub status: String,
    /// Everything else the row carries.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Row for ActiveSession {
    const SECTION: &'static str = "active_sessions";
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(LooseText::deserialize(deserializer)?.0.into_owned())
}

fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(LooseNumber::deserialize(deserializer)?.count())
}

fn process_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    Ok(i32::try_from(count(deserializer)?).unwrap_or_default())
}

fn watts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(LooseNumber::deserialize(deserializer)?.0.unwrap_or_default())
}

fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(LooseFlag::deserialize(deserializer)?.0)
}

/// The key of a day in rows without a time.
const DATE: &str = "date";
/// A number from here on is not a length of time.
const MOST_SECONDS: f64 = 1e15;

/// A key of a session.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum HistoryKey {
    Game,
    GameId,
    Started,
    Seconds,
    ExitCode,
    Other(String),
}

/// By hand, because a history has many thousand rows and a derived one would collect each of them twice.
impl<'de> Deserialize<'de> for HistoryRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HistoryVisitor)
    }
}

struct HistoryVisitor;

impl<'de> Visitor<'de> for HistoryVisitor {
    type Value = HistoryRow;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a session")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HistoryRow, A::Error> {
        let mut row = HistoryRow::default();
        while let Some(key) = map.next_key()? {
            match key {
                HistoryKey::Game => row.game = read_text(&mut map)?,
                HistoryKey::GameId => row.game_id = read_text(&mut map)?,
                HistoryKey::Started => row.started = read_text(&mut map)?,
                HistoryKey::Seconds => {
                    let read = seconds(map.next_value()?);
                    row.seconds = read.ok_or_else(|| A::Error::custom("no length of time"))?;
                }
                HistoryKey::ExitCode => row.exit_code = exit_code(&map.next_value()?),
                HistoryKey::Other(name) => drop(row.more.insert(name, map.next_value()?)),
            }
        }
        if row.started.is_empty() {
            // Rows of other programs may have the day alone.
            row.started = row.more.get(DATE).and_then(Value::as_str).unwrap_or("").to_owned();
        }
        Ok(row)
    }
}

/// A text of a session; empty for another value.
fn read_text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<String, A::Error> {
    Ok(map.next_value::<LooseText<'de>>()?.0.into_owned())
}

/// Seconds of play; `None` for what is not a length of time. Other programs leave them out or write a text,
/// and fractions do not count.
fn seconds(value: Option<LooseNumber>) -> Option<u64> {
    let Some(number) = value else { return Some(0) };
    number.0.filter(|seconds| (0.0..MOST_SECONDS).contains(seconds)).map(|_| number.count())
}

/// Old rows hold the exit code as a list; its first element counts.
fn exit_code(value: &Value) -> i64 {
    let single = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    single.as_i64().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_keep_what_they_do_not_know() {
        let stored =
            json!({"game": "A", "started": "t", "seconds": 3, "exit_code": [2, "x"], "note": "n"});
        let row: HistoryRow = serde_json::from_value(stored).expect("a row");
        assert_eq!((row.exit_code, row.more["note"].as_str()), (2, Some("n")));
        let written = serde_json::to_value(&row).expect("json");
        assert_eq!(written["note"], "n");
        assert_eq!(written["exit_code"], 2);
    }

    #[test]
    fn rows_of_other_programs_are_understood_as_far_as_they_make_sense() {
        let read = |row: Value| serde_json::from_value::<HistoryRow>(row);
        for (stored, expected) in [
            (json!(90), 90),
            (json!(90.7), 90),
            (json!("90"), 90),
            (json!(" 90.5 "), 90),
            (json!(null), 0),
        ] {
            let row = read(json!({"game": "A", "seconds": stored})).expect("a row");
            assert_eq!(row.seconds, expected, "{stored}");
        }
        for bad in [
            json!(-1),
            json!(-0.5),
            json!("-1"),
            json!("x"),
            json!("NaN"),
            json!(1e300),
            json!([1]),
        ] {
            assert!(read(json!({"game": "A", "seconds": bad})).is_err(), "{bad}");
        }
        let row = read(json!({"game": "A", "game_id": null, "date": "2026-03-01"})).expect("a row");
        assert_eq!((row.game_id.as_str(), row.started.as_str()), ("", "2026-03-01"));
        let row = read(json!({"game_id": 7, "started": "s", "date": "d"})).expect("a row");
        assert_eq!((row.game_id.as_str(), row.started.as_str()), ("7", "s"));
        let row = read(json!({"game": [], "started": {}, "seconds": 5})).expect("a row");
        assert_eq!((row.game.as_str(), row.started.as_str(), row.seconds), ("", "", 5));
        for bad in [json!([]), json!("row"), json!(null)] {
            assert!(read(bad).is_err());
        }
    }

    #[test]
    fn a_session_with_values_of_other_types_is_read() {
        let row = json!({"game_id": "g", "launch_id": "l", "pid": "12", "pgid": 12.0,
            "proc_start_time": "2671352", "perf_profile": null, "paused": "yes", "seconds": null,
            "status": "active", "own": [1]});
        let row: ActiveSession = serde_json::from_value(row).expect("a row");
        assert_eq!((row.pid, row.pgid, row.proc_start_time, row.seconds), (12, 12, 2_671_352, 0));
        assert_eq!((row.perf_profile.as_str(), row.paused), ("", false));
        assert_eq!(row.more["own"], json!([1]));
    }
}
