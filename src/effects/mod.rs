//! The effects of changes: what follows from a change of the library, from its cause and from a
//! session.
//!
//! Rules name the cause of a commit, and work outside of commits reports to the store; no other module invalidates a
//! cache of the library or announces an event to the live stream and the webhooks. Caches come first, so that a client
//! that receives a change is answered from the new state.
//!
//! Effects happen once a change is durable and before its commit returns. They are not written to
//! the log: a crash in between loses them, so a webhook is notified at most once.
//!
//! | file | what it does |
//! |---|---|
//! | `change` | from a change and its cause to events, occurrences and stale caches |
//! | `session` | from an event of a session to events and occurrences |
//! | `plugin` | from an event of a session to messages for plugins |

use std::sync::Arc;

use crate::{
    base::redact::Secrets,
    config::settings::read,
    events::bus::Bus,
    library::answers::Answers,
    plugins::Plugins,
    providers::accounts::Accounts,
    sessions::Sessions,
    store::{Store, watch::Change},
    webhooks::dispatcher::Webhooks,
};

mod change;
mod plugin;
mod session;

/// The receivers of effects.
#[derive(Clone)]
pub struct Effects {
    bus: Bus,
    webhooks: Webhooks,
    library: Arc<Answers>,
    plugins: Arc<Plugins>,
    secrets: Secrets,
}

impl Effects {
    /// Effects on the live stream, the webhooks, the caches of the library answers, the plugins and what the
    /// log leaves out.
    pub fn new(
        bus: &Bus,
        webhooks: &Webhooks,
        library: &Arc<Answers>,
        plugins: &Arc<Plugins>,
        accounts: &Accounts,
    ) -> Self {
        Self {
            bus: bus.clone(),
            webhooks: webhooks.clone(),
            library: Arc::clone(library),
            plugins: Arc::clone(plugins),
            secrets: accounts.kept_out_of_logs().clone(),
        }
    }

    /// Applies the effects of every change and every session event from now on.
    pub fn start(self, store: &Store, sessions: &Sessions) {
        if let Ok(state) = store.snapshot() {
            self.secrets.add(read::secrets(state.settings()));
        }
        let effects = self.clone();
        sessions.on_event(Box::new(move |event| {
            if effects.bus.subscribers() > 0 {
                effects.bus.publish(&session::event(event));
            }
            if let Some(occurrence) = session::occurrence(event) {
                effects.webhooks.announce(&occurrence);
            }
            if let Some(record) = plugin::session(event) {
                effects.plugins.tell_session(record);
            }
        }));
        let (bus, plugins) = (self.bus.clone(), Arc::clone(&self.plugins));
        sessions.on_remark(Box::new(move |remark| {
            if bus.subscribers() > 0 {
                bus.publish(&session::remark(remark));
            }
            if let Some(event) = plugin::remark(remark) {
                plugins.tell(event);
            }
        }));
        store.watch_with_reports(Box::new(move |change| self.apply(change)));
    }

    fn apply(&self, change: &Change) {
        if change::changes_settings(change) {
            self.secrets.add(read::secrets(change.after.settings()));
        }
        for path in change::stale_paths(change) {
            self.library.probes().forget(path);
        }
        if change::may_change_saves(change) {
            self.library.probes().forget_saves();
        }
        if change::changes_media(change) {
            self.library.note_media_change();
        }
        if !change.is_report() && self.bus.subscribers() > 0 {
            self.bus.publish(&change::library_changed(change));
            for event in change::news(change) {
                self.bus.publish(&event);
            }
        }
        for occurrence in change::occurrences(change) {
            self.webhooks.announce(&occurrence);
        }
        self.plugins.tell_change(change);
    }
}
