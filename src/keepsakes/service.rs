//! The service: what all kinds of keepsakes use.

use std::{path::PathBuf, sync::Arc};

use crate::{
    config::data_dir::DataDir, feature::Deps, files::Files, library::answers::Answers, store::Store,
};

/// What is kept of games.
pub struct Keepsakes {
    pub(super) store: Store,
    pub(super) files: Files,
    pub(super) data_dir: DataDir,
    pub(super) library: Arc<Answers>,
    pub(super) home: PathBuf,
    pub(super) config_home: PathBuf,
}

impl Keepsakes {
    pub(super) fn new(deps: &Deps, library: &Arc<Answers>) -> Self {
        let home = deps.home().to_owned();
        let config = deps.environment.config_home();
        Self {
            store: deps.store.clone(),
            files: deps.files.clone(),
            data_dir: deps.data_dir.clone(),
            library: Arc::clone(library),
            config_home: config.unwrap_or_else(|| home.join(".config")),
            home,
        }
    }
}
