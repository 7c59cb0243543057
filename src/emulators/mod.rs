//! Emulators on this machine: which are installed, installing them, their requirements, and the games in the folders
//! that belong to them.
//!
//! The definitions come from the module `definitions`; `launch::detection` reports whether an emulator is installed.
//! Packages are installed by the sandboxed package tool, as durable jobs.

pub mod packages;
pub mod overview;
pub mod registry;
pub mod dependencies;
pub mod work;
pub mod scan;

use std::sync::Arc;

use crate::{
    feature::{Deps, Feature},
    launch::detection::Detector,
};

/// Makes the installer of emulators and its kinds of job.
pub fn install(deps: &Deps, detector: Arc<Detector>) -> Feature<work::Installer> {
    let service = work::Installer::new(deps.store.clone(), detector);
    Feature { kinds: work::kinds(&service), service }
}
