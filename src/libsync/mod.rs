//! Library sync: the catalogs of several libraries become one through a mounted folder
//! (`/api/v2/library/sync/...`).
//!
//! What describes a game travels; where it lies, how it was played and what it looks like never does.
//! Nothing changes without a look: a preview is a plan, and applying it archives the library first.
//!
//! | file | what it owns |
//! |---|---|
//! | `known` | what this library knows: the section, the file of events, the games |
//! | `merge` | what several libraries made of one game |
//! | `plan` | what a preview shows |

pub mod error;
pub mod merge;
pub mod plan;

mod known;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use self::{
    error::LibsyncError,
    known::{Book, Games, KEPT_IDENTITY, Ledger},
    merge::{Chosen, Decision, Row},
    plan::SyncPlan,
};
use crate::{
    backup::{
        folder::Backups,
        items::{CreateRequest, Item},
        watch::Unwatched,
    },
    base::{Hold as _, Moment, ids, schema::schema},
    config::settings::read,
    files::Files,
    game::{GameRef, trash},
    journal::{
        catalog::{self, Catalog},
        exchange::{self, BYTES, EVENTS, Event},
    },
    model::{Cause, Draft, Record, State},
    mounted::{
        folder::{Folder, Layout},
        graph::{self, Nodes},
    },
    store::{CommitError, Committed, Store},
};

/// Where events lie.
const LAYOUT: Layout = Layout {
    name: "service-library-v3",
    lock: ".library.lock",
    files: EVENTS,
    file_bytes: BYTES as u64 + 1,
    bytes: 256 << 20,
};
/// Archives that are kept of the libraries before changes of others.
const RECOVERY_BACKUPS: usize = 3;
/// The protocol of a publish.
pub const PROTOCOL: &str = "v3";

schema! {
    /// `POST /api/v2/library/sync/apply`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SyncApplied {
        /// Games about which others knew something new, without those in conflict.
        pub applied: usize,
        /// Conflicts that were not decided.
        pub conflicts: Vec<Row>,
        /// Whether a game changed.
        pub changed: bool,
        /// The archive of the library as it was.
        pub recovery_backup: String,
    }

    /// `POST /api/v2/library/sync/publish`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SyncPublished {
        /// Files that were added to the folder.
        pub published: usize,
        /// Events that are still in the outbox.
        pub pending: usize,
        /// Events that left the outbox.
        pub acknowledged: usize,
        /// Always `v3`.
        pub protocol: &'static str,
    }
}

/// Makes the archive that is taken before a change; its name.
type BackUp = Box<dyn Fn() -> Result<String, LibsyncError> + Send + Sync>;

/// Synchronizes one library.
pub struct Libsync {
    files: Files,
    ledger: Ledger,
    back_up: BackUp,
    /// Held by the one that works.
    alone: Mutex<()>,
}

/// The archive of the library before changes of others are applied.
pub fn recovery_backup(backups: &Arc<Backups>) -> BackUp {
    let backups = Arc::clone(backups);
    Box::new(move || {
        let request = CreateRequest {
            items: vec![Item::Library],
            keep: RECOVERY_BACKUPS,
            automatic: false,
            is_recovery: true,
        };
        let created = backups.create(&request, &Unwatched)?;
        backups.report_created(&created.name, &request.items);
        Ok(created.name)
    })
}

/// What is known at the start of a request.
struct Known {
    state: Arc<State>,
    book: Book,
    games: Games,
    events: Nodes<Event>,
    token: String,
}

impl Libsync {
    /// Synchronizes with events in this file.
    pub fn new(files: Files, events: PathBuf, back_up: BackUp) -> Self {
        let ledger = Ledger::new(files.clone(), events);
        Self { files, ledger, back_up, alone: Mutex::new(()) }
    }

    fn known(&self, store: &Store, purpose: &'static str) -> Result<Known, LibsyncError> {
        let state = store.snapshot()?;
        if !read::flag(state.settings(), "library_sync_enabled") {
            return Err(LibsyncError::NotEnabled(purpose));
        }
        let book = Book::of(&state);
        let games = known::games(&state)?;
        let held = exchange::held(state.section(exchange::SECTION));
        let events = self.ledger.read(&book, held)?;
        let token = known::source_token(&book, &games);
        Ok(Known { state, book, games, events, token })
    }

    fn folder(&self, state: &State) -> Result<Folder<'_>, LibsyncError> {
        let mounted = read::text(state.settings(), "cloud_folder");
        Ok(Folder::below(&self.files, &mounted, LAYOUT)?)
    }

    /// `POST /api/v2/library/sync/preview`: the plan for these events, or for those of the folder.
    /// Nothing is written.
    ///
    /// # Errors
    /// [`LibsyncError`].
    pub fn preview(&self, store: &Store, events: Option<&Value>) -> Result<SyncPlan, LibsyncError> {
        let _alone = self.alone.hold();
        let Known { state, book, games, events: known, token } =
            self.known(store, "reviewing changes")?;
        let incoming = match events {
            None | Some(Value::Null) => read_folder(&self.folder(&state)?)?,
            Some(Value::Array(values)) => read_values(values)?,
            Some(_) => return Err(LibsyncError::Invalid("events must be a list.".to_owned())),
        };
        let all = known::join(&known, incoming.into_values())?;
        Ok(plan::plan(&book, &games, &known, &all, token))
    }

    /// `POST /api/v2/library/sync/apply`: applies a plan, after archiving the library. The plan is recomputed
    /// from its events; conflicts that are not decided stay as they are.
    ///
    /// # Errors
    /// [`LibsyncError`]; no game is changed then.
    pub fn apply(
        &self,
        store: &Store,
        plan: Option<&Value>,
        choices: Option<&Value>,
    ) -> Committed<SyncApplied, LibsyncError> {
        let _alone = self.alone.hold();
        let refused = CommitError::Refused;
        let known = self.known(store, "applying changes").map_err(refused)?;
        let reviewed = Reviewed::read(plan).map_err(refused)?;
        let chosen = chosen(choices).map_err(refused)?;
        if reviewed.source_token != known.token {
            return Err(refused(LibsyncError::PreviewStale));
        }
        let fresh = self.events_of(&reviewed, &known).map_err(refused)?;
        let all = known::join(&known.events, fresh.values().cloned()).map_err(refused)?;
        let outcome = settle(known, all, &chosen, &Moment::now()).map_err(refused)?;
        let recovery_backup = (self.back_up)().map_err(refused)?;
        // Events are durable before a game stands at them.
        let added: Vec<&Event> = fresh.values().chain(&outcome.recorded).collect();
        self.ledger.add(&added).map_err(refused)?;
        store.commit(|draft| {
            let (book, games) = (Book::of(draft.state()), known::games(draft.state())?);
            if known::source_token(&book, &games) != outcome.token {
                return Err(LibsyncError::PreviewStale);
            }
            let changed = outcome.write(draft)?;
            let Outcome { applied, rows, .. } = &outcome;
            let (applied, conflicts) = (*applied, rows.clone());
            Ok(SyncApplied { applied, conflicts, changed, recovery_backup })
        })
    }

    /// The events of a reviewed plan, of its own or from the folder. A plan that names none is about all
    /// that are new; when those are others now, it is stale.
    fn events_of(&self, reviewed: &Reviewed, known: &Known) -> Result<Nodes<Event>, LibsyncError> {
        let Reviewed { event_ids, events, .. } = reviewed;
        let names_none = event_ids.as_ref().is_some_and(BTreeSet::is_empty);
        let carried = events.as_ref().filter(|values| !values.is_empty() || names_none);
        let fresh = match (carried, event_ids) {
            (Some(values), _) => read_values(values)?,
            (None, ids) => {
                let mut fresh = read_folder(&self.folder(&known.state)?)?;
                fresh.retain(|id, _| match ids {
                    Some(ids) => ids.contains(id),
                    None => !known.events.contains_key(id),
                });
                fresh
            }
        };
        let is_same = event_ids.as_ref().is_none_or(|ids| fresh.keys().eq(ids))
            && plan::events_token(&fresh.values().collect::<Vec<_>>()) == reviewed.events_token;
        match (is_same, carried, event_ids) {
            (true, ..) => Ok(fresh),
            (false, None, None) => Err(LibsyncError::PreviewStale),
            (false, ..) => {
                let sentence = "The plan is not the one that was reviewed.";
                Err(LibsyncError::Invalid(sentence.to_owned()))
            }
        }
    }

    /// `POST /api/v2/library/sync/publish`: adds everything that is known here to the folder.
    ///
    /// # Errors
    /// [`LibsyncError`]. After one the folder may have got events; publishing again completes it.
    pub fn publish(
        &self,
        store: &Store,
        protocol: Option<&Value>,
    ) -> Committed<SyncPublished, LibsyncError> {
        let refused = CommitError::Refused;
        if protocol.and_then(Value::as_str) != Some(PROTOCOL) {
            return Err(refused(LibsyncError::OldProtocol));
        }
        let _alone = self.alone.hold();
        let Known { state, mut book, games, events, token } =
            self.known(store, "publishing").map_err(refused)?;
        let folder = self.folder(&state).map_err(refused)?;
        let mut events = self.recover(&folder, &book, events).map_err(refused)?;
        if book.recorder.device.is_empty() {
            book.recorder.device = ids::random_uuid();
        }
        let recorded = book.record(&games, &events, &Moment::now());
        if !recorded.is_empty() {
            self.ledger.add(&recorded.iter().collect::<Vec<_>>()).map_err(refused)?;
            store.commit(|draft| {
                check_unchanged(draft.state(), &token)?;
                book.store(draft);
                Ok::<(), LibsyncError>(())
            })?;
            events.extend(recorded.into_iter().map(|event| (event.id.clone(), event)));
        }
        let token = known::source_token(&book, &games);
        let (there, published) = add_to_folder(&folder, &events).map_err(refused)?;
        store.commit(|draft| {
            check_unchanged(draft.state(), &token)?;
            let mut book = Book::of(draft.state());
            let before = book.outbox.len();
            book.outbox.retain(|id| !there.contains(id));
            let (pending, acknowledged) = (book.outbox.len(), before - book.outbox.len());
            if acknowledged > 0 {
                book.store(draft);
            }
            Ok(SyncPublished { published, pending, acknowledged, protocol: PROTOCOL })
        })
    }

    /// Takes events that games stand at from the folder where they are gone here: a library that was restored on
    /// another disk comes without them. Returns all that are known then.
    fn recover(
        &self,
        folder: &Folder<'_>,
        book: &Book,
        known: Nodes<Event>,
    ) -> Result<Nodes<Event>, LibsyncError> {
        let is_gone = |id: &&String| !known.contains_key(*id);
        let gone: Vec<&String> = book.heads.values().flatten().filter(is_gone).collect();
        if gone.is_empty() {
            return Ok(known);
        }
        let there = read_folder(folder)?;
        let found = graph::with_ancestors(&there, gone).into_iter().filter(is_gone);
        let found: Vec<&Event> = found.map(|id| &there[id]).collect();
        let all = known::join(&known, found.iter().map(|event| (*event).clone()))?;
        self.ledger.add(&found)?;
        Ok(all)
    }
}

fn check_unchanged(state: &State, token: &str) -> Result<(), LibsyncError> {
    let is_same = known::source_token(&Book::of(state), &known::games(state)?) == token;
    if is_same { Ok(()) } else { Err(LibsyncError::PublishStale) }
}

/// Adds events to the folder, parents first. Returns the ids of all events in it, and how many are new.
fn add_to_folder(
    folder: &Folder<'_>,
    events: &Nodes<Event>,
) -> Result<(BTreeSet<String>, usize), LibsyncError> {
    let lock = folder.lock()?;
    let remote = read_folder(folder)?;
    known::join(&remote, events.values().cloned())?;
    let mut there: BTreeSet<String> = remote.into_keys().collect();
    let mut added = 0;
    for id in graph::in_order(events) {
        if !there.contains(id) && folder.add(id, &events[id].bytes())? {
            added += 1;
        }
        there.insert(id.clone());
    }
    drop(lock);
    Ok((there, added))
}

fn read_folder(folder: &Folder<'_>) -> Result<Nodes<Event>, LibsyncError> {
    let mut events = Nodes::new();
    folder.read(|id, bytes| {
        let broken = |reason: &str| {
            let sentence = format!("A file in the folder is not an event of a library: {reason}");
            Err(LibsyncError::Invalid(sentence))
        };
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
            return broken("it is not JSON. It may not have arrived completely.");
        };
        match Event::read(&value) {
            Ok(event) if event.id == id => {
                events.insert(event.id.clone(), event);
                Ok(())
            }
            Ok(_) => broken("its name is not its id."),
            Err(error) => broken(error.0),
        }
    })?;
    Ok(events)
}

fn read_values(values: &[Value]) -> Result<Nodes<Event>, LibsyncError> {
    let mut events = Nodes::new();
    for value in values {
        let event = Event::read(value)?;
        events.insert(event.id.clone(), event);
    }
    Ok(events)
}

/// A plan that the user reviewed and sent back. Its tokens are enough.
struct Reviewed {
    source_token: String,
    events_token: String,
    event_ids: Option<BTreeSet<String>>,
    events: Option<Vec<Value>>,
}

impl Reviewed {
    fn read(plan: Option<&Value>) -> Result<Self, LibsyncError> {
        let Some(Value::Object(plan)) = plan else { return Err(LibsyncError::PlanRequired) };
        let text = |name: &str| plan.get(name).and_then(Value::as_str).map(str::to_owned);
        let event_ids = match plan.get("event_ids") {
            None | Some(Value::Null) => None,
            Some(ids) => Some(ids_of(ids).ok_or(LibsyncError::PlanRequired)?),
        };
        let events_token = text("events_token");
        let (Some(source_token), true) =
            (text("source_token"), event_ids.is_some() || events_token.is_some())
        else {
            return Err(LibsyncError::PlanRequired);
        };
        let events_token = events_token.unwrap_or_default();
        let events = plan.get("events").and_then(Value::as_array).cloned();
        Ok(Self { source_token, events_token, event_ids, events })
    }
}

fn ids_of(ids: &Value) -> Option<BTreeSet<String>> {
    ids.as_array()?.iter().map(|id| id.as_str().map(str::to_owned)).collect()
}

/// What was chosen for the conflicts of each game.
fn chosen(choices: Option<&Value>) -> Result<BTreeMap<String, Chosen>, LibsyncError> {
    let wrong = || LibsyncError::Invalid("conflicts must be an object of choices.".to_owned());
    let choices = match choices {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(choices) => choices.as_object().ok_or_else(wrong)?,
    };
    let of_game = |(key, value): (&String, &Value)| {
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
        let chosen: Result<Chosen, LibsyncError> = match value {
            // One text decides between edit and delete.
            Value::String(choice) => Ok(Chosen::from([(merge::RECORD.to_owned(), choice.clone())])),
            Value::Object(rows) => {
                rows.iter().map(|(row, value)| Ok((row.clone(), text(value)?))).collect()
            }
            _ => Err(wrong()),
        };
        Ok((key.clone(), chosen?))
    };
    choices.iter().map(of_game).collect()
}

/// What an apply writes.
struct Outcome {
    token: String,
    book: Book,
    /// Games that become something else, by key: the stable id here, and the game afterwards.
    games: Vec<(String, Option<String>, Option<Catalog>)>,
    recorded: Vec<Event>,
    applied: usize,
    rows: Vec<Row>,
}

/// Computes the outcome of every game.
fn settle(
    known: Known,
    mut all: Nodes<Event>,
    chosen: &BTreeMap<String, Chosen>,
    now: &Moment,
) -> Result<Outcome, LibsyncError> {
    let Known { mut book, games, token, .. } = known;
    if book.recorder.device.is_empty() {
        book.recorder.device = ids::random_uuid();
    }
    // What comes in may be what games stand at here: a restored library has its events in the folder only.
    let mut recorded = book.record(&games, &all, now);
    all.extend(recorded.iter().map(|event| (event.id.clone(), event.clone())));
    let mut outcome = Outcome {
        token,
        book,
        games: Vec::new(),
        recorded: Vec::new(),
        applied: 0,
        rows: Vec::new(),
    };
    for (key, (local, merge)) in plan::merges(&outcome.book, &games, &all) {
        let nothing = Chosen::new();
        let choices = chosen.get(&key).unwrap_or(&nothing);
        let decided = merge::decide(&merge, choices)
            .map_err(|sentence| LibsyncError::Invalid(sentence.to_owned()))?;
        let Decision::Made(catalog) = decided else {
            let ids: Vec<&String> = merge.heads.iter().collect();
            let pending = serde_json::json!({"event_ids": ids, "conflicts": merge.rows});
            outcome.book.pending.insert(key, pending);
            outcome.rows.extend(merge.rows);
            continue;
        };
        let stands_at = |id: &String| all.get(id).and_then(Event::catalog) == catalog;
        let heads = if merge.heads.iter().all(stands_at) {
            merge.heads
        } else {
            // The result differs from all inputs: it gets an event of its own that follows all of them.
            let writer = &mut outcome.book.recorder;
            let event = Event::record(writer, &key, merge.heads, catalog.clone(), now)?;
            outcome.book.outbox.push(event.id.clone());
            let heads = vec![event.id.clone()];
            recorded.push(event);
            heads
        };
        outcome.book.pending.remove(&key);
        outcome.book.heads.insert(key.clone(), heads);
        outcome.applied += 1;
        if catalog != local.catalog {
            let id = games.get(&key).map(|(id, _)| id.clone());
            outcome.games.push((key, id, catalog));
        }
    }
    outcome.recorded = recorded;
    Ok(outcome)
}

impl Outcome {
    /// Writes games and section; whether a game changed.
    fn write(&self, draft: &mut Draft) -> Result<bool, LibsyncError> {
        let now = draft.now().clone();
        let mut ids = Vec::new();
        for (key, id, catalog) in &self.games {
            match (id, catalog) {
                (Some(id), Some(catalog)) => {
                    let edited = draft.edit_game(id, |record| lay_over(record, catalog));
                    edited.map_err(|error| LibsyncError::Invalid(error.to_string()))?;
                    ids.push(id.clone());
                }
                (Some(id), None) => {
                    trash::put(draft, &GameRef::Id(id.clone()), &now)
                        .map_err(|error| LibsyncError::Invalid(error.to_string()))?;
                }
                (None, Some(catalog)) => ids.push(add(draft, key, catalog)?),
                (None, None) => {}
            }
        }
        self.book.store(draft);
        draft.set_cause(Cause::Bulk(ids));
        Ok(!self.games.is_empty())
    }
}

/// Replaces the catalog of a record; everything else stays.
fn lay_over(record: &mut Record, catalog: &Catalog) {
    for field in catalog::FIELDS.into_iter().filter(|field| *field != "game_id") {
        match catalog.get(field) {
            Some(value) => record.set(field, value.clone()),
            None => drop(record.remove(field)),
        }
    }
}

fn add(draft: &mut Draft, key: &str, catalog: &Catalog) -> Result<String, LibsyncError> {
    let mut record = Record::default();
    lay_over(&mut record, catalog);
    let game_id = catalog.get("game_id").and_then(Value::as_str).unwrap_or("");
    let is_free = draft.state().games.position(game_id).is_none();
    if !game_id.is_empty() && (is_free || !exchange::has_own_id(key)) {
        record.set("game_id", game_id);
    }
    if let Some(identity) = key.strip_prefix("verified:")
        && record.text("library_sync_id").trim() != identity
    {
        record.set(KEPT_IDENTITY, identity);
    }
    draft.add_game(record).map_err(|error| LibsyncError::Invalid(error.to_string()))
}
