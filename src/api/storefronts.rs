//! Stores on this machine: what they have installed, the wrapper launcher, compatibility layers.

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    importers::{ImportCounts, counts, home, import_games},
    route::{GAME_REF, Handler, Route},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    imports::{Incoming, merge::Merged},
    storefronts::{
        catalog::{self, Source},
        compat, covers,
        title::Title,
        wrapper::{self, WrapperGame, WrapperView},
    },
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/import/store-a", Handler::Write(import_store_a))
        .about("stores", "Adds the installed games of the first store.")
        .returns::<StoreImported>()
        .slow()
        .v1(),
    Route::post("/api/import/store-b", Handler::Write(import_store_b))
        .about("stores", "Adds the installed games of the second store.")
        .returns::<ImportCounts>()
        .slow()
        .v1(),
    Route::post("/api/import/store-c", Handler::Write(import_store_c))
        .about("stores", "Adds the installed games of the third store.")
        .returns::<ImportCounts>()
        .slow()
        .v1(),
    Route::get("/api/wrapper/status", Handler::Read(wrapper_status))
        .about("stores", "Reports whether the wrapper launcher is installed.")
        .returns::<WrapperStatus>()
        .slow(),
    Route::get("/api/wrapper/scan", Handler::Read(wrapper_scan))
        .about("stores", "Lists the games and prefixes of the wrapper launcher.")
        .returns::<WrapperScan>()
        .slow(),
    Route::post("/api/wrapper/import", Handler::Write(import_wrapper))
        .about("stores", "Adds the games of the wrapper launcher.")
        .returns::<WrapperImported>()
        .slow(),
    Route::get("/api/compat/prefixes", Handler::Read(compat_prefixes))
        .about("stores", "Lists the prefixes of compatibility layers.")
        .returns::<PrefixList>()
        .slow(),
    Route::get("/api/compat/runtimes", Handler::Read(compat_runtimes))
        .about("stores", "Lists the compatibility layers.")
        .returns::<RuntimeList>()
        .slow(),
    Route::get("/api/compat/prefix-for-game", Handler::Read(compat_prefix))
        .about("stores", "Reports the prefix in which a game runs.")
        .query(&GAME_REF)
        .returns::<GamePrefix>()
        .codes(&[Code::GameNotFound]),
];

schema! {
    /// The installed games of the first store were imported.
    struct StoreImported {
        added: usize,
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
        /// Library folders that could not be read.
        errors: Vec<String>,
    }

    /// `GET /api/wrapper/status`.
    struct WrapperStatus {
        installed: bool,
        /// Its folders, absolute.
        data_dirs: Vec<String>,
    }

    /// `GET /api/wrapper/scan`.
    struct WrapperScan {
        games: Vec<WrapperView>,
        count: usize,
    }

    /// The games of the wrapper launcher were imported.
    struct WrapperImported {
        added: usize,
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
        /// Names of the games that were added.
        imported: Vec<String>,
        /// The same as `added`.
        count: usize,
    }

    /// A prefix that holds a drive.
    struct PrefixView {
        name: String,
        /// Absolute.
        path: String,
        /// Always true.
        has_drive_c: bool,
    }

    /// `GET /api/compat/prefixes`.
    struct PrefixList {
        prefixes: Vec<PrefixView>,
        /// Always true.
        available: bool,
    }

    /// `GET /api/compat/runtimes`.
    struct RuntimeList {
        runtimes: Vec<compat::Runtime>,
        /// Always true.
        available: bool,
    }

    /// `GET /api/compat/prefix-for-game`.
    struct GamePrefix {
        /// Absolute; empty for none.
        prefix: String,
        available: bool,
    }
}

fn import_store_a(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let (merged, errors) = import_installed(writer, Source::StoreA)?;
    let Merged { added, found, import_batch_id, .. } = merged;
    ok(&StoreImported { added: added.len(), found, import_batch_id, errors })
}

fn import_store_b(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    counts(import_installed(writer, Source::StoreB)?.0)
}

fn import_store_c(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    counts(import_installed(writer, Source::StoreC)?.0)
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
    Ok((import_games(writer, source.name(), &games)?, errors))
}

fn wrapper_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let folders = wrapper::data_dirs(&reader.shared.environment);
    let installed = wrapper::is_installed(&folders);
    let data_dirs = folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
    ok(&WrapperStatus { installed, data_dirs })
}

fn wrapper_scan(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let games = wrapper::scan(&wrapper::data_dirs(&reader.shared.environment));
    let games: Vec<WrapperView> = games.into_iter().map(WrapperGame::view).collect();
    ok(&WrapperScan { count: games.len(), games })
}

fn import_wrapper(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let games = wrapper::scan(&wrapper::data_dirs(&writer.shared.environment));
    let mut rows: Vec<Incoming> = games.iter().map(WrapperGame::incoming).collect();
    let media = writer.shared.data_dir.media();
    for row in &mut rows {
        covers::keep_of(writer.files, &media, &mut row.record);
    }
    let merged = import_games(writer, wrapper::SOURCE, &rows)?;
    let Merged { added, found, import_batch_id, names, .. } = merged;
    let count = added.len();
    ok(&WrapperImported { added: count, found, import_batch_id, imported: names, count })
}

fn compat_prefixes(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let view = |prefix: compat::Prefix| PrefixView {
        path: prefix.path.to_string_lossy().into_owned(),
        name: prefix.name,
        has_drive_c: true,
    };
    let prefixes = compat::prefixes(&reader.shared.environment).into_iter().map(view).collect();
    ok(&PrefixList { prefixes, available: true })
}

fn compat_runtimes(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&RuntimeList { runtimes: compat::runtimes(home(reader.shared)), available: true })
}

fn compat_prefix(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let wanted = call.queried_game();
    let game =
        wanted.and_then(|wanted| wanted.find(&reader.state.games).map(|(_, game)| game.record()));
    let row = game.ok_or_else(|| ApiError::of(Code::GameNotFound))?;
    let prefix = wrapper::prefix_of(&row, &reader.shared.environment);
    let available = prefix.is_some();
    let path = prefix.as_deref().map(|path| path.to_string_lossy()).unwrap_or_default();
    ok(&GamePrefix { prefix: path.into_owned(), available })
}
