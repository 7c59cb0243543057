//! The watchers of the store: called with every change in order, after it is durable, outside every
//! lock.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

use crate::{
    base::Hold as _,
    model::{Cause, Op, State},
};

/// One durable change, or a report of something that changed no state.
#[derive(Clone)]
pub struct Change {
    /// The state before; an empty one when there was none.
    pub before: Arc<State>,
    /// The state after.
    pub after: Arc<State>,
    /// What was recorded; empty in a report, and when the whole state was replaced.
    pub ops: Arc<[Op]>,
    /// Why it was made.
    pub cause: Cause,
    /// When it was made, in microseconds since the Unix epoch.
    pub at: i64,
}

impl Change {
    /// Whether it changed no state.
    pub fn is_report(&self) -> bool {
        self.ops.is_empty() && self.cause != Cause::Replaced
    }
}

/// A listener of changes.
pub(super) struct Watcher {
    /// Whether it gets reports too.
    pub(super) with_reports: bool,
    /// Called with each change.
    pub(super) listener: Box<dyn Fn(&Change) + Send + Sync>,
}

/// The changes to be delivered and their listeners.
#[derive(Default)]
pub(super) struct Deliveries {
    queue: Mutex<Queue>,
    /// Signalled when a thread has delivered everything that waited.
    done: Condvar,
    watchers: Mutex<Vec<Arc<Watcher>>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Change>,
    /// Changes delivered so far.
    delivered: u64,
    /// The thread that delivers them.
    deliverer: Option<ThreadId>,
}

impl Deliveries {
    /// Adds a watcher; it gets the changes that become durable from now on.
    pub(super) fn watch(&self, watcher: Watcher) {
        self.watchers.hold().push(Arc::new(watcher));
    }

    /// Puts changes into the queue; called under the writer's lock, so in the order of commits.
    pub(super) fn push(&self, changes: impl IntoIterator<Item = Change>) {
        self.queue.hold().waiting.extend(changes);
    }

    /// Returns when everything that waits now was delivered, by this thread or by the one that is
    /// delivering. A watcher that commits does not wait: its own change is delivered after the one it
    /// was called with.
    pub(super) fn deliver(&self) {
        let this = thread::current().id();
        let mut queue = self.queue.hold();
        let waiting = queue.waiting.len() as u64 + u64::from(queue.deliverer.is_some());
        let due = queue.delivered + waiting;
        while queue.delivered < due {
            match queue.deliverer {
                None => queue = self.deliver_all(queue, this),
                Some(deliverer) if deliverer == this => return,
                Some(_) => queue = self.done.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn deliver_all<'a>(
        &'a self,
        mut queue: MutexGuard<'a, Queue>,
        this: ThreadId,
    ) -> MutexGuard<'a, Queue> {
        queue.deliverer = Some(this);
        while let Some(change) = queue.waiting.pop_front() {
            drop(queue);
            self.call_watchers(&change);
            queue = self.queue.hold();
            queue.delivered += 1;
        }
        queue.deliverer = None;
        self.done.notify_all();
        queue
    }

    fn call_watchers(&self, change: &Change) {
        let watchers = self.watchers.hold().clone();
        let is_report = change.is_report();
        for watcher in watchers.iter().filter(|watcher| watcher.with_reports || !is_report) {
            // A watcher that panics has a bug of its own; the commit stands.
            if catch_unwind(AssertUnwindSafe(|| (watcher.listener)(change))).is_err() {
                log::error!(
                    "a watcher of the library panicked at revision {}",
                    change.after.revision
                );
            }
        }
    }
}
