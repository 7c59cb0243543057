//! Stores on this machine: what they have installed, the wrapper launcher, compatibility layers.

use serde_json::{Value, json};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    importers::{bring, counts, home},
    route::{GAME_REF, Handler, Route},
    services::{Reader, Writer},
};
use crate::{
    imports::{incoming::Incoming, merge::Merged},
    storefronts::{
        catalog::{self, Source},
        compat, covers,
        title::Title,
        wrapper::{self, WrapperGame},
    },
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/import/store-a", Handler::Write(import_store_a))
        .about("stores", "Adds the installed games of the first store.")
        .reply(&["added", "found", "errors"])
        .slow()
        .v1(),
    Route::post("/api/import/store-b", Handler::Write(import_store_b))
        .about("stores", "Adds the installed games of the second store.")
        .reply(&["added", "found"])
        .slow()
        .v1(),
    Route::post("/api/import/store-c", Handler::Write(import_store_c))
        .about("stores", "Adds the installed games of the third store.")
        .reply(&["added", "found"])
        .slow()
        .v1(),
    Route::get("/api/wrapper/status", Handler::Read(wrapper_status))
        .about("stores", "Tells whether the wrapper launcher is here.")
        .reply(&["installed", "data_dirs"])
        .slow(),
    Route::get("/api/wrapper/scan", Handler::Read(wrapper_scan))
        .about("stores", "Lists the games and prefixes of the wrapper launcher.")
        .reply(&["games", "count"])
        .slow(),
    Route::post("/api/wrapper/import", Handler::Write(import_wrapper))
        .about("stores", "Adds the games of the wrapper launcher.")
        .reply(&["added", "found", "imported", "count"])
        .slow(),
    Route::get("/api/compat/prefixes", Handler::Read(compat_prefixes))
        .about("stores", "Lists the prefixes of compatibility layers.")
        .reply(&["prefixes", "available"])
        .slow(),
    Route::get("/api/compat/runtimes", Handler::Read(compat_runtimes))
        .about("stores", "Lists the compatibility layers.")
        .reply(&["runtimes", "available"])
        .slow(),
    Route::get("/api/compat/prefix-for-game", Handler::Read(compat_prefix))
        .about("stores", "Tells in which prefix a game runs.")
        .query(&GAME_REF)
        .reply(&["prefix", "available"])
        .codes(&[Code::GameNotFound]),
];

fn import_store_a(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let (merged, errors) = import_installed(writer, Source::StoreA)?;
    ok(&json!({"added": merged.added.len(), "found": merged.found, "errors": errors}))
}

fn import_store_b(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    counts(&import_installed(writer, Source::StoreB)?.0)
}

fn import_store_c(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    counts(&import_installed(writer, Source::StoreC)?.0)
}

/// Imports what a store has installed; with the library folders that could not be read.
fn import_installed(
    writer: &Writer<'_>,
    source: Source,
) -> Result<(Merged, Vec<String>), ApiError> {
    let shared = writer.shared;
    let (mut titles, errors) = catalog::installed(source, home(shared))?;
    covers::keep(writer.files, &shared.data_dir.media(), &mut titles);
    let games: Vec<Incoming> = titles.iter().map(Title::installed).collect();
    Ok((bring(writer, source.name(), &games)?, errors))
}

fn wrapper_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let folders = wrapper::data_dirs(&reader.shared.environment);
    let shown: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
    ok(&json!({"installed": wrapper::is_installed(&folders), "data_dirs": shown}))
}

fn wrapper_scan(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let games = wrapper::scan(&wrapper::data_dirs(&reader.shared.environment));
    let shown: Vec<Value> = games.iter().map(WrapperGame::shape).collect();
    ok(&json!({"count": shown.len(), "games": shown}))
}

fn import_wrapper(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let games = wrapper::scan(&wrapper::data_dirs(&writer.shared.environment));
    let rows: Vec<Incoming> = games.iter().map(WrapperGame::incoming).collect();
    let merged = bring(writer, wrapper::SOURCE, &rows)?;
    ok(&json!({
        "added": merged.added.len(),
        "found": merged.found,
        "imported": merged.names,
        "count": merged.added.len(),
    }))
}

fn compat_prefixes(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let prefixes: Vec<Value> = compat::prefixes(&reader.shared.environment)
        .iter()
        .map(|prefix| {
            let path = prefix.path.to_string_lossy();
            json!({"name": prefix.name, "path": path, "has_drive_c": true})
        })
        .collect();
    ok(&json!({"prefixes": prefixes, "available": true}))
}

fn compat_runtimes(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let runtimes: Vec<Value> = compat::runtimes(home(reader.shared))
        .iter()
        .map(
            |runtime| json!({"name": runtime.name, "path": runtime.path, "source": runtime.source}),
        )
        .collect();
    ok(&json!({"runtimes": runtimes, "available": true}))
}

fn compat_prefix(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let wanted = call.queried_game();
    let game =
        wanted.and_then(|wanted| wanted.find(&reader.state.games).map(|(_, game)| game.record()));
    let row = game.ok_or_else(|| ApiError::of(Code::GameNotFound))?;
    let prefix = wrapper::prefix_of(&row, &reader.shared.environment);
    let shown = prefix.as_deref().map(|path| path.to_string_lossy()).unwrap_or_default();
    ok(&json!({"prefix": shown, "available": prefix.is_some()}))
}
