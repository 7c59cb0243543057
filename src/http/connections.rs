//! What is known of each connection while it has requests: whose turn it is, and what the guard may
//! do to it.
//!
//! One request of a connection is worked on at a time; what the client pipelines behind it waits
//! here. So no client holds more than one worker, and the queues of the lanes hold at most one
//! request per connection. Generic over the parcel, because turn-taking knows no HTTP.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::Mutex,
    time::Instant,
};

use crate::base::Hold as _;

/// Requests a client may pipeline behind the one that is worked on; beyond it is cut off.
pub(super) const PIPELINED: usize = 64;

/// What a connection is doing, as far as the guard cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// No complete request is there: the client may be silent, or in the middle of a head.
    Idle,
    /// A request is worked on or answered; nothing is asked of the client.
    Working,
    /// A body is read, until this time at the latest.
    Reading(Instant),
}

/// What happens to a request that has arrived.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn<P> {
    /// It is served by the caller now.
    Serve(P),
    /// It waits behind another one of its connection.
    Wait,
    /// It waits, and is one too many: the connection must be severed.
    Overflow,
    /// Its connection is being closed: it is thrown away unanswered.
    Discard(Vec<P>),
    /// The connection has nothing more to serve.
    Rest,
}

#[derive(Debug)]
struct Connection<P> {
    arrivals: u64,
    steps: u64,
    stage: Stage,
    waiting: VecDeque<P>,
    /// Nothing that arrives from now on is served.
    doomed: bool,
    /// Scans in a row that did not see the connection.
    missed: u8,
}

impl<P> Connection<P> {
    /// One that nothing has arrived on.
    fn idle() -> Self {
        Self {
            arrivals: 0,
            steps: 0,
            stage: Stage::Idle,
            waiting: VecDeque::new(),
            doomed: false,
            missed: 0,
        }
    }
}

/// What the guard reads about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Progress {
    /// Requests that have arrived.
    pub(super) arrivals: u64,
    /// Changes whenever bytes were accounted for: a head was complete, a body began or ended.
    pub(super) steps: u64,
    /// What the connection is doing.
    pub(super) stage: Stage,
    /// It was doomed and has no request in the works: it can be severed.
    pub(super) overdue: bool,
}

/// Every connection that has sent a request, by the inode of its socket: the address of its client may
/// belong to the next connection while this one is still worked on.
#[derive(Debug)]
pub(super) struct Connections<P> {
    table: Mutex<HashMap<u64, Connection<P>>>,
}

impl<P> Default for Connections<P> {
    fn default() -> Self {
        Self { table: Mutex::default() }
    }
}

impl<P> Connections<P> {
    /// Takes a request that tiny_http has parsed. Requests of one connection must arrive in the
    /// order in which they were parsed.
    pub(super) fn arrive(&self, inode: u64, parcel: P) -> Turn<P> {
        let mut table = self.table.hold();
        let connection = table.entry(inode).or_insert_with(Connection::idle);
        connection.arrivals += 1;
        connection.steps += 1;
        if connection.stage == Stage::Idle {
            if connection.doomed {
                return Turn::Discard(vec![parcel]);
            }
            connection.stage = Stage::Working;
            return Turn::Serve(parcel);
        }
        // Also on a doomed connection: throwing a request away means waiting for its predecessors.
        connection.waiting.push_back(parcel);
        if !connection.doomed && connection.waiting.len() > PIPELINED {
            connection.doomed = true;
            return Turn::Overflow;
        }
        Turn::Wait
    }

    /// Ends the turn of the request that was served and begins the next one.
    pub(super) fn finish(&self, inode: u64) -> Turn<P> {
        let mut table = self.table.hold();
        let Some(connection) = table.get_mut(&inode) else { return Turn::Rest };
        if !connection.doomed
            && let Some(parcel) = connection.waiting.pop_front()
        {
            connection.stage = Stage::Working;
            return Turn::Serve(parcel);
        }
        connection.stage = Stage::Idle;
        let left = mem::take(&mut connection.waiting);
        if left.is_empty() { Turn::Rest } else { Turn::Discard(left.into()) }
    }

    /// Says what the request in the works is doing.
    pub(super) fn enter(&self, inode: u64, stage: Stage) {
        if let Some(connection) = self.table.hold().get_mut(&inode) {
            connection.stage = stage;
            connection.steps += 1;
        }
    }

    /// Serves nothing more of a connection after the request in the works.
    pub(super) fn doom(&self, inode: u64) {
        if let Some(connection) = self.table.hold().get_mut(&inode) {
            connection.doomed = true;
        }
    }

    /// What a connection is doing; `None` when it never sent a request.
    pub(super) fn progress(&self, inode: u64) -> Option<Progress> {
        let mut table = self.table.hold();
        let connection = table.get_mut(&inode)?;
        connection.missed = 0;
        let overdue = connection.doomed
            && (connection.stage == Stage::Idle || connection.waiting.len() > PIPELINED);
        let Connection { arrivals, steps, stage, .. } = *connection;
        Some(Progress { arrivals, steps, stage, overdue })
    }

    /// Runs `deed` if no request of the connection is complete, and dooms it: a request that
    /// becomes complete meanwhile waits for this call and is then thrown away, so that the answer
    /// the guard gives can never mix with another.
    pub(super) fn close_idle(&self, inode: u64, deed: impl FnOnce()) {
        let mut table = self.table.hold();
        let connection = table.entry(inode).or_insert_with(Connection::idle);
        if connection.stage == Stage::Idle {
            connection.doomed = true;
            deed();
        }
    }

    /// Runs `deed`, which stops the reading of a connection and answers nothing, if no request of it
    /// is complete. One that became complete meanwhile is served still: its client could not know that nothing more is
    /// read.
    pub(super) fn let_go(&self, inode: u64, deed: impl FnOnce()) {
        let table = self.table.hold();
        if table.get(&inode).is_none_or(|connection| connection.stage == Stage::Idle) {
            deed();
        }
    }

    /// Forgets connections that two scans in a row have not seen. [`Connections::progress`] is how
    /// a scan sees one.
    pub(super) fn sweep(&self) {
        self.table.hold().retain(|_, connection| {
            connection.missed = connection.missed.saturating_add(1);
            connection.missed <= 2 || connection.stage != Stage::Idle
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_of_a_connection_at_a_time() {
        let connections = Connections::default();
        assert_eq!(connections.arrive(1, "a"), Turn::Serve("a"));
        assert_eq!(connections.arrive(1, "b"), Turn::Wait);
        assert_eq!(connections.arrive(2, "c"), Turn::Serve("c"));
        assert_eq!(connections.finish(1), Turn::Serve("b"));
        assert_eq!(connections.finish(1), Turn::Rest);
        assert_eq!(connections.arrive(1, "d"), Turn::Serve("d"));
    }

    #[test]
    fn a_request_that_meets_the_end_of_an_idle_connection_is_served() {
        let connections = Connections::default();
        let mut done = 0;
        connections.let_go(1, || done += 1);
        assert_eq!(connections.arrive(1, "a"), Turn::Serve("a"));
        connections.let_go(1, || done += 1);
        assert_eq!(connections.finish(1), Turn::Rest);
        connections.let_go(1, || done += 1);
        assert_eq!(connections.arrive(1, "b"), Turn::Serve("b"));
        assert_eq!(done, 2, "not in the middle of a request");
    }

    #[test]
    fn a_doomed_connection_serves_nothing_more() {
        let connections = Connections::default();
        assert_eq!(connections.arrive(1, 1), Turn::Serve(1));
        assert_eq!(connections.arrive(1, 2), Turn::Wait);
        connections.doom(1);
        assert_eq!(connections.arrive(1, 3), Turn::Wait);
        assert!(!connections.progress(1).expect("known").overdue, "still working");
        assert_eq!(connections.finish(1), Turn::Discard(vec![2, 3]));
        assert_eq!(connections.arrive(1, 4), Turn::Discard(vec![4]));
        assert!(connections.progress(1).expect("known").overdue);
    }

    #[test]
    fn endless_pipelining_is_cut_off() {
        let connections = Connections::default();
        assert_eq!(connections.arrive(1, 0), Turn::Serve(0));
        for number in 1..=PIPELINED {
            assert_eq!(connections.arrive(1, number), Turn::Wait);
        }
        assert_eq!(connections.arrive(1, 65), Turn::Overflow);
        assert_eq!(connections.arrive(1, 66), Turn::Wait, "once is enough");
        assert!(connections.progress(1).expect("known").overdue);
        assert_eq!(connections.finish(1), Turn::Discard((1..=66).collect()));
    }

    #[test]
    fn idle_connections_are_closed_only_while_idle() {
        let connections = Connections::default();
        assert_eq!(connections.arrive(1, 1), Turn::Serve(1));
        connections.close_idle(1, || panic!("it is working"));
        assert_eq!(connections.finish(1), Turn::Rest);
        let mut done = false;
        connections.close_idle(1, || done = true);
        assert!(done);
        assert_eq!(connections.arrive(1, 2), Turn::Discard(vec![2]));
    }

    #[test]
    fn vanished_connections_are_forgotten() {
        let connections = Connections::default();
        assert_eq!(connections.arrive(1, 1), Turn::Serve(1));
        assert_eq!(connections.arrive(2, 1), Turn::Serve(1));
        assert_eq!(connections.finish(1), Turn::Rest);
        for _ in 0..3 {
            connections.sweep();
        }
        assert_eq!(connections.progress(1), None);
        assert!(connections.progress(2).is_some(), "its request is still worked on");
    }
}
