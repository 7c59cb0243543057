//! The gate before the accept thread: it bounds the connections that exist, however fast they arrive.
//!
//! tiny_http makes a thread for every connection that it accepts, and a thread that cannot be made
//! ends its accept thread. Between two looks of the guard hundreds may arrive. So no connection is
//! accepted while there are as many as there may be; clients wait in the queue of the kernel, the
//! guard sees that they do and makes room.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::base::Hold as _;

/// Counts connections: those that the guard saw at its last look, and those accepted since.
pub(super) struct Gate {
    limit: usize,
    count: Mutex<Count>,
    changed: Condvar,
}

#[derive(Default)]
struct Count {
    /// Connections accepted since the beginning.
    accepted: u64,
    /// Of these, those accepted before the last look.
    looked_at: u64,
    /// Connections that existed then.
    seen: usize,
    is_closed: bool,
}

impl Gate {
    /// A gate that admits up to `limit` connections.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, count: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits until one more connection may exist; not at all once the gate is closed.
    pub(super) fn wait(&self) {
        let is_full = |count: &mut Count| {
            let since = usize::try_from(count.accepted - count.looked_at).unwrap_or(usize::MAX);
            !count.is_closed && count.seen.saturating_add(since) >= self.limit
        };
        let waited = self.changed.wait_while(self.count.hold(), is_full);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Counts a connection that was accepted.
    pub(super) fn accepted(&self) {
        self.count.hold().accepted += 1;
    }

    /// Marks the beginning of a look: what is accepted from now on may not be seen by it.
    pub(super) fn mark(&self) -> u64 {
        self.count.hold().accepted
    }

    /// Takes in what a look has seen that began at this mark.
    pub(super) fn seen(&self, mark: u64, connections: usize) {
        let mut count = self.count.hold();
        (count.looked_at, count.seen) = (mark, connections);
        drop(count);
        self.changed.notify_all();
    }

    /// Lets every thread pass from now on: the server stops, and waiting threads have to notice.
    pub(super) fn close(&self) {
        self.count.hold().is_closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use crossbeam_channel::{TryRecvError, bounded};

    use super::*;

    #[test]
    fn it_is_full_until_a_look_finds_room() {
        let gate = Arc::new(Gate::new(3));
        for _ in 0..3 {
            gate.wait();
            gate.accepted();
        }
        let (told, passed) = bounded(1);
        let waiting = {
            let gate = Arc::clone(&gate);
            thread::Builder::new().spawn(move || {
                gate.wait();
                told.send(()).expect("the test lives");
            })
        };
        // A look that began before the last one was accepted does not know of it.
        gate.seen(2, 2);
        assert_eq!(passed.try_recv(), Err(TryRecvError::Empty));
        gate.seen(gate.mark(), 3);
        assert_eq!(passed.try_recv(), Err(TryRecvError::Empty));
        gate.seen(gate.mark(), 2);
        passed.recv().expect("it passes");
        waiting.expect("spawned").join().expect("no panic");
    }

    #[test]
    fn a_closed_one_holds_nobody_up() {
        let gate = Gate::new(0);
        gate.close();
        gate.wait();
    }
}
