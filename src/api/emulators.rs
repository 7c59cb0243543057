//! Emulators: which are installed, installing and updating, requirements, scanning their folders.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use super::{
    call::{Answer, Call, accepted, ok},
    error::ApiError,
    importers::{home, import_games},
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::schema::schema,
    definitions::gather::ShownProblem,
    emulators::{
        dependencies::{self, DependencyPlace},
        overview::{self, EmulatorEntry, EmulatorJob, Recommended, ShownDefinition},
        packages,
        scan::{self, ScanConfig},
        work,
    },
    imports::{folder, merge::Merged, rows::TitleStyle},
    jobs::{Accepted, JobRow},
    model::emulators::App,
    process::{Spec, spawn},
    scan::tree::Disk,
};

const PACK: [Param; 1] = [optional("pack", Holds::Choice(&["all"]), "With the extended pack.")];
const APP: [Param; 1] = [required("app_id", Holds::Text, "The package id of the emulator.")];
const SCAN: [Param; 2] = [
    required("folder", Holds::Text, "The folder to scan; `~` is the home."),
    optional("emulator_id", Holds::Text, "Only files of this package or definition."),
];
const CONFIG: [Param; 3] = [
    required("folder", Holds::Text, "The folder."),
    required("emulator_id", Holds::Text, "The package id or the id of a definition."),
    optional("auto_update", Holds::Flag, "Whether it is scanned automatically."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/emulators", Handler::Read(list))
        .about("emulators", "Lists the emulators and how they are installed.")
        .query(&PACK)
        .returns::<EmulatorList<'_>>()
        .slow()
        .v1(),
    Route::get("/api/emulators/recommend", Handler::Read(recommend))
        .about("emulators", "Recommends emulators for a platform.")
        .query(&[optional("platform", Holds::Text, "The platform.")])
        .returns::<RecommendedEmulators>(),
    Route::get("/api/emulators/dependencies", Handler::Read(dependencies))
        .about("emulators", "Reports the requirements of an emulator and which are missing.")
        .query(&[optional("name", Holds::Text, "The name of the emulator.")])
        .returns::<Dependencies<'_>>(),
    Route::get("/api/emulators/definitions", Handler::Read(definitions))
        .about("emulators", "Lists the emulator definitions.")
        .query(&PACK)
        .returns::<DefinitionList>(),
    Route::post("/api/emulators/install", Handler::Write(install))
        .about("emulators", "Installs an emulator.")
        .body(&APP)
        .returns::<EmulatorJobBegun>()
        .may_accept()
        .v1(),
    Route::post("/api/emulators/install-all", Handler::Write(install_all))
        .about("emulators", "Installs every emulator that is missing.")
        .returns::<EmulatorJobBegun>()
        .may_accept(),
    Route::post("/api/emulators/update", Handler::Write(update))
        .about("emulators", "Updates an emulator.")
        .body(&APP)
        .returns::<EmulatorJobBegun>()
        .may_accept(),
    Route::post("/api/emulators/update-all", Handler::Write(update_all))
        .about("emulators", "Updates every installed emulator package.")
        .returns::<EmulatorJobBegun>()
        .may_accept(),
    Route::post("/api/emulators/open", Handler::Write(open))
        .about("emulators", "Starts an emulator without a game.")
        .body(&APP)
        .returns::<EmulatorOpened>()
        .slow(),
    Route::post("/api/emulators/scan", Handler::Write(scan_folder))
        .about("emulators", "Adds the games of a folder by the emulator definitions.")
        .body(&SCAN)
        .returns::<FolderScanned>()
        .slow(),
    Route::get("/api/emulators/scan-configs", Handler::Read(list_configs))
        .about("emulators", "Lists the folders that belong to emulators.")
        .returns::<ScanConfigs>(),
    Route::post("/api/emulators/scan-configs", Handler::Write(save_config))
        .about("emulators", "Assigns a folder to an emulator.")
        .body(&CONFIG)
        .returns::<ScanConfigSaved>(),
    Route::post("/api/emulators/scan-configs/delete", Handler::Write(delete_config))
        .about(
            "emulators",
            "Removes the assignment of a folder to an emulator; no game is removed.",
        )
        .body(&[required("folder", Holds::Text, "The folder, as it was entered.")])
        .returns::<Forgotten>(),
];

schema! {
    /// `GET /api/emulators`.
    struct EmulatorList<'a> {
        emulators: Vec<EmulatorEntry<'a>>,
        install_all: EmulatorJob,
        update_all: EmulatorJob,
    }
}

fn list(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let with_extended = call.choice("pack")?.is_some();
    let jobs = shared.jobs.overview().jobs;
    let job = |name: &str, active| job(jobs.get(name), active);
    let can_install = packages::is_available();
    let catalog = shared.definitions.current();
    let all = overview::recommendations(&catalog);
    let emulators = overview::all(&shared.sessions.detector(), with_extended).into_iter();
    let emulators = emulators.map(|emulator| {
        let update = job(&work::update_name(&emulator.app), "updating");
        let install = job(&work::install_name(&emulator.app), "installing");
        let job = if update.state.is_none() { install } else { update };
        let recommended = if with_extended {
            let mut of_emulator = emulator.platforms.iter().map(String::as_str);
            Cow::Owned(overview::recommendations_for(&catalog, &mut of_emulator))
        } else {
            Cow::Borrowed(&all)
        };
        emulator.into_entry(can_install, recommended, job)
    });
    ok(&EmulatorList {
        emulators: emulators.collect(),
        install_all: job(work::INSTALL_ALL, "installing"),
        update_all: job(work::UPDATE_ALL, "updating"),
    })
}

/// A durable job in the words of these routes; its state is `active` while it runs.
fn job(row: Option<&JobRow>, active: &'static str) -> EmulatorJob {
    let Some(JobRow(row)) = row else { return EmulatorJob::default() };
    let state = match row.get("state").and_then(Value::as_str).unwrap_or_default() {
        "queued" | "running" | "cancelling" | "promoting" => active,
        "done" | "partial" => "done",
        _ => "error",
    };
    let value = |key: &str| row.get(key).cloned();
    let was_cancelled = row.get("state").is_some_and(|state| state == "cancelled");
    let error = || match value("error") {
        // A cancelled job has no error of its own.
        _ if was_cancelled => Some(Value::from("The job was cancelled.")),
        error => error.map(|error| error.get("message").cloned().unwrap_or(error)),
    };
    EmulatorJob {
        error: (state == "error").then(error).flatten(),
        errors: value("errors"),
        installed: value("installed"),
        profiles: value("profiles"),
        state: Some(state),
        updated: value("updated"),
    }
}

schema! {
    /// `GET /api/emulators/recommend`.
    struct RecommendedEmulators {
        recommendations: Vec<Recommended>,
    }
}

fn recommend(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let platform = call.query("platform").unwrap_or_default();
    let catalog = reader.shared.definitions.current();
    ok(&RecommendedEmulators { recommendations: overview::recommend(&catalog, platform.trim()) })
}

schema! {
    /// What an emulator needs.
    struct Dependencies<'a> {
        missing: Vec<&'a DependencyPlace>,
        required: &'a [DependencyPlace],
    }
}

fn dependencies(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let name = call.query("name").unwrap_or_default();
    let places = dependencies::of(&name, home(reader.shared));
    let missing = places.iter().filter(|place| !place.found).collect();
    ok(&Dependencies { missing, required: &places })
}

schema! {
    /// `GET /api/emulators/definitions`.
    struct DefinitionList {
        definitions: Vec<ShownDefinition>,
        /// Files that are skipped.
        problems: Vec<ShownProblem>,
    }
}

fn definitions(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let gathered = reader.shared.definitions.gathered();
    ok(&DefinitionList {
        definitions: overview::definitions(&gathered.catalog, call.choice("pack")?.is_some()),
        problems: gathered.shown_problems(),
    })
}

fn install(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let app = wanted_app(writer, call)?;
    if !packages::is_available() && writer.shared.sessions.detector().mode_of(&app).is_none() {
        return Err(ApiError::bad(packages::PackageError::NoTool.to_string()));
    }
    begun(work::submit_install(&writer.shared.jobs, Some(&app))?, "installing")
}

fn install_all(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    begun(work::submit_install(&writer.shared.jobs, None)?, "installing")
}

fn update(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let app = wanted_app(writer, call)?;
    needs_packages()?;
    begun(work::submit_update(&writer.shared.jobs, Some(&app))?, "updating")
}

fn update_all(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    needs_packages()?;
    begun(work::submit_update(&writer.shared.jobs, None)?, "updating")
}

fn needs_packages() -> Result<(), ApiError> {
    if packages::is_available() {
        Ok(())
    } else {
        Err(ApiError::bad("Flatpak is required for emulator updates."))
    }
}

schema! {
    /// A job installs or updates emulators.
    struct EmulatorJobBegun {
        job_id: String,
        /// `installing` or `updating`.
        state: &'static str,
    }
}

/// 202 for work that begins, 200 for work that is going on.
fn begun(job: Accepted, state: &'static str) -> Answer {
    let body = EmulatorJobBegun { job_id: job.job_id, state };
    if job.is_new { accepted(&body) } else { ok(&body) }
}

fn wanted_app(writer: &Writer<'_>, call: &Call<'_>) -> Result<Arc<App>, ApiError> {
    match call.text("app_id") {
        "" => Err(ApiError::bad("app_id is required")),
        id => {
            let app = writer.shared.definitions.current().app(id).cloned();
            app.ok_or_else(|| ApiError::bad("Unknown emulator."))
        }
    }
}

schema! {
    /// An emulator was started.
    struct EmulatorOpened {
        command: String,
        mode: &'static str,
    }
}

fn open(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let app = wanted_app(writer, call)?;
    let detector = writer.shared.sessions.detector();
    let missing = || ApiError::bad(format!("{} is not installed.", app.name));
    let mode = detector.mode_of(&app).ok_or_else(missing)?;
    let words = detector.program_of(&app).ok_or_else(missing)?;
    let command = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    let process = spawn::spawn(&Spec::new(words)).map_err(|error| {
        log::warn!("{error}");
        ApiError::bad(format!("{} could not be started.", app.name))
    })?;
    writer.shared.sessions.let_go(process);
    ok(&EmulatorOpened { command, mode: mode.name() })
}

schema! {
    /// A folder was scanned.
    struct FolderScanned {
        /// Games that are new.
        added: usize,
        /// Games in the folder.
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
    }
}

fn scan_folder(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let wanted = call.text("folder");
    if wanted.is_empty() {
        return Err(ApiError::bad("folder required"));
    }
    let emulator = call.optional_text("emulator_id")?;
    let root = real_root(writer.shared, wanted)?;
    let style = TitleStyle::of(writer.store.snapshot()?.settings());
    let catalog = writer.shared.definitions.current();
    let games = scan::games(&Disk, &root, &catalog, emulator, style);
    let merged = import_games(writer, "emulators", &games)?;
    let Merged { added, found, import_batch_id, .. } = merged;
    ok(&FolderScanned { added: added.len(), found, import_batch_id })
}

fn real_root(shared: &Shared, wanted: &str) -> Result<String, ApiError> {
    let path = folder::expand_home(wanted, shared.environment.home());
    let root = folder::real_folder(&path).and_then(|root| root.into_os_string().into_string().ok());
    root.ok_or_else(|| ApiError::bad("Scan folder does not exist."))
}

schema! {
    /// `GET /api/emulators/scan-configs`.
    struct ScanConfigs {
        configs: Vec<ScanConfig>,
    }

    /// A scan configuration was saved.
    struct ScanConfigSaved {
        config: ScanConfig,
    }

    /// A scan configuration was removed.
    struct Forgotten {
        /// Whether there was one.
        removed: bool,
    }
}

fn list_configs(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&ScanConfigs { configs: scan::configs(&reader.state) })
}

fn save_config(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    call.flag_if_given("auto_update")?;
    let config = ScanConfig::read(&call.body)
        .map_err(|_| ApiError::bad("folder and emulator_id required"))?;
    scan::store_config(writer.store, &config, writer.shared.environment.home())?;
    ok(&ScanConfigSaved { config })
}

fn delete_config(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let folder = call.text("folder");
    if folder.is_empty() {
        return Err(ApiError::bad("folder required"));
    }
    let removed = scan::delete_config(writer.store, folder, writer.shared.environment.home())?;
    ok(&Forgotten { removed })
}
