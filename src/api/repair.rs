//! `/api/v2/library/repair`: paths that lead nowhere, and finding their files again.

use std::path::Path;

use serde_json::json;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    probed::Probed,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    care::{
        found_files,
        relink::{self, Plan, ROWS},
    },
    model::state::State,
};

const FOLDER: Param = required("folder", Holds::Text, "Where to look for the files, absolute.");
const FIELDS: Param = optional("fields", Holds::List, "Only paths of these fields.");
const MEDIA: Param = optional("include_media", Holds::Flag, "Media too; yes when it is missing.");

/// The rows of this family. All ask the disk about every game, so they are slow.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/library/repair", Handler::Read(list_missing))
        .about("library", "Stored paths with nothing behind them.")
        .query(&[optional("media", Holds::Choice(&["0", "1"]), "0 leaves media out.").or(1)])
        .reply(&["items", "count", "truncated"])
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/repair/preview", Handler::Write(preview_repair))
        .about("library", "Which files of a folder the missing paths may be; changes nothing.")
        .body(&[FOLDER, FIELDS, MEDIA])
        .reply(&[
            "folder",
            "scanned",
            "candidates",
            "matches",
            "ambiguous",
            "unmatched",
            "counts",
            "base_token",
        ])
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/repair/apply", Handler::Write(apply_repair))
        .about("library", "Puts the found files in the place of missing paths.")
        .body(&[
            FOLDER,
            FIELDS,
            MEDIA,
            optional("selection", Holds::List, "Ids, or pairs of id and field; all without it."),
            required("base_token", Holds::Text, "The token of the preview."),
        ])
        .reply(&["updated", "skipped", "applied"])
        .codes(&[Code::RepairPreviewStale])
        .since("1.14")
        .slow(),
];

fn list_missing(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let fields = relink::read_fields(None, call.switch("media"))?;
    let disk = Probed { shared: reader.shared, state: &reader.state };
    let mut items = relink::missing(&reader.state.games, &fields, &disk);
    let count = items.len();
    items.truncate(ROWS);
    ok(&json!({"items": items, "count": count, "truncated": count > ROWS}))
}

/// What a folder has for the missing paths of a state.
struct Look {
    folder: String,
    scanned: usize,
    candidates: usize,
    plan: Plan,
}

fn look(writer: &Writer<'_>, call: &Call<'_>, state: &State) -> Result<Look, ApiError> {
    let shared = writer.shared;
    let home = shared.environment.home().unwrap_or(Path::new("/"));
    let folder = found_files::read_folder(call.key("folder"), home)?;
    let with_media = call.flag_if_given("include_media")?.unwrap_or(true);
    let fields = relink::read_fields(call.key("fields"), with_media)?;
    let missing = relink::missing(&state.games, &fields, &Probed { shared, state });
    let files = found_files::below(&folder);
    let candidates = missing.len();
    let may_show = |path: &str| shared.library.probes().roots().approve(path).is_ok();
    let plan = relink::plan(missing, &files, &may_show);
    // OK because the path was built from text.
    let folder = folder.to_string_lossy().into_owned();
    Ok(Look { folder, scanned: files.len(), candidates, plan })
}

fn preview_repair(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    let Look { folder, scanned, candidates, plan } = look(writer, call, &state)?;
    let counts = json!({"matched": plan.matches.len(), "ambiguous": plan.ambiguous.len(),
        "unmatched": plan.unmatched.len()});
    ok(&json!({
        "folder": folder,
        "scanned": scanned,
        "candidates": candidates,
        "matches": &plan.matches[..plan.matches.len().min(ROWS)],
        "ambiguous": &plan.ambiguous[..plan.ambiguous.len().min(ROWS)],
        "unmatched": &plan.unmatched[..plan.unmatched.len().min(ROWS)],
        "counts": counts,
        "base_token": writer.shared.library.base_token(&state),
    }))
}

fn apply_repair(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let selection = relink::read_selection(call.key("selection"))?;
    let state = writer.store.snapshot()?;
    let token = call.text("base_token");
    let library = &writer.shared.library;
    let outdated = || ApiError::of(Code::RepairPreviewStale);
    let Look { plan, .. } = look(writer, call, &state)?;
    if library.base_token(&state) != token {
        return Err(outdated());
    }
    let (chosen, mut skipped) = relink::choose(&state.games, &plan, selection.as_deref());
    let applied = writer.store.commit(|draft| {
        // The plan was made outside, because it asks the disk; here it must still be the same library.
        if library.base_token(draft.state()) != token {
            return Err(outdated());
        }
        Ok(relink::apply(draft, &chosen, &mut skipped))
    })?;
    ok(&json!({"updated": applied.len(), "skipped": skipped, "applied": applied}))
}
