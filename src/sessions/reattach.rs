//! Handling the rows of the last run.
//!
//! A row whose process is still the same one goes on as if nothing had happened. Any other session
//! ended unseen: its playtime up to the last checkpoint is credited and becomes history,
//! and in the same commit its row becomes `abandoned`. That status is what keeps it from being
//! credited again; the row is shown until it is cleaned up. Its processes are never signalled.

use std::{sync::Arc, time::Duration};

use super::{
    launch::MARK,
    live::{FIRST_STEP, Live, REPLAYS, RESUMED},
    resume::Ended,
    shared::Core,
};
use crate::{
    base::{Moment, clock, text},
    model::{ActiveSession, State},
    process::{Process, proc_files},
    recorder::buffer::Armed,
    sessions::{
        ledger::{self, Ending},
        power::Limit,
        stopwatch::Stopwatch,
    },
};

/// Characters of the command line that must be the same in rows that do not name their boot.
const SAME_CHARS: usize = 50;

impl Core {
    /// Takes up every row that is not abandoned and not on the table.
    pub(super) fn reconcile(&self) {
        let Ok(state) = self.store.snapshot() else { return };
        let rows = state.rows::<ActiveSession>().into_iter();
        let (mut lost, mut limits) = (Vec::new(), Vec::new());
        for row in rows.filter(|row| row.status != ledger::ABANDONED) {
            if self.table().knows(&row) {
                continue;
            }
            if row.status == ledger::STARTING {
                self.settle(row, &state);
                continue;
            }
            if let Some(live) = self.adopt(&row, &state) {
                self.take_up(live);
                continue;
            }
            limits.extend(limit(&row, &state).map(|limit| (limit, row.launch_id.clone())));
            let game = state.games.find(&row.game_id).map(|(_, game)| &**game);
            self.keep_state(Ended { launch_id: &row.launch_id, game, session: None });
            lost.push(ending(&row, &state));
        }
        for (limit, launch_id) in limits {
            self.give_back(&limit, &launch_id);
        }
        if lost.is_empty() {
            return;
        }
        let now = Moment::now();
        let written = self.store.change(|draft| {
            for ending in &lost {
                ledger::record_abandoned(draft, ending, &now);
            }
        });
        if let Err(error) = written {
            log::error!("failed to save sessions that ended unseen: {error}");
        }
    }

    /// A launch that was cut off: where its game runs nevertheless, the session begins now as it
    /// would have then; where nothing was started, nothing is left of it.
    fn settle(&self, mut row: ActiveSession, state: &State) {
        let found =
            (row.boot_id == self.boot_id).then(|| proc_files::find_marked(MARK, &row.launch_id));
        if let Some(stat) = found.flatten() {
            (row.pid, row.pgid, row.proc_start_time) = (stat.pid, stat.pid, stat.start_ticks);
            ledger::ACTIVE.clone_into(&mut row.status);
            if let Some(live) = self.adopt(&row, state) {
                let started = Moment::parse(&row.start_time).unwrap_or_else(Moment::now);
                let written = live.row();
                let commit =
                    self.store.commit(|draft| ledger::record_start(draft, &written, &started));
                if let Err(error) = commit {
                    log::error!("failed to save a session that was found: {error}");
                }
                self.take_up(live);
                return;
            }
        }
        if let Some(limit) = limit(&row, state) {
            self.give_back(&limit, &row.launch_id);
        }
        let forgotten = self.store.change(|draft| ledger::forget(draft, &row.launch_id));
        if let Err(error) = forgotten {
            log::warn!("the row of a launch that was cut off stays: {error}");
        }
    }

    fn take_up(&self, live: Live) {
        log::info!("{:?} still runs and is followed on", live.name);
        let (launch_id, process) = (live.launch_id.clone(), live.process.clone());
        self.table().live.push(live);
        if let Some(process) = process {
            self.watch(launch_id, &process);
        }
    }

    /// The session of a row, if its game still runs.
    fn adopt(&self, row: &ActiveSession, state: &State) -> Option<Live> {
        let same_boot = row.boot_id.is_empty() || row.boot_id == self.boot_id;
        if !same_boot || row.launch_id.is_empty() {
            return None;
        }
        let process = same_process(row).map(Arc::new);
        let game = state.games.find(&row.game_id).map(|(_, game)| Arc::clone(game));
        let record = game.as_ref().map(|game| game.record()).unwrap_or_default();
        let now = clock::awake();
        let mut live = Live {
            launch_id: row.launch_id.clone(),
            game_id: row.game_id.clone(),
            name: match (row.name.as_str(), &game) {
                ("", Some(game)) => game.name().to_owned(),
                (name, _) => name.to_owned(),
            },
            game,
            achieved: None,
            profile: row.effective_profile.clone(),
            limit: limit(row, state),
            archive_key: row.archive_key.clone(),
            started: row.start_time.clone(),
            boot_id: self.boot_id.clone(),
            pid: row.pid,
            start_ticks: row.proc_start_time,
            fingerprint: row.command_fingerprint.clone(),
            watch: continued(row, now),
            // The row is believed and not the state of the process: a stop takes effect only when the
            // process gets there, which may be after it was checked.
            is_paused: row.paused && process.is_some(),
            tracking: self.tracking(&record, state, &row.archive_key),
            restart: false,
            states: None,
            replay: {
                let is_owned = row.more.get(REPLAYS).is_some_and(|mark| mark == true);
                Armed { is_armed: is_owned, is_owned }
            },
            is_resumed: row.more.get(RESUMED).is_some_and(|mark| mark == true),
            // The exit code went to the process that adopted it.
            ended: process.is_none().then_some(0),
            next_look: process.is_none().then_some(now),
            process,
            next_checkpoint: now,
            step: FIRST_STEP,
        };
        live.plan_checkpoint(now);
        let runs = live.process.is_some() || live.members().next().is_some();
        runs.then_some(live)
    }
}

/// The process of a row, if it is still the same one.
///
/// Number and start time name a process within one boot. Rows that do not say which boot they mean
/// must agree in the command line too; others need not, because a script that ends in `exec` has
/// changed it.
fn same_process(row: &ActiveSession) -> Option<Process> {
    let process = Process::adopt(row.pid, row.proc_start_time)?;
    let known = text::cut(&row.command_fingerprint, SAME_CHARS);
    let now = proc_files::fingerprint(row.pid);
    let agrees = !known.is_empty() && text::cut(&now, SAME_CHARS) == known;
    (agrees || !row.boot_id.is_empty()).then_some(process)
}

/// The stopwatch of a row. The time since it was written counts too; the clock stood still while the
/// machine slept. A row that does not say when it was written counts from
/// the start of its game. What a file says never counts for more than the time on the wall since the start.
fn continued(row: &ActiveSession, now: Duration) -> Stopwatch {
    let wall = Live::wall_since(&row.start_time, &Moment::now());
    let stored = Duration::from_secs(row.seconds);
    let (counted, since) = if row.boot_id.is_empty() {
        (wall.unwrap_or(stored), now)
    } else {
        (stored, Duration::from_millis(row.uptime_ms).min(now))
    };
    let watch = Stopwatch::continued(counted, since);
    match wall {
        Some(wall) if watch.read(now) > wall + Duration::from_secs(1) => {
            Stopwatch::continued(wall, now)
        }
        _ => watch,
    }
}

/// The power limit of a row. Rows of old libraries do not hold the limit to return to; then the profile
/// does.
fn limit(row: &ActiveSession, state: &State) -> Option<Limit> {
    if row.perf_profile.is_empty() {
        return None;
    }
    let stored = Limit::stored(state, &row.perf_profile).unwrap_or_default();
    let restore = if row.restore_tdp_w > 0.0 { row.restore_tdp_w } else { stored.restore };
    Some(Limit { profile: row.perf_profile.clone(), watts: stored.watts, restore })
}

fn ending(row: &ActiveSession, state: &State) -> Ending {
    let game = state.games.find(&row.game_id).map_or("", |(_, game)| game.name());
    Ending {
        launch_id: row.launch_id.clone(),
        game_id: row.game_id.clone(),
        name: if row.name.is_empty() { game.to_owned() } else { row.name.clone() },
        started: row.start_time.clone(),
        seconds: row.seconds,
        exit_code: 0,
        interrupted: true,
    }
}
