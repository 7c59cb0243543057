//! The replay buffer of the recorder: started with a game, stopped after it, saved on request.

use std::{path::PathBuf, time::Duration};

use serde_json::{Map, Value};

use super::{
    Recorder,
    dialog::{Dialog, RecorderError},
};
use crate::config::settings::read;

/// The recorder on this machine, where the settings name no other.
const ADDRESS: &str = "ws://127.0.0.1:4455";

/// The state of the replay buffer at the start of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Armed {
    /// It runs.
    pub is_armed: bool,
    /// It was started for this session, so it is stopped after it.
    pub is_owned: bool,
}

/// How to reach the recorder.
#[derive(Clone)]
pub struct Access {
    address: String,
    password: String,
    patience: Duration,
}

impl Access {
    /// The access of the settings; `None` while the replay buffer is not wanted.
    pub fn of(settings: &Map<String, Value>) -> Option<Self> {
        if !read::flag(settings, "recorder_replay_enabled") {
            return None;
        }
        let address = read::text(settings, "recorder_ws_url");
        let seconds = read::number(settings, "recorder_ws_timeout").clamp(0.1, 30.0);
        Some(Self {
            address: if address.is_empty() { ADDRESS.to_owned() } else { address },
            password: read::text(settings, "recorder_ws_password"),
            patience: Duration::from_secs_f64(seconds),
        })
    }

    /// Starts the replay buffer where it does not run yet. A recorder that does not answer prevents no
    /// game.
    pub fn arm(&self) -> Armed {
        self.try_arm().unwrap_or_else(|error| {
            log::info!("the replay buffer was not started: {error}");
            Armed::default()
        })
    }

    /// Stops the replay buffer.
    pub fn release(&self) {
        let released = self.open().and_then(|mut dialog| dialog.request("StopReplayBuffer"));
        if let Err(error) = released {
            log::info!("the replay buffer was not stopped: {error}");
        }
    }

    /// Saves the replay buffer and returns the file.
    ///
    /// # Errors
    /// [`RecorderError`].
    fn save(&self) -> Result<PathBuf, RecorderError> {
        let mut dialog = self.open()?;
        dialog.request("SaveReplayBuffer")?;
        let saved = dialog.event("ReplayBufferSaved")?;
        let path = saved["savedReplayPath"].as_str().filter(|path| !path.is_empty());
        path.map(PathBuf::from).ok_or(RecorderError::Unexpected)
    }

    fn try_arm(&self) -> Result<Armed, RecorderError> {
        let mut dialog = self.open()?;
        let status = dialog.request("GetReplayBufferStatus")?;
        if status["outputActive"] == true {
            return Ok(Armed { is_armed: true, is_owned: false });
        }
        dialog.request("StartReplayBuffer")?;
        Ok(Armed { is_armed: true, is_owned: true })
    }

    fn open(&self) -> Result<Dialog, RecorderError> {
        Dialog::open(&self.address, &self.password, self.patience)
    }
}

impl Recorder {
    /// Saves the replay buffer; `None` when it is not wanted, fails or names a file that may not be
    /// used.
    pub fn save_replay(&self, settings: &Map<String, Value>) -> Option<PathBuf> {
        let saved = Access::of(settings)?.save();
        let saved = saved.inspect_err(|error| log::info!("no replay was saved: {error}")).ok()?;
        if self.accepts(settings, &saved) {
            return Some(saved);
        }
        log::warn!("the recorder named a file that is not used");
        None
    }
}
