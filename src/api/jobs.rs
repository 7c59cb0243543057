//! Routes of the durable jobs: lists, items, cancel, retry, resume.
//!
//! They work while the library cannot be read, because a job has a document of its own.

use std::collections::BTreeMap;

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::Writer,
};
use crate::{
    base::schema::schema,
    jobs::{
        JobError,
        items::Item,
        machine::State,
        runner::Filter,
        shown::{JobDocument, JobOverview},
    },
};

const JOBS_PAGE: i64 = 50;
const JOB_ID: Param = required("job_id", Holds::Text, "Id of the job.");
const CURSOR: &str = "The `next_cursor` of the page before; an unknown one is the start.";

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/jobs", Handler::Open(list_jobs))
        .about("jobs", "The jobs of this run by name, and the last fifty that ended.")
        .returns::<JobOverview>()
        .v1(),
    Route::get("/api/v2/jobs", Handler::Open(list_operations))
        .about("jobs", "Active and recent jobs, newest first.")
        .query(&[
            optional("cursor", Holds::Text, CURSOR),
            optional("limit", Holds::Integer { min: 1, max: 100 }, "Jobs of one page.")
                .or(JOBS_PAGE)
                .clamped(),
            optional("type", Holds::Text, "Only this type."),
            optional("type_filter", Holds::Text, "The same as type."),
            optional("state", Holds::Text, "Only this state."),
            optional("state_filter", Holds::Text, "The same as state."),
            optional("root_job_id", Holds::Text, "Only this chain of retries and resumes."),
            optional("group_by", Holds::Choice(&["root_job_id"]), "Adds the page by chains."),
        ])
        .returns::<JobPage>(),
    Route::get("/api/v2/jobs/items", Handler::Open(list_job_items))
        .about("jobs", "The failed and skipped items of one job.")
        .query(&[
            JOB_ID,
            optional("cursor", Holds::Text, CURSOR),
            optional("limit", Holds::Integer { min: 1, max: 200 }, "Items of one page.")
                .or(JOBS_PAGE)
                .clamped(),
        ])
        .returns::<JobItems>()
        .codes(&[Code::NotFound]),
    Route::post("/api/v2/jobs/cancel", Handler::Open(cancel_job))
        .about("jobs", "Asks a job to stop.")
        .body(&[JOB_ID])
        .returns::<JobCancelled<'_>>()
        .accepts()
        .codes(&[Code::NotFound, Code::JobNotCancellable]),
    Route::post("/api/v2/jobs/retry", Handler::Open(retry_job))
        .about("jobs", "Repeats a failed or interrupted job, as a new one.")
        .body(&[JOB_ID, optional("input", Holds::Object, "Replaces its input.")])
        .returns::<JobRetried<'_>>()
        .accepts()
        .codes(&[Code::NotFound, Code::JobStateConflict]),
    Route::post("/api/v2/jobs/resume", Handler::Open(resume_job))
        .about("jobs", "Continues an interrupted job from its checkpoint, as a new one.")
        .body(&[JOB_ID])
        .returns::<JobResumed<'_>>()
        .accepts()
        .codes(&[Code::NotFound, Code::JobNotResumable, Code::JobStateConflict]),
];

fn list_jobs(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.jobs.overview())
}

fn list_operations(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let text = |name: &str| call.query_text(name);
    let filter = Filter {
        cursor: text("cursor"),
        limit: call.count("limit")?,
        kind: text("type").or_else(|| text("type_filter")),
        state: text("state").or_else(|| text("state_filter")),
        root_job_id: text("root_job_id"),
    };
    let page = writer.shared.jobs.list(&filter);
    let by_root = text("group_by").as_deref() == Some("root_job_id");
    ok(&JobPage {
        cursor: filter.cursor,
        grouped_by_root: by_root.then(|| grouped(&page.jobs)),
        jobs: page.jobs,
        next_cursor: page.next_cursor,
    })
}

schema! {
    /// `GET /api/v2/jobs`.
    struct JobPage {
        /// The cursor of the request.
        cursor: Option<String>,
        /// The jobs of the page by the first job of their chain, the latest change first.
        #[serde(skip_serializing_if = "Option::is_none")]
        grouped_by_root: Option<BTreeMap<String, Vec<JobDocument>>>,
        jobs: Vec<JobDocument>,
        /// The cursor of the next page, when there is one.
        next_cursor: Option<String>,
    }

    /// `GET /api/v2/jobs/items`.
    struct JobItems {
        /// The cursor of the request.
        cursor: Option<String>,
        items: Vec<Item>,
        job_id: String,
        /// The cursor of the next page, when there is one.
        next_cursor: Option<String>,
    }
}

fn grouped(jobs: &[JobDocument]) -> BTreeMap<String, Vec<JobDocument>> {
    let mut groups: BTreeMap<String, Vec<JobDocument>> = BTreeMap::new();
    let mut jobs: Vec<_> = jobs.iter().collect();
    jobs.sort_by(|a, b| b.updated_at.cmp(&a.updated_at));
    for job in jobs {
        groups.entry(job.root_job_id.clone()).or_default().push(job.clone());
    }
    groups
}

fn list_job_items(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let job_id = call.required_query("job_id")?;
    let cursor = call.query_text("cursor");
    let page = writer.shared.jobs.items(&job_id, cursor.as_deref(), call.count("limit")?);
    let page = page.ok_or_else(|| ApiError::new(Code::NotFound, "Job not found."))?;
    ok(&JobItems { cursor, items: page.items, job_id, next_cursor: page.next_cursor })
}

schema! {
    /// A job was asked to stop.
    struct JobCancelled<'a> {
        job_id: &'a str,
        state: &'static str,
        message: &'static str,
    }

    /// A job was begun again.
    struct JobRetried<'a> {
        job_id: String,
        /// The first job of the chain.
        root_job_id: String,
        retry_of: &'a str,
        state: &'static str,
    }

    /// A job goes on as a new one.
    struct JobResumed<'a> {
        job_id: String,
        /// The first job of the chain.
        root_job_id: String,
        resume_of: &'a str,
        state: &'static str,
        message: &'static str,
    }
}

fn cancel_job(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let job_id = call.required("job_id")?;
    writer.shared.jobs.cancel(job_id).map_err(|error| match error {
        JobError::Unknown(id) => {
            ApiError::new(Code::NotFound, format!("Operation {id} was not found."))
        }
        other => other.into(),
    })?;
    // Also where it ends at once: the document of the job shows that.
    let state = State::Cancelling.name();
    accepted(&JobCancelled { job_id, state, message: "Cancellation requested." })
}

fn retry_job(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let job_id = call.required("job_id")?;
    let next = writer.shared.jobs.retry(job_id, call.object("input")?.cloned())?;
    accepted(&JobRetried {
        job_id: next.job_id,
        root_job_id: next.root_job_id,
        retry_of: job_id,
        state: "queued",
    })
}

fn resume_job(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let job_id = call.required("job_id")?;
    let next = writer.shared.jobs.resume(job_id)?;
    accepted(&JobResumed {
        job_id: next.job_id,
        root_job_id: next.root_job_id,
        resume_of: job_id,
        state: "queued",
        message: "Resuming from checkpoint.",
    })
}
