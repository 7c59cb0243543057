//! The events of webhooks and the data each may carry.
//!
//! Owns the allowlist: an [`Occurrence`] cannot hold a key its subject does not list, in any caller.

use serde_json::{Map, Value, json};

use crate::base::{named::named, text};

/// Ids named in one `library.changed`; its count is true whatever is cut.
const IDS: usize = 500;
/// Bytes of all ids together, so that the envelope stays within its bound.
const ID_BYTES: usize = 48 * 1024;
/// Characters of a name.
const NAME_CHARS: usize = 1_000;

named! {
    /// What an event is about.
    pub enum Subject {
        /// A game was started.
        SessionStarted = "session.started",
        /// A game ended.
        SessionStopped = "session.stopped",
        /// The play queue moved on.
        QueueAdvanced = "queue.advanced",
        /// An import found games.
        LibraryImported = "library.imported",
        /// Games were created, changed or removed.
        LibraryChanged = "library.changed",
        /// The metadata database was synchronised.
        MetadataSynced = "metadata.synced",
        /// A backup was made.
        BackupCreated = "backup.created",
        /// An update was installed.
        UpdateInstalled = "update.installed",
        /// A plugin was installed, removed or switched.
        PluginChanged = "plugin.changed",
        /// The test button; it cannot be subscribed to.
        TestPing = "test.ping",
    }
}

impl Subject {
    /// The names of the subjects that can be subscribed to.
    pub fn offered() -> Vec<&'static str> {
        Self::ALL.into_iter().map(Self::name).filter(|name| Self::find(name).is_some()).collect()
    }

    /// The keys its data may hold.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::SessionStarted => &["launch_id", "game_id", "name", "platform", "started_at"],
            Self::SessionStopped => &[
                "launch_id",
                "game_id",
                "name",
                "seconds",
                "exit_code",
                "timed_out",
                "started_at",
                "stopped_at",
            ],
            Self::QueueAdvanced => &["from_game_id", "from_entry_id", "to_game_id", "to_entry_id"],
            Self::LibraryImported => &["source", "found", "added"],
            Self::LibraryChanged => &["action", "game_ids", "count"],
            Self::MetadataSynced => &["status"],
            Self::BackupCreated => &["archive_name", "items"],
            Self::UpdateInstalled => &["version"],
            Self::PluginChanged => &["action", "plugin"],
            Self::TestPing => &["ok"],
        }
    }

    /// The subject of this name among those a configuration may subscribe to.
    pub fn find(name: &str) -> Option<Self> {
        Self::named(name).filter(|subject| *subject != Self::TestPing)
    }
}

named! {
    /// What was done to the games of a [`Subject::LibraryChanged`].
    pub enum Action {
        /// A game is new.
        Created = "created",
        /// A game has other fields.
        Updated = "updated",
        /// Games are gone.
        Deleted = "deleted",
        /// Several games were changed in one step.
        Bulk = "bulk",
        /// A game went to the trash.
        Trashed = "trashed",
        /// A game came back from the trash.
        Restored = "restored",
        /// Duplicates were removed.
        Deduped = "deduped",
    }
}

/// Something that happened, with the facts that may be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    subject: Subject,
    data: Map<String, Value>,
}

impl Occurrence {
    /// An occurrence with its facts, an object; keys its subject does not list are dropped.
    pub fn new(subject: Subject, facts: Value) -> Self {
        let mut data = if let Value::Object(facts) = facts { facts } else { Map::new() };
        data.retain(|key, _| subject.keys().contains(&key.as_str()));
        if let Some(Value::String(name)) = data.get_mut("name") {
            *name = text::cut(name, NAME_CHARS).to_owned();
        }
        Self { subject, data }
    }

    /// Games changed. Names the first 500 of them and counts all.
    pub fn library_changed(action: Action, game_ids: &[String]) -> Self {
        let mut bytes = 0;
        let fits = |id: &&String| {
            bytes += id.len();
            bytes <= ID_BYTES
        };
        let named: Vec<&String> = game_ids.iter().take(IDS).take_while(fits).collect();
        let facts = json!({"action": action.name(), "game_ids": named, "count": game_ids.len()});
        Self::new(Subject::LibraryChanged, facts)
    }

    /// Its subject.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// Its facts.
    pub fn data(&self) -> &Map<String, Value> {
        &self.data
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_topic_is_found_by_its_name_but_the_test() {
        for name in Subject::offered() {
            assert_eq!(Subject::find(name).map(Subject::name), Some(name));
        }
        assert_eq!(Subject::find("test.ping"), None);
        assert_eq!(Subject::find(""), None);
    }

    #[test]
    fn a_change_names_five_hundred_and_counts_all() {
        let ids: Vec<String> = (0..700).map(|number| format!("game-{number}")).collect();
        let told = Occurrence::library_changed(Action::Deleted, &ids);
        assert_eq!(told.data()["game_ids"].as_array().map(Vec::len), Some(500));
        assert_eq!(
            (&told.data()["count"], &told.data()["action"]),
            (&json!(700), &json!("deleted"))
        );
        let long = Occurrence::library_changed(Action::Bulk, &vec!["x".repeat(30_000); 3]);
        assert_eq!(long.data()["game_ids"].as_array().map(Vec::len), Some(1));
        assert_eq!(long.data()["count"], 3);
    }

    proptest! {
        #[test]
        fn nothing_but_the_listed_keys_is_told(
            at in 0..9_usize,
            keys in prop::collection::vec("[a-z_]{1,12}|secret|token|path|game_id|name", 0..12),
        ) {
            let subject = Subject::ALL[at];
            let facts: Map<String, Value> =
                keys.into_iter().map(|key| (key, Value::Bool(true))).collect();
            let told = Occurrence::new(subject, Value::Object(facts.clone()));
            for key in told.data().keys() {
                prop_assert!(subject.keys().contains(&key.as_str()));
            }
            let listed = facts.keys().filter(|key| subject.keys().contains(&key.as_str())).count();
            prop_assert_eq!(told.data().len(), listed);
        }
    }
}
