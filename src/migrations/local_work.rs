//! The job that applies the files of a plan (`POST /api/v2/media/local/apply`).
//!
//! A file that may be shown where it lies stays there, any other is copied to the media of the program. Each
//! game is one commit of one pass that can be undone. Only fields that are empty by then are filled, so
//! what a kill leaves is finished by a resume.

use std::{error::Error, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    local_match::{self, Row},
    local_media::{APPLY, LocalMedia},
};
use crate::{
    game::origins::{self, Mode},
    jobs::{
        Context, Kind, Outcome, Spec, Title,
        items::Item,
        kind::{Failure, object},
    },
    media::{
        documents::{self, DocumentFailure, Places},
        own_pictures::{self, PictureFailure},
        own_videos::{self, VideoFailure},
    },
    model::{
        Cause, State,
        media::{Content, MEDIA},
        origins::{Origin, Right},
    },
    store::CommitError,
};

const TYPE: &str = "media.local";
const SPEC: Spec = Spec {
    resumes: true,
    ..Spec::new(TYPE, &[(APPLY, Title::Fixed("Pictures on this computer"))])
};

/// The outcome of the games so far, and where a resume continues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Tally {
    /// Games that are done.
    games: usize,
    /// Games that gained something.
    updated: u64,
    /// Files that were applied.
    added: u64,
    /// Files that could not be.
    failed: u64,
}

/// The kind of work that takes files over.
pub(super) fn kind(service: &Arc<LocalMedia>) -> Kind {
    Kind::new(SPEC, service, run)
}

fn run(service: &LocalMedia, context: &Context<'_>) -> Outcome {
    let rows = service.find(context.text("plan_id"))?.found.items;
    let games: Vec<&[Row]> = rows.chunk_by(|a, b| a.game_id == b.game_id).collect();
    let resumed = context.resumed_from().and_then(|value| Tally::deserialize(value).ok());
    let mut tally = resumed.unwrap_or_default();
    context.expect(games.len() as u64, "games");
    for (at, rows) in games.iter().enumerate().skip(tally.games) {
        context.check()?;
        context.progress(at as u64, rows.first().map_or("", |row| &row.name));
        service.take_over(context, rows, &mut tally)?;
        tally.games = at + 1;
        context.checkpoint(json!(tally), tally.games as u64);
    }
    Ok(object(json!({"completed": tally.updated, "added": tally.added, "failed": tally.failed,
        "games": games.len(), "pass_id": context.root_job_id()})))
}

/// Why one file was not applied.
enum NotAdopted {
    /// The file cannot be used: the sentence for the user.
    File(String),
    /// Nothing can be written any more.
    Disk(String),
}

impl NotAdopted {
    fn new(is_disk: bool, failure: &impl Error) -> Self {
        let sentence = failure.to_string();
        if is_disk { Self::Disk(sentence) } else { Self::File(sentence) }
    }
}

impl LocalMedia {
    /// Takes the files of one game over and writes their paths in one commit.
    fn take_over(
        &self,
        context: &Context<'_>,
        rows: &[Row],
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let unread = |error: &crate::store::Unavailable| Failure::Failed {
            code: "STATE_UNAVAILABLE",
            message: error.to_string(),
        };
        let state = self.store.snapshot().map_err(|error| unread(&error))?;
        let Some(game) = rows.first().and_then(|row| state.games.find(&row.game_id)) else {
            return Ok(());
        };
        let (game_id, record) = (game.1.id(), game.1.record());
        let mut values: Vec<(&str, Vec<String>)> = Vec::new();
        for row in rows.iter().filter(|row| local_match::is_open(&record, &row.field)) {
            context.check()?;
            match self.adopt(&state, game.1.path(), row) {
                Ok(path) => match values.iter_mut().find(|(field, _)| *field == row.field) {
                    Some((_, paths)) if !paths.contains(&path) => paths.push(path),
                    Some(_) => {}
                    None => values.push((&row.field, vec![path])),
                },
                Err(NotAdopted::Disk(sentence)) => return Err(Failure::new(sentence)),
                Err(NotAdopted::File(sentence)) => {
                    tally.failed += 1;
                    let item_id = format!("{}:{}", row.game_id, row.field);
                    context.item(Item::failed(&item_id, &row.name, "BAD_REQUEST", &sentence));
                }
            }
        }
        if values.is_empty() {
            return Ok(());
        }
        let paths: Vec<String> = values.iter().flat_map(|(_, paths)| paths.clone()).collect();
        self.store.report(Cause::MediaChanged(paths));
        let pass = context.root_job_id();
        let origin = Origin { pass: pass.to_owned(), ..Origin::import(rows[0].program.name(), "") };
        let writes: Vec<(&str, Value)> = values
            .iter()
            .map(|(field, paths)| {
                let value =
                    if local_match::is_list(field) { json!(paths) } else { json!(paths[0]) };
                (*field, value)
            })
            .collect();
        let written = self.store.change(|draft| {
            // A field may have been written or locked in the meantime.
            let keys = origins::fill(draft, game_id, origin, Right::Pass, Mode::Fill, &writes);
            origins::note_pass(draft, pass, TYPE, usize::from(!keys.is_empty()));
            draft.set_cause(Cause::Bulk(vec![game_id.to_owned()]));
            keys
        });
        let keys = written.map_err(|error| match error {
            CommitError::Unavailable(error) => unread(&error),
            CommitError::Disk(error) => {
                Failure::new(format!("The library could not be saved: {}.", error.reason()))
            }
            CommitError::Refused(never) => match never {},
        })?;
        tally.updated += u64::from(!keys.is_empty());
        let is_written = |field: &str| keys.iter().any(|key| key == field);
        let added = values.iter().filter(|(field, _)| is_written(field));
        tally.added += added.map(|(_, paths)| paths.len() as u64).sum::<u64>();
        Ok(())
    }

    /// The path of a file once it lies where it may be shown.
    fn adopt(&self, state: &State, game: &str, row: &Row) -> Result<String, NotAdopted> {
        let (files, roots, home) = (&self.files, &*self.roots, self.home.as_path());
        let content = MEDIA.iter().find(|kind| kind.field == row.field).map(|kind| kind.content);
        let own = own_pictures::folder(&self.data_dir.media());
        let path = match content {
            Some(Content::Document) => {
                let places = Places::of(roots, self.data_dir.root(), state, game);
                let folder = self.data_dir.media().join("documents");
                documents::adopt(files, &places, &folder, &row.path, home).map_err(|failure| {
                    NotAdopted::new(matches!(failure, DocumentFailure::Disk(_)), &failure)
                })?
            }
            Some(Content::Video | Content::SpecialVideo) => {
                own_videos::adopt(files, roots, &own, &row.path, home).map_err(|failure| {
                    NotAdopted::new(matches!(failure, VideoFailure::Disk(_)), &failure)
                })?
            }
            _ => own_pictures::adopt(files, roots, &own, &row.path, home).map_err(|failure| {
                NotAdopted::new(matches!(failure, PictureFailure::Disk(_)), &failure)
            })?,
        };
        // OK because folders and names were texts.
        Ok(path.to_string_lossy().into_owned())
    }
}
