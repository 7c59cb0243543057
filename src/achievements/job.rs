//! Jobs: the progress in the whole library in few requests, and the progress after a session.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    account::Account,
    answers::{Completion, Progress},
    error::AchError,
    game_progress::{GameProgress, number_of},
    service::Achievements,
};
use crate::{
    base::Moment,
    game::{GameRef, edit::EditError},
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    model::{Cause, Game, origins::Right},
};

const LIBRARY: Spec = Spec::new(
    "achievements.library",
    &[("achievements-library", Title::Fixed("Achievements of the library"))],
);
const SESSION: Spec = Spec {
    subject: Some("game_id"),
    ..Spec::new(
        "achievements.session",
        &[("achievements-session:", Title::Fixed("Achievements of a session"))],
    )
};
/// Pages of the progress of a user: 20,000 games.
const PAGES: usize = 40;
/// Achievements that the result of a job names.
const NAMED: usize = 100;
/// Seconds by which the clocks of provider and machine may differ.
const SKEW: i64 = 120;

/// The kinds of work with achievements.
pub(super) fn kinds(service: &Arc<Achievements>) -> Vec<Kind> {
    vec![Kind::new(LIBRARY, service, run_library), Kind::new(SESSION, service, run_session)]
}

/// Starts a job that reads the progress in all games that have a number at the provider.
///
/// # Errors
/// [`AchError::Unconfigured`], or when the job is not accepted.
pub fn submit_library(service: &Achievements, jobs: &Jobs) -> Result<Accepted, AchError> {
    service.account()?;
    let (name, input) = ("achievements-library".to_owned(), object(json!({})));
    Ok(jobs.submit(Submission { name, input, same_name: SameName::Join })?)
}

/// Starts a job that reads the progress in a game again after a session that began at this local time, when there is an
/// account and the game has a number at the provider; whether that is so.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_session(
    service: &Achievements,
    jobs: &Jobs,
    game: &Game,
    started: &str,
) -> Result<bool, JobError> {
    if number_of(&game.record()).is_none() || !service.is_configured() {
        return Ok(false);
    }
    let name = format!("achievements-session:{}", game.id());
    let input = object(json!({"game_id": game.id(), "started": started}));
    jobs.submit(Submission { name, input, same_name: SameName::Replace })?;
    Ok(true)
}

fn run_session(service: &Achievements, context: &Context<'_>) -> Outcome {
    let game_id = context.text("game_id");
    let cancel = || context.check().is_err();
    let begun = Moment::parse(context.text("started"));
    match refresh(service, game_id, &cancel) {
        Ok(found) => {
            let unlocked = unlocked(&found, begun.as_ref());
            Ok(object(json!({
                "game_id": game_id,
                "earned": found.earned,
                "earned_hardcore": found.earned_hardcore,
                "total": found.total,
                "unlocked": unlocked,
            })))
        }
        Err(AchError::TookTooLong) if cancel() => Err(Failure::Stopped),
        // A session without the provider is not an error.
        Err(error) => Ok(object(json!({"game_id": game_id, "skipped": error.to_string()}))),
    }
}

fn refresh(
    service: &Achievements,
    game_id: &str,
    cancel: &(dyn Fn() -> bool + Sync),
) -> Result<Progress, AchError> {
    let state = service.store.snapshot()?;
    let game = GameRef::Id(game_id.to_owned());
    let unknown = AchError::Edit(EditError::UnknownGame);
    let (_, game) = game.find(&state.games).ok_or(unknown)?;
    let account = service.account()?;
    let id = number_of(&game.record()).ok_or(AchError::Edit(EditError::UnknownGame))?;
    let found = service.client.progress(&account, id, cancel)?;
    service.note(game.id(), &found, None, Right::Pass)?;
    Ok(found)
}

/// The achievements that were earned since a moment.
fn unlocked(found: &Progress, since: Option<&Moment>) -> Vec<Value> {
    let Some(since) = since else { return Vec::new() };
    let is_new = |at: &str| {
        let at = Moment::parse_utc(&at.replace(' ', "T"));
        at.is_some_and(|at| at.unix_seconds() >= since.unix_seconds() - SKEW)
    };
    let new = found.achievements.iter().filter(|(_, at)| is_new(at));
    new.take(NAMED).map(|(row, _)| json!(row)).collect()
}

fn run_library(service: &Achievements, context: &Context<'_>) -> Outcome {
    let account = service.account().map_err(|error| Failure::refused(&error))?;
    let (mut listed, mut matched, mut updated) = (0_usize, 0, 0);
    for page in 0..PAGES {
        context.check()?;
        context.progress(page as u64, "");
        let cancel = || context.check().is_err();
        let found = page_of(service, &account, listed, &cancel);
        let (rows, total) = match found {
            Err(AchError::TookTooLong) if cancel() => return Err(Failure::Stopped),
            found => found.map_err(|error| Failure::refused(&error))?,
        };
        listed += rows.len();
        let (here, changed) = note(service, &rows).map_err(|error| Failure::refused(&error))?;
        matched += here;
        updated += changed;
        if rows.is_empty() || listed as u64 >= total {
            break;
        }
    }
    Ok(object(json!({"listed": listed, "games": matched, "updated": updated})))
}

fn page_of(
    service: &Achievements,
    account: &Account,
    offset: usize,
    cancel: &(dyn Fn() -> bool + Sync),
) -> Result<(Vec<Completion>, u64), AchError> {
    service.client.completions(account, offset, cancel)
}

/// Writes down the progress in the games of a page; how many games of the library those are, and how
/// many of them changed.
fn note(service: &Achievements, rows: &[Completion]) -> Result<(usize, usize), AchError> {
    let rows: HashMap<u32, &Completion> = rows.iter().map(|row| (row.id, row)).collect();
    let state = service.store.snapshot()?;
    let known = state.games.iter().filter_map(|game| {
        let is_known = game.json().contains("ach_game_id");
        let id = is_known.then(|| number_of(&game.record())).flatten()?;
        Some((game.id().to_owned(), GameProgress::from(*rows.get(&id)?)))
    });
    let known: Vec<(String, GameProgress)> = known.collect();
    for (game_id, progress) in &known {
        progress.keep(&service.client.files, &service.client.data_dir, game_id)?;
    }
    let changed = service.store.commit(|draft| {
        let mut changed = Vec::new();
        for (game_id, progress) in &known {
            if progress.write(draft, game_id, None, Right::Pass) {
                changed.push(game_id.clone());
            }
        }
        let count = changed.len();
        if count > 0 {
            draft.set_cause(Cause::Bulk(changed));
        }
        Ok::<_, AchError>(count)
    })?;
    Ok((known.len(), changed))
}
