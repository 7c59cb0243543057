//! One running session.

use std::{sync::Arc, time::Duration};

use rustix::process::Signal;
use serde_json::{Map, Value};

use crate::{
    base::{Moment, clock, schema::schema},
    model::{ActiveSession, Game, State},
    process::{Process, SignalError, proc_files, signal::signal_one},
    recorder::buffer::Armed,
    resume::session::Session,
    sessions::{
        achieved::Achieved,
        ledger::{self, Ending},
        power::Limit,
        stopwatch::Stopwatch,
        tracking::{Follow, Seen, Tracking},
    },
};

/// The first checkpoint comes this long after the start, each next one twice as long after the one
/// before, up to [`LAST_STEP`].
///
/// A power cut costs what was played since the last one. Early ones are close together so that a
/// short session is remembered at all; later ones are far apart because each is a write to flash.
pub(super) const FIRST_STEP: Duration = Duration::from_secs(5);
/// The longest time between two checkpoints.
pub(super) const LAST_STEP: Duration = Duration::from_mins(1);

/// The key of a row whose session went on from a state.
pub(super) const RESUMED: &str = "resumed_from_state";

/// The key of a row whose session started the replay buffer.
pub(super) const REPLAYS: &str = "replay_buffer_owned";

/// A game that runs. Times are readings of [`clock::awake`].
pub(super) struct Live {
    pub(super) launch_id: String,
    pub(super) game_id: String,
    pub(super) name: String,
    /// The game as it was when the session began; none when it is gone from the library.
    pub(super) game: Option<Arc<Game>>,
    /// What the file of its achievements counted then; none when it began in an earlier run.
    pub(super) achieved: Option<Achieved>,
    pub(super) profile: String,
    /// The power limit that is in force for it.
    pub(super) limit: Option<Limit>,
    /// Folder of the archive cache it runs from; empty for none.
    pub(super) archive_key: String,
    pub(super) started: String,
    pub(super) boot_id: String,
    /// The started process, while there is one.
    pub(super) process: Option<Arc<Process>>,
    pub(super) pid: i32,
    pub(super) start_ticks: u64,
    pub(super) fingerprint: String,
    pub(super) watch: Stopwatch,
    /// Whether the user has paused it. The stopwatch runs on meanwhile.
    pub(super) is_paused: bool,
    pub(super) tracking: Tracking,
    pub(super) restart: bool,
    /// What is needed to keep its state; none when its emulator keeps none, or when it began in an
    /// earlier run.
    pub(super) states: Option<Session>,
    /// Whether it resumed from a state.
    pub(super) is_resumed: bool,
    /// The state of the replay buffer at its start.
    pub(super) replay: Armed,
    /// The exit code once the process has ended and its game is followed on.
    pub(super) ended: Option<i32>,
    pub(super) next_look: Option<Duration>,
    pub(super) next_checkpoint: Duration,
    pub(super) step: Duration,
}

schema! {
    /// A running game as clients see it.
    #[derive(Debug)]
    pub struct RunningGame {
        effective_profile: String,
        game: String,
        /// Its position in the library; positions move, the stable id does not.
        game_id: Option<usize>,
        game_path: String,
        /// Id of the launch.
        pub launch_id: String,
        libserver_id: String,
        paused: bool,
        pid: i32,
        replay_buffer_armed: bool,
        replay_buffer_owned: bool,
        restart: bool,
        resumed_from_state: bool,
        seconds: u64,
        stable_game_id: String,
        started: String,
        store_a_app_id: String,
        store_b_app_id: String,
        store_c_id: String,
    }
}

impl Live {
    /// The row in the library file, with the playtime so far.
    pub(super) fn row(&self) -> ActiveSession {
        let now = clock::awake();
        let played = self.watch.read(now);
        // The stamp lies where the whole second began, so that nothing is lost by cutting it off.
        let stamp = now.saturating_sub(Duration::from_nanos(u64::from(played.subsec_nanos())));
        ActiveSession {
            game_id: self.game_id.clone(),
            launch_id: self.launch_id.clone(),
            pid: self.pid,
            pgid: self.pid,
            proc_start_time: self.start_ticks,
            command_fingerprint: self.fingerprint.clone(),
            start_time: self.started.clone(),
            seconds: played.as_secs(),
            name: self.name.clone(),
            boot_id: self.boot_id.clone(),
            uptime_ms: u64::try_from(stamp.as_millis()).unwrap_or(0),
            paused: self.is_paused,
            effective_profile: self.profile.clone(),
            perf_profile: self.limit.as_ref().map_or_else(String::new, |each| each.profile.clone()),
            restore_tdp_w: self.limit.as_ref().map_or(0.0, |each| each.restore),
            archive_key: self.archive_key.clone(),
            status: ledger::ACTIVE.to_owned(),
            more: self.marks(),
        }
    }

    /// The flags of the row, which are written only when set.
    fn marks(&self) -> Map<String, Value> {
        let mut marks = Map::new();
        if self.is_resumed {
            marks.insert(RESUMED.to_owned(), true.into());
        }
        if self.replay.is_owned {
            marks.insert(REPLAYS.to_owned(), true.into());
        }
        marks
    }

    /// The entry of the launch answer and of `GET /api/running`.
    pub(super) fn entry(&self, state: &State) -> RunningGame {
        let record = self.game.as_ref().map(|game| game.record()).unwrap_or_default();
        RunningGame {
            effective_profile: self.profile.clone(),
            game: self.name.clone(),
            game_id: state.games.position(&self.game_id),
            game_path: record.text("path").to_owned(),
            launch_id: self.launch_id.clone(),
            libserver_id: record.shown("libserver_id"),
            paused: self.is_paused,
            pid: self.pid,
            replay_buffer_armed: self.replay.is_armed,
            replay_buffer_owned: self.replay.is_owned,
            restart: self.restart,
            resumed_from_state: self.is_resumed,
            seconds: self.watch.read(clock::awake()).as_secs(),
            stable_game_id: self.game_id.clone(),
            started: self.started.clone(),
            store_a_app_id: record.shown("store_a_app_id"),
            store_b_app_id: record.shown("store_b_app_id"),
            store_c_id: record.shown("store_c_id"),
        }
    }

    /// What is written when it is over.
    pub(super) fn ending(&self, exit_code: i64) -> Ending {
        Ending {
            launch_id: self.launch_id.clone(),
            game_id: self.game_id.clone(),
            name: self.name.clone(),
            started: self.started.clone(),
            seconds: self.watch.read(clock::awake()).as_secs().max(1),
            exit_code,
            interrupted: false,
        }
    }

    /// Signals the group of the process, and whatever else belongs to a followed game: a launcher
    /// may still run along with the game it handed over to.
    pub(super) fn signal(&self, signal: Signal) -> Result<(), SignalError> {
        let grouped = match &self.process {
            Some(process) if self.ended.is_none() => process.signal_group(signal),
            _ => Err(SignalError::Ended),
        };
        if self.tracking.follow == Follow::Child {
            return grouped;
        }
        // A second request to end makes some programs end without saving.
        let told = grouped.is_ok().then_some(self.pid);
        let reached = self
            .members()
            .filter(|seen| told != Some(seen.group))
            .filter(|seen| signal_one(seen.pid, seen.start_ticks, signal).is_ok())
            .count();
        if reached > 0 { Ok(()) } else { grouped }
    }

    /// The processes that are followed: they match, and are not strays that were there before.
    pub(super) fn members(&self) -> impl Iterator<Item = Seen> {
        self.matches().filter(|seen| seen.start_ticks >= self.start_ticks)
    }

    /// Every process that matches, without those of this program.
    pub(super) fn matches(&self) -> impl Iterator<Item = Seen> {
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        proc_files::processes()
            .into_iter()
            .filter(move |stat| stat.pid != own)
            .map(|stat| Seen {
                pid: stat.pid,
                group: stat.group,
                command_line: proc_files::command_line(stat.pid),
                folder: proc_files::working_directory(stat.pid),
                start_ticks: stat.start_ticks,
                name: stat.name,
            })
            .filter(|seen| self.tracking.follow.matches(seen))
    }

    /// When it wants attention next.
    pub(super) fn due(&self) -> Duration {
        self.next_look.map_or(self.next_checkpoint, |look| look.min(self.next_checkpoint))
    }

    /// Sets the time of the next checkpoint.
    pub(super) fn plan_checkpoint(&mut self, now: Duration) {
        self.next_checkpoint = now + self.step;
        self.step = (self.step * 2).min(LAST_STEP);
    }

    /// Seconds on the wall since a stored start; `None` when it is not a time or lies ahead.
    pub(super) fn wall_since(started: &str, now: &Moment) -> Option<Duration> {
        let seconds = now.unix_seconds() - Moment::parse(started)?.unix_seconds();
        u64::try_from(seconds).ok().map(Duration::from_secs)
    }
}
