//! Starting a game.

use std::{collections::HashSet, sync::Arc};

use rustix::process::Signal;

use super::{
    live::{FIRST_STEP, Live, RunningGame},
    recording::arm_replay,
    shared::{Core, Note, Sessions},
};
use crate::{
    base::{HoldShared as _, Moment, clock, ids},
    game::GameRef,
    launch::{
        error::LaunchError,
        extras::{self, ExtraError},
        plan::Plan,
        prepare::{self, LaunchContext, Prepared},
    },
    model::{ActiveSession, Game, Record, State},
    process::{Process, proc_files, search, spawn},
    resume::{begin::Origin, session::Session},
    sessions::{events::Kind, ledger, power::Limit, stopwatch::Stopwatch, tracking::Tracking},
};

/// The variable that names its launch to a game, so that a game whose process was not written down
/// is found again.
pub(super) const MARK: &str = "SERVICE_LAUNCH_ID";

impl Sessions {
    /// Starts a game and answers its running-session entry, once the session is in the library.
    ///
    /// # Errors
    /// [`LaunchError`]; nothing runs then, and the library is as it was.
    pub fn launch(&self, game: &GameRef) -> Result<RunningGame, LaunchError> {
        let state = self.core.store.snapshot()?;
        let (_, found) = game.find(&state.games).ok_or(LaunchError::UnknownGame)?;
        if self.launch_of(found.id()).is_none() {
            self.core.prepare(found.id());
        }
        self.core.launch(&GameRef::Id(found.id().to_owned()), Origin::Anew)
    }

    /// Starts something that belongs to a game. It is not a session.
    ///
    /// # Errors
    /// [`ExtraError`]; nothing runs then.
    pub fn launch_extra(
        &self,
        game: &Game,
        kind: extras::Kind,
        index: Option<usize>,
    ) -> Result<(), ExtraError> {
        let LaunchContext { home, data_dir, .. } = &self.core.context;
        let spec = extras::prepare(game, kind, index, home, data_dir, search::on_path)?;
        let process = spawn::spawn(&spec)?;
        self.core.reaper.watch(Arc::new(process), |_| ());
        Ok(())
    }
}

impl Core {
    /// What is done before a game starts, such as fetching newer saves.
    pub(super) fn prepare(&self, game_id: &str) {
        for preparation in &*self.preparations.hold_read() {
            preparation(game_id);
        }
    }

    /// The steps of a launch, in their order. Each undoes what it did when a later one fails.
    pub(super) fn launch(
        self: &Arc<Self>,
        game: &GameRef,
        origin: Origin<'_>,
    ) -> Result<RunningGame, LaunchError> {
        let state = self.store.snapshot()?;
        let (_, game) = game.find(&state.games).ok_or(LaunchError::UnknownGame)?;
        let reservation = self.reserve(game.id())?;
        let mut states = Ok(None);
        let begin_states = |plan: &Plan| {
            let (words, begun) = self.begin_states(game, &state, plan, origin);
            states = begun;
            words
        };
        let in_use = || self.archives_in_use();
        let mut prepared = prepare::prepare(game, &state, &self.context, in_use, begin_states)?;
        let is_resumed = !matches!(origin, Origin::Anew);
        let states = match states {
            Ok(None) if is_resumed => return Err(LaunchError::NoStates),
            Ok(states) => states,
            Err(error) if is_resumed => return Err(LaunchError::States(error)),
            Err(error) => {
                log::warn!("no state of {:?} will be kept: {error}", game.name());
                None
            }
        };
        let limit = Limit::of(&state, &prepared.profile, self.context.is_guest);
        let intent = self.intent(game, &prepared, limit.as_ref());
        prepared.spec.env.push((MARK.into(), Some(intent.launch_id.clone().into())));
        self.store
            .commit(|draft| ledger::record_intent(draft, &intent))
            .map_err(LaunchError::Unsaved)?;
        let attempt = Attempt { core: self, launch_id: &intent.launch_id, limit: limit.as_ref() };
        let limit = limit.clone().filter(|limit| self.power.set(limit.watts));
        let finished = prepared.finish(game, &state, &self.context);
        let process = match finished.and_then(|()| Ok(spawn::spawn(&prepared.spec)?)) {
            Ok(process) => Arc::new(process),
            Err(error) => {
                attempt.undo();
                return Err(error);
            }
        };
        let now = Moment::now();
        let live = self.begin(
            &state,
            game,
            prepared,
            &process,
            Start { intent: &intent, limit, now: &now, states, is_resumed },
        );
        let row = live.row();
        let written = self.store.commit(|draft| ledger::record_start(draft, &row, &now));
        if let Err(error) = written {
            self.abort(process);
            attempt.undo();
            return Err(LaunchError::Unsaved(error));
        }
        let entry = live.entry(&state);
        self.register(live, &process);
        self.mark_windows(&intent.launch_id, game);
        drop(reservation);
        Ok(entry)
    }

    /// The row that is written before anything is started or changed.
    fn intent(&self, game: &Game, prepared: &Prepared, limit: Option<&Limit>) -> ActiveSession {
        ActiveSession {
            game_id: game.id().to_owned(),
            launch_id: ids::random_url_safe(8),
            name: game.name().to_owned(),
            start_time: Moment::now().local_iso(),
            boot_id: self.boot_id.clone(),
            uptime_ms: u64::try_from(clock::awake().as_millis()).unwrap_or(0),
            effective_profile: prepared.profile.clone(),
            perf_profile: limit.map_or_else(String::new, |limit| limit.profile.clone()),
            restore_tdp_w: limit.map_or(0.0, |limit| limit.restore),
            archive_key: prepared.archive_key.clone(),
            status: ledger::STARTING.to_owned(),
            ..ActiveSession::default()
        }
    }

    /// The extracted archives that games run from.
    fn archives_in_use(&self) -> HashSet<String> {
        self.table().live.iter().map(|live| live.archive_key.clone()).collect()
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
        start: Start<'_>,
    ) -> Live {
        let Start { intent, limit, now, states, is_resumed } = start;
        let awake = clock::awake();
        let mut live = Live {
            launch_id: intent.launch_id.clone(),
            game_id: game.id().to_owned(),
            name: game.name().to_owned(),
            game: Some(Arc::clone(game)),
            achieved: self.achieved(game.id()),
            profile: prepared.profile,
            limit,
            started: now.local_iso(),
            boot_id: self.boot_id.clone(),
            process: Some(Arc::clone(process)),
            pid: process.pid(),
            start_ticks: process.start_ticks(),
            fingerprint: proc_files::fingerprint(process.pid()),
            watch: Stopwatch::started(awake),
            is_paused: false,
            next_look: None,
            tracking: self.tracking(&game.record(), state, &prepared.archive_key),
            archive_key: prepared.archive_key,
            restart: false,
            states,
            is_resumed,
            replay: arm_replay(state),
            ended: None,
            next_checkpoint: awake,
            step: FIRST_STEP,
        };
        live.plan_checkpoint(awake);
        live
    }

    /// How a game is tracked; one that was extracted runs in that folder too.
    pub(super) fn tracking(&self, game: &Record, state: &State, archive_key: &str) -> Tracking {
        let mut tracking = Tracking::of(game, state.settings());
        if !archive_key.is_empty() {
            tracking.follow.include(self.context.archives.folder_of(archive_key));
        }
        tracking.follow.resolve();
        tracking
    }

    /// Puts a session on the table, publishes its start and has its process watched.
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

    /// Sends the end of a session's process to the service's thread.
    pub(super) fn watch(&self, launch_id: String, process: &Arc<Process>) {
        let notes = self.notes.clone();
        self.reaper.watch(Arc::clone(process), move |end| {
            // OK because the receiver is gone only after the service has stopped.
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

/// What a session begins with besides its process.
struct Start<'a> {
    intent: &'a ActiveSession,
    limit: Option<Limit>,
    now: &'a Moment,
    states: Option<Session>,
    is_resumed: bool,
}

/// A launch whose intent is written.
struct Attempt<'a> {
    core: &'a Core,
    launch_id: &'a str,
    limit: Option<&'a Limit>,
}

impl Attempt<'_> {
    /// Undoes what was done before the game was to run. What cannot be written now is found at
    /// the next start.
    fn undo(self) {
        if let Some(limit) = self.limit {
            self.core.give_back(limit, self.launch_id);
        }
        let forgotten = self.core.store.change(|draft| ledger::forget(draft, self.launch_id));
        if let Err(error) = forgotten {
            log::warn!("the row of a failed launch stays until the next start: {error}");
        }
    }
}

/// A game that no other client may start. Dropping it frees the game.
struct Reservation<'a> {
    core: &'a Core,
    id: String,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.core.table().pending.remove(&self.id);
    }
}
