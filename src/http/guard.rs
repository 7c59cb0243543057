//! The guard: one thread that ends connections which make no progress, so that no client can hold a
//! thread or memory for ever. tiny_http has no time limit and no length limit of its own.
//!
//! It sleeps until the kernel announces a connection (see [`Bell`]) and looks around a few times a
//! second while there are any; without connections it is never woken. It is also the only thread
//! that touches a connection from outside: workers who must cut one leave an order here.
//!
//! | what it sees | what it does |
//! |---|---|
//! | silence for the socket timeout, between requests | stops reading, tiny_http closes |
//! | the same in the middle of a head or a small body | answers 400, severs |
//! | a head that drips for twice the timeout | answers 400, severs |
//! | no progress of a body, or its deadline | stops reading: the worker's read ends |
//! | more unparsed bytes than a head and a body may have | severs |
//! | more connections than the cap | severs the one that has been idle longest |
//! | bytes that nobody reads | pokes tiny_http |
//!
//! The last row is a fault of tiny_http's thread pool: it counts on idle threads that other
//! connections of the same burst have been promised already, and leaves a connection in its queue
//! until another one ends. Poking it, with a connection that ends at once, makes a thread for the
//! queue.

use std::{
    cmp::Reverse,
    collections::HashMap,
    net::SocketAddr,
    panic::{self, AssertUnwindSafe},
    sync::{Mutex, PoisonError, atomic::AtomicBool, atomic::Ordering},
    time::{Duration, Instant},
};

use crossbeam_channel::{Sender, bounded};

use super::{
    connections::{Connections, Progress, Stage},
    socket::{Bell, Deed, DescriptorTable, Sighting},
};
use crate::base::limits;

/// Bytes that may arrive without becoming a request: one head and one small body.
const FLOOD_BYTES: u64 = (limits::HEAD_BYTES + limits::BODY_BYTES) as u64;
/// Time between two looks while there are connections.
const TICK: Duration = Duration::from_millis(250);
/// Time between two looks when connections arrive in a hurry.
const BREATH: Duration = Duration::from_millis(20);
/// Empty looks in a row after which the guard sleeps until the bell rings.
const QUIET_LOOKS: u32 = 4;
/// How long a worker waits for its order to be carried out.
const ORDER_PATIENCE: Duration = Duration::from_secs(1);

/// How patient the guard is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Silence that ends a connection.
    pub(super) timeout: Duration,
    /// Connections served at once.
    pub(super) cap: usize,
}

impl Rules {
    /// The longest a head or a body may take altogether.
    pub(super) fn budget(&self) -> Duration {
        self.timeout * 2
    }

    fn tick(&self) -> Duration {
        TICK.min(self.timeout / 4)
    }
}

/// What the guard asks of the server.
pub(super) trait Keeper {
    /// The bytes of the answer to a request that never became complete.
    fn incomplete(&self) -> Vec<u8>;

    /// Whether complete requests may be waiting for a worker.
    fn is_behind(&self) -> bool;

    /// Whether a connection waits to be accepted.
    fn has_backlog(&self) -> bool;

    /// Connects to the server and leaves at once, at most so many times.
    fn poke(&self, count: usize);

    /// Called at every look with what was seen: the server adds workers where all of them wait for
    /// slow clients. Returns false when nothing accepts connections any more.
    fn tend(&self, table: &DescriptorTable, sightings: &[Sighting]) -> bool;
}

struct Order {
    peer: SocketAddr,
    deed: Deed,
    done: Sender<()>,
}

/// What the guard and the workers share.
pub(super) struct Post<P> {
    /// Whose turn it is on each connection.
    pub(super) connections: Connections<P>,
    /// Wakes the guard.
    pub(super) bell: Bell,
    /// How patient the guard is.
    pub(super) rules: Rules,
    orders: Mutex<Vec<Order>>,
    closing: AtomicBool,
}

impl<P> Post<P> {
    /// A post without a guard yet.
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            connections: Connections::default(),
            bell: Bell::default(),
            rules,
            orders: Mutex::default(),
            closing: AtomicBool::new(false),
        }
    }

    /// Has the guard do something to the connection of `peer` and waits until it is done.
    pub(super) fn order(&self, peer: SocketAddr, deed: Deed) {
        let (done, carried_out) = bounded(1);
        self.orders.lock().unwrap_or_else(PoisonError::into_inner).push(Order { peer, deed, done });
        self.bell.ring();
        // A guard that does not come has ended with the server, and so have its connections.
        let _ = carried_out.recv_timeout(ORDER_PATIENCE);
    }

    fn has_orders(&self) -> bool {
        !self.orders.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn take_orders(&self) -> Vec<Order> {
        std::mem::take(&mut *self.orders.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends the guard, which severs every connection on its way out.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.bell.ring();
    }
}

/// The guard's work, from the first connection to the end of the server. The calling thread must
/// attend the bell of `post`; `announced` says that connections ring it.
pub(super) fn keep_watch<P>(
    post: &Post<P>,
    keeper: &dyn Keeper,
    mut table: DescriptorTable,
    announced: bool,
) {
    let mut watched: HashMap<u64, Watched> = HashMap::new();
    let mut last_look: Option<Instant> = None;
    // Looks in a row that found nothing since the bell last rang. A connection rings before tiny_http
    // has its descriptor, so one empty look after a ring proves nothing.
    let mut quiet_looks = 0;
    let mut starved = 0;
    // Whoever asks for something rings afterwards. A ring may end either wait below, so everything
    // that can be asked for is looked at between the last wait and the next.
    while !post.closing.load(Ordering::Acquire) {
        let tick = if starved > 0 { BREATH } else { post.rules.tick() };
        let is_awake = quiet_looks < QUIET_LOOKS || !announced;
        let mut rang = Bell::wait(is_awake.then_some(tick));
        if !post.has_orders()
            && let Some(rest) = last_look.and_then(|look| BREATH.checked_sub(look.elapsed()))
        {
            rang |= Bell::wait(Some(rest));
        }
        if rang {
            quiet_looks = 0;
        }
        let orders = post.take_orders();
        last_look = Some(Instant::now());
        match table.sight() {
            Ok(sightings) => {
                carry_out(orders, &mut table, &sightings);
                let look = || look_around(post, keeper, &mut table, &mut watched, &sightings);
                starved = contain(look).unwrap_or(1);
                let is_quiet = sightings.is_empty() && starved == 0;
                quiet_looks = if is_quiet { quiet_looks + 1 } else { 0 };
            }
            Err(error) => {
                log::warn!("failed to list connections: {error}");
                quiet_looks = 0;
            }
        }
    }
    for sighting in table.sight().unwrap_or_default() {
        table.act(&sighting, &Deed::Sever);
    }
}

/// Runs one look, so that a bug in it costs that look and not the guard.
fn contain<T>(look: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(look))
        .inspect_err(|_| log::error!("the guard of the connections panicked"))
        .ok()
}

fn carry_out(orders: Vec<Order>, table: &mut DescriptorTable, sightings: &[Sighting]) {
    for order in orders {
        if let Some(sighting) = sightings.iter().find(|sighting| sighting.peer == order.peer) {
            table.act(sighting, &order.deed);
        }
        // The worker may have stopped waiting.
        let _ = order.done.try_send(());
    }
}

/// Judges every connection and returns how many wait for a thread of tiny_http; a connection that is
/// not accepted counts as one that waits.
fn look_around<P>(
    post: &Post<P>,
    keeper: &dyn Keeper,
    table: &mut DescriptorTable,
    watched: &mut HashMap<u64, Watched>,
    sightings: &[Sighting],
) -> usize {
    let now = Instant::now();
    let behind = keeper.is_behind();
    let (mut starved, mut pokes) = (0, 0);
    watched.retain(|inode, _| sightings.iter().any(|sighting| sighting.inode == *inode));
    let mut open = Vec::with_capacity(sightings.len());
    for sighting in sightings {
        let progress = post.connections.progress(sighting.peer);
        let seen = watched.entry(sighting.inode).or_insert_with(|| Watched::new(now));
        let look = Look { received: sighting.received, unread: sighting.unread, progress, behind };
        let verdict = seen.judge(now, &look, &post.rules);
        starved += usize::from(seen.starved_looks > 0);
        pokes += usize::from(seen.starved_looks > 1);
        match verdict {
            Verdict::Leave => open.push((seen.rank(), sighting)),
            Verdict::StopReading => table.act(sighting, &Deed::StopReading),
            Verdict::Sever => {
                log::debug!("cut off the connection of {}", sighting.peer);
                post.connections.doom(sighting.peer);
                table.act(sighting, &Deed::Sever);
            }
            Verdict::CloseIdle => {
                let deed = || table.act(sighting, &Deed::StopReading);
                post.connections.close_idle(sighting.peer, deed);
            }
            Verdict::AnswerIncomplete => {
                let answer = Deed::AnswerAndSever(keeper.incomplete());
                post.connections.close_idle(sighting.peer, || table.act(sighting, &answer));
            }
        }
    }
    post.connections.sweep();
    let has_backlog = keeper.has_backlog();
    if !has_backlog {
        // Whoever is accepted pokes too.
        keeper.poke(pokes);
    }
    let deaf = !keeper.tend(table, sightings);
    let spare = if deaf { open.len() / 8 + 1 } else { 0 };
    let excess = open.len().saturating_sub(post.rules.cap).max(spare.min(open.len()));
    if excess > 0 {
        open.sort_unstable_by_key(|(rank, _)| *rank);
        for (rank, sighting) in &open[..excess] {
            match rank {
                Rank::Idle(_) => {
                    let deed = || table.act(sighting, &Deed::Sever);
                    post.connections.close_idle(sighting.peer, deed);
                }
                // To be able to accept again, nothing that is being worked on is given up.
                _ if open.len() <= post.rules.cap => {}
                Rank::Reading(_) | Rank::Working(_) => table.act(sighting, &Deed::Sever),
            }
        }
    }
    starved + usize::from(deaf || has_backlog)
}

/// What one look shows of one connection.
struct Look {
    received: Option<u64>,
    unread: u64,
    progress: Option<Progress>,
    /// Complete requests may be waiting for a worker.
    behind: bool,
}

/// What the guard remembers of one connection between two looks.
#[derive(Debug)]
struct Watched {
    since: Instant,
    /// When it last made progress.
    moved: Instant,
    received: u64,
    steps: u64,
    /// Bytes received when it last had no unparsed ones.
    baseline: u64,
    /// When the first unparsed byte was seen.
    partial: Option<Instant>,
    stage: Stage,
    /// Looks in a row that found the same bytes unread, or the connection still there after its end.
    starved_looks: u32,
    closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Leave,
    CloseIdle,
    AnswerIncomplete,
    StopReading,
    Sever,
}

/// Who goes first when there are too many connections: the least ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The one that has been idle longest.
    Idle(Instant),
    /// The one whose body has not moved for longest.
    Reading(Instant),
    /// The newest.
    Working(Reverse<Instant>),
}

impl Watched {
    fn new(now: Instant) -> Self {
        Self {
            since: now,
            moved: now,
            received: 0,
            steps: 0,
            baseline: 0,
            partial: None,
            stage: Stage::Idle,
            starved_looks: 0,
            closed: false,
        }
    }

    /// Takes in what was seen and decides. Pure: the same sightings lead to the same verdicts.
    fn judge(&mut self, now: Instant, look: &Look, rules: &Rules) -> Verdict {
        let verdict = self.weigh(now, look, rules);
        self.closed |= !matches!(verdict, Verdict::Leave | Verdict::StopReading);
        verdict
    }

    fn weigh(&mut self, now: Instant, look: &Look, rules: &Rules) -> Verdict {
        // Where the kernel does not count bytes, only complete requests are progress.
        let received = look.received.unwrap_or(self.received);
        let (steps, stage, overdue) = match look.progress {
            Some(progress) => (progress.steps, progress.stage, progress.overdue),
            None => (0, Stage::Idle, false),
        };
        // Between two requests tiny_http reads at once whatever comes. Bytes that stay where they
        // are have nobody who reads them, which is not the client's fault.
        let unattended = look.unread > 0 && stage == Stage::Idle;
        let arrived = received != self.received;
        self.starved_looks = if (unattended && !arrived) || self.closed {
            self.starved_looks + 1
        } else {
            u32::from(unattended)
        };
        if arrived || unattended {
            self.received = received;
            self.moved = now;
        }
        // Nor is it when what looks like a part of a head may be a request without a worker.
        if (unattended || look.behind) && received > self.baseline {
            self.moved = now;
            self.partial = None;
        }
        let was_reading = matches!(self.stage, Stage::Reading(_));
        let is_reading = matches!(stage, Stage::Reading(_));
        if steps != self.steps || was_reading || is_reading {
            self.baseline = received;
            self.partial = None;
        }
        if steps != self.steps || was_reading != is_reading || stage == Stage::Working {
            self.moved = now;
        }
        self.steps = steps;
        self.stage = stage;
        let unparsed = received.saturating_sub(self.baseline);
        let silent = now.duration_since(self.moved) >= rules.timeout;
        if overdue {
            return Verdict::Sever;
        }
        match stage {
            Stage::Reading(deadline) if silent || now >= deadline => Verdict::StopReading,
            // What is unread may be a body whose reader has not begun.
            Stage::Idle | Stage::Working if unparsed > FLOOD_BYTES + look.unread => Verdict::Sever,
            Stage::Idle if unparsed > 0 => {
                let began = *self.partial.get_or_insert(now);
                let dripping = now.duration_since(began) >= rules.budget();
                if silent || dripping { Verdict::AnswerIncomplete } else { Verdict::Leave }
            }
            Stage::Idle if silent => Verdict::CloseIdle,
            Stage::Idle | Stage::Working | Stage::Reading(_) => Verdict::Leave,
        }
    }

    fn rank(&self) -> Rank {
        match self.stage {
            Stage::Idle => Rank::Idle(self.moved),
            Stage::Reading(_) => Rank::Reading(self.moved),
            Stage::Working => Rank::Working(Reverse(self.since)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { timeout: Duration::from_secs(30), cap: 512 };

    /// Feeds sightings `(second, bytes received, steps, stage)` and returns the verdicts.
    #[track_caller]
    fn check(sightings: &[(u64, u64, u64, Stage)], expected: &[Verdict]) {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let verdicts: Vec<_> = sightings
            .iter()
            .map(|&(second, received, steps, stage)| {
                let now = start + Duration::from_secs(second);
                let progress = Progress { steps, stage, overdue: false };
                let progress = (steps > 0).then_some(progress);
                let received = Some(received);
                watched.judge(now, &Look { received, unread: 0, progress, behind: false }, &RULES)
            })
            .collect();
        assert_eq!(verdicts, expected);
    }

    use Stage::{Idle, Working};
    use Verdict::{AnswerIncomplete, CloseIdle, Leave, Sever, StopReading};

    #[test]
    fn a_silent_connection_is_closed() {
        check(&[(0, 0, 0, Idle), (29, 0, 0, Idle), (30, 0, 0, Idle)], &[Leave, Leave, CloseIdle]);
    }

    #[test]
    fn keep_alive_starts_over_after_each_answer() {
        check(
            &[(0, 80, 1, Idle), (29, 160, 2, Idle), (58, 160, 2, Idle), (59, 160, 2, Idle)],
            &[Leave, Leave, Leave, CloseIdle],
        );
    }

    #[test]
    fn a_long_request_leaves_time_for_the_next() {
        check(
            &[(0, 80, 1, Working), (500, 80, 1, Working), (520, 80, 1, Idle), (530, 80, 1, Idle)],
            &[Leave, Leave, Leave, CloseIdle],
        );
    }

    #[test]
    fn a_stalled_head_is_answered() {
        check(&[(0, 20, 0, Idle), (30, 20, 0, Idle)], &[Leave, AnswerIncomplete]);
        check(
            &[(0, 80, 1, Idle), (10, 90, 1, Idle), (40, 90, 1, Idle)],
            &[Leave, Leave, AnswerIncomplete],
        );
    }

    #[test]
    fn a_dripping_head_has_a_budget() {
        let drips: Vec<_> = (0..=3).map(|step| (step * 20, 10 + step, 0, Idle)).collect();
        check(&drips, &[Leave, Leave, Leave, AnswerIncomplete]);
    }

    #[test]
    fn a_flood_is_severed_idle_or_not() {
        check(&[(0, 10, 0, Idle), (1, FLOOD_BYTES, 0, Idle)], &[Leave, Leave]);
        check(&[(0, 10, 0, Idle), (1, FLOOD_BYTES + 1, 0, Idle)], &[Leave, Sever]);
        let busy = [
            (0, 10, 1, Working),
            (1, FLOOD_BYTES + 10, 1, Working),
            (2, FLOOD_BYTES + 11, 1, Working),
        ];
        check(&busy, &[Leave, Leave, Sever]);
    }

    #[test]
    fn a_body_nobody_reads_yet_is_no_flood() {
        let start = Instant::now();
        let progress = |steps, stage| Some(Progress { steps, stage, overdue: false });
        let mut watched = Watched::new(start);
        let mut look = |received, unread, progress| {
            let look = Look { received: Some(received), unread, progress, behind: false };
            watched.judge(start, &look, &RULES)
        };
        assert_eq!(look(200_000, 199_000, None), Leave);
        assert_eq!(look(900_000, 700_000, progress(1, Working)), Leave);
        assert_eq!(look(60_000_000, 0, progress(3, Working)), Leave, "read between two looks");
        assert_eq!(look(60_200_000, 0, progress(3, Working)), Sever);
    }

    #[test]
    fn a_body_has_a_pace_and_a_deadline() {
        let start = Instant::now();
        let reading = |deadline: u64| Stage::Reading(start + Duration::from_secs(deadline));
        check(
            &[
                (0, 80, 1, reading(90)),
                (29, 90, 1, reading(90)),
                (58, 90, 1, reading(90)),
                (59, 90, 1, reading(90)),
            ],
            &[Leave, Leave, Leave, StopReading],
        );
        check(
            &[
                (0, 80, 1, reading(5)),
                (4, 9_000_000, 1, reading(5)),
                (6, 99_000_000, 1, reading(5)),
            ],
            &[Leave, Leave, StopReading],
        );
    }

    #[test]
    fn a_body_does_not_count_as_a_flood_afterwards() {
        let start = Instant::now();
        let reading = Stage::Reading(start + Duration::from_secs(90));
        check(
            &[(0, 80, 1, reading), (1, 60_000_000, 1, Working), (2, 60_000_000, 1, Idle)],
            &[Leave, Leave, Leave],
        );
    }

    #[test]
    fn without_byte_counts_only_silence_counts() {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut judge = |second| {
            let now = start + Duration::from_secs(second);
            let look = Look { received: None, unread: 0, progress: None, behind: false };
            watched.judge(now, &look, &RULES)
        };
        assert_eq!([judge(29), judge(30)], [Leave, CloseIdle]);
    }

    #[test]
    fn unread_bytes_are_not_held_against_the_client() {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut look = |second, unread| {
            let now = start + Duration::from_secs(second);
            let look = Look { received: Some(50), unread, progress: None, behind: false };
            let verdict = watched.judge(now, &look, &RULES);
            (verdict, watched.starved_looks)
        };
        assert_eq!(look(0, 50), (Leave, 1), "perhaps its thread is just waking up");
        assert_eq!(look(40, 50), (Leave, 2));
        assert_eq!(look(50, 0), (Leave, 0));
        assert_eq!(look(70, 0), (AnswerIncomplete, 0));
        assert_eq!(look(71, 0).1, 1, "nobody has noticed its end");
    }

    #[test]
    fn a_request_without_a_worker_is_not_a_stalled_head() {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut look = |second, behind| {
            let now = start + Duration::from_secs(second);
            let look = Look { received: Some(50), unread: 0, progress: None, behind };
            watched.judge(now, &look, &RULES)
        };
        assert_eq!([look(0, true), look(40, true), look(80, true)], [Leave; 3]);
        assert_eq!([look(100, false), look(110, false)], [Leave, AnswerIncomplete]);
    }

    #[test]
    fn the_longest_idle_goes_first_and_work_goes_last() {
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let mut ranks = [
            Rank::Working(Reverse(at(1))),
            Rank::Idle(at(9)),
            Rank::Working(Reverse(at(5))),
            Rank::Reading(at(2)),
            Rank::Idle(at(3)),
        ];
        ranks.sort_unstable();
        assert_eq!(
            ranks,
            [
                Rank::Idle(at(3)),
                Rank::Idle(at(9)),
                Rank::Reading(at(2)),
                Rank::Working(Reverse(at(5))),
                Rank::Working(Reverse(at(1))),
            ]
        );
    }
}
