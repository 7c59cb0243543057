//! The watchers of the store: told of every change in order, after it is durable, outside every lock.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

use crate::model::{cause::Cause, draft::Op, state::State};

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
    #[must_use]
    pub fn is_report(&self) -> bool {
        self.ops.is_empty() && self.cause != Cause::Replaced
    }
}

/// A listener of changes.
pub(super) struct Watcher {
    /// Whether it is told of reports too.
    pub(super) with_reports: bool,
    /// Called with each change.
    pub(super) listener: Box<dyn Fn(&Change) + Send + Sync>,
}

/// The changes to be told and their listeners.
#[derive(Default)]
pub(super) struct Deliveries {
    queue: Mutex<Queue>,
    /// Signalled when a thread has told everything that waited.
    done: Condvar,
    watchers: Mutex<Vec<Arc<Watcher>>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Change>,
    /// Changes told so far.
    told: u64,
    /// The thread that tells them.
    teller: Option<ThreadId>,
}

impl Deliveries {
    /// Adds a watcher; it is told of changes that become durable from now on.
    pub(super) fn watch(&self, watcher: Watcher) {
        self.watchers().push(Arc::new(watcher));
    }

    /// Puts changes into the queue; called under the writer's lock, so in the order of commits.
    pub(super) fn push(&self, changes: impl IntoIterator<Item = Change>) {
        self.queue().waiting.extend(changes);
    }

    /// Returns when everything that waits now was told, by this thread or by the one that is at it. A
    /// watcher that commits does not wait: its own change is told after the one it was told of.
    pub(super) fn deliver(&self) {
        let this = thread::current().id();
        let mut queue = self.queue();
        let waiting = queue.waiting.len() as u64 + u64::from(queue.teller.is_some());
        let due = queue.told + waiting;
        while queue.told < due {
            match queue.teller {
                None => queue = self.tell_all(queue, this),
                Some(teller) if teller == this => return,
                Some(_) => queue = self.done.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn tell_all<'a>(
        &'a self,
        mut queue: MutexGuard<'a, Queue>,
        this: ThreadId,
    ) -> MutexGuard<'a, Queue> {
        queue.teller = Some(this);
        while let Some(change) = queue.waiting.pop_front() {
            drop(queue);
            self.tell(&change);
            queue = self.queue();
            queue.told += 1;
        }
        queue.teller = None;
        self.done.notify_all();
        queue
    }

    fn tell(&self, change: &Change) {
        let watchers = self.watchers().clone();
        let is_report = change.is_report();
        for watcher in watchers.iter().filter(|watcher| watcher.with_reports || !is_report) {
            // A watcher that panics has a bug of its own; the commit it is told of stands.
            if catch_unwind(AssertUnwindSafe(|| (watcher.listener)(change))).is_err() {
                log::error!(
                    "a watcher of the library panicked at revision {}",
                    change.after.revision
                );
            }
        }
    }

    fn watchers(&self) -> MutexGuard<'_, Vec<Arc<Watcher>>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
