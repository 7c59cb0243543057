//! A record of the household: a member, a challenge, a result or a share, as it was once written.
//!
//! It never changes. Its id is the hash of everything else in it, so records of other devices are as
//! good as own ones. What a record must hold is checked here, for all of them.

use serde_json::{Map, Value};

use crate::{
    base::{Moment, named::named},
    mounted::{canonical, graph::Node},
};

/// The version of the form.
pub const FORMAT: u64 = 1;
/// Bytes of a record.
pub const BYTES: usize = 128 << 10;
/// Records of one household.
pub const RECORDS: usize = 10_000;
/// Records that one record follows.
const PARENTS: usize = 256;
/// Characters of an id.
pub const ID_CHARS: usize = 256;
/// The largest number in a record.
pub const LARGEST: u64 = 2_000_000_000;
/// Longest texts, in characters.
pub const NAME_CHARS: usize = 80;
pub const COLOR_CHARS: usize = 48;
pub const TITLE_CHARS: usize = 160;
pub const DESCRIPTION_CHARS: usize = 2_000;
pub const NOTE_CHARS: usize = 500;
pub const TIME_CHARS: usize = 80;
/// Members that a challenge is for.
pub const PARTICIPANTS: usize = 128;

/// What a challenge may be about.
pub const METRICS: [&str; 6] =
    ["completions", "finished", "playtime_seconds", "ach_count", "achievements", "wins"];
/// What a challenge may be.
pub const STATUSES: [&str; 5] = ["open", "active", "closed", "cancelled", "completed"];
/// The periods of shares and leaderboards.
pub const PERIODS: [&str; 4] = ["daily", "weekly", "monthly", "all_time"];
/// The numbers of a share.
pub const STATS: [&str; 6] =
    ["playtime_seconds", "completions", "ach_count", "games_played", "sessions", "wins"];

named! {
    /// What a record is about.
    pub enum Kind {
        /// A member of the household.
        Member = "member",
        /// A challenge.
        Challenge = "challenge",
        /// What a member reached in a challenge.
        Result = "challenge_result",
        /// Statistics that a member shares.
        Share = "share",
    }
}

/// Why something is not a record; the sentence names the key that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RecordError(pub String);

fn wrong<T>(sentence: impl Into<String>) -> Result<T, RecordError> {
    Err(RecordError(sentence.into()))
}

/// A record that was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its id.
    pub id: String,
    /// Its subject.
    pub kind: Kind,
    /// The key of all records about the same thing.
    pub key: String,
    /// The device that wrote it.
    pub device: String,
    /// Counted up by that device.
    pub sequence: u64,
    /// When, in microseconds since the Unix epoch.
    pub at: i64,
    parents: Vec<String>,
    value: Map<String, Value>,
}

impl Node for Record {
    fn key(&self) -> &str {
        &self.key
    }

    fn parents(&self) -> &[String] {
        &self.parents
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }
}

impl Record {
    /// Checks a value from outside.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn read(value: &Value) -> Result<Self, RecordError> {
        let Some(map) = value.as_object() else { return wrong("A record must be an object.") };
        let mut map = map.clone();
        for (alias, name) in [("record_id", canonical::ID), ("record_key", "sync_key")] {
            if let Some(value) = map.remove(alias)
                && map.insert(name.to_owned(), value).is_some()
            {
                return wrong(format!("A record has {name} twice."));
            }
        }
        let is_known = |key: &str| {
            matches!(
                key,
                "format"
                    | "event_id"
                    | "device_id"
                    | "sequence"
                    | "created_at"
                    | "sync_key"
                    | "kind"
                    | "parents"
                    | "payload"
                    | "tombstone"
            )
        };
        if let Some(unknown) = map.keys().find(|key| !is_known(key)) {
            let shown: String = unknown.chars().take(40).collect();
            return wrong(format!("A record has no key {shown:?}."));
        }
        if map.get("format").and_then(Value::as_u64) != Some(FORMAT) {
            return wrong("format must be 1.");
        }
        let device = required_id(&map, "device_id")?;
        let sequence = map.get("sequence").and_then(Value::as_u64).filter(|number| *number >= 1);
        let Some(sequence) = sequence else { return wrong("sequence must be an integer >= 1.") };
        let at = match map.get("created_at").and_then(Value::as_str).and_then(zoned) {
            Some(at) => at.unix_micros(),
            None => return wrong("created_at must be a time with a zone."),
        };
        let kind = map.get("kind").and_then(Value::as_str).and_then(Kind::named);
        let Some(kind) = kind else { return wrong("kind is not known.") };
        let parents = parents(map.get("parents"))?;
        let key = map.get("sync_key").and_then(Value::as_str).unwrap_or("").to_owned();
        match (map.get("payload"), map.get("tombstone")) {
            (Some(Value::Object(payload)), None) => {
                check_payload(kind, payload)?;
                if key != key_of(kind, payload) {
                    return wrong("sync_key does not fit the payload.");
                }
            }
            (None, Some(Value::Bool(true))) if is_key_of(kind, &key) => {}
            (None, Some(Value::Bool(true))) => return wrong("sync_key does not fit the kind."),
            _ => return wrong("A record has either a payload or tombstone: true."),
        }
        let text = canonical::text(&map);
        if text.len() > BYTES {
            return wrong("A record must not be larger than 128 KiB.");
        }
        let id = canonical::id_of(&map);
        if map.get(canonical::ID).and_then(Value::as_str) != Some(id.as_str()) {
            return wrong("event_id is not the hash of the record.");
        }
        Ok(Self { id, kind, key, device, sequence, at, parents, value: map })
    }

    /// Writes a record; `parents` are sorted.
    ///
    /// # Errors
    /// As [`Record::read`].
    pub fn write(
        kind: Kind,
        payload: Map<String, Value>,
        (device, sequence): (&str, u64),
        parents: Vec<String>,
        now: &Moment,
    ) -> Result<Self, RecordError> {
        let mut map = Map::from_iter([
            ("format".to_owned(), FORMAT.into()),
            ("device_id".to_owned(), device.into()),
            ("sequence".to_owned(), sequence.into()),
            ("created_at".to_owned(), now.utc_iso().into()),
            ("sync_key".to_owned(), key_of(kind, &payload).into()),
            ("kind".to_owned(), kind.name().into()),
            ("parents".to_owned(), parents.into()),
            ("payload".to_owned(), Value::Object(payload)),
        ]);
        map.insert(canonical::ID.to_owned(), canonical::id_of(&map).into());
        Self::read(&Value::Object(map))
    }

    /// The record as it is exchanged.
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// The record as a file: canonical, with a line feed.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = canonical::text(&self.value);
        bytes.push(b'\n');
        bytes
    }

    /// Its content; `None` when it removes its thing.
    pub fn payload(&self) -> Option<&Map<String, Value>> {
        self.value.get("payload").and_then(Value::as_object)
    }

    /// A text or number of the payload as an id; empty when it is missing.
    pub fn id_text(&self, name: &str) -> String {
        self.payload().and_then(|payload| id_of(payload.get(name)?)).unwrap_or_default()
    }

    /// A text of the payload; empty when it is missing.
    pub fn text(&self, name: &str) -> &str {
        self.payload().and_then(|payload| payload.get(name)?.as_str()).unwrap_or("")
    }

    /// A number of the payload; 0 when it is missing.
    pub fn number(&self, name: &str) -> u64 {
        self.payload().and_then(|payload| payload.get(name)?.as_u64()).unwrap_or(0)
    }

    /// Whether a switch of the payload is on.
    pub fn flag(&self, name: &str) -> bool {
        self.payload().and_then(|payload| payload.get(name)?.as_bool()).unwrap_or(false)
    }

    /// A time of the payload.
    pub fn time(&self, name: &str) -> Option<Moment> {
        zoned(self.text(name))
    }

    /// The order of two records about the same thing, of which none follows the other: the greater is current.
    pub fn rank(&self) -> (i64, u64, &str, &str) {
        (self.at, self.sequence, &self.device, &self.id)
    }
}

/// A time with its zone.
pub fn zoned(text: &str) -> Option<Moment> {
    let time = text.get(10..).unwrap_or("");
    let has_zone = time.contains(['Z', 'z', '+', '-']);
    if text.chars().count() > TIME_CHARS || !has_zone { None } else { Moment::parse_utc(text) }
}

/// A text or whole number as an id: trimmed, 1 to 256 characters, no control characters.
pub fn id_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) if number.is_i64() || number.is_u64() => number.to_string(),
        _ => return None,
    };
    let is_id =
        (1..=ID_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    is_id.then_some(text)
}

fn required_id(map: &Map<String, Value>, name: &str) -> Result<String, RecordError> {
    let id = map.get(name).and_then(id_of);
    id.ok_or_else(|| RecordError(format!("{name} must be an id of 1 to 256 characters.")))
}

fn parents(value: Option<&Value>) -> Result<Vec<String>, RecordError> {
    let list = value.and_then(Value::as_array).filter(|list| list.len() <= PARENTS);
    let ids = list.map(|list| list.iter().map(Value::as_str).collect::<Option<Vec<&str>>>());
    let Some(Some(ids)) = ids else { return wrong("parents must be a list of at most 256 ids.") };
    let is_sorted = ids.is_sorted_by(|a, b| a < b);
    if !is_sorted || !ids.iter().all(|id| canonical::is_id(id)) {
        return wrong("parents must be sorted ids, each once.");
    }
    Ok(ids.into_iter().map(str::to_owned).collect())
}

/// The key of what a payload is about.
fn key_of(kind: Kind, payload: &Map<String, Value>) -> String {
    let id = |name: &str| payload.get(name).and_then(id_of).unwrap_or_default();
    match kind {
        Kind::Member => member_key(&id("member_id")),
        Kind::Challenge => challenge_key(&id("challenge_id")),
        Kind::Result => format!("challenge_result:{}:{}", id("challenge_id"), id("member_id")),
        Kind::Share => format!("share:{}", id("share_id")),
    }
}

/// The key of a member.
pub fn member_key(member: &str) -> String {
    format!("member:{member}")
}

/// The key of a challenge.
pub fn challenge_key(challenge: &str) -> String {
    format!("challenge:{challenge}")
}

fn is_key_of(kind: Kind, key: &str) -> bool {
    let id = key.strip_prefix(kind.name()).and_then(|rest| rest.strip_prefix(':'));
    let most = 2 * ID_CHARS + 1;
    id.is_some_and(|id| {
        (1..=most).contains(&id.chars().count()) && !id.chars().any(char::is_control)
    })
}

/// What a key of a payload holds.
#[derive(Clone, Copy)]
enum Holds {
    Id,
    /// Text with a least and a greatest number of characters.
    Text(usize, usize),
    /// A number of at least this.
    Number(u64),
    Flag,
    Time,
    OneOf(&'static [&'static str]),
    Ids,
    Stats,
}

/// The keys of the payload of a kind, and whether each must be there.
fn keys_of(kind: Kind) -> &'static [(&'static str, Holds, bool)] {
    match kind {
        Kind::Member => &[
            ("member_id", Holds::Id, true),
            ("display_name", Holds::Text(1, NAME_CHARS), true),
            ("avatar_color", Holds::Text(1, COLOR_CHARS), true),
            ("stats_shared", Holds::Flag, false),
        ],
        Kind::Challenge => &[
            ("challenge_id", Holds::Id, true),
            ("title", Holds::Text(1, TITLE_CHARS), true),
            ("metric", Holds::OneOf(&METRICS), true),
            ("target", Holds::Number(1), true),
            ("created_by", Holds::Id, true),
            ("description", Holds::Text(0, DESCRIPTION_CHARS), false),
            ("game_id", Holds::Id, false),
            ("deadline", Holds::Time, false),
            ("participant_ids", Holds::Ids, false),
            ("status", Holds::OneOf(&STATUSES), false),
        ],
        Kind::Result => &[
            ("challenge_id", Holds::Id, true),
            ("member_id", Holds::Id, true),
            ("value", Holds::Number(0), true),
            ("completed", Holds::Flag, false),
            ("completed_at", Holds::Time, false),
            ("game_id", Holds::Id, false),
            ("note", Holds::Text(0, NOTE_CHARS), false),
        ],
        Kind::Share => &[
            ("share_id", Holds::Id, true),
            ("member_id", Holds::Id, true),
            ("period", Holds::OneOf(&PERIODS), true),
            ("stats", Holds::Stats, true),
            ("window_start", Holds::Time, false),
            ("window_end", Holds::Time, false),
        ],
    }
}

fn check_payload(kind: Kind, payload: &Map<String, Value>) -> Result<(), RecordError> {
    let keys = keys_of(kind);
    if let Some(unknown) = payload.keys().find(|key| !keys.iter().any(|(name, ..)| name == key)) {
        let shown: String = unknown.chars().take(40).collect();
        return wrong(format!("The payload of a {} has no key {shown:?}.", kind.name()));
    }
    for (name, holds, is_required) in keys {
        match payload.get(*name) {
            None if *is_required => return wrong(format!("{name} is required.")),
            None => {}
            Some(value) => check_value(name, *holds, value)?,
        }
    }
    Ok(())
}

fn check_value(name: &str, holds: Holds, value: &Value) -> Result<(), RecordError> {
    let is_number = |value: &Value, least: u64| {
        value.as_u64().is_some_and(|number| (least..=LARGEST).contains(&number))
    };
    let (is_good, rule) = match holds {
        Holds::Id => (id_of(value).is_some(), "an id of 1 to 256 characters".to_owned()),
        Holds::Text(least, most) => {
            let length = value.as_str().map(|text| text.trim().chars().count());
            let is_good = length.is_some_and(|length| (least..=most).contains(&length));
            (is_good, format!("a text of {least} to {most} characters"))
        }
        Holds::Number(least) => {
            (is_number(value, least), format!("an integer from {least} to {LARGEST}"))
        }
        Holds::Flag => (value.is_boolean(), "true or false".to_owned()),
        Holds::Time => (value.as_str().and_then(zoned).is_some(), "a time with a zone".to_owned()),
        Holds::OneOf(known) => {
            let is_good = value.as_str().is_some_and(|text| known.contains(&text));
            (is_good, format!("one of {}", known.join(", ")))
        }
        Holds::Ids => {
            let ids = value.as_array().filter(|list| list.len() <= PARTICIPANTS);
            let ids: Option<Vec<String>> = ids.and_then(|list| list.iter().map(id_of).collect());
            let is_good = ids.is_some_and(|mut ids| {
                let count = ids.len();
                ids.sort_unstable();
                ids.dedup();
                ids.len() == count
            });
            (is_good, format!("a list of at most {PARTICIPANTS} ids, each once"))
        }
        Holds::Stats => {
            let is_good = value.as_object().is_some_and(|stats| {
                stats
                    .iter()
                    .all(|(key, value)| STATS.contains(&key.as_str()) && is_number(value, 0))
            });
            (is_good, format!("an object of integers from 0 to {LARGEST}: {}", STATS.join(", ")))
        }
    };
    if is_good { Ok(()) } else { wrong(format!("{name} must be {rule}.")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sealed(mut value: Value) -> Value {
        let id = canonical::id_of(value.as_object().expect("an object"));
        value["event_id"] = id.into();
        value
    }

    fn member() -> Value {
        json!({"format": 1, "device_id": "d", "sequence": 1, "created_at": "2026-01-02T03:04:05Z",
            "sync_key": "member:m", "kind": "member", "parents": [],
            "payload": {"member_id": "m", "display_name": "Mia", "avatar_color": "blue"}})
    }

    fn with(pointer: &str, value: Value) -> Value {
        let mut record = member();
        let (parent, key) = pointer.rsplit_once('/').expect("a path");
        record.pointer_mut(parent).expect("there")[key] = value;
        sealed(record)
    }

    #[test]
    fn a_record_is_what_its_hash_says() {
        let value = sealed(member());
        let record = Record::read(&value).expect("a record");
        assert_eq!((record.key.as_str(), record.sequence), ("member:m", 1));
        assert_eq!(Value::Object(record.value().clone()), value);
        let mut aliased = value.clone();
        let map = aliased.as_object_mut().expect("an object");
        for (alias, name) in [("record_id", "event_id"), ("record_key", "sync_key")] {
            let value = map.remove(name).expect("there");
            map.insert(alias.to_owned(), value);
        }
        assert_eq!(Record::read(&aliased), Ok(record));
        let mut changed = value;
        changed["sequence"] = 2.into();
        let error = Record::read(&changed).expect_err("another hash");
        assert_eq!(error.0, "event_id is not the hash of the record.");
    }

    #[test]
    fn each_key_has_its_rule() {
        let long = "x".repeat(257);
        let hex = "0".repeat(64);
        for (pointer, value) in [
            ("/format", json!(2)),
            ("/device_id", json!("")),
            ("/device_id", json!(long)),
            ("/device_id", json!("a\nb")),
            ("/sequence", json!(0)),
            ("/sequence", json!(1.5)),
            ("/created_at", json!("2026-01-02T03:04:05")),
            ("/created_at", json!("soon")),
            ("/kind", json!("guest")),
            ("/sync_key", json!("member:other")),
            ("/parents", json!(null)),
            ("/parents", json!(["x"])),
            ("/parents", json!([hex, hex])),
            ("/tombstone", json!(true)),
            ("/more", json!(1)),
            ("/payload", json!([])),
            ("/payload/display_name", json!("")),
            ("/payload/display_name", json!("x".repeat(81))),
            ("/payload/avatar_color", json!("x".repeat(49))),
            ("/payload/stats_shared", json!("yes")),
            ("/payload/more", json!(1)),
        ] {
            assert!(Record::read(&with(pointer, value.clone())).is_err(), "{pointer} {value}");
        }
        for (pointer, value) in [
            ("/device_id", json!(7)),
            ("/created_at", json!("2026-01-02T03:04:05.123456+02:00")),
            ("/parents", json!([hex])),
            ("/payload/display_name", json!("ü".repeat(80))),
            ("/payload/stats_shared", json!(true)),
        ] {
            assert!(Record::read(&with(pointer, value.clone())).is_ok(), "{pointer} {value}");
        }
        assert!(Record::read(&json!([])).is_err());
    }

    #[test]
    fn a_tombstone_has_the_key_of_its_kind() {
        let mut record = member();
        record.as_object_mut().expect("an object").remove("payload");
        record["tombstone"] = true.into();
        assert!(Record::read(&sealed(record.clone())).expect("a record").payload().is_none());
        record["sync_key"] = "share:m".into();
        assert!(Record::read(&sealed(record.clone())).is_err());
        record["sync_key"] = "member:".into();
        assert!(Record::read(&sealed(record)).is_err());
    }

    #[test]
    fn payloads_are_bounded() {
        let now = Moment::from_unix(0);
        let write = |kind, payload: Value| {
            let payload = payload.as_object().cloned().unwrap_or_default();
            Record::write(kind, payload, ("d", 1), Vec::new(), &now).map(drop)
        };
        let challenge = |more: Value| {
            let mut payload = json!({"challenge_id": "c", "title": "T", "metric": "wins", "target": 1, "created_by": "d"});
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            write(Kind::Challenge, payload)
        };
        for good in [
            json!({"target": LARGEST}),
            json!({"participant_ids": (0..128).collect::<Vec<_>>()}),
            json!({"deadline": "2030-01-01T00:00:00Z", "status": "closed", "description": ""}),
        ] {
            assert_eq!(challenge(good.clone()), Ok(()), "{good}");
        }
        for bad in [
            json!({"target": LARGEST + 1}),
            json!({"target": 0}),
            json!({"metric": "luck"}),
            json!({"status": "gone"}),
            json!({"deadline": "2030-01-01"}),
            json!({"participant_ids": ["a", "a"]}),
            json!({"participant_ids": (0..129).collect::<Vec<_>>()}),
            json!({"description": "x".repeat(2_001)}),
            json!({"title": "x".repeat(161)}),
        ] {
            assert!(challenge(bad.clone()).is_err(), "{bad}");
        }
        let share = |stats: Value| {
            let share =
                json!({"share_id": "s", "member_id": "m", "period": "daily", "stats": stats});
            write(Kind::Share, share)
        };
        assert_eq!(share(json!({"wins": 0, "sessions": LARGEST})), Ok(()));
        assert!(share(json!({"wins": -1})).is_err() && share(json!({"luck": 1})).is_err());
        let result =
            json!({"challenge_id": "c", "member_id": 5, "value": 0, "note": "x".repeat(501)});
        assert!(write(Kind::Result, result).is_err());
    }
}
