//! Syncs and choices as durable jobs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{error::SyncError, service::SaveSync};
use crate::jobs::{
    Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
    kind::{Failure, object},
};

/// The key of the input that names the game.
const GAME: &str = "game_id";

const SYNC: Spec = Spec {
    subject: Some(GAME),
    promotes: true,
    ..Spec::new("saves.sync", &[("saves-sync:", Title::Fixed("Save sync"))])
};
const CHOOSE: Spec = Spec {
    subject: Some(GAME),
    promotes: true,
    ..Spec::new("saves.choose", &[("saves-choose:", Title::Fixed("Save choice"))])
};

/// Starts a sync of the saves of a game.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_sync(jobs: &Jobs, game_id: &str) -> Result<Accepted, JobError> {
    submit(jobs, format!("saves-sync:{game_id}"), json!({"game_id": game_id}))
}

/// Starts a job that selects one of the conflicting versions as current; an empty one stands for the saves here.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_choice(jobs: &Jobs, game_id: &str, version: &str) -> Result<Accepted, JobError> {
    let input = json!({"game_id": game_id, "version": version});
    submit(jobs, format!("saves-choose:{game_id}"), input)
}

fn submit(jobs: &Jobs, name: String, input: Value) -> Result<Accepted, JobError> {
    let input = if let Value::Object(input) = input { input } else { Map::new() };
    jobs.submit(Submission { name, input, same_name: SameName::Separate })
}

/// The kinds of work.
pub fn kinds(service: &Arc<SaveSync>) -> Vec<Kind> {
    vec![Kind::new(SYNC, service, sync), Kind::new(CHOOSE, service, choose)]
}

fn sync(service: &SaveSync, context: &Context<'_>) -> Outcome {
    let done = service.sync(context.text(GAME), context).map_err(failed)?;
    Ok(object(json!({"done": done.name()})))
}

fn choose(service: &SaveSync, context: &Context<'_>) -> Outcome {
    let (game, version) = (context.text(GAME), context.text("version"));
    let done = service.choose(game, version, context).map_err(failed)?;
    Ok(object(json!({"done": done.name()})))
}

fn failed(error: SyncError) -> Failure {
    if error.is_stop() { Failure::Stopped } else { Failure::refused(&error) }
}
