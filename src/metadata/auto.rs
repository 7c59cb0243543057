//! What is looked up after an import (`POST /api/v2/metadata/auto-scrape`): a job that matches its games,
//! and one that waits for that and loads their pictures.

use std::sync::Arc;

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::{
    accounts, apply,
    bulk::Order,
    error::{MetadataError, malformed},
    preview_work::match_games,
    scrape::ScrapeSettings,
    service::Metadata,
};
use crate::{
    base::{Moment, schema::schema},
    config::settings::{read, table::AUTO_IMPORTED},
    jobs::{
        Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    model::State,
};

const MATCH: &str = "metadata-match:";
const MEDIA: &str = "metadata-media:";
const MATCH_SPEC: Spec =
    Spec { resumes: true, ..Spec::new("metadata.match_auto", &[(MATCH, Title::Spelled)]) };
const MEDIA_SPEC: Spec =
    Spec { resumes: true, ..Spec::new("metadata.media_auto", &[(MEDIA, Title::Spelled)]) };

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
        /// The review of the matches; none without the metadata database.
        pub preview_id: Option<String>,
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

/// What a request for an import says.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// The import.
    pub import_batch_id: &'a str,
    /// Kinds of media; those of the settings when it is missing, none when it is empty.
    pub media_types: Option<&'a Value>,
    /// Whether pictures that are there are replaced.
    pub overwrite: bool,
}

/// Has games of an import matched and their pictures loaded. Jobs of an earlier request for it end.
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
        if is_named { kinds.into_iter().map(str::to_owned).collect() } else { usual(state) };
    let preview_id = match metadata.previews.prepare(jobs, None, batch.to_owned(), now) {
        Ok(preview) => Some(preview.preview_id),
        Err(MetadataError::NoDatabase) => None,
        Err(error) => return Err(error),
    };
    let order = Order {
        media,
        overwrite: request.overwrite,
        import_batch_id: batch.to_owned(),
        ..Order::default()
    };
    let start = |name: &str, input: Value| {
        let (name, same_name) = (format!("{name}{batch}"), SameName::Replace);
        jobs.submit(Submission { name, input: object(input), same_name })
    };
    metadata.pending.begin(batch);
    let matching = json!({"import_batch_id": batch, "preview_id": preview_id});
    let matching = start(MATCH, matching).inspect_err(|_| metadata.pending.end(batch))?;
    if let Some(id) = &preview_id {
        metadata.previews.note_job(id, &matching.job_id)?;
    }
    let media = start(MEDIA, json!(order))?;
    Ok(Queued {
        queued: true,
        reason: None,
        import_batch_id: Some(batch.to_owned()),
        match_job_id: Some(matching.job_id),
        media_job_id: Some(media.job_id),
        preview_id,
    })
}

/// The kinds of media of the settings.
fn usual(state: &State) -> Vec<String> {
    let named = read::texts(state.settings(), "auto_import_media_types");
    if named.is_empty() {
        AUTO_IMPORTED.iter().map(|kind| (*kind).to_owned()).collect()
    } else {
        named
    }
}

fn run_match(metadata: &Metadata, context: &Context<'_>) -> Outcome {
    let batch = context.text("import_batch_id");
    let _matching = Matching(metadata, batch);
    let id = context.text("preview_id");
    let metadb = if id.is_empty() {
        json!({"skipped": MetadataError::NoDatabase.to_string()})
    } else {
        let preview = metadata.previews.shelf.find(id)?;
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
    let order = Order::deserialize(context.input());
    let order = order.map_err(|error| Failure::new(error.to_string()))?;
    context.phase("waiting");
    let is_matched = metadata.pending.wait(&order.import_batch_id, context)?;
    context.phase("downloading");
    let match_wait = if is_matched { "done" } else { "timeout" };
    let batch = order.import_batch_id.as_str();
    if order.media.is_empty() || metadata.previews.database().is_err() {
        return Ok(object(json!({"batch": batch, "media_types": order.media,
            "match_wait": match_wait, "targets": 0, "metadb": {"skipped": true}})));
    }
    let (tally, targets) = metadata.load_media(context, &order)?;
    Ok(object(json!({"batch": batch, "media_types": order.media, "match_wait": match_wait,
        "targets": targets, "completed": tally.updated, "failed": tally.failed(),
        "pass_id": context.root_job_id(), "errors": tally.errors,
        "metadb": {"updated": tally.updated, "errors": tally.errors}})))
}
