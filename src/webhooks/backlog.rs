//! The deliveries that wait: a plain value with rules, without a lock, a thread or a clock.
//!
//! Owns the bound of the queue and the order. A delivery that waits for its next attempt holds a
//! place in the queue but no worker, and one receiver never holds the last worker: a receiver that
//! hangs delays itself, not the others.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use super::envelope::Envelope;
use crate::base::limits;

/// Workers that one configuration may hold at once.
const SHARE: usize = limits::WEBHOOK_WORKERS - 1;

/// One envelope for one configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    /// The id of the configuration.
    pub(super) hook: String,
    /// What is delivered.
    pub(super) envelope: Arc<Envelope>,
    /// The number of its next attempt, from 1.
    pub(super) attempt: u32,
    /// When that is due, on the awake clock.
    due: Duration,
}

/// The queue.
#[derive(Default)]
pub(super) struct Backlog {
    waiting: VecDeque<Delivery>,
    /// The configurations being delivered to, once for each worker.
    busy: Vec<String>,
    closed: bool,
}

impl Backlog {
    /// Adds an envelope for all of these configurations, or for none when there is no room for all
    /// or no deliveries are taken any more. Says whether it was added.
    pub(super) fn add(&mut self, hooks: &[String], envelope: &Arc<Envelope>) -> bool {
        if self.closed || self.waiting.len() + hooks.len() > limits::WEBHOOK_QUEUE {
            return false;
        }
        self.waiting.extend(hooks.iter().map(|hook| Delivery {
            hook: hook.clone(),
            envelope: Arc::clone(envelope),
            attempt: 1,
            due: Duration::ZERO,
        }));
        true
    }

    /// Takes the first delivery that is due and may have a worker; [`Backlog::release`] gives the
    /// worker back.
    pub(super) fn take(&mut self, now: Duration) -> Option<Delivery> {
        let at = self.waiting.iter().position(|delivery| {
            let held = self.busy.iter().filter(|hook| **hook == delivery.hook).count();
            delivery.due <= now && held < SHARE
        })?;
        let delivery = self.waiting.remove(at)?;
        self.busy.push(delivery.hook.clone());
        Some(delivery)
    }

    /// Ends the work on a configuration that [`Backlog::take`] began.
    pub(super) fn release(&mut self, hook: &str) {
        if let Some(at) = self.busy.iter().position(|busy| busy == hook) {
            self.busy.swap_remove(at);
        }
    }

    /// Puts a delivery back for its next attempt, which is due then. It had a place before, so the
    /// bound is exceeded by the number of workers at most. After a close it is dropped.
    pub(super) fn put_back(&mut self, delivery: Delivery, due: Duration) {
        if !self.closed {
            self.waiting.push_back(Delivery { attempt: delivery.attempt + 1, due, ..delivery });
        }
    }

    /// The time until the next delivery becomes due; `None` when none waits.
    pub(super) fn pause(&self, now: Duration) -> Option<Duration> {
        let pauses = self.waiting.iter().map(|delivery| delivery.due.saturating_sub(now));
        pauses.filter(|pause| !pause.is_zero()).min()
    }

    /// Takes nothing more and drops what waits for a later attempt.
    pub(super) fn close(&mut self, now: Duration) {
        self.closed = true;
        self.waiting.retain(|delivery| delivery.due <= now);
    }

    /// Drops everything that waits.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Whether it was closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many deliveries wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        base::Moment,
        webhooks::occurrence::{Occurrence, Subject},
    };

    fn envelope() -> Arc<Envelope> {
        let occurrence = Occurrence::new(Subject::MetadataSynced, json!({"status": "done"}));
        Arc::new(Envelope::new(&occurrence, &Moment::from_unix(0)).expect("small"))
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("wh-{number}")).collect()
    }

    const NOW: Duration = Duration::from_secs(100);

    #[test]
    fn an_event_is_taken_for_all_or_for_none() {
        let mut backlog = Backlog::default();
        assert!(backlog.add(&names(100), &envelope()));
        assert!(!backlog.add(&names(29), &envelope()));
        assert_eq!(backlog.len(), 100);
        assert!(backlog.add(&names(28), &envelope()));
        assert!(!backlog.add(&names(1), &envelope()));
        assert!(backlog.take(NOW).is_some() && backlog.add(&names(1), &envelope()));
    }

    #[test]
    fn one_configuration_never_holds_the_last_worker() {
        let mut backlog = Backlog::default();
        for _ in 0..5 {
            backlog.add(&names(1), &envelope());
        }
        backlog.add(&["other".to_owned()], &envelope());
        let taken: Vec<_> = std::iter::from_fn(|| backlog.take(NOW)).map(|it| it.hook).collect();
        assert_eq!(taken, ["wh-0", "wh-0", "wh-0", "other"]);
        backlog.release("wh-0");
        assert_eq!(backlog.take(NOW).map(|delivery| delivery.hook), Some("wh-0".to_owned()));
    }

    #[test]
    fn a_later_attempt_waits_without_a_worker() {
        let mut backlog = Backlog::default();
        backlog.add(&names(1), &envelope());
        let delivery = backlog.take(NOW).expect("due");
        backlog.release("wh-0");
        backlog.put_back(delivery, NOW + Duration::from_secs(2));
        assert_eq!(backlog.take(NOW), None);
        assert_eq!(backlog.pause(NOW), Some(Duration::from_secs(2)));
        let again = backlog.take(NOW + Duration::from_secs(2)).expect("due");
        assert_eq!((again.attempt, backlog.pause(NOW)), (2, None));
    }

    #[test]
    fn a_close_keeps_only_what_is_due() {
        let mut backlog = Backlog::default();
        backlog.add(&names(2), &envelope());
        let delivery = backlog.take(NOW).expect("due");
        backlog.put_back(delivery.clone(), NOW + Duration::from_secs(1));
        backlog.close(NOW);
        assert!(!backlog.add(&names(1), &envelope()));
        backlog.put_back(delivery, NOW);
        assert_eq!(backlog.take(NOW).map(|it| it.hook), Some("wh-1".to_owned()));
        assert_eq!((backlog.take(NOW), backlog.len()), (None, 0));
    }

    proptest! {
        #[test]
        fn the_bounds_hold_whatever_happens(
            steps in prop::collection::vec((0..4_u8, 0..40_usize), 0..200),
        ) {
            let mut backlog = Backlog::default();
            let envelope = envelope();
            let mut held: Vec<Delivery> = Vec::new();
            for (step, number) in steps {
                match step {
                    0 => { backlog.add(&names(number), &envelope); }
                    1 if held.len() < limits::WEBHOOK_WORKERS => {
                        held.extend(backlog.take(NOW));
                    }
                    2 => if let Some(delivery) = held.pop() {
                        backlog.release(&delivery.hook);
                        backlog.put_back(delivery, NOW);
                    },
                    _ => if let Some(delivery) = held.pop() {
                        backlog.release(&delivery.hook);
                    },
                }
                prop_assert!(backlog.len() <= limits::WEBHOOK_QUEUE + limits::WEBHOOK_WORKERS);
                for delivery in &held {
                    let same = held.iter().filter(|other| other.hook == delivery.hook).count();
                    prop_assert!(same <= SHARE);
                }
            }
        }
    }
}
