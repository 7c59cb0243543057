//! The library server and the catalogs of all stores.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    importers::{home, import_games},
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::schema::schema,
    config::settings::field_error::{BrokenRule, FieldError},
    libserver::{
        catalog,
        config::Config,
        error::LibserverError,
        install::{self, Status},
        place, remove,
        server::{Provider, Server},
    },
    model::{Record, State},
    storefronts::{
        catalog::{Selection, Source},
        survey::{self, ShownSurvey},
        title::CatalogEntry,
    },
};

const TEST: [Param; 5] = [
    optional("libserver_url", Holds::Text, "Its address."),
    optional("libserver_username", Holds::Text, "The user name."),
    optional("libserver_password", Holds::Text, "The password; blank keeps the stored one."),
    optional("libserver_provider", Holds::Text, "The way of downloading."),
    optional("libserver_install_dir", Holds::Text, "The folder for its games."),
];
const INSTALL: [Param; 3] = [
    optional("libserver_id", Holds::Text, "The id of the game on the server; this or id is given."),
    optional("id", Holds::Text, "The same as libserver_id."),
    optional("library_id", Holds::Text, "The row that becomes this game."),
];
const SOURCE: Param = optional("source", Holds::Text, "store_a, store_b, store_c or libserver.");
const IMPORT: [Param; 4] = [
    required("source", Holds::Text, "store_a, store_b, store_c or libserver."),
    optional("uninstalled_only", Holds::Flag, "Only games that are not installed."),
    optional("installed_only", Holds::Flag, "Only games that are installed."),
    optional("ids", Holds::List, "Only games with these ids of the catalog; all without it."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/libserver/providers", Handler::Read(providers))
        .about("stores", "Lists the ways of downloading of the library server.")
        .returns::<Providers>()
        .slow(),
    Route::post("/api/libserver/test", Handler::Write(test))
        .about("stores", "Tries the library server.")
        .body(&TEST)
        .returns::<ServerTested>()
        .slow()
        .v1(),
    Route::post("/api/libserver/install", Handler::Write(install_game))
        .about("stores", "Installs a game of the library server.")
        .body(&INSTALL)
        .returns::<InstallBegun>()
        .may_accept(),
    Route::get("/api/libserver/install/status", Handler::Read(status))
        .about("stores", "Reports the progress of an installation.")
        .query(&[required("libserver_id", Holds::Text, "The id of the game on the server.")])
        .returns::<Status>(),
    Route::post("/api/libserver/uninstall", Handler::Write(uninstall))
        .about("stores", "Removes an installed game of the library server from the disk.")
        .body(&GAME_REF)
        .returns::<Uninstalled>()
        .codes(&[Code::GameNotFound])
        .slow(),
    Route::get("/api/storefront/status", Handler::Read(show_stores))
        .about("stores", "Reports which stores are on this machine, and where.")
        .returns::<Stores>()
        .slow(),
    Route::get("/api/storefront/catalog", Handler::Read(show_catalog))
        .about("stores", "Lists everything a store has, installed or not.")
        .query(&[SOURCE])
        .returns::<CatalogList>()
        .slow(),
    Route::post("/api/storefront/import", Handler::Write(import_catalog))
        .about("stores", "Adds games of a store's catalog.")
        .body(&IMPORT)
        .returns::<CatalogImported>()
        .slow()
        .v1(),
];

schema! {
    /// `GET /api/libserver/providers`.
    struct Providers {
        providers: Vec<Provider>,
    }

    /// The library server answered.
    struct ServerTested {
        /// How many games it has.
        games: usize,
        ok: bool,
        providers: Vec<Provider>,
    }

    /// A game of the library server is being installed.
    struct InstallBegun {
        job_id: String,
        libserver_id: String,
        state: &'static str,
    }

    /// An installed game was removed from the disk.
    struct Uninstalled {
        game: Record,
        /// The paths that were removed.
        removed: Vec<String>,
    }

    /// `GET /api/storefront/status`.
    struct Stores {
        stores: Vec<ShownSurvey>,
    }

    /// `GET /api/storefront/catalog`.
    struct CatalogList {
        catalog: Vec<CatalogEntry>,
    }

    /// Games of a catalog were imported.
    struct CatalogImported {
        /// Games that are new.
        added: usize,
        /// Games that were chosen and are not excluded.
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
        /// Games that were chosen.
        imported: usize,
    }
}

fn config_of(
    shared: &Shared,
    state: &State,
    posted: &Map<String, Value>,
) -> Result<Config, LibserverError> {
    Config::read(state.settings(), posted, &shared.environment)
}

fn providers(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let providers = Server::ways(&config_of(reader.shared, &reader.state, &Map::new())?)?;
    ok(&Providers { providers })
}

fn test(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    // A value of another kind must not stand for the stored one: another server would be tried.
    let odd =
        TEST.iter().find(|param| call.given(param.name).is_some_and(|value| !value.is_string()));
    if let Some(param) = odd {
        return Err(FieldError { field: param.name, rule: BrokenRule::NotText }.into());
    }
    let state = writer.store.snapshot()?;
    let (games, providers) = Server::probe(&config_of(writer.shared, &state, &call.body)?)?;
    ok(&ServerTested { games, ok: true, providers })
}

fn install_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let wanted = ["libserver_id", "id"].iter().map(|key| shown(call, key));
    let wanted = wanted.into_iter().find(|id| !id.is_empty());
    let id = wanted.ok_or_else(|| ApiError::bad("libserver_id is required."))?;
    let id = place::clean_id(&id)?;
    let state = writer.store.snapshot()?;
    let config = config_of(writer.shared, &state, &Map::new())?;
    let row = shown(call, "library_id");
    let row = Some(row.as_str()).filter(|row| !row.is_empty());
    let job = install::submit(&writer.shared.jobs, &config, &id, row)?;
    let body = InstallBegun { job_id: job.job_id, libserver_id: id, state: "installing" };
    if job.is_new { accepted(&body) } else { ok(&body) }
}

/// A key of the body as text, numbers written out.
fn shown(call: &Call<'_>, key: &str) -> String {
    match call.key(key) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn status(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let wanted = call.required_query("libserver_id")?;
    let id = place::clean_id(&wanted)?;
    let jobs = reader.shared.jobs.overview();
    // The library as it is behind the job: a job that ended since the request began has changed it.
    let state = reader.newest()?;
    ok(&Status::of(jobs.jobs.get(&install::job_name(&id)), id, &state))
}

fn uninstall(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let game = call.game().ok_or_else(|| ApiError::bad("Game not found"))?;
    let removed = remove::uninstall(writer.store, writer.files, &shared.environment, &game)?;
    let paths = removed.paths.iter().map(|path| path.to_string_lossy().into_owned());
    ok(&Uninstalled { removed: paths.collect(), game: removed.game })
}

fn show_catalog(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let source = source(&call.query("source").unwrap_or_default())?;
    let catalog = catalog::entries(source, &reader.state, &reader.shared.environment)?;
    ok(&CatalogList { catalog })
}

fn show_stores(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let stores = survey::all(home(reader.shared)).into_iter().map(ShownSurvey::from);
    ok(&Stores { stores: stores.collect() })
}

/// The ids an import is limited to; `None` for all.
fn wanted_ids(call: &Call<'_>) -> Result<Option<HashSet<String>>, ApiError> {
    let refusal = || ApiError::bad("ids must be a list of texts.");
    let ids = call.key("ids").filter(|ids| !ids.is_null());
    let Some(ids) = ids else { return Ok(None) };
    let ids = ids.as_array().ok_or_else(refusal)?.iter();
    ids.map(|id| id.as_str().map(str::to_owned))
        .collect::<Option<_>>()
        .map(Some)
        .ok_or_else(refusal)
}

fn import_catalog(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    if call.text("source").is_empty() {
        return Err(ApiError::bad("source is required."));
    }
    let source = source(call.text("source"))?;
    let selection = Selection {
        uninstalled_only: call.flag("uninstalled_only")?,
        installed_only: call.flag("installed_only")?,
        ids: wanted_ids(call)?,
    };
    let state = writer.store.snapshot()?;
    let games = catalog::select(source, &selection, &state, &writer.shared.environment)?;
    let merged = import_games(writer, source.name(), &games)?;
    ok(&CatalogImported {
        added: merged.added.len(),
        found: merged.found,
        import_batch_id: merged.import_batch_id,
        imported: games.len(),
    })
}

fn source(name: &str) -> Result<Source, ApiError> {
    Source::read(name).ok_or_else(|| {
        ApiError::bad("Storefront source must be store_a, store_b, store_c, or libserver.")
    })
}
