//! The three durable jobs of a preview: reading and sorting, looking whether anything changed, and the
//! commit.
//!
//! A scan that is cut off goes on behind the last source that was read to its end: what its
//! checkpoint speaks of is durable before it is written. A commit is one change of the library, which
//! remembers it; so one that is cut off is done, or not, and doing it again tells what it did.

use std::{io::Write as _, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    base::{clock::Moment, limits},
    files::append::Appender,
    imports::{discs::DiscGroup, extensions, playlists, walk::FoundFile},
    jobs::{
        context::Context,
        document::Fault,
        items::Item as JobItem,
        kind::{Failure, Kind, Outcome as JobOutcome},
    },
    model::state::State,
    store::error::CommitError,
    storefronts::covers,
    webhooks::{
        dispatcher::Webhooks,
        occurrence::{Action, Occurrence, Subject},
    },
};

use super::{
    candidate::{Candidate, Playlist},
    classify::{Classifier, Item},
    commit::{self, CommitRefusal, Done, Outcome, Step},
    decision::{self, Choice},
    desk::{self, Desk},
    error::SetupError,
    items::{Index, Place},
    players,
    preview::{Counts, Preview},
    reading::Reading,
    resolve::{self, Act},
    source::{self, Source},
};

/// Candidates between two looks at whether the job is to stop.
const STEP: u64 = 500;
/// Bytes of candidates that are written at once.
const PIECE: usize = 256 * 1024;

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        log::warn!("{error}");
        let code = match error {
            SetupError::NotFound | SetupError::NoId => "PREVIEW_NOT_FOUND",
            SetupError::Expired => "PREVIEW_EXPIRED",
            SetupError::OldRevision | SetupError::OldCursor | SetupError::BadCursor => {
                "PREVIEW_STALE"
            }
            SetupError::Unresolved => "UNRESOLVED_CANDIDATES",
            SetupError::NoAdapter(_) => "EMULATOR_REQUIRED",
            SetupError::TooMany => "PREVIEW_LIMIT_EXCEEDED",
            SetupError::Decision(_) => "INVALID_DECISION",
            SetupError::NotReady | SetupError::Busy => "CONFLICT",
            SetupError::Malformed(_) => "BAD_REQUEST",
            SetupError::Job(_) | SetupError::Unavailable(_) | SetupError::Disk(_) => {
                "INTERNAL_ERROR"
            }
        };
        Self::Failed { code, message: error.client_text() }
    }
}

/// The worker of `setup.scan`.
pub struct ScanKind(pub Arc<Desk>);

/// The worker of `setup.revalidate`.
pub struct RevalidateKind(pub Arc<Desk>);

/// The worker of `setup.commit`.
pub struct CommitKind {
    /// What it works with.
    pub desk: Arc<Desk>,
    /// Who is told.
    pub webhooks: Webhooks,
}

/// Where a scan or a revalidation goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Checkpoint {
    /// Sources read to their end.
    done_sources: usize,
    /// Bytes of their candidates.
    bytes: u64,
    /// Candidates they hold.
    candidates: u64,
}

impl Checkpoint {
    fn read(value: Option<&Value>) -> Self {
        value.and_then(|value| Self::deserialize(value).ok()).unwrap_or_default()
    }
}

fn begin(desk: &Desk, input: &Map<String, Value>) -> Result<(Preview, Vec<Source>), Failure> {
    let id = input.get("preview_id").and_then(Value::as_str).unwrap_or_default();
    let preview = desk.shelf.find(id)?;
    let bad = |error: source::BadSource| Failure::Failed {
        code: "BAD_REQUEST",
        message: error.to_string(),
    };
    let rows = preview.sources.iter().enumerate();
    let read = rows.map(|(at, row)| source::read(&row.request, at, &preview.options));
    let sources = read.collect::<Result<_, _>>().map_err(bad)?;
    Ok((preview, sources))
}

fn snapshot(desk: &Desk) -> Result<Arc<State>, Failure> {
    desk.store.snapshot().map_err(|_| Failure::new("The library cannot be read right now."))
}

impl Kind for ScanKind {
    fn type_name(&self) -> &'static str {
        "setup.scan"
    }

    fn run(
        &self,
        context: &Context<'_>,
        input: &Map<String, Value>,
        checkpoint: Option<&Value>,
    ) -> JobOutcome {
        let (preview, sources) = begin(&self.0, input)?;
        if preview.is_scanned {
            return Ok(scan_result(&preview));
        }
        let from = Checkpoint::read(checkpoint);
        let bytes = self.read_sources(context, &preview, &sources, from)?;
        let preview = self.sort(context, &preview, bytes)?;
        Ok(scan_result(&preview))
    }
}

fn scan_result(preview: &Preview) -> Map<String, Value> {
    let result = json!({
        "preview_id": preview.preview_id,
        "completed": preview.scanned_entries,
        "message": preview.message(),
    });
    if let Value::Object(result) = result { result } else { Map::new() }
}

/// Candidates on their way to the file of those that were found.
struct Found<'a> {
    context: &'a Context<'a>,
    file: Appender,
    buffer: Vec<u8>,
    bytes: u64,
    candidates: u64,
}

impl Found<'_> {
    fn take(&mut self, candidate: &Candidate) -> Result<(), Failure> {
        if self.candidates.is_multiple_of(STEP) {
            self.context.check()?;
            self.context.progress(self.candidates, candidate.record.text("name"));
        }
        if self.candidates == limits::PREVIEW_ENTRIES {
            let message = format!("Preview cannot exceed {} entries.", limits::PREVIEW_ENTRIES);
            return Err(Failure::Failed { code: "PREVIEW_ENTRY_LIMIT_EXCEEDED", message });
        }
        self.candidates += 1;
        // OK because candidates are plain structs with text keys.
        serde_json::to_writer(&mut self.buffer, candidate).unwrap_or_default();
        self.buffer.push(b'\n');
        if self.buffer.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.file.append(&self.buffer).map_err(SetupError::Disk)?;
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl ScanKind {
    /// Reads the sources behind the checkpoint; returns how many bytes of candidates there are.
    fn read_sources(
        &self,
        context: &Context<'_>,
        preview: &Preview,
        sources: &[Source],
        from: Checkpoint,
    ) -> Result<u64, Failure> {
        let Desk { shelf, field, .. } = &*self.0;
        let id = preview.preview_id.as_str();
        let state = snapshot(&self.0)?;
        let path = shelf.path(id, "found");
        let file = shelf.files().append_or_create(&path).map_err(SetupError::Disk)?;
        // A checkpoint of candidates that are gone is none.
        let from = if file.len().map_err(SetupError::Disk)? < from.bytes {
            Checkpoint::default()
        } else {
            from
        };
        let Checkpoint { mut done_sources, bytes, candidates } = from;
        let mut found = Found { context, file, buffer: Vec::new(), bytes, candidates };
        found.file.truncate(bytes).map_err(SetupError::Disk)?;
        context.phase("scan");
        for (at, source) in sources.iter().enumerate().skip(done_sources) {
            context.check()?;
            let reading = field.read(source, at, &state, &mut |one| found.take(&one))?;
            found.flush()?;
            found.file.sync().map_err(SetupError::Disk)?;
            done_sources += 1;
            let total = found.candidates;
            shelf.update(id, |preview| {
                note_reading(preview, at, &reading);
                preview.scanned_entries = total;
            })?;
            let point = Checkpoint { done_sources, bytes: found.bytes, candidates: total };
            context.checkpoint(json!(point), total);
        }
        Ok(found.bytes)
    }

    /// Sorts what was found by what the library knows, and makes the preview ready.
    fn sort(
        &self,
        context: &Context<'_>,
        preview: &Preview,
        found_bytes: u64,
    ) -> Result<Preview, Failure> {
        let desk = &*self.0;
        let id = preview.preview_id.as_str();
        context.phase("classify");
        let state = snapshot(desk)?;
        let installed = players::installed(|row| {
            context.check().is_ok() && desk.detector.command_of(row).is_some()
        });
        let (mut index, mut counts, mut bytes) = (Index::default(), Counts::default(), 0_u64);
        let mut classifier = Classifier::new(&state);
        let mut outcome = Ok(());
        let items = desk.shelf.path(id, "items");
        let written = desk.shelf.files().replace_with(&items, |sink| {
            let mut sink = std::io::BufWriter::with_capacity(PIECE, sink);
            outcome = desk.shelf.each_line(id, "found", found_bytes, |line| {
                if (index.0.len() as u64).is_multiple_of(STEP) {
                    context.check()?;
                }
                let item = classifier.sort(parse(line)?);
                counts.add(item.group);
                let mut line = serde_json::to_vec(&item).unwrap_or_default();
                let len = u32::try_from(line.len()).unwrap_or(u32::MAX);
                index.0.extend(Place::of(&item, bytes, len));
                line.push(b'\n');
                bytes += line.len() as u64;
                sink.write_all(&line).map_err(|error| Failure::new(error.to_string()))
            });
            if outcome.is_ok() { sink.flush() } else { Err(std::io::ErrorKind::Interrupted.into()) }
        });
        outcome?;
        written.map_err(SetupError::Disk)?;
        let path = desk.shelf.path(id, "index");
        desk.shelf.files().replace(&path, &index.to_bytes()).map_err(SetupError::Disk)?;
        let signature = desk.signature(&state);
        let preview = desk.shelf.update(id, |preview| {
            let errors =
                preview.sources.iter().map(|row| row.skipped.max(u64::from(row.error.is_some())));
            counts.errors = errors.sum();
            preview.counts = counts;
            preview.items_bytes = bytes;
            preview.installed_adapters = installed;
            preview.library_signature = signature;
            preview.is_scanned = true;
        })?;
        let found = desk.shelf.path(id, "found");
        if let Err(error) = desk.shelf.files().remove(&found) {
            log::warn!("what was found stays until the preview expires: {error}");
        }
        Ok(preview)
    }
}

fn note_reading(preview: &mut Preview, at: usize, reading: &Reading) {
    if let Some(row) = preview.sources.get_mut(at) {
        row.fingerprint.clone_from(&reading.fingerprint);
        row.candidates = reading.candidates;
        row.skipped = reading.skipped;
        row.error.clone_from(&reading.error);
    }
}

fn parse<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(line).map_err(|error| {
        log::error!("a candidate of a preview is damaged: {error}");
        Failure::from(SetupError::NotFound)
    })
}

/// Reads all sources again behind a checkpoint and compares them with what the preview knows.
fn compare_sources(
    desk: &Desk,
    context: &Context<'_>,
    preview: &Preview,
    sources: &[Source],
    from: usize,
    is_resumable: bool,
) -> Result<(), Failure> {
    let state = snapshot(desk)?;
    if desk.signature(&state) != preview.library_signature {
        return Err(library_changed());
    }
    context.phase("revalidate");
    context.expect(sources.len() as u64, "sources");
    for (at, source) in sources.iter().enumerate().skip(from) {
        let mut seen = 0_u64;
        let reading = desk.field.read(source, at, &state, &mut |_| {
            seen += 1;
            if seen.is_multiple_of(STEP) { context.check() } else { Ok(()) }
        })?;
        context.check()?;
        let known = preview.sources.get(at).map(|row| row.fingerprint.as_str());
        if known != Some(reading.fingerprint.as_str()) {
            let message = "Source fingerprints changed since preview was created.".to_owned();
            return Err(Failure::Failed { code: "PREVIEW_STALE", message });
        }
        let done = at + 1;
        if is_resumable {
            let point = Checkpoint { done_sources: done, ..Checkpoint::default() };
            context.checkpoint(json!(point), done as u64);
        } else {
            context.progress(done as u64, "");
        }
    }
    Ok(())
}

fn library_changed() -> Failure {
    let message = "Library changed since preview was created.".to_owned();
    Failure::Failed { code: "PREVIEW_LIBRARY_CHANGED", message }
}

impl Kind for RevalidateKind {
    fn type_name(&self) -> &'static str {
        "setup.revalidate"
    }

    fn run(
        &self,
        context: &Context<'_>,
        input: &Map<String, Value>,
        checkpoint: Option<&Value>,
    ) -> JobOutcome {
        let (preview, sources) = begin(&self.0, input)?;
        let from = Checkpoint::read(checkpoint).done_sources;
        let id = preview.preview_id.as_str();
        let outcome = compare_sources(&self.0, context, &preview, &sources, from, true);
        if outcome != Err(Failure::Stopped) {
            let is_valid = outcome.is_ok();
            self.0.shelf.update(id, |preview| preview.revalidated = is_valid)?;
        }
        outcome?;
        let result = json!({"preview_id": id, "completed": sources.len()});
        Ok(if let Value::Object(result) = result { result } else { Map::new() })
    }
}

impl Kind for CommitKind {
    fn type_name(&self) -> &'static str {
        "setup.commit"
    }

    fn run(
        &self,
        context: &Context<'_>,
        input: &Map<String, Value>,
        _: Option<&Value>,
    ) -> JobOutcome {
        let (preview, sources) = begin(&self.desk, input)?;
        let revision = input.get("revision").and_then(Value::as_u64).unwrap_or_default();
        let token = commit::token(&preview.preview_id, revision);
        if let Some(outcome) = commit::recall(&*snapshot(&self.desk)?, &token) {
            self.close(&preview.preview_id);
            return Ok(commit_result(&outcome));
        }
        if revision != preview.revision {
            return Err(SetupError::OldRevision.into());
        }
        if !preview.is_scanned {
            return Err(SetupError::NotReady.into());
        }
        compare_sources(&self.desk, context, &preview, &sources, 0, false)?;
        let steps = self.plan(context, &preview, input)?;
        context.promote()?;
        let placed = self.place_files(steps)?;
        let done = self.carry_out(&preview, &token, placed)?;
        for (item_id, label) in &done.failed {
            let fault = Fault {
                code: "INVALID_DECISION".to_owned(),
                message: "Nobody decided on it, or it could not become what was decided."
                    .to_owned(),
                request_id: String::new(),
            };
            let (item_id, label) = (item_id.clone(), label.clone());
            let state = "failed".to_owned();
            context.item(JobItem { item_id, label, state, error: Some(fault) });
        }
        self.close(&preview.preview_id);
        self.tell(&done);
        Ok(commit_result(&done.outcome))
    }
}

fn commit_result(outcome: &Outcome) -> Map<String, Value> {
    let result = json!({
        "import_batch_id": outcome.import_batch_id,
        "added": outcome.added,
        "merged": outcome.merged,
        "skipped": outcome.skipped,
        "excluded": outcome.excluded,
        "failed": outcome.failed,
    });
    if let Value::Object(result) = result { result } else { Map::new() }
}

impl CommitKind {
    /// What becomes of every candidate, after everything is decided.
    fn plan(
        &self,
        context: &Context<'_>,
        preview: &Preview,
        input: &Map<String, Value>,
    ) -> Result<Vec<Step>, Failure> {
        let previews = &self.desk.shelf;
        let id = preview.preview_id.as_str();
        let index = previews.index(preview)?;
        let decided = previews.decisions(id)?;
        let choices = decision::read_choices(input, &|id| index.find(id).is_some())?;
        desk::check_resolved(&index, &decided, &choices)?;
        let mut steps = Vec::with_capacity(index.0.len());
        previews.each_line(id, "items", preview.items_bytes, |line| {
            if (steps.len() as u64).is_multiple_of(STEP) {
                context.check()?;
            }
            let item: Item = parse(line)?;
            let decision = decided.get(&item.candidate.id);
            let choice = choice_of(&choices, &item.candidate.id);
            let act = resolve::act_of(&item, decision, choice);
            let mut candidate = item.candidate;
            resolve::apply(&mut candidate, decision, choice);
            steps.push(keep(act, &candidate));
            Ok::<_, Failure>(())
        })?;
        Ok(steps)
    }

    /// Writes what the new rows point to: playlists of discs, and covers that stores keep elsewhere.
    fn place_files(&self, plan: Vec<Step>) -> Result<Vec<Step>, Failure> {
        let place = |step: Step| {
            let is_wanted = matches!(step.act, Act::Import { .. } | Act::Merge { .. });
            let has_files =
                step.candidate.contains("\"playlists\"") || step.candidate.contains("\"cover\"");
            if !is_wanted || !has_files {
                return Ok(step);
            }
            let mut candidate: Candidate = parse(step.candidate.as_bytes())?;
            self.place_playlists(&mut candidate);
            self.place_cover(&mut candidate);
            Ok(keep(step.act, &candidate))
        };
        plan.into_iter().map(place).collect()
    }

    fn place_playlists(&self, candidate: &mut Candidate) {
        let field = &self.desk.field;
        for list in std::mem::take(&mut candidate.playlists) {
            let Some(group) = group_of(&list) else { continue };
            let path = playlists::place(&field.files, &field.data.generated(), &group);
            let mut versions: Vec<Value> = candidate.record.list("version_candidates").to_vec();
            if let Some(version) = versions.get_mut(list.version) {
                *version = path.as_str().into();
                candidate.record.set("version_candidates", versions);
            }
            if list.version == 0 {
                candidate.record.set("path", path);
            }
        }
    }

    fn place_cover(&self, candidate: &mut Candidate) {
        let field = &self.desk.field;
        let media = field.data.media();
        let row = &mut candidate.record;
        if row.is_blank("cover") || Path::new(row.text("cover")).starts_with(&media) {
            return;
        }
        let cover = covers::keep_one(&field.files, &media, row.text("source"), row.text("cover"));
        if cover.is_empty() {
            row.remove("cover");
        } else {
            row.set("cover", cover);
        }
    }

    fn carry_out(&self, preview: &Preview, token: &str, plan: Vec<Step>) -> Result<Done, Failure> {
        let desk = &*self.desk;
        let batch = preview.import_batch_id.as_str();
        let now = Moment::now();
        let is_same = |state: &State| desk.signature(state) == preview.library_signature;
        let done =
            desk.store.commit(|draft| commit::commit(draft, plan, token, batch, &now, is_same));
        done.map_err(|error| match error {
            CommitError::Refused(CommitRefusal::LibraryChanged) => library_changed(),
            other => {
                log::error!("{other}");
                Failure::new("The library could not be saved.")
            }
        })
    }

    /// Remembers in the preview that the library has it. The library remembers it too.
    fn close(&self, id: &str) {
        if let Err(error) = self.desk.shelf.update(id, |preview| preview.is_committed = true) {
            log::warn!("a preview that was committed does not say so: {error}");
        }
    }

    fn tell(&self, done: &Done) {
        let Outcome { added, merged, skipped, .. } = done.outcome;
        let found = added + merged + skipped;
        if found > 0 {
            let facts = json!({"source": "setup", "found": found, "added": added});
            self.webhooks.announce(&Occurrence::new(Subject::LibraryImported, facts));
        }
        if !done.changed.is_empty() {
            self.webhooks.announce(&Occurrence::library_changed(Action::Bulk, &done.changed));
        }
    }
}

fn keep(act: Act, candidate: &Candidate) -> Step {
    // OK because candidates are plain structs with text keys.
    let text = serde_json::to_string(candidate).unwrap_or_default();
    Step { act, candidate: text.into() }
}

fn choice_of<'a>(choices: &'a [(String, Choice)], id: &str) -> Option<&'a Choice> {
    choices.iter().rfind(|(candidate, _)| candidate == id).map(|(_, choice)| choice)
}

/// The discs of a playlist as the importer knows them; `None` when their names say otherwise now.
fn group_of(list: &Playlist) -> Option<DiscGroup> {
    let disc = |path: &String| {
        let (folder, name) = path.rsplit_once('/')?;
        let extension = extensions::find(name.as_bytes())?;
        Some(FoundFile { folder: folder.into(), name: name.into(), extension })
    };
    let discs: Option<Vec<FoundFile>> = list.discs.iter().map(disc).collect();
    let discs = discs.filter(|discs| !discs.is_empty())?;
    Some(DiscGroup { folder: Arc::clone(&discs[0].folder), title: list.title.clone(), discs })
}
