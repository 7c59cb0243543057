//! What handlers may touch: a reader sees a snapshot, a writer may commit.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::router::Router;
use crate::{
    backup::folder::Backups,
    config::{
        catalogues,
        data_dir::DataDir,
        environment::Environment,
        settings::{
            project::{Derived, project},
            read,
        },
    },
    definitions::{channel::Channel, keeper::Definitions},
    emulators::work::Installer,
    events::bus::Bus,
    exports::folder::ExportFolder,
    files::writer::Files,
    game::path_checks::DiskPaths,
    http::{assets::Assets, auth::TokenGate, origin::OriginGate},
    imports::media_queue,
    jobs::runner::Jobs,
    journal::keeper::Journal,
    launch::doctor::audit::Doctor,
    library::answers::Answers,
    media::thumbnails::Thumbnails,
    model::state::State,
    query::{presets, search::keeper::Search},
    saves::folder::Saves,
    sessions::Sessions,
    setup::previews::Previews,
    shortcuts::{error::BridgeError, file::Bridge},
    store::{error::Unavailable, open::Store},
    webhooks::dispatcher::Webhooks,
};

/// Everything the service is made of; built once by `app`. Handlers get a [`Reader`] or a
/// [`Writer`] of it.
pub struct Services {
    /// The state of record.
    pub store: Store,
    /// The door to the disk.
    pub files: Files,
    /// Installs emulators.
    pub installer: Installer,
    /// The parts that readers and writers share.
    pub shared: Shared,
}

impl Services {
    pub(super) fn writer(&self) -> Writer<'_> {
        let Self { store, files, installer, shared } = self;
        Writer { store, files, installer, shared }
    }

    pub(super) fn reader(&self) -> Result<Reader<'_>, Unavailable> {
        Ok(Reader { state: self.store.snapshot()?, shared: &self.shared, store: &self.store })
    }
}

/// The files of the data directory and the home that a read handler may ask for.
pub struct ReadFiles(Files);

impl ReadFiles {
    /// Reads through this door.
    #[must_use]
    pub fn new(files: Files) -> Self {
        Self(files)
    }

    /// The media that wait to be fetched, for `GET /api/media/queue`.
    #[must_use]
    pub fn media_queue(&self, data_dir: &DataDir) -> Vec<Value> {
        media_queue::waiting(&self.0, data_dir)
    }

    /// The shortcut file as it stands, for `GET /api/v2/shortcutbridge/status`.
    ///
    /// # Errors
    /// [`BridgeError`].
    pub fn shortcuts(
        &self,
        data_dir: &DataDir,
        home: &Path,
        launcher: PathBuf,
    ) -> Result<Value, BridgeError> {
        Bridge { files: &self.0, data_dir, home, launcher }.status()
    }
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
    /// What readers may ask of the disk.
    pub read_files: ReadFiles,
    /// Projection, probes, cached bodies, media.
    pub library: Arc<Answers>,
    /// Smaller copies of pictures.
    pub thumbnails: Thumbnails,
    /// Running games.
    pub sessions: Sessions,
    /// Where everything that happens is told.
    pub bus: Bus,
    /// Looks at games before they are launched.
    pub doctor: Arc<Doctor>,
    /// Durable jobs.
    pub jobs: Arc<Jobs>,
    /// Who is told over HTTP.
    pub webhooks: Webhooks,
    /// Finished exports.
    pub exports: Arc<ExportFolder>,
    /// The emulator definitions.
    pub definitions: Arc<Definitions>,
    /// Brings new ones.
    pub channel: Channel,
    /// Archives of the library.
    pub backups: Arc<Backups>,
    /// Saved games, scores, shared statistics.
    pub saves: Arc<Saves>,
    /// Setup previews.
    pub setup: Arc<Previews>,
    /// Searching by plain words.
    pub search: Search,
    /// What changed and when.
    pub journal: Journal,
    /// What the settings projection knows besides the stored settings; read once at start.
    pub derived: Derived,
}

impl Shared {
    /// Lets a check of a posted game ask the disk about paths.
    pub fn with_paths<T>(&self, check: impl FnOnce(&DiskPaths<'_>) -> T) -> T {
        let approve_media = |path: &str| self.library.probes().roots().approve(path).is_ok();
        let home = self.environment.home().unwrap_or(Path::new("/"));
        check(&DiskPaths { home, approve_media: &approve_media })
    }

    /// The settings a client may see (`GET /api/settings`).
    #[must_use]
    pub fn public_settings(&self, state: &State) -> Map<String, Value> {
        let stored = state.settings();
        let presets = presets::list(state);
        let derived = Derived {
            strings: catalogues::strings(&read::text(stored, "locale")),
            media_packs: catalogues::media_packs(&read::texts(stored, "active_media_packs")),
            bigscreen_quick: presets::quick(&presets),
            filter_presets: presets,
            ..self.derived.clone()
        };
        project(stored, &derived)
    }
}

/// What a read handler gets.
pub struct Reader<'a> {
    /// The state at one revision.
    pub state: Arc<State>,
    /// The rest.
    pub shared: &'a Shared,
    store: &'a Store,
}

impl Reader<'_> {
    /// The newest state, which may be newer than `state`.
    ///
    /// # Errors
    /// When the library cannot be read any more.
    pub fn newest(&self) -> Result<Arc<State>, Unavailable> {
        self.store.snapshot()
    }
}

/// What a handler gets that may change things.
pub struct Writer<'a> {
    /// The state of record.
    pub store: &'a Store,
    /// The door to the disk.
    pub files: &'a Files,
    /// Installs emulators.
    pub installer: &'a Installer,
    /// The rest.
    pub shared: &'a Shared,
}
