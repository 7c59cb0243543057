//! `/api/save-tools`, `/api/highscores` and `/api/cloud`: outside save tools, arcade scores, the
//! statistics that machines share.

use std::path::Path;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    saves::{named, queried},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    config::settings::read,
    game::path_checks,
    saves::{
        cloud::Synced,
        scores,
        tools::{self, PRIMARY, PrimaryRan, SECONDARY, SecondaryRan, ToolRequest},
    },
};

const NAME: Param = optional("name", Holds::Text, "The name of the game in the tool.");
const FIRST: [Param; 5] = [
    optional("action", Holds::Choice(&["backup", "restore", "backups", "find"]), "What to do."),
    NAME,
    GAME_REF[0],
    GAME_REF[1],
    optional("path", Holds::Text, "The folder of the tool's backups; the setting by default."),
];
const SECOND: [Param; 4] = [
    optional("action", Holds::Choice(&["backup", "restore", "list"]), "What to do."),
    NAME,
    GAME_REF[0],
    GAME_REF[1],
];
const IMPORT: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    required("path", Holds::Text, "The folder of the bundle, absolute."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/save-tools/status", Handler::Read(show_tools))
        .about("saves", "Which save tools are on the search path.")
        .returns::<SaveTools>(),
    Route::post("/api/save-tools/primary", Handler::Write(run_primary))
        .about("saves", "Runs a command of the first save tool.")
        .body(&FIRST)
        .returns::<PrimaryRan>()
        .slow(),
    Route::post("/api/save-tools/secondary", Handler::Write(run_secondary))
        .about("saves", "Runs a command of the second save tool.")
        .body(&SECOND)
        .returns::<SecondaryRan>()
        .slow(),
    Route::get("/api/highscores", Handler::Read(list_scores))
        .about("highscores", "The score files of an arcade game.")
        .query(&GAME_REF)
        .returns::<ScoreList>()
        .codes(&[Code::GameNotFound]),
    Route::post("/api/highscores/export", Handler::Write(export_scores))
        .about("highscores", "Copies the score files of an arcade game into the data directory.")
        .body(&GAME_REF)
        .returns::<scores::Exported>()
        .slow(),
    Route::post("/api/highscores/import", Handler::Write(import_scores))
        .about("highscores", "Restores score files to where the emulator reads them.")
        .body(&IMPORT)
        .returns::<ScoresRestored>()
        .slow(),
    Route::post("/api/cloud/sync", Handler::Write(sync_statistics))
        .about("sharing", "Merges the statistics with those in the cloud folder.")
        .returns::<Synced>()
        .slow(),
];

schema! {
    /// `GET /api/save-tools/status`: which tools are installed.
    struct SaveTools {
        primary: bool,
        secondary: bool,
    }

    /// `GET /api/highscores`.
    struct ScoreList {
        scores: Vec<scores::Score>,
    }

    /// Score files were restored.
    struct ScoresRestored {
        /// Where they are, absolute.
        restored: Vec<String>,
    }
}

fn show_tools(_: &Reader<'_>, _: &Call<'_>) -> Answer {
    let (primary, secondary) = (tools::is_installed(&PRIMARY), tools::is_installed(&SECONDARY));
    ok(&SaveTools { primary, secondary })
}

/// What a body asks a tool to do. A game that is named by its id is known to the tool by its title.
fn request(writer: &Writer<'_>, call: &Call<'_>) -> Result<ToolRequest, ApiError> {
    let action = match call.optional_text("action")? {
        "" => "backup",
        action => action,
    };
    let name = match call.optional_text("name")? {
        "" if call.game().is_some() => named(writer, call)?.name,
        name => name.to_owned(),
    };
    Ok(ToolRequest { action: action.to_owned(), name, path: String::new() })
}

fn run_primary(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let mut request = request(writer, call)?;
    request.path = match call.optional_text("path")? {
        "" => {
            let state = writer.store.snapshot()?;
            read::text(state.settings(), "save_primary_backup_path")
        }
        path => {
            let home = &writer.shared.saves.home().home;
            let expanded = path_checks::absolute(path, home);
            expanded.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or(path.to_owned())
        }
    };
    ok(&tools::run_primary(&request)?)
}

fn run_secondary(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&tools::run_secondary(&request(writer, call)?)?)
}

fn list_scores(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = queried(reader, call)?;
    ok(&ScoreList { scores: reader.shared.saves.scores(&game) })
}

fn export_scores(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = named(writer, call)?;
    ok(&writer.shared.saves.export_scores(&game)?)
}

fn import_scores(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = named(writer, call)?;
    let home = &writer.shared.saves.home().home;
    let path = path_checks::absolute(call.text("path"), home);
    let path = path.as_deref().unwrap_or(Path::new(""));
    ok(&ScoresRestored { restored: writer.shared.saves.import_scores(&game, path)? })
}

fn sync_statistics(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.saves.sync_statistics()?)
}
