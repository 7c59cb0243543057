//! The life of the service: start in order, wait for a signal, stop in order.
//!
//! Start: data directory, lock, state, jobs, sessions, listener, address files, workers, browser.
//! Stop: jobs interrupted, streams end, no new requests, requests in flight, sessions let go,
//! webhooks delivered for two seconds, journal written, state folded, files removed. Games keep running and are
//! found again at the next start.

use std::{
    io,
    path::Path,
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
    after_imports, afterwards,
    announce::{self, Address},
    arguments::Options,
    claim::{Claim, claim},
    hourly::Hourly,
    leftovers,
    log_file::LogFile,
    play_now::{self, AskError},
    resources::{self, TooLittle},
};
use crate::{
    api::{
        dispatch::{Front, Launcher},
        services::{ReadFiles, Services, Shared},
    },
    artgrid::Artgrid,
    backup,
    base::{Moment, ids, memory},
    config::{
        data_dir::{DataDir, DataDirError},
        environment::Environment,
        release::Releases,
        settings::read,
    },
    definitions::{channel::Channel, keeper::Definitions},
    effects::Effects,
    emulators,
    events::bus::Bus,
    exports,
    feature::Deps,
    files::{DiskError, Files},
    game::renew_ids,
    http::{
        assets::Assets,
        auth::TokenGate,
        origin::OriginGate,
        server::{Listener, Server, Settings},
        tickets::Tickets,
    },
    insights::Insights,
    jobs::{Jobs, Kind, runner::Options as JobOptions},
    journal::keeper::Journal,
    launch::doctor::{self, audit::Occasion},
    library::answers::Answers,
    libserver,
    media::thumbnails::Thumbnails,
    metadata, metadb,
    probe::{media_roots::MediaRoots, probes::Probes},
    process::search,
    providers::{Providers, cache::Cache},
    query::search::keeper::Search,
    saves,
    sessions::{Options as SessionOptions, Sessions, commands},
    settings::UserSettings,
    setup,
    store::{OpenError, Store},
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
/// first one and ends well.
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
    let (store, journal) = match claim(&files, &data_dir, &environment).map_err(RunError::Store)? {
        Claim::Ours(store, journal) => (store, journal),
        Claim::Theirs(port, token) => {
            if let Some(game_id) = &options.play {
                return Ok(play_now::ask(port, &token, game_id)?);
            }
            announce::show(&environment, port, &token, options.no_browser);
            return Ok(());
        }
    };
    let token = ids::random_hex(32);
    let secrets = environment.secrets().chain([token.clone()]).collect();
    LogFile::open(&files, &data_dir.log(), secrets)?.install();
    // Signals are taken before the address is public, so a stop can never be missed.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(RunError::Listen)?;
    let timeout = Settings::parse_timeout(environment.text("SERVICE_SOCKET_TIMEOUT"));
    let settings = Settings { socket_timeout: timeout, ..Settings::default() };
    let listener = Listener::bind(settings).map_err(RunError::Listen)?;
    let port = listener.port();
    journal.start().map_err(RunError::Threads)?;
    let opened = Library { store, journal };
    let services = build(port, opened, files.clone(), data_dir, environment);
    let services = services.map_err(RunError::Threads)?;
    let services = Arc::new(services);
    let shared = &services.shared;
    let front = Front {
        origin: OriginGate::new(port),
        gate: TokenGate::new(&token, shared.tickets.clone()),
        assets: Assets::new(options.static_dir.clone()),
    };
    let launcher = Launcher::new(Arc::clone(&services), front);
    let server = Server::start(listener, Arc::new(launcher)).map_err(RunError::Listen)?;
    // What loading took is given back before anybody may ask.
    memory::give_back();
    let address = Address::publish(&files, &shared.data_dir, port, &token)?;
    shared.sessions.run_startup_commands();
    shared.sessions.detect_profiles();
    let watcher = watch(&services).map_err(RunError::Threads)?;
    let tick = Hourly::start(HOUR, tick(&services)).map_err(RunError::Threads)?;
    let is_quiet = options.no_browser || options.play.is_some();
    announce::show(&shared.environment, port, &token, is_quiet);
    if let Some(game_id) = &options.play {
        play_now::start(&shared.sessions, game_id);
    }
    if let Some(signal) = signals.forever().next() {
        log::info!("stopping on signal {signal}");
    }
    drop(tick);
    // Streams end after they have sent the last events of the jobs, and before the server waits.
    shared.jobs.stop();
    shared.bus.close();
    server.stop();
    watcher.stop();
    shared.thumbnails.stop();
    shared.sessions.stop();
    services.webhooks.stop();
    shared.search.stop();
    shared.journal.stop();
    services.store.close();
    drop(address);
    run_shutdown_commands(&services);
    Ok(())
}

/// What is done by itself, at the start and every hour.
fn tick(services: &Arc<Services>) -> impl Fn() + Send + use<> {
    let services = Arc::clone(services);
    let is_first = AtomicBool::new(true);
    move || {
        let Shared { jobs, backups, doctor, sessions, setup, .. } = &services.shared;
        let first = is_first.swap(false, Ordering::Relaxed);
        if first {
            let Shared { jobs, exports, .. } = &services.shared;
            if let Err(error) = exports.sweep(|job| jobs.is_listed(job)) {
                log::warn!("unfinished exports were not removed: {error}");
            }
            leftovers::sweep(&services.files, &services.shared.data_dir);
        }
        if let Err(error) = setup.prune(jobs, &Moment::now()) {
            log::warn!("old previews were not removed: {error}");
        }
        let occasion = if first { Occasion::Start } else { Occasion::Hour };
        let due = [
            backup::job::submit_due(jobs, backups),
            doctor::job::submit_due(jobs, doctor, sessions.count(), occasion),
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
        home: home(&shared.environment).to_owned(),
    };
    Watcher::start(context)
}

/// Runs the user's shutdown commands; they outlive the program.
fn run_shutdown_commands(services: &Services) {
    if let Ok(state) = services.store.snapshot() {
        let commands = read::texts(state.settings(), "shutdown_commands");
        drop(commands::start_all(&commands, home(&services.shared.environment)));
    }
}

pub(super) fn home(environment: &Environment) -> &Path {
    environment.home().unwrap_or(Path::new("/"))
}

/// The open library and its journal.
struct Library {
    store: Store,
    journal: Journal,
}

fn build(
    port: u16,
    opened: Library,
    files: Files,
    data_dir: DataDir,
    environment: Environment,
) -> io::Result<Services> {
    let Library { store, journal } = opened;
    match renew_ids::renew_once(&store) {
        Ok(0) => {}
        Ok(count) => log::info!("{count} games without a file got ids of their own"),
        Err(error) => log::warn!("the ids of games were not checked: {error}"),
    }
    let environment = environment.with_own_port(port);
    let deps = Deps { store, files, data_dir, environment };
    let roots = MediaRoots::new(deps.data_dir.root(), &deps.environment.media_roots());
    let library = Arc::new(Answers::new(Probes::new(Arc::new(roots))));
    let definitions = deps.data_dir.emulator_definitions();
    let definitions = Arc::new(Definitions::new(deps.files.clone(), definitions));
    let sessions = start_sessions(&deps, &definitions)?;
    let bus = Bus::new();
    let webhooks = start_webhooks(&deps, port)?;
    let mut kinds = Vec::new();
    let exports = exports::install(&deps).register(&mut kinds);
    let backups = backup::install(&deps, &journal, sessions.counter()).register(&mut kinds);
    let doctor = doctor::install(&deps, sessions.detector()).register(&mut kinds);
    let saves = saves::install(&deps, sessions.witness()).register(&mut kinds);
    let installer = emulators::install(&deps, sessions.detector()).register(&mut kinds);
    libserver::install(&deps).register(&mut kinds);
    let providers = Arc::new(Providers::new(&deps.environment));
    let metadb = metadb::install(&deps, &providers).register(&mut kinds);
    let metadata = metadata::install(&deps, &metadb, &providers, &backups).register(&mut kinds);
    let setup = setup::install(&deps, sessions.detector()).register(&mut kinds);
    let jobs = Arc::new(start_jobs(&deps, &bus, kinds)?);
    let Deps { store, files, data_dir, environment } = deps;
    Effects::new(&bus, &webhooks, &library).start(&store, &sessions);
    afterwards::follow(&sessions, &store, &jobs, &saves);
    after_imports::follow(&store, &jobs, &metadata);
    let search = Search::new(files.clone(), data_dir.read_model(), environment.read_model());
    search.follow(&store);
    let releases = Releases::of(&environment);
    let channel = Channel::new(store.clone(), files.clone(), Arc::clone(&definitions), releases);
    let insights = Insights::new(
        files.clone(),
        data_dir.game_achievements(),
        Arc::clone(sessions.archive()),
        Arc::clone(&library),
    );
    let answers = Cache::new(files.clone(), data_dir.artgrid_cache());
    let shared = Shared {
        insights,
        artgrid: Artgrid::new(&environment, Arc::clone(&providers), answers),
        thumbnails: Thumbnails::new(files.clone(), data_dir.thumbnails()),
        library,
        sessions,
        doctor,
        bus,
        jobs,
        exports,
        backups,
        journal,
        saves,
        setup,
        search,
        metadb,
        metadata,
        providers,
        tickets: Tickets::new(),
        channel,
        definitions,
        data_dir,
        read_files: ReadFiles::new(files.clone()),
        settings: UserSettings::new(&environment, |program| search::on_path(program).is_some()),
        environment,
    };
    Ok(Services { store, files, installer, webhooks, shared })
}

fn start_sessions(deps: &Deps, definitions: &Arc<Definitions>) -> io::Result<Sessions> {
    Sessions::start(SessionOptions {
        store: deps.store.clone(),
        files: deps.files.clone(),
        data_dir: deps.data_dir.clone(),
        home: deps.home().to_owned(),
        definitions: Arc::clone(definitions),
        compositor_guest: deps.environment.is_compositor_guest(),
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
