//! One event: its subject and its payload, ready for the live stream.
//!
//! Owns the names on the wire and the maximum size of a payload. Publishers decide when an event is
//! sent.

use serde_json::{Value, json};

use crate::base::{limits, named::named};

named! {
    /// Every event of the live stream, by its name there.
    #[derive(Hash)]
    pub enum Topic {
        /// A job was accepted.
        JobQueued = "job.queued",
        /// A job started or moved on; at most twice a second for one job.
        JobProgress = "job.progress",
        /// A job was asked to stop.
        JobCancelling = "job.cancelling",
        /// A job was cut off by a stop of the program.
        JobInterrupted = "job.interrupted",
        /// A job ended: done, partial, error or cancelled.
        JobFinished = "job.finished",
        /// A game was started.
        SessionStarted = "started",
        /// A game ended.
        SessionStopped = "stopped",
        /// A game was paused.
        SessionPaused = "paused",
        /// A paused game goes on.
        SessionResumed = "resumed",
        /// What a session was, when it has ended.
        SessionRecap = "session.recap",
        /// The playtime of a game passed a whole hour.
        PlaytimeMilestone = "playtime_milestone",
        /// A trophy was awarded.
        TrophyAwarded = "trophy.awarded",
        /// Records of the household changed.
        HouseholdChanged = "household.changed",
        /// A moment of a game was kept.
        MomentCreated = "moment.created",
        /// Games or other parts of the library changed.
        LibraryChanged = "library.changed",
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its subject.
    pub topic: Topic,
    /// The facts, an object.
    pub payload: Value,
}

impl Event {
    /// An event with its facts.
    pub fn new(topic: Topic, payload: Value) -> Self {
        Self { topic, payload }
    }

    /// The payload as one line of JSON. One that is longer than [`limits::EVENT_BYTES`] becomes
    /// `{"truncated":true,"bytes":n}` with its true length.
    pub fn data(&self) -> String {
        let data = self.payload.to_string();
        if data.len() <= limits::EVENT_BYTES {
            return data;
        }
        json!({"truncated": true, "bytes": data.len()}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_plain_and_unique() {
        for (at, topic) in Topic::ALL.iter().enumerate() {
            let name = topic.name();
            assert!(
                name.len() <= 64
                    && name.bytes().all(|b| matches!(b, b'.' | b'_') || b.is_ascii_lowercase())
            );
            assert!(Topic::ALL[at + 1..].iter().all(|other| other.name() != name), "{name}");
        }
    }

    #[test]
    fn a_payload_is_cut_only_beyond_the_cap() {
        let of = |len: usize| Event::new(Topic::JobQueued, Value::String("x".repeat(len - 2)));
        assert_eq!(of(limits::EVENT_BYTES).data().len(), limits::EVENT_BYTES);
        assert_eq!(of(limits::EVENT_BYTES + 1).data(), "{\"bytes\":65537,\"truncated\":true}");
    }

    #[test]
    fn data_never_spans_lines() {
        let event = Event::new(Topic::JobProgress, json!({"message": "a\nb\r\u{2028}c"}));
        assert!(!event.data().contains(['\n', '\r']));
    }
}
