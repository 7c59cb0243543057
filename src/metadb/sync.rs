//! Downloading the database: a durable job, and its status.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    archive::{self, ArchiveError},
    build::BuildError,
    database::{Database, MetadbHandle},
};
use crate::{
    base::schema::schema,
    databases::sync::{Archive, ImportError, Syncer},
    feature::Deps,
    jobs::{
        Accepted, Context, JobError, JobRow, Jobs, Kind, Outcome, SameName, Spec, Submission,
        Title,
        kind::{Failure, object},
    },
    model::Cause,
    providers::{METADB, METADB_ARCHIVE, Providers},
    store::Store,
};

/// The name of the job. Matching all games with the database takes turns with it.
pub const JOB: &str = "metadata";

const SPEC: Spec = Spec {
    promotes: true,
    ..Spec::new("metadata.db_sync", &[(JOB, Title::Fixed("Metadata database sync"))])
};

const ARCHIVE: Archive = Archive {
    provider: &METADB,
    base_url: METADB_ARCHIVE,
    path: "/Metadata.zip",
    file: "Metadata.zip",
    // XML is packed to a fifth, and the database is smaller than the XML.
    room: 4,
};

impl From<ArchiveError> for ImportError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Build(BuildError::Stopped) => Self::Stopped,
            // It is written without a journal: what fails is the disk.
            ArchiveError::Build(BuildError::Database(error)) => Self::Disk(error.to_string()),
            error => Self::Damaged(error.to_string()),
        }
    }
}

/// Starts the download or update of the database. An active job is reused.
///
/// # Errors
/// When the job is not accepted.
pub fn submit(jobs: &Jobs) -> Result<Accepted, JobError> {
    let input = serde_json::Map::new();
    jobs.submit(Submission { name: JOB.to_owned(), input, same_name: SameName::Join })
}

/// Downloads and swaps the database, and notifies the library.
struct Work {
    syncer: Syncer<Database>,
    store: Store,
}

/// The kind of work that synchronises the database of this handle.
pub(super) fn kind(deps: &Deps, handle: &Arc<MetadbHandle>, providers: &Arc<Providers>) -> Kind {
    let syncer = Syncer::new(deps, handle, providers, ARCHIVE);
    Kind::new(SPEC, &Arc::new(Work { syncer, store: deps.store.clone() }), run)
}

fn run(Work { syncer, store }: &Work, context: &Context<'_>) -> Outcome {
    let outcome = syncer
        .run(context, |archive, to, facts, watch| Ok(archive::import(archive, to, facts, watch)?));
    if !matches!(outcome, Err(Failure::Stopped)) {
        store.report(Cause::MetadataSynced { done: outcome.is_ok() });
    }
    let made = outcome?;
    let present = |key| syncer.handle.count(key).unwrap_or(0);
    let (games, images) = made
        .map_or_else(|| (present("games"), present("images")), |made| (made.games, made.pictures));
    Ok(object(json!({"games": games, "images": images, "changed": made.is_some()})))
}

schema! {
    /// The work on the metadata database.
    #[derive(Debug, Default, PartialEq)]
    pub struct MetadataJob {
        /// `idle` before there was any, `downloading` while the database is, `running` while games are
        /// matched with it, then `done` or `error`.
        pub state: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub job_id: Option<String>,
        /// The step: `downloading`, `importing`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub phase: Option<String>,
        /// Bytes, or games, so far.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub current: Option<u64>,
        /// Bytes, or games, in all.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub total: Option<u64>,
        /// Games of the database, when it was synchronised.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub games: Option<u64>,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<String>,
        /// Games that got their number, when games were matched.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub matched: Option<u64>,
        /// Games that were checked, when games were matched.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scanned: Option<u64>,
        /// Games that could not be matched for a reason of their own, at most 20.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub errors: Option<Vec<String>>,
    }
}

impl MetadataJob {
    /// What is shown of the last job that downloads the database or matches games with it; `matching` is
    /// the name of the latter.
    pub fn of(jobs: &BTreeMap<String, JobRow>, matching: &str) -> Self {
        let rows = [(jobs.get(JOB), false), (jobs.get(matching), true)];
        let begun =
            |row: &JobRow| row.0.get("created_at").and_then(Value::as_str).map(str::to_owned);
        let rows = rows.into_iter().filter_map(|(row, is_match)| Some((row?, is_match)));
        let newest = rows.max_by_key(|(row, _)| (is_active(row), begun(row)));
        newest.map_or_else(
            || Self { state: "idle", ..Self::default() },
            |(row, is_match)| Self::of_row(row, is_match),
        )
    }

    fn of_row(JobRow(job): &JobRow, is_match: bool) -> Self {
        let text = |key: &str| job.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| job.get(key).and_then(Value::as_u64);
        let error = job.get("error").and_then(|error| error.get("message")?.as_str());
        let state = match text("state").as_deref() {
            Some("queued" | "running" | "cancelling") if is_match => "running",
            Some("queued" | "running" | "cancelling") => "downloading",
            Some("done" | "partial") => "done",
            _ => "error",
        };
        let what = if is_match { "The matching was stopped." } else { "The sync was stopped." };
        let stopped = (state == "error").then(|| what.to_owned());
        let is_active = matches!(state, "downloading" | "running");
        Self {
            state,
            job_id: text("job_id"),
            phase: text("phase").filter(|_| is_active),
            current: number("current"),
            total: number("total"),
            games: number("games"),
            error: error.map(str::to_owned).or(stopped),
            matched: number("matched"),
            scanned: number("scanned"),
            errors: is_match.then(Vec::new).filter(|_| state == "done"),
        }
    }
}

fn is_active(JobRow(job): &JobRow) -> bool {
    let state = job.get("state").and_then(Value::as_str);
    matches!(state, Some("queued" | "running" | "cancelling"))
}
