//! The tick: something is done at the start and once an hour from then on, on a thread of its own.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    thread::{Builder, JoinHandle},
    time::Duration,
};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

/// The running tick. Dropping it ends the thread after the work in hand.
pub struct Hourly {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Hourly {
    /// Does `work` now and every `period`.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn start(period: Duration, work: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (end, ended) = bounded::<()>(0);
        let thread = Builder::new().name("hourly".to_owned()).spawn(move || {
            loop {
                if catch_unwind(AssertUnwindSafe(&work)).is_err() {
                    log::error!("the hourly work panicked");
                }
                if ended.recv_timeout(period) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        })?;
        Ok(Self { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Hourly {
    fn drop(&mut self) {
        drop(self.end.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            log::error!("the hourly thread ended by a panic");
        }
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
