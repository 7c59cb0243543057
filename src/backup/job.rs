//! Backups and restores as durable jobs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    create::Watch,
    error::BackupError,
    folder::Backups,
    items::{self, CreateRequest, RestoreRequest},
    schedule::Due,
};
use crate::jobs::{
    context::Context,
    document::Fault,
    error::JobError,
    items::Item,
    kind::{Failure, Kind, Outcome},
    runner::{Accepted, Jobs, SameName, Submission},
    spec::{Spec, Title},
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

/// Has a backup made. The same one asked for again while it is being made is that one.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_create(jobs: &Jobs, request: &CreateRequest) -> Result<Accepted, JobError> {
    submit(jobs, CREATE, request.to_input())
}

/// Has an archive restored.
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

/// The worker of `library.backup`.
pub struct CreateKind(pub Arc<Backups>);

/// The worker of `library.restore`.
pub struct RestoreKind(pub Arc<Backups>);

/// The worker of `library.drill`.
pub struct DrillKind(pub Arc<Backups>);

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

impl Kind for CreateKind {
    fn spec(&self) -> &Spec {
        &CREATE_SPEC
    }

    fn run(&self, context: &Context<'_>, input: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let request = CreateRequest::read_input(input).map_err(failed)?;
        let created = self.0.create(&request, context);
        if request.automatic {
            self.0.report(&created);
        }
        let created = created.map_err(failed)?;
        self.0.report_created(&created.name, &request.items);
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
}

impl Kind for RestoreKind {
    fn spec(&self) -> &Spec {
        &RESTORE_SPEC
    }

    fn run(&self, context: &Context<'_>, input: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let request = RestoreRequest::read(input).map_err(failed)?;
        let restored = self.0.restore(&request, context).map_err(failed)?;
        if restored.contains(&items::Item::Library) {
            self.0.report_restored();
        }
        Ok(object(json!({"restored": items::names(&restored)})))
    }
}

impl Kind for DrillKind {
    fn spec(&self) -> &Spec {
        &DRILL_SPEC
    }

    fn run(&self, context: &Context<'_>, _: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let newest = self.0.newest().map_err(failed)?;
        let name = newest.ok_or_else(|| Failure::new("There is no archive to try."))?;
        let drilled = self.0.drill(&name, context);
        self.0.report_drill(&name, &drilled);
        let drilled = drilled.map_err(failed)?;
        Ok(object(json!({"name": name, "games": drilled.games, "files": drilled.files})))
    }
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(map) = value { map } else { Map::new() }
}

fn failed(error: BackupError) -> Failure {
    if matches!(error, BackupError::Stopped) {
        return Failure::Stopped;
    }
    log::warn!("{error}");
    Failure::Failed { code: "BAD_REQUEST", message: error.client_text() }
}
