//! The guard: one thread that ends connections which make no progress, so that no client can hold a thread or memory
//! forever. tiny_http has no time limit and no length limit of its own.
//!
//! It sleeps until the kernel announces a connection (see [`Bell`]) and looks around a few times a
//! second while there are any, once a second when nothing happens on them; without connections it is
//! never woken. Only the guard closes a connection on behalf of others: a worker that must cut one leaves a command
//! here.
//!
//! | what it sees | what it does |
//! |---|---|
//! | silence for the socket timeout, between requests | stops reading, tiny_http closes |
//! | the same in the middle of a head or a small body | answers 400, severs |
//! | a head that drips for twice the timeout | answers 400, severs |
//! | no progress of a body, or its deadline | stops reading: the worker's read ends |
//! | more unparsed bytes than a head and a body may have | severs |
//! | more connections than the cap | severs the one that has been idle longest |
//! | a quarter of the cap in the middle of a head or a body | gives up the one that takes longest |
//! | bytes that are not being read | pokes tiny_http |
//!
//! It also returns what the allocator keeps to the system, some seconds after traffic began.
//!
//! The last row is a fault of tiny_http's thread pool: it counts on idle threads that other
//! connections of the same burst have been promised already, and leaves a connection in its queue
//! until another one ends. Poking it, with a connection that ends at once, makes a thread for the
//! queue.

use std::{
    collections::HashMap,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, atomic::AtomicBool, atomic::Ordering},
    time::{Duration, Instant},
};

use crossbeam_channel::{Sender, bounded};

use super::{
    connections::Connections,
    gate::Gate,
    rules::{ConnectionSample, Rank, Rules, Verdict, Watched},
    socket::{Bell, Deed, DescriptorTable, Sighting},
    stand_ins,
};

use crate::base::{Hold as _, memory};

/// Time between two looks during a burst of connections.
const BREATH: Duration = Duration::from_millis(20);
/// Empty looks in a row after which the guard sleeps until the bell rings.
const QUIET_LOOKS: u32 = 4;
/// How long after traffic began the memory it has freed is returned.
const GIVE_BACK: Duration = Duration::from_secs(10);
/// How long a worker waits for its command to be carried out.
const COMMAND_PATIENCE: Duration = Duration::from_secs(1);

/// What the guard asks of the server.
pub(super) trait GuardedServer {
    /// The bytes of the answer to a request that never became complete.
    fn incomplete(&self) -> Vec<u8>;

    /// Whether complete requests may be waiting for a worker.
    fn is_behind(&self) -> bool;

    /// Whether a connection waits to be accepted.
    fn has_backlog(&self) -> bool;

    /// Connects to the server and leaves at once, at most `count` times.
    fn poke(&self, count: usize);

    /// Called at every look with what was seen: the server adds workers where all of them wait for
    /// slow clients. Returns false when nothing accepts connections any more.
    fn tend(&self, table: &mut DescriptorTable, sightings: &[Sighting]) -> bool;
}

struct GuardCommand {
    inode: u64,
    deed: Deed,
    done: Sender<()>,
}

/// What the guard and the workers share.
pub(super) struct Post<P> {
    /// Whose turn it is on each connection.
    pub(super) connections: Connections<P>,
    /// Wakes the guard.
    pub(super) bell: Bell,
    /// The time limits of the guard.
    pub(super) rules: Rules,
    /// Where the accept thread waits when there are too many connections.
    pub(super) gate: Arc<Gate>,
    commands: Mutex<Vec<GuardCommand>>,
    closing: AtomicBool,
    /// The guard looks less often, because nothing happens.
    resting: AtomicBool,
}

impl<P> Post<P> {
    /// A post without a guard yet, with the gate before its connections.
    pub(super) fn new(rules: Rules, gate: Gate) -> Self {
        Self {
            connections: Connections::default(),
            bell: Bell::default(),
            rules,
            gate: Arc::new(gate),
            commands: Mutex::default(),
            closing: AtomicBool::new(false),
            resting: AtomicBool::new(false),
        }
    }

    /// Makes a guard that looks less often look soon: the caller has seen that help may be needed.
    pub(super) fn stir(&self) {
        if self.resting.swap(false, Ordering::SeqCst) {
            self.bell.ring();
        }
    }

    /// Tells the guard to act on the connection whose socket has this inode, and waits until it is done.
    pub(super) fn command(&self, inode: u64, deed: Deed) {
        let (done, carried_out) = bounded(1);
        self.commands.hold().push(GuardCommand { inode, deed, done });
        self.bell.ring();
        // A guard that does not come has ended with the server, and so have its connections.
        let _ = carried_out.recv_timeout(COMMAND_PATIENCE);
    }

    fn has_commands(&self) -> bool {
        !self.commands.hold().is_empty()
    }

    fn take_commands(&self) -> Vec<GuardCommand> {
        std::mem::take(&mut *self.commands.hold())
    }

    /// Ends the guard, which severs every connection on its way out.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.bell.ring();
    }
}

/// The guard's work, from the first connection to the end of the server. The calling thread must
/// claim the bell of `post`; `announced` says that connections ring it.
pub(super) fn keep_watch<P>(
    post: &Post<P>,
    server: &dyn GuardedServer,
    mut table: DescriptorTable,
    announced: bool,
) {
    let mut watched: HashMap<u64, Watched> = HashMap::new();
    let mut last_look: Option<Instant> = None;
    // Looks in a row that found nothing since the bell last rang. A connection rings before tiny_http
    // has its descriptor, so one empty look after a ring proves nothing.
    let mut quiet_looks = 0;
    let mut seen = Seen { starved: 0, is_calm: false };
    // Since when there has been traffic whose memory was not returned.
    let mut used: Option<Instant> = None;
    // A thread that leaves a command rings afterwards. A ring may end either wait below, so all commands are checked
    // between the last wait and the next.
    while !post.closing.load(Ordering::Acquire) {
        let tick = match seen {
            Seen { starved: 1.., .. } => BREATH,
            Seen { is_calm: true, .. } => post.rules.calm_tick(),
            Seen { .. } => post.rules.tick(),
        };
        let is_awake = quiet_looks < QUIET_LOOKS || !announced;
        let rest = used.map(|since| GIVE_BACK.saturating_sub(since.elapsed()));
        let mut rang = Bell::wait(if is_awake { Some(tick) } else { rest });
        if !post.has_commands()
            && let Some(rest) = last_look.and_then(|look| BREATH.checked_sub(look.elapsed()))
        {
            rang |= Bell::wait(Some(rest));
        }
        if rang {
            quiet_looks = 0;
        }
        let commands = post.take_commands();
        last_look = Some(Instant::now());
        // Before it looks: a thread that is too late to be seen finds that it rests, and rings.
        post.resting.store(true, Ordering::SeqCst);
        let mark = post.gate.mark();
        match table.sight() {
            Ok(sightings) => {
                post.gate.seen(mark, sightings.len());
                carry_out(commands, &mut table, &sightings);
                let look = || look_around(post, server, &mut table, &mut watched, &sightings);
                seen = contain(look).unwrap_or(Seen { starved: 1, is_calm: false });
                let is_quiet = sightings.is_empty() && seen.starved == 0;
                quiet_looks = if is_quiet { quiet_looks + 1 } else { 0 };
                if !is_quiet && !seen.is_calm {
                    used.get_or_insert_with(Instant::now);
                }
            }
            Err(error) => {
                log::warn!("failed to list connections: {error}");
                (quiet_looks, seen.is_calm) = (0, false);
            }
        }
        if used.is_some_and(|since| since.elapsed() >= GIVE_BACK) {
            memory::give_back();
            used = None;
        }
        if !seen.is_calm {
            post.resting.store(false, Ordering::SeqCst);
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

fn carry_out(commands: Vec<GuardCommand>, table: &mut DescriptorTable, sightings: &[Sighting]) {
    for command in commands {
        if let Some(sighting) = sightings.iter().find(|sighting| sighting.inode == command.inode) {
            table.act(sighting, &command.deed);
        }
        // The worker may have stopped waiting.
        let _ = command.done.try_send(());
    }
}

/// What one look around has found.
#[derive(Clone, Copy)]
struct Seen {
    /// Connections that wait for a thread of tiny_http, or to be accepted.
    starved: usize,
    /// Nothing has happened on any connection for a while, and every lane has workers left.
    is_calm: bool,
}

/// Judges every connection.
fn look_around<P>(
    post: &Post<P>,
    server: &dyn GuardedServer,
    table: &mut DescriptorTable,
    watched: &mut HashMap<u64, Watched>,
    sightings: &[Sighting],
) -> Seen {
    let now = Instant::now();
    // Asked before what its requests are doing, so that none of them seems to wait that does not.
    let positions = stand_ins::positions();
    // Without connections it is soon asleep: there is nothing to check less often.
    let mut is_calm = !server.is_behind() && !sightings.is_empty();
    let (mut starved, mut pokes) = (0, 0);
    watched.retain(|inode, _| sightings.iter().any(|sighting| sighting.inode == *inode));
    let mut open = Vec::with_capacity(sightings.len());
    let mut abandoned = 0;
    for sighting in sightings {
        let progress = post.connections.progress(sighting.inode);
        let seen = watched.entry(sighting.inode).or_insert_with(|| Watched::new(now));
        let sample = ConnectionSample {
            received: sighting.received,
            unread: sighting.unread,
            position: positions.get(&sighting.inode).copied().unwrap_or_default(),
            progress,
        };
        let verdict = seen.judge(now, &sample, &post.rules);
        is_calm &= seen.is_still();
        starved += usize::from(seen.starved_looks > 0);
        pokes += usize::from(seen.starved_looks > 1);
        match verdict {
            Verdict::Leave => {
                abandoned += usize::from(sighting.is_abandoned);
                open.push((seen.rank(now), sighting));
            }
            Verdict::StopReading => table.act(sighting, &Deed::StopReading),
            Verdict::Sever => {
                log::debug!("cut off the connection of {}", sighting.peer);
                post.connections.doom(sighting.inode);
                table.act(sighting, &Deed::Sever);
            }
            Verdict::CloseIdle => {
                let deed = || table.act(sighting, &Deed::StopReading);
                post.connections.let_go(sighting.inode, deed);
            }
            Verdict::AnswerIncomplete => {
                let answer = Deed::AnswerAndSever(server.incomplete());
                post.connections.close_idle(sighting.inode, || table.act(sighting, &answer));
            }
        }
    }
    post.connections.sweep();
    let has_backlog = server.has_backlog();
    if !has_backlog {
        // An accepted connection pokes too.
        server.poke(pokes);
    }
    let deaf = !server.tend(table, sightings);
    let spare = if deaf { open.len() / 8 + 1 } else { 0 };
    // Among those that their clients have left are the guard's own pokes.
    let excess = open.len().saturating_sub(post.rules.cap + abandoned).max(spare.min(open.len()));
    let is_slow = |(rank, _): &&(Rank, &Sighting)| matches!(rank, Rank::Slow(_));
    let crowd = open.iter().filter(is_slow).count().saturating_sub(post.rules.slow_cap());
    if excess > 0 || crowd > 0 {
        open.sort_unstable_by_key(|(rank, _)| *rank);
        let slowest = open.iter().filter(is_slow).take(crowd);
        for (rank, sighting) in slowest.chain(&open[..excess]) {
            match rank {
                Rank::Idle(_) | Rank::Fresh(_) => {
                    let deed = || table.act(sighting, &Deed::Sever);
                    post.connections.close_idle(sighting.inode, deed);
                }
                // What has just begun is slow in a second, or done; the others wait at the gate.
                Rank::Begun(_) => {}
                // To be able to accept again, nothing that is being worked on is given up.
                Rank::Working(_) if open.len() <= post.rules.cap => {}
                Rank::Slow(_) => {
                    let answer = Deed::AnswerAndSever(server.incomplete());
                    post.connections.close_idle(sighting.inode, || table.act(sighting, &answer));
                    // Has a worker that reads the body answer.
                    table.act(sighting, &Deed::StopReading);
                }
                Rank::Working(_) => table.act(sighting, &Deed::Sever),
            }
        }
    }
    Seen {
        starved: starved + usize::from(deaf || has_backlog),
        is_calm: is_calm && excess + crowd == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_guard_that_rests_is_stirred() {
        let rules = Rules { timeout: Duration::from_secs(30), cap: 8 };
        let post: Post<()> = Post::new(rules, Gate::new(8));
        post.bell.claim().expect("claimed");
        post.stir();
        assert!(!Bell::wait(Some(Duration::ZERO)), "it looks often enough");
        post.resting.store(true, Ordering::SeqCst);
        post.stir();
        assert!(Bell::wait(Some(Duration::from_secs(10))), "nobody rang");
        post.stir();
        assert!(!Bell::wait(Some(Duration::ZERO)), "it is on its way");
        post.bell.leave();
    }
}
