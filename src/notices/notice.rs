//! One notice (`/api/notifications`).

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    base::{Moment, ids, named::named, schema::schema, text},
    model::Row,
};

named! {
    /// The level of a notice.
    #[derive(Default)]
    pub enum Level {
        /// Worth knowing.
        #[default]
        Info = "info",
        /// Something asked for was done.
        Success = "success",
        /// Something may need attention.
        Warning = "warning",
        /// Something failed.
        Error = "error",
    }
}

schema! {
    /// A stored notice; the section `notifications` holds them newest first.
    #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    pub struct Notice {
        /// `nt-` and 12 hex digits.
        pub id: String,
        /// The family it belongs to, for example `system` or `security`.
        pub kind: String,
        /// How serious it is.
        pub level: Level,
        /// One line, at most 200 characters.
        pub title: String,
        /// The details, at most 2,000 characters.
        pub body: String,
        /// UTC time with offset.
        pub created_at: String,
        /// Whether the user has seen it.
        pub read: bool,
        /// Which part of the program speaks.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub source: String,
        /// Its subject, for example the id of an event.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub correlation_id: String,
        /// A notice with a key that is there already is not added again.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub dedupe_key: String,
        /// Everything else the row carries.
        #[serde(flatten)]
        pub more: Map<String, Value>,
    }
}

impl Row for Notice {
    const SECTION: &'static str = "notifications";
}

impl Notice {
    /// A new unread notice; title and body are cut to their limits.
    pub fn new(kind: &str, level: Level, title: &str, body: &str, now: &Moment) -> Self {
        Self {
            id: format!("nt-{}", ids::random_hex(6)),
            kind: kind.to_owned(),
            level,
            title: text::cut(title, 200).to_owned(),
            body: text::cut(body, 2_000).to_owned(),
            created_at: now.utc_iso(),
            ..Self::default()
        }
    }

    /// Names the part of the program that speaks; at most 200 characters.
    pub fn source(mut self, source: &str) -> Self {
        text::cut(source, 200).clone_into(&mut self.source);
        self
    }

    /// Sets its subject; at most 200 characters.
    pub fn about(mut self, correlation_id: &str) -> Self {
        text::cut(correlation_id, 200).clone_into(&mut self.correlation_id);
        self
    }

    /// Keeps a second notice with the same key out; at most 200 characters.
    pub fn once(mut self, dedupe_key: &str) -> Self {
        text::cut(dedupe_key, 200).clone_into(&mut self.dedupe_key);
        self
    }
}
