//! `/api/v2/library/health/*`: the health of the library, its problems, and repairing them.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{Handler, Holds, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    care::health::{
        fix::Fix,
        job,
        plan::{FixPlan, FixRequest, Repair},
        selection::{FixError, Selection, read_dimension},
        service::IssuePage,
        snapshot::HealthReport,
        undo::Undoable,
    },
    hygiene,
    model::State,
};

/// The rows of this family. Most ask the disk about every game, so they are slow.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/library/health", Handler::Read(show_health))
        .about("library", "The last score of the library; checks no game.")
        .since("1.14")
        .returns::<HealthReport>()
        .slow(),
    Route::post("/api/v2/library/health/scan", Handler::Write(scan_library))
        .about("library", "Checks every game and recalculates the score.")
        .since("1.14")
        .returns::<Queued>()
        .accepts(),
    Route::get("/api/v2/library/health/issues", Handler::Read(list_issues))
        .about("library", "The findings that lower the score, in library order.")
        .since("1.14")
        .query(&[
            optional("dimension", Holds::Text, "Only findings of this part of the score."),
            optional("limit", Holds::Integer { min: 1, max: 500 }, "50 when missing.")
                .or(50)
                .clamped()
                .refusal("limit must be an integer."),
            optional("offset", Holds::Integer { min: 0, max: i64::MAX }, "How many are skipped.")
                .or(0)
                .clamped()
                .refusal("offset must be an integer."),
        ])
        .returns::<IssuePage>()
        .slow(),
    Route::post("/api/v2/library/health/fix", Handler::Write(fix_library))
        .about("library", "Previews the repair of findings, or repairs them as previewed.")
        .since("1.14")
        .body(&[
            required("dimension", Holds::Text, "The findings to repair."),
            optional(
                "issue_ids",
                Holds::List,
                "Positions or stable ids of games, or `all`, the default.",
            ),
            optional("dry_run", Holds::Flag, "Only previews."),
            optional("base_token", Holds::Text, "The token of the preview; needed to repair."),
            optional("folder", Holds::Text, "Where to look for missing files, absolute."),
        ])
        .returns::<FixReply>()
        .codes(&[Code::ArtgridUnconfigured])
        .slow(),
    Route::post("/api/v2/library/health/undo", Handler::Write(undo_fix))
        .about("library", "Undoes a repair.")
        .since("1.14")
        .body(&[required("fix_id", Holds::Text, "Its id.")])
        .returns::<UndoReply>()
        .slow(),
];

schema! {
    /// A preview of a repair, or what was done.
    #[derive(Default)]
    struct FixReply {
        /// Whether nothing was done.
        dry_run: bool,
        /// What is repaired.
        dimension: &'static str,
        /// Of a preview: how many findings that are.
        #[serde(skip_serializing_if = "Option::is_none")]
        issue_count: Option<usize>,
        /// Of a preview: its token.
        #[serde(skip_serializing_if = "Option::is_none")]
        base_token: Option<String>,
        /// Of a preview: how.
        #[serde(skip_serializing_if = "Option::is_none")]
        plan: Option<Value>,
        /// Of a repair: its id.
        #[serde(skip_serializing_if = "Option::is_none")]
        fix_id: Option<String>,
        /// Of a repair: what was done.
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<Value>,
        /// Of a repair: how it is undone.
        #[serde(skip_serializing_if = "Option::is_none")]
        undo: Option<FixUndo>,
        /// Of what the user repairs: where.
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<&'static str>,
        /// Of what the user repairs: what has to be done.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<&'static str>,
        /// Of what the user repairs: always false.
        #[serde(skip_serializing_if = "Option::is_none")]
        executed: Option<bool>,
    }

    /// How a repair is undone.
    struct FixUndo {
        /// `trash`, `field_restore` or `artwork_doctor`.
        kind: &'static str,
        fix_id: String,
    }

    /// A repair was undone, or cannot be yet.
    #[derive(Default)]
    struct UndoReply {
        /// Whether it was undone.
        undone: bool,
        fix_id: String,
        /// How many games, fields or pictures are what they were.
        #[serde(skip_serializing_if = "Option::is_none")]
        restored: Option<usize>,
        /// What to do first.
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<&'static str>,
        /// Why it cannot be undone yet.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<&'static str>,
    }
}

fn show_health(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.health.report(&reader.state))
}

fn scan_library(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    accepted(&Queued::of(job::submit(&writer.shared.jobs)?.job_id))
}

fn list_issues(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let dimension = call.query_text("dimension");
    let dimension = dimension.as_deref().map(read_dimension).transpose()?;
    let (limit, offset) = (call.count("limit")?, call.count("offset")?);
    ok(&reader.shared.health.page(&reader.state, dimension, limit, offset))
}

fn fix_library(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let dimension = read_dimension(call.text("dimension"))?;
    let selection = Selection::read(call.key("issue_ids"))?;
    let dry_run = call.flag("dry_run")?;
    let (shared, state) = (writer.shared, writer.store.snapshot()?);
    let home = shared.environment.home().unwrap_or(Path::new("/"));
    let request = FixRequest { dimension, selection, folder: call.key("folder"), home };
    let plan = shared.health.plan(&state, &request)?;
    if dry_run {
        return ok(&FixReply {
            dry_run: true,
            dimension: dimension.name(),
            issue_count: Some(plan.issue_count),
            base_token: Some(shared.library.base_token(&state)),
            plan: Some(plan.shown(&state)),
            executed: matches!(plan.repair, Repair::ByHand { .. }).then_some(false),
            ..FixReply::default()
        });
    }
    let token = call.text("base_token");
    let is_current = |state: &State| shared.library.base_token(state) == token;
    if !token.is_empty() && !is_current(&state) {
        return Err(FixError::Stale.into());
    }
    if let Repair::ByHand { action, detail, .. } = plan.repair {
        return ok(&FixReply {
            dimension: dimension.name(),
            action: Some(action),
            detail: Some(detail),
            executed: Some(false),
            plan: Some(plan.shown(&state)),
            ..FixReply::default()
        });
    }
    if token.is_empty() {
        return Err(FixError::NoPreview.into());
    }
    let fix = match &plan.repair {
        Repair::Pictures { game_ids, fields } => fetch_pictures(writer, &plan, game_ids, fields)?,
        _ => shared.health.carry_out(&plan, &is_current, &Moment::now())?,
    };
    ok(&FixReply {
        dimension: dimension.name(),
        undo: Some(FixUndo { kind: fix.undo_kind(), fix_id: fix.fix_id.clone() }),
        fix_id: Some(fix.fix_id),
        summary: Some(fix.summary),
        ..FixReply::default()
    })
}

fn undo_fix(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let fix_id = call.text("fix_id");
    if fix_id.is_empty() {
        return Err(FixError::NoFixId.into());
    }
    let (shared, health) = (writer.shared, &writer.shared.health);
    let fix_id = fix_id.to_owned();
    match health.find_fix(&fix_id)?? {
        Undoable::Here => {
            let restored = Some(health.undo(&fix_id, &Moment::now())?);
            ok(&UndoReply { undone: true, fix_id, restored, ..UndoReply::default() })
        }
        Undoable::Pictures(job_id) => {
            let job = shared.jobs.find(&job_id).unwrap_or(json!(null));
            let Some(batch) = job["result"]["batch_id"].as_str().filter(|batch| !batch.is_empty())
            else {
                return ok(&UndoReply {
                    fix_id,
                    action: Some("wait_for_job"),
                    detail: Some(
                        "The pictures are still being fetched, or none was. Try again later.",
                    ),
                    ..UndoReply::default()
                });
            };
            let restored = Some(put_pictures_back(writer, batch)?);
            health.note_undone(&fix_id)?;
            ok(&UndoReply { undone: true, fix_id, restored, ..UndoReply::default() })
        }
    }
}

/// Pictures that one job fetches at most.
const PICTURES: usize = 200;

/// Starts a job that fetches the pictures that games lack.
fn fetch_pictures(
    writer: &Writer<'_>,
    plan: &FixPlan,
    game_ids: &[String],
    fields: &[&'static str],
) -> Result<Fix, ApiError> {
    // No games would mean all of them.
    if game_ids.is_empty() {
        return Err(FixError::NothingToFix.into());
    }
    let (fields, issues) = (json!(fields), json!(["missing_cover"]));
    let request = hygiene::fix::Request {
        game_ids: game_ids.iter().map(String::as_str).collect(),
        fields: Some(&fields),
        issues: Some(&issues),
        findings: None,
        limit: PICTURES,
    };
    let shared = writer.shared;
    let job = shared.hygiene.submit_fix(&shared.jobs, &request)?;
    Ok(shared.health.note_pictures(plan, &job.job_id, game_ids.len(), &Moment::now())?)
}

/// Restores what a job replaced; returns the number of pictures.
fn put_pictures_back(writer: &Writer<'_>, batch: &str) -> Result<usize, ApiError> {
    let counts = writer.shared.hygiene.undo(Some(batch))?.counts;
    Ok(counts.restored + counts.removed)
}
