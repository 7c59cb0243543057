//! Merges games of stores, emulators, folders and lists into the library, each game once.
//!
//! A game whose identity the library knows fills the empty fields of that row; the same title in
//! another store becomes one more way to start the game; the rest is added. Importing twice changes
//! nothing the second time.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use serde_json::{Value, json};

use crate::{
    base::{Moment, ids, limits, text},
    care::dedupe::source_fields,
    config::settings::read,
    game::{
        batches::{self, Batch, GameChange, PlaylistChange, WrittenFile},
        duplicates::Identities,
    },
    model::{
        Cause, Draft, DraftError, Import, Record, State, media,
        origins::{FieldWriter, Origin, Right},
    },
    store::{CommitError, Store},
};

use super::{
    brought, exclusions,
    incoming::{Incoming, not_installed, set_one_line},
    known::{self, Known, Match, Matching, Way, is_file},
};

/// Flags that an import sets and never clears.
const MARKS: [&str; 3] = ["owned", "store_catalog", "store_installed"];
/// Fields that an installed game replaces in the row of one that was not installed.
const PLACE: [&str; 4] = ["path", "launch", "platform", "install_dir"];

/// Merges games of a source in one commit, and only when something changes.
///
/// # Errors
/// When the library cannot be read or written.
pub fn import(
    source: &str,
    store: &Store,
    incoming: &[Incoming],
    now: &Moment,
) -> Result<Merged, CommitError<DraftError>> {
    let batch = ids::random_hex(16);
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    let mut trial = Draft::new((*state).clone());
    let merged = merge_all(&mut trial, incoming, now, &batch).map_err(CommitError::Refused)?.merged;
    // Importers run repeatedly; a run without news must not delay writers.
    if trial.finish().1.is_empty() {
        return Ok(merged);
    }
    store.commit(|draft| Ok(merge_all(draft, incoming, now, &batch)?.finish(draft, source)))
}

/// As [`import`], and reports the import of this source.
///
/// # Errors
/// As [`import`].
pub fn import_from(
    source: &str,
    store: &Store,
    incoming: &[Incoming],
    now: &Moment,
) -> Result<Merged, CommitError<DraftError>> {
    let merged = import(source, store, incoming, now)?;
    store.report(Cause::Imported(Import {
        source: source.to_owned(),
        found: merged.found as u64,
        added: merged.added.len() as u64,
        changed: merged.changed.clone(),
    }));
    Ok(merged)
}

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Games that were not excluded.
    pub found: usize,
    /// The ids of new rows in their order.
    pub added: Vec<String>,
    /// The ids of changed rows that were there before, each once.
    pub changed: Vec<String>,
    /// The names of new rows in their order.
    pub names: Vec<String>,
    /// The id of the import, where it added or changed anything.
    pub import_batch_id: Option<String>,
}

/// Merges games into the library: known ones are filled, excluded ones left out, the rest added. It is
/// no import of its own that could be undone.
///
/// # Errors
/// None in practice: new rows bring no id, so none can be taken.
pub fn merge(
    draft: &mut Draft,
    incoming: &[Incoming],
    now: &Moment,
    batch: &str,
) -> Result<Merged, DraftError> {
    Ok(merge_all(draft, incoming, now, batch)?.merged)
}

fn merge_all(
    draft: &mut Draft,
    incoming: &[Incoming],
    now: &Moment,
    batch: &str,
) -> Result<Merger, DraftError> {
    let excluded = exclusions::list(draft.state());
    let mut merger = Merger::new(draft.state(), Matching::RECORDS, now, batch);
    let at = now.local_iso();
    for game in incoming {
        if exclusions::is_excluded(&excluded, &game.record) {
            continue;
        }
        match merger.find(draft.state(), game) {
            Some(found) => {
                merger.join(draft, game, found, |row| fill(row, game, found, &at))?;
            }
            None => merger.add(draft, game)?,
        }
    }
    Ok(merger)
}

/// Adds the games of a folder that are new by their path or by their discs. A known one that was a single
/// disc gets the others, and one that a list named without its command is completed; the rest stay as they
/// are.
///
/// # Errors
/// As [`merge`].
pub fn add_new(
    draft: &mut Draft,
    incoming: impl Iterator<Item = Incoming>,
    now: &Moment,
    batch: &str,
) -> Result<Merged, DraftError> {
    let mut merger = Merger::new(draft.state(), Matching::FOLDERS, now, batch);
    // Few files say which game of a store they start, so the library is read for the first one.
    let mut of_stores: Option<HashSet<String>> = None;
    let at = now.local_iso();
    for game in incoming {
        let mut is_of_other = |state: &State| {
            let ids = Identities::of_stores(&game.record);
            let read = || Identities::in_stores(&state.games).map(|(id, _)| id).collect();
            !ids.is_empty() && {
                let known = of_stores.get_or_insert_with(read);
                ids.into_iter().any(|id| !known.insert(id))
            }
        };
        let Some(found) = merger.find(draft.state(), &game) else {
            if !is_of_other(draft.state()) {
                merger.add(draft, &game)?;
            }
            continue;
        };
        let row = draft.state().games.get(found.position).map(|row| row.record());
        let is_disc = || row.as_ref().is_some_and(|row| is_disc_of(row, &game.record));
        let lacks_discs = || row.as_ref().is_some_and(|row| lacks_discs(row, &game.record));
        let is_bare = row
            .as_ref()
            .is_some_and(|row| lacks_command(row) && row.text("path") == game.record.text("path"));
        if is_bare && !game.record.is_blank("launch") {
            let is_of_other = is_of_other(draft.state());
            merger.join(draft, &game, found, |row| {
                complete(row, &game.record, !is_of_other, &at);
            })?;
        } else if found.way == Way::Folder || is_disc() || lacks_discs() {
            merger.join(draft, &game, found, |row| take_file(row, &game.record))?;
        }
    }
    Ok(merger.finish(draft, "folder"))
}

/// Whether a row comes from a list that did not know how its game is started.
pub fn lacks_command(row: &Record) -> bool {
    row.text("source") == known::FRONTEND && row.is_blank("launch")
}

/// Fills the empty fields of a row from the file of its game, those with ids in stores only `with_ids`.
fn complete(row: &mut Record, game: &Record, with_ids: bool, at: &str) {
    let mut row = FieldWriter::new(row, Origin::import("folder", at), Right::Pass);
    for (field, value) in &game.0 {
        let is_id = || source_fields().any(|of_store| of_store == field);
        if !game.is_blank(field) && (with_ids || !is_id()) {
            row.fill(field, value.clone());
        }
    }
    row.finish();
}

/// Gives a row the file of a game, and its discs where it has several.
fn take_file(row: &mut Record, game: &Record) {
    row.set("path", game.text("path"));
    let discs: Vec<&str> = game.texts("discs").collect();
    if !discs.is_empty() {
        row.set("discs", discs);
    }
}

/// Whether a row is one disc of a game that has several.
fn is_disc_of(row: &Record, game: &Record) -> bool {
    row.texts("discs").next().is_none() && game.texts("discs").any(|disc| disc == row.text("path"))
}

/// Whether a row with the same file has some of the discs of a game, but not all.
fn lacks_discs(row: &Record, game: &Record) -> bool {
    let all: Vec<&str> = game.texts("discs").collect();
    let count = row.texts("discs").count();
    row.text("path") == game.text("path")
        && (1..all.len()).contains(&count)
        && row.texts("discs").all(|disc| all.contains(&disc))
}

/// The id of the library's game that each of these is, in their order; `None` for one that an import
/// would add. Changes nothing.
pub fn known_ids(state: &State, incoming: &[Incoming]) -> Vec<Option<String>> {
    let mut known = Known::new(state, Matching::RECORDS);
    let find = |game: &Incoming| {
        let found = known.find(state, game);
        // A new one counts as known for those that follow, but has no id.
        known.enter(game, found);
        state.games.get(found?.position).map(|game| game.id().to_owned())
    };
    incoming.iter().map(find).collect()
}

/// The one way in which games enter a library: every import adds and changes rows through it.
pub struct Merger {
    known: Known,
    stamp: RowStamp,
    /// Games before the import.
    before: usize,
    /// Where the change of a game stands among `changes`, by its position in the library.
    changed: HashMap<usize, usize>,
    changes: Vec<GameChange>,
    /// Files that were written for the games.
    files: Vec<WrittenFile>,
    /// Playlists that came with the games.
    pub playlists: Vec<PlaylistChange>,
    /// The result so far.
    pub merged: Merged,
}

impl Merger {
    /// For this library. `batch` is the id of the import, 32 hex digits.
    pub fn new(state: &State, matching: Matching, now: &Moment, batch: &str) -> Self {
        Self {
            known: Known::new(state, matching),
            stamp: RowStamp::new(state, now, batch),
            before: state.games.len(),
            changed: HashMap::new(),
            changes: Vec::new(),
            files: Vec::new(),
            playlists: Vec::new(),
            merged: Merged::default(),
        }
    }

    /// The game that this one is, in the library or among those merged before it.
    pub fn find(&self, state: &State, game: &Incoming) -> Option<Match> {
        self.known.find(state, game)
    }

    /// Adds a game as a row of its own.
    ///
    /// # Errors
    /// None in practice: the row brings no id, so none can be taken.
    pub fn add(&mut self, draft: &mut Draft, game: &Incoming) -> Result<(), DraftError> {
        let mut row = new_row(game, &self.stamp);
        brought::settle(&mut row, &game.record, self.stamp.date());
        let id = draft.add_game(row)?;
        self.known.enter(game, None);
        self.files.extend(game.written.iter().cloned());
        self.merged.found += 1;
        self.merged.added.push(id);
        self.merged.names.push(game.record.text("name").to_owned());
        Ok(())
    }

    /// Makes a game a part of the one it was matched with, whose row `fill` changes; the id of that
    /// row. The change counts only for rows that were there before the import.
    ///
    /// # Errors
    /// [`DraftError`] when there is no game at the position of the match.
    pub fn join(
        &mut self,
        draft: &mut Draft,
        game: &Incoming,
        found: Match,
        fill: impl FnOnce(&mut Record),
    ) -> Result<String, DraftError> {
        self.known.enter(game, Some(found));
        self.files.extend(game.written.iter().cloned());
        self.merged.found += 1;
        let row = draft.state().games.get(found.position);
        let id = row.map(|row| row.id().to_owned()).unwrap_or_default();
        let change = draft.edit_game(&id, |row| {
            let before = row.clone();
            fill(row);
            brought::settle(row, &game.record, self.stamp.date());
            GameChange::between(&id, &before, row)
        })?;
        if let Some(change) = change.filter(|_| found.position < self.before) {
            match self.changed.entry(found.position) {
                Entry::Occupied(at) => self.changes[*at.get()].then(change),
                Entry::Vacant(place) => {
                    place.insert(self.changes.len());
                    self.changes.push(change);
                    self.merged.changed.push(id.clone());
                }
            }
        }
        Ok(id)
    }

    /// Ends the import of a source: notes in the library what it did, so that it can be undone.
    pub fn finish(self, draft: &mut Draft, source: &str) -> Merged {
        let id = self.stamp.batch;
        let batch = Batch {
            import_batch_id: id.clone(),
            source: source.to_owned(),
            imported_at: self.stamp.added_at,
            added: self.merged.added.len() as u64,
            changes: self.changes,
            files: self.files,
            playlists: self.playlists,
            ..Batch::default()
        };
        let import_batch_id = batches::note(draft, batch).then_some(id);
        Merged { import_batch_id, ..self.merged }
    }
}

/// What all new rows of one import share.
struct RowStamp {
    /// Local time of the import.
    added_at: String,
    /// The id of the import, 32 hex digits.
    batch: String,
    /// The progress of a game that brings none.
    progress: String,
}

impl RowStamp {
    fn new(state: &State, now: &Moment, batch: &str) -> Self {
        Self {
            added_at: now.local_iso(),
            batch: batch.to_owned(),
            progress: read::text(state.settings(), "progress_on_first_play"),
        }
    }

    /// The day of the import.
    fn date(&self) -> &str {
        self.added_at.get(..10).unwrap_or_default()
    }
}

/// The row of a game that the library does not have.
fn new_row(game: &Incoming, stamp: &RowStamp) -> Record {
    let mut row = game.record.clone();
    set_one_line(&mut row);
    row.set("added_at", stamp.added_at.as_str());
    row.set("import_batch_id", stamp.batch.as_str());
    if game.is_plain {
        return row;
    }
    let mut identities = Identities::of(&row).exact;
    identities.sort();
    identities.dedup();
    row.set("source_identities", identities);
    if row.is_blank("progress") {
        row.set("progress", stamp.progress.as_str());
    }
    for video in media::SPECIAL_VIDEOS {
        if row.is_blank(video) {
            row.set(video, "");
        }
    }
    row
}

/// Fills the empty fields of a row from a game, at this local time; values that the user set stay.
pub fn fill(row: &mut Record, game: &Incoming, found: Match, at: &str) {
    if found.way == Way::Folder {
        take_file(row, &game.record);
    }
    let origin = Origin::import(game.record.text("source"), at);
    let mut row = FieldWriter::new(row, origin, Right::Pass);
    if found.is_listed {
        renew(&mut row, game);
    } else if found.way == Way::Set {
        become_set(&mut row, game);
    } else {
        join(&mut row, game, found.is_cross_store);
    }
    row.finish();
}

/// Makes the row of an archive the arcade set that the archive is. A command that the user wrote stays.
fn become_set(row: &mut FieldWriter<'_>, game: &Incoming) {
    let written = row.record().get("import_command").map(|written| written["launch"].clone());
    let is_of_import = written.as_ref() == row.record().get("launch");
    let has_own_command = !row.record().is_blank("launch") && !is_of_import;
    add_identities(row, &game.record);
    for (field, value) in &game.record.0 {
        let is_kept = has_own_command && ["launch", "import_command"].contains(&field.as_str());
        if !is_kept && !brought::is_note(field) && !game.record.is_blank(field) {
            row.replace(field, value.clone());
        }
    }
}

fn join(row: &mut FieldWriter<'_>, game: &Incoming, is_cross_store: bool) {
    let incoming = &game.record;
    let was_installed = row.record().flag("store_installed");
    // A row of another store keeps its own way to start, unless it is marked as not installed.
    let may_move = if is_cross_store {
        row.record().get("store_installed") == Some(&Value::Bool(false))
    } else {
        !was_installed
    };
    add_identities(row, incoming);
    name(row, game);
    if is_cross_store {
        add_application(row, game);
    } else {
        renew(row, game);
    }
    for key in source_fields() {
        if !incoming.is_blank(key) {
            row.fill(key, incoming.0[key].clone());
        }
    }
    if incoming.flag("store_installed") && may_move {
        for key in PLACE {
            if !incoming.is_blank(key) {
                row.replace(key, incoming.0[key].clone());
            }
        }
    }
    if incoming.flag("store_installed") && !is_cross_store {
        let outdated = not_installed(&game.label);
        let mut notes = row.record().list("notes").to_vec();
        notes.retain(|note| note["text"] != outdated.as_str());
        row.replace("notes", notes);
    }
    for key in MARKS {
        if incoming.flag(key) && (key != "store_installed" || may_move) {
            row.replace(key, true);
        }
    }
}

/// Whether a row is started by a command that its importer wrote and whose program is gone. A command
/// of the user is never one.
pub fn is_stranded(row: &Record, game: &Incoming) -> bool {
    let launch = row.text("launch");
    !game.record.is_blank("launch") && game.gone.iter().any(|gone| gone == launch)
}

/// Replaces the command of a row whose program is gone by the one its importer writes now.
fn renew(row: &mut FieldWriter<'_>, game: &Incoming) {
    if is_stranded(row.record(), game) && row.replace("launch", game.record.text("launch")) {
        if let Some(command) = game.record.get("import_command") {
            row.replace("import_command", command.clone());
        }
        // The path of a store's row is the program of the store.
        if !is_file(row.record()) && !game.record.is_blank("path") {
            row.replace("path", game.record.text("path"));
        }
    }
}

fn add_identities(row: &mut FieldWriter<'_>, incoming: &Record) {
    let mut all = Identities::of(row.record()).exact;
    all.extend(Identities::of(incoming).exact);
    all.sort();
    all.dedup();
    row.replace("source_identities", all);
}

/// Keeps a different name as an alternate name; a stand-in is replaced by a real name.
fn name(row: &mut FieldWriter<'_>, game: &Incoming) {
    let new = text::one_line(game.record.text("name"));
    let new = new.trim();
    let old = row.record().text("name").trim();
    if new.is_empty() || new == game.stand_in || text::fold(new) == text::fold(old) {
        return;
    }
    if !game.stand_in.is_empty() && old == game.stand_in {
        row.replace("name", new);
        return;
    }
    let names = row.record().texts("alternate_names");
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    if names.len() < limits::ALTERNATE_NAMES
        && names.iter().all(|name| text::fold(name) != text::fold(new))
    {
        names.push(new.to_owned());
        row.replace("alternate_names", names);
    }
}

fn add_application(row: &mut FieldWriter<'_>, game: &Incoming) {
    let (path, command) = (game.record.text("path"), filled_launch(&game.record));
    if path.is_empty() && command.is_empty() {
        return;
    }
    let mut applications = row.record().list("applications").to_vec();
    let is_there = applications.iter().any(|each| {
        each["path"].as_str() == Some(path) && each["command"].as_str() == Some(&*command)
    });
    if !is_there && applications.len() < limits::EXTRAS {
        // A file is known by its own name; a store says how it starts the game.
        let own = text::one_line(game.record.text("name")).into_owned();
        let name = match command.as_str() {
            "" if !own.trim().is_empty() => own,
            _ => format!("Launch with {}", game.label),
        };
        applications.push(json!({"name": name, "path": path, "command": command}));
        row.replace("applications", applications);
    }
}

/// The launch command with the ids of its store put in, so that it works in any row.
fn filled_launch(record: &Record) -> String {
    let mut command = record.text("launch").to_owned();
    for (token, key) in [
        ("{app_id}", "store_a_app_id"),
        ("{store_b_app_id}", "store_b_app_id"),
        ("{store_c_id}", "store_c_id"),
    ] {
        command = command.replace(token, record.shown(key).trim());
    }
    command
}
