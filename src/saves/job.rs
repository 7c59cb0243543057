//! Save backups, restores and prunings, and the sync of statistics, as durable jobs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    cloud::CloudError,
    error::SaveError,
    folder::{Label, Saves},
    subject::Subject,
};
use crate::{
    backup::error::BackupError,
    game::reference::GameRef,
    jobs::{
        context::Context,
        error::JobError,
        kind::{Failure, Kind, Outcome},
        runner::{Accepted, Jobs, SameName, Submission},
        spec::{Spec, Title},
    },
};

const BACKUP: Spec = Spec {
    promotes: true,
    ..Spec::new("saves.backup", &[("saves-backup:", Title::Fixed("Save backup"))])
};
const RESTORE: Spec = Spec {
    promotes: true,
    ..Spec::new("saves.restore", &[("saves-restore:", Title::Fixed("Save restore"))])
};
const PRUNE: Spec =
    Spec::new("saves.prune", &[("saves-prune:", Title::Fixed("Save backup pruning"))]);
const SYNC: Spec = Spec {
    promotes: true,
    // Another machine holds the lock for a moment at most.
    attempts: 4,
    ..Spec::new("cloud.sync", &[("cloud-sync", Title::Fixed("Cloud sync"))])
};

/// Has the saves of a game archived after its session; each launch once.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_backup(jobs: &Jobs, game_id: &str, launch_id: &str) -> Result<Accepted, JobError> {
    let input = json!({"game_id": game_id, "label": "on-close", "launch_id": launch_id});
    submit(jobs, &format!("saves-backup:{game_id}"), input, SameName::Separate)
}

/// Has an archive of a game restored.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_restore(jobs: &Jobs, game_id: &str, backup: &str) -> Result<Accepted, JobError> {
    let input = json!({"game_id": game_id, "backup": backup});
    submit(jobs, &format!("saves-restore:{game_id}"), input, SameName::Separate)
}

/// Has old archives of a game removed until `keep` are left.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_prune(jobs: &Jobs, game_id: &str, keep: usize) -> Result<Accepted, JobError> {
    let input = json!({"game_id": game_id, "keep": keep});
    submit(jobs, &format!("saves-prune:{game_id}"), input, SameName::Separate)
}

/// Has the statistics synchronized.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_sync(jobs: &Jobs) -> Result<Accepted, JobError> {
    submit(jobs, "cloud-sync", json!({}), SameName::Join)
}

fn submit(
    jobs: &Jobs,
    name: &str,
    input: Value,
    same_name: SameName,
) -> Result<Accepted, JobError> {
    let input = if let Value::Object(input) = input { input } else { Map::new() };
    jobs.submit(Submission { name: name.to_owned(), input, same_name })
}

/// The worker of `saves.backup`.
pub struct BackupKind(pub Arc<Saves>);

/// The worker of `saves.restore`.
pub struct RestoreKind(pub Arc<Saves>);

/// The worker of `saves.prune`.
pub struct PruneKind(pub Arc<Saves>);

/// The worker of `cloud.sync`.
pub struct SyncKind(pub Arc<Saves>);

impl Kind for BackupKind {
    fn spec(&self) -> &Spec {
        &BACKUP
    }

    fn run(&self, context: &Context<'_>, input: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let game = subject(&self.0, input)?;
        let label = input.get("label").and_then(Value::as_str).and_then(Label::parse);
        match self.0.back_up(&game, label.unwrap_or(Label::Manual), context) {
            Ok(made) => Ok(object(json!({"backup": made.name, "trimmed": made.trimmed}))),
            // A game that has not saved anything yet is no failure.
            Err(SaveError::NoPaths) if label == Some(Label::OnClose) => {
                Ok(object(json!({"backup": null, "trimmed": 0})))
            }
            Err(error) => Err(failed(error)),
        }
    }
}

impl Kind for RestoreKind {
    fn spec(&self) -> &Spec {
        &RESTORE
    }

    fn run(&self, context: &Context<'_>, input: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let game = subject(&self.0, input)?;
        let backup = input.get("backup").and_then(Value::as_str).unwrap_or("");
        let restored = self.0.restore(&game, backup, context).map_err(failed)?;
        Ok(object(json!({"restored": restored})))
    }
}

impl Kind for PruneKind {
    fn spec(&self) -> &Spec {
        &PRUNE
    }

    fn run(&self, _: &Context<'_>, input: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let game = subject(&self.0, input)?;
        let keep = input.get("keep").and_then(Value::as_u64).unwrap_or(0);
        let keep = usize::try_from(keep).unwrap_or(usize::MAX);
        let (removed, kept) = self.0.prune(&game, keep).map_err(failed)?;
        Ok(object(json!({"removed": removed, "kept": kept})))
    }
}

impl Kind for SyncKind {
    fn spec(&self) -> &Spec {
        &SYNC
    }

    fn run(&self, _: &Context<'_>, _: &Map<String, Value>, _: Option<&Value>) -> Outcome {
        let synced = self.0.sync_statistics().map_err(|error: CloudError| {
            log::warn!("{error}");
            Failure::Failed { code: "BAD_REQUEST", message: error.client_text() }
        })?;
        // OK because a plain struct has text keys.
        Ok(object(serde_json::to_value(&synced).unwrap_or_default()))
    }
}

fn subject(saves: &Saves, input: &Map<String, Value>) -> Result<Subject, Failure> {
    let id = input.get("game_id").and_then(Value::as_str).unwrap_or("").to_owned();
    saves.subject(&GameRef::Id(id)).map_err(failed)
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(map) = value { map } else { Map::new() }
}

fn failed(error: SaveError) -> Failure {
    if matches!(error, SaveError::Archive(BackupError::Stopped)) {
        return Failure::Stopped;
    }
    log::warn!("{error}");
    Failure::Failed { code: "BAD_REQUEST", message: error.client_text() }
}
