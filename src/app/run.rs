//! The life of the service: start in order, wait for a signal, stop in order.
//!
//! Start: data directory, lock, state, jobs, sessions, listener, address files, workers, browser.
//! Stop: jobs interrupted, streams end, no new requests, requests in flight, plugins notified, sessions released,
//! webhooks delivered for two seconds, journal written, state folded, files removed. Games keep running and are
//! found again at the next start.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use super::{
    announce::{Address, Opening},
    arguments::Options,
    browser::View,
    claim::{Claim, claim},
    hourly::Hourly,
    import_jobs, leftovers,
    log_file::LogFile,
    play_now::{self, AskError},
    resources::{self, TooLittle},
    session_jobs,
};
use crate::{
    achievements,
    api::{
        dispatch::{Front, Launcher},
        metrics::Metrics,
        services::{ReadFiles, Services, Shared},
    },
    artgrid, backup,
    base::{Moment, ids, memory, redact::Secrets, thread_named},
    bezels::{self, Bezels},
    care::health::{self, due::Occasion},
    config::{
        data_dir::{DataDir, DataDirError},
        environment::Environment,
        release::Releases,
        settings::read,
    },
    definitions::{channel::Channel, loader::Definitions},
    desktop::{Desktop, focus::Focus},
    dna,
    effects::Effects,
    emulators,
    events::bus::Bus,
    exports,
    extensions::stock_themes,
    feature::Deps,
    files::{DiskError, Files},
    game::renew_ids,
    household::Household,
    http::{
        assets::Assets,
        auth::TokenGate,
        origin::OriginGate,
        server::{Listener, Server, Settings},
        tickets::Tickets,
    },
    hygiene,
    insights::Insights,
    jobs::{Jobs, Kind, runner::Options as JobOptions},
    journal::handle::Journal,
    keepsakes,
    kiosk::Kiosk,
    launch::doctor,
    library::answers::Answers,
    libserver,
    libsync::{self, Libsync},
    lookup,
    media::{own_pictures, thumbnails::Thumbnails, uploads::Uploads},
    mediasvc::MediaService,
    metadata, metadb, migrations, opendb,
    plugins::Plugins,
    probe::{media_roots::MediaRoots, probes::Probes},
    process::search,
    providers::{Providers, accounts::Accounts},
    query::search::service::Search,
    recorder::Recorder,
    saves, savesync,
    sessions::{Options as SessionOptions, Sessions, commands},
    settings::UserSettings,
    setup,
    store::{OpenError, Store},
    updates::Updater,
    watcher::{pass::ImportContext, worker::Watcher},
    webhooks::{
        dispatcher::{Options as WebhookOptions, Webhooks},
        outside::Network,
        policy::Policy,
    },
};

/// Time between two checks of what is due.
const HOUR: Duration = Duration::from_hours(1);

/// Why the service could not start or had to end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A limit of the process is too low.
    #[error(transparent)]
    Resources(#[from] TooLittle),
    /// No data directory.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The data directory cannot be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The store did not open.
    #[error(transparent)]
    Store(OpenError),
    /// The instance that runs already did not start the game.
    #[error(transparent)]
    Play(#[from] AskError),
    #[error("failed to start working: {0}")]
    Threads(#[source] io::Error),
    /// No socket, or no signals.
    #[error("failed to listen on 127.0.0.1: {0}")]
    Listen(#[source] io::Error),
}

/// Serves until a signal ends it. A second instance on the same data directory opens the UI of the
/// first one and exits with success.
///
/// # Errors
/// [`RunError`] when the start fails.
pub fn serve(options: &Options) -> Result<(), RunError> {
    resources::prepare()?;
    let process = Environment::capture();
    let data_dir = DataDir::resolve(options.data_dir.as_deref(), &process)?;
    let files = Files::system();
    files.private_dir(data_dir.root())?;
    let environment = process.with_env_files(data_dir.root());
    let environment = environment.with_game_mode(options.view == View::Kiosk);
    let (store, journal) = match claim(&files, &data_dir, &environment).map_err(RunError::Store)? {
        Claim::Ours(store, journal) => (store, journal),
        Claim::Theirs(port, token) => return use_running(options, &data_dir, port, &token),
    };
    let token = ids::random_hex(32);
    let secrets = Secrets::default();
    secrets.add(environment.secrets().chain([token.clone()]));
    LogFile::open(&files, &data_dir.log(), secrets.clone())?.install();
    // Signals are taken before the address is public, so a stop can never be missed.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(RunError::Listen)?;
    let timeout = Settings::parse_timeout(environment.text("SERVICE_SOCKET_TIMEOUT"));
    let settings = Settings { socket_timeout: timeout, ..Settings::default() };
    let listener = Listener::bind(settings).map_err(RunError::Listen)?;
    let port = listener.port();
    journal.start().map_err(RunError::Threads)?;
    let environment = environment.with_own_port(port);
    let accounts = Accounts::open(&environment, &files, data_dir.accounts(), secrets);
    let accounts = Arc::new(accounts);
    let deps = Deps { store, files: files.clone(), data_dir, environment, accounts };
    let services = Arc::new(build(deps, journal, port).map_err(RunError::Threads)?);
    let shared = &services.shared;
    let front = Front {
        origin: OriginGate::new(port),
        gate: TokenGate::new(&token, shared.tickets.clone()),
        assets: Assets::new(options.static_dir.clone()),
        metrics: shared.environment.serves_metrics().then(Metrics::start),
    };
    let is_used = front.gate.usage();
    let launcher = Launcher::new(Arc::clone(&services), front);
    let server = Server::start(listener, Arc::new(launcher)).map_err(RunError::Listen)?;
    // Memory that loading took is returned before requests are accepted.
    memory::give_back();
    prepare_desktop(&services);
    let address = Address::publish(&files, &shared.data_dir, port, &token)?;
    begin_to_look(&services);
    shared.sessions.run_startup_commands();
    shared.sessions.detect_profiles();
    shared.plugins.start();
    let watcher = watch(&services).map_err(RunError::Threads)?;
    let tick = Hourly::start(HOUR, tick(&services)).map_err(RunError::Threads)?;
    let (data_dir, size) = (&shared.data_dir, options.size);
    let focus = &Focus::default();
    let opening = Opening { data_dir, port, token: &token, view: options.view, size, focus };
    let handle = signals.handle();
    let end = (is_used, move || handle.close());
    open(&opening, options.play.as_deref(), &services, end).map_err(RunError::Threads)?;
    if let Some(signal) = signals.forever().next() {
        log::info!("stopping on signal {signal}");
    }
    drop(tick);
    // Streams end after they have sent the last events of the jobs, and before the server waits.
    shared.jobs.stop();
    shared.bezels.stop();
    shared.updater.stop();
    shared.desktop.stop();
    focus.stop();
    shared.bus.close();
    server.stop();
    watcher.stop();
    shared.plugins.stop();
    shared.thumbnails.stop();
    shared.sessions.stop();
    services.webhooks.stop();
    shared.search.stop();
    shared.dna.save();
    shared.journal.stop();
    services.store.close();
    drop(address);
    run_shutdown_commands(&services);
    Ok(())
}

/// Starts the requested game in the running instance, or shows its page.
fn use_running(
    options: &Options,
    data_dir: &DataDir,
    port: u16,
    token: &str,
) -> Result<(), RunError> {
    if let Some(game_id) = &options.play {
        return Ok(play_now::ask(port, token, game_id)?);
    }
    let Options { view, size, .. } = *options;
    let focus = &Focus::default();
    Opening { data_dir, port, token, view, size, focus }.show();
    focus.finish();
    Ok(())
}

/// Shows the program, or starts the game that was asked for; `end` reports whether the program was used, and ends it.
fn open(
    opening: &Opening<'_>,
    play: Option<&str>,
    services: &Arc<Services>,
    end: (impl Fn() -> bool + Send + 'static, impl FnOnce() + Send + 'static),
) -> io::Result<()> {
    let Some(game_id) = play else {
        opening.show();
        return Ok(());
    };
    play_now::end_with_game(services, end.0, end.1)?;
    Opening { view: View::Nothing, ..*opening }.show();
    if !play_now::start(&services.shared.sessions, &services.store, game_id) {
        // The page shows why.
        opening.open("");
    }
    Ok(())
}

/// Writes what is there for the user and for a desktop host from the first start on: the themes of the
/// program, and whether its window goes to the tray, which every start writes again.
fn prepare_desktop(services: &Services) {
    let Services { files, shared, store, .. } = services;
    stock_themes::keep(files, &shared.data_dir.themes());
    let Ok(state) = store.snapshot() else { return };
    let digit = |key| u8::from(read::flag(state.settings(), key));
    let flags = format!("{} {}", digit("tray_enabled"), digit("minimize_to_tray"));
    if let Err(error) =
        files.replace_unsynced(&shared.data_dir.native_host_flags(), flags.as_bytes())
    {
        log::warn!("what the window does in the tray was not kept: {error}");
    }
}

/// Begins to look for what the first answers show of the disk. Without games they show nothing of it.
fn begin_to_look(services: &Services) {
    if services.store.snapshot().is_ok_and(|state| !state.games.is_empty()) {
        services.shared.library.probes().begin_saves();
    }
}

/// Cleans up after installations of the library server and restores of saves that a kill ended; in a thread,
/// because the folder may lie on a drive that does not answer.
fn heal_stopped_work(services: &Services) {
    let Services { files, shared, store, .. } = services;
    let installations = libserver::install::interrupted(&shared.jobs);
    let restores = saves::job::interrupted(&shared.jobs);
    let Ok(state) = store.snapshot() else { return };
    if installations.is_empty() && restores.is_empty() {
        return;
    }
    let (files, environment) = (files.clone(), shared.environment.clone());
    let (jobs, saves) = (Arc::clone(&shared.jobs), Arc::clone(&shared.saves));
    let heal = move || {
        libserver::install::heal(&files, &environment, &state, &jobs, &installations);
        saves::job::heal(&saves, &restores);
    };
    if let Err(error) = thread_named("heal").spawn(heal) {
        log::warn!("no thread that cleans up after stopped work: {error}");
    }
}

/// What is done by itself, at the start and every hour.
fn tick(services: &Arc<Services>) -> impl Fn() + Send + use<> {
    let services = Arc::clone(services);
    let is_first = AtomicBool::new(true);
    move || {
        let Shared { jobs, backups, doctor, exports, health, sessions, setup, .. } =
            &services.shared;
        let first = is_first.swap(false, Ordering::Relaxed);
        if first {
            if let Err(error) = exports.sweep(|job| jobs.is_listed(job)) {
                log::warn!("unfinished exports were not removed: {error}");
            }
            bezels::recover(&services.files, &services.shared.data_dir);
            leftovers::sweep(&services.files, &services.shared.data_dir);
            heal_stopped_work(&services);
            services.shared.updater.sweep();
        }
        if let Err(error) = setup.prune(jobs, &Moment::now()) {
            log::warn!("old previews were not removed: {error}");
        }
        services.shared.dna.save();
        let occasion = if first { Occasion::Start } else { Occasion::Hour };
        let due = [
            backup::job::submit_due(jobs, backups),
            doctor::job::submit_due(jobs, doctor, sessions.count(), occasion),
            health::job::submit_due(jobs, health, sessions.count(), occasion),
        ];
        for error in due.into_iter().filter_map(Result::err) {
            log::warn!("what is due was not started: {error}");
        }
    }
}

/// Imports new games by itself from now on.
fn watch(services: &Arc<Services>) -> io::Result<Arc<Watcher>> {
    let shared = &services.shared;
    let context = ImportContext {
        store: services.store.clone(),
        files: services.files.clone(),
        data: shared.data_dir.clone(),
        definitions: Arc::clone(&shared.definitions),
        home: shared.environment.home_or_root().to_owned(),
        environment: shared.environment.clone(),
    };
    Watcher::start(context)
}

/// Runs the user's shutdown commands; they outlive the program.
fn run_shutdown_commands(services: &Services) {
    if let Ok(state) = services.store.snapshot() {
        let commands = read::texts(state.settings(), "shutdown_commands");
        drop(commands::start_all(&commands, services.shared.environment.home_or_root()));
    }
}

/// Empty caches of library answers, which look for files, saves and achievements.
fn answers(deps: &Deps, roots: &Arc<MediaRoots>) -> Answers {
    let probes = Probes::new(Arc::clone(roots));
    let (look, kept) = (saves::look(deps), achievements::kept::Kept::new(&deps.data_dir));
    probes.look_for_saves_with(Box::new(move || {
        let mut found = look();
        found.mastered = kept.mastered();
        found
    }));
    Answers::new(probes)
}

fn build(deps: Deps, journal: Journal, port: u16) -> io::Result<Services> {
    renew_the_ids(&deps.store);
    let roots = Arc::new(MediaRoots::new(deps.data_dir.root(), &deps.environment.media_roots()));
    let library = Arc::new(answers(&deps, &roots));
    let definitions = definitions(&deps);
    let plugins = Arc::new(Plugins::new(&deps, &library));
    let sessions = start_sessions(&deps, &definitions, &plugins, Arc::clone(&roots))?;
    let bus = Bus::new();
    let webhooks = start_webhooks(&deps, port)?;
    let mut kinds = Vec::new();
    let exports = exports::install(&deps, Arc::<Answers>::clone(&library)).register(&mut kinds);
    let backups = backup::install(&deps, &journal, sessions.counter()).register(&mut kinds);
    let doctor = doctor::install(&deps, sessions.detector()).register(&mut kinds);
    let saves = saves::install(&deps, sessions.witness()).register(&mut kinds);
    let save_sync = savesync::install(&saves).register(&mut kinds);
    let installer = emulators::install(&deps, sessions.detector()).register(&mut kinds);
    libserver::install(&deps).register(&mut kinds);
    let Sources { providers, lookup, metadb, artwork, hygiene, metadata, achievements } =
        install_sources(&deps, &roots, &backups, &mut kinds);
    let media_service = MediaService::new(&deps, &providers, &lookup.named);
    let bezels = Bezels::new(&deps, &providers);
    let health = health::install(&deps, Arc::<Answers>::clone(&library)).register(&mut kinds);
    let dna = dna::install(&deps).register(&mut kinds);
    let local_media = migrations::install(&deps, &roots).register(&mut kinds);
    let setup = setup::install(&deps, sessions.detector()).register(&mut kinds);
    let keepsakes = keepsakes::install(&deps, &library).register(&mut kinds);
    let jobs = Arc::new(start_jobs(&deps, &bus, kinds)?);
    let Deps { store, files, data_dir, environment, accounts } = deps;
    Effects::new(&bus, &webhooks, &library, &plugins, &accounts).start(&store, &sessions);
    session_jobs::follow(&sessions, &store, &jobs, &saves, &achievements, &save_sync);
    import_jobs::follow(&store, &jobs, &metadata);
    let search = start_search(&store, &files, &data_dir, &environment);
    let channel = channel(&store, &files, &environment, &definitions);
    let updater = updater(&store, &files, &environment);
    let insights = insights(&files, &data_dir, &sessions, &library);
    let (events, recovery) = (data_dir.library_sync_events(), libsync::recovery_backup(&backups));
    let shared = Shared {
        insights,
        artwork,
        keepsakes,
        household: Household::new(files.clone()),
        libsync: Libsync::new(files.clone(), events, recovery),
        kiosk: Kiosk::default(),
        family_library: library.beside(),
        achievements,
        thumbnails: Thumbnails::new(files.clone(), data_dir.thumbnails()),
        uploads: Uploads::new(files.clone(), own_pictures::folder(&data_dir.media())),
        library,
        sessions,
        doctor,
        bus,
        jobs,
        exports,
        backups,
        journal,
        saves,
        save_sync,
        setup,
        search,
        lookup,
        health,
        dna,
        metadb,
        metadata,
        providers,
        plugins,
        tickets: Tickets::new(),
        channel,
        updater,
        desktop: Desktop::default(),
        definitions,
        data_dir,
        read_files: ReadFiles::new(files.clone()),
        settings: user_settings(&files, &environment, &media_service),
        media_service,
        bezels,
        hygiene,
        local_media,
        environment,
    };
    Ok(Services { store, files, installer, webhooks, shared })
}

fn definitions(deps: &Deps) -> Arc<Definitions> {
    let folder = deps.data_dir.emulator_definitions();
    Arc::new(Definitions::new(deps.files.clone(), folder))
}

fn channel(
    store: &Store,
    files: &Files,
    environment: &Environment,
    definitions: &Arc<Definitions>,
) -> Channel {
    let releases = Releases::of(environment);
    Channel::new(store.clone(), files.clone(), Arc::clone(definitions), releases)
}

/// Gives games without a file ids of their own, once in the life of a library.
fn renew_the_ids(store: &Store) {
    match renew_ids::renew_once(store) {
        Ok(0) => {}
        Ok(count) => log::info!("{count} games without a file got ids of their own"),
        Err(error) => log::warn!("the ids of games were not checked: {error}"),
    }
}

/// What asks providers, and writes what they know to games.
struct Sources {
    providers: Arc<Providers>,
    lookup: Arc<lookup::Lookup>,
    metadb: Arc<metadb::MetadbHandle>,
    artwork: Arc<artgrid::Artwork>,
    hygiene: Arc<hygiene::Hygiene>,
    metadata: Arc<metadata::Metadata>,
    achievements: Arc<achievements::Achievements>,
}

fn install_sources(
    deps: &Deps,
    roots: &Arc<MediaRoots>,
    backups: &Arc<backup::folder::Backups>,
    kinds: &mut Vec<Kind>,
) -> Sources {
    let providers = Arc::new(Providers::new(&deps.environment));
    let lookup = lookup::install(deps, &providers).register(kinds);
    let metadb = metadb::install(deps, &providers).register(kinds);
    let artwork = artgrid::install(deps, &providers, &lookup.named).register(kinds);
    let hygiene = hygiene::install(deps, &artwork, Arc::clone(roots)).register(kinds);
    let opendb = opendb::install(deps, &providers).register(kinds);
    let sources = (&lookup, &artwork, &opendb);
    let metadata = metadata::install(deps, &metadb, &providers, sources, backups).register(kinds);
    let achievements = achievements::install(deps, &providers).register(kinds);
    Sources { providers, lookup, metadb, artwork, hygiene, metadata, achievements }
}

fn start_search(
    store: &Store,
    files: &Files,
    data_dir: &DataDir,
    environment: &Environment,
) -> Search {
    let search = Search::new(files.clone(), data_dir.read_model(), environment.read_model());
    search.follow(store);
    search
}

fn updater(store: &Store, files: &Files, environment: &Environment) -> Updater {
    Updater::new(store.clone(), files.clone(), environment, std::env::current_exe().ok())
}

fn insights(
    files: &Files,
    data_dir: &DataDir,
    sessions: &Sessions,
    library: &Arc<Answers>,
) -> Insights {
    let archive = Arc::clone(sessions.archive());
    Insights::new(files.clone(), data_dir.game_achievements(), archive, Arc::clone(library))
}

fn user_settings(
    files: &Files,
    environment: &Environment,
    media_service: &MediaService,
) -> UserSettings {
    let is_installed = |program: &str| search::on_path(program).is_some();
    let has_media_service = media_service.credential_store.is_configured();
    UserSettings::new(files, environment, has_media_service, is_installed)
}

fn start_sessions(
    deps: &Deps,
    definitions: &Arc<Definitions>,
    plugins: &Arc<Plugins>,
    roots: Arc<MediaRoots>,
) -> io::Result<Sessions> {
    let plugins = Arc::clone(plugins);
    Sessions::start(SessionOptions {
        store: deps.store.clone(),
        files: deps.files.clone(),
        data_dir: deps.data_dir.clone(),
        home: deps.home().to_owned(),
        config_home: deps.environment.config_home_or_root(),
        definitions: Arc::clone(definitions),
        recorder: Recorder::new(&deps.files, &deps.data_dir, &deps.environment, roots),
        compositor_guest: deps.environment.is_compositor_guest(),
        rewrite: Some(Box::new(move |state, game, argv, cwd| {
            plugins.before_launch(state, game, argv, cwd)
        })),
    })
}

fn start_webhooks(deps: &Deps, port: u16) -> io::Result<Webhooks> {
    let allow_http = deps.environment.allows_http_webhooks();
    Webhooks::start(WebhookOptions {
        store: deps.store.clone(),
        policy: Policy { allow_http, own_port: port },
        outside: Box::new(Network),
        safe_mode: deps.environment.safe_mode(),
    })
}

fn start_jobs(deps: &Deps, bus: &Bus, kinds: Vec<Kind>) -> io::Result<Jobs> {
    Jobs::start(JobOptions {
        files: deps.files.clone(),
        operations: deps.data_dir.operations(),
        items: deps.data_dir.operation_items(),
        bus: bus.clone(),
        kinds,
        home: deps.home().to_string_lossy().into_owned(),
        first_pause: Duration::from_secs(1),
        now: Moment::now,
    })
}
