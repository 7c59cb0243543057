//! An event as it is sent: made once, the same bytes for every receiver and every attempt.

use serde::Serialize;
use serde_json::{Map, Value};

use super::occurrence::{Occurrence, Subject};
use crate::base::{Moment, ids, limits};

/// The bytes of one event and its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// `evt-` and 32 hex digits.
    pub id: String,
    /// Its subject.
    pub subject: Subject,
    /// UTC time with offset; also the timestamp that is signed.
    pub created_at: String,
    /// The exact body, compact JSON.
    pub body: Vec<u8>,
}

/// The event would be larger than [`limits::WEBHOOK_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an envelope of {0} bytes is too large")]
pub struct Oversize(pub usize);

/// The keys in the order of the envelope.
#[derive(Serialize)]
struct Written<'a> {
    id: &'a str,
    r#type: &'a str,
    version: u32,
    created_at: &'a str,
    source: &'a str,
    data: &'a Map<String, Value>,
}

impl Envelope {
    /// Writes an occurrence down with an id of its own.
    ///
    /// # Errors
    /// [`Oversize`].
    pub fn new(occurrence: &Occurrence, now: &Moment) -> Result<Self, Oversize> {
        let id = format!("evt-{}", ids::random_hex(16));
        let (subject, created_at) = (occurrence.subject(), now.utc_iso());
        let written = Written {
            id: &id,
            r#type: subject.name(),
            version: 1,
            created_at: &created_at,
            source: "service",
            data: occurrence.data(),
        };
        // OK because a struct of texts and JSON values can always be written.
        let body = serde_json::to_vec(&written).unwrap_or_default();
        if body.len() > limits::WEBHOOK_BYTES {
            return Err(Oversize(body.len()));
        }
        Ok(Self { id, subject, created_at, body })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_body_is_compact_and_in_order() {
        let facts = json!({"version": "1.2 Größe", "secret": "no"});
        let occurrence = Occurrence::new(Subject::UpdateInstalled, facts);
        let envelope = Envelope::new(&occurrence, &Moment::from_unix(1_700_000_000)).expect("fits");
        let hex = envelope.id.strip_prefix("evt-").expect("the prefix");
        assert!(hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let expected = format!(
            "{{\"id\":\"{}\",\"type\":\"update.installed\",\"version\":1,\
             \"created_at\":\"2023-11-14T22:13:20.000000+00:00\",\"source\":\"service\",\
             \"data\":{{\"version\":\"1.2 Größe\"}}}}",
            envelope.id
        );
        assert_eq!(String::from_utf8_lossy(&envelope.body), expected);
    }

    #[test]
    fn the_bound_is_exact() {
        let of = |bytes: usize| {
            let facts = json!({"version": "x".repeat(bytes)});
            Envelope::new(&Occurrence::new(Subject::UpdateInstalled, facts), &Moment::from_unix(0))
        };
        let frame = of(0).expect("fits").body.len();
        let largest = of(limits::WEBHOOK_BYTES - frame).expect("fits");
        assert_eq!(largest.body.len(), limits::WEBHOOK_BYTES);
        assert_eq!(of(limits::WEBHOOK_BYTES - frame + 1), Err(Oversize(limits::WEBHOOK_BYTES + 1)));
    }

    #[test]
    fn the_largest_change_of_the_library_fits() {
        use crate::webhooks::occurrence::Action;
        let ids: Vec<String> = (0..600).map(|n| format!("game-{n:0200}")).collect();
        let occurrence = Occurrence::library_changed(Action::Bulk, &ids);
        assert!(Envelope::new(&occurrence, &Moment::from_unix(0)).is_ok());
    }
}
