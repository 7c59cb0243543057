//! The threads that read folders for the probe cache, and the waiting for them.
//!
//! Owns the queue of folders to read and the rule that no caller waits long: a reader that hangs is
//! replaced, the folder it hangs in is given up until it comes back, and so is everything else on
//! the same remote file system. Threads start when there is work and sleep without a timer.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use super::mounts;

use crate::base::{Hold as _, thread_named};

/// Threads that read while none of them hangs.
const READERS: usize = 4;
/// All threads, those hanging included.
const READERS_AT_MOST: usize = 16;
/// A folder being read for longer than this is not waited for.
pub(super) const STUCK: Duration = Duration::from_secs(2);
/// Work a reader takes from the queue at once, so that readers rarely compete for its lock.
const HANDFUL: usize = 16;
/// Looking at everything again takes at most one part in this many of the time.
const REST: u64 = 32;
/// How long the request that starts a round waits for it; rounds that took longer are not waited for.
const ROUND_PATIENCE: Duration = Duration::from_millis(40);
/// A round that did not end after this long hangs in a dead mount.
const ROUND_ENDS: Duration = Duration::from_secs(10);

/// No reader is in the place.
const IDLE: u64 = 0;
/// The place waits to be read; any other value is the moment a reader entered it.
const QUEUED: u64 = u64::MAX;

/// A moment in the life of the cache, for "no older than".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(u64);

/// Where a place stands between the queue and a reader.
#[derive(Debug, Default)]
pub(super) struct Turn {
    checked: AtomicU64,
    started: AtomicU64,
}

impl Turn {
    /// Whether the last read of the place began before a moment.
    pub(super) fn is_older_than(&self, since: Stamp) -> bool {
        self.checked.load(Ordering::Acquire) < since.0
    }

    /// Lets the next question look again, however fresh the answer is.
    pub(super) fn forget(&self) {
        self.checked.store(0, Ordering::Release);
    }

    /// Marks the place as waiting; false when it waits or is being read already.
    fn queue(&self) -> bool {
        let (order, fail) = (Ordering::AcqRel, Ordering::Acquire);
        self.started.compare_exchange(IDLE, QUEUED, order, fail).is_ok()
    }

    /// Takes a waiting place for one reader; false when another reader was faster.
    fn take(&self, now: Stamp) -> bool {
        let (order, fail) = (Ordering::AcqRel, Ordering::Acquire);
        self.started.compare_exchange(QUEUED, now.0, order, fail).is_ok()
    }

    fn finish(&self, start: Stamp) {
        self.checked.store(start.0, Ordering::Release);
        self.started.store(IDLE, Ordering::Release);
    }

    /// Takes the place out of the queue unread.
    fn give_up(&self) {
        let (order, fail) = (Ordering::AcqRel, Ordering::Relaxed);
        // OK because a place that is not waiting needs nothing.
        let _ = self.started.compare_exchange(QUEUED, IDLE, order, fail);
    }

    fn waits(&self) -> bool {
        self.started.load(Ordering::Acquire) == QUEUED
    }

    fn is_stuck(&self, now: Stamp) -> bool {
        let started = self.started.load(Ordering::Acquire);
        started != IDLE && started != QUEUED && Stamp(started).is_long_before(now, STUCK)
    }
}

/// Something that can be read and may hang meanwhile.
pub(super) trait ReadTarget: Send + Sync + 'static {
    /// The place's turn.
    fn turn(&self) -> &Turn;
    /// Where it is, to find what else would hang with it.
    fn path(&self) -> &str;
    /// Reads it.
    fn look(&self);
}

/// The readers of one kind of place. Dropping them ends their threads, except those that hang.
#[derive(Debug)]
pub(super) struct Readers<P: ReadTarget>(Arc<Shared<P>>);

#[derive(Debug)]
struct Shared<P> {
    born: Instant,
    lane: Mutex<Lane<P>>,
    work: Condvar,
    /// Something urgent was read.
    done: Condvar,
    /// A round ended.
    round: Condvar,
}

#[derive(Debug)]
struct Lane<P> {
    /// Places that callers wait for. A place may be here and in `later`; it is read once.
    urgent: VecDeque<Arc<P>>,
    later: VecDeque<Arc<P>>,
    readers: Vec<Reader<P>>,
    /// Mount points that a reader hangs in.
    dead: Vec<String>,
    /// Readers that are working.
    busy: usize,
    round: Option<Round>,
    stopping: bool,
}

/// One round over all places.
#[derive(Clone, Copy, Debug)]
struct Round {
    started: Stamp,
    ended: Option<Stamp>,
}

#[derive(Debug)]
struct Reader<P> {
    thread: JoinHandle<()>,
    hand: Arc<Mutex<Option<Hand<P>>>>,
}

#[derive(Debug)]
struct Hand<P> {
    place: Arc<P>,
    since: Stamp,
}

impl Stamp {
    fn is_long_before(self, now: Self, time: Duration) -> bool {
        now.0.saturating_sub(self.0) > u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
    }
}

impl<P: ReadTarget> Readers<P> {
    /// Readers without threads yet.
    pub(super) fn new() -> Self {
        Self(Arc::new(Shared {
            born: Instant::now(),
            lane: Mutex::new(Lane {
                urgent: VecDeque::new(),
                later: VecDeque::new(),
                readers: Vec::new(),
                dead: Vec::new(),
                busy: 0,
                round: None,
                stopping: false,
            }),
            work: Condvar::new(),
            done: Condvar::new(),
            round: Condvar::new(),
        }))
    }

    /// Now, to ask for answers that are no older.
    pub(super) fn now(&self) -> Stamp {
        self.0.now()
    }

    /// Scans places that were not scanned since a moment, as far as that is possible before the deadline and without
    /// waiting for places that hang.
    pub(super) fn ensure(&self, places: &[Arc<P>], since: Stamp, deadline: Instant) {
        let is_due = |place: &&Arc<P>| place.turn().is_older_than(since);
        let mut pending: Vec<&Arc<P>> = places.iter().filter(is_due).collect();
        if pending.is_empty() {
            return;
        }
        let mut lane = self.0.lane.hold();
        // A place that waits already, perhaps in the hands of a reader that hangs in another one,
        // is put forward again whenever nothing moves.
        let mut nothing_moves = true;
        loop {
            self.0.replace_stuck(&mut lane);
            let now = self.now();
            pending.retain(|place| {
                is_due(place) && !place.turn().is_stuck(now) && !lane.is_dead(place.path())
            });
            if pending.is_empty() || lane.stopping {
                return;
            }
            let called =
                |place: &&&Arc<P>| place.turn().queue() || nothing_moves && place.turn().waits();
            lane.urgent.extend(pending.iter().filter(called).map(|place| Arc::clone(place)));
            self.0.call_readers(&mut lane);
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let outcome = self.0.done.wait_timeout(lane, left.min(STUCK / 8));
            let (next, wait) = outcome.unwrap_or_else(PoisonError::into_inner);
            (lane, nothing_moves) = (next, wait.timed_out());
        }
    }

    /// Scans all places when the last such round is long enough ago. Waits briefly for a round that is known to be
    /// short; the results of a longer one appear in a later request.
    pub(super) fn refresh(&self, all: impl FnOnce() -> Vec<Arc<P>>) {
        let mut lane = self.0.lane.hold();
        let started = self.now();
        let cost = match lane.round {
            Some(Round { started: before, ended: None }) => {
                if !before.is_long_before(started, ROUND_ENDS) {
                    return;
                }
                ROUND_ENDS
            }
            Some(Round { started: before, ended: Some(ended) }) => {
                let cost = ended.0.saturating_sub(before.0);
                if started.0 < ended.0 + cost * REST {
                    return;
                }
                Duration::from_nanos(cost)
            }
            None => Duration::ZERO,
        };
        lane.round = Some(Round { started, ended: None });
        drop(lane);
        let waiting: Vec<Arc<P>> = all().into_iter().filter(|place| place.turn().queue()).collect();
        let mut lane = self.0.lane.hold();
        lane.later.extend(waiting);
        self.0.end_round(&mut lane);
        self.0.replace_stuck(&mut lane);
        self.0.call_readers(&mut lane);
        if cost < ROUND_PATIENCE {
            let runs = |lane: &mut Lane<P>| !lane.stopping && lane.round_runs();
            let waited = self.0.round.wait_timeout_while(lane, ROUND_PATIENCE, runs);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl<P: ReadTarget> Drop for Readers<P> {
    fn drop(&mut self) {
        let mut lane = self.0.lane.hold();
        lane.stopping = true;
        lane.urgent.clear();
        lane.later.clear();
        let readers = std::mem::take(&mut lane.readers);
        drop(lane);
        self.0.work.notify_all();
        self.0.done.notify_all();
        self.0.round.notify_all();
        let now = self.now();
        for reader in readers {
            // A thread that hangs in the kernel ends with the process.
            if reader.stuck_in(now).is_none() && reader.thread.join().is_err() {
                log::error!("a folder reader panicked");
            }
        }
    }
}

impl<P: ReadTarget> Shared<P> {
    fn now(&self) -> Stamp {
        let nanos = u64::try_from(self.born.elapsed().as_nanos()).unwrap_or(QUEUED - 1);
        Stamp(nanos.max(1))
    }

    /// Notes which remote file systems are dead now. Reads the mounts only when a reader hangs.
    fn replace_stuck(&self, lane: &mut Lane<P>) {
        let now = self.now();
        let stuck: Vec<Arc<P>> =
            lane.readers.iter().filter_map(|reader| reader.stuck_in(now)).collect();
        if stuck.is_empty() {
            lane.dead.clear();
            return;
        }
        if stuck.iter().all(|place| lane.is_dead(place.path())) {
            return;
        }
        let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let remote = |place: &Arc<P>| mounts::remote_mount(&table, place.path());
        let mut dead: Vec<String> = stuck.iter().filter_map(remote).collect();
        dead.dedup();
        if dead != lane.dead && !dead.is_empty() {
            log::warn!("file systems that do not answer: {}", dead.len());
        }
        lane.dead = dead;
    }

    /// Wakes the readers for the queue and starts those that are missing.
    fn call_readers(self: &Arc<Self>, lane: &mut Lane<P>) {
        let now = self.now();
        let healthy = lane.readers.iter().filter(|reader| reader.stuck_in(now).is_none()).count();
        let waiting = lane.urgent.len() + lane.later.len();
        // Where some hang, the next place in the queue may hang as well.
        let handful = if healthy < lane.readers.len() { 1 } else { HANDFUL };
        let wanted = READERS.min(waiting.div_ceil(handful));
        for _ in healthy..wanted {
            if lane.readers.len() >= READERS_AT_MOST {
                break;
            }
            let hand = Arc::new(Mutex::new(None));
            let (shared, own) = (Arc::clone(self), Arc::clone(&hand));
            let thread = thread_named(format!("probe-{}", lane.readers.len()))
                .spawn(move || shared.read(&own));
            match thread {
                Ok(thread) => lane.readers.push(Reader { thread, hand }),
                Err(error) => {
                    log::error!("failed to start a folder reader: {error}");
                    break;
                }
            }
        }
        self.work.notify_all();
    }

    fn read(&self, hand: &Mutex<Option<Hand<P>>>) {
        let mut lane = self.lane.hold();
        loop {
            if lane.stopping {
                return;
            }
            let places = lane.handful();
            if places.is_empty() {
                lane = self.work.wait(lane).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            lane.busy += 1;
            drop(lane);
            for place in places {
                let start = self.now();
                if place.turn().take(start) {
                    *hand.hold() = Some(Hand { place: Arc::clone(&place), since: start });
                    place.look();
                    place.turn().finish(start);
                }
            }
            *hand.hold() = None;
            lane = self.lane.hold();
            lane.busy -= 1;
            // Those who wait for few places need not sit through the whole queue.
            if lane.urgent.len() < HANDFUL || lane.urgent.len() % 512 < HANDFUL {
                self.done.notify_all();
            }
            self.end_round(&mut lane);
        }
    }

    fn end_round(&self, lane: &mut Lane<P>) {
        let now = self.now();
        if !lane.round_runs() || !lane.later.is_empty() || lane.busy > 0 {
            return;
        }
        if let Some(round) = &mut lane.round {
            round.ended = Some(now);
        }
        self.round.notify_all();
    }
}

impl<P: ReadTarget> Lane<P> {
    fn round_runs(&self) -> bool {
        self.round.is_some_and(|round| round.ended.is_none())
    }

    fn is_dead(&self, path: &str) -> bool {
        self.dead.iter().any(|mount| {
            path.strip_prefix(mount.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The next places for one reader; those on dead file systems are given up.
    fn handful(&mut self) -> Vec<Arc<P>> {
        let mut places = Vec::new();
        while places.is_empty() {
            let urgent = !self.urgent.is_empty();
            let queue = if urgent { &mut self.urgent } else { &mut self.later };
            let count = (queue.len() / READERS).clamp(1, HANDFUL).min(queue.len());
            if count == 0 {
                break;
            }
            places.extend(queue.drain(..count));
            if !self.dead.is_empty() {
                places.retain(|place: &Arc<P>| {
                    let dead = self.is_dead(place.path());
                    if dead {
                        place.turn().give_up();
                    }
                    !dead
                });
            }
        }
        places
    }
}

impl<P: ReadTarget> Reader<P> {
    fn stuck_in(&self, now: Stamp) -> Option<Arc<P>> {
        let hand = self.hand.hold();
        let hand = hand.as_ref().filter(|hand| hand.since.is_long_before(now, STUCK))?;
        Some(Arc::clone(&hand.place))
    }
}
