//! What imports did, kept so that an import can be undone as a whole
//! (`/api/v2/import/batches`, `/api/v2/import/undo`).
//!
//! Rules on a draft. New rows carry the id of their import; a batch holds what it changed in rows and
//! playlists that were there before. Undoing changes only what still is as the import left it, and
//! leaves games that were played or edited since.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::memberships;
use crate::{
    base::ids::hex,
    model::{Cause, Draft, Game, Record, Row, State, origins},
};

/// Imports that are kept, the newest ones.
const KEPT: usize = 20;
/// Changed games that are kept of all imports together.
const CHANGES: usize = 20_000;
/// Written files that are kept of one import.
const FILES: usize = 5_000;
/// The section of playlists.
const PLAYLISTS: &str = "playlists";
/// How the files that an import writes end.
const PLAYLIST_ENDING: &str = ".m3u";
/// The field of a game that names its import.
const FIELD: &str = "import_batch_id";

/// What one import did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Batch {
    /// Its id, 32 hex digits.
    pub import_batch_id: String,
    /// Where the games came from, `folder` for example.
    pub source: String,
    /// Local time of the import.
    pub imported_at: String,
    /// Games that were new.
    pub added: u64,
    /// Games that were there before and were changed.
    pub changes: Vec<GameChange>,
    /// Playlists that it made or changed.
    pub playlists: Vec<PlaylistChange>,
    /// Whether more games were changed than are kept.
    pub is_cut: bool,
    /// Playlists of discs that it wrote, at most [`FILES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<WrittenFile>,
    /// Folders whose platform was chosen with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<FolderChange>,
    /// Everything else the row carries.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Row for Batch {
    const SECTION: &'static str = "import_batches";
}

/// The fields of a game that an import changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameChange {
    /// Stable id of the game.
    pub game_id: String,
    /// Their values before it; a field that is missing had none.
    pub before: Map<String, Value>,
    /// Their values after it; a field that is missing has none.
    pub after: Map<String, Value>,
}

/// A playlist that an import made or changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaylistChange {
    /// Its name.
    pub name: String,
    /// Its row before; null for a new one.
    pub before: Value,
    /// Its row afterwards.
    pub after: Value,
}

/// A file that an import wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WrittenFile {
    /// Its absolute path.
    pub path: String,
    /// What [`WrittenFile::sum_of`] gave for its content.
    pub sum: String,
    /// The text that was there before; empty for a new file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub before: String,
}

impl WrittenFile {
    /// A file with this content.
    pub fn new(path: &str, content: &[u8]) -> Self {
        Self { path: path.to_owned(), sum: Self::sum_of(content), before: String::new() }
    }

    /// A file that had this text before.
    pub fn replacing(path: &str, content: &[u8], before: &str) -> Self {
        Self { before: before.to_owned(), ..Self::new(path, content) }
    }

    /// A checksum of 32 hex digits.
    pub fn sum_of(content: &[u8]) -> String {
        hex(&Sha256::digest(content)[..16])
    }
}

/// A folder whose platform the user chose with an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FolderChange {
    /// Its absolute path.
    pub path: String,
    /// The platform chosen before; blank for none.
    pub before: String,
    /// The platform chosen with it; blank for none.
    pub after: String,
}

/// What was undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// Stable ids of games that were removed.
    pub removed: Vec<String>,
    /// Games whose previous values were restored.
    pub restored: usize,
    /// Games of the import that stay, because they were played or edited since.
    pub kept: usize,
    /// Games among them that were not played.
    pub edited: usize,
    /// Whether everything the import changed was known.
    pub is_whole: bool,
    /// Files of the import that no game uses now as the import left them, not even one in the trash.
    pub files: Vec<WrittenFile>,
    /// Folders whose platform was chosen with the import.
    pub folders: Vec<FolderChange>,
}

/// No import has this id, or it was undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Import not found.")]
pub struct UnknownBatch;

impl GameChange {
    /// The difference of two versions of a game; `None` for none.
    pub fn between(game_id: &str, before: &Record, after: &Record) -> Option<Self> {
        let mut change = Self { game_id: game_id.to_owned(), ..Self::default() };
        let fields: BTreeSet<&String> = before.0.keys().chain(after.0.keys()).collect();
        for field in fields {
            let (old, new) = (before.get(field), after.get(field));
            if old != new {
                change.before.extend(old.map(|value| (field.clone(), value.clone())));
                change.after.extend(new.map(|value| (field.clone(), value.clone())));
            }
        }
        (before != after).then_some(change)
    }

    /// Adds a later change of the same game.
    pub fn then(&mut self, later: Self) {
        for field in later.fields() {
            let is_known = self.before.contains_key(&field) || self.after.contains_key(&field);
            if let Some(old) = later.before.get(&field).filter(|_| !is_known) {
                self.before.insert(field.clone(), old.clone());
            }
            match later.after.get(&field) {
                Some(new) => self.after.insert(field, new.clone()),
                None => self.after.remove(&field),
            };
        }
    }

    fn fields(&self) -> BTreeSet<String> {
        self.before.keys().chain(self.after.keys()).cloned().collect()
    }

    /// Gives the fields their old values that still have the new ones; whether any had.
    fn take_back(&self, row: &mut Record) -> bool {
        let before = row.clone();
        let mut fields = self.fields();
        fields.remove(origins::KEY);
        fields.retain(|field| row.get(field) == self.after.get(field));
        for field in &fields {
            match self.before.get(field) {
                Some(old) => row.set(field, old.clone()),
                None => drop(row.remove(field)),
            }
        }
        let old = Record(self.before.clone());
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        origins::carry(row, &old, &fields);
        *row != before
    }
}

/// Notes an import, or a further part of it; whether there is one of this id now. One that changed nothing
/// leaves no trace.
pub fn note(draft: &mut Draft, batch: Batch) -> bool {
    let is_empty = batch.added == 0 && batch.changes.is_empty() && batch.playlists.is_empty();
    let mut batches = draft.state().rows::<Batch>();
    let known = batches.iter_mut().find(|known| known.import_batch_id == batch.import_batch_id);
    match known {
        Some(known) => {
            known.added += batch.added;
            known.changes.extend(batch.changes);
            known.playlists.extend(batch.playlists);
            known.files.extend(batch.files);
            known.folders.extend(batch.folders);
        }
        None if is_empty => return false,
        None => batches.push(batch),
    }
    if let Some(newest) = batches.last_mut() {
        newest.files.truncate(FILES);
    }
    let old = batches.len().saturating_sub(KEPT);
    batches.drain(..old);
    let mut left = CHANGES;
    for batch in batches.iter_mut().rev() {
        batch.is_cut |= batch.changes.len() > left;
        batch.changes.truncate(left);
        left -= batch.changes.len();
    }
    draft.set_rows(&batches);
    true
}

/// Takes an import back.
///
/// # Errors
/// [`UnknownBatch`] when nothing is known of it and no game carries its id.
pub fn undo(draft: &mut Draft, id: &str) -> Result<Undone, UnknownBatch> {
    let mut batches = draft.state().rows::<Batch>();
    let known = batches.iter().position(|batch| batch.import_batch_id == id);
    let is_of_it = |game: &Game| !id.is_empty() && game.json().contains(id);
    let mut undone = Undone::default();
    for game in draft.state().games.iter().filter(|game| is_of_it(game)) {
        let record = game.record();
        if record.text(FIELD) != id {
            continue;
        }
        match (is_played(&record), origins::is_edited(&record)) {
            (false, false) => undone.removed.push(game.id().to_owned()),
            (is_played, _) => {
                undone.kept += 1;
                undone.edited += usize::from(!is_played);
            }
        }
    }
    if known.is_none() && undone.removed.is_empty() && undone.kept == 0 {
        return Err(UnknownBatch);
    }
    let batch = known.map(|at| batches.remove(at));
    undone.is_whole = batch.as_ref().is_some_and(|batch| !batch.is_cut);
    let batch = batch.unwrap_or_default();
    take_back_playlists(draft, batch.playlists);
    for change in &batch.changes {
        let taken = draft.edit_game(&change.game_id, |row| change.take_back(row));
        // A game that is gone meanwhile has nothing to undo.
        undone.restored += usize::from(taken.unwrap_or(false));
    }
    memberships::leave(draft, &undone.removed);
    draft.remove_games(&undone.removed);
    draft.set_rows(&batches);
    draft.set_cause(Cause::Deleted);
    undone.files = no_longer_used(draft.state(), batch.files);
    undone.folders = batch.folders;
    Ok(undone)
}

/// The files that no game names in any field, and those that got further discs for a game which has as many discs
/// as before again.
fn no_longer_used(state: &State, mut files: Vec<WrittenFile>) -> Vec<WrittenFile> {
    if files.is_empty() {
        return files;
    }
    let mut named = HashSet::new();
    let mut discs: HashMap<String, usize> = HashMap::new();
    // The record of a game is opened only when it can name one of them.
    for game in state.games.iter().filter(|game| game.json().contains(PLAYLIST_ENDING)) {
        let record = game.record();
        record.0.values().for_each(|value| gather(value, &mut named));
        discs.insert(record.text("path").to_owned(), record.texts("discs").count());
    }
    gather(state.section("trash"), &mut named);
    files.retain(|file| {
        let has_discs_of_before = || discs.get(&file.path) == Some(&file.before.lines().count());
        !named.contains(&file.path) || (!file.before.is_empty() && has_discs_of_before())
    });
    files
}

/// Every text in a value that is the path of a playlist.
fn gather(value: &Value, named: &mut HashSet<String>) {
    match value {
        Value::String(text) if text.ends_with(PLAYLIST_ENDING) => {
            named.insert(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|value| gather(value, named)),
        Value::Object(fields) => fields.values().for_each(|value| gather(value, named)),
        _ => {}
    }
}

/// Whether a game was played here, or time was logged by hand: more than the imports brought.
fn is_played(record: &Record) -> bool {
    let brought = record.texts("playtime_programs").count();
    record.count("playtime_seconds") > 0 || record.list("manual_sessions").len() > brought
}

fn take_back_playlists(draft: &mut Draft, changes: Vec<PlaylistChange>) {
    let mut rows = draft.state().list(PLAYLISTS);
    for change in changes {
        let Some(at) = rows.iter().position(|row| *row == change.after) else { continue };
        if change.before.is_null() {
            rows.remove(at);
        } else {
            rows[at] = change.before;
        }
    }
    draft.set_section(PLAYLISTS, Value::Array(rows));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::origins::{FieldWriter, Origin, Origins, Right};

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    fn library(games: Value) -> Draft {
        let mut draft = Draft::new(State::default());
        for game in games.as_array().expect("a list") {
            draft.add_game(record(game.clone())).expect("added");
        }
        draft
    }

    fn batch(id: &str, changes: Vec<GameChange>) -> Batch {
        Batch { import_batch_id: id.to_owned(), changes, ..Batch::default() }
    }

    #[test]
    fn changes_follow_each_other() {
        let versions =
            [json!({"a": 1, "b": 2}), json!({"a": 3, "c": 4}), json!({"a": 1, "c": 5, "d": 6})];
        let [one, two, three] = versions.map(record);
        assert_eq!(GameChange::between("g", &one, &one), None);
        let mut change = GameChange::between("g", &one, &two).expect("a change");
        change.then(GameChange::between("g", &two, &three).expect("a change"));
        let mut row = three.clone();
        assert!(change.take_back(&mut row));
        assert_eq!(row, one);
        let mut edited = three;
        edited.set("c", 9);
        assert!(change.take_back(&mut edited));
        assert_eq!(edited, record(json!({"a": 1, "b": 2, "c": 9})), "what the user set stays");
    }

    #[test]
    fn an_import_is_taken_back_and_what_was_played_or_edited_stays() {
        let mut draft = library(json!([
            {"game_id": "game-a", "name": "A", "genre": "New"},
            {"game_id": "game-b", "import_batch_id": "x1", "name": "B"},
            {"game_id": "game-c", "import_batch_id": "x1", "name": "C", "playtime_seconds": 5},
            {"game_id": "game-d", "import_batch_id": "x2", "name": "x1"},
            {"game_id": "game-e", "import_batch_id": "x1", "name": "E"},
        ]));
        draft.edit_by_person("game-e", |record| record.set("favorite", true)).expect("there");
        let list = |members: Value| json!({"name": "L", "members": members});
        draft.set_section("playlists", json!([list(json!(["game-b"])), {"name": "M"}]));
        let (before, after) = (record(json!({})), record(json!({"genre": "New"})));
        let change = GameChange::between("game-a", &before, &after).expect("a change");
        let gone = GameChange { game_id: "game-z".to_owned(), ..change.clone() };
        let made = |name: &str, before: Value, after: Value| PlaylistChange {
            name: name.to_owned(),
            before,
            after,
        };
        let playlists = vec![
            made("L", list(json!([])), list(json!(["game-b"]))),
            made("M", Value::Null, json!({"name": "M"})),
            made("N", Value::Null, json!({"name": "N"})),
        ];
        note(&mut draft, Batch { playlists, added: 2, ..batch("x1", vec![change, gone]) });
        let undone = undo(&mut draft, "x1").expect("known");
        let expected = Undone {
            removed: vec!["game-b".to_owned()],
            restored: 1,
            kept: 2,
            edited: 1,
            is_whole: true,
            ..Undone::default()
        };
        assert_eq!(undone, expected);
        let left: Vec<&str> = draft.state().games.iter().map(|game| game.id()).collect();
        assert_eq!(left, ["game-a", "game-c", "game-d", "game-e"]);
        assert_eq!(draft.state().section("playlists"), &json!([list(json!([]))]));
        assert!(draft.state().games.iter().all(|game| game.record().get("genre").is_none()));
        assert!(draft.state().rows::<Batch>().is_empty());
        assert_eq!(undo(&mut draft, "x3"), Err(UnknownBatch));
        assert_eq!(undo(&mut draft, ""), Err(UnknownBatch));
        let without_note = undo(&mut draft, "x2").expect("a game carries it");
        assert!(!without_note.is_whole && without_note.removed == ["game-d"]);
    }

    #[test]
    fn what_is_known_of_values_is_taken_back_with_them() {
        let before = record(json!({"name": "A"}));
        let mut after = before.clone();
        let origin = Origin::import("store", "t");
        let mut writer = FieldWriter::new(&mut after, origin.clone(), Right::Pass);
        assert!(writer.fill("genre", "x") && writer.fill("year", "1990"));
        writer.finish();
        let change = GameChange::between("g", &before, &after).expect("a change");
        let mut row = after.clone();
        assert!(change.take_back(&mut row));
        assert_eq!(row, before);
        let mut edited = after;
        origins::set_lock(&mut edited, "name", true);
        let seen = edited.clone();
        edited.set("genre", "mine");
        origins::mark_person(&seen, &mut edited, "t2");
        assert!(change.take_back(&mut edited));
        let known = Origins::of(&edited);
        assert_eq!((edited.text("genre"), edited.get("year")), ("mine", None));
        assert_eq!((known.origin("year"), known.is_locked("name")), (None, true));
        assert_eq!(known.before("genre"), Some((&json!("x"), &origin)));
    }

    #[test]
    fn written_files_are_given_back_that_no_game_uses() {
        let mut draft = library(json!([
            {"game_id": "game-a", "import_batch_id": "x1", "name": "A", "path": "/r/a.m3u"},
            {"game_id": "game-b", "name": "B", "path": "/r/b", "version_candidates": ["/r/b.m3u"]},
        ]));
        draft.set_section("trash", json!([{"game": {"name": "C", "path": "/r/c.m3u"}}]));
        let file = |path: &str| WrittenFile::new(path, b"x");
        let files = ["/r/a.m3u", "/r/b.m3u", "/r/c.m3u", "/r/d.m3u"].map(file).to_vec();
        let folders = vec![FolderChange {
            path: "/r".to_owned(),
            after: "NES".to_owned(),
            ..FolderChange::default()
        }];
        note(&mut draft, Batch { added: 1, files, ..batch("x1", Vec::new()) });
        note(&mut draft, Batch { folders: folders.clone(), ..batch("x1", Vec::new()) });
        note(&mut draft, Batch { folders: folders.clone(), ..batch("x2", Vec::new()) });
        assert_eq!(draft.state().rows::<Batch>().len(), 1, "folders alone are no import");
        let undone = undo(&mut draft, "x1").expect("known");
        assert_eq!(undone.files, ["/r/a.m3u", "/r/d.m3u"].map(file));
        assert_eq!(undone.folders, folders);
    }

    #[test]
    fn the_newest_imports_are_kept() {
        let mut draft = library(json!([]));
        note(&mut draft, batch("none", Vec::new()));
        assert!(draft.state().rows::<Batch>().is_empty());
        let change = |count: usize| vec![GameChange::default(); count];
        for number in 0..KEPT + 2 {
            note(&mut draft, batch(&number.to_string(), change(1)));
        }
        let kept = draft.state().rows::<Batch>();
        assert_eq!((kept.len(), kept[0].import_batch_id.as_str()), (KEPT, "2"));
        note(&mut draft, batch("21", change(CHANGES - 2)));
        let kept = draft.state().rows::<Batch>();
        let counts: Vec<(usize, bool)> =
            kept.iter().map(|batch| (batch.changes.len(), batch.is_cut)).collect();
        assert_eq!(counts[KEPT - 3..], [(0, true), (1, false), (CHANGES - 1, false)]);
    }
}
