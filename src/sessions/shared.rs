//! State shared by the parts of the service: the table of sessions, the listeners, the thread's messages.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, RwLock},
};

use crossbeam_channel::Sender;

use super::{
    events::{Kind, Outcome, Ring, SessionEvent},
    ledger::{self, Ending},
    live::Live,
    power::Power,
    recap::{Recap, Remark},
};
use crate::{
    base::{Hold as _, HoldShared as _, Moment, Workers, workers::Signal},
    desktop::focus::Focus,
    history::archive::Archive,
    launch::prepare::LaunchContext,
    model::{ActiveSession, Draft},
    process::reaper::Reaper,
    recorder::Recorder,
    resume::states::States,
    store::Store,
};

/// Called with every session event, outside of all locks.
pub type Listener = Box<dyn Fn(&SessionEvent) + Send + Sync>;
/// Called with what else the end of a session brings about, outside of all locks.
pub type RemarkListener = Box<dyn Fn(&Remark) + Send + Sync>;

/// Called with the stable id of a game that is about to be started, outside of all locks; the game
/// waits for it.
pub type Preparation = Box<dyn Fn(&str) + Send + Sync>;

/// The service. Games outlive it.
pub struct Sessions {
    pub(super) core: Arc<Core>,
    pub(super) archive: Arc<Archive>,
    pub(super) archiving: Arc<Signal>,
    /// Stopped once the search for emulators after the start has ended.
    pub(super) detection: Arc<Signal>,
    pub(super) workers: Workers,
}

/// What the handlers' threads and the service's own thread share.
pub(super) struct Core {
    pub(super) store: Store,
    pub(super) reaper: Reaper,
    pub(super) context: LaunchContext,
    pub(super) states: States,
    pub(super) recorder: Recorder,
    pub(super) power: Power,
    pub(super) focus: Focus,
    pub(super) boot_id: String,
    pub(super) table: Mutex<Table>,
    pub(super) listeners: RwLock<Vec<Listener>>,
    pub(super) remark_listeners: RwLock<Vec<RemarkListener>>,
    pub(super) preparations: RwLock<Vec<Preparation>>,
    /// What the last session of this run was.
    pub(super) recap: Mutex<Option<Recap>>,
    pub(super) notes: Sender<Note>,
}

#[derive(Default)]
pub(super) struct Table {
    pub(super) live: Vec<Live>,
    /// Stable ids of games that are being started.
    pub(super) pending: HashSet<String>,
    /// Ends that could not be written yet.
    pub(super) unwritten: Vec<Ending>,
    /// Sessions that have ended and whose game is being started again; true when it was stopped
    /// meanwhile.
    pub(super) restarting: HashMap<String, bool>,
    pub(super) events: Ring,
}

/// A message to the thread of the service.
pub(super) enum Note {
    /// The process of a session has ended.
    Ended { launch_id: String, code: Option<i32> },
    /// Something changed about who is due when.
    Look,
    /// Write the playtime and end.
    Stop,
}

impl Core {
    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.table.hold()
    }

    pub(super) fn tell(&self, note: Note) {
        // OK because the thread ends only when nothing is left to do.
        drop(self.notes.send(note));
    }

    /// Calls the listeners. No lock is held by the caller.
    pub(super) fn publish(&self, event: &SessionEvent) {
        for listener in &*self.listeners.hold_read() {
            listener(event);
        }
    }

    pub(super) fn remark(&self, remark: &Remark) {
        for listener in &*self.remark_listeners.hold_read() {
            listener(remark);
        }
    }

    /// Writes the rows of all running sessions as they stand inside the commit, so that a row never
    /// goes back to an older state. A failure costs a checkpoint, not the session.
    pub(super) fn write_rows(&self) {
        let written = self.store.change(|draft: &mut Draft| {
            for live in &self.table().live {
                ledger::record_progress(draft, &live.row());
            }
        });
        if let Err(error) = written {
            log::warn!("failed to save the playtime so far: {error}");
        }
    }
}

impl Table {
    pub(super) fn find(&mut self, launch_id: &str) -> Option<&mut Live> {
        self.live.iter_mut().find(|live| live.launch_id == launch_id)
    }

    /// Whether a row belongs to a session of this run: it runs, is being started, or its end is still
    /// to be written.
    pub(super) fn knows(&self, row: &ActiveSession) -> bool {
        self.live.iter().any(|live| live.launch_id == row.launch_id)
            || self.unwritten.iter().any(|ending| ending.launch_id == row.launch_id)
            || self.pending.contains(&row.game_id)
    }

    pub(super) fn note(
        &mut self,
        at: usize,
        kind: Kind,
        outcome: Option<Outcome>,
    ) -> Option<SessionEvent> {
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
