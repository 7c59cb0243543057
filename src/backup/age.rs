//! Whether a library was changed after an archive of it was made.
//!
//! The times of the files decide first. Making an archive leaves notes in the library: when it was made, what its
//! webhooks answered, a notice. Where nothing but such notes differs, the archive is not older.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    archive::{Archive, LIBRARY},
    error::BackupError,
    folder::Backups,
    redact, schedule,
};
use crate::{
    base::Moment, history::archive as history_archive, model::State, store::exchange::read_state,
};

/// Sections that do not affect the age of a library.
const PASSING: [&str; 2] = ["active_sessions", "notifications"];
/// What a webhook notes of its last delivery.
const DELIVERY: [&str; 4] = ["last_status", "last_error", "last_sent_at", "last_delivery_at"];

impl Backups {
    /// The library as an archive has it: with its whole history and without credentials.
    pub(super) fn archivable(&self) -> Result<State, BackupError> {
        let state = self.context.store.snapshot()?;
        let archive = self.context.data_dir.history_archive();
        let state = history_archive::whole(&self.context.files, archive, &state)?;
        Ok(redact::redacted_state(&state, false))
    }

    /// Whether the library was changed after the archive was made.
    pub(super) fn is_older(&self, archive: &mut Archive) -> Result<bool, BackupError> {
        Ok(self.was_written_after(archive)? && self.differs(archive)?)
    }

    /// Whether the library was written after the archive was made. The log counts: what it holds is newer than
    /// the file next to it.
    fn was_written_after(&self, archive: &Archive) -> Result<bool, BackupError> {
        let made = Moment::parse(&archive.manifest.created);
        let Some(made) = made.into_iter().chain(archive.modified.clone()).min_by_key(micros) else {
            return Ok(false);
        };
        let data_dir = &self.context.data_dir;
        for path in [data_dir.library(), data_dir.library_log()] {
            let Some(stat) = self.context.files.stat(&path)? else { continue };
            let changed = stat.modified().map(Moment::from_system);
            if changed.is_ok_and(|changed| micros(&changed) > micros(&made)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the library differs from the one in the archive, notes apart. One that cannot be read does.
    fn differs(&self, archive: &mut Archive) -> Result<bool, BackupError> {
        let Ok(here) = self.archivable() else { return Ok(true) };
        let Some(bytes) = archive.read(LIBRARY)? else { return Ok(true) };
        let there = read_state(&bytes).map_err(|_| BackupError::Invalid)?;
        let are_equal =
            here.games.len() == there.games.len()
                && here.games.iter().zip(there.games.iter()).all(|(one, other)| {
                    one.json() == other.json() || one.record() == other.record()
                });
        Ok(!are_equal || sections(&here) != sections(&there))
    }
}

/// The sections of a state without notes.
fn sections(state: &State) -> BTreeMap<&str, Value> {
    let kept = state.sections().filter(|(key, _)| !PASSING.contains(key));
    let kept = kept.map(|(key, value)| {
        let mut value = Value::clone(value);
        if let ("settings", Some(settings)) = (key, value.as_object_mut()) {
            settings.retain(|key, _| !schedule::NOTES.contains(&key.as_str()));
            let hooks = settings.get_mut("webhooks").and_then(Value::as_array_mut);
            for hook in hooks.into_iter().flatten().filter_map(Value::as_object_mut) {
                hook.retain(|key, _| !DELIVERY.contains(&key.as_str()));
            }
        }
        (key, value)
    });
    kept.collect()
}

fn micros(moment: &Moment) -> i64 {
    moment.unix_micros()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::backup::{
        items::{Item, RestoreRequest},
        tests::House,
        watch::Unwatched,
    };

    #[test]
    fn what_a_backup_notes_in_the_library_does_not_make_it_older() {
        let house = House::new();
        let hook = json!({"id": "wh-1", "url": "https://x.test/", "secret": "hunter22"});
        let set = |key: &str, value: Value| {
            let changed = house.store.change(|draft| {
                let mut settings = draft.state().settings().clone();
                settings.insert(key.to_owned(), value.clone());
                draft.set_section("settings", Value::Object(settings));
            });
            changed.expect("committed");
        };
        set("webhooks", json!([hook]));
        let created = house.create(&[Item::Library, Item::Settings], 0);
        let name = created.as_ref().expect("made").name.clone();
        house.backups.report(&created);
        house.backups.report_drill(&name, &house.backups.drill(&name, &Unwatched));
        let mut answered = hook;
        answered["last_status"] = 204.into();
        answered["last_delivery_at"] = "2026-01-01T00:00:00+00:00".into();
        set("webhooks", json!([answered]));
        let check = || {
            let request = RestoreRequest { path: name.clone(), items: None, force: false };
            house.backups.check_restore(&request)
        };
        check().expect("not older");
        set("theme", json!("light"));
        assert!(matches!(check(), Err(BackupError::Older)));
        set("theme", json!("dark"));
        check().expect("not older");
        house.change();
        assert!(matches!(check(), Err(BackupError::Older)));
    }
}
