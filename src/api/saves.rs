//! `/api/saves`: save paths, archives of saves, and their history.

use std::collections::BTreeMap;

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::{FilePath, Queued},
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    backup::watch::Unwatched,
    base::schema::schema,
    config::settings::read,
    model::State,
    saves::{
        configure,
        discover::{self, Candidate},
        error::SaveError,
        folder::{Label, Listed},
        job::{submit_prune, submit_restore},
        proof::{Proof, Version},
        subject::Subject,
    },
};

const BACKUP: Param = required("backup", Holds::Text, "The name of the archive.");
const OF_GAME: [Param; 3] = [GAME_REF[0], GAME_REF[1], BACKUP];
const ADD: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    required("path", Holds::Text, "The path, absolute; `~` is the home."),
];
const PRUNE: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    optional(
        "keep",
        Holds::Integer { min: 0, max: i64::MAX },
        "How many archives remain, 0 keeps all; the setting by default.",
    ),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/saves", Handler::Read(list_backups))
        .about("saves", "The archives of a game's saves, newest first.")
        .query(&GAME_REF)
        .returns::<SaveArchives>()
        .codes(&[Code::GameNotFound])
        .v1(),
    Route::get("/api/saves/discover", Handler::Read(discover_paths))
        .about("saves", "Save paths of a game that are on the disk and not configured.")
        .query(&GAME_REF)
        .returns::<SaveCandidates>()
        .codes(&[Code::GameNotFound])
        .slow(),
    Route::get("/api/saves/scan", Handler::Read(show_scan))
        .about("saves", "Save paths of all games that are on the disk and not configured.")
        .returns::<SaveScan>()
        .slow(),
    Route::post("/api/saves/scan", Handler::Write(scan_paths))
        .about("saves", "Save paths of all games that are on the disk and not configured.")
        .returns::<SaveScan>()
        .slow(),
    Route::post("/api/saves/scan/apply", Handler::Write(apply_scan))
        .about(
            "saves",
            "Configures the paths that a scan finds, except folders that many games share.",
        )
        .returns::<SavesApplied>()
        .slow()
        .v1(),
    Route::post("/api/saves/backup", Handler::Write(back_up_saves))
        .about("saves", "Archives the saves of a game.")
        .body(&GAME_REF)
        .returns::<SavesArchived>()
        .slow(),
    Route::post("/api/saves/restore", Handler::Write(restore_saves))
        .about("saves", "Restores saves from an archive; the present ones are archived first.")
        .body(&OF_GAME)
        .returns::<SavesRestored>()
        .slow(),
    Route::post("/api/saves/add", Handler::Write(add_path))
        .about("saves", "Adds a save path to a game.")
        .body(&ADD)
        .returns::<FilePath<'_>>(),
    Route::get("/api/v2/saves/history", Handler::Read(list_versions))
        .about("saves", "The versions of a game's saves, newest first, with time and reason.")
        .since("1.14.0")
        .query(&GAME_REF)
        .returns::<SaveHistory>()
        .codes(&[Code::GameNotFound]),
    Route::post("/api/v2/saves/history/verify", Handler::Write(verify_backup))
        .about("saves", "Verifies an archive of saves by reading all of it.")
        .since("1.14.0")
        .body(&OF_GAME)
        .returns::<Proof>()
        .codes(&[Code::NotFound, Code::SaveBackupInvalid])
        .slow(),
    Route::post("/api/v2/saves/history/test-restore", Handler::Write(test_restore))
        .about("saves", "Tests an archive of saves by unpacking it into a scratch folder.")
        .since("1.14.0")
        .body(&OF_GAME)
        .returns::<Proof>()
        .codes(&[Code::NotFound, Code::SaveBackupInvalid])
        .slow(),
    Route::post("/api/v2/saves/history/restore", Handler::Write(restore_version))
        .about("saves", "Restores saves from an archive.")
        .since("1.14.0")
        .body(&OF_GAME)
        .returns::<Queued>()
        .accepts()
        .codes(&[Code::NotFound]),
    Route::post("/api/v2/saves/history/prune", Handler::Write(prune_versions))
        .about("saves", "Removes the oldest archives of a game's saves.")
        .since("1.14.0")
        .body(&PRUNE)
        .returns::<Queued>()
        .accepts(),
];

/// The game of a query.
///
/// # Errors
/// 404 when there is none.
pub(super) fn queried(reader: &Reader<'_>, call: &Call<'_>) -> Result<Subject, ApiError> {
    let found = call.queried_game().and_then(|game| Some(game.find(&reader.state.games)?.1));
    found.map(|game| Subject::of(game)).ok_or_else(|| ApiError::of(Code::GameNotFound))
}

/// The game of a body.
///
/// # Errors
/// 400 when none is named or there is no such game.
pub(super) fn named(writer: &Writer<'_>, call: &Call<'_>) -> Result<Subject, ApiError> {
    let game = call.required_game()?;
    Ok(writer.shared.saves.subject(&game)?)
}

schema! {
    /// `GET /api/saves`.
    struct SaveArchives {
        backups: Vec<Listed>,
    }

    /// `GET /api/saves/discover`.
    struct SaveCandidates {
        candidates: Vec<Candidate>,
    }

    /// `/api/saves/scan`.
    struct SaveScan {
        /// Paths by stable id.
        games: BTreeMap<String, Vec<String>>,
        /// How many games.
        count: usize,
    }

    /// `POST /api/saves/scan/apply`.
    struct SavesApplied {
        /// Games that got a path.
        updated: usize,
        /// Games for which something was found.
        games: usize,
    }

    /// `POST /api/saves/backup`.
    struct SavesArchived {
        /// The name of the archive.
        backup: String,
        /// How many older ones made room for it.
        trimmed: usize,
    }

    /// Saves were restored.
    struct SavesRestored {
        restored: String,
    }

    /// `GET /api/v2/saves/history`.
    struct SaveHistory {
        game_id: String,
        /// How many archives remain; 0 keeps all.
        keep: i64,
        /// Newest first.
        versions: Vec<Version>,
    }
}

fn list_backups(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    ok(&SaveArchives { backups: reader.shared.saves.list(&queried(reader, call)?)? })
}

fn discover_paths(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = queried(reader, call)?;
    let candidates = discover::Finder::new(reader.shared.saves.home()).candidates(&game);
    reader.shared.library.probes().forget_saves();
    ok(&SaveCandidates { candidates })
}

fn show_scan(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    scanned(reader.shared, &reader.state)
}

fn scan_paths(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    scanned(writer.shared, &state)
}

fn scanned(shared: &Shared, state: &State) -> Answer {
    let found = discover::scan(shared.saves.home(), state);
    shared.library.probes().forget_saves();
    let paths = |list: Vec<Candidate>| -> Vec<String> {
        list.into_iter().map(|candidate| candidate.path).collect()
    };
    let count = found.len();
    let games = found.into_iter().map(|(id, list)| (id, paths(list))).collect();
    ok(&SaveScan { games, count })
}

fn apply_scan(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let applied = configure::scan_and_add(writer.store, writer.shared.saves.home())?;
    writer.shared.library.probes().forget_saves();
    ok(&SavesApplied { updated: applied.updated, games: applied.games })
}

fn back_up_saves(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = named(writer, call)?;
    let made = writer.shared.saves.back_up(&game, Label::Manual, &Unwatched)?;
    ok(&SavesArchived { backup: made.name, trimmed: made.trimmed })
}

fn restore_saves(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = named(writer, call)?;
    let restored = writer.shared.saves.restore(&game, call.text("backup"), &Unwatched)?;
    ok(&SavesRestored { restored })
}

fn add_path(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_game()?;
    let home = writer.shared.saves.home();
    let path = configure::add_existing(writer.store, &game, call.text("path"), home)?;
    ok(&FilePath { path: &path })
}

fn list_versions(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = queried(reader, call)?;
    let keep = read::integer(reader.state.settings(), "save_backup_limit");
    let versions = reader.shared.saves.history(&game)?;
    ok(&SaveHistory { game_id: game.id, keep, versions })
}

/// The archive a body names, of the game it names.
fn version<'a>(writer: &Writer<'_>, call: &'a Call<'_>) -> Result<(Subject, &'a str), ApiError> {
    let game = named(writer, call)?;
    Ok((game, call.required("backup")?))
}

/// An error of the history: an archive that is not there is 404, one that cannot be used has a code.
fn history_error(error: SaveError) -> ApiError {
    match &error {
        SaveError::NotFound => ApiError::new(Code::NotFound, error.to_string()),
        bad if bad.is_bad_archive() => ApiError::new(Code::SaveBackupInvalid, bad.to_string()),
        _ => error.into(),
    }
}

fn verify_backup(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (game, backup) = version(writer, call)?;
    ok(&writer.shared.saves.verify(&game, backup, &Unwatched).map_err(history_error)?)
}

fn test_restore(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (game, backup) = version(writer, call)?;
    ok(&writer.shared.saves.test_restore(&game, backup, &Unwatched).map_err(history_error)?)
}

fn restore_version(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (game, backup) = version(writer, call)?;
    let found = writer.shared.saves.find(&game, backup).map_err(history_error)?;
    let job = submit_restore(&writer.shared.jobs, &game.id, &found)?;
    accepted(&Queued::of(job.job_id))
}

fn prune_versions(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = named(writer, call)?;
    let keep = match call.count_if_given("keep")? {
        None => writer.shared.saves.kept()?,
        Some(keep) => keep,
    };
    let job = submit_prune(&writer.shared.jobs, &game.id, keep)?;
    accepted(&Queued::of(job.job_id))
}
