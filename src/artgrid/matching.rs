//! Fetches missing pictures for many games (`POST /api/v2/artgrid/match`).
//!
//! Games are done one after the other at the pace of the provider, each in one commit. What one game lacks
//! affects only that game; a provider that does not answer ends the job.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    apply::chosen_media,
    artwork::{self, Artwork, NoPicture, Write},
    error::{ArtgridError, ArtworkError},
};
use crate::{
    game::origins::{self, Mode},
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        items::{Item, PROVIDER_ERROR},
        kind::{Failure, object},
    },
    model::{Cause, Record, State, origins::Right},
};

/// The name of the job.
const NAME: &str = "artgrid-match";
const TYPE: &str = "artgrid.match";
const SPEC: Spec = Spec { resumes: true, ..Spec::new(TYPE, &[(NAME, Title::Spelled)]) };
/// Games of one job.
pub const GAMES: usize = 100;
/// Games one after the other for which the provider could not be asked; then the job ends.
const LOST: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct MatchInput {
    ids: Vec<String>,
    media: Vec<String>,
}

/// The outcome of the games so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Point {
    rows: Vec<Row>,
    updated: u64,
}

/// The outcome of one game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Row {
    game_id: String,
    name: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    artgrid_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The kind of work that brings pictures to many games.
pub(super) fn kind(artwork: &Arc<Artwork>) -> Kind {
    Kind::new(SPEC, artwork, run)
}

/// Starts a job that fetches pictures for these games; without any, for those that lack a cover.
///
/// # Errors
/// [`ArtworkError`]: when the provider cannot be asked, or media are named that are not known.
pub fn submit(
    artwork: &Artwork,
    jobs: &Jobs,
    ids: &[&str],
    media: Option<&Value>,
) -> Result<Accepted, ArtworkError> {
    let media = chosen_media(media)?;
    if media.is_empty() {
        return Err(ArtworkError::Malformed("Select at least one valid media type."));
    }
    artwork.usable()?;
    let ids = if ids.is_empty() {
        without_cover(&*artwork.store.snapshot()?)
    } else {
        ids.iter().map(|id| (*id).to_owned()).collect()
    };
    let input = MatchInput { ids, media: media.into_iter().map(str::to_owned).collect() };
    let (name, input) = (NAME.to_owned(), object(json!(input)));
    Ok(jobs.submit(Submission { name, input, same_name: SameName::Separate })?)
}

/// The first games of the library that lack a cover.
fn without_cover(state: &State) -> Vec<String> {
    let lacks = |record: &Record| {
        !artwork::is_held(record, "cover", Right::Pass) && !artwork::has_picture(record, "cover")
    };
    let games = state.games.iter().filter(|game| lacks(&game.record()));
    games.take(GAMES).map(|game| game.id().to_owned()).collect()
}

fn run(artwork: &Artwork, context: &Context<'_>) -> Outcome {
    let input = MatchInput::deserialize(context.input());
    let input = input.map_err(|error| Failure::new(error.to_string()))?;
    artwork.usable().map_err(|error| artwork::failure(&error, context))?;
    let resumed = context.resumed_from().and_then(|value| Point::deserialize(value).ok());
    let mut point = resumed.unwrap_or_default();
    let mut lost = 0;
    let mut errors: Vec<String> = Vec::new();
    context.expect(input.ids.len() as u64, "games");
    for id in input.ids.iter().skip(point.rows.len()) {
        context.check()?;
        let row = match artwork.match_game(context, id, &input.media) {
            Ok((row, is_changed)) => {
                lost = 0;
                point.updated += u64::from(is_changed);
                row
            }
            Err(Ended::Failure(failure)) => return Err(failure),
            Err(Ended::Artgrid(mut row, error)) => {
                lost += 1;
                if error.is_final() || lost == LOST || context.check().is_err() {
                    let found_none = point.rows.iter().all(|row| row.error.is_some());
                    if found_none || context.check().is_err() {
                        return Err(artwork::failure(&error.into(), context));
                    }
                    // What was found so far is worth more than the rest.
                    errors.push(error.to_string());
                    break;
                }
                "error".clone_into(&mut row.status);
                Row { error: Some(error.to_string()), ..*row }
            }
        };
        if let Some(error) = &row.error {
            context.item(Item::failed(&row.game_id, &row.name, PROVIDER_ERROR, error));
        }
        point.rows.push(row);
        context.checkpoint(json!(point), point.rows.len() as u64);
    }
    let count = point.rows.len();
    Ok(object(json!({"matches": point.rows, "count": count, "completed": point.updated,
        "errors": errors, "pass_id": context.root_job_id()})))
}

/// Why a game could not be worked on.
enum Ended {
    Artgrid(Box<Row>, ArtgridError),
    Failure(Failure),
}

impl Artwork {
    /// Fills in one game; returns the outcome, and whether it changed.
    fn match_game(
        &self,
        context: &Context<'_>,
        id: &str,
        media: &[String],
    ) -> Result<(Row, bool), Ended> {
        let cancel = || context.check().is_err();
        let row = Row { game_id: id.to_owned(), ..Row::default() };
        let ended = |status: &str, row: Row| (Row { status: status.to_owned(), ..row }, false);
        let record = match self.record(id) {
            Ok(record) => record,
            Err(ArtworkError::Unavailable(error)) => {
                return Err(Ended::Failure(artwork::not_read(&error)));
            }
            Err(error) => {
                return Ok(ended("error", Row { error: Some(error.to_string()), ..row }));
            }
        };
        let game_id = record.text("game_id").to_owned();
        let row = Row { game_id, name: record.text("name").to_owned(), ..row };
        if row.name.trim().is_empty() {
            return Ok(ended("no_name", row));
        }
        context.progress(0, &row.name);
        // The provider may be switched off meanwhile.
        self.usable().map_err(|error| match error {
            ArtworkError::Artgrid(error) => Ended::Artgrid(Box::new(row.clone()), error),
            error => Ended::Failure(artwork::failure(&error, context)),
        })?;
        let hit = self.find(&record, &cancel);
        let hit = hit.map_err(|error| Ended::Artgrid(Box::new(row.clone()), error))?;
        let Some(hit) = hit else { return Ok(ended("not_found", row)) };
        let mut row = Row { artgrid_id: Some(hit.id), match_name: Some(hit.name.clone()), ..row };
        let lacks = |field: &&String| {
            !artwork::is_held(&record, field, Right::Pass) && !artwork::has_picture(&record, field)
        };
        let (mut pictures, mut failures) = (Vec::new(), Vec::new());
        let (mut unasked, mut is_answered) = (None, false);
        for field in media.iter().filter(lacks) {
            let loaded = self.load(hit.id, field, &cancel);
            is_answered |= loaded.is_ok();
            match loaded {
                Ok(Ok(picture)) => pictures.push((field.as_str(), picture)),
                Ok(Err(NoPicture::Missing)) => {}
                Ok(Err(error)) => failures.push(format!("{field}: {error}")),
                Err(error) if error.ends_game() => {
                    return Err(Ended::Artgrid(Box::new(row), error));
                }
                Err(error) => {
                    failures.push(error.note(field));
                    unasked = unasked.or(Some(error));
                }
            }
        }
        if let Some(error) = unasked.filter(|_| !is_answered) {
            return Err(Ended::Artgrid(Box::new(row), error));
        }
        context.check().map_err(Ended::Failure)?;
        let mut paths = Vec::new();
        for (field, picture) in &pictures {
            let path = self.keep(&record, field, picture);
            let path = path.map_err(|error| Ended::Failure(artwork::disk_failure(&error)))?;
            paths.push((*field, Value::from(path.to_string_lossy().into_owned())));
        }
        let is_changed =
            self.write_match(context, &row, &record, &paths).map_err(Ended::Failure)?;
        let is_empty = pictures.is_empty() && !failures.is_empty();
        row.status = if is_empty { "error".to_owned() } else { "matched".to_owned() };
        row.error = Some(failures.join(", ")).filter(|error| !error.is_empty());
        row.media = Some(paths.iter().map(|(field, _)| (*field).to_owned()).collect());
        Ok((row, is_changed))
    }

    fn write_match(
        &self,
        context: &Context<'_>,
        row: &Row,
        before: &Record,
        paths: &[(&str, Value)],
    ) -> Result<bool, Failure> {
        if !paths.is_empty() {
            let written = paths.iter().filter_map(|(_, path)| path.as_str().map(str::to_owned));
            self.store.report(Cause::MediaChanged(written.collect()));
        }
        let pass = context.root_job_id();
        let written = self.store.change(|draft| {
            let id = row.game_id.as_str();
            let now = draft.state().games.find(id).map(|(_, game)| game.record());
            // A picture may have been added in the meantime.
            let is_as_before =
                |field: &str| now.as_ref().is_some_and(|now| now.text(field) == before.text(field));
            let paths: Vec<_> =
                paths.iter().filter(|(field, _)| is_as_before(field)).cloned().collect();
            let part = Write {
                game_id: id,
                id: row.artgrid_id.unwrap_or_default(),
                pass,
                right: Right::Pass,
                texts: (Mode::Fill, &[]),
                pictures: &paths,
            };
            let keys = artwork::write(draft, &part);
            let is_changed = paths.iter().any(|(field, _)| keys.iter().any(|key| key == field));
            origins::note_pass(draft, pass, TYPE, usize::from(is_changed));
            draft.set_cause(Cause::Bulk(vec![id.to_owned()]));
            is_changed
        });
        written.map_err(artwork::not_saved)
    }
}
