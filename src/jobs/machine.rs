//! The eight states of a job and the events that lead from one to the next.
//!
//! A pure table: a transition that is not in it is refused. Reads no clock, changes nothing;
//! `document` applies what this file allows.

use crate::base::named::named;

named! {
    /// Where a job stands.
    #[derive(Hash)]
    pub enum State {
        /// Waits for a worker.
        Queued = "queued",
        /// A worker is on it.
        Running = "running",
        /// A worker is on it and was asked to stop.
        Cancelling = "cancelling",
        /// Finished.
        Done = "done",
        /// Finished, with items that were skipped or failed.
        Partial = "partial",
        /// Failed.
        Error = "error",
        /// Stopped on request.
        Cancelled = "cancelled",
        /// Cut off by the end of the process.
        Interrupted = "interrupted",
    }
}

impl State {
    /// Whether the job still waits or runs. The other states are final.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Cancelling)
    }

    /// Whether a job that ended here left something to do again.
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::Partial | Self::Error | Self::Cancelled | Self::Interrupted)
    }
}

/// What can happen to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A worker took it.
    Start,
    /// A stop was requested.
    Cancel,
    /// The worker stopped before the end.
    Halt,
    /// The worker finished.
    Finish,
    /// The worker finished and reports failed or skipped items.
    FinishPartly,
    /// The worker gave up.
    Fail,
    /// The process ended or ends.
    Interrupt,
}

impl Event {
    /// Every event.
    #[cfg(test)]
    pub const ALL: [Self; 7] = [
        Self::Start,
        Self::Cancel,
        Self::Halt,
        Self::Finish,
        Self::FinishPartly,
        Self::Fail,
        Self::Interrupt,
    ];
}

/// A transition that the table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{event:?} leads nowhere from {state:?}")]
pub struct Refused {
    /// Where the job stands.
    pub state: State,
    /// What was tried.
    pub event: Event,
}

/// The state after an event.
///
/// # Errors
/// [`Refused`] when the event means nothing in this state; every final state refuses everything.
pub fn next(state: State, event: Event) -> Result<State, Refused> {
    match (state, event) {
        (State::Queued, Event::Start) => Ok(State::Running),
        (State::Running | State::Cancelling, Event::Cancel) => Ok(State::Cancelling),
        (State::Running, Event::Finish) => Ok(State::Done),
        (State::Running, Event::FinishPartly) => Ok(State::Partial),
        (State::Running, Event::Fail) => Ok(State::Error),
        // However the worker returns after it was asked to stop, its result does not count.
        (State::Queued, Event::Cancel)
        | (State::Cancelling, Event::Halt | Event::Finish | Event::FinishPartly | Event::Fail) => {
            Ok(State::Cancelled)
        }
        (State::Queued | State::Running | State::Cancelling, Event::Interrupt) => {
            Ok(State::Interrupted)
        }
        _ => Err(Refused { state, event }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One row for each state, one letter for each event of [`Event::ALL`]: the state it leads to
    /// (r unning, c ancelling, d one, p artial, e rror, x cancelled, i nterrupted) or `-`.
    const TABLE: [(State, &str); 8] = [
        (State::Queued, "rx----i"),
        (State::Running, "-c-dpei"),
        (State::Cancelling, "-cxxxxi"),
        (State::Done, "-------"),
        (State::Partial, "-------"),
        (State::Error, "-------"),
        (State::Cancelled, "-------"),
        (State::Interrupted, "-------"),
    ];

    #[test]
    fn every_pair_of_state_and_event_is_as_the_table_says() {
        let mut pairs = 0;
        for (state, row) in TABLE {
            for (event, letter) in Event::ALL.into_iter().zip(row.chars()) {
                let expected = match letter {
                    'r' => Ok(State::Running),
                    'c' => Ok(State::Cancelling),
                    'd' => Ok(State::Done),
                    'p' => Ok(State::Partial),
                    'e' => Ok(State::Error),
                    'x' => Ok(State::Cancelled),
                    'i' => Ok(State::Interrupted),
                    _ => Err(Refused { state, event }),
                };
                assert_eq!(next(state, event), expected, "{state:?} {event:?}");
                pairs += 1;
            }
        }
        assert_eq!(pairs, State::ALL.len() * Event::ALL.len());
    }

    #[test]
    fn names_are_what_is_stored() {
        for state in State::ALL {
            let stored = serde_json::to_value(state).expect("json");
            assert_eq!(stored, state.name());
            assert_eq!(serde_json::from_value::<State>(stored).expect("a state"), state);
        }
    }

    proptest! {
        #[test]
        fn no_sequence_leaves_the_table(events in prop::collection::vec(0..Event::ALL.len(), 0..40)) {
            let mut state = State::Queued;
            for event in events.into_iter().map(|at| Event::ALL[at]) {
                match next(state, event) {
                    Ok(after) => {
                        prop_assert!(state.is_active(), "{state:?} is final");
                        prop_assert!(State::ALL.contains(&after) && after != State::Queued);
                        state = after;
                    }
                    Err(refused) => prop_assert_eq!(refused, Refused { state, event }),
                }
            }
        }
    }
}
