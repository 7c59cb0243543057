//! What handlers may touch: a reader sees a snapshot, a writer may commit.

use std::sync::Arc;

use super::{assets::Assets, router::Router};
use crate::{
    config::{data_dir::DataDir, environment::Environment},
    files::writer::Files,
    http::{auth::TokenGate, origin::OriginGate},
    library::answers::Library,
    model::state::State,
    play::sessions::Sessions,
    store::Store,
};

/// Everything the service is made of; built once by `app`.
pub struct Services {
    /// The state of record. Only [`Writer`] reaches it.
    pub store: Store,
    /// Everything that answers without committing.
    pub shared: Shared,
}

/// The parts that readers and writers share.
pub struct Shared {
    /// Host and origin rules of this port.
    pub origin: OriginGate,
    /// The session token and the failures against it.
    pub gate: TokenGate,
    /// Public files.
    pub assets: Assets,
    /// The indexed route table.
    pub router: Router,
    /// Process environment and `.env`.
    pub environment: Environment,
    /// Where everything lies.
    pub data_dir: DataDir,
    /// The door to the disk.
    pub files: Files,
    /// Projection, probes, cached bodies, media.
    pub library: Library,
    /// Running games.
    pub sessions: Sessions,
}

/// What a read handler gets.
pub struct Reader<'a> {
    /// The state at one revision.
    pub state: Arc<State>,
    /// The rest.
    pub shared: &'a Shared,
}

/// What a handler gets that may change things.
pub struct Writer<'a> {
    /// The state of record.
    pub store: &'a Store,
    /// The rest.
    pub shared: &'a Shared,
}
