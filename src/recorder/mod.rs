//! The program that records the screen: its recordings, and its replay buffer.
//!
//! Owns the conversation with the recorder over its websocket. Never starts or stops a recording, and
//! never moves or changes a file of the recorder.
//!
//! | file | what it does |
//! |---|---|
//! | `recordings` | where recordings lie, the newest one, whether the recorder runs |
//! | `dialog` | the websocket protocol of the recorder, version 5 |
//! | `buffer` | the replay buffer: started, stopped, saved |
//! | `attach` | recordings that belong to a game |

pub mod attach;
pub mod buffer;
pub mod dialog;
pub mod recordings;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    config::{data_dir::DataDir, environment::Environment},
    files::Files,
    probe::media_roots::MediaRoots,
};

/// What is known of the recorder on this machine.
#[derive(Clone)]
pub struct Recorder {
    home: PathBuf,
    config_home: PathBuf,
    files: Files,
    roots: Arc<MediaRoots>,
    /// Copies of recordings.
    recordings: PathBuf,
}

impl Recorder {
    /// The recorder of the user.
    pub fn new(
        files: &Files,
        data_dir: &DataDir,
        environment: &Environment,
        roots: Arc<MediaRoots>,
    ) -> Self {
        let home = environment.home().unwrap_or(Path::new("/")).to_owned();
        let config = environment.config_home();
        Self {
            config_home: config.unwrap_or_else(|| home.join(".config")),
            home,
            files: files.clone(),
            roots,
            recordings: data_dir.media().join("recordings"),
        }
    }
}
