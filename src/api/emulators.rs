//! Emulators: what is here, installing and updating, what they need, scanning their folders.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Call, accepted, ok},
    error::ApiError,
    importers::{home, import_games},
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    definitions::gather::{Gathered, Problem},
    emulators::{
        dependencies, overview, packages,
        scan::{self, ScanConfig},
        work,
    },
    imports::{folder, tree::Disk},
    jobs::runner::Accepted,
    model::emulators::App,
    process::spawn::{self, Spec},
};

const APP: [Param; 1] = [required("app_id", Holds::Text, "The package id of the emulator.")];
const SCAN: [Param; 2] = [
    required("folder", Holds::Text, "The folder to scan; `~` is the home."),
    optional("emulator_id", Holds::Text, "Only files of this package or definition."),
];
const CONFIG: [Param; 3] = [
    required("folder", Holds::Text, "The folder."),
    required("emulator_id", Holds::Text, "The package id or the id of a definition."),
    optional("auto_update", Holds::Flag, "Whether it is scanned by itself."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/emulators", Handler::Read(list))
        .about("emulators", "Lists the emulators and how they are installed.")
        .reply(&["emulators", "install_all", "update_all"])
        .slow()
        .v1(),
    Route::get("/api/emulators/recommend", Handler::Read(recommend))
        .about("emulators", "Recommends emulators for a platform.")
        .query(&[optional("platform", Holds::Text, "The platform.")])
        .reply(&["recommendations"]),
    Route::get("/api/emulators/dependencies", Handler::Read(dependencies))
        .about("emulators", "Tells what an emulator needs and what of it is missing.")
        .query(&[optional("name", Holds::Text, "The name of the emulator.")])
        .reply(&["required", "missing"]),
    Route::get("/api/emulators/definitions", Handler::Read(definitions))
        .about("emulators", "Lists the emulator definitions.")
        .reply(&["definitions", "problems"]),
    Route::post("/api/emulators/install", Handler::Write(install))
        .about("emulators", "Has an emulator installed.")
        .body(&APP)
        .reply(&["state"])
        .v1(),
    Route::post("/api/emulators/install-all", Handler::Write(install_all))
        .about("emulators", "Has every emulator installed that is not here.")
        .reply(&["state"]),
    Route::post("/api/emulators/update", Handler::Write(update))
        .about("emulators", "Has an emulator updated.")
        .body(&APP)
        .reply(&["state"]),
    Route::post("/api/emulators/update-all", Handler::Write(update_all))
        .about("emulators", "Has every installed emulator package updated.")
        .reply(&["state"]),
    Route::post("/api/emulators/open", Handler::Write(open))
        .about("emulators", "Starts an emulator without a game.")
        .body(&APP)
        .reply(&["mode", "command"])
        .slow(),
    Route::post("/api/emulators/scan", Handler::Write(scan_folder))
        .about("emulators", "Adds the games of a folder by the emulator definitions.")
        .body(&SCAN)
        .reply(&["added", "found"])
        .slow(),
    Route::get("/api/emulators/scan-configs", Handler::Read(list_configs))
        .about("emulators", "Lists the folders that belong to emulators.")
        .reply(&["configs"]),
    Route::post("/api/emulators/scan-configs", Handler::Write(save_config))
        .about("emulators", "Says which emulator a folder belongs to.")
        .body(&CONFIG)
        .reply(&["config"]),
    Route::post("/api/emulators/scan-configs/delete", Handler::Write(delete_config))
        .about("emulators", "Forgets which emulator a folder belongs to; no game is removed.")
        .body(&[required("folder", Holds::Text, "The folder, as it was written.")])
        .reply(&["removed"]),
];

fn list(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let jobs = shared.jobs.overview()["jobs"].take();
    let can_install = packages::is_available();
    let recommendations = overview::recommendations(&shared.definitions.current());
    let entries: Vec<Value> = overview::all(&shared.sessions.detector())
        .iter()
        .map(|emulator| {
            let update = job(&jobs[work::update_name(&emulator.app)], "updating");
            let install = job(&jobs[work::install_name(&emulator.app)], "installing");
            let job = if update.is_empty() { install } else { update };
            emulator.entry(can_install, &recommendations, Value::Object(job))
        })
        .collect();
    ok(&json!({
        "emulators": entries,
        "install_all": job(&jobs[work::INSTALL_ALL], "installing"),
        "update_all": job(&jobs[work::UPDATE_ALL], "updating"),
    }))
}

/// A durable job in the words of these routes: `{state, profiles?, installed?, updated?, errors?,
/// error?}`, where `state` is `active` while it runs; empty without a job.
fn job(row: &Value, active: &str) -> Map<String, Value> {
    let Some(state) = row["state"].as_str() else { return Map::new() };
    let state = match state {
        "queued" | "running" | "cancelling" | "promoting" => active,
        "done" | "partial" => "done",
        _ => "error",
    };
    let mut shown = Map::from_iter([("state".to_owned(), state.into())]);
    for key in ["profiles", "installed", "updated", "errors"] {
        if let Some(value) = row.get(key) {
            shown.insert(key.to_owned(), value.clone());
        }
    }
    if state == "error" {
        let error = row["error"].get("message").unwrap_or(&row["error"]);
        shown.insert("error".to_owned(), error.clone());
    }
    shown
}

fn recommend(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let platform = call.query("platform").unwrap_or_default();
    let catalog = reader.shared.definitions.current();
    ok(&json!({"recommendations": overview::recommend(&catalog, platform.trim())}))
}

fn dependencies(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let name = call.query("name").unwrap_or_default();
    let places = dependencies::of(&name, home(reader.shared));
    let shown = |wanted: &dyn Fn(&dependencies::Place) -> bool| -> Vec<Value> {
        places.iter().filter(|place| wanted(place)).map(dependencies::Place::shape).collect()
    };
    ok(&json!({"required": shown(&|_| true), "missing": shown(&|place| !place.found)}))
}

fn definitions(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let gathered = reader.shared.definitions.gathered();
    ok(&json!({
        "definitions": overview::definitions(&gathered.catalog),
        "problems": problems(&gathered),
    }))
}

/// The files of the folder that are passed over.
pub(super) fn problems(gathered: &Gathered) -> Vec<Value> {
    let shape = |problem: &Problem| json!({"file": problem.file, "error": problem.client_text()});
    gathered.problems.iter().map(shape).collect()
}

fn install(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let app = wanted_app(writer, call)?;
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

/// 202 for work that begins, 200 for work that is going on.
fn begun(job: Accepted, state: &str) -> Answer {
    let body = json!({"state": state, "job_id": job.job_id});
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
    ok(&json!({"mode": mode.name(), "command": command}))
}

fn scan_folder(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let wanted = call.text("folder");
    if wanted.is_empty() {
        return Err(ApiError::bad("folder required"));
    }
    let root = real_root(writer.shared, wanted)?;
    let games =
        scan::games(&Disk, &root, &writer.shared.definitions.current(), call.text("emulator_id"));
    let merged = import_games(writer, "emulators", &games)?;
    ok(&json!({"added": merged.added.len(), "found": merged.found}))
}

fn real_root(shared: &Shared, wanted: &str) -> Result<String, ApiError> {
    let path = folder::expand_home(wanted, shared.environment.home());
    let root = folder::real_folder(&path).and_then(|root| root.into_os_string().into_string().ok());
    root.ok_or_else(|| ApiError::bad("Scan folder does not exist."))
}

fn list_configs(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let configs: Vec<Value> = scan::configs(&reader.state).iter().map(ScanConfig::shape).collect();
    ok(&json!({"configs": configs}))
}

fn save_config(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let config = ScanConfig::read(&call.body)
        .map_err(|_| ApiError::bad("folder and emulator_id required"))?;
    writer.store.commit(|draft| {
        scan::save_config(draft, &config);
        Ok::<_, std::convert::Infallible>(())
    })?;
    ok(&json!({"config": config.shape()}))
}

fn delete_config(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let folder = call.text("folder");
    if folder.is_empty() {
        return Err(ApiError::bad("folder required"));
    }
    let removed = writer
        .store
        .commit(|draft| Ok::<_, std::convert::Infallible>(scan::remove_config(draft, folder)))?;
    ok(&json!({"removed": removed}))
}
