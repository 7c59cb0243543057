//! The sessions: every running game, and its controls.
//!
//! | file | what it does |
//! |---|---|
//! | `launch` | reserve, prepare, spawn, write, register |
//! | `control` | pause, resume, stop, restart, kill, shutdown |
//! | `follow` | the thread: ends, checkpoints, checks of followed processes |
//! | `after` | power limit, storefront client, recap at an end |
//! | `recording` | the replay buffer and the recording of a session |
//! | `focus` | the mark of its windows in the gaming mode of a handheld |
//! | `resume` | states of games: resuming from one, keeping the state that a session leaves |
//! | `reattach` | what the rows of the last run mean now |
//! | `live` | one running session |
//! | `shared` | the table of sessions, the listeners, the messages of the thread |
//!
//! Locks: the table of sessions is never held while the store is called; the store may be inside a
//! commit while the table is taken. Nothing wakes up while games run except a checkpoint a minute
//! and the checks of a game that is followed by folder or name.

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
pub mod resume;
pub mod stopwatch;
pub mod tracking;

mod achieved;
mod after;
mod focus;
mod follow;
mod launch;
mod live;
mod reattach;
mod recording;
mod shared;

#[cfg(test)]
mod tests;

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, RwLock},
    time::Duration,
};

use crossbeam_channel::unbounded;
use serde_json::Value;

use self::{
    events::{SessionEvent, ShownEvent},
    power::Power,
    recap::Recap,
    shared::{Core, Listener, Note, Preparation, RemarkListener},
};
pub use self::{live::RunningGame, shared::Sessions};
use crate::{
    base::{Hold as _, HoldShared as _, Workers, schema::schema, workers::Signal},
    config::{data_dir::DataDir, settings::read},
    definitions::loader::Definitions,
    desktop::focus::Focus,
    files::Files,
    history::archive::{self, Archive},
    launch::{
        archives::cache::ArchiveCache,
        detection::Detector,
        prepare::{LaunchContext, Rewrite},
        profiles,
    },
    model::{ActiveSession, Game, Row as _, State},
    process::{Process, proc_files, reaper::Reaper},
    recorder::Recorder,
    resume::states::States,
    store::{Committed, Store},
};

/// How long a request waits for the search for emulators after the start.
const DETECTION: Duration = Duration::from_secs(6);

/// What the sessions are set up with.
pub struct Options {
    /// The state of record.
    pub store: Store,
    /// Access to the disk.
    pub files: Files,
    /// Where everything lies.
    pub data_dir: DataDir,
    /// The user's home directory.
    pub home: PathBuf,
    /// Where programs keep their configuration.
    pub config_home: PathBuf,
    /// The emulator definitions.
    pub definitions: Arc<Definitions>,
    /// The program that records the screen.
    pub recorder: Recorder,
    /// Whether this session runs inside the game compositor already.
    pub compositor_guest: bool,
    /// Called with the command of every launch.
    pub rewrite: Option<Rewrite>,
}

impl Sessions {
    /// Starts the service and takes up the sessions of the last run: those whose game still runs go
    /// on, the others become history.
    ///
    /// # Errors
    /// When the operating system gives no thread.
    pub fn start(options: Options) -> io::Result<Self> {
        let (notes, inbox) = unbounded();
        let Options {
            store,
            files,
            data_dir,
            home,
            config_home,
            definitions,
            recorder,
            compositor_guest,
            rewrite,
        } = options;
        let archive = Arc::new(Archive::new(files.clone(), data_dir.history_archive()));
        let states = States::new(files.clone(), data_dir.resume_states());
        let archives = ArchiveCache::new(files, data_dir.archive_cache());
        archives.clear_leftovers();
        let core = Arc::new(Core {
            store,
            reaper: Reaper::start()?,
            context: LaunchContext {
                data_dir: data_dir.root().to_owned(),
                detector: Arc::new(Detector::new(&home, &config_home, definitions)),
                home,
                archives,
                is_guest: compositor_guest,
                rewrite,
            },
            states,
            recorder,
            power: Power::default(),
            focus: Focus::default(),
            boot_id: proc_files::boot_id(),
            table: Mutex::default(),
            listeners: RwLock::default(),
            remark_listeners: RwLock::default(),
            preparations: RwLock::default(),
            recap: Mutex::default(),
            notes,
        });
        core.reconcile();
        let workers = Workers::default();
        let own = Arc::clone(&core);
        workers.spawn("sessions", move || follow::run(&own, &inbox))?;
        let archiving = archive_older(&core.store, &archive, &workers)?;
        Ok(Self { core, archive, archiving, detection: Arc::default(), workers })
    }

    /// Takes up sessions again after the library was recovered; those that run are left alone.
    pub fn reconcile(&self) {
        self.core.reconcile();
        self.core.tell(Note::Look);
    }

    /// Lets go of the games, which keep running: their playtime is written, the threads end.
    pub fn stop(&self) {
        self.core.tell(Note::Stop);
        self.core.focus.stop();
        self.core.context.detector.stop();
        self.archiving.stop();
        self.workers.join();
        self.core.reaper.stop();
    }

    /// Calls the listener with every session event from now on.
    pub fn on_event(&self, listener: Listener) {
        self.core.listeners.hold_write().push(listener);
    }

    /// Calls the listener with milestones and recaps from now on.
    pub fn on_remark(&self, listener: RemarkListener) {
        let mut listeners = self.core.remark_listeners.hold_write();
        listeners.push(listener);
    }

    /// Registers a preparation for every start of a game that a client requests.
    pub fn before_launch(&self, preparation: Preparation) {
        self.core.preparations.hold_write().push(preparation);
    }

    /// What the last session was: as it ended in this run, else as the history remembers it. `None`
    /// while recaps are off, or without any session.
    pub fn recap(&self, state: &State) -> Option<Recap> {
        if !recap::is_wanted(state) {
            return None;
        }
        let kept = self.core.recap.hold().clone();
        kept.or_else(|| recap::of_history(state, |game_id| self.core.achieved(game_id)))
    }

    /// `GET /api/running`: what runs, what was abandoned, and the events numbered above `after`; an
    /// `after` that is not a number counts as 0. Only of games whose stable id `shows` lets through.
    pub fn running(&self, state: &State, after: u64, shows: impl Fn(&str) -> bool) -> Running {
        let table = self.core.table();
        let events = table.events.after(after).filter(|event| shows(&event.stable_game_id));
        let live = table.live.iter().filter(|live| shows(&live.game_id));
        Running {
            abandoned: abandoned(state),
            events: events.map(SessionEvent::shown).collect(),
            last_event: table.events.last(),
            running: live.map(|live| live.entry(state)).collect(),
        }
    }

    /// The only running game; `None` when none or several run.
    pub fn only_running(&self, state: &State) -> Option<Arc<Game>> {
        let table = self.core.table();
        let [live] = table.live.as_slice() else { return None };
        Some(Arc::clone(state.games.find(&live.game_id)?.1))
    }

    /// The program that records the screen.
    pub fn recorder(&self) -> &Recorder {
        &self.core.recorder
    }

    /// The sessions that are not in the library file any more.
    pub fn archive(&self) -> &Arc<Archive> {
        &self.archive
    }

    /// How many games run.
    pub fn count(&self) -> usize {
        self.core.table().live.len()
    }

    /// Counts the games that run, for work that has to wait for their end.
    pub fn counter(&self) -> impl Fn() -> usize + Send + Sync + use<> {
        let core = Arc::clone(&self.core);
        move || core.table().live.len()
    }

    /// Tests whether the game with this stable id runs or is being started.
    pub fn witness(&self) -> impl Fn(&str) -> bool + Send + Sync + use<> {
        let core = Arc::clone(&self.core);
        move |game_id| {
            let table = core.table();
            let runs = table.live.iter().any(|live| live.game_id == game_id);
            runs || table.pending.contains(game_id)
        }
    }

    /// Removes the row of an abandoned session; a running or unknown launch is left as it is. Signals nothing.
    pub fn clean_up(&self, launch_id: &str) -> Committed<()> {
        if self.core.table().find(launch_id).is_some() {
            return Ok(());
        }
        self.core.store.change(|draft| ledger::forget(draft, launch_id))
    }

    /// Finds installed emulators.
    pub fn detector(&self) -> Arc<Detector> {
        Arc::clone(&self.core.context.detector)
    }

    /// Collects the end of a program that is not a session and outlives this one.
    pub fn let_go(&self, process: Process) {
        self.core.reaper.watch(Arc::new(process), |_| ());
    }

    /// The commands of installed emulators by platform. May ask the package tool.
    pub fn detected_profiles(&self) -> std::collections::BTreeMap<String, String> {
        self.core.context.detector.detected(|_| true)
    }

    /// Gives platforms without a launch profile the command of an installed emulator. Happens on a
    /// thread of its own, because the package tool may be asked about every emulator.
    pub fn detect_profiles(&self) {
        let core = Arc::clone(&self.core);
        let detection = Arc::clone(&self.detection);
        let started = self.workers.spawn("detection", move || {
            core.add_detected_profiles();
            detection.stop();
        });
        if let Err(error) = started {
            self.detection.stop();
            log::warn!("failed to look for emulators: {error}");
        }
    }

    /// Waits until [`Self::detect_profiles`] has ended, a few seconds at most.
    pub fn await_detection(&self) {
        self.detection.sleep(DETECTION);
    }

    /// Runs the user's startup commands, once the service listens.
    pub fn run_startup_commands(&self) {
        self.run_commands("startup_commands");
    }

    /// Runs the commands of a setting, detached; failures are logged.
    pub fn run_commands(&self, setting: &str) {
        let Ok(state) = self.core.store.snapshot() else { return };
        let commands = read::texts(state.settings(), setting);
        for process in commands::start_all(&commands, &self.core.context.home) {
            self.core.reaper.watch(Arc::new(process), |_| ());
        }
    }
}

impl Core {
    fn add_detected_profiles(&self) {
        let Ok(state) = self.store.snapshot() else { return };
        let known = profiles::stored(&state);
        let stranded = self.context.detector.stranded(&known);
        let is_open =
            |platform: &str| !known.contains_key(platform) || stranded.contains_key(platform);
        let detected = self.context.detector.detected(is_open);
        // What a client has saved in the meantime replaces all profiles, so nothing is added to it.
        let added = self.store.change(|draft| {
            profiles::stored(draft.state()) == known
                && profiles::add_missing(draft, &detected, &stranded)
        });
        if let Err(error) = added {
            log::warn!("failed to save detected profiles: {error}");
        }
    }
}

/// Moves sessions to the archive whenever the library holds too many, on a thread of its own.
fn archive_older(
    store: &Store,
    archive: &Arc<Archive>,
    workers: &Workers,
) -> io::Result<Arc<Signal>> {
    let signal = Arc::new(Signal::default());
    let woken = Arc::clone(&signal);
    store.watch(Box::new(move |change| {
        if archive::is_due(&change.after) {
            woken.wake();
        }
    }));
    // Those of an older version, or of a file that was put in place.
    signal.wake();
    let (store, archive, waiting) = (store.clone(), Arc::clone(archive), Arc::clone(&signal));
    workers.spawn("history", move || {
        while waiting.wait() {
            if let Err(error) = archive.move_older(&store) {
                log::warn!("older sessions stay in the library file: {error}");
            }
        }
    })?;
    Ok(signal)
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.stop();
    }
}

schema! {
    "RunningGames"
    /// `GET /api/running`.
    #[derive(Debug)]
    pub struct Running {
        /// The rows of abandoned sessions.
        abandoned: Vec<Value>,
        events: Vec<ShownEvent>,
        /// The number of the last event.
        last_event: u64,
        running: Vec<RunningGame>,
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
