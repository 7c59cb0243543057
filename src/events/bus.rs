//! The bus: every event to every live-stream subscriber, without waiting for one.
//!
//! Owns the queues (128 events each, 16 subscribers at most). Has no thread and no timer: without
//! subscribers an event costs one read of a counter. A subscriber whose queue is full is removed
//! and its queue is thrown away; a commit or a job never notices.

use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};

use super::event::Event;
use crate::base::{Hold as _, limits};

/// Where events are published and subscribed to. A clone is the same bus.
#[derive(Clone, Default)]
pub struct Bus(Arc<Inner>);

#[derive(Default)]
struct Inner {
    subscribers: AtomicUsize,
    board: Mutex<Board>,
}

#[derive(Default)]
struct Board {
    closed: bool,
    next: u64,
    slots: Vec<Slot>,
}

struct Slot {
    id: u64,
    queue: Sender<Arc<Frame>>,
    lost: Arc<AtomicBool>,
    is_gone: Box<dyn Fn() -> bool + Send>,
}

/// An event as it goes over the wire, rendered once for all subscribers.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    /// The name of the event.
    pub name: &'static str,
    /// Its payload, one line of JSON of at most 64 KiB.
    pub data: String,
}

/// Why there is no subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubscribeError {
    /// All places are taken by subscribers that are still there.
    #[error("all {} places of the live stream are taken", limits::STREAM_SUBSCRIBERS)]
    Full,
    #[error("the live stream has ended")]
    Closed,
}

/// What a subscriber gets when it asks for the next event.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// An event.
    Event(Arc<Frame>),
    /// Nothing happened for as long as it wanted to wait.
    Idle,
    /// The subscription has ended: the subscriber was too slow, or the program stops.
    Ended,
}

impl Bus {
    /// A bus without subscribers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an event into the queue of every subscriber. Never waits: a subscriber without room is
    /// removed.
    pub fn publish(&self, event: &Event) {
        if self.0.subscribers.load(Ordering::Acquire) == 0 {
            return;
        }
        let frame = Arc::new(Frame { name: event.topic.name(), data: event.data() });
        let mut board = self.board();
        board.slots.retain(|slot| match slot.queue.try_send(Arc::clone(&frame)) {
            Ok(()) => true,
            Err(TrySendError::Disconnected(_)) => false,
            Err(TrySendError::Full(_)) => {
                slot.lost.store(true, Ordering::Release);
                log::info!("a live-stream subscriber was too slow and was dropped");
                false
            }
        });
        self.count(&board);
    }

    /// Takes a place. `is_gone` returns whether the client has gone away without the writing side
    /// having noticed yet; it is asked only when all places are taken.
    pub fn subscribe(
        &self,
        is_gone: impl Fn() -> bool + Send + 'static,
    ) -> Result<Subscription, SubscribeError> {
        let mut board = self.board();
        if board.closed {
            return Err(SubscribeError::Closed);
        }
        if board.slots.len() >= limits::STREAM_SUBSCRIBERS {
            board.slots.retain(|slot| {
                let gone = (slot.is_gone)();
                slot.lost.fetch_or(gone, Ordering::AcqRel);
                !gone
            });
        }
        if board.slots.len() >= limits::STREAM_SUBSCRIBERS {
            return Err(SubscribeError::Full);
        }
        let (queue, events) = bounded(limits::STREAM_QUEUE);
        let id = board.next;
        board.next += 1;
        let lost = Arc::new(AtomicBool::new(false));
        let is_gone = Box::new(is_gone);
        board.slots.push(Slot { id, queue, lost: Arc::clone(&lost), is_gone });
        self.count(&board);
        Ok(Subscription { bus: self.clone(), id, events, lost })
    }

    /// How many subscribers there are.
    pub fn subscribers(&self) -> usize {
        self.0.subscribers.load(Ordering::Acquire)
    }

    /// Ends every subscription after the events that are queued already, and admits no more.
    pub fn close(&self) {
        let mut board = self.board();
        board.closed = true;
        board.slots.clear();
        self.count(&board);
    }

    fn leave(&self, id: u64) {
        let mut board = self.board();
        board.slots.retain(|slot| slot.id != id);
        self.count(&board);
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        // OK because every change of the board is complete before anything in it can panic.
        self.0.board.hold()
    }

    fn count(&self, board: &Board) {
        self.0.subscribers.store(board.slots.len(), Ordering::Release);
    }
}

/// One place on the bus, released when it is dropped.
pub struct Subscription {
    bus: Bus,
    id: u64,
    events: Receiver<Arc<Frame>>,
    lost: Arc<AtomicBool>,
}

impl Subscription {
    /// The next event, waited for as long as `patience`. After [`Next::Ended`] there is nothing
    /// more.
    pub fn next(&self, patience: Duration) -> Next {
        if self.lost.load(Ordering::Acquire) {
            return Next::Ended;
        }
        match self.events.recv_timeout(patience) {
            Ok(_) if self.lost.load(Ordering::Acquire) => Next::Ended,
            Ok(frame) => Next::Event(frame),
            Err(RecvTimeoutError::Timeout) => Next::Idle,
            Err(RecvTimeoutError::Disconnected) => Next::Ended,
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.bus.leave(self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use serde_json::json;

    use super::*;
    use crate::events::event::Topic;

    const LONG: Duration = Duration::from_mins(1);

    fn numbered(number: usize) -> Event {
        Event::new(Topic::LibraryChanged, json!({"number": number}))
    }

    fn take(subscription: &Subscription) -> String {
        match subscription.next(LONG) {
            Next::Event(frame) => frame.data.clone(),
            other => format!("{other:?}"),
        }
    }

    fn stays(bus: &Bus) -> Subscription {
        bus.subscribe(|| false).expect("a place")
    }

    #[test]
    fn every_subscriber_gets_every_event_in_order() {
        let bus = Bus::new();
        let subscriptions = [stays(&bus), stays(&bus)];
        for number in 0..limits::STREAM_QUEUE {
            bus.publish(&numbered(number));
        }
        for subscription in &subscriptions {
            for number in 0..limits::STREAM_QUEUE {
                assert_eq!(take(subscription), json!({"number": number}).to_string());
            }
            assert_eq!(subscription.next(Duration::ZERO), Next::Idle);
        }
    }

    #[test]
    fn a_slow_subscriber_loses_only_itself() {
        let bus = Bus::new();
        let (slow, quick) = (stays(&bus), stays(&bus));
        for number in 0..=limits::STREAM_QUEUE {
            bus.publish(&numbered(number));
            assert_eq!(take(&quick), json!({"number": number}).to_string());
        }
        assert_eq!(slow.next(LONG), Next::Ended, "its queue is thrown away");
        assert_eq!(bus.subscribers(), 1);
        drop(slow);
        assert_eq!(bus.subscribers(), 1);
    }

    #[test]
    fn the_place_after_the_last_is_refused_until_one_is_free() {
        let bus = Bus::new();
        let mut places: Vec<_> = (0..limits::STREAM_SUBSCRIBERS).map(|_| stays(&bus)).collect();
        assert_eq!(bus.subscribe(|| false).err(), Some(SubscribeError::Full));
        places.pop();
        places.push(stays(&bus));
        assert_eq!(bus.subscribe(|| false).err(), Some(SubscribeError::Full));
    }

    #[test]
    fn a_client_that_went_away_makes_room() {
        let bus = Bus::new();
        let left = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&left);
        let leaver = bus.subscribe(move || seen.load(Ordering::Acquire)).expect("a place");
        let others: Vec<_> = (1..limits::STREAM_SUBSCRIBERS).map(|_| stays(&bus)).collect();
        assert!(bus.subscribe(|| false).is_err());
        left.store(true, Ordering::Release);
        let newcomer = stays(&bus);
        assert_eq!(leaver.next(LONG), Next::Ended);
        drop(leaver);
        bus.publish(&numbered(1));
        assert!(others.iter().chain([&newcomer]).all(|place| take(place) == "{\"number\":1}"));
    }

    #[test]
    fn closing_delivers_what_is_queued_and_admits_nobody() {
        let bus = Bus::new();
        let subscription = stays(&bus);
        bus.publish(&numbered(1));
        bus.close();
        bus.publish(&numbered(2));
        assert_eq!(take(&subscription), "{\"number\":1}");
        assert_eq!(subscription.next(LONG), Next::Ended);
        assert_eq!(bus.subscribe(|| false).err(), Some(SubscribeError::Closed));
    }

    #[test]
    fn a_waiting_subscriber_is_woken_by_an_event_and_by_the_end() {
        let bus = Bus::new();
        let subscription = stays(&bus);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| (take(&subscription), subscription.next(LONG)));
            bus.publish(&numbered(7));
            bus.close();
            assert_eq!(waiting.join().expect("no panic"), ("{\"number\":7}".into(), Next::Ended));
        });
    }
}
