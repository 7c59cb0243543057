//! What a feature module gets at the start of the program, and what it returns.
//!
//! A feature module exports `install(&Deps, ...) -> Feature<S>`. It makes its own parts; `app`
//! registers the kinds of job and shares the service with the handlers. Further parameters are
//! what it needs of other features. Routes stay in `api`, because a feature does not import it;
//! threads are stopped by `app`, because their order matters.

use std::{path::Path, sync::Arc};

use crate::{
    config::{data_dir::DataDir, environment::Environment},
    files::Files,
    jobs::Kind,
    providers::accounts::Accounts,
    store::Store,
};

/// What every feature may use.
pub struct Deps {
    /// The library.
    pub store: Store,
    /// Access to the disk.
    pub files: Files,
    /// The layout of the data directory.
    pub data_dir: DataDir,
    /// Process environment and `.env`.
    pub environment: Environment,
    /// The accounts at providers.
    pub accounts: Arc<Accounts>,
}

impl Deps {
    /// The home of the user, or the root folder without one.
    pub fn home(&self) -> &Path {
        self.environment.home_or_root()
    }
}

/// A feature that was installed.
pub struct Feature<S> {
    /// What handlers and other features call.
    pub service: S,
    /// Its kinds of job.
    pub kinds: Vec<Kind>,
}

impl<S> Feature<S> {
    /// Adds the kinds to those that `jobs` will run, and returns the service.
    pub fn register(self, kinds: &mut Vec<Kind>) -> S {
        kinds.extend(self.kinds);
        self.service
    }
}
