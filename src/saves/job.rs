//! Save backups, restores and prunings, and the sync of statistics, as durable jobs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    error::SaveError,
    folder::{Label, Saves},
    subject::Subject,
};
use crate::{
    backup::error::BackupError,
    game::GameRef,
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
};

/// The key of the input that names the game.
const GAME: &str = "game_id";
/// The key of the input that names the archive.
const BACKUP_NAME: &str = "backup";

const BACKUP: Spec = Spec {
    subject: Some(GAME),
    promotes: true,
    ..Spec::new("saves.backup", &[("saves-backup:", Title::Fixed("Save backup"))])
};
const RESTORE: Spec = Spec {
    subject: Some(GAME),
    promotes: true,
    ..Spec::new("saves.restore", &[("saves-restore:", Title::Fixed("Save restore"))])
};
const PRUNE: Spec = Spec {
    subject: Some(GAME),
    ..Spec::new("saves.prune", &[("saves-prune:", Title::Fixed("Save backup pruning"))])
};
const SYNC: Spec = Spec {
    promotes: true,
    // Another machine holds the lock for a moment at most.
    attempts: 4,
    ..Spec::new("cloud.sync", &[("cloud-sync", Title::Fixed("Cloud sync"))])
};

/// Starts archiving the saves of a game after its session; each launch once.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_backup(jobs: &Jobs, game_id: &str, launch_id: &str) -> Result<Accepted, JobError> {
    let (name, input) = backup_of(game_id, launch_id);
    submit(jobs, &name, input, SameName::Separate)
}

/// Whether the saves of a game were archived after this launch, as far as the jobs are remembered.
pub fn is_backed_up(jobs: &Jobs, game_id: &str, launch_id: &str) -> bool {
    let (name, input) = backup_of(game_id, launch_id);
    jobs.is_done(&name, &object(input))
}

fn backup_of(game_id: &str, launch_id: &str) -> (String, Value) {
    let input = json!({"game_id": game_id, "label": "on-close", "launch_id": launch_id});
    (format!("saves-backup:{game_id}"), input)
}

/// Starts the restore of an archive of a game.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_restore(jobs: &Jobs, game_id: &str, backup: &str) -> Result<Accepted, JobError> {
    let input = json!({GAME: game_id, BACKUP_NAME: backup});
    submit(jobs, &format!("saves-restore:{game_id}"), input, SameName::Separate)
}

/// The games whose latest restore a kill or a stop ended, with the archive that was restored.
pub fn interrupted(jobs: &Jobs) -> Vec<(String, String)> {
    let text = |input: &Map<String, Value>, key: &str| {
        input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let inputs = jobs.interrupted(RESTORE.type_name).into_iter();
    inputs.map(|(_, input)| (text(&input, GAME), text(&input, BACKUP_NAME))).collect()
}

/// Removes what these restores left half written in the folders of saves. What cannot be read now stays, and goes
/// with the next restore.
pub fn heal(saves: &Saves, interrupted: &[(String, String)]) {
    for (game_id, backup) in interrupted {
        let game = saves.subject(&GameRef::Id(game_id.clone()));
        if let Err(error) = game.and_then(|game| saves.clear_unfinished(&game, backup)) {
            log::warn!("a restore that was stopped was not cleaned up: {error}");
        }
    }
}

/// Starts removing old archives of a game until `keep` are left.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_prune(jobs: &Jobs, game_id: &str, keep: usize) -> Result<Accepted, JobError> {
    let input = json!({"game_id": game_id, "keep": keep});
    submit(jobs, &format!("saves-prune:{game_id}"), input, SameName::Separate)
}

/// Starts a sync of the statistics.
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

/// The kinds of work with saves.
pub fn kinds(saves: &Arc<Saves>) -> Vec<Kind> {
    vec![
        Kind::new(BACKUP, saves, back_up),
        Kind::new(RESTORE, saves, restore),
        Kind::new(PRUNE, saves, prune),
        Kind::new(SYNC, saves, sync),
    ]
}

fn back_up(saves: &Saves, context: &Context<'_>) -> Outcome {
    let game = subject(saves, context)?;
    let label = Label::named(context.text("label"));
    match saves.back_up(&game, label.unwrap_or(Label::Manual), context) {
        Ok(made) => Ok(object(json!({"backup": made.name, "trimmed": made.trimmed}))),
        // A game that has not saved anything yet is not a failure.
        Err(SaveError::NoPaths) if label == Some(Label::OnClose) => {
            Ok(object(json!({"backup": null, "trimmed": 0})))
        }
        Err(error) => Err(failed(error)),
    }
}

fn restore(saves: &Saves, context: &Context<'_>) -> Outcome {
    let game = subject(saves, context)?;
    let restored = saves.restore(&game, context.text(BACKUP_NAME), context).map_err(failed)?;
    Ok(object(json!({"restored": restored})))
}

fn prune(saves: &Saves, context: &Context<'_>) -> Outcome {
    let game = subject(saves, context)?;
    let keep = context.input().get("keep").and_then(Value::as_u64).unwrap_or(0);
    let keep = usize::try_from(keep).unwrap_or(usize::MAX);
    let (removed, kept) = saves.prune(&game, keep).map_err(failed)?;
    Ok(object(json!({"removed": removed, "kept": kept})))
}

fn sync(saves: &Saves, _: &Context<'_>) -> Outcome {
    let synced = saves.sync_statistics().map_err(|error| Failure::refused(&error))?;
    // OK because a plain struct has text keys.
    Ok(object(serde_json::to_value(&synced).unwrap_or_default()))
}

fn subject(saves: &Saves, context: &Context<'_>) -> Result<Subject, Failure> {
    saves.subject(&GameRef::Id(context.text(GAME).to_owned())).map_err(failed)
}

fn failed(error: SaveError) -> Failure {
    if matches!(error, SaveError::Archive(BackupError::Stopped)) {
        return Failure::Stopped;
    }
    Failure::refused(&error)
}
