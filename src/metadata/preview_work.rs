//! The job that matches the games of a review.
//!
//! Games are matched in pieces. Of each piece the certain matches are written in one commit, then the rest goes to the
//! file of the review, then the job stores its progress: a resume repeats nothing.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    error::MetadataError,
    fields,
    matching::{self, Class},
    preview::{Counts, Item, Preview},
    previews::{MATCHING, Previews, not_saved},
    subject::Subject,
};
use crate::{
    game::origins::{self, Mode},
    jobs::{
        Context, Kind, Outcome, Spec, Title,
        kind::{Failure, object},
    },
    metadb::Database,
    model::{
        Cause, State,
        origins::{Origin, Right},
    },
    providers::METADB,
    store::Store,
};

const SPEC: Spec = Spec {
    subject: Some("preview_id"),
    resumes: true,
    ..Spec::new("metadata.match_preview", &[(MATCHING, Title::Spelled)])
};
/// What the pass is called that writes sure matches.
pub(super) const PASS: &str = "metadata.match";
/// Games between two checkpoints.
const PIECE: usize = 200;

impl From<MetadataError> for Failure {
    fn from(error: MetadataError) -> Self {
        log::warn!("{error}");
        let code = match error {
            MetadataError::NotFound | MetadataError::NoId => "PREVIEW_NOT_FOUND",
            MetadataError::Expired => "PREVIEW_EXPIRED",
            MetadataError::OldRevision | MetadataError::OldCursor => "PREVIEW_STALE",
            MetadataError::NoDatabase
            | MetadataError::NoSource
            | MetadataError::NotReady
            | MetadataError::TooMany => "CONFLICT",
            MetadataError::UnknownRow
            | MetadataError::UnknownPicture
            | MetadataError::Malformed(_)
            | MetadataError::Source(_)
            | MetadataError::NoMedia(_)
            | MetadataError::Edit(_) => "BAD_REQUEST",
            MetadataError::Job(_) | MetadataError::Unavailable(_) | MetadataError::Disk(_) => {
                "INTERNAL_ERROR"
            }
        };
        Self::Failed { code, message: error.to_string() }
    }
}

/// Where a resume continues.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Checkpoint {
    last_game_id: String,
    /// Bytes of the items so far.
    bytes: u64,
    counts: Counts,
}

/// The kind of work that matches the games of reviews.
pub(super) fn kind(previews: &Arc<Previews>) -> Kind {
    Kind::new(SPEC, previews, run)
}

fn run(previews: &Previews, context: &Context<'_>) -> Outcome {
    let preview = previews.files.find(context.text("preview_id"))?;
    let counts = match_games(previews, context, &preview)?;
    let open = counts.exact_review + counts.likely + counts.possible + counts.unmatched;
    Ok(object(json!({"preview_id": preview.preview_id, "completed": counts.auto_applied,
        "skipped": open, "counts": counts})))
}

/// Matches what the review is about, from where an attempt before ended, and completes the review.
pub(super) fn match_games(
    previews: &Previews,
    context: &Context<'_>,
    preview: &Preview,
) -> Result<Counts, Failure> {
    if preview.is_ready {
        return Ok(preview.counts);
    }
    let database = previews.database()?;
    let ids = wanted(&*snapshot(&previews.store)?, preview);
    let resumed = context.resumed_from().and_then(|value| Checkpoint::deserialize(value).ok());
    let known = resumed.and_then(|point| {
        let at = ids.iter().position(|id| *id == point.last_game_id)?;
        Some((at + 1, point))
    });
    let (mut done, mut point) = known.unwrap_or_default();
    let path = previews.files.path(&preview.preview_id, "items");
    let mut file = previews.files.files().append_or_create(&path).map_err(MetadataError::Disk)?;
    file.truncate(point.bytes).map_err(MetadataError::Disk)?;
    context.expect(ids.len() as u64, "games");
    for piece in ids[done..].chunks(PIECE) {
        context.check()?;
        let state = snapshot(&previews.store)?;
        let (sure, items) = match_piece(&state, &database, piece);
        point.counts.auto_applied += sure.len() as u64;
        write_ids(&previews.store, context.root_job_id(), &sure)?;
        let mut lines = Vec::new();
        for item in items {
            point.counts.add(item.class);
            // OK because items are plain structs with text keys.
            serde_json::to_writer(&mut lines, &item).unwrap_or_default();
            lines.push(b'\n');
        }
        file.append(&lines).and_then(|()| file.sync()).map_err(MetadataError::Disk)?;
        point.bytes += lines.len() as u64;
        point.last_game_id = piece.last().cloned().unwrap_or_default();
        done += piece.len();
        context.checkpoint(json!(point), done as u64);
    }
    let (counts, bytes) = (point.counts, point.bytes);
    previews.files.update(&preview.preview_id, |preview| {
        preview.counts = counts;
        preview.bytes = bytes;
        preview.is_ready = true;
    })?;
    Ok(counts)
}

/// The library.
///
/// # Errors
/// When it cannot be read.
pub(super) fn snapshot(store: &Store) -> Result<Arc<State>, MetadataError> {
    Ok(store.snapshot()?)
}

/// The games of a review, in the order in which they are matched.
fn wanted(state: &State, preview: &Preview) -> Vec<String> {
    if let Some(ids) = &preview.game_ids {
        let mut seen = std::collections::HashSet::new();
        let found = ids.iter().filter_map(|id| Some(state.games.find(id)?.1.id().to_owned()));
        return found.filter(|id| seen.insert(id.clone())).collect();
    }
    let batch = preview.import_batch_id.as_str();
    let games = state.games.iter().filter(|game| game.json().contains(batch));
    let of_batch = games.filter(|game| game.record().text("import_batch_id") == batch);
    of_batch.map(|game| game.id().to_owned()).collect()
}

/// The sure matches of some games, and what was found for the others.
fn match_piece(
    state: &State,
    database: &Database,
    ids: &[String],
) -> (Vec<(String, u32)>, Vec<Item>) {
    let (mut sure, mut items) = (Vec::new(), Vec::new());
    for id in ids {
        let Some((_, game)) = state.games.find(id) else { continue };
        let found = matching::find(database, &Subject::of(&game.record()));
        let game_id = game.id().to_owned();
        match (found.class, found.proposed) {
            (Class::Auto, Some(number)) => sure.push((game_id, number)),
            _ => items.push(Item {
                class: found.class,
                game_id,
                score: found.score,
                proposed: found.proposed,
                alternatives: found.alternatives,
            }),
        }
    }
    (sure, items)
}

/// Where a value of the database came from.
pub(super) fn origin(id: u32, pass: &str) -> Origin {
    Origin {
        by: METADB.id.to_owned(),
        reference: id.to_string(),
        pass: pass.to_owned(),
        ..Origin::default()
    }
}

/// Writes the numbers of games that have none, in one commit; how many games got theirs.
pub(super) fn write_ids(
    store: &Store,
    pass: &str,
    sure: &[(String, u32)],
) -> Result<usize, MetadataError> {
    if sure.is_empty() {
        return Ok(0);
    }
    let written = store.change(|draft| {
        let mut changed = Vec::new();
        for (game_id, id) in sure {
            let values = [(fields::ID, id.to_string().into())];
            let origin = origin(*id, pass);
            if !origins::fill(draft, game_id, origin, Right::Pass, Mode::Fill, &values).is_empty() {
                changed.push(game_id.clone());
            }
        }
        let count = changed.len();
        origins::note_pass(draft, pass, PASS, count);
        draft.set_cause(Cause::Bulk(changed));
        count
    });
    written.map_err(not_saved)
}
