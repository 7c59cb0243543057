//! Starting a game.

use std::sync::Arc;

use rustix::process::Signal;
use serde_json::{Map, Value};

use super::{
    Core, Sessions,
    follow::Note,
    live::{FIRST_STEP, Live},
};
use crate::{
    base::{
        clock::{self, Moment},
        ids,
    },
    library::reference::GameRef,
    model::{game::Game, state::State},
    play::{
        error::LaunchError,
        events::Kind,
        extras::{self, ExtraError},
        ledger,
        prepare::{self, Prepared},
        stopwatch::Stopwatch,
        tracking::Tracking,
    },
    process::{child::Process, proc_files, search, spawn},
};

impl Sessions {
    /// Starts a game and answers its running-session entry, once the session is in the library.
    ///
    /// # Errors
    /// [`LaunchError`]; nothing runs and nothing is written then.
    pub fn launch(&self, game: &GameRef) -> Result<Map<String, Value>, LaunchError> {
        self.core.launch(game)
    }

    /// Starts something that stands beside a game. It is no session.
    ///
    /// # Errors
    /// [`ExtraError`]; nothing runs then.
    pub fn launch_extra(
        &self,
        game: &Game,
        kind: extras::Kind,
        index: Option<usize>,
    ) -> Result<(), ExtraError> {
        let data_dir = &self.core.around.data_dir;
        let spec = extras::prepare(game, kind, index, data_dir, search::on_path)?;
        let process = spawn::spawn(&spec)?;
        self.core.reaper.watch(Arc::new(process), |_| ());
        Ok(())
    }
}

impl Core {
    /// The steps of a launch, in their order. Each undoes what it did when a later one fails.
    pub(super) fn launch(&self, game: &GameRef) -> Result<Map<String, Value>, LaunchError> {
        let state = self.store.snapshot()?;
        let (_, game) = game.find(&state.games).ok_or(LaunchError::UnknownGame)?;
        let reservation = self.reserve(game.id())?;
        let prepared = prepare::prepare(game, &state, &self.around)?;
        let process = Arc::new(spawn::spawn(&prepared.spec)?);
        let now = Moment::now();
        let live = self.begin(&state, game, prepared, &process, &now);
        let row = live.row();
        let written = self.store.commit(|draft| ledger::record_start(draft, &row, &now));
        if let Err(error) = written {
            self.abort(process);
            return Err(LaunchError::Unsaved(error));
        }
        let entry = live.entry(&state);
        self.register(live, &process);
        drop(reservation);
        Ok(if let Value::Object(entry) = entry { entry } else { Map::new() })
    }

    /// Keeps a game for one launch.
    fn reserve(&self, game_id: &str) -> Result<Reservation<'_>, LaunchError> {
        let mut table = self.table();
        let id = game_id.to_owned();
        if table.live.iter().any(|live| live.game_id == id) {
            return Err(LaunchError::AlreadyActive { id, running: true });
        }
        if !table.pending.insert(id.clone()) {
            return Err(LaunchError::AlreadyActive { id, running: false });
        }
        Ok(Reservation { core: self, id })
    }

    fn begin(
        &self,
        state: &State,
        game: &Arc<Game>,
        prepared: Prepared,
        process: &Arc<Process>,
        now: &Moment,
    ) -> Live {
        let awake = clock::awake();
        let tracking = Tracking::of(&game.record(), state.settings());
        let mut live = Live {
            launch_id: ids::random_url_safe(8),
            game_id: game.id().to_owned(),
            name: game.name().to_owned(),
            game: Some(Arc::clone(game)),
            profile: prepared.profile,
            started: now.local_iso(),
            boot_id: self.boot_id.clone(),
            process: Some(Arc::clone(process)),
            pid: process.pid(),
            start_ticks: process.start_ticks(),
            fingerprint: proc_files::fingerprint(process.pid()),
            watch: Stopwatch::started(awake),
            next_look: None,
            tracking,
            restart: false,
            ended: None,
            next_checkpoint: awake,
            step: FIRST_STEP,
        };
        live.plan_checkpoint(awake);
        live
    }

    /// Puts a session on the table, tells of it and has its process watched.
    fn register(&self, live: Live, process: &Arc<Process>) {
        let launch_id = live.launch_id.clone();
        let mut table = self.table();
        table.live.push(live);
        let at = table.live.len() - 1;
        let event = table.note(at, Kind::Started, None);
        drop(table);
        if let Some(event) = event {
            self.publish(&event);
        }
        self.watch(launch_id, process);
        self.tell(Note::Look);
    }

    /// Has the end of a session's process told to the service's thread.
    pub(super) fn watch(&self, launch_id: String, process: &Arc<Process>) {
        let notes = self.notes.clone();
        self.reaper.watch(Arc::clone(process), move |end| {
            // OK because nobody listens any more only after the service has stopped.
            drop(notes.send(Note::Ended { launch_id, code: end.code }));
        });
    }

    /// Ends a game that was started a moment ago and could not be written down.
    fn abort(&self, process: Arc<Process>) {
        // OK because a game that ended by itself is what is wanted.
        let _ = process.signal_group(Signal::KILL);
        self.reaper.watch(process, |_| ());
    }
}

/// A game that nobody else may start. Dropping it frees the game.
struct Reservation<'a> {
    core: &'a Core,
    id: String,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.core.table().pending.remove(&self.id);
    }
}
