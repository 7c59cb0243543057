//! Setup: a preview of many sources, decisions, the commit, and the state of the setup.

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    jobs::runner::Filter,
    launch::profiles,
    setup::{
        classify::Group,
        items::{ItemPage, Selection},
        players,
        preview::ShownPreview,
        previews::Begun,
        summary::{self, Facts, Summary},
        systems::FolderPage,
    },
};

const SINCE: &str = "1.10.0";
const PREVIEW_ID: Param = required("preview_id", Holds::Text, "Id of the preview.");
const OPTIONS: Param = optional("options", Holds::Object, "Options of the scan.");
const GROUPS: [&str; 6] =
    ["additions", "merges", "duplicates", "ambiguities", "exclusions", "unsupported"];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/setup/preview", Handler::Write(create_preview))
        .about("setup", "Reads sources of games into a preview; the library does not change.")
        .since(SINCE)
        .body(&[
            required("sources", Holds::List, "Objects with a type and the fields of that type."),
            OPTIONS,
            optional("replaces", Holds::Text, "An earlier preview to be discarded."),
            optional("keep_decisions", Holds::Flag, "Whether its decisions are kept."),
            optional(
                "platforms",
                Holds::Object,
                "Absolute paths of folders to names of platforms, blank to take a choice back; \
                 remembered by the commit.",
            ),
        ])
        .returns::<PreviewBegun>()
        .accepts()
        .codes(&[Code::PreviewLimitExceeded, Code::Conflict]),
    Route::get("/api/v2/setup/preview", Handler::Read(show_preview))
        .about("setup", "The progress of a preview, with its counts.")
        .since(SINCE)
        .query(&[PREVIEW_ID])
        .returns::<ShownPreview>()
        .codes(&[Code::PreviewNotFound, Code::PreviewExpired]),
    Route::get("/api/v2/setup/preview/items", Handler::Read(list_items))
        .about("setup", "The candidates of a preview, page by page.")
        .since(SINCE)
        .query(&[
            PREVIEW_ID,
            optional("cursor", Holds::Text, "The `next_cursor` of the page before."),
            optional("limit", Holds::Integer { min: 1, max: 200 }, "Candidates of one page.")
                .or(50)
                .clamped(),
            optional("group", Holds::Choice(&GROUPS), "Only this group.").refusal("Unknown group."),
            optional(
                "source",
                Holds::Integer { min: 0, max: 10_000 },
                "Only this source, by position.",
            ),
            optional("platform", Holds::Text, "Only this platform; blank for undecided ones."),
        ])
        .returns::<ItemPage>()
        .codes(&[Code::PreviewNotFound, Code::PreviewExpired, Code::PreviewStale])
        .slow(),
    Route::get("/api/v2/setup/preview/folders", Handler::Read(list_folders))
        .about("setup", "The folders that decide platforms, page by page.")
        .since(SINCE)
        .query(&[
            PREVIEW_ID,
            optional("cursor", Holds::Text, "The `next_cursor` of the page before."),
            optional("limit", Holds::Integer { min: 1, max: 200 }, "Folders of one page.")
                .or(50)
                .clamped(),
        ])
        .returns::<FolderPage>()
        .codes(&[Code::PreviewNotFound, Code::PreviewExpired, Code::PreviewStale])
        .slow(),
    Route::post("/api/v2/setup/preview/decisions", Handler::Write(decide))
        .about("setup", "Stores decisions about candidates; all of them or none.")
        .since(SINCE)
        .body(&[PREVIEW_ID, required("items", Holds::List, "1 to 200 decisions.")])
        .returns::<Decided>()
        .codes(&[
            Code::PreviewNotFound,
            Code::PreviewExpired,
            Code::InvalidDecision,
            Code::Conflict,
        ])
        .slow(),
    Route::post("/api/v2/setup/preview/revalidate", Handler::Write(revalidate))
        .about("setup", "Reads sources and library again.")
        .since(SINCE)
        .body(&[PREVIEW_ID])
        .returns::<Revalidated>()
        .accepts()
        .codes(&[Code::PreviewNotFound, Code::PreviewExpired, Code::Conflict]),
    Route::post("/api/v2/setup/commit", Handler::Write(commit_preview))
        .about("setup", "Commits a preview to the library in one step.")
        .since(SINCE)
        .body(&[
            PREVIEW_ID,
            required("revision", Holds::Integer { min: 1, max: i64::MAX }, "Of the preview."),
            required("emulator_choices", Holds::List, "Emulators by candidate; may be empty."),
            OPTIONS,
        ])
        .returns::<SetupCommitted>()
        .accepts()
        .codes(&[
            Code::PreviewNotFound,
            Code::PreviewExpired,
            Code::PreviewStale,
            Code::UnresolvedCandidates,
            Code::EmulatorRequired,
            Code::InvalidDecision,
            Code::Conflict,
        ])
        .slow(),
    Route::get("/api/v2/setup/summary", Handler::Read(summarize))
        .about("setup", "The state of the setup of the library, and the next steps.")
        .since(SINCE)
        .returns::<Summary>()
        .slow(),
];

schema! {
    /// A preview is made by a job.
    struct PreviewBegun {
        preview_id: String,
        /// What cursors and commits are bound to.
        revision: u64,
        job_id: String,
        /// When the preview ends, UTC.
        expires_at: String,
        state: &'static str,
    }

    /// Decisions were taken.
    struct Decided {
        preview_id: String,
        /// How many.
        accepted: usize,
    }

    /// A preview is checked again by a job.
    struct Revalidated {
        preview_id: String,
        revision: u64,
        job_id: String,
        state: &'static str,
    }

    /// A preview becomes a part of the library by a job.
    struct SetupCommitted {
        job_id: String,
        /// The import it makes.
        import_batch_id: String,
        preview_id: String,
        revision: u64,
    }
}

fn create_preview(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let begun = shared.setup.create(&shared.jobs, &call.body, &Moment::now())?;
    let Begun { preview_id, revision, job_id, expires_at, state, .. } = begun;
    accepted(&PreviewBegun { preview_id, revision, job_id, expires_at, state })
}

fn show_preview(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let id = call.query_text("preview_id").unwrap_or_default();
    ok(&shared.setup.show(&shared.jobs, &id, &Moment::now())?)
}

fn list_items(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let id = call.query_text("preview_id").unwrap_or_default();
    let preview = shared.setup.find(&shared.jobs, &id, &Moment::now())?;
    let limit = call.count("limit")?;
    let group = call.choice("group")?;
    let source = call.count_if_given("source")?;
    let platform = call.query("platform").map(|name| name.trim().to_owned());
    let selection = Selection { group: group.and_then(Group::named), source, platform };
    ok(&shared.setup.items(&preview, call.query_text("cursor"), &selection, limit)?)
}

fn list_folders(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let id = call.query_text("preview_id").unwrap_or_default();
    let preview = shared.setup.find(&shared.jobs, &id, &Moment::now())?;
    ok(&shared.setup.folders(&preview, call.query_text("cursor"), call.count("limit")?)?)
}

fn decide(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let (id, accepted) = shared.setup.decide(&shared.jobs, &call.body, &Moment::now())?;
    ok(&Decided { preview_id: id, accepted })
}

fn revalidate(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let begun = shared.setup.revalidate(&shared.jobs, &call.body, &Moment::now())?;
    let Begun { preview_id, revision, job_id, state, .. } = begun;
    accepted(&Revalidated { preview_id, revision, job_id, state })
}

fn commit_preview(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let begun = shared.setup.commit(&shared.jobs, &call.body, &Moment::now())?;
    let Begun { preview_id, revision, job_id, import_batch_id, .. } = begun;
    accepted(&SetupCommitted { job_id, import_batch_id, preview_id, revision })
}

fn summarize(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let (shared, state) = (reader.shared, &reader.state);
    let paths = summary::paths(state);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let there = shared.library.probes().existing(&paths);
    let detector = &shared.setup.detector;
    let catalog = detector.catalog();
    let installed = players::installed(&catalog, |row| detector.command_of(row).is_some());
    let stored = profiles::stored(state);
    let plays = |platform: &str| {
        stored
            .get(platform)
            .and_then(|command| command.as_str())
            .is_some_and(|it| !it.trim().is_empty())
    };
    let active = ["queued", "running", "cancelling"].map(|state| {
        let state = Some(state.to_owned());
        let filter = Filter { state, limit: usize::MAX, ..Filter::default() };
        shared.jobs.list(&filter).jobs.len()
    });
    ok(&summary::summarize(
        state,
        &Facts {
            catalog: &catalog,
            exists: &|path| there.contains(path),
            is_installed: &|id| installed.iter().any(|known| known == id),
            has_profile: &plays,
            active_operations: active.iter().sum(),
        },
    ))
}
