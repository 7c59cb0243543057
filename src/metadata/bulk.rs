//! The job that loads pictures for all games that have a number of the database (`POST /api/media/bulk`).
//!
//! Games are done in pieces: their pictures are loaded, at most four at once, then texts and paths of the
//! whole piece are written in one commit, then the job stores its progress. What one game lacks
//! affects only that game; without a connection or without room on the disk the job ends with a message.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    apply::media_values,
    error::{MetadataError, malformed},
    fields,
    manual::{self, NoManual},
    order::{Source, SourceOrder},
    pictures::{Loader, PictureError, Slot, slots},
    preview_work::{origin, snapshot},
    previews::not_saved,
    scrape::ScrapeSettings,
    service::Metadata,
};
use crate::{
    base::schema::schema,
    config::settings::read,
    game::origins::{self, Mode},
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        items::{Item, PROVIDER_ERROR},
        kind::{Failure, object},
        runner::Filter,
    },
    media::{presence::has_media, queue},
    metadb::{Database, Row},
    model::{
        Cause, Game, State,
        origins::{Origins, Right},
    },
    providers::ProviderError,
};

/// The name of the job.
const NAME: &str = "media-bulk";
const TYPE: &str = "media.bulk_download";
const SPEC: Spec = Spec {
    resumes: true,
    retries_failed_only: true,
    ..Spec::new(TYPE, &[(NAME, Title::Fixed("Bulk media download"))])
};
/// What the pass is called.
const PASS: &str = "media.bulk_download";
/// Games of one commit.
const PIECE: usize = 12;
/// Errors that are shown, the newest.
const ERRORS: usize = 20;
/// Games that a retry works on.
const FAILED: usize = 10_000;
/// Pictures of which all must be unreachable before the connection counts as lost.
const LOST: usize = 2;

schema! {
    "MediaBulkJob"
    /// Where loading the pictures stands.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct BulkJob {
        /// `idle` before there was any, `running`, `done`, or `error`.
        pub state: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub job_id: Option<String>,
        /// Games so far.
        pub current: u64,
        /// Games in all.
        pub total: u64,
        /// Games that changed.
        pub updated: u64,
        /// What failed, with the game in front; the last 20.
        pub errors: Vec<String>,
        /// Games whose archive has no manual.
        pub manual_missing: u64,
        /// Why the job ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<String>,
    }
}

/// What is to be loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BulkInput {
    /// Kinds of media.
    pub media: Vec<String>,
    /// Whether what is there is replaced.
    pub overwrite: bool,
    /// Blank and `all` mean every platform.
    pub platform: String,
    /// Only games of this import.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub import_batch_id: String,
    /// Only these games: those that failed, or wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_game_ids: Option<Vec<String>>,
    /// Whether the games come from the queue: the limit of downloads was applied when they entered it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_waiting: bool,
}

/// The outcome of the games so far, and where a resume continues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    last_game_id: String,
    failed_game_ids: Vec<String>,
    /// Games that changed.
    pub updated: u64,
    /// Games for which pictures were asked for.
    loaded: u64,
    manual_missing: u64,
    /// The newest ones.
    pub errors: Vec<String>,
}

impl Tally {
    /// Games that failed.
    pub fn failed(&self) -> usize {
        self.failed_game_ids.len()
    }

    fn fail(&mut self, game: &Prepared, sentence: &str) {
        self.errors.push(format!("{}: {sentence}", game.name));
        let old = self.errors.len().saturating_sub(ERRORS);
        self.errors.drain(..old);
        if self.failed_game_ids.last() != Some(&game.id) && self.failed_game_ids.len() < FAILED {
            self.failed_game_ids.push(game.id.clone());
        }
    }
}

/// The kind of work that loads pictures.
pub(super) fn kind(metadata: &Arc<Metadata>) -> Kind {
    Kind::new(SPEC, metadata, run)
}

fn run(metadata: &Metadata, context: &Context<'_>) -> Outcome {
    let input = BulkInput::deserialize(context.input());
    let input = input.map_err(|error| Failure::new(error.to_string()))?;
    let (tally, _) = metadata.load_media(context, &input)?;
    Ok(object(json!({"completed": tally.updated, "failed": tally.failed(),
        "updated": tally.updated, "errors": tally.errors, "manual_missing": tally.manual_missing,
        "pass_id": context.root_job_id()})))
}

/// Starts loading pictures. An active job is reused.
///
/// # Errors
/// [`MetadataError::NoDatabase`], `Select at least one valid media type.`, or when the job is not accepted.
pub fn submit(
    metadata: &Metadata,
    jobs: &Jobs,
    media: Option<&Value>,
    overwrite: bool,
    platform: &str,
) -> Result<Accepted, MetadataError> {
    let kinds = super::apply::media_kinds(media).unwrap_or_default();
    if kinds.is_empty() {
        return malformed("Select at least one valid media type.");
    }
    metadata.previews.database()?;
    let input = BulkInput {
        media: kinds.into_iter().map(str::to_owned).collect(),
        overwrite,
        platform: platform.to_owned(),
        ..BulkInput::default()
    };
    let (name, input) = (NAME.to_owned(), object(json!(input)));
    Ok(jobs.submit(Submission { name, input, same_name: SameName::Join })?)
}

/// Starts loading the pictures for which games of earlier imports wait, when the settings of imports allow it;
/// returns whether any game waits. An active job is reused.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_waiting(
    metadata: &Metadata,
    jobs: &Jobs,
    state: &State,
) -> Result<bool, MetadataError> {
    let is_on = ScrapeSettings::of(state.settings()).scrape_after_import;
    if !is_on || metadata.previews.database().is_err() {
        return Ok(false);
    }
    let has_number = |id: &&str| {
        let found = state.games.find(id);
        found.is_some_and(|(_, game)| !game.record().shown(fields::ID).trim().is_empty())
    };
    let (mut ids, mut media) = (Vec::new(), BTreeSet::new());
    for row in queue::waiting(&metadata.files, &metadata.data_dir) {
        let Some(id) = row["game_id"].as_str().filter(has_number) else { continue };
        ids.push(id.to_owned());
        let kinds = row["media"].as_array().into_iter().flatten();
        media.extend(kinds.filter_map(|kind| kind.as_str().map(str::to_owned)));
    }
    if media.is_empty() {
        return Ok(false);
    }
    let input = BulkInput {
        media: media.into_iter().collect(),
        failed_game_ids: Some(ids),
        is_waiting: true,
        ..BulkInput::default()
    };
    let (name, input) = (NAME.to_owned(), object(json!(input)));
    jobs.submit(Submission { name, input, same_name: SameName::Join })?;
    Ok(true)
}

/// Where the last job stands.
pub fn status(jobs: &Jobs) -> BulkJob {
    let page = jobs.list(&Filter { limit: 1, kind: Some(TYPE.to_owned()), ..Filter::default() });
    let Some(job) = page.jobs.into_iter().next() else {
        return BulkJob { state: "idle", ..BulkJob::default() };
    };
    let state = match job.state.name() {
        "queued" | "running" | "cancelling" => "running",
        "done" | "partial" => "done",
        _ => "error",
    };
    let job = json!(job);
    let tally = Tally::deserialize(&job["checkpoint"]).unwrap_or_default();
    let text = |key: &str| job[key].as_str().map(str::to_owned);
    let stopped = (state == "error").then(|| "Loading pictures was stopped.".to_owned());
    BulkJob {
        state,
        job_id: text("job_id"),
        current: job["current"].as_u64().unwrap_or(0),
        total: job["total"].as_u64().unwrap_or(0),
        updated: tally.updated,
        errors: tally.errors,
        manual_missing: tally.manual_missing,
        error: text("error").or(stopped),
    }
}

/// A game with what it is to get.
struct Prepared {
    /// The game as it was then.
    before: Arc<Game>,
    id: String,
    name: String,
    path: String,
    row: Row,
    slots: Vec<Slot>,
    wants_manual: bool,
}

impl Metadata {
    /// Loads what an input asks for, from where an attempt before ended; returns the outcome of the games, and their
    /// number.
    pub(super) fn load_media(
        &self,
        context: &Context<'_>,
        input: &BulkInput,
    ) -> Result<(Tally, usize), Failure> {
        let database = self.previews.database()?;
        let state = snapshot(&self.store)?;
        let ids = wanted(&state, input);
        let limit = read::integer(state.settings(), "media_download_limit");
        let limit = u64::try_from(limit).ok().filter(|limit| *limit > 0 && !input.is_waiting);
        let limit = limit.unwrap_or(u64::MAX);
        let regions = read::texts(state.settings(), "region_priority");
        let sources = SourceOrder::of(state.settings());
        let input = &BulkInput {
            media: input
                .media
                .iter()
                .filter(|kind| is_asked(&sources.of_media(kind)))
                .cloned()
                .collect(),
            ..input.clone()
        };
        drop(state);
        let resumed = context.resumed_from().and_then(|value| Tally::deserialize(value).ok());
        let mut tally = resumed.unwrap_or_default();
        let at = ids.iter().position(|id| *id == tally.last_game_id);
        let mut done = at.map_or(0, |at| at + 1);
        context.expect(ids.len() as u64, "games");
        for piece in ids[done..].chunks(PIECE) {
            context.check()?;
            let state = snapshot(&self.store)?;
            let left = limit.saturating_sub(tally.loaded);
            let games =
                piece.iter().filter_map(|id| prepare(&state, &database, input, &regions, id));
            let games = keep(games, left);
            let before = tally.clone();
            if let Err(failure) = self.load_piece(context, input, &games, &mut tally) {
                if failure != Failure::Stopped {
                    let rest = ids[done..].iter().take(FAILED).cloned();
                    let failed_game_ids = before.failed_game_ids.iter().cloned().chain(rest);
                    let failed_game_ids = failed_game_ids.take(FAILED).collect();
                    context.checkpoint(json!(Tally { failed_game_ids, ..before }), done as u64);
                }
                return Err(failure);
            }
            // What waited for these games has come, as far as it can. Games beyond the limit, kinds that were
            // not asked for and games that only a newer database knows wait further.
            let loaded: Vec<String> = games.iter().map(|game| game.id.clone()).collect();
            let taken = queue::take_loaded(&self.files, &self.data_dir, &loaded, &input.media);
            if let Err(error) = taken {
                log::warn!("games stay in the queue of pictures: {error}");
            }
            done += piece.len();
            tally.last_game_id = piece.last().cloned().unwrap_or_default();
            context.checkpoint(json!(tally), done as u64);
            if tally.loaded >= limit {
                break;
            }
        }
        Ok((tally, ids.len()))
    }

    /// Loads and writes what a few games are to get.
    fn load_piece(
        &self,
        context: &Context<'_>,
        input: &BulkInput,
        games: &[Prepared],
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let cancel = || context.check().is_err();
        let loader = Loader { providers: &self.providers, files: &self.files, cancel: &cancel };
        let folders: Vec<_> = games.iter().map(|game| self.folder(game.row.id)).collect();
        let mut places: Vec<(&Path, &Slot)> = Vec::new();
        for (game, folder) in games.iter().zip(&folders) {
            if !game.slots.is_empty() || game.wants_manual {
                self.files.private_dir(folder).map_err(MetadataError::Disk)?;
            }
            tally.loaded += u64::from(!game.slots.is_empty());
            places.extend(game.slots.iter().map(|slot| (folder.as_path(), slot)));
        }
        let mut fetched = loader.fetch_all(&places).into_iter();
        refuse_lost(fetched.as_slice())?;
        let (mut changes, mut paths) = (Vec::new(), Vec::new());
        for (game, folder) in games.iter().zip(&folders) {
            let mut pictures = Vec::new();
            for (slot, outcome) in game.slots.iter().zip(&mut fetched) {
                match outcome {
                    Ok((path, is_new)) => {
                        paths.extend(is_new.then(|| path.to_string_lossy().into_owned()));
                        pictures.push((slot.kind, path));
                    }
                    Err(PictureError::Provider(ProviderError::Stopped)) => {
                        return Err(Failure::Stopped);
                    }
                    Err(PictureError::Disk(error)) => return Err(MetadataError::Disk(error).into()),
                    Err(error) => {
                        let sentence = format!("{}: {error}", slot.kind);
                        tally.fail(game, &sentence);
                        let (id, name) = (&game.id, &game.name);
                        context.item(Item::failed(id, name, PROVIDER_ERROR, &sentence));
                    }
                }
            }
            if game.wants_manual {
                match manual::copy(&self.files, &game.path, folder) {
                    Ok(path) => pictures.push(("manual", path)),
                    Err(NoManual::Disk(error)) => return Err(MetadataError::Disk(error).into()),
                    Err(_) => tally.manual_missing += 1,
                }
            }
            changes.push((game, media_values(&pictures)));
        }
        if !paths.is_empty() {
            self.store.report(Cause::MediaChanged(paths));
        }
        tally.updated += self.write(context.root_job_id(), input, &changes)? as u64;
        Ok(())
    }

    /// Writes texts and paths in one commit; how many games changed.
    fn write(
        &self,
        pass: &str,
        input: &BulkInput,
        changes: &[(&Prepared, Vec<(&'static str, Value)>)],
    ) -> Result<usize, MetadataError> {
        let written = self.store.change(|draft| {
            let sources = SourceOrder::of(draft.state().settings());
            let mut updated = Vec::new();
            for (game, media) in changes {
                let origin = origin(game.row.id, pass);
                let present = draft.state().games.find(&game.id);
                let platform = present.map(|(_, game)| game.platform()).unwrap_or_default();
                let mut texts = fields::values(&game.row, platform);
                texts.retain(|(field, _)| is_asked(&sources.of_field(field)));
                // Without leave to replace, only what was missing was loaded: nothing, or a file that is gone.
                let untouched = || origins::untouched(draft, &game.before, media);
                let media = if input.overwrite { media.clone() } else { untouched() };
                let (right, id) = (Right::Pass, game.id.as_str());
                let mut keys = origins::fill(draft, id, origin.clone(), right, Mode::Fill, &texts);
                keys.extend(origins::fill(draft, id, origin, right, Mode::Replace, &media));
                if !keys.is_empty() {
                    updated.push(game.id.clone());
                }
            }
            let count = updated.len();
            origins::note_pass(draft, pass, PASS, count);
            draft.set_cause(Cause::Bulk(updated));
            count
        });
        written.map_err(not_saved)
    }
}

/// Whether the metadata database is among the sources that the user wants.
fn is_asked(sources: &[Source]) -> bool {
    sources.contains(&Source::Metadb)
}

/// Ends the work when no picture could be reached.
fn refuse_lost(fetched: &[super::pictures::Fetched]) -> Result<(), Failure> {
    let unreachable = |outcome: &super::pictures::Fetched| match outcome {
        Err(PictureError::Provider(ProviderError::Unreachable(reason))) => Some(reason.clone()),
        _ => None,
    };
    let reasons: Option<Vec<String>> = fetched.iter().map(unreachable).collect();
    match reasons.filter(|reasons| reasons.len() >= LOST) {
        Some(reasons) => Err(Failure::new(format!(
            "Pictures could not be loaded ({}). Check the connection and try again.",
            reasons[0].trim_end_matches('.')
        ))),
        None => Ok(()),
    }
}

/// The games that an input is about, in the order of the library.
fn wanted(state: &State, input: &BulkInput) -> Vec<String> {
    let platform = input.platform.trim();
    let is_all = platform.is_empty() || platform.eq_ignore_ascii_case("all");
    let batch = input.import_batch_id.as_str();
    let failed = input.failed_game_ids.as_ref();
    let failed =
        failed.map(|ids| ids.iter().map(String::as_str).collect::<std::collections::HashSet<_>>());
    let is_wanted = |game: &&Arc<Game>| {
        (is_all || game.platform() == platform)
            && failed.as_ref().is_none_or(|ids| ids.contains(game.id()))
            && game.json().contains(fields::ID)
            && (batch.is_empty() || game.record().text("import_batch_id") == batch)
            && !game.record().shown(fields::ID).trim().is_empty()
    };
    state.games.iter().filter(is_wanted).map(|game| game.id().to_owned()).collect()
}

/// What a game is to get; `None` when the database does not know its number, or it lacks nothing.
fn prepare(
    state: &State,
    database: &Database,
    input: &BulkInput,
    regions: &[String],
    id: &str,
) -> Option<Prepared> {
    let (_, game) = state.games.find(id)?;
    let record = game.record();
    let row = database.row(record.shown(fields::ID).trim().parse().ok()?)?;
    let known = Origins::of(&record);
    let lacks = |kind: &&str| {
        !known.holds(kind, Right::Pass) && (input.overwrite || !has_media(&record, kind))
    };
    let kinds: Vec<&str> = input.media.iter().map(String::as_str).filter(lacks).collect();
    let slots = slots(&database.images(row.id), &kinds, regions);
    Some(Prepared {
        before: Arc::clone(game),
        id: game.id().to_owned(),
        name: game.name().to_owned(),
        path: record.text("path").to_owned(),
        wants_manual: kinds.contains(&"manual"),
        slots,
        row,
    })
}

/// Games up to the number of them that may still load pictures.
fn keep(games: impl Iterator<Item = Prepared>, mut left: u64) -> Vec<Prepared> {
    let mut kept = Vec::new();
    for game in games {
        if !game.slots.is_empty() {
            if left == 0 {
                break;
            }
            left -= 1;
        }
        kept.push(game);
    }
    kept
}
