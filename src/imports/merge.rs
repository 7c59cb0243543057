//! What stores, emulators and other lists bring becomes rows of the library, each game once.
//!
//! A record whose identity the library knows fills what is empty there; the same title in another
//! store becomes one more way to start the game; the rest is added. A rule without I/O: importing
//! twice changes nothing the second time. See `docs/design/imports.md`.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use crate::{
    base::{clock::Moment, ids, text, text_map::TextMap},
    care::dedupe::SOURCE_FIELDS,
    config::settings::read,
    game::duplicates::{Identities, Register},
    model::{
        draft::{Draft, DraftError},
        record::Record,
        state::State,
    },
    store::{error::CommitError, open::Store},
};

use super::exclusions;

/// Other names of a game that are kept.
const ALTERNATE_NAMES: usize = 20;
/// Marks that are only ever set.
const MARKS: [&str; 3] = ["owned", "store_catalog", "store_installed"];
/// What an installed game brings to the row of one that was not.
const PLACE: [&str; 4] = ["path", "launch", "platform", "install_dir"];
/// Fields whose ids make a row one of a store: its path is the store's program.
const STORE_IDS: [&str; 5] =
    ["store_a_app_id", "store_b_app_id", "store_c_id", "libserver_id", "wrapper_id"];

/// The fields that name a game of the adventure engine.
pub const BY_ENGINE_ID: &[&str] = &["source", "engine_library_id"];
/// The fields that name a set of an arcade emulator.
pub const BY_ROM_NAME: &[&str] = &["source", "rom_name"];

/// One game an importer found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incoming {
    /// The row it would become.
    pub record: Record,
    /// What its store is called, for "Launch with ...".
    pub label: String,
    /// Fields that together name it in its source; a row with the same values is the same game.
    pub known_by: &'static [&'static str],
    /// Whether one file is one game, so that a row with its path is the same game. Not so for sets
    /// of an arcade, several of which start from one archive.
    pub is_file: bool,
    /// The name its source gives to games whose name it does not know; blank when it knows all.
    pub stand_in: String,
    /// Commands its importer writes for it at other times, and whose program is not here now.
    pub gone: Vec<String>,
}

/// Merges what an importer found, in one commit and only when there is something to write.
///
/// # Errors
/// When the library cannot be read or written.
pub fn import(
    store: &Store,
    incoming: &[Incoming],
    now: &Moment,
) -> Result<Merged, CommitError<DraftError>> {
    let batch = ids::random_hex(16);
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    let mut trial = Draft::new((*state).clone());
    let merged = merge(&mut trial, incoming, now, &batch).map_err(CommitError::Refused)?;
    // Importers run again and again; a pass that finds nothing new holds up no writer.
    if trial.finish().1.is_empty() {
        return Ok(merged);
    }
    store.commit(|draft| merge(draft, incoming, now, &batch))
}

/// What a merge did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Games found, exclusions taken away.
    pub found: usize,
    /// The ids of new rows in their order.
    pub added: Vec<String>,
    /// The ids of rows that learned something, each once.
    pub changed: Vec<String>,
    /// The names of new rows in their order.
    pub names: Vec<String>,
}

/// Merges what an importer found into the library.
///
/// # Errors
/// None in practice: new rows bring no id, so none can be taken.
pub fn merge(
    draft: &mut Draft,
    incoming: &[Incoming],
    now: &Moment,
    batch: &str,
) -> Result<Merged, DraftError> {
    let mut merged = Merged::default();
    let excluded = exclusions::list(draft.state());
    let stamp = RowStamp::of(draft.state(), now, batch);
    let mut known = Known::of(draft.state(), incoming.iter().map(|game| game.known_by));
    for game in incoming {
        if exclusions::is_excluded(&excluded, &game.record) {
            continue;
        }
        merged.found += 1;
        if let Some(position) = known.listed(game) {
            let id = id_at(draft.state(), position);
            if draft.edit_game(&id, |row| renew(row, game))? && !merged.changed.contains(&id) {
                merged.changed.push(id);
            }
            continue;
        }
        if let Some(met) = known.find(game) {
            known.enter(game, Some(&met));
            let id = id_at(draft.state(), met.position);
            let changed = draft.edit_game(&id, |row| {
                let before = row.clone();
                fill(row, game, met.is_cross_store);
                *row != before
            })?;
            if changed && !merged.added.contains(&id) && !merged.changed.contains(&id) {
                merged.changed.push(id);
            }
        } else {
            let id = draft.add_game(new_row(game, &stamp))?;
            known.enter(game, None);
            merged.added.push(id);
            merged.names.push(game.record.text("name").to_owned());
        }
    }
    Ok(merged)
}

/// The id of the library's game that each of these is, in their order; `None` for one that an import
/// would add. Changes nothing.
#[must_use]
pub fn known_ids(state: &State, incoming: &[Incoming]) -> Vec<Option<String>> {
    let mut known = Known::of(state, incoming.iter().map(|game| game.known_by));
    let find = |game: &Incoming| {
        let met = known.find(game);
        // One that is new here counts for those behind it, and has no id.
        known.enter(game, met.as_ref());
        state.games.get(met?.position).map(|game| game.id().to_owned())
    };
    incoming.iter().map(find).collect()
}

/// What the library holds, by everything a game can be recognised by.
pub struct Known {
    register: Register,
    /// How many games are known; new ones come behind them.
    len: usize,
    paths: TextMap,
    /// The discs of games that are played from a playlist.
    discs: HashMap<String, usize>,
    tuples: HashMap<Vec<String>, usize>,
}

/// A game that is known already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// Its position among everything that is known.
    pub position: usize,
    /// Whether it comes from another store and shares only the title.
    pub is_cross_store: bool,
}

impl Known {
    /// What a library holds. `keys` are the lists of fields that name games in their sources.
    #[must_use]
    pub fn of(state: &State, keys: impl Iterator<Item = &'static [&'static str]>) -> Self {
        let mut known = Self {
            register: Register::default(),
            len: state.games.len(),
            paths: TextMap::default(),
            discs: HashMap::new(),
            tuples: HashMap::new(),
        };
        // Importers bring records of one kind, so there is one list of fields in practice.
        let keys: BTreeSet<&'static [&'static str]> =
            keys.filter(|keys| !keys.is_empty()).collect();
        for (position, game) in state.games.iter().enumerate() {
            let record = game.record();
            known.register.own(position, Identities::of(&record));
            if is_file(&record) {
                known.paths.enter(record.text("path"), position);
            }
            for disc in record.texts("discs").filter(|disc| *disc != record.text("path")) {
                known.discs.entry(disc.to_owned()).or_insert(position);
            }
            for tuple in keys.iter().filter_map(|keys| tuple(&record, keys)) {
                known.tuples.entry(tuple).or_insert(position);
            }
        }
        known
    }

    /// The game whose source names it like this one, or one of whose discs it is: nothing that a
    /// merge would tell it anything new of.
    #[must_use]
    pub fn listed(&self, game: &Incoming) -> Option<usize> {
        let by_tuple = tuple(&game.record, game.known_by);
        let by_tuple = by_tuple.and_then(|tuple| self.tuples.get(&tuple));
        let by_disc = || self.discs.get(game.record.text("path")).filter(|_| game.is_file);
        by_tuple.or_else(by_disc).copied()
    }

    /// The game that is this one.
    #[must_use]
    pub fn find(&self, game: &Incoming) -> Option<Met> {
        let met = |position, is_cross_store| Met { position, is_cross_store };
        let found = self.register.find(&Identities::of(&game.record));
        let by_path = || self.paths.get(game.record.text("path")).filter(|_| game.is_file);
        found
            .map(|found| met(found.earlier, found.is_cross_store))
            .or_else(|| Some(met(by_path()?, false)))
    }

    /// From now on the record counts as known: as a part of the game it was found to be, else as a
    /// game of its own behind all others.
    pub fn enter(&mut self, game: &Incoming, met: Option<&Met>) {
        let owner = met.map_or(self.len, |met| met.position);
        self.len += usize::from(met.is_none());
        self.register.own(owner, Identities::of(&game.record));
        if game.is_file {
            self.paths.enter(game.record.text("path"), owner);
        }
        if let Some(tuple) = tuple(&game.record, game.known_by) {
            self.tuples.entry(tuple).or_insert(owner);
        }
    }
}

/// The id of what is known at a position of a library that holds everything known; blank where
/// nothing is.
#[must_use]
pub fn id_at(state: &State, position: usize) -> String {
    state.games.get(position).map(|game| game.id().to_owned()).unwrap_or_default()
}

/// Whether the path of a row is its own file and not the program of a store.
#[must_use]
pub fn is_file(record: &Record) -> bool {
    !record.is_blank("path") && STORE_IDS.iter().all(|key| record.shown(key).trim().is_empty())
}

/// The values of these fields, folded; `None` unless each has one.
fn tuple(record: &Record, keys: &[&str]) -> Option<Vec<String>> {
    let values: Vec<String> = keys.iter().map(|key| text::fold(record.shown(key).trim())).collect();
    (!values.is_empty() && values.iter().all(|value| !value.is_empty())).then(|| {
        let keys = keys.iter().map(|key| (*key).to_owned());
        keys.chain(values).collect()
    })
}

/// What all new rows of one import share.
#[derive(Clone, Debug)]
pub struct RowStamp {
    /// Local time of the import.
    pub added_at: String,
    /// The id of the import, 32 hex digits.
    pub batch: String,
    /// The progress of a game that brings none.
    pub progress: String,
}

impl RowStamp {
    /// The stamp of an import into this library.
    #[must_use]
    pub fn of(state: &State, now: &Moment, batch: &str) -> Self {
        Self {
            added_at: now.local_iso(),
            batch: batch.to_owned(),
            progress: read::text(state.settings(), "progress_on_first_play"),
        }
    }
}

/// The row of a game that the library does not have.
#[must_use]
pub fn new_row(game: &Incoming, stamp: &RowStamp) -> Record {
    let mut row = game.record.clone();
    let mut identities = Identities::of(&row).exact;
    identities.sort();
    identities.dedup();
    row.set("source_identities", identities);
    row.set("added_at", stamp.added_at.as_str());
    row.set("import_batch_id", stamp.batch.as_str());
    if row.is_blank("progress") {
        row.set("progress", stamp.progress.as_str());
    }
    for video in ["video_snap", "video_theme", "video_trailer", "video_recording"] {
        if row.is_blank(video) {
            row.set(video, "");
        }
    }
    row
}

/// Gives a row what it lacks and the game brings; what a person set stays.
pub fn fill(row: &mut Record, game: &Incoming, is_cross_store: bool) {
    let incoming = &game.record;
    let was_installed = row.flag("store_installed");
    // A row of another store that does not say that it is not installed keeps its own way to start.
    let may_move = if is_cross_store {
        row.get("store_installed") == Some(&Value::Bool(false))
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
    for key in SOURCE_FIELDS {
        if row.is_blank(key) && !incoming.is_blank(key) {
            row.0.insert(key.to_owned(), incoming.0[key].clone());
        }
    }
    if incoming.flag("store_installed") && may_move {
        for key in PLACE {
            if !incoming.is_blank(key) {
                row.0.insert(key.to_owned(), incoming.0[key].clone());
            }
        }
    }
    for key in MARKS {
        if incoming.flag(key) && (key != "store_installed" || may_move) {
            row.set(key, true);
        }
    }
}

/// Whether a row is started by a command that its importer wrote and whose program is gone. What a
/// person wrote is no such command.
#[must_use]
pub fn is_stranded(row: &Record, game: &Incoming) -> bool {
    let launch = row.text("launch");
    !game.record.is_blank("launch") && game.gone.iter().any(|gone| gone == launch)
}

/// Gives a row whose command leads nowhere any more the one its importer writes now; whether it did.
pub fn renew(row: &mut Record, game: &Incoming) -> bool {
    let is_stranded = is_stranded(row, game);
    if is_stranded {
        row.set("launch", game.record.text("launch"));
        // The path of a store's row is the program of the store.
        if !is_file(row) && !game.record.is_blank("path") {
            row.set("path", game.record.text("path"));
        }
    }
    is_stranded
}

fn add_identities(row: &mut Record, incoming: &Record) {
    let mut all = Identities::of(row).exact;
    all.extend(Identities::of(incoming).exact);
    all.sort();
    all.dedup();
    row.set("source_identities", all);
}

/// A name that differs becomes another name of the game; a stand-in is replaced by a real one.
fn name(row: &mut Record, game: &Incoming) {
    let new = game.record.text("name").trim();
    let old = row.text("name").trim();
    if new.is_empty() || new == game.stand_in || text::fold(new) == text::fold(old) {
        return;
    }
    if !game.stand_in.is_empty() && old == game.stand_in {
        row.set("name", new);
        return;
    }
    let mut names: Vec<String> = row.texts("alternate_names").map(str::to_owned).collect();
    if names.len() < ALTERNATE_NAMES && names.iter().all(|name| text::fold(name) != text::fold(new))
    {
        names.push(new.to_owned());
        row.set("alternate_names", names);
    }
}

fn add_application(row: &mut Record, game: &Incoming) {
    let (path, command) = (game.record.text("path"), filled_launch(&game.record));
    let mut applications = row.list("applications").to_vec();
    let is_there = applications.iter().any(|each| {
        each["path"].as_str() == Some(path) && each["command"].as_str() == Some(&*command)
    });
    if !is_there && !command.is_empty() {
        let name = format!("Launch with {}", game.label);
        applications.push(json!({"name": name, "path": path, "command": command}));
        row.set("applications", applications);
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
