//! The signal to a running job to stop: a flag that it polls, and that wakes it from a pause.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use crate::base::Hold as _;

/// What was signalled to a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// Nothing yet.
    #[default]
    GoOn,
    /// It was cancelled.
    Cancel,
    /// The program stops.
    Interrupt,
}

/// The orders to one job. The first one stands.
#[derive(Default)]
pub(super) struct Control {
    order: Mutex<Order>,
    changed: Condvar,
}

impl Control {
    /// Gives an order, unless there is one already.
    pub(super) fn give(&self, order: Order) {
        let mut current = self.order.hold();
        if *current == Order::GoOn {
            *current = order;
            self.changed.notify_all();
        }
    }

    /// The order that stands.
    pub(super) fn order(&self) -> Order {
        *self.order.hold()
    }

    /// Waits for an order, at most for `pause`; returns the one that stands then.
    pub(super) fn wait(&self, pause: Duration) -> Order {
        let order = self.order.hold();
        let waited = self.changed.wait_timeout_while(order, pause, |order| *order == Order::GoOn);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_first_order_stands_and_wakes_a_pause() {
        let control = Control::default();
        assert_eq!(control.wait(Duration::ZERO), Order::GoOn);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| control.wait(Duration::from_mins(1)));
            control.give(Order::Cancel);
            control.give(Order::Interrupt);
            assert_eq!(waiting.join().expect("no panic"), Order::Cancel);
        });
        assert_eq!(control.order(), Order::Cancel);
    }
}
