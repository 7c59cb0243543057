//! Work that a launch waits for, with a limit: the folder may be slow or not answer at all.
//!
//! Work that is late is abandoned, and then it may not touch the saves any more. Once it has begun to
//! put files in place it is waited for: those come from this disk, and a game must not start with half
//! of them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{RecvTimeoutError, bounded};

use crate::{
    backup::{error::BackupError, watch::Watch},
    base::workers::thread_named,
};

const WAITING: u8 = 0;
const WRITING: u8 = 1;
const ABANDONED: u8 = 2;
/// Threads that may hang in a folder that does not answer.
const MOST: usize = 4;

/// Whether work is still waited for.
#[derive(Debug, Default)]
pub(super) struct Gate(AtomicU8);

impl Gate {
    fn pass(&self, to: u8) -> bool {
        self.0.compare_exchange(WAITING, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

impl Watch for Gate {
    fn go_on(&self) -> Result<(), BackupError> {
        if self.0.load(Ordering::SeqCst) == ABANDONED { Err(BackupError::Stopped) } else { Ok(()) }
    }

    fn expect(&self, members: u64) {
        log::trace!("{members} files");
    }

    fn done(&self, members: u64) {
        log::trace!("{members} files done");
    }

    fn promote(&self) -> Result<(), BackupError> {
        if self.pass(WRITING) || self.0.load(Ordering::SeqCst) == WRITING {
            Ok(())
        } else {
            Err(BackupError::Stopped)
        }
    }
}

/// Counts a thread for as long as it lives, also when it panics.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Does the work on a thread of its own and returns what it found; `None` when it was late, or too
/// many before it still are.
pub(super) fn within<T: Send + 'static>(
    patience: Duration,
    running: &Arc<AtomicUsize>,
    work: impl FnOnce(&Gate) -> T + Send + 'static,
) -> Option<T> {
    let counted = Counted(Arc::clone(running));
    if running.fetch_add(1, Ordering::SeqCst) >= MOST {
        return None;
    }
    let gate = Arc::new(Gate::default());
    let (sender, receiver) = bounded(1);
    let inner = Arc::clone(&gate);
    let started = thread_named("save-sync").spawn(move || {
        let _counted = counted;
        // OK because there is no receiver when it was late.
        drop(sender.send(work(&inner)));
    });
    if let Err(error) = started {
        log::warn!("no thread for the saves of other devices: {error}");
        return None;
    }
    match receiver.recv_timeout(patience) {
        Err(RecvTimeoutError::Timeout) if !gate.pass(ABANDONED) => receiver.recv().ok(),
        other => other.ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_mins(10);

    #[test]
    fn late_work_is_abandoned_and_may_not_write() {
        let running = Arc::default();
        let (release, wait) = bounded::<()>(0);
        let (tell, outcome) = bounded(1);
        let late = within(SHORT, &running, move |gate| {
            wait.recv().ok();
            tell.send((gate.go_on().is_err(), gate.promote().is_err())).ok();
        });
        assert_eq!(late, None);
        drop(release);
        assert_eq!(outcome.recv(), Ok((true, true)));
        assert_eq!(within(LONG, &running, |gate| gate.promote().is_ok()), Some(true));
    }

    #[test]
    fn work_that_writes_is_waited_for() {
        let running = Arc::default();
        let (writes, begun) = bounded::<()>(0);
        let done = within(SHORT, &running, move |gate| {
            // Late or not: who was allowed to write is waited for, who was not has written nothing.
            let may_write = gate.promote().is_ok();
            drop(writes);
            may_write
        });
        assert!(begun.recv().is_err(), "it has ended");
        assert!(matches!(done, Some(true) | None));
    }

    #[test]
    fn threads_that_hang_are_few() {
        let running = Arc::default();
        let (release, wait) = bounded::<()>(0);
        for _ in 0..MOST {
            let wait = wait.clone();
            assert_eq!(within(SHORT, &running, move |_| wait.recv().is_ok()), None);
        }
        assert_eq!(within(LONG, &running, |_| 1), None, "no more of them");
        drop(release);
        while within(LONG, &running, |_| 1).is_none() {
            std::thread::yield_now();
        }
    }
}
