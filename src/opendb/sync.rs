//! Downloading the database: a durable job.

use std::sync::Arc;

use serde_json::json;

use super::{
    build::{self, BuildError},
    database::{Database, OpendbHandle},
};
use crate::{
    databases::sync::{Archive, ImportError, Syncer},
    feature::Deps,
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::object,
    },
    providers::{OPENDB, OPENDB_ARCHIVE, Providers},
};

/// The name of the job.
const JOB: &str = "opendb";
/// The type of the job.
pub const TYPE: &str = "opendb.sync";
const SPEC: Spec =
    Spec { promotes: true, ..Spec::new(TYPE, &[(JOB, Title::Fixed("Open database sync"))]) };

const ARCHIVE: Archive = Archive {
    provider: &OPENDB,
    base_url: OPENDB_ARCHIVE,
    path: "/zip/refs/heads/master",
    file: "Opendb.zip",
    // Only its lists are kept.
    room: 2,
};

impl From<BuildError> for ImportError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Stopped => Self::Stopped,
            // It is written without a journal: what fails is the disk.
            BuildError::Database(error) => Self::Disk(error.to_string()),
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

/// The kind of work that synchronises the database of this handle.
pub(super) fn kind(deps: &Deps, handle: &Arc<OpendbHandle>, providers: &Arc<Providers>) -> Kind {
    Kind::new(SPEC, &Arc::new(Syncer::new(deps, handle, providers, ARCHIVE)), run)
}

fn run(syncer: &Syncer<Database>, context: &Context<'_>) -> Outcome {
    let made = syncer
        .run(context, |archive, to, facts, watch| Ok(build::import(archive, to, facts, watch)?))?;
    let games = made.or_else(|| syncer.handle.count("games")).unwrap_or(0);
    Ok(object(json!({"games": games, "changed": made.is_some()})))
}
