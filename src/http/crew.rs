//! The threads of the server: every one is named, counted and joined at stop.

use std::{
    io,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// A set of running threads.
#[derive(Default)]
pub(super) struct Crew {
    handles: Mutex<Vec<JoinHandle<()>>>,
    living: Arc<Living>,
}

#[derive(Default)]
struct Living {
    count: Mutex<usize>,
    changed: Condvar,
}

/// Counts one thread for as long as it lives, also when it panics.
struct Tally(Arc<Living>);

impl Drop for Tally {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

impl Crew {
    /// Starts a thread called `name` and lets go of those that have ended.
    pub(super) fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        *self.living.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let tally = Tally(Arc::clone(&self.living));
        let handle = thread::Builder::new().name(name.to_owned()).spawn(move || {
            let _tally = tally;
            work();
        })?;
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        handles.retain(|handle| !handle.is_finished());
        handles.push(handle);
        Ok(())
    }

    /// Waits until every thread has ended, at most for `patience`, and joins those that have.
    /// Returns how many are still running.
    pub(super) fn join(&self, patience: Duration) -> usize {
        let deadline = Instant::now() + patience;
        let mut count = self.living.count.lock().unwrap_or_else(PoisonError::into_inner);
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
        let handles =
            std::mem::take(&mut *self.handles.lock().unwrap_or_else(PoisonError::into_inner));
        for handle in handles {
            // With nobody left running, joining takes only as long as a thread's last breath.
            if left == 0 || handle.is_finished() {
                // A panic was logged where it happened.
                drop(handle.join());
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_those_that_end_and_counts_those_that_do_not() {
        let crew = Crew::default();
        let (release, held) = crossbeam_channel::bounded::<()>(0);
        crew.spawn("one", || ()).expect("spawned");
        crew.spawn("two", move || assert!(held.recv().is_err())).expect("spawned");
        assert_eq!(crew.join(Duration::from_millis(20)), 1);
        drop(release);
        assert_eq!(crew.join(Duration::from_secs(10)), 0);
    }
}
