//! The ticket that the commits of one batch wait on: its outcome, or the turn to write it.
//!
//! A waiting thread sleeps on the ticket of its own batch and is woken once, by the end of that batch;
//! only one of them is woken before, to write it. The writer's lock is not needed to wait, so those
//! who are woken do not queue for it. Knows nothing of what is written.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::{base::Hold as _, files::DiskError};

/// The end of a batch, reported to every thread whose commit is in it.
#[derive(Default)]
pub(super) struct Ticket {
    state: Mutex<BatchState>,
    changed: Condvar,
}

#[derive(Default)]
struct BatchState {
    outcome: Option<Result<(), DiskError>>,
    /// The batch waits for one of its own to write it.
    unled: bool,
}

/// Why a waiting thread continues.
#[derive(Debug)]
pub(super) enum Call {
    /// The batch is durable, or failed.
    Ended(Result<(), DiskError>),
    /// No thread writes: the caller writes the batch.
    Lead,
}

impl Ticket {
    /// Waits until the batch has ended or needs the caller.
    pub(super) fn wait(&self) -> Call {
        let mut state = self.state.hold();
        loop {
            if let Some(outcome) = &state.outcome {
                return Call::Ended(outcome.as_ref().map_err(DiskError::again).copied());
            }
            if std::mem::take(&mut state.unled) {
                return Call::Lead;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the batch has ended.
    pub(super) fn is_settled(&self) -> bool {
        self.state.hold().outcome.is_some()
    }

    /// Reports to every waiting thread how the batch ended; the first report counts.
    pub(super) fn settle(&self, outcome: Result<(), DiskError>) {
        self.state.hold().outcome.get_or_insert(outcome);
        self.changed.notify_all();
    }

    /// Makes one of the waiting threads write the batch.
    pub(super) fn call_leader(&self) {
        self.state.hold().unled = true;
        self.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{io, thread};

    use super::*;

    #[test]
    fn one_of_many_leads_and_all_learn_the_end() {
        let ticket = Ticket::default();
        let leaders = thread::scope(|scope| {
            let wait = || {
                let mut led = 0;
                loop {
                    match ticket.wait() {
                        Call::Lead => {
                            led += 1;
                            ticket.settle(Ok(()));
                        }
                        Call::Ended(outcome) => break outcome.map(|()| led).expect("durable"),
                    }
                }
            };
            let waiting: Vec<_> = (0..4).map(|_| scope.spawn(wait)).collect();
            ticket.call_leader();
            waiting.into_iter().map(|thread| thread.join().expect("no panic")).sum::<u32>()
        });
        assert_eq!(leaders, 1);
        assert!(ticket.is_settled());
    }

    #[test]
    fn the_first_end_counts_and_comes_before_the_turn_to_lead() {
        let ticket = Ticket::default();
        assert!(!ticket.is_settled());
        let source = io::Error::from(io::ErrorKind::StorageFull);
        ticket.settle(Err(DiskError { action: "write", path: "log".into(), source }));
        ticket.settle(Ok(()));
        ticket.call_leader();
        assert!(matches!(ticket.wait(), Call::Ended(Err(_))));
    }
}
