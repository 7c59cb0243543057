//! Importers besides the folder: loose console and arcade files, titles of other programs,
//! exclusions.

use std::{collections::BTreeMap, path::Path};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    imports::{
        Incoming,
        arcade::{self, Family},
        exclusions::{self, Exclusion},
        folder,
        incoming::SetType,
        installed, loose,
        merge::{self, Merged},
    },
    migrations::installed_lists,
    probe::places,
    scan::tree::Disk,
};

const FOLDER: Param = required("folder", Holds::Text, "The folder to read; `~` is the home.");
const COMMAND: Param =
    optional("command", Holds::Text, "The command that starts the games; `{path}` is the file.");
const LOOSE: [Param; 2] = [FOLDER, COMMAND];
const ARCADE: [Param; 4] = [
    FOLDER,
    COMMAND,
    optional("dat", Holds::Text, "A DAT or XML file that lists the sets."),
    optional("source", Holds::Text, "The kind of sets; MAME unless it is FinalBurn Neo."),
];
const EXCLUSION: [Param; 3] = [
    required("source", Holds::Text, "The source that is meant."),
    required("external_id", Holds::Text, "The id of the game there."),
    optional("store_b_source", Holds::Text, "The inner store, when the source has several."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/import/console-x", Handler::Write(import_console))
        .about("imports", "Adds the executables of one console below a folder.")
        .body(&LOOSE)
        .returns::<ImportCounts>()
        .slow(),
    Route::post("/api/import/loose-arcade", Handler::Write(import_loose_arcade))
        .about("imports", "Adds the loose arcade archives of a folder.")
        .body(&LOOSE)
        .returns::<ImportCounts>()
        .slow(),
    Route::post("/api/import/arcade", Handler::Write(import_arcade))
        .about("imports", "Adds the arcade sets of a folder, named by a catalog.")
        .body(&ARCADE)
        .returns::<ArcadeCounts>()
        .slow()
        .v1(),
    Route::post("/api/import/engine-library", Handler::Write(import_engine))
        .about("imports", "Adds the games of the adventure engine.")
        .returns::<ImportCounts>()
        .slow()
        .v1(),
    Route::post("/api/import/emu-library-1", Handler::Write(import_disc_titles))
        .about("imports", "Adds the titles the first console emulator has installed.")
        .returns::<ImportCounts>()
        .slow()
        .v1(),
    Route::post("/api/import/emu-library-2", Handler::Write(import_app_titles))
        .about("imports", "Adds the titles the second console emulator has installed.")
        .returns::<ImportCounts>()
        .slow()
        .v1(),
    Route::get("/api/import/folders", Handler::Read(list_places))
        .about("imports", "Lists the usual folders for games that exist and are not empty.")
        .returns::<FolderList>()
        .slow(),
    Route::get("/api/import/exclusions", Handler::Read(list_exclusions))
        .about("imports", "Lists the games that are never imported.")
        .returns::<ExclusionList>(),
    Route::post("/api/import/exclusions", Handler::Write(add_exclusion))
        .about("imports", "Excludes a game from imports.")
        .body(&EXCLUSION)
        .returns::<ExclusionAdded>(),
    Route::post("/api/import/exclusions/delete", Handler::Write(remove_exclusion))
        .about("imports", "Allows imports of a game again.")
        .body(&EXCLUSION)
        .returns::<ExclusionRemoved>(),
];

schema! {
    /// Games of a source were imported.
    pub(super) struct ImportCounts {
        /// Games that are new.
        added: usize,
        /// Games that the source has.
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
    }

    /// `GET /api/import/folders`.
    struct FolderList {
        /// Absolute.
        folders: Vec<String>,
        /// Lists of other launchers.
        launchers: Vec<LauncherList>,
    }

    /// The list of another launcher, a source of a preview of the type `launcher`.
    struct LauncherList {
        /// The name of the launcher.
        name: &'static str,
        /// Absolute.
        path: String,
    }

    /// Arcade sets were imported.
    struct ArcadeCounts {
        /// Games that are new.
        added: usize,
        /// Games that the folder has.
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
        /// How many sets there are of each kind.
        sets: BTreeMap<&'static str, usize>,
    }

    /// `GET /api/import/exclusions`.
    struct ExclusionList {
        exclusions: Vec<Exclusion>,
    }

    /// An exclusion was added.
    struct ExclusionAdded {
        exclusion: Exclusion,
    }

    /// An exclusion was removed.
    struct ExclusionRemoved {
        /// How many there were of it.
        count: usize,
        removed: bool,
    }
}

fn import_console(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let root = folder_of(writer.shared, call, "Xbox 360 folder does not exist.")?;
    let games = loose::console(&Disk, &root, call.optional_text("command")?);
    counts(import_games(writer, "console-x", &games)?)
}

fn import_loose_arcade(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let root = folder_of(writer.shared, call, "Arcade folder does not exist.")?;
    let games = loose::arcade(&Disk, &root, call.optional_text("command")?);
    counts(import_games(writer, "loose-arcade", &games)?)
}

fn import_arcade(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let root = folder_of(writer.shared, call, "The arcade ROM folder does not exist.")?;
    let family = Family::named(call.optional_text("source")?);
    let dat = Some(call.optional_text("dat")?).filter(|dat| !dat.is_empty());
    let dat = dat.map(|dat| folder::expand_home(dat, writer.shared.environment.home()));
    // A blank command is refused; one that is missing is that of the emulator.
    let blank = call.optional_text("command")?;
    let wanted = call.given("command").map(|_| blank);
    if let Some(dat) = &dat {
        arcade::check_dat(dat)?;
    }
    let command = arcade::command(family, wanted, &root)?;
    let catalog = arcade::catalog(writer.files, &Disk, family, dat.as_deref(), &root)?;
    let found = arcade::games(&Disk, &root, &catalog, family, &command);
    let count = |kind: SetType| found.iter().filter(|(_, found)| *found == kind).count();
    let sets = SetType::ALL.into_iter().map(|kind| (kind.name(), count(kind))).collect();
    let games: Vec<Incoming> = found.into_iter().map(|(game, _)| game).collect();
    let merged = import_games(writer, "arcade", &games)?;
    let Merged { added, found, import_batch_id, .. } = merged;
    ok(&ArcadeCounts { added: added.len(), found, import_batch_id, sets })
}

fn import_engine(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let games = installed::engine(&Disk, home(writer.shared), &installed::engine_program());
    counts(import_games(writer, "engine-library", &games)?)
}

fn import_disc_titles(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let games = installed::disc_titles(&Disk, home(writer.shared), &installed::disc_program());
    counts(import_games(writer, "emu-library-1", &games)?)
}

fn import_app_titles(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let games = installed::app_titles(&Disk, home(writer.shared));
    counts(import_games(writer, "emu-library-2", &games)?)
}

fn list_places(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let found = places::usual(home(reader.shared), Path::new("/run/media"));
    let folders = found.iter().filter_map(|place| place.to_str().map(str::to_owned)).collect();
    let lists = installed_lists::usual(home(reader.shared)).into_iter();
    let lists = lists
        .filter_map(|(name, path)| Some(LauncherList { name, path: path.to_str()?.to_owned() }));
    ok(&FolderList { folders, launchers: lists.collect() })
}

fn list_exclusions(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&ExclusionList { exclusions: exclusions::list(&reader.state) })
}

fn add_exclusion(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let exclusion = Exclusion::read(&call.body)?;
    exclusions::add_exclusion(writer.store, &exclusion)?;
    ok(&ExclusionAdded { exclusion })
}

fn remove_exclusion(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let exclusion = Exclusion::read(&call.body)?;
    let (removed, count) = exclusions::remove_exclusion(writer.store, &exclusion)?;
    ok(&ExclusionRemoved { count, removed })
}

/// The folder of a request without links; anything that is not a folder is refused in these words.
fn folder_of(shared: &Shared, call: &Call<'_>, refusal: &str) -> Result<String, ApiError> {
    let wanted = call.text("folder");
    let path = folder::expand_home(wanted, shared.environment.home());
    let real = folder::real_folder(&path).filter(|_| !wanted.is_empty());
    let real = real.and_then(|real| real.into_os_string().into_string().ok());
    real.ok_or_else(|| ApiError::bad(refusal))
}

/// Merges games of one source into the library.
pub(super) fn import_games(
    writer: &Writer<'_>,
    source: &str,
    games: &[Incoming],
) -> Result<Merged, ApiError> {
    Ok(merge::import_from(source, writer.store, games, &Moment::now())?)
}

pub(super) fn counts(merged: Merged) -> Answer {
    let Merged { added, found, import_batch_id, .. } = merged;
    ok(&ImportCounts { added: added.len(), found, import_batch_id })
}

pub(super) fn home(shared: &Shared) -> &Path {
    shared.environment.home().unwrap_or(Path::new("/"))
}
