//! Events as bytes: frames, each the events of one commit or a part of them.
//!
//! A frame is `<8 hex digits> <JSON head>`, a line break, a body and a line break. The checksum covers
//! head and body. The head holds what finds an event; the body is a JSON list with the rest of each,
//! compressed where it is large: neighbouring games resemble each other.

use std::io::{Read as _, Write as _};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::{
    catalog::Catalog,
    event::{Event, Kind, read_id},
};
use crate::base::{checksum::crc32, ids};

/// Events in one frame.
pub(super) const EVENTS: usize = 256;
/// Bodies from this size on are compressed.
const LARGE: usize = 2048;
/// How hard they are compressed: a first import writes one of these for each 256 games.
const LEVEL: u32 = 1;
/// Bytes of a body when it is unpacked: far above what 256 records that fit a request can hold.
const UNPACKED: u64 = 1 << 30;

/// The head of a frame besides its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mark {
    /// The file begins here.
    Begin,
    /// Everything up to the revision is recorded.
    Follows,
    /// Nothing is recorded from here on.
    Off,
}

/// The head of a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    /// The revision that is recorded when this frame is; in a part of a commit too.
    pub(super) revision: u64,
    /// When it was made, in microseconds since the Unix epoch.
    pub(super) at: i64,
    /// The library that recorded it.
    pub(super) device: String,
    /// The lineage of its library file then.
    pub(super) lineage: String,
    /// Sequence numbers, ids, keys and kinds of the events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) sequences: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) keys: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) kinds: String,
    /// Whether the next frame holds more of the same commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) more: bool,
    /// What the commit undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) revert: Option<Value>,
    /// Set in frames without events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mark: Option<Mark>,
    /// The newest time that was dropped from the file; in its first frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) horizon: Option<i64>,
    /// The next sequence number; in the first frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<u64>,
    /// Whether the body is compressed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) packed: bool,
    /// Bytes of the body.
    #[serde(default)]
    pub(super) len: usize,
}

/// The part of an event that stands in the body.
#[derive(Serialize, Deserialize)]
struct Rest {
    #[serde(rename = "p", default, skip_serializing_if = "Vec::is_empty")]
    parents: Vec<String>,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    catalog: Option<Catalog>,
}

impl Head {
    /// A head without events.
    pub(super) fn new(revision: u64, at: i64, device: &str, lineage: &str) -> Self {
        Self {
            revision,
            at,
            device: device.to_owned(),
            lineage: lineage.to_owned(),
            sequences: Vec::new(),
            ids: Vec::new(),
            keys: Vec::new(),
            kinds: String::new(),
            more: false,
            revert: None,
            mark: None,
            horizon: None,
            next: None,
            packed: false,
            len: 0,
        }
    }
}

/// Adds a frame to those before it.
pub(super) fn push_frame(bytes: &mut Vec<u8>, mut head: Head, events: &[Event]) {
    let mut rests = Vec::with_capacity(events.len());
    for event in events {
        head.sequences.push(event.sequence);
        head.ids.push(ids::hex(&event.id));
        head.keys.push(event.sync_key.clone());
        head.kinds.push(event.kind.letter());
        let parents = event.parents.iter().map(|id| ids::hex(id)).collect();
        rests.push(Rest { parents, catalog: event.catalog.clone() });
    }
    // OK because the values have text keys and finite numbers only.
    let mut body = serde_json::to_vec(&rests).unwrap_or_default();
    if events.is_empty() {
        body.clear();
    }
    if body.len() >= LARGE {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
        // OK because writing to memory does not fail; what is not packed is written as it is.
        if let Ok(packed) = packer.write_all(&body).and_then(|()| packer.finish()) {
            head.packed = true;
            body = packed;
        }
    }
    head.len = body.len();
    let json = serde_json::to_vec(&head).unwrap_or_default();
    bytes.extend_from_slice(format!("{:08x} ", crc32(&[&json, &body])).as_bytes());
    for part in [&json[..], b"\n", &body, b"\n"] {
        bytes.extend_from_slice(part);
    }
}

/// A frame that was found in the file.
pub(super) struct StoredFrame<'a> {
    /// Its content.
    pub(super) head: Head,
    /// Its body as it stands there.
    body: &'a [u8],
    /// Bytes of the whole frame.
    pub(super) len: usize,
}

/// The frame at the beginning of these bytes.
///
/// # Errors
/// The head, as far as it can be read, of a frame that is damaged or not whole.
pub(super) fn read_frame(bytes: &[u8]) -> Result<StoredFrame<'_>, Option<Box<Head>>> {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let sum = line.get(..8).and_then(|sum| std::str::from_utf8(sum).ok());
    let sum = sum.and_then(|sum| u32::from_str_radix(sum, 16).ok()).ok_or(None)?;
    let json = line[8..].strip_prefix(b" ").ok_or(None)?;
    let head: Head = serde_json::from_slice(json).map_err(|_| None)?;
    let begins = line.len() + 1;
    let end = begins.saturating_add(head.len);
    let body = bytes.get(begins..end).filter(|body| crc32(&[json, body]) == sum);
    match body.filter(|_| bytes.get(end) == Some(&b'\n')) {
        Some(body) => Ok(StoredFrame { body, len: end + 1, head }),
        None => Err(Some(Box::new(head))),
    }
}

/// Where the next sound frame begins, at or after `from`.
pub(super) fn find_frame(bytes: &[u8], from: usize) -> Option<usize> {
    let begins = |at: &usize| bytes.get(at + 8..at + 10) == Some(b" {");
    (from..bytes.len()).filter(begins).find(|at| read_frame(&bytes[*at..]).is_ok())
}

/// A frame with its body opened.
pub(super) struct Opened {
    head: Head,
    rests: Vec<Box<RawValue>>,
}

impl Opened {
    /// Opens a frame; `None` when its body is not a list of its events.
    pub(super) fn of(found: &StoredFrame<'_>) -> Option<Self> {
        let StoredFrame { head, body, .. } = found;
        let rests = if head.ids.is_empty() {
            Vec::new()
        } else if head.packed {
            let mut text = Vec::new();
            DeflateDecoder::new(*body).take(UNPACKED).read_to_end(&mut text).ok()?;
            serde_json::from_slice(&text).ok()?
        } else {
            serde_json::from_slice(body).ok()?
        };
        let count = head.ids.len();
        let whole = [head.sequences.len(), head.keys.len(), head.kinds.len(), rests.len()];
        whole.iter().all(|len| *len == count).then(|| Self { head: head.clone(), rests })
    }

    /// The head of a frame with some of its events.
    pub(super) fn head_of_part(&self) -> Head {
        let Head { revision, at, device, lineage, revert, .. } = &self.head;
        Head { revert: revert.clone(), ..Head::new(*revision, *at, device, lineage) }
    }

    /// The event at this place of the frame.
    pub(super) fn event(&self, at: usize) -> Option<Event> {
        let rest: Rest = serde_json::from_str(self.rests.get(at)?.get()).ok()?;
        let head = &self.head;
        Some(Event {
            id: read_id(head.ids.get(at)?)?,
            device_id: head.device.clone(),
            sequence: *head.sequences.get(at)?,
            at: head.at,
            sync_key: head.keys.get(at)?.clone(),
            kind: Kind::of_letter(head.kinds.chars().nth(at)?)?,
            parents: rest.parents.iter().map(|id| read_id(id)).collect::<Option<_>>()?,
            catalog: rest.catalog,
            revert: head.revert.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(number: u64, catalog: Option<Value>) -> Event {
        let mut event = Event {
            id: [0; 32],
            device_id: "d".into(),
            sequence: number,
            at: 5,
            sync_key: format!("game:game-{number}"),
            kind: if catalog.is_some() { Kind::Edit } else { Kind::Delete },
            parents: vec![[7; 32]],
            catalog: catalog.and_then(|catalog| catalog.as_object().cloned()),
            revert: Some(json!({"undo": true})),
        };
        event.id = event.derive_id();
        event
    }

    fn written(count: u64) -> (Vec<u8>, Vec<Event>) {
        let text = "a game that resembles its neighbours ".repeat(3);
        let events: Vec<Event> = (0..count)
            .map(|number| event(number, (number % 5 > 0).then(|| json!({"name": text}))))
            .collect();
        let mut head = Head::new(9, 5, "d", "L");
        head.revert = Some(json!({"undo": true}));
        let mut bytes = Vec::new();
        push_frame(&mut bytes, head, &events);
        (bytes, events)
    }

    #[test]
    fn events_read_back_packed_and_plain() {
        for count in [0, 1, 3, 200] {
            let (bytes, events) = written(count);
            let found = read_frame(&bytes).unwrap_or_else(|_| panic!("sound"));
            assert_eq!((found.len, found.head.packed), (bytes.len(), count == 200));
            let opened = Opened::of(&found).expect("opened");
            for (at, event) in events.iter().enumerate() {
                assert_eq!(opened.event(at).as_ref(), Some(event));
                assert_eq!(event.derive_id(), event.id);
            }
            assert_eq!(opened.event(events.len()), None);
        }
    }

    #[test]
    fn damage_is_noticed_and_the_next_frame_found() {
        let (one, _) = written(3);
        let (two, _) = written(200);
        for at in (0..one.len()).chain([one.len()]) {
            assert_eq!(read_frame(&one[..at]).is_ok(), at == one.len());
        }
        for at in 0..one.len() {
            let mut bytes = one.clone();
            bytes[at] ^= 1;
            bytes.extend_from_slice(&two);
            assert!(read_frame(&bytes).is_err(), "byte {at}");
            assert_eq!(find_frame(&bytes, 1), Some(one.len()), "byte {at}");
        }
        assert_eq!(find_frame(&one, 1), None);
    }
}
