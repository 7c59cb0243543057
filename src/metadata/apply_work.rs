//! The jobs that write matches to games: those of a review that the user decided on, and the equal titles
//! of a platform (`POST /api/metadata/match`).
//!
//! Both write in pieces, a commit each, and store their progress. Each is one pass that can be undone.

use std::{collections::HashSet, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    error::MetadataError,
    fields, matching,
    preview::{Action, Decision},
    preview_work::{origin, snapshot, write_ids},
    previews::{APPLYING, Previews, not_saved},
    subject::Subject,
};
use crate::{
    backup::{
        items::{CreateRequest, Item as Archived},
        watch::Unwatched,
    },
    game::origins::{self, Mode},
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        document::Fault,
        items::Item,
        kind::{Failure, object},
    },
    metadb::{Database, Row},
    model::{Cause, State, origins::Right},
};

/// The name of the job that matches all games of a platform.
pub const MATCH: &str = "metadata-match";
const SPEC: Spec = Spec {
    subject: Some("preview_id"),
    resumes: true,
    ..Spec::new(
        "metadata.apply",
        &[(MATCH, Title::Fixed("Metadata auto-match")), (APPLYING, Title::Spelled)],
    )
};
/// What the pass is called that writes reviewed matches.
const PASS: &str = "metadata.apply";
/// Games between two checkpoints.
const PIECE: usize = 200;

/// Where a resume continues.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Checkpoint {
    last_game_id: String,
    /// The archive that was made before anything was replaced.
    backup: Option<String>,
    updated: u64,
    skipped: u64,
}

/// The kind of work that writes matches.
pub(super) fn kind(previews: &Arc<Previews>) -> Kind {
    Kind::new(SPEC, previews, run)
}

/// Starts matching the games of a platform that have no number; blank and `all` mean every game. An active job is
/// reused.
///
/// # Errors
/// [`MetadataError::NoDatabase`]; when the job is not accepted.
pub fn submit_match(
    previews: &Previews,
    jobs: &Jobs,
    platform: &str,
) -> Result<Accepted, MetadataError> {
    previews.database()?;
    let input = Map::from_iter([("platform".to_owned(), platform.into())]);
    let (name, same_name) = (MATCH.to_owned(), SameName::Join);
    Ok(jobs.submit(Submission { name, input, same_name })?)
}

fn run(previews: &Previews, context: &Context<'_>) -> Outcome {
    if context.input().contains_key("preview_id") {
        apply(previews, context)
    } else {
        match_all(previews, context)
    }
}

fn resume_point(context: &Context<'_>) -> Checkpoint {
    let stored = context.resumed_from().and_then(|value| Checkpoint::deserialize(value).ok());
    stored.unwrap_or_default()
}

/// The games of a list that follow the last one that was done.
fn rest<'a, T>(all: &'a [T], last: &str, id: impl Fn(&T) -> &str) -> &'a [T] {
    let done = all.iter().position(|each| id(each) == last).map_or(0, |at| at + 1);
    &all[done..]
}

fn match_all(previews: &Previews, context: &Context<'_>) -> Outcome {
    let database = previews.database()?;
    let platform = context.text("platform");
    let ids = unmatched(&*snapshot(&previews.store)?, platform);
    let mut point = resume_point(context);
    let left = rest(&ids, &point.last_game_id, String::as_str);
    let mut done = ids.len() - left.len();
    context.expect(ids.len() as u64, "games");
    for piece in left.chunks(PIECE) {
        context.check()?;
        let state = snapshot(&previews.store)?;
        let sure: Vec<_> = piece.iter().filter_map(|id| sure(&state, &database, id)).collect();
        point.updated += write_ids(&previews.store, context.root_job_id(), &sure)? as u64;
        done += piece.len();
        point.last_game_id = piece.last().cloned().unwrap_or_default();
        context.checkpoint(json!(point), done as u64);
    }
    let failures: [&str; 0] = [];
    Ok(object(json!({"matched": point.updated, "scanned": done, "errors": failures,
        "completed": point.updated, "pass_id": context.root_job_id()})))
}

/// The games of a platform that have a title and no number.
fn unmatched(state: &State, platform: &str) -> Vec<String> {
    let platform = platform.trim();
    let is_all = platform.is_empty() || platform.eq_ignore_ascii_case("all");
    let games = state.games.iter().filter(|game| is_all || game.platform() == platform);
    let open =
        games.filter(|game| !game.name().trim().is_empty() && game.record().is_blank(fields::ID));
    open.map(|game| game.id().to_owned()).collect()
}

fn sure(state: &State, database: &Database, id: &str) -> Option<(String, u32)> {
    let (_, game) = state.games.find(id)?;
    let number = matching::best(database, &Subject::of(&game.record()))?;
    Some((game.id().to_owned(), number))
}

fn apply(previews: &Previews, context: &Context<'_>) -> Outcome {
    let preview = previews.files.find(context.text("preview_id"))?;
    let input = context.input();
    if input.get("revision").and_then(Value::as_u64) != Some(preview.revision) {
        return Err(MetadataError::OldRevision.into());
    }
    let database = previews.database()?;
    let list = |key: &str| input.get(key).and_then(|value| Vec::<String>::deserialize(value).ok());
    let only: Option<HashSet<String>> = list("game_ids").map(|ids| ids.into_iter().collect());
    let decisions = previews.files.decisions(&preview.preview_id)?;
    let is_wanted = |decision: &Decision| {
        matches!(decision.action, Action::Accept | Action::Choose)
            && only.as_ref().is_none_or(|only| only.contains(&decision.game_id))
    };
    let decisions: Vec<Decision> = decisions.into_values().filter(is_wanted).collect();
    let mut point = resume_point(context);
    let options = ApplyOptions {
        allowed: list("field_allow_list").unwrap_or_default(),
        replaces: input.get("replace_existing") == Some(&Value::Bool(true)),
    };
    if options.replaces && point.backup.is_none() && !decisions.is_empty() {
        context.phase("backup");
        point.backup = Some(back_up(previews)?);
        context.checkpoint(json!(point), 0);
    }
    context.phase("applying");
    let left = rest(&decisions, &point.last_game_id, |decision| &decision.game_id);
    let mut done = decisions.len() - left.len();
    context.expect(decisions.len() as u64, "games");
    for piece in left.chunks(PIECE) {
        context.check()?;
        let (updated, skipped) = write_piece(previews, context, &database, &options, piece)?;
        point.updated += updated as u64;
        point.skipped += skipped as u64;
        done += piece.len();
        point.last_game_id = piece.last().map(|it| it.game_id.clone()).unwrap_or_default();
        context.checkpoint(json!(point), done as u64);
    }
    Ok(object(json!({"preview_id": preview.preview_id, "completed": point.updated,
        "skipped": point.skipped, "backup": point.backup, "pass_id": context.root_job_id()})))
}

/// What an apply may write.
struct ApplyOptions {
    /// Names of [`fields::REVIEWED`].
    allowed: Vec<String>,
    /// Whether values that are there are replaced.
    replaces: bool,
}

/// Archives library and settings; the name of the archive.
fn back_up(previews: &Previews) -> Result<String, Failure> {
    let items = Archived::DEFAULT.to_vec();
    let request = CreateRequest { items, ..CreateRequest::default() };
    let created = previews.backups.create(&request, &Unwatched);
    let created = created.map_err(|error| Failure::refused(&error))?;
    previews.backups.report_created(&created.name, &request.items);
    Ok(created.name)
}

/// Writes what was decided on some games in one commit: how many changed, and how many were left out.
fn write_piece(
    previews: &Previews,
    context: &Context<'_>,
    database: &Database,
    options: &ApplyOptions,
    piece: &[Decision],
) -> Result<(usize, usize), MetadataError> {
    let mut rows: Vec<(&str, Row)> = Vec::new();
    for decision in piece {
        match decision.database_id.and_then(|id| database.row(id)) {
            Some(row) => rows.push((&decision.game_id, row)),
            None => context.item(skipped(&decision.game_id)),
        }
    }
    let pass = context.root_job_id();
    let written = previews.store.change(|draft| {
        let mut changed = Vec::new();
        for (game_id, row) in &rows {
            // The user reviewed this match. What they typed elsewhere is only replaced on request.
            let (mode, right) = if options.replaces {
                (Mode::Replace, Right::Request)
            } else {
                (Mode::Fill, Right::Pass)
            };
            let origin = origin(row.id, pass);
            let number = [(fields::ID, row.id.to_string().into())];
            let game = draft.state().games.find(game_id);
            let platform = game.map(|(_, game)| game.platform()).unwrap_or_default();
            let texts = fields::reviewed(row, platform, &options.allowed);
            let mut keys =
                origins::fill(draft, game_id, origin.clone(), Right::Request, mode, &number);
            keys.extend(origins::fill(draft, game_id, origin, right, mode, &texts));
            if !keys.is_empty() {
                changed.push((*game_id).to_owned());
            }
        }
        let count = changed.len();
        origins::note_pass(draft, pass, PASS, count);
        draft.set_cause(Cause::Bulk(changed));
        count
    });
    let updated = written.map_err(not_saved)?;
    Ok((updated, piece.len() - updated))
}

/// A game whose match is not in the database any more.
fn skipped(game_id: &str) -> Item {
    let message = MetadataError::UnknownRow.to_string();
    let error = Fault { code: "BAD_REQUEST".into(), message, request_id: String::new() };
    let item_id = game_id.to_owned();
    Item { label: item_id.clone(), item_id, state: "skipped".into(), error: Some(error) }
}
