//! The access of handlers: a reader sees a snapshot, a writer may commit.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    achievements::Achievements,
    artgrid::Artwork,
    backup::folder::Backups,
    bezels::Bezels,
    care::health::Health,
    config::{data_dir::DataDir, environment::Environment},
    definitions::{channel::Channel, loader::Definitions},
    desktop::Desktop,
    dna::Dna,
    emulators::work::Installer,
    events::bus::Bus,
    exports::folder::ExportFolder,
    files::Files,
    game::path_checks::DiskPaths,
    household::Household,
    http::tickets::Tickets,
    hygiene::Hygiene,
    insights::Insights,
    jobs::Jobs,
    journal::handle::Journal,
    keepsakes::service::Keepsakes,
    kiosk::Kiosk,
    launch::doctor::audit::Doctor,
    library::answers::Answers,
    libsync::Libsync,
    lookup::Lookup,
    media::queue,
    media::{documents::Places, thumbnails::Thumbnails, uploads::Uploads},
    mediasvc::MediaService,
    metadata::Metadata,
    metadb,
    migrations::local_media::LocalMedia,
    model::State,
    plugins::Plugins,
    providers::Providers,
    query::search::service::Search,
    saves::folder::Saves,
    savesync::service::SaveSync,
    sessions::Sessions,
    settings::UserSettings,
    setup::previews::Previews,
    shortcuts::{
        error::BridgeError,
        file::{Bridge, BridgeStatus},
    },
    store::{Store, Unavailable},
    updates::Updater,
    webhooks::dispatcher::Webhooks,
};

/// Everything the service is made of; built once by `app`. Handlers get a [`Reader`] or a
/// [`Writer`] of it.
pub struct Services {
    /// The state of record.
    pub store: Store,
    /// Access to the disk.
    pub files: Files,
    /// Installs emulators.
    pub installer: Installer,
    /// Delivers events over HTTP.
    pub webhooks: Webhooks,
    /// The parts that readers and writers share.
    pub shared: Shared,
}

impl Services {
    /// `view` is the only state that the client may see, where it may not see all.
    pub(super) fn writer(&self, view: Option<Arc<State>>) -> Writer<'_> {
        let Self { store, files, installer, webhooks, shared } = self;
        Writer { store, files, installer, webhooks, shared, view }
    }

    /// `view` is the only state that the client may see, where it may not see all.
    pub(super) fn reader(&self, view: Option<Arc<State>>) -> Result<Reader<'_>, Unavailable> {
        let (store, shared) = (&self.store, &self.shared);
        let library = if view.is_some() { &shared.family_library } else { &shared.library };
        let is_partial = view.is_some();
        let state = view.map_or_else(|| store.snapshot(), Ok)?;
        Ok(Reader { state, library, is_partial, shared, store })
    }
}

/// The files of the data directory and the home that a read handler may ask for.
pub struct ReadFiles(Files);

impl ReadFiles {
    /// Reads through these files.
    pub fn new(files: Files) -> Self {
        Self(files)
    }

    /// The media that wait to be fetched, for `GET /api/media/queue`.
    pub fn media_queue(&self, data_dir: &DataDir) -> Vec<Value> {
        queue::waiting(&self.0, data_dir)
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
    ) -> Result<BridgeStatus, BridgeError> {
        Bridge { files: &self.0, data_dir, home, launcher }.status()
    }
}

/// The parts that readers and writers share.
pub struct Shared {
    /// Process environment and `.env`.
    pub environment: Environment,
    /// Where everything lies.
    pub data_dir: DataDir,
    /// What readers may ask of the disk.
    pub read_files: ReadFiles,
    /// Projection, probes, cached bodies, media.
    pub library: Arc<Answers>,
    /// Cached bodies of what the family view shows.
    pub family_library: Answers,
    /// What is kept of games that were played.
    pub keepsakes: Arc<Keepsakes>,
    /// Smaller copies of pictures.
    pub thumbnails: Thumbnails,
    /// Pictures that clients are sending.
    pub uploads: Uploads,
    /// Running games.
    pub sessions: Sessions,
    /// Figures from the history and the library.
    pub insights: Insights,
    /// Exchanges the records of the household.
    pub household: Household,
    /// Synchronizes the library with others.
    pub libsync: Libsync,
    /// Which client sessions are unlocked.
    pub kiosk: Kiosk,
    /// Events of the live stream.
    pub bus: Bus,
    /// Checks games before they are launched.
    pub doctor: Arc<Doctor>,
    /// Durable jobs.
    pub jobs: Arc<Jobs>,
    /// Finished exports.
    pub exports: Arc<ExportFolder>,
    /// The emulator definitions.
    pub definitions: Arc<Definitions>,
    /// Fetches new ones.
    pub channel: Channel,
    /// New versions of the program.
    pub updater: Updater,
    /// The desktop of the user.
    pub desktop: Desktop,
    /// Archives of the library.
    pub backups: Arc<Backups>,
    /// Saved games, scores, shared statistics.
    pub saves: Arc<Saves>,
    /// Saves that go from device to device.
    pub save_sync: Arc<SaveSync>,
    /// Setup previews.
    pub setup: Arc<Previews>,
    /// Search by plain words.
    pub search: Search,
    /// What lowers the health of the library.
    pub health: Arc<Health>,
    /// Search by what games are like.
    pub dna: Arc<Dna>,
    /// What changed and when.
    pub journal: Journal,
    /// What is looked up at providers with accounts and at stores.
    pub lookup: Arc<Lookup>,
    /// Achievements of games.
    pub achievements: Arc<Achievements>,
    /// The artwork provider, and bringing its pictures to games.
    pub artwork: Arc<Artwork>,
    /// Keeps the artwork of games in order.
    pub hygiene: Arc<Hygiene>,
    /// Pictures of other programs on this computer.
    pub local_media: Arc<LocalMedia>,
    /// The media service.
    pub media_service: MediaService,
    /// Downloads bezels.
    pub bezels: Bezels,
    /// The metadata database.
    pub metadb: Arc<metadb::MetadbHandle>,
    /// What is looked up for games.
    pub metadata: Arc<Metadata>,
    /// Providers on the web.
    pub providers: Arc<Providers>,
    /// The plugins.
    pub plugins: Arc<Plugins>,
    /// The settings of the user.
    pub settings: UserSettings,
    /// Issues tickets for files.
    pub tickets: Tickets,
}

impl Shared {
    /// Where documents of a game with this path may lie; the path is blank for a platform.
    pub fn documents(&self, state: &State, game: &str) -> Places<'_> {
        Places::of(self.library.probes().roots(), self.data_dir.root(), state, game)
    }
}

/// What a read handler gets.
pub struct Reader<'a> {
    /// The state at one revision, as far as the client may see it.
    pub state: Arc<State>,
    /// Cached bodies of that state.
    pub library: &'a Answers,
    /// Whether the client may not see all of the library.
    pub is_partial: bool,
    /// The rest.
    pub shared: &'a Shared,
    store: &'a Store,
}

impl Reader<'_> {
    /// Whether the client may see the game with a stable id. A removed game is seen by clients that may see all.
    pub fn shows(&self, id: &str) -> bool {
        !self.is_partial || self.state.games.position(id).is_some()
    }

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
    /// Access to the disk.
    pub files: &'a Files,
    /// Installs emulators.
    pub installer: &'a Installer,
    /// Delivers events over HTTP.
    pub webhooks: &'a Webhooks,
    /// The rest.
    pub shared: &'a Shared,
    view: Option<Arc<State>>,
}

impl Writer<'_> {
    /// The newest state, as far as the client may see it.
    ///
    /// # Errors
    /// When the library cannot be read any more.
    pub fn visible(&self) -> Result<Arc<State>, Unavailable> {
        self.view.clone().map_or_else(|| self.store.snapshot(), Ok)
    }

    /// Whether the client may see the game with a stable id. A removed game is seen by clients that may see all.
    pub fn shows(&self, id: &str) -> bool {
        self.view.as_ref().is_none_or(|view| view.games.position(id).is_some())
    }

    /// Lets a check of a posted game ask the disk about paths.
    pub fn with_paths<T>(&self, check: impl FnOnce(&DiskPaths<'_>) -> T) -> T {
        let shared = self.shared;
        let approve_media = |path: &str| shared.library.probes().roots().approve(path).is_ok();
        let approve_document = |path: &str, game: &str| {
            let state = self.store.snapshot();
            state.is_ok_and(|state| shared.documents(&state, game).approve(path))
        };
        let home = shared.environment.home().unwrap_or(Path::new("/"));
        let approve_document = &approve_document;
        check(&DiskPaths { home, approve_media: &approve_media, approve_document })
    }
}
