//! Hourly work: a task runs at the start and once an hour from then on, on a thread of its own.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use crate::base::{Workers, workers::Signal};

/// The running tick. Dropping it ends the thread after its current work.
pub struct Hourly {
    signal: Arc<Signal>,
    workers: Workers,
}

impl Hourly {
    /// Does `work` now and every `period`.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn start(period: Duration, work: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (signal, workers) = (Arc::new(Signal::default()), Workers::default());
        let own = Arc::clone(&signal);
        workers.spawn("hourly", move || {
            loop {
                if catch_unwind(AssertUnwindSafe(&work)).is_err() {
                    log::error!("the hourly work panicked");
                }
                if !own.sleep(period) {
                    return;
                }
            }
        })?;
        Ok(Self { signal, workers })
    }
}

impl Drop for Hourly {
    fn drop(&mut self) {
        self.signal.stop();
        self.workers.join();
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::unbounded;

    use super::*;

    #[test]
    fn works_at_once_again_after_a_panic_and_until_it_is_dropped() {
        let (worked, works) = unbounded();
        let tick = Hourly::start(Duration::from_millis(1), move || {
            worked.send(()).expect("somebody counts");
            std::panic::resume_unwind(Box::new("planned"));
        });
        let tick = tick.expect("a thread");
        for _ in 0..3 {
            works.recv().expect("it goes on");
        }
        drop(tick);
        // What was sent before the end is all there is.
        while works.try_recv().is_ok() {}
        assert!(works.recv().is_err());
    }

    #[test]
    fn an_end_is_not_waited_for_an_hour() {
        let (worked, works) = unbounded();
        let tick = Hourly::start(Duration::from_hours(1), move || {
            worked.send(()).expect("somebody counts");
        });
        works.recv().expect("once");
        drop(tick);
        assert!(works.recv().is_err());
    }
}
