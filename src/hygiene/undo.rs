//! Undoing a fix of artwork (`POST /api/v2/artgrid/hygiene/undo`).
//!
//! First the files that were replaced get their bytes back, then the games change in one commit, then the
//! fix is forgotten. After a kill in between it is undone once more, with the same result.

use std::path::Path;

use super::{
    batches::{self, Batch, Entry, Link},
    error::HygieneError,
    service::Hygiene,
};
use crate::{
    artgrid::artwork,
    base::schema::schema,
    files::{DiskError, confine},
    model::{
        Cause, Draft, Record,
        origins::{self, FieldWriter, Origin, Right},
    },
    providers::ARTGRID,
    store::CommitError,
};

schema! {
    "ArtworkUndone"
    /// A fix was undone.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Undone {
        pub batch_id: String,
        /// In the order in which the fix wrote them.
        pub restored: Vec<Restored>,
        pub counts: UndoneCounts,
    }

    "ArtworkRestored"
    /// The outcome for one picture.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Restored {
        pub game_id: String,
        pub field: String,
        /// `restored`: the picture before is there again; `removed`: the field is empty again;
        /// `skipped`: it was changed since; `failed`: the file could not be written.
        pub action: &'static str,
    }

    "ArtworkUndoneCounts"
    /// How many pictures were undone.
    #[derive(Debug, PartialEq, Eq)]
    pub struct UndoneCounts {
        pub removed: usize,
        pub restored: usize,
    }
}

impl Hygiene {
    /// Takes a fix back: the newest one when none is named.
    ///
    /// # Errors
    /// [`HygieneError`]; then the library is as it was.
    pub fn undo(&self, batch_id: Option<&str>) -> Result<Undone, HygieneError> {
        let batch = match batch_id {
            Some(id) if !batches::is_id(id) => {
                return Err(HygieneError::Malformed("batch_id is not valid."));
            }
            Some(id) => self.batches.find(id),
            None => self.batches.all().into_iter().next(),
        };
        let batch = batch.ok_or(HygieneError::NothingToUndo)?;
        let state = self.artwork.store.snapshot()?;
        let is_current = |entry: &Entry| {
            let game = state.games.find(&entry.game_id);
            game.is_some_and(|(_, game)| is_as_written(&game.record(), entry))
        };
        let mut written = Vec::new();
        let mut failed = vec![false; batch.records.len()];
        for (entry, failed) in batch.records.iter().zip(&mut failed) {
            if !is_current(entry) || entry.created {
                continue;
            }
            match self.put_back(&batch, entry) {
                Ok(true) => written.push(entry.previous.clone()),
                Ok(false) => {}
                Err(error) => {
                    log::warn!("a picture was not restored: {error}");
                    *failed = true;
                }
            }
        }
        if !written.is_empty() {
            self.artwork.store.report(Cause::MediaChanged(written));
        }
        let actions = self.artwork.store.change(|draft| take_back(draft, &batch, &failed));
        let actions = actions.map_err(CommitError::hand_on::<HygieneError>)?;
        // What failed can be tried once more.
        if !actions.contains(&"failed") {
            self.batches.remove(&batch.batch_id)?;
        }
        let count = |action: &str| actions.iter().filter(|it| **it == action).count();
        let counts = UndoneCounts { removed: count("removed"), restored: count("restored") };
        let restored = batch.records.into_iter().zip(actions).map(|(entry, action)| Restored {
            game_id: entry.game_id,
            field: entry.field,
            action,
        });
        Ok(Undone { batch_id: batch.batch_id, restored: restored.collect(), counts })
    }

    /// Restores the bytes of a file of this program; whether that was necessary. Files outside the media folder were
    /// never written.
    fn put_back(&self, batch: &Batch, entry: &Entry) -> Result<bool, DiskError> {
        let path = Path::new(&entry.previous);
        let copy = self.batches.copy_path(&batch.batch_id, &entry.backup);
        let is_ours = confine::is_strictly_inside(&self.media, path);
        let Some(copy) = copy.filter(|_| is_ours) else { return Ok(false) };
        let files = &self.artwork.files;
        let bytes = files.read(&copy)?;
        if files.read(path).is_ok_and(|present| present == bytes) {
            return Ok(false);
        }
        if let Some(folder) = path.parent() {
            files.private_dir(folder)?;
        }
        files.replace(path, &bytes)?;
        Ok(true)
    }
}

/// Whether a field still has the value of the fix.
fn is_as_written(record: &Record, entry: &Entry) -> bool {
    record.text(&entry.field) == entry.new
}

/// Restores the paths in the fields of a fix; returns the outcome of each.
fn take_back(draft: &mut Draft, batch: &Batch, failed: &[bool]) -> Vec<&'static str> {
    let mut changed = Vec::new();
    let mut actions = Vec::new();
    for (entry, is_failed) in batch.records.iter().zip(failed) {
        if *is_failed {
            actions.push("failed");
            continue;
        }
        let outcome = draft.edit_game(&entry.game_id, |record| give_back(record, entry));
        let action = outcome.unwrap_or("skipped");
        if action != "skipped" && !changed.contains(&entry.game_id) {
            changed.push(entry.game_id.clone());
        }
        actions.push(action);
    }
    draft.set_cause(Cause::Bulk(changed));
    actions
}

fn give_back(record: &mut Record, entry: &Entry) -> &'static str {
    let is_held = origins::Origins::of(record).holds(&entry.field, Right::Request);
    if is_held || !is_as_written(record, entry) {
        return "skipped";
    }
    put(record, &entry.field, &entry.previous);
    if let Some(link) = &entry.link {
        unlink(record, link);
    }
    if entry.created { "removed" } else { "restored" }
}

/// Gives the game the number and the provider that it had before the fix, as long as both are those of the fix.
fn unlink(record: &mut Record, link: &Link) {
    let is_linked = record.text(artwork::PROVIDER) == ARTGRID.id
        && record.shown(artwork::ID).trim() == link.new_id;
    if is_linked {
        put(record, artwork::PROVIDER, &link.previous_provider);
        put(record, artwork::ID, &link.previous_id);
    }
}

/// Sets the value that a field had before, with the origin of that value.
fn put(record: &mut Record, key: &str, previous: &str) {
    let known = origins::Origins::of(record);
    let before = known.before(key).filter(|(value, _)| **value == *previous);
    let origin = before.map_or_else(Origin::default, |(_, origin)| origin.clone());
    let mut fields = FieldWriter::new(record, origin, Right::Request);
    fields.replace(key, previous);
    fields.finish();
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entry(previous: &str) -> Entry {
        let text = str::to_owned;
        Entry {
            game_id: text("g"),
            field: text("cover"),
            previous: text(previous),
            created: previous.is_empty(),
            backup: String::new(),
            new: text("/new"),
            link: None,
        }
    }

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn a_field_that_somebody_changed_or_locked_stays() {
        let mut game = record(json!({"cover": "/mine"}));
        assert_eq!(give_back(&mut game, &entry("/old")), "skipped");
        let mut game = record(json!({"cover": "/new"}));
        origins::set_lock(&mut game, "cover", true);
        assert_eq!(give_back(&mut game, &entry("/old")), "skipped");
        assert_eq!(game.text("cover"), "/new");
    }

    #[test]
    fn the_number_at_the_provider_is_given_back_unless_it_is_another_one() {
        let text = str::to_owned;
        let link =
            Link { previous_provider: String::new(), previous_id: text("5"), new_id: text("77") };
        let fixed = Entry { link: Some(link), ..entry("/old") };
        for (provider, id, expected) in [
            ("artgrid", "77", ("", "5")),
            ("artgrid", "78", ("artgrid", "78")),
            ("other", "77", ("other", "77")),
        ] {
            let mut game =
                record(json!({"cover": "/new", "artwork_provider": provider, "artgrid_id": id}));
            assert_eq!(give_back(&mut game, &fixed), "restored");
            assert_eq!((game.text("artwork_provider"), game.text("artgrid_id")), expected);
        }
    }

    #[test]
    fn a_field_gets_its_path_and_its_origin_back() {
        let mut game = record(json!({"cover": "/old"}));
        let by = |by: &str| Origin { by: by.to_owned(), ..Origin::default() };
        let mut fields = FieldWriter::new(&mut game, by("metadb"), Right::Pass);
        fields.replace("cover", "/older");
        fields.replace("cover", "/old");
        fields.finish();
        let mut fields = FieldWriter::new(&mut game, by("artgrid"), Right::Pass);
        fields.replace("cover", "/new");
        fields.finish();
        assert_eq!(give_back(&mut game, &entry("/old")), "restored");
        assert_eq!(game.text("cover"), "/old");
        let known = origins::Origins::of(&game);
        assert_eq!(known.origin("cover").map(|origin| origin.by.as_str()), Some("metadb"));
        let mut game = record(json!({"cover": "/new"}));
        assert_eq!(give_back(&mut game, &entry("")), "removed");
        assert_eq!(game.text("cover"), "");
        let mut game = record(json!({"cover": "/new"}));
        assert_eq!(give_back(&mut game, &entry("/new")), "restored");
    }
}
