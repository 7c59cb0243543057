//! The sessions: every game that runs, and what may be done with it.
//!
//! | file | what it does |
//! |---|---|
//! | `launch` | reserve, prepare, spawn, write, register |
//! | `control` | pause, resume, stop, restart, kill, shutdown |
//! | `follow` | the thread: ends, checkpoints, looks for followed processes |
//! | `after` | power limit, storefront client, recap at an end |
//! | `reattach` | what the rows of the last run mean now |
//! | `live` | one running session |
//!
//! Locks: the table of sessions is never held while the store is called; the store may be inside a
//! commit while the table is taken. Nothing wakes up while games run except a checkpoint a minute
//! and the looks of a game that is followed by folder or name.

pub mod capture;
pub mod clients;
pub mod commands;
pub mod control;
pub mod events;
pub mod history;
pub mod ledger;
pub mod performance;
pub mod power;
pub mod recap;
pub mod stopwatch;
pub mod tracking;

mod after;
mod follow;
mod launch;
mod live;
mod reattach;

#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use crossbeam_channel::{Sender, unbounded};
use serde_json::{Map, Value, json};

use self::{
    events::{Kind, Outcome, Remark, Ring, SessionEvent},
    follow::Note,
    ledger::Ending,
    live::Live,
    power::Power,
};
use crate::{
    base::{clock::Moment, workers::Workers},
    config::{data_dir::DataDir, settings::read},
    definitions::keeper::Definitions,
    files::writer::Files,
    launch::{archives::cache::ArchiveCache, detection::Detector, prepare::Surroundings, profiles},
    model::{
        draft::Draft,
        game::Game,
        rows::{ActiveSession, Row as _},
        state::State,
    },
    process::{child::Process, proc_files, reaper::Reaper},
    store::{error::CommitError, open::Store},
};

/// Called with every session event, outside of all locks.
pub type Listener = Box<dyn Fn(&SessionEvent) + Send + Sync>;
/// Called with what else the end of a session brings about, outside of all locks.
pub type RemarkListener = Box<dyn Fn(&Remark) + Send + Sync>;

/// What the sessions are set up with.
pub struct Options {
    /// The state of record.
    pub store: Store,
    /// The door to the disk.
    pub files: Files,
    /// Where everything lies.
    pub data_dir: DataDir,
    /// The user's home directory.
    pub home: PathBuf,
    /// The emulator definitions.
    pub definitions: Arc<Definitions>,
    /// Whether this session runs inside the game compositor already.
    pub compositor_guest: bool,
}

/// The service. Games outlive it.
pub struct Sessions {
    core: Arc<Core>,
    workers: Workers,
}

/// What the handlers' threads and the service's own thread share.
struct Core {
    store: Store,
    reaper: Reaper,
    around: Surroundings,
    power: Power,
    boot_id: String,
    table: Mutex<Table>,
    listeners: RwLock<Vec<Listener>>,
    remark_listeners: RwLock<Vec<RemarkListener>>,
    /// What the last session of this run was.
    recap: Mutex<Option<Map<String, Value>>>,
    notes: Sender<Note>,
}

#[derive(Default)]
struct Table {
    live: Vec<Live>,
    /// Stable ids of games that are being started.
    pending: HashSet<String>,
    /// Ends that could not be written yet.
    unwritten: Vec<Ending>,
    /// Sessions that have ended and whose game is being started again; true when it was stopped
    /// meanwhile.
    restarting: HashMap<String, bool>,
    events: Ring,
}

impl Sessions {
    /// Starts the service and takes up the sessions of the last run: those whose game still runs go
    /// on, the others become history.
    ///
    /// # Errors
    /// When the operating system gives no thread.
    pub fn start(options: Options) -> io::Result<Self> {
        let (notes, inbox) = unbounded();
        let Options { store, files, data_dir, home, definitions, compositor_guest } = options;
        let archives = ArchiveCache::new(files, data_dir.archive_cache());
        archives.clear_leftovers();
        let core = Arc::new(Core {
            store,
            reaper: Reaper::start()?,
            around: Surroundings {
                data_dir: data_dir.root().to_owned(),
                detector: Arc::new(Detector::new(&home, definitions)),
                home,
                archives,
                is_guest: compositor_guest,
            },
            power: Power::default(),
            boot_id: proc_files::boot_id(),
            table: Mutex::default(),
            listeners: RwLock::default(),
            remark_listeners: RwLock::default(),
            recap: Mutex::default(),
            notes,
        });
        core.reconcile();
        let workers = Workers::default();
        let own = Arc::clone(&core);
        workers.spawn("sessions", move || follow::run(&own, &inbox))?;
        Ok(Self { core, workers })
    }

    /// Takes up sessions again after the library was recovered; those that run are left alone.
    pub fn reconcile(&self) {
        self.core.reconcile();
        self.core.tell(Note::Look);
    }

    /// Lets go of the games, which keep running: their playtime is written, the threads end.
    pub fn stop(&self) {
        self.core.tell(Note::Stop);
        self.core.around.detector.stop();
        self.workers.join();
        self.core.reaper.stop();
    }

    /// Has somebody told of every session event from now on.
    pub fn on_event(&self, listener: Listener) {
        self.core.listeners.write().unwrap_or_else(PoisonError::into_inner).push(listener);
    }

    /// Has somebody told of milestones and recaps from now on.
    pub fn on_remark(&self, listener: RemarkListener) {
        let mut listeners =
            self.core.remark_listeners.write().unwrap_or_else(PoisonError::into_inner);
        listeners.push(listener);
    }

    /// What the last session was: as it ended in this run, else as the history remembers it. `None`
    /// while recaps are off, or without any session.
    #[must_use]
    pub fn recap(&self, state: &State) -> Option<Map<String, Value>> {
        if !recap::is_wanted(state) {
            return None;
        }
        let kept = self.core.recap.lock().unwrap_or_else(PoisonError::into_inner).clone();
        kept.or_else(|| recap::of_history(state))
    }

    /// `GET /api/running`: what runs, what was abandoned, and the events numbered above `after`; an
    /// `after` that is no number counts as 0.
    #[must_use]
    pub fn running(&self, state: &State, after: u64) -> Map<String, Value> {
        let table = self.core.table();
        let running: Vec<_> = table.live.iter().map(|live| live.entry(state)).collect();
        let events: Vec<_> = table.events.after(after).map(SessionEvent::to_json).collect();
        let last = table.events.last();
        drop(table);
        let answer = json!({
            "running": running, "abandoned": abandoned(state), "events": events, "last_event": last,
        });
        if let Value::Object(answer) = answer { answer } else { Map::new() }
    }

    /// The only running game; `None` when none or several run.
    #[must_use]
    pub fn only_running(&self, state: &State) -> Option<Arc<Game>> {
        let table = self.core.table();
        let [live] = table.live.as_slice() else { return None };
        Some(Arc::clone(state.games.find(&live.game_id)?.1))
    }

    /// How many games run.
    #[must_use]
    pub fn count(&self) -> usize {
        self.core.table().live.len()
    }

    /// Counts the games that run, for whoever has to wait for their end.
    pub fn counter(&self) -> impl Fn() -> usize + Send + Sync + use<> {
        let core = Arc::clone(&self.core);
        move || core.table().live.len()
    }

    /// Says whether the game with this stable id runs or is being started.
    pub fn witness(&self) -> impl Fn(&str) -> bool + Send + Sync + use<> {
        let core = Arc::clone(&self.core);
        move |game_id| {
            let table = core.table();
            let runs = table.live.iter().any(|live| live.game_id == game_id);
            runs || table.pending.contains(game_id)
        }
    }

    /// Removes the row of an abandoned session; a launch that runs, or that nobody knows, is left
    /// as it is. Signals nothing.
    pub fn clean_up(&self, launch_id: &str) -> Result<(), CommitError<std::convert::Infallible>> {
        if self.core.table().find(launch_id).is_some() {
            return Ok(());
        }
        self.core.store.commit(|draft| {
            ledger::forget(draft, launch_id);
            Ok(())
        })
    }

    /// What looks for emulators.
    #[must_use]
    pub fn detector(&self) -> Arc<Detector> {
        Arc::clone(&self.core.around.detector)
    }

    /// Collects the end of a program that is no session and outlives us.
    pub fn let_go(&self, process: Process) {
        self.core.reaper.watch(Arc::new(process), |_| ());
    }

    /// The commands of installed emulators by platform. May ask the package tool.
    #[must_use]
    pub fn detected_profiles(&self) -> std::collections::BTreeMap<String, String> {
        self.core.around.detector.detected(|_| true)
    }

    /// Gives platforms without a launch profile the command of an installed emulator. Happens on a
    /// thread of its own, because the package tool may be asked about every emulator.
    pub fn detect_profiles(&self) {
        let core = Arc::clone(&self.core);
        let started = self.workers.spawn("detection", move || {
            let Ok(state) = core.store.snapshot() else { return };
            let known = profiles::stored(&state);
            let stranded = core.around.detector.stranded(&known);
            let is_open =
                |platform: &str| !known.contains_key(platform) || stranded.contains_key(platform);
            let detected = core.around.detector.detected(is_open);
            // Compared again: somebody may have saved profiles in the meantime.
            let added = core.store.commit(|draft| {
                Ok::<_, std::convert::Infallible>(profiles::add_missing(
                    draft, &detected, &stranded,
                ))
            });
            if let Err(error) = added {
                log::warn!("failed to save detected profiles: {error}");
            }
        });
        if let Err(error) = started {
            log::warn!("failed to look for emulators: {error}");
        }
    }

    /// Runs the user's startup commands, once the service listens.
    pub fn run_startup_commands(&self) {
        self.run_commands("startup_commands");
    }

    /// Runs the commands of a setting, detached; failures are logged.
    pub fn run_commands(&self, setting: &str) {
        let Ok(state) = self.core.store.snapshot() else { return };
        let commands = read::texts(state.settings(), setting);
        for process in commands::start_all(&commands, &self.core.around.home) {
            self.core.reaper.watch(Arc::new(process), |_| ());
        }
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The abandoned rows, each with the name of its game.
fn abandoned(state: &State) -> Vec<Value> {
    let rows = state.section(ActiveSession::SECTION).as_array().map_or(&[][..], Vec::as_slice);
    let text =
        |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    rows.iter()
        .filter(|row| text(row, "status") == ledger::ABANDONED)
        .map(|row| {
            let mut row = row.clone();
            if text(&row, "name").is_empty() {
                let game = state.games.find(&text(&row, "game_id"));
                row["name"] = game.map_or("", |(_, game)| game.name()).into();
            }
            row
        })
        .collect()
}

impl Core {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, note: Note) {
        // OK because the thread only stops listening when nothing is to be done any more.
        drop(self.notes.send(note));
    }

    /// Tells the listeners. No lock is held by the caller.
    fn publish(&self, event: &SessionEvent) {
        for listener in &*self.listeners.read().unwrap_or_else(PoisonError::into_inner) {
            listener(event);
        }
    }

    fn remark(&self, remark: &Remark) {
        for listener in &*self.remark_listeners.read().unwrap_or_else(PoisonError::into_inner) {
            listener(remark);
        }
    }

    /// Writes the rows of all running sessions as they stand inside the commit, so that a row never
    /// goes back to an older state. A failure costs a checkpoint, not the session.
    fn write_rows(&self) {
        let written = self.store.commit(|draft: &mut Draft| {
            for live in &self.table().live {
                ledger::record_progress(draft, &live.row());
            }
            Ok::<_, std::convert::Infallible>(())
        });
        if let Err(error) = written {
            log::warn!("failed to save the playtime so far: {error}");
        }
    }
}

impl Table {
    fn find(&mut self, launch_id: &str) -> Option<&mut Live> {
        self.live.iter_mut().find(|live| live.launch_id == launch_id)
    }

    /// Whether a row belongs to a session of this run: it runs, is being started, or its end is still
    /// to be written.
    fn knows(&self, row: &ActiveSession) -> bool {
        self.live.iter().any(|live| live.launch_id == row.launch_id)
            || self.unwritten.iter().any(|ending| ending.launch_id == row.launch_id)
            || self.pending.contains(&row.game_id)
    }

    fn note(&mut self, at: usize, kind: Kind, outcome: Option<Outcome>) -> Option<SessionEvent> {
        let live = self.live.get(at)?;
        let event = SessionEvent {
            id: 0,
            kind,
            launch_id: live.launch_id.clone(),
            stable_game_id: live.game_id.clone(),
            game: live.name.clone(),
            platform: live.game.as_ref().map_or("", |game| game.platform()).to_owned(),
            started: live.started.clone(),
            time: Moment::now().local_iso(),
            outcome,
        };
        Some(self.events.push(event))
    }
}
