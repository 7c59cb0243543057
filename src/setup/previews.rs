//! Requests of clients: making, showing, deciding on, revalidating and committing previews.
//!
//! Each of these checks everything before it changes anything; the long work is that of the jobs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{
    base::{Moment, ids},
    care::base_token::TokenCache,
    imports::folder::real_folder,
    jobs::{Accepted, Jobs, SameName, Submission, machine::State as JobState, runner::Filter},
    launch::detection::Detector,
    model::{Record, State, emulators::Catalog},
    store::Store,
};

use super::{
    classify::Group,
    commit,
    decision::{self, Choice, KnownCandidates},
    error::SetupError,
    items::{Cursor, FOLDERS, Index, ItemPage, Selection, ShownItem},
    preview::{Preview, ShownPreview},
    preview_files::{Decisions, PreviewFiles},
    reading::ScanContext,
    resolve,
    systems::{self, FolderPage},
};

/// The setup previews: the use cases of `/api/v2/setup`.
pub struct Previews {
    pub(super) store: Store,
    pub(super) files: PreviewFiles,
    pub(super) scan: ScanContext,
    /// Which emulators are installed.
    pub detector: Arc<Detector>,
    tokens: TokenCache,
}

/// A preview that was made or is worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The document.
    pub preview_id: String,
    /// What cursors and commits are bound to.
    pub revision: u64,
    /// The job.
    pub job_id: String,
    /// Where the job stands.
    pub state: &'static str,
    /// When the preview ends, UTC.
    pub expires_at: String,
    /// The import that a commit makes.
    pub import_batch_id: String,
}

/// Where the job of a preview stands.
struct JobStatus {
    kind: String,
    state: String,
    job_id: String,
    /// Why the job failed; `None` unless it did.
    failure: Option<String>,
}

impl JobStatus {
    fn is_active(&self) -> bool {
        ["queued", "running", "cancelling"].contains(&self.state.as_str())
    }
}

impl Previews {
    /// The previews in `files`.
    pub fn new(
        store: Store,
        files: PreviewFiles,
        scan: ScanContext,
        detector: Arc<Detector>,
    ) -> Self {
        Self { store, files, scan, detector, tokens: TokenCache::default() }
    }

    /// The signature of a library: the same as long as its games and playlists are.
    pub fn signature(&self, state: &State) -> String {
        format!("{}:{}", state.games.len(), self.tokens.token(state))
    }

    /// Makes a preview of these sources and has them read.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn create(
        &self,
        jobs: &Jobs,
        body: &Map<String, Value>,
        now: &Moment,
    ) -> Result<Begun, SetupError> {
        let malformed = SetupError::Malformed;
        let sources = body.get("sources").and_then(Value::as_array).filter(|all| !all.is_empty());
        let sources = sources.ok_or(malformed("sources must be a non-empty array."))?;
        let options = match body.get("options") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(options)) => options.clone(),
            Some(_) => return Err(malformed("options must be an object.")),
        };
        let platforms = systems::read_choices(body.get("platforms"), real_path)?;
        let keeps = body.get("keep_decisions") == Some(&Value::Bool(true));
        let mut kept = Vec::new();
        if let Some(old) = body.get("replaces").and_then(Value::as_str) {
            if keeps && self.files.find(old).is_ok() {
                kept.extend(self.files.decisions(old)?.into_values());
            }
            self.replace(jobs, old)?;
        }
        if let Err(error) = self.prune(jobs, now) {
            log::warn!("old previews were not removed: {error}");
        }
        let (id, batch) = (ids::random_hex(16), ids::random_hex(16));
        let preview = Preview::new(id.clone(), batch, sources, &options, platforms, now);
        self.files.add(&preview, now, |other| job_status(jobs, other).is_active())?;
        if !kept.is_empty() {
            // Those on candidates that are not found again are never asked for.
            self.files.decide(&id, &kept)?;
        }
        let begun = self.submit(jobs, &preview, "setup-scan", Map::new());
        if begun.is_err()
            && let Err(error) = self.files.discard(&id)
        {
            log::warn!("a preview without a job stays until it expires: {error}");
        }
        begun
    }

    /// Discards a preview in whose place another one comes; one that is gone is fine.
    fn replace(&self, jobs: &Jobs, id: &str) -> Result<(), SetupError> {
        match self.files.find(id) {
            Ok(preview) if job_status(jobs, &preview).is_active() => Err(SetupError::Busy),
            Ok(_) => self.files.discard(id),
            Err(SetupError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes what is over.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn prune(&self, jobs: &Jobs, now: &Moment) -> Result<(), SetupError> {
        Ok(self.files.prune(now, |preview| job_status(jobs, preview).is_active())?)
    }

    /// The preview with an id, whose time is not over.
    ///
    /// # Errors
    /// [`SetupError::NoId`], [`SetupError::NotFound`], [`SetupError::Expired`].
    pub fn find(&self, jobs: &Jobs, id: &str, now: &Moment) -> Result<Preview, SetupError> {
        self.stand(jobs, id, now).map(|(preview, _)| preview)
    }

    fn stand(
        &self,
        jobs: &Jobs,
        id: &str,
        now: &Moment,
    ) -> Result<(Preview, JobStatus), SetupError> {
        if id.is_empty() {
            return Err(SetupError::NoId);
        }
        let (preview, status) =
            read_together(|| self.files.find(id), |preview| job_status(jobs, preview))?;
        if preview.is_over(now) && !status.is_active() {
            return Err(SetupError::Expired);
        }
        Ok((preview, status))
    }

    /// `GET /api/v2/setup/preview`.
    ///
    /// # Errors
    /// As [`Previews::find`].
    pub fn show(&self, jobs: &Jobs, id: &str, now: &Moment) -> Result<ShownPreview, SetupError> {
        let (preview, status) = self.stand(jobs, id, now)?;
        Ok(preview.shown(status.state, status.job_id, status.failure))
    }

    /// `GET /api/v2/setup/preview/items`.
    ///
    /// # Errors
    /// As [`Previews::find`]; [`SetupError::BadCursor`], [`SetupError::OldCursor`].
    pub fn items(
        &self,
        preview: &Preview,
        cursor: Option<String>,
        selection: &Selection,
        limit: usize,
    ) -> Result<ItemPage, SetupError> {
        let index = self.files.index(preview)?;
        let entries = index.selected(preview, selection);
        let offset = cursor
            .as_ref()
            .map_or(Ok(0), |text| Cursor::offset_in(text, preview, selection, entries.len()))?;
        let decisions = self.files.decisions(&preview.preview_id)?;
        let catalog = self.detector.catalog();
        let end = entries.len().min(offset + limit);
        let mut shown = Vec::with_capacity(end - offset);
        for entry in &entries[offset..end] {
            let item = self.files.item(preview, entry)?;
            let decision = decisions.get(&item.candidate.id);
            shown.push(ShownItem::of(item, preview, decision, &catalog));
        }
        let next = (end < entries.len()).then(|| Cursor::new(preview, end, selection).encode());
        Ok(ItemPage {
            cursor,
            items: shown,
            next_cursor: next,
            preview_id: preview.preview_id.clone(),
            revision: preview.revision,
        })
    }

    /// `GET /api/v2/setup/preview/folders`.
    ///
    /// # Errors
    /// As [`Previews::items`].
    pub fn folders(
        &self,
        preview: &Preview,
        cursor: Option<String>,
        limit: usize,
    ) -> Result<FolderPage, SetupError> {
        // OK because a folder takes more than a byte.
        let total = usize::try_from(preview.folders).unwrap_or(usize::MAX);
        let offset = cursor
            .as_ref()
            .map_or(Ok(0), |text| Cursor::offset_in_scope(text, preview, FOLDERS, total))?;
        let folders = self.files.folders(preview, offset, limit)?;
        let end = offset + folders.len();
        let next = (end < total && !folders.is_empty())
            .then(|| Cursor::in_scope(preview, end, FOLDERS.to_owned()).encode());
        Ok(FolderPage {
            cursor,
            folders,
            next_cursor: next,
            preview_id: preview.preview_id.clone(),
            revision: preview.revision,
        })
    }

    /// Remembers a page of decisions; returns how many there were.
    ///
    /// # Errors
    /// [`SetupError`]; nothing is remembered then.
    pub fn decide(
        &self,
        jobs: &Jobs,
        body: &Map<String, Value>,
        now: &Moment,
    ) -> Result<(String, usize), SetupError> {
        let (preview, status) = self.stand(jobs, preview_id(body), now)?;
        let items = decision::page(body.get("items"))?;
        let index = self.files.index(&preview)?;
        let known = KnownCandidates {
            is_candidate: &|id| index.find(id).is_some(),
            catalog: &self.detector.catalog(),
        };
        let decisions = decision::read_page(items, &known)?;
        let is_committing = status.is_active() && status.kind == "setup.commit";
        if preview.is_committed || is_committing {
            return Err(SetupError::Busy);
        }
        self.files.decide(&preview.preview_id, &decisions)?;
        Ok((preview.preview_id, decisions.len()))
    }

    /// Starts reading sources and library again.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn revalidate(
        &self,
        jobs: &Jobs,
        body: &Map<String, Value>,
        now: &Moment,
    ) -> Result<Begun, SetupError> {
        let (preview, _) = self.stand(jobs, preview_id(body), now)?;
        if !preview.is_scanned {
            return Err(SetupError::NotReady);
        }
        self.submit(jobs, &preview, "setup-revalidate", Map::new())
    }

    /// Starts the commit of a preview to the library.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn commit(
        &self,
        jobs: &Jobs,
        body: &Map<String, Value>,
        now: &Moment,
    ) -> Result<Begun, SetupError> {
        let (preview, _) = self.stand(jobs, preview_id(body), now)?;
        let index = self.files.index(&preview)?;
        let catalog = self.detector.catalog();
        let known =
            KnownCandidates { is_candidate: &|id| index.find(id).is_some(), catalog: &catalog };
        let choices = decision::read_choices(body, &known)?;
        let revision = body.get("revision").and_then(Value::as_u64);
        let revision = revision.ok_or(SetupError::Malformed("revision is required."))?;
        let options = body.get("options").filter(|options| !options.is_null());
        if options.is_some_and(|options| !options.is_object()) {
            return Err(SetupError::Malformed("options must be an object."));
        }
        if revision != preview.revision {
            return Err(SetupError::OldRevision);
        }
        if !preview.is_scanned {
            return Err(SetupError::NotReady);
        }
        let state = self.store.snapshot()?;
        if commit::recall(&state, &commit::token(&preview.preview_id, revision)).is_none() {
            let decisions = self.files.decisions(&preview.preview_id)?;
            check_resolved(&index, &decisions, &choices, &catalog)?;
        }
        let choices: Vec<Value> = choices.iter().map(choice_shape).collect();
        let input = json!({"revision": revision, "emulator_choices": choices});
        let input = if let Value::Object(input) = input { input } else { Map::new() };
        self.submit(jobs, &preview, "setup-commit", input)
    }

    fn submit(
        &self,
        jobs: &Jobs,
        preview: &Preview,
        family: &str,
        mut input: Map<String, Value>,
    ) -> Result<Begun, SetupError> {
        let id = preview.preview_id.clone();
        input.insert("preview_id".to_owned(), id.as_str().into());
        let name = format!("{family}:{id}");
        let accepted = jobs.submit(Submission { name, input, same_name: SameName::Join })?;
        let Accepted { job_id, state, is_new } = accepted;
        if is_new {
            self.files.update(&id, |preview| {
                preview.job_id.clone_from(&job_id);
                preview.root_job_id.clone_from(&job_id);
            })?;
        }
        Ok(Begun {
            preview_id: id,
            revision: preview.revision,
            job_id,
            state: state.name(),
            expires_at: preview.expires_at.clone(),
            import_batch_id: preview.import_batch_id.clone(),
        })
    }

    /// The record that a candidate of a launch check stands for: the facts of the preview, overlaid by those of the
    /// request.
    ///
    /// # Errors
    /// [`SetupError::NotFound`], [`SetupError::Expired`].
    pub fn candidate_record(
        &self,
        jobs: &Jobs,
        candidate: &Map<String, Value>,
        now: &Moment,
    ) -> Result<Record, SetupError> {
        let asked = Record::from(candidate.clone());
        let preview = self.find(jobs, asked.text("preview_id").trim(), now);
        let preview = preview.map_err(|error| match error {
            SetupError::NoId => SetupError::NotFound,
            other => other,
        })?;
        let index = self.files.index(&preview)?;
        let mut record = match index.find(asked.text("candidate_id")) {
            Some(entry) => {
                let item = self.files.item(&preview, entry)?;
                let is_open = item.candidate.is_ambiguous;
                let mut record = item.candidate.record;
                if is_open {
                    record.set("platform", "");
                }
                record
            }
            None => Record::default(),
        };
        for (asked_key, key) in [
            ("path", "path"),
            ("platform", "platform"),
            ("emulator_id", "emulator_id"),
            ("adapter_id", "emulator_adapter_id"),
            ("archive_member", "archive_member"),
        ] {
            if !asked.is_blank(asked_key) {
                record.set(key, asked.text(asked_key));
            }
        }
        Ok(record)
    }
}

/// Where a folder leads, symbolic links followed.
fn real_path(folder: &str) -> Option<String> {
    real_folder(folder.as_ref())?.into_os_string().into_string().ok()
}

fn preview_id(body: &Map<String, Value>) -> &str {
    body.get("preview_id").and_then(Value::as_str).map_or("", str::trim)
}

fn choice_shape((id, choice): &(String, Choice)) -> Value {
    let mut shape = json!(choice);
    shape["candidate_id"] = id.as_str().into();
    shape
}

/// Checks that nothing is left to be decided, and that every emulator exists.
///
/// # Errors
/// [`SetupError::Unresolved`], [`SetupError::NoAdapter`].
pub fn check_resolved(
    index: &Index,
    decisions: &Decisions,
    choices: &[(String, Choice)],
    catalog: &Catalog,
) -> Result<(), SetupError> {
    let decided = decisions.values().map(|decision| &decision.choice);
    let chosen = choices.iter().map(|(_, choice)| choice);
    if let Some(unknown) = decided.chain(chosen).find_map(|it| it.unknown_adapter(catalog)) {
        return Err(SetupError::NoAdapter(unknown.to_owned()));
    }
    for entry in index.of_group(Some(Group::Ambiguities)) {
        let id = entry.candidate_id();
        let choice = choices.iter().rfind(|(candidate, _)| *candidate == id);
        let choice = choice.map(|(_, choice)| choice);
        if resolve::is_unresolved(entry.group, decisions.get(&id), choice) {
            return Err(SetupError::Unresolved);
        }
    }
    Ok(())
}

/// Where the newest job of a preview stands. A forgotten job ended well when it left a scanned preview.
/// A preview and where its job stands, as they were at one moment. A job writes the preview before
/// it ends, so what was read before the end was noticed is read again: else a job that ends in
/// between would make a preview look ready that holds nothing yet.
fn read_together(
    read: impl Fn() -> Result<Preview, SetupError>,
    job_status: impl Fn(&Preview) -> JobStatus,
) -> Result<(Preview, JobStatus), SetupError> {
    let mut preview = read()?;
    loop {
        let status = job_status(&preview);
        if status.is_active() {
            return Ok((preview, status));
        }
        let again = read()?;
        if again.root_job_id == preview.root_job_id {
            return Ok((again, status));
        }
        preview = again;
    }
}

fn job_status(jobs: &Jobs, preview: &Preview) -> JobStatus {
    let page = jobs.list(&Filter {
        limit: 1,
        root_job_id: Some(preview.root_job_id.clone()),
        ..Filter::default()
    });
    let newest = page.jobs.into_iter().next();
    let state = match newest.as_ref().map(|job| job.state) {
        Some(JobState::Done | JobState::Partial) => "ready".to_owned(),
        Some(state) => state.name().to_owned(),
        None if preview.is_scanned => "ready".to_owned(),
        None => "interrupted".to_owned(),
    };
    let Some(job) = newest else {
        let (kind, job_id) = (String::new(), preview.job_id.clone());
        return JobStatus { kind, state, job_id, failure: None };
    };
    JobStatus { kind: job.r#type, state, job_id: job.job_id, failure: job.error }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn preview(root_job_id: &str, is_scanned: bool) -> Preview {
        Preview { root_job_id: root_job_id.to_owned(), is_scanned, ..Preview::default() }
    }

    /// Reads these documents one after the other while every job is in the state of its id.
    #[track_caller]
    fn check(documents: Vec<Preview>, expected: (&Preview, &str)) {
        let waiting = RefCell::new(documents.into_iter());
        let read = || waiting.borrow_mut().next().ok_or(SetupError::NotFound);
        let job_status = |preview: &Preview| JobStatus {
            failure: None,
            kind: String::new(),
            state: preview.root_job_id.clone(),
            job_id: String::new(),
        };
        let (found, status) = read_together(read, job_status).expect("a preview");
        assert_eq!((&found, status.state.as_str()), expected);
        assert_eq!(waiting.borrow().len(), 0, "everything was read");
    }

    #[test]
    fn a_job_that_ends_between_two_looks_makes_no_empty_preview() {
        let (early, late) = (preview("ready", false), preview("ready", true));
        check(vec![early.clone(), late.clone()], (&late, "ready"));
        let active = preview("running", false);
        check(vec![active.clone()], (&active, "running"));
        check(vec![early.clone(), active.clone()], (&active, "running"));
        let failed = preview("error", false);
        check(vec![early, failed.clone(), failed.clone()], (&failed, "error"));
    }
}
