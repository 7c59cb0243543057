//! Lookups after an import (`POST /api/v2/metadata/auto-scrape`): a job that matches its games,
//! and one that waits for that and loads their pictures.

use std::{collections::BTreeSet, sync::Arc};

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::{
    accounts, apply,
    bulk::BulkInput,
    error::{MetadataError, malformed},
    fill::{self, Part, Plan},
    order::Source,
    preview_work::{match_games, snapshot},
    scrape::{ScrapeSettings, usual_media},
    service::Metadata,
};
use crate::{
    artgrid::artwork,
    base::{Moment, schema::schema},
    jobs::{
        Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    metadb::kinds,
    model::State,
};

/// Games of an import that the artwork provider is asked for; each costs it several requests.
const ARTWORK: usize = 100;
const MATCH: &str = "metadata-match:";
const MEDIA: &str = "metadata-media:";
/// What the pass is called that fills in games and loads their pictures.
const MEDIA_PASS: &str = "metadata.media_auto";
/// The key of the input that names the import.
const BATCH: &str = "import_batch_id";
const MATCH_SPEC: Spec = Spec {
    subject: Some(BATCH),
    resumes: true,
    ..Spec::new("metadata.match_auto", &[(MATCH, Title::Spelled)])
};
const MEDIA_SPEC: Spec = Spec {
    subject: Some(BATCH),
    resumes: true,
    ..Spec::new(MEDIA_PASS, &[(MEDIA, Title::Spelled)])
};

schema! {
    "AutoScrape"
    /// What is looked up for the games of an import.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct Queued {
        pub queued: bool,
        /// Why nothing is.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub import_batch_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub match_job_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub media_job_id: Option<String>,
        /// The review of the matches: its id, or null without the metadata database.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub preview_id: Option<Value>,
    }
}

/// Ends the wait for an import however its matching ends.
struct Matching<'a>(&'a Metadata, &'a str);

impl Drop for Matching<'_> {
    fn drop(&mut self) {
        self.0.pending.end(self.1);
    }
}

/// The kinds of work that follow imports.
pub(super) fn kinds(metadata: &Arc<Metadata>) -> [Kind; 2] {
    [Kind::new(MATCH_SPEC, metadata, run_match), Kind::new(MEDIA_SPEC, metadata, run_media)]
}

/// The options of a request for an import.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// The import.
    pub import_batch_id: &'a str,
    /// Kinds of media; those of the settings when it is missing, none when it is empty.
    pub media_types: Option<&'a Value>,
    /// Whether pictures that are there are replaced.
    pub overwrite: bool,
}

/// Starts matching games of an import and loading their pictures. Jobs of an earlier request for it end.
///
/// # Errors
/// `import_batch_id is required.`, `Invalid media type selection.`, or when a job is not accepted.
pub fn submit(
    metadata: &Metadata,
    jobs: &Jobs,
    state: &State,
    request: &Request<'_>,
    now: &Moment,
) -> Result<Queued, MetadataError> {
    let batch = request.import_batch_id.trim();
    if batch.is_empty() {
        return malformed("import_batch_id is required.");
    }
    let Ok(kinds) = apply::media_kinds(request.media_types) else {
        return malformed("Invalid media type selection.");
    };
    if !ScrapeSettings::of(state.settings()).scrape_after_import {
        let reason = Some("scrape_after_import is disabled");
        return Ok(Queued { reason, ..Queued::default() });
    }
    let is_named = request.media_types.is_some_and(|value| !value.is_null());
    let media =
        if is_named { kinds.into_iter().map(str::to_owned).collect() } else { usual_media(state) };
    let preview_id = match metadata.previews.prepare(jobs, None, batch.to_owned(), now) {
        Ok(preview) => Some(preview.preview_id),
        Err(MetadataError::NoDatabase) => None,
        Err(error) => return Err(error),
    };
    let input = BulkInput {
        media,
        overwrite: request.overwrite,
        import_batch_id: batch.to_owned(),
        ..BulkInput::default()
    };
    let start = |name: &str, input: Value| {
        let (name, same_name) = (format!("{name}{batch}"), SameName::Replace);
        jobs.submit(Submission { name, input: object(input), same_name })
    };
    metadata.pending.begin(batch);
    let matching = json!({BATCH: batch, "preview_id": preview_id});
    let matching = start(MATCH, matching).inspect_err(|_| metadata.pending.end(batch))?;
    if let Some(id) = &preview_id {
        metadata.previews.note_job(id, &matching.job_id)?;
    }
    let media = start(MEDIA, json!(input))?;
    Ok(Queued {
        queued: true,
        reason: None,
        import_batch_id: Some(batch.to_owned()),
        match_job_id: Some(matching.job_id),
        media_job_id: Some(media.job_id),
        preview_id: Some(preview_id.into()),
    })
}

fn run_match(metadata: &Metadata, context: &Context<'_>) -> Outcome {
    let batch = context.text(BATCH);
    let _matching = Matching(metadata, batch);
    let id = context.text("preview_id");
    let metadb = if id.is_empty() {
        json!({"skipped": MetadataError::NoDatabase.to_string()})
    } else {
        let preview = metadata.previews.files.find(id)?;
        let counts = match_games(&metadata.previews, context, &preview)?;
        let errors: [&str; 0] = [];
        json!({"matched": counts.auto_applied, "errors": errors})
    };
    let (scraper, gamedb) = accounts::run(metadata, context, batch)?;
    let matched = [&metadb, &scraper, &gamedb].map(|part| part["matched"].as_u64().unwrap_or(0));
    Ok(object(json!({"batch": batch, "preview_id": Some(id).filter(|id| !id.is_empty()),
        "completed": matched.iter().sum::<u64>(), "metadb": metadb, "scraper": scraper,
        "gamedb": gamedb, "pass_id": context.root_job_id()})))
}

fn run_media(metadata: &Metadata, context: &Context<'_>) -> Outcome {
    let input = BulkInput::deserialize(context.input());
    let input = input.map_err(|error| Failure::new(error.to_string()))?;
    context.phase("waiting");
    let is_matched = metadata.pending.wait(&input.import_batch_id, context)?;
    context.phase("downloading");
    let match_wait = if is_matched { "done" } else { "timeout" };
    let batch = input.import_batch_id.as_str();
    let mut output = json!({"batch": batch, "media_types": input.media, "match_wait": match_wait});
    let has_database = metadata.previews.database().is_ok();
    let mut others = Others::new(metadata, context, &input)?;
    others.fill(if has_database { Part::Before } else { Part::All })?;
    let (mut updated, mut failed, mut errors, mut targets) = (0, 0, Vec::new(), 0);
    if input.media.is_empty() || !has_database {
        output["metadb"] = json!({"skipped": true});
    } else {
        let loaded = metadata.load_media(context, &input)?;
        output["metadb"] = json!({"updated": loaded.0.updated, "errors": loaded.0.errors});
        (updated, failed, targets) = (loaded.0.updated, loaded.0.failed() as u64, loaded.1);
        errors.clone_from(&loaded.0.errors);
        others.fill(Part::After)?;
    }
    let Others { tally, on, .. } = others;
    output["artgrid"] = if on.contains(&Source::Artgrid) {
        let filled = tally.by_source.get(Source::Artgrid.id()).copied().unwrap_or(0);
        let errors = tally.errors_by_source.get(Source::Artgrid.id());
        json!({"filled": filled, "errors": errors.map_or(&[][..], Vec::as_slice)})
    } else {
        json!({"skipped": true})
    };
    output["targets"] = json!(targets);
    if has_database || tally.updated + tally.failed > 0 {
        errors.extend(tally.errors.iter().cloned());
        output["completed"] = json!(updated + tally.updated);
        output["failed"] = json!(failed + tally.failed);
        output["errors"] = json!(errors);
        output["by_source"] = json!(tally.by_source);
        output["pass_id"] = json!(context.root_job_id());
    }
    Ok(object(output))
}

/// What sources besides the metadata database add for the games of an import.
struct Others<'a> {
    metadata: &'a Metadata,
    context: &'a Context<'a>,
    input: &'a BulkInput,
    on: BTreeSet<Source>,
    tally: fill::Tally,
}

impl<'a> Others<'a> {
    fn new(
        metadata: &'a Metadata,
        context: &'a Context<'a>,
        input: &'a BulkInput,
    ) -> Result<Self, Failure> {
        let on = metadata.sources_after_import(&*snapshot(&metadata.store)?);
        Ok(Self { metadata, context, input, on, tally: fill::Tally::default() })
    }

    /// Asks those that come before the metadata database, or behind it.
    fn fill(&mut self, part: Part) -> Result<(), Failure> {
        if self.on.is_empty() {
            return Ok(());
        }
        let state = snapshot(&self.metadata.store)?;
        let batch = self.input.import_batch_id.as_str();
        let games = state.games.iter().filter(|game| game.json().contains(batch));
        let games = games.filter(|game| game.record().text("import_batch_id") == batch);
        let ids: Vec<String> = games.map(|game| game.id().to_owned()).collect();
        drop(state);
        let (first, rest) = ids.split_at(ids.len().min(ARTWORK));
        let mut on = self.on.clone();
        self.fill_from(part, &on, first)?;
        on.remove(&Source::Artgrid);
        if on.is_empty() { Ok(()) } else { self.fill_from(part, &on, rest) }
    }

    fn fill_from(
        &mut self,
        part: Part,
        on: &BTreeSet<Source>,
        ids: &[String],
    ) -> Result<(), Failure> {
        let known = kinds::KINDS.iter().map(|kind| kind.kind);
        let media: Vec<_> =
            known.filter(|kind| self.input.media.iter().any(|it| it == kind)).collect();
        let artwork = artwork::kinds().filter(|kind| !media.contains(kind)).collect();
        let plan = Plan { part, media, artwork, renews: false, on: on.clone(), kind: MEDIA_PASS };
        // Where this ends a resume checks the games again, and finds nothing that they lack.
        let after = |_: &fill::Tally, _: usize| {};
        self.metadata.fill_games(self.context, &plan, ids, 0, &mut self.tally, &after)
    }
}
