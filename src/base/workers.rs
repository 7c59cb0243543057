//! Background threads: named, counted, joined with a report of panics, and signalled to stop or wake.
//!
//! [`Workers`] owns the threads of one part of the program. How they learn of work is up to their
//! owner; a thread that only sleeps between rounds waits on a [`Signal`]. Threads of a
//! `thread::scope` need neither, and readers that can hang in a file system forever are tracked
//! by `probes`, because no thread may wait for them.

use std::{
    io,
    ops::Range,
    panic::resume_unwind,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::base::lock::Hold as _;

/// Addresses reserved for the stack of one thread. Only what is used costs memory, but a limit of
/// addresses counts all of it.
pub const STACK_BYTES: usize = 1 << 20;

/// A thread about to be started, with the name and the stack that every thread of the program has.
pub fn thread_named(name: impl Into<String>) -> thread::Builder {
    thread::Builder::new().name(name.into()).stack_size(STACK_BYTES)
}

/// Fewer items than this are not worth a thread.
const WORTH_A_THREAD: usize = 4_096;

/// Works through `count` items in two halves, both at once, and returns what came of them in their order. What
/// reads items that lie all over the memory waits for it most of the time, which two can do together. Few items are
/// worked through in one piece, and where no thread starts the halves follow each other.
pub fn in_halves<T: Send>(count: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    if count < WORTH_A_THREAD {
        return vec![work(0..count)];
    }
    let middle = count / 2;
    thread::scope(|scope| {
        let second = thread_named("second-half").spawn_scoped(scope, || work(middle..count));
        let first = work(0..middle);
        let second = match second {
            Ok(second) => second.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => {
                log::warn!("failed to start a thread: {error}");
                work(middle..count)
            }
        };
        vec![first, second]
    })
}

/// A set of running threads.
#[derive(Debug, Default)]
pub struct Workers {
    handles: Mutex<Vec<JoinHandle<()>>>,
    living: Arc<Living>,
}

#[derive(Debug, Default)]
struct Living {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Living {
    fn count(&self) -> MutexGuard<'_, usize> {
        self.count.hold()
    }
}

/// Counts one thread for as long as it lives, also when it panics.
struct Counted(Arc<Living>);

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0.count() -= 1;
        self.0.changed.notify_all();
    }
}

impl Workers {
    /// Starts a thread called `name`.
    ///
    /// # Errors
    /// When the operating system gives no thread.
    pub fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        *self.living.count() += 1;
        let counted = Counted(Arc::clone(&self.living));
        let handle = thread_named(name).spawn(move || {
            let _counted = counted;
            work();
        })?;
        let mut handles = self.handles.hold();
        for ended in handles.extract_if(.., |handle| handle.is_finished()) {
            join(ended);
        }
        handles.push(handle);
        Ok(())
    }

    /// Waits for every thread, however long it takes. Signal them to stop first.
    pub fn join(&self) {
        std::mem::take(&mut *self.handles.hold()).into_iter().for_each(join);
    }

    /// Waits until every thread has ended, at most for `patience`, and returns how many still run.
    /// Those are detached.
    pub fn join_within(&self, patience: Duration) -> usize {
        let deadline = Instant::now() + patience;
        let mut count = self.living.count();
        while *count > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.living.changed.wait_timeout(count, left);
            count = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let left = *count;
        drop(count);
        for handle in std::mem::take(&mut *self.handles.hold()) {
            // With none left running, a join takes only as long as the end of a thread.
            if left == 0 || handle.is_finished() {
                join(handle);
            }
        }
        left
    }
}

fn join(handle: JoinHandle<()>) {
    let name = handle.thread().name().unwrap_or_default().to_owned();
    if handle.join().is_err() {
        log::error!("the thread {name} ended in a panic");
    }
}

/// Signals a sleeping thread to stop or to wake up.
#[derive(Debug, Default)]
pub struct Signal {
    orders: Mutex<Orders>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Orders {
    stop: bool,
    wake: bool,
}

impl Signal {
    /// Ends every sleep from now on.
    pub fn stop(&self) {
        self.orders.hold().stop = true;
        self.changed.notify_all();
    }

    /// Whether the thread has to end.
    pub fn is_stopped(&self) -> bool {
        self.orders.hold().stop
    }

    /// Ends the present or the next [`Signal::wait`].
    pub fn wake(&self) {
        self.orders.hold().wake = true;
        self.changed.notify_all();
    }

    /// Sleeps until [`Signal::wake`]; `false` when the thread has to end.
    pub fn wait(&self) -> bool {
        let idle = |orders: &mut Orders| !orders.stop && !orders.wake;
        let waited = self.changed.wait_while(self.orders.hold(), idle);
        let mut orders = waited.unwrap_or_else(PoisonError::into_inner);
        orders.wake = false;
        !orders.stop
    }

    /// Sleeps for `pause`, whether woken or not; `false` when the thread has to end.
    pub fn sleep(&self, pause: Duration) -> bool {
        let waited =
            self.changed.wait_timeout_while(self.orders.hold(), pause, |orders| !orders.stop);
        !waited.unwrap_or_else(PoisonError::into_inner).0.stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_those_that_end_and_counts_those_that_do_not() {
        let workers = Workers::default();
        let (release, held) = crossbeam_channel::bounded::<()>(0);
        workers.spawn("one", || ()).expect("spawned");
        workers.spawn("two", move || assert!(held.recv().is_err())).expect("spawned");
        assert_eq!(workers.join_within(Duration::from_millis(20)), 1);
        drop(release);
        assert_eq!(workers.join_within(Duration::from_secs(10)), 0);
    }

    #[test]
    fn halves_come_in_their_order_and_a_panic_of_either_is_passed_on() {
        let items = |range: Range<usize>| range.collect::<Vec<_>>();
        for (count, halves) in [(0, 1), (7, 1), (WORTH_A_THREAD, 2), (WORTH_A_THREAD + 1, 2)] {
            let read = in_halves(count, items);
            assert_eq!(read.len(), halves, "{count}");
            assert_eq!(read.concat(), items(0..count), "{count}");
        }
        for wrong in [0, WORTH_A_THREAD - 1] {
            let panics = || in_halves(WORTH_A_THREAD, |range| assert!(!range.contains(&wrong)));
            assert!(std::panic::catch_unwind(panics).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_panic_is_counted_out_and_joined() {
        let workers = Workers::default();
        let panic = || resume_unwind(Box::new("planned"));
        workers.spawn("panics", panic).expect("spawned");
        assert_eq!(workers.join_within(Duration::from_secs(10)), 0);
        workers.spawn("panics", panic).expect("spawned");
        workers.join();
    }

    #[test]
    fn a_wake_is_kept_for_the_next_wait_and_does_not_shorten_a_pause() {
        let signal = Signal::default();
        signal.wake();
        let begin = Instant::now();
        assert!(signal.sleep(Duration::from_millis(5)));
        assert!(begin.elapsed() >= Duration::from_millis(5));
        assert!(signal.wait());
        signal.wake();
        signal.stop();
        assert!(!signal.wait() && !signal.sleep(Duration::from_hours(1)));
    }

    #[test]
    fn a_stop_ends_a_sleep() {
        let signal = Arc::new(Signal::default());
        let (workers, sleeper) = (Workers::default(), Arc::clone(&signal));
        workers.spawn("sleeper", move || assert!(!sleeper.wait())).expect("spawned");
        signal.stop();
        assert_eq!(workers.join_within(Duration::from_secs(10)), 0);
    }
}
