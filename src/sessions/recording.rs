//! The replay buffer of the recorder while a game runs, and the recording of a session.

use std::time::{Duration, SystemTime};

use super::shared::Core;
use crate::{
    base::{Moment, thread_named},
    config::settings::read,
    model::State,
    recorder::buffer::{Access, Armed},
};

impl Core {
    /// Stops a replay buffer that was started for a session. The recorder may take long to answer, and no caller waits
    /// for it.
    pub(super) fn release_replay(&self, replay: Armed) {
        if !replay.is_owned {
            return;
        }
        let Ok(state) = self.store.snapshot() else { return };
        let Some(access) = Access::of(state.settings()) else { return };
        let started = thread_named("recorder").spawn(move || access.release());
        if let Err(error) = started {
            log::warn!("the replay buffer was not stopped: {error}");
        }
    }

    /// Makes the newest recording of a session that of its game, where that is wanted.
    pub(super) fn attach_recording(&self, game_id: &str, started: &str) {
        let wanted = |state: &State| read::flag(state.settings(), "recorder_auto_attach");
        if !self.store.snapshot().is_ok_and(|state| wanted(&state)) {
            return;
        }
        let Some(started) = Moment::parse(started) else { return };
        let seconds = u64::try_from(started.unix_seconds()).unwrap_or(0);
        let since = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        if let Err(error) = self.recorder.attach_newest(&self.store, game_id, since) {
            log::warn!("the recording of a session was not attached: {error}");
        }
    }
}

/// Starts the replay buffer for a game, where that is wanted.
pub(super) fn arm_replay(state: &State) -> Armed {
    Access::of(state.settings()).map(|access| access.arm()).unwrap_or_default()
}
