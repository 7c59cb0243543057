//! The state of the exchange in a library: the section `library_sync`, the file of events, and the games as
//! catalogs.
//!
//! A local change becomes an event when changes are applied or published, not when it is made: the
//! catalog of a game is compared with that of the event it stands at.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use serde_json::{Map, Value, json};

use super::{error::LibsyncError, merge::Local};
use crate::{
    base::Moment,
    files::Files,
    journal::{
        catalog::{self, Catalog},
        exchange::{EVENTS, Event, Recorder, SECTION, has_own_id, shared},
    },
    model::{Draft, Game, State},
    mounted::{
        canonical,
        graph::{self, Heads, Node as _, Nodes},
    },
};

/// Bytes of the file of events.
const FILE_BYTES: u64 = 256 << 20;
/// Keys of a record that hold an identity which several libraries share.
const IDENTITIES: [&str; 3] = ["sync_identity", "verified_sync_key", "verified_provider_identity"];
const PROVIDER: &str = "provider_identity_verified";
/// Ids at providers, which become an identity once they were verified.
const PROVIDERS: [&str; 7] = [
    "store_a_app_id",
    "store_b_app_id",
    "store_c_id",
    "libserver_id",
    "gamedb_id",
    "ach_game_id",
    "metadb_id",
];

/// The key under which a game that came from elsewhere keeps its identity.
pub const KEPT_IDENTITY: &str = "verified_sync_key";

/// The section as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Book {
    /// Who records events here; without a device before the first one.
    pub recorder: Recorder,
    /// The events that each game stands at.
    pub heads: Heads,
    /// Ids of events that are not in the folder yet.
    pub outbox: Vec<String>,
    /// Undecided conflicts, by game.
    pub pending: Map<String, Value>,
}

impl Book {
    /// The section of a state.
    pub fn of(state: &State) -> Self {
        let section = state.section(SECTION);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts =
            |value: &Value| value.as_array().into_iter().flatten().filter_map(text).collect();
        let heads = section["heads"].as_object().into_iter().flatten();
        let of_household = &state.section("household")["device_id"];
        let device = text(&section["device_id"]).or_else(|| text(of_household)).unwrap_or_default();
        Self {
            recorder: Recorder {
                device,
                next: section["next_sequence"].as_u64().unwrap_or(1).max(1),
            },
            heads: heads.map(|(key, ids)| (key.clone(), texts(ids))).collect(),
            outbox: texts(&section["outbox"]),
            pending: section["pending_conflicts"].as_object().cloned().unwrap_or_default(),
        }
    }

    /// Puts the section into a draft.
    pub fn store(&self, draft: &mut Draft) {
        let mut section = draft.state().section(SECTION).as_object().cloned().unwrap_or_default();
        section.extend(Map::from_iter([
            ("device_id".to_owned(), json!(self.recorder.device)),
            ("next_sequence".to_owned(), json!(self.recorder.next)),
            ("heads".to_owned(), json!(self.heads)),
            ("outbox".to_owned(), json!(self.outbox)),
            ("pending_conflicts".to_owned(), Value::Object(self.pending.clone())),
        ]));
        draft.set_section(SECTION, Value::Object(section));
    }

    /// Records every game that is not what the event says it stands at. Returns the new events.
    pub fn record(&mut self, games: &Games, events: &Nodes<Event>, now: &Moment) -> Vec<Event> {
        let mut recorded = Vec::new();
        for key in games.keys().chain(self.heads.keys()).cloned().collect::<BTreeSet<String>>() {
            let local = self.local(&key, games, events);
            if !is_edited(&local, events) {
                continue;
            }
            let event = Event::record(&mut self.recorder, &key, local.heads, local.catalog, now);
            match event {
                Ok(event) => {
                    self.heads.insert(key, vec![event.id.clone()]);
                    self.outbox.push(event.id.clone());
                    recorded.push(event);
                }
                Err(error) => log::warn!("a game is not synchronized: {error}"),
            }
        }
        recorded
    }

    /// A game of this library with the known events that it stands at.
    pub fn local(&self, key: &str, games: &Games, events: &Nodes<Event>) -> Local {
        let heads = self.heads.get(key).into_iter().flatten();
        let heads: Vec<String> = heads.filter(|id| events.contains_key(*id)).cloned().collect();
        let catalog = games.get(key).map(|(_, catalog)| shared(key, catalog.clone()));
        Local { heads, catalog }
    }
}

fn is_edited(local: &Local, events: &Nodes<Event>) -> bool {
    match local.heads.first().and_then(|id| events.get(id)) {
        Some(event) => event.catalog() != local.catalog,
        None => local.catalog.is_some(),
    }
}

/// The games of a library by key: stable id and catalog.
pub type Games = BTreeMap<String, (String, Catalog)>;

/// The games of a state.
///
/// # Errors
/// [`LibsyncError::Invalid`] when two games have one key.
pub fn games(state: &State) -> Result<Games, LibsyncError> {
    let mut games = Games::new();
    for game in state.games.iter() {
        let catalog = catalog::of(game);
        let key = key_of(game, &catalog);
        if games.insert(key, (game.id().to_owned(), catalog)).is_some() {
            let sentence = "Two games have the same sync identity.";
            return Err(LibsyncError::Invalid(sentence.to_owned()));
        }
    }
    Ok(games)
}

/// The key of a game: an identity that was verified, else its own.
pub fn key_of(game: &Game, catalog: &Catalog) -> String {
    let key = catalog::sync_key(catalog);
    let json = game.json();
    let is_plain = !json.contains(PROVIDER) && !IDENTITIES.iter().any(|name| json.contains(name));
    if has_own_id(&key) || is_plain {
        return key;
    }
    let record = game.record();
    if let Some(name) = IDENTITIES.iter().find(|name| !record.shown(name).trim().is_empty()) {
        return format!("verified:{}", record.shown(name).trim());
    }
    let provider = PROVIDERS.iter().find(|name| !record.shown(name).trim().is_empty());
    match provider.filter(|_| record.flag(PROVIDER)) {
        Some(name) => format!("verified:provider:{name}:{}", record.shown(name).trim()),
        None => key,
    }
}

/// The hash over the games and the events they stand at.
pub fn source_token(book: &Book, games: &Games) -> String {
    let catalogs: BTreeMap<&String, &Catalog> =
        games.iter().map(|(key, (_, catalog))| (key, catalog)).collect();
    canonical::hash(&json!({"heads": book.heads, "games": catalogs}))
}

/// The file of events, which only grows.
pub struct Ledger {
    files: Files,
    path: PathBuf,
}

impl Ledger {
    /// Events in this file, which need not be there yet.
    pub fn new(files: Files, path: PathBuf) -> Self {
        Self { files, path }
    }

    /// Every event that counts, together with those that the library holds itself. Events of this device
    /// that no game stands at any more were recorded right before a kill, and do not count.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(&self, book: &Book, held: Nodes<Event>) -> Result<Nodes<Event>, LibsyncError> {
        let mut events = held;
        self.read_file(&mut events)?;
        let counted: BTreeSet<String> = {
            let foreign = events.values().filter(|event| event.device != book.recorder.device);
            let ids = foreign.map(|event| &event.id).chain(book.heads.values().flatten());
            graph::with_ancestors(&events, ids).into_iter().cloned().collect()
        };
        events.retain(|id, _| counted.contains(id));
        let orphans = orphans(&events);
        events.retain(|id, _| !orphans.contains(id));
        Ok(events)
    }

    fn read_file(&self, events: &mut Nodes<Event>) -> Result<(), LibsyncError> {
        let Some(stat) = self.files.stat(&self.path)? else { return Ok(()) };
        if stat.len() > FILE_BYTES {
            return Err(LibsyncError::Invalid("There are too many sync events.".to_owned()));
        }
        let bytes = self.files.read(&self.path)?;
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let event =
                serde_json::from_slice(line).ok().and_then(|value| Event::read(&value).ok());
            match event {
                Some(event) => drop(events.insert(event.id.clone(), event)),
                None => log::warn!("a line of the sync events cannot be read"),
            }
        }
        Ok(())
    }

    /// Adds events.
    ///
    /// # Errors
    /// A disk that refuses; a part of them may be there then.
    pub fn add(&self, events: &[&Event]) -> Result<(), LibsyncError> {
        let bytes: Vec<u8> = events.iter().flat_map(|event| event.bytes()).collect();
        if bytes.is_empty() {
            return Ok(());
        }
        let mut appender = self.files.append_or_create(&self.path)?;
        let length = appender.len()?;
        // A kill may have cut off the last line.
        let is_torn = length > 0 && appender.read_back(length - 1, length)? != b"\n";
        if is_torn {
            appender.append(b"\n")?;
        }
        appender.append(&bytes)?;
        appender.sync()?;
        // The name of a new file must be as durable as what it holds.
        match self.path.parent().filter(|_| length == 0) {
            Some(folder) => Ok(self.files.sync_dir(folder)?),
            None => Ok(()),
        }
    }
}

/// Events that follow one which is not there: they have no meaning by themselves.
fn orphans(events: &Nodes<Event>) -> BTreeSet<String> {
    let mut orphans = BTreeSet::new();
    for id in graph::in_order(events) {
        let is_missing = |id: &String| !events.contains_key(id) || orphans.contains(id);
        if events[id].parents().iter().any(is_missing) {
            orphans.insert(id.clone());
        }
    }
    orphans
}

/// Joins events with those that are known.
///
/// # Errors
/// [`LibsyncError::Invalid`]: parents that are missing, circles, too many events.
pub fn join(
    known: &Nodes<Event>,
    incoming: impl IntoIterator<Item = Event>,
) -> Result<Nodes<Event>, LibsyncError> {
    let mut all = known.clone();
    all.extend(incoming.into_iter().map(|event| (event.id.clone(), event)));
    if all.len() > EVENTS {
        return Err(LibsyncError::Invalid(format!("There are more than {EVENTS} sync events.")));
    }
    graph::check(&all)?;
    Ok(all)
}
