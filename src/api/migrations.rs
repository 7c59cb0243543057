//! `/api/v2/import/frontend`, `/api/v2/import/legacy` and `/api/v2/media/local/*`: libraries and pictures of
//! other programs.

use std::path::Path;

use serde::Serialize;

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    media::queue,
    migrations::{
        error::MigrationError,
        frontend::FRONTEND,
        import::{FrontendPreview, LegacyPreview, Outcome},
        legacy::LEGACY,
        list::{List, ListKind, Target},
        local_media::{LocalMediaError, LocalMediaItems, LocalMediaPlan},
    },
    model::State,
};

const XML: Param =
    optional("xml_path", Holds::Text, "The list, or of a front end a folder of lists, absolute.");
const LIST: Param = optional("gamelist", Holds::Text, "Another name of `xml_path`.");
const OPTIONS: Param =
    optional("options", Holds::Object, "path_mappings, overwrite_fields, copy_media and others.");
const PLAN: Param =
    optional("plan", Holds::Object, "The plan of the preview; its long lists may be left out.");
const TOKEN: Param = optional("preview_token", Holds::Text, "The token of the preview.");
const PREVIEW: [Param; 3] = [XML, LIST, OPTIONS];
const APPLY: [Param; 5] = [XML, LIST, PLAN, TOKEN, OPTIONS];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/import/frontend/preview", Handler::Write(preview_frontend))
        .about("imports", "Previews the import of the list of a front end.")
        .since("1.11.0")
        .body(&PREVIEW)
        .returns::<FrontendPreview>()
        .codes(&[Code::FrontendImportInvalidSource])
        .slow(),
    Route::post("/api/v2/import/frontend/apply", Handler::Write(apply_frontend))
        .about("imports", "Imports the list of a front end.")
        .since("1.11.0")
        .body(&APPLY)
        .returns::<FrontendApplied>()
        .codes(&[
            Code::FrontendImportInvalidSource,
            Code::FrontendImportInvalidPlan,
            Code::FrontendImportStalePlan,
        ])
        .slow(),
    Route::post("/api/v2/import/legacy/preview", Handler::Write(preview_legacy))
        .about("imports", "Previews the import of the library of an older launcher.")
        .since("1.10.0")
        .body(&PREVIEW)
        .returns::<LegacyPreview>()
        .codes(&[Code::LegacyImportInvalidSource])
        .slow(),
    Route::post("/api/v2/import/legacy/apply", Handler::Write(apply_legacy))
        .about("imports", "Imports the library of an older launcher.")
        .since("1.10.0")
        .body(&APPLY)
        .returns::<LegacyApplied>()
        .codes(&[
            Code::LegacyImportInvalidSource,
            Code::LegacyImportInvalidPlan,
            Code::LegacyImportStalePlan,
        ])
        .slow(),
    Route::post("/api/v2/media/local/preview", Handler::Write(preview_media))
        .about("media", "Searches this machine for pictures and videos of games from other programs, as a job whose \
            result names a plan; changes nothing.")
        .body(&[optional(
            "folders",
            Holds::List,
            "Where to look, at most 50 absolute folders; without it where programs usually keep them, and \
             beside the games.",
        )])
        .returns::<Queued>()
        .accepts()
        .slow(),
    Route::get("/api/v2/media/local/plan", Handler::Read(show_media_plan))
        .about("media", "What a job of `/api/v2/media/local/preview` found.")
        .query(&[PLAN_ID])
        .returns::<LocalMediaPlan>()
        .codes(&[Code::PreviewStale])
        .slow(),
    Route::get("/api/v2/media/local/items", Handler::Read(list_media))
        .about("media", "A page of the changes in a plan of `/api/v2/media/local/preview`.")
        .query(&[
            PLAN_ID,
            optional("offset", Holds::Integer { min: 0, max: 4_294_967_295 }, "Where it begins."),
            optional("limit", Holds::Integer { min: 1, max: 200 }, "How many at most.").or(50),
        ])
        .returns::<LocalMediaItems>()
        .codes(&[Code::PreviewStale])
        .slow(),
    Route::post("/api/v2/media/local/apply", Handler::Write(apply_media))
        .about("media", "Fills empty fields of games with the files of a plan, as a job and a pass.")
        .body(&[PLAN_ID])
        .returns::<Queued>()
        .accepts()
        .codes(&[Code::PreviewStale])
        .slow(),
];

const PLAN_ID: Param = required("plan_id", Holds::Text, "The plan of the preview.");

impl From<LocalMediaError> for ApiError {
    fn from(error: LocalMediaError) -> Self {
        match error {
            LocalMediaError::Job(error) => error.into(),
            LocalMediaError::Unavailable(error) => error.into(),
            LocalMediaError::Stale => Self::new(Code::PreviewStale, error.to_string()),
            own => Self::bad(own.to_string()),
        }
    }
}

fn preview_media(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (shared, folders) = (writer.shared, call.texts("folders")?);
    let job = shared.local_media.preview(&shared.jobs, folders.as_deref())?;
    accepted(&Queued::of(job.job_id))
}

fn show_media_plan(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    ok(&reader.shared.local_media.plan(&call.required_query("plan_id")?)?)
}

fn list_media(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let (offset, limit) = (call.count("offset")?, call.count("limit")?);
    let plan_id = call.required_query("plan_id")?;
    ok(&reader.shared.local_media.page(&plan_id, offset, limit)?)
}

fn apply_media(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let job = shared.local_media.submit(&shared.jobs, call.text("plan_id"))?;
    accepted(&Queued::of(job.job_id))
}

schema! {
    /// The list of a front end was imported.
    struct FrontendApplied {
        added: usize,
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
        merged: usize,
    }

    /// The library of an older launcher was imported.
    struct LegacyApplied {
        added: usize,
        excluded: usize,
        found: usize,
        /// The id of the import, where it added or changed anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        import_batch_id: Option<String>,
        merged: usize,
        skipped: usize,
    }
}

/// The codes of a kind of list: its source, its plan, a stale plan.
type Codes = [Code; 3];

const FRONTEND_CODES: Codes = [
    Code::FrontendImportInvalidSource,
    Code::FrontendImportInvalidPlan,
    Code::FrontendImportStalePlan,
];
const LEGACY_CODES: Codes =
    [Code::LegacyImportInvalidSource, Code::LegacyImportInvalidPlan, Code::LegacyImportStalePlan];

fn api_error(error: MigrationError, [source, plan, stale]: Codes) -> ApiError {
    let text = error.to_string();
    match error {
        MigrationError::Unavailable(error) => error.into(),
        MigrationError::NoPath | MigrationError::Options(_) => ApiError::bad(text),
        MigrationError::Source(_) | MigrationError::Broken(_) | MigrationError::TooMuch => {
            ApiError::new(source, text)
        }
        MigrationError::Plan => ApiError::new(plan, text),
        MigrationError::Stale => ApiError::new(stale, text),
        MigrationError::Disk(error) => {
            log::warn!("{error}");
            ApiError::bad(text)
        }
    }
}

fn preview<T: Serialize>(
    writer: &Writer<'_>,
    call: &Call<'_>,
    (kind, codes): (ListKind, Codes),
    shown: fn(&List, &State, &Target<'_>) -> Result<T, MigrationError>,
) -> Answer {
    let state = writer.store.snapshot()?;
    let preview = with(writer, |target| {
        let list = List::open(kind, &call.body, target)?;
        shown(&list, &state, target)
    });
    ok(&preview.map_err(|error| api_error(error, codes))?)
}

fn apply(
    writer: &Writer<'_>,
    call: &Call<'_>,
    (kind, codes): (ListKind, Codes),
) -> Result<Outcome, ApiError> {
    let outcome = with(writer, |target| {
        let list = List::open(kind, &call.body, target)?;
        list.apply(&call.body, target, &Moment::now())
    });
    let outcome = outcome.map_err(|error| api_error(error, codes))?;
    queue_media(writer, &outcome.applied.added)?;
    Ok(outcome)
}

/// Fetches the media of new games. A queue that cannot be written does not undo the import.
fn queue_media(writer: &Writer<'_>, game_ids: &[String]) -> Result<(), ApiError> {
    let shared = writer.shared;
    let state = writer.store.snapshot()?;
    if let Err(error) = queue::add(writer.files, &shared.data_dir, &state, game_ids) {
        log::warn!("the media of new games are not queued: {error}");
    }
    Ok(())
}

fn with<T>(writer: &Writer<'_>, work: impl FnOnce(&Target<'_>) -> T) -> T {
    let home = writer.shared.environment.home().unwrap_or(Path::new("/"));
    let roots = writer.shared.library.probes().roots();
    let pictures = writer.shared.data_dir.media().join("own");
    work(&Target { files: writer.files, home, store: writer.store, roots, pictures })
}

fn preview_frontend(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    preview(writer, call, (FRONTEND, FRONTEND_CODES), List::preview)
}

fn apply_frontend(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let outcome = apply(writer, call, (FRONTEND, FRONTEND_CODES))?;
    ok(&FrontendApplied {
        added: outcome.applied.added.len(),
        found: outcome.found,
        import_batch_id: outcome.applied.import_batch_id,
        merged: outcome.applied.merged.len(),
    })
}

fn preview_legacy(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    preview(writer, call, (LEGACY, LEGACY_CODES), List::preview_short)
}

fn apply_legacy(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let outcome = apply(writer, call, (LEGACY, LEGACY_CODES))?;
    ok(&LegacyApplied {
        added: outcome.applied.added.len(),
        excluded: outcome.excluded,
        found: outcome.found,
        import_batch_id: outcome.applied.import_batch_id,
        merged: outcome.applied.merged.len(),
        skipped: outcome.skipped,
    })
}
