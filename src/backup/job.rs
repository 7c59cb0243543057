//! Backups and restores as durable jobs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    error::BackupError,
    folder::Backups,
    items::{self, CreateRequest, RestoreRequest},
    schedule::Due,
    watch::Watch,
};
use crate::jobs::{
    Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
    document::Fault,
    items::Item,
    kind::{Failure, object},
};

const CREATE: &str = "library-backup";
const RESTORE: &str = "library-restore";
const DRILL: &str = "library-drill";

const CREATE_SPEC: Spec = Spec {
    promotes: true,
    ..Spec::new("library.backup", &[(CREATE, Title::Fixed("Library backup"))])
};
const RESTORE_SPEC: Spec = Spec {
    promotes: true,
    ..Spec::new("library.restore", &[(RESTORE, Title::Fixed("Library restore"))])
};
const DRILL_SPEC: Spec = Spec::new("library.drill", &[(DRILL, Title::Fixed("Restore drill"))]);

/// Starts a backup. The same request joins the active job.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_create(jobs: &Jobs, request: &CreateRequest) -> Result<Accepted, JobError> {
    submit(jobs, CREATE, request.to_input())
}

/// Starts the restore of an archive.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_restore(jobs: &Jobs, request: &RestoreRequest) -> Result<Accepted, JobError> {
    submit(jobs, RESTORE, request.to_input())
}

/// Starts what is due by itself. Called once an hour and at the start.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_due(jobs: &Jobs, backups: &Backups) -> Result<(), JobError> {
    match backups.due() {
        Some(Due::Backup(request)) => submit(jobs, CREATE, request.to_input()).map(drop),
        // Without an archive there is nothing to try.
        Some(Due::Drill) if matches!(backups.newest(), Ok(Some(_))) => {
            submit(jobs, DRILL, Map::new()).map(drop)
        }
        Some(Due::Drill) | None => Ok(()),
    }
}

fn submit(jobs: &Jobs, name: &str, input: Map<String, Value>) -> Result<Accepted, JobError> {
    jobs.submit(Submission { name: name.to_owned(), input, same_name: SameName::Separate })
}

impl Watch for Context<'_> {
    fn go_on(&self) -> Result<(), BackupError> {
        self.check().map_err(|_| BackupError::Stopped)
    }

    fn expect(&self, members: u64) {
        Context::expect(self, members, "files");
    }

    fn done(&self, members: u64) {
        self.progress(members, "");
    }

    fn promote(&self) -> Result<(), BackupError> {
        Context::promote(self).map_err(|_| BackupError::Stopped)
    }
}

/// The kinds of work with backups of the library.
pub fn kinds(backups: &Arc<Backups>) -> Vec<Kind> {
    vec![
        Kind::new(CREATE_SPEC, backups, create),
        Kind::new(DRILL_SPEC, backups, drill),
        Kind::new(RESTORE_SPEC, backups, restore),
    ]
}

fn create(backups: &Backups, context: &Context<'_>) -> Outcome {
    let request = CreateRequest::read_input(context.input()).map_err(failed)?;
    let created = backups.create(&request, context);
    if request.automatic {
        backups.report(&created);
    }
    let created = created.map_err(failed)?;
    backups.report_created(&created.name, &request.items);
    for name in &created.skipped {
        let message = "It has no place in an archive.".to_owned();
        let error = Fault { code: "BAD_REQUEST".into(), message, request_id: String::new() };
        let (item_id, label) = (name.clone(), name.clone());
        context.item(Item { item_id, label, state: "skipped".into(), error: Some(error) });
    }
    let path = created.path.to_string_lossy();
    let skipped = created.skipped.len();
    Ok(object(json!({"archive": path, "name": created.name, "skipped": skipped})))
}

fn restore(backups: &Backups, context: &Context<'_>) -> Outcome {
    let request = RestoreRequest::read(context.input()).map_err(failed)?;
    let restored = backups.restore(&request, context).map_err(failed)?;
    if restored.contains(&items::Item::Library) {
        backups.report_restored();
    }
    Ok(object(json!({"restored": items::names(&restored)})))
}

fn drill(backups: &Backups, context: &Context<'_>) -> Outcome {
    let newest = backups.newest().map_err(failed)?;
    let name = newest.ok_or_else(|| Failure::new("There is no archive to try."))?;
    let drilled = backups.drill(&name, context);
    backups.report_drill(&name, &drilled);
    let drilled = drilled.map_err(failed)?;
    Ok(object(json!({"name": name, "games": drilled.games, "files": drilled.files})))
}

fn failed(error: BackupError) -> Failure {
    if matches!(error, BackupError::Stopped) {
        return Failure::Stopped;
    }
    Failure::refused(&error)
}
