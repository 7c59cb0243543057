//! The thread that follows running games: it learns of ends, writes checkpoints and looks for the
//! processes of games that were handed over. It sleeps in between.

use std::{sync::Arc, time::Duration};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::{
    control::Action,
    live::Live,
    resume::Ended,
    shared::{Core, Note},
};
use crate::{
    base::{Moment, clock, thread_named},
    game::GameRef,
    resume::begin::Origin,
    sessions::{
        events::{Kind, Outcome},
        ledger::{self, Ending},
        recap::Remark,
        tracking::{Follow, STRAYS},
    },
};

/// How long an end that could not be written waits for the next attempt.
const RETRY: Duration = Duration::from_secs(10);

/// The work of the thread.
pub(super) fn run(core: &Arc<Core>, inbox: &Receiver<Note>) {
    loop {
        let note = match core.due() {
            Some(due) => inbox.recv_timeout(due.saturating_sub(clock::awake())),
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match note {
            Ok(Note::Ended { launch_id, code }) => core.ended(&launch_id, code),
            Ok(Note::Look) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Note::Stop) | Err(RecvTimeoutError::Disconnected) => {
                core.write_ends();
                core.write_rows();
                return;
            }
        }
        core.do_due_work();
    }
}

impl Core {
    /// When something is to be done next.
    fn due(&self) -> Option<Duration> {
        let table = self.table();
        let retry = (!table.unwritten.is_empty()).then(|| clock::awake() + RETRY);
        table.live.iter().map(Live::due).chain(retry).min()
    }

    /// Does what is due: looks, checkpoints, ends that could not be written.
    fn do_due_work(self: &Arc<Self>) {
        let now = clock::awake();
        let looks: Vec<_> = {
            let table = self.table();
            let due = table.live.iter().filter(|live| live.next_look.is_some_and(|at| at <= now));
            due.map(|live| live.launch_id.clone()).collect()
        };
        for launch_id in looks {
            self.look(&launch_id, now);
        }
        self.write_ends();
        let mut checkpoint = false;
        for live in &mut self.table().live {
            if live.next_checkpoint <= now {
                live.plan_checkpoint(now);
                checkpoint = true;
            }
        }
        if checkpoint {
            self.write_rows();
        }
    }

    /// The process of a session has ended: so has the session, once its delay is over and unless its game is
    /// followed.
    fn ended(self: &Arc<Self>, launch_id: &str, code: Option<i32>) {
        let code = code.unwrap_or(0);
        let mut table = self.table();
        let Some(live) = table.find(launch_id) else { return };
        let now = clock::awake();
        // The delay counts from the start, which is where the stopwatch began.
        let left = live.tracking.delay.saturating_sub(live.watch.read(now));
        let wait = match live.tracking.follow {
            Follow::Child if left.is_zero() => {
                drop(table);
                self.conclude(launch_id, code, false);
                return;
            }
            Follow::Child => left,
            // What a launcher starts last may not have its own name yet when the launcher ends.
            Follow::Folders(_) | Follow::Name(_) => left.max(live.tracking.frequency),
        };
        live.ended = Some(code);
        live.next_look = Some(now + wait);
    }

    /// Checks whether anything of a followed game still runs.
    fn look(self: &Arc<Self>, launch_id: &str, now: Duration) {
        let mut table = self.table();
        let Some(live) = table.find(launch_id) else { return };
        let code = live.ended.unwrap_or(0);
        let (mut ours, mut strays) = (false, false);
        for seen in live.matches() {
            ours |= seen.start_ticks >= live.start_ticks;
            strays |= seen.start_ticks < live.start_ticks;
        }
        // A process that was there before the game may be anything; it does not keep the session forever.
        let given_up = !ours && strays && live.watch.read(now) >= STRAYS;
        if (ours || strays) && !given_up {
            live.next_look = Some(now + live.tracking.frequency);
            return;
        }
        drop(table);
        self.conclude(launch_id, if given_up { -1 } else { code }, given_up);
    }

    /// The end of a session, step by step: statistics and history in one write, then the table,
    /// then the listeners, then a new start where one was requested.
    fn conclude(self: &Arc<Self>, launch_id: &str, code: i32, timed_out: bool) {
        let mut table = self.table();
        let Some(live) = table.find(launch_id) else { return };
        let ending = live.ending(code.into());
        let (game, limit, states) = (live.game.clone(), live.limit.clone(), live.states.clone());
        let replay = live.replay;
        drop(table);
        // Before the end is written: a crash in between gives the limit back once more, not never.
        if let Some(limit) = &limit {
            self.give_back(limit, launch_id);
        }
        self.release_replay(replay);
        self.attach_recording(&ending.game_id, &ending.started);
        let session = states.as_ref();
        self.keep_state(Ended { launch_id, game: game.as_deref(), session });
        let written = self.write_end(&ending);
        self.close_client(launch_id, game.as_deref());
        let mut table = self.table();
        let Some(at) = table.live.iter().position(|live| live.launch_id == launch_id) else {
            return;
        };
        let outcome = Outcome { exit_code: ending.exit_code, seconds: ending.seconds, timed_out };
        let event = table.note(at, Kind::Stopped, Some(outcome));
        let live = table.live.remove(at);
        if !written {
            table.unwritten.push(ending.clone());
        }
        if live.restart {
            table.restarting.insert(live.launch_id.clone(), false);
        }
        drop(table);
        // A listener that reads the recap when it learns of the end must find this one.
        let recap = self.keep_recap(&ending, game.as_deref(), live.achieved.as_ref());
        if let Some(event) = event {
            self.publish(&event);
        }
        if let Some(recap) = recap {
            self.remark(&Remark::Recap(Box::new(recap)));
        }
        if live.restart {
            self.start_again(live);
        }
    }

    /// Starts a game again, on a thread of its own: what a launch waits for, such as an archive that
    /// is extracted, must not keep the ends of other games waiting, nor a stop of the program.
    fn start_again(self: &Arc<Self>, live: Live) {
        let (core, launch_id) = (Arc::clone(self), live.launch_id.clone());
        let started = thread_named("restart").spawn(move || core.relaunch(live));
        if let Err(error) = started {
            log::warn!("failed to start a game again: {error}");
            self.table().restarting.remove(&launch_id);
        }
    }

    /// Starts the game of a session again, unless it was stopped meanwhile; stopped while it was
    /// being started, it is asked to end.
    fn relaunch(self: &Arc<Self>, live: Live) {
        if self.table().restarting.get(&live.launch_id) == Some(&true) {
            self.table().restarting.remove(&live.launch_id);
            return;
        }
        let launched = self.launch(&GameRef::Id(live.game_id), Origin::Anew);
        let stopped = self.table().restarting.remove(&live.launch_id) == Some(true);
        match launched {
            Ok(answer) if stopped => {
                // OK because a game that has ended by itself is what is wanted.
                drop(self.control(&answer.launch_id, Action::Stop));
            }
            Ok(_) => {}
            Err(error) => log::warn!("failed to start {:?} again: {error}", live.name),
        }
    }

    /// Writes pending ends to the library, in their order.
    fn write_ends(&self) {
        let owed = std::mem::take(&mut self.table().unwritten);
        let failed: Vec<_> = owed.into_iter().filter(|ending| !self.write_end(ending)).collect();
        self.table().unwritten.extend(failed);
    }

    fn write_end(&self, ending: &Ending) -> bool {
        let now = Moment::now();
        let written = self.store.change(|draft| ledger::record_end(draft, ending, &now));
        match written {
            Ok(Some(milestone)) => self.remark(&Remark::Milestone(milestone)),
            Ok(None) => {}
            Err(error) => {
                log::error!("failed to save the end of a session of {:?}: {error}", ending.name);
                return false;
            }
        }
        true
    }
}
