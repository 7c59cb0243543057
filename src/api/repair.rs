//! `/api/v2/library/repair`: paths that lead nowhere, and finding their files again.

use std::path::Path;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    probed::Probed,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    care::{
        found_files,
        relink::{self, Ambiguous, Applied, Match, Missing, Plan, ROWS, Skipped},
    },
    model::State,
};

const FOLDER: Param = required("folder", Holds::Text, "Where to look for the files, absolute.");
const FIELDS: Param = optional("fields", Holds::List, "Only paths of these fields.");
const MEDIA: Param = optional("include_media", Holds::Flag, "Media too; yes when it is missing.");

/// The rows of this family. All ask the disk about every game, so they are slow.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/library/repair", Handler::Read(list_missing))
        .about("library", "Stored paths whose files are missing.")
        .query(&[optional("media", Holds::Choice(&["0", "1"]), "0 leaves media out.").or(1)])
        .returns::<MissingPaths>()
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/repair/preview", Handler::Write(preview_repair))
        .about("library", "Candidates in a folder for the missing paths; changes nothing.")
        .body(&[FOLDER, FIELDS, MEDIA])
        .returns::<RepairPreview<'_>>()
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/repair/apply", Handler::Write(apply_repair))
        .about("library", "Replaces missing paths with the found files.")
        .body(&[
            FOLDER,
            FIELDS,
            MEDIA,
            optional("selection", Holds::List, "Ids, or pairs of id and field; all without it."),
            required("base_token", Holds::Text, "The token of the preview."),
        ])
        .returns::<Repaired>()
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
    ok(&MissingPaths { count, items, truncated: count > ROWS })
}

/// What a folder has for the missing paths of a state.
struct FolderSearch {
    folder: String,
    scanned: usize,
    candidates: usize,
    plan: Plan,
}

fn look(writer: &Writer<'_>, call: &Call<'_>, state: &State) -> Result<FolderSearch, ApiError> {
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
    Ok(FolderSearch { folder, scanned: files.len(), candidates, plan })
}

fn preview_repair(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    let FolderSearch { folder, scanned, candidates, plan } = look(writer, call, &state)?;
    ok(&RepairPreview {
        ambiguous: first(&plan.ambiguous),
        base_token: writer.shared.library.base_token(&state),
        candidates,
        counts: RepairCounts {
            ambiguous: plan.ambiguous.len(),
            matched: plan.matches.len(),
            unmatched: plan.unmatched.len(),
        },
        folder,
        matches: first(&plan.matches),
        scanned,
        unmatched: first(&plan.unmatched),
    })
}

fn first<T>(rows: &[T]) -> &[T] {
    &rows[..rows.len().min(ROWS)]
}

schema! {
    /// `GET /api/v2/library/repair`.
    struct MissingPaths {
        /// How many there are.
        count: usize,
        /// The first of them.
        items: Vec<Missing>,
        truncated: bool,
    }

    /// The candidates in a folder for missing paths. The lists are shortened, the counts are complete.
    struct RepairPreview<'a> {
        ambiguous: &'a [Ambiguous],
        base_token: String,
        /// Missing paths.
        candidates: usize,
        counts: RepairCounts,
        folder: String,
        matches: &'a [Match],
        /// Files in the folder.
        scanned: usize,
        unmatched: &'a [Missing],
    }

    /// How many missing paths there are of each kind.
    struct RepairCounts {
        ambiguous: usize,
        matched: usize,
        unmatched: usize,
    }

    /// Paths were repaired.
    struct Repaired {
        applied: Vec<Applied>,
        skipped: Vec<Skipped>,
        /// How many.
        updated: usize,
    }
}

fn apply_repair(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let selection = relink::read_selection(call.key("selection"))?;
    let state = writer.store.snapshot()?;
    let token = call.text("base_token");
    let library = &writer.shared.library;
    let FolderSearch { plan, .. } = look(writer, call, &state)?;
    let is_current = |state: &State| library.base_token(state) == token;
    let selection = selection.as_deref();
    let (applied, skipped) =
        relink::apply_plan(writer.store, &state, &plan, selection, &is_current)?;
    ok(&Repaired { updated: applied.len(), applied, skipped })
}
