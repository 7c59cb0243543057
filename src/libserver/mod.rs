//! The user's own library server: its games, and installing them.
//!
//! The server's answers are foreign input: sizes are bounded, names never choose a folder, and a
//! redirect never leaves the server. Serves `/api/libserver/*`.

pub mod error;
pub mod config;
pub mod server;
pub mod place;
pub mod titles;
pub mod catalog;
pub mod install;
pub mod remove;

mod disposition;
mod session;

use crate::feature::{Deps, Feature};

/// Registers the installation of games from the library server.
pub fn install(deps: &Deps) -> Feature<()> {
    Feature { service: (), kinds: vec![install::kind(deps)] }
}
