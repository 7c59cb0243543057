//! Telling others what was committed: in order, after it is durable, outside every lock.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::model::{draft::Op, state::State};

/// One durable change.
#[derive(Clone)]
pub struct Change {
    /// The state before; an empty one when there was none.
    pub before: Arc<State>,
    /// The state after.
    pub after: Arc<State>,
    /// What was recorded; empty when the whole state was replaced, by a recovery or because the
    /// library file was changed by somebody else.
    pub ops: Arc<[Op]>,
    /// When it was made, in microseconds since the Unix epoch.
    pub at: i64,
}

/// Somebody who is told.
pub(super) type Watcher = Box<dyn Fn(&Change) + Send + Sync>;

/// The changes to be told and those who are told.
#[derive(Default)]
pub(super) struct Deliveries {
    queue: Mutex<Queue>,
    watchers: Mutex<Vec<Arc<Watcher>>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Change>,
    delivering: bool,
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

    /// Tells everything that waits, unless somebody is at it already; then that one goes on.
    pub(super) fn deliver(&self) {
        let mut queue = self.queue();
        if queue.delivering {
            return;
        }
        while let Some(change) = queue.waiting.pop_front() {
            queue.delivering = true;
            drop(queue);
            self.tell(&change);
            queue = self.queue();
            queue.delivering = false;
        }
    }

    fn tell(&self, change: &Change) {
        let watchers = self.watchers().clone();
        for watcher in &watchers {
            // A watcher that panics has a bug of its own; the commit it is told of stands.
            if catch_unwind(AssertUnwindSafe(|| watcher(change))).is_err() {
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
