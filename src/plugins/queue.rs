//! Messages to plugins, delivered one after the other on a thread that lives while messages wait.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Map, Value};

use super::{
    core::{Core, failed},
    events::{self, PluginEvent},
    manifest::Hook,
};
use crate::{
    base::{Hold as _, Workers},
    store::watch::Change,
};

/// Messages that may wait; with more, new ones are dropped.
const WAITING: usize = 256;

/// A message to plugins.
pub(super) enum Message {
    /// A change of the library: its events are made on the thread.
    Change(Change),
    /// An event.
    Event(PluginEvent),
    /// The record of a session that ended.
    Session(Map<String, Value>),
}

/// The messages.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Message>,
    is_running: bool,
}

impl Queue {
    /// Queues messages for the plugins. Returns at once.
    pub(super) fn tell(self: &Arc<Self>, core: &Arc<Core>, workers: &Workers, message: Message) {
        let mut state = self.state.hold();
        if core.host.is_stopping() {
            return;
        }
        if state.waiting.len() >= WAITING {
            log::warn!("plugins are too slow: an event is dropped");
            return;
        }
        state.waiting.push_back(message);
        if !state.is_running {
            let (queue, core) = (Arc::clone(self), Arc::clone(core));
            let tell = move || {
                let is_stopping = || core.host.is_stopping();
                queue.work(&is_stopping, &|message| deliver(&core, message));
            };
            match workers.spawn("plugin-events", tell) {
                Ok(()) => state.is_running = true,
                Err(error) => log::warn!("plugins do not receive events: {error}"),
            }
        }
    }

    fn work(&self, is_stopping: &dyn Fn() -> bool, deliver: &dyn Fn(Message)) {
        let _unwound = Unwound(self);
        loop {
            let message = {
                let mut state = self.state.hold();
                let next = state.waiting.pop_front().filter(|_| !is_stopping());
                state.is_running = next.is_some();
                next
            };
            match message {
                None => return,
                Some(message) => deliver(message),
            }
        }
    }
}

/// Has the next message start a thread again after a panic of this one.
struct Unwound<'a>(&'a Queue);

impl Drop for Unwound<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state.hold().is_running = false;
        }
    }
}

/// Tells the plugins.
fn deliver(core: &Core, message: Message) {
    match message {
        Message::Change(change) => {
            for event in &events::of_change(&change) {
                send(core, event);
            }
        }
        Message::Event(event) => send(core, &event),
        Message::Session(record) => {
            for plugin in core.active(Hook::AfterSession) {
                drop(core.run_quietly(&plugin, Hook::AfterSession, &record));
            }
        }
    }
}

/// Sends an event to every plugin.
fn send(core: &Core, event: &PluginEvent) {
    for plugin in core.active(Hook::Events) {
        drop(core.run_quietly(&plugin, Hook::Events, event));
    }
}

/// Sends the last event to the plugins, although the program ends, while `goes_on` returns true.
pub(super) fn send_last(core: &Core, event: &PluginEvent, goes_on: &dyn Fn() -> bool) {
    for plugin in core.active(Hook::Events).iter().take_while(|_| goes_on()) {
        let mut payload = event.clone();
        if let Some(settings) = plugin.settings() {
            payload.insert("settings".to_owned(), Value::Object(settings.clone()));
        }
        // OK because a map of values is always JSON.
        let payload = serde_json::to_vec(&payload).unwrap_or_default();
        if let Err(error) = core.run_text(plugin, Hook::Events, &payload, true) {
            failed(plugin, Hook::Events, &error);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::*;

    #[test]
    fn a_panic_costs_one_message() {
        let queue = Queue::default();
        for _ in 0..2 {
            queue.state.hold().waiting.push_back(Message::Event(PluginEvent::default()));
        }
        queue.state.hold().is_running = true;
        let panic = || queue.work(&|| false, &|_| resume_unwind(Box::new("planned")));
        assert!(catch_unwind(AssertUnwindSafe(panic)).is_err());
        let left = |state: &State| (state.waiting.len(), state.is_running);
        assert_eq!(left(&queue.state.hold()), (1, false));
        queue.work(&|| false, &drop);
        assert_eq!(left(&queue.state.hold()), (0, false));
    }
}
