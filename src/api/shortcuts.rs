//! `/api/v2/shortcutbridge`: games of the library as shortcuts in the first store's client.

use std::path::{Path, PathBuf};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::Moment,
    process::search,
    shortcuts::file::{Bridge, BridgeStatus, ShortcutPlan},
};

const PATH: Param = optional("path", Holds::Text, "The shortcut file, absolute; found by default.");
const PLAN: [Param; 2] = [
    required("plan", Holds::Object, "The plan of the preview; its long lists may be left out."),
    PATH,
];
const CODES: &[Code] = &[
    Code::ShortcutBridgeInvalidRequest,
    Code::ShortcutBridgePathInvalid,
    Code::ShortcutBridgePlanRequired,
    Code::ShortcutBridgeInvalidPlan,
    Code::ShortcutBridgeTargetRequired,
    Code::ShortcutBridgePreviewStale,
    Code::Conflict,
];
/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/shortcutbridge/status", Handler::Read(show_status))
        .about("shortcuts", "The shortcut file of the store's client, and whose entries it has.")
        .since("1.11.0")
        .returns::<BridgeStatus>(),
    Route::post("/api/v2/shortcutbridge/preview", Handler::Write(preview_shortcuts))
        .about("shortcuts", "Previews adding shortcuts of games.")
        .since("1.11.0")
        .body(&[
            PATH,
            optional("game_ids", Holds::List, "At most 500; the first of the library by default."),
            optional("launcher_exe", Holds::Text, "The program a shortcut starts."),
        ])
        .returns::<ShortcutPlan>()
        .codes(CODES),
    Route::post("/api/v2/shortcutbridge/apply", Handler::Write(apply_shortcuts))
        .about("shortcuts", "Writes the shortcuts of a plan.")
        .since("1.11.0")
        .body(&PLAN)
        .returns::<ShortcutPlan>()
        .codes(CODES)
        .slow(),
    Route::post("/api/v2/shortcutbridge/remove/preview", Handler::Write(preview_removal))
        .about("shortcuts", "Previews removing shortcuts.")
        .since("1.11.0")
        .body(&[
            required("targets", Holds::List, "App ids, names, or objects; one or several."),
            PATH,
        ])
        .returns::<ShortcutPlan>()
        .codes(CODES),
    Route::post("/api/v2/shortcutbridge/remove", Handler::Write(remove_shortcuts))
        .about("shortcuts", "Removes the shortcuts of a plan.")
        .since("1.11.0")
        .body(&PLAN)
        .returns::<ShortcutPlan>()
        .codes(CODES)
        .slow(),
];

/// The program a shortcut starts: the one the environment names, one on the search path, this one.
fn launcher(shared: &Shared) -> PathBuf {
    let named = shared.environment.recorded_executable();
    named
        .or_else(|| search::on_path("service-launcher"))
        .or_else(|| std::env::current_exe().ok())
        .unwrap_or_else(|| PathBuf::from("service-launcher"))
}

fn home(shared: &Shared) -> &Path {
    shared.environment.home().unwrap_or(Path::new("/"))
}

fn bridge<'a>(writer: &Writer<'a>) -> Bridge<'a> {
    let Writer { files, shared, .. } = *writer;
    let (home, launcher) = (home(shared), launcher(shared));
    Bridge { files, data_dir: &shared.data_dir, home, launcher }
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let shared = reader.shared;
    ok(&shared.read_files.shortcuts(&shared.data_dir, home(shared), launcher(shared))?)
}

fn preview_shortcuts(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    ok(&bridge(writer).preview(&state, &call.body)?)
}

fn preview_removal(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    ok(&bridge(writer).preview_removal(&state, &call.body)?)
}

fn apply_shortcuts(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    apply(writer, call, "apply")
}

fn remove_shortcuts(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    apply(writer, call, "remove")
}

fn apply(writer: &Writer<'_>, call: &Call<'_>, operation: &'static str) -> Answer {
    let state = writer.store.snapshot()?;
    ok(&bridge(writer).apply(&state, &call.body, operation, &Moment::now())?)
}
