//! The dispatcher: takes events from anywhere, delivers them on its own threads.
//!
//! Announcing reads the configurations and the queue and returns; it opens no socket and writes
//! nothing. A delivery reads its configuration for every attempt, so a change or a removal
//! counts at once and no secret waits in the queue. The outcome of a delivery is one commit.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::{
    attempt::{self, Attempt},
    backlog::{Backlog, Delivery},
    config::{self, ConfigError, Last, Save, Webhook},
    envelope::Envelope,
    occurrence::{Occurrence, Subject},
    outside::Outside,
    policy::{Policy, Refused},
    schedule::{self, Verdict},
};
use crate::{
    base::{Hold as _, Moment, Workers, clock, limits},
    notices::{
        list,
        notice::{Level, Notice},
    },
    store::{CommitError, Committed, Store},
};

/// The message for events that did not fit into the queue.
const FULL: &str = "Webhook delivery queue is full; the event was dropped.";
/// The title of every notice of an event that did not arrive.
const FAILED: &str = "Webhook delivery failed";
/// How long after a notice of a full queue the next one is kept.
const FULL_REPEAT: Duration = Duration::from_mins(10);

/// What the dispatcher is made of.
pub struct Options {
    /// Where the configurations lie.
    pub store: Store,
    /// Where deliveries may go.
    pub policy: Policy,
    /// The network.
    pub outside: Box<dyn Outside>,
    /// `SERVICE_SAFE_MODE`: nothing is delivered but tests.
    pub safe_mode: bool,
}

/// The webhooks of the service. A clone is the same dispatcher.
#[derive(Clone)]
pub struct Webhooks(Arc<Inner>);

struct Inner {
    store: Store,
    policy: Policy,
    outside: Box<dyn Outside>,
    queue: Mutex<Queue>,
    /// There may be something to take.
    wake: Condvar,
    workers: Workers,
}

#[derive(Default)]
struct Queue {
    backlog: Backlog,
    /// When a full queue was last reported, on the awake clock.
    full_reported: Option<Duration>,
}

impl Webhooks {
    /// Starts the workers; none in safe mode.
    ///
    /// # Errors
    /// When the operating system gives no thread.
    pub fn start(options: Options) -> io::Result<Self> {
        let Options { store, policy, outside, safe_mode } = options;
        let webhooks = Self(Arc::new(Inner {
            store,
            policy,
            outside,
            queue: Mutex::default(),
            wake: Condvar::new(),
            workers: Workers::default(),
        }));
        if safe_mode {
            webhooks.0.queue.hold().backlog.close(Duration::ZERO);
            return Ok(webhooks);
        }
        for number in 1..=limits::WEBHOOK_WORKERS {
            webhooks.spawn(&format!("webhook-{number}"), Inner::work)?;
        }
        Ok(webhooks)
    }

    /// Queues an occurrence for every subscribed configuration. Never waits for a
    /// receiver or the disk.
    pub fn announce(&self, occurrence: &Occurrence) {
        let Ok(state) = self.0.store.snapshot() else { return };
        let hooks = config::subscribed(state.settings(), occurrence.subject());
        if hooks.is_empty() || self.0.queue.hold().backlog.is_closed() {
            return;
        }
        let envelope = match Envelope::new(occurrence, &Moment::now()) {
            Ok(envelope) => Arc::new(envelope),
            Err(error) => {
                log::error!("{} was not delivered: {error}", occurrence.subject().name());
                return;
            }
        };
        let mut queue = self.0.queue.hold();
        if queue.backlog.add(&hooks, &envelope) {
            self.0.wake.notify_all();
        } else if !queue.backlog.is_closed() && queue.is_full_news() {
            drop(queue);
            self.tell_full(envelope.id.clone());
        }
    }

    /// Saves posted configurations and returns all of them. Names are resolved before the commit.
    ///
    /// # Errors
    /// The first [`ConfigError`].
    pub fn save(&self, body: &Map<String, Value>) -> Committed<Vec<Webhook>, ConfigError> {
        let store = &self.0.store;
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let save = Save::read(body, state.settings(), &|url| self.admit(url));
        let save = save.map_err(CommitError::Refused)?;
        store.commit(|draft| save.apply(draft))
    }

    /// Whether deliveries to an address are admitted now.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn admit(&self, url: &str) -> Result<(), Refused> {
        self.0.policy.admit(url, &*self.0.outside).map(drop)
    }

    /// Delivers one `test.ping` and waits for it; nothing is tried again and nothing is stored.
    pub fn ping(&self, hook: &Webhook) -> Attempt {
        let ping = Occurrence::new(Subject::TestPing, json!({"ok": true}));
        match Envelope::new(&ping, &Moment::now()) {
            Ok(envelope) => attempt::deliver(hook, &envelope, self.0.policy, &*self.0.outside),
            Err(error) => Attempt {
                verdict: Verdict::Failed,
                last: Last { error: error.to_string(), ..Last::default() },
                retry_after: None,
            },
        }
    }

    /// Takes no more events, gives those that wait two seconds, and lets go of the rest.
    pub fn stop(&self) {
        self.0.queue.hold().backlog.close(clock::awake());
        self.0.wake.notify_all();
        let left = self.0.workers.join_within(limits::WEBHOOK_STOP);
        self.0.queue.hold().backlog.clear();
        if left > 0 {
            log::info!("{left} webhook deliveries were under way when the service stopped");
        }
    }

    /// Raises the notice of a full queue on a thread of its own, because it is a commit and the announcing thread must
    /// not wait. Happens at most once in ten minutes.
    fn tell_full(&self, event_id: String) {
        let told = self.spawn("webhook-notice", move |inner| {
            let now = Moment::now();
            let notice = Notice::new("system", Level::Error, FAILED, FULL, &now);
            inner.raise(None, Some(about(notice, &event_id)), &now);
        });
        if let Err(error) = told {
            log::error!("{FULL} No thread could be started to report it: {error}");
        }
    }

    fn spawn(&self, name: &str, work: impl FnOnce(&Inner) + Send + 'static) -> io::Result<()> {
        let inner = Arc::clone(&self.0);
        self.0.workers.spawn(name, move || work(&inner))
    }

    /// How many deliveries wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.0.queue.hold().backlog.len()
    }
}

impl Queue {
    /// Whether a full queue was not reported for a while; it counts as reported from now on.
    fn is_full_news(&mut self) -> bool {
        let now = clock::awake();
        let is_news = self.full_reported.is_none_or(|told| now.saturating_sub(told) >= FULL_REPEAT);
        if is_news {
            self.full_reported = Some(now);
        }
        is_news
    }
}

impl Inner {
    /// The life of a worker.
    fn work(&self) {
        while let Some(delivery) = self.next() {
            let hook = delivery.hook.clone();
            if catch_unwind(AssertUnwindSafe(|| self.handle(delivery))).is_err() {
                log::error!("a delivery to webhook {hook} ended by a panic");
            }
            self.queue.hold().backlog.release(&hook);
            self.wake.notify_all();
        }
    }

    /// The next delivery, waited for; none once the service stops.
    fn next(&self) -> Option<Delivery> {
        let mut queue = self.queue.hold();
        loop {
            let now = clock::awake();
            if let Some(delivery) = queue.backlog.take(now) {
                return Some(delivery);
            }
            if queue.backlog.is_closed() {
                return None;
            }
            queue = match queue.backlog.pause(now) {
                Some(pause) => {
                    let waited = self.wake.wait_timeout(queue, pause);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// One attempt and what follows from it.
    fn handle(&self, delivery: Delivery) {
        let Ok(state) = self.store.snapshot() else { return };
        let hook = config::find(state.settings(), &delivery.hook);
        // A configuration that was removed or switched off in the meantime wants nothing more.
        let Some(hook) = hook.filter(|hook| hook.enabled) else { return };
        drop(state);
        let attempt = attempt::deliver(&hook, &delivery.envelope, self.policy, &*self.outside);
        if attempt.verdict == Verdict::Retry && delivery.attempt < hook.patience.attempts {
            let asked = attempt.retry_after.as_deref();
            let pause = schedule::pause(delivery.attempt, asked, &Moment::now());
            self.queue.hold().backlog.put_back(delivery, clock::awake() + pause);
        } else {
            self.conclude(&hook, &delivery.envelope, attempt);
        }
    }

    /// Stores the outcome of a delivery; a failure raises a notice.
    fn conclude(&self, hook: &Webhook, envelope: &Envelope, attempt: Attempt) {
        let now = Moment::now();
        let last = Last { delivery_at: now.utc_iso(), ..attempt.last };
        let notice = (attempt.verdict != Verdict::Delivered).then(|| {
            let subject = envelope.subject.name();
            log::warn!("{subject} was not delivered to webhook {}: {}", hook.id, last.error);
            // The address may hold a key of the receiver's, so only its host is named.
            let host = hook.host().unwrap_or_else(|| hook.id.clone());
            let body = format!("{subject} to {host}: {}", last.error);
            about(Notice::new("system", Level::Error, FAILED, &body, &now), &envelope.id)
        });
        self.raise(Some((&hook.id, &last)), notice, &now);
    }

    /// One commit with the outcome of a delivery, a notice, or both.
    fn raise(&self, outcome: Option<(&str, &Last)>, notice: Option<Notice>, now: &Moment) {
        let written = self.store.change(|draft| {
            if let Some((id, last)) = outcome {
                config::record(draft, id, last);
            }
            if let Some(notice) = notice {
                list::add(draft, notice, now);
            }
        });
        if let Err(error) = written {
            log::warn!("failed to save the outcome of a webhook delivery: {error}");
        }
    }
}

fn about(notice: Notice, event_id: &str) -> Notice {
    notice.source("webhook").about(event_id).once(&format!("webhook:{event_id}"))
}
