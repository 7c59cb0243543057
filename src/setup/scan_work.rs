//! The jobs that read sources: the scan of a preview and its revalidation.
//!
//! An interrupted scan continues after the last source that was read completely: the data that a
//! checkpoint refers to is durable before the checkpoint is written.

use std::{io::Write as _, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    base::{limits, memory},
    files::Appender,
    jobs::{Context, Kind, Outcome as JobOutcome, Spec, Title, kind::Failure},
    model::State,
    scan::systems::FolderSystems,
};

use super::{
    candidate::Candidate,
    classify::Classifier,
    error::SetupError,
    items::{Index, IndexEntry},
    players,
    preview::Preview,
    previews::Previews,
    reading::{Reading, World},
    source::{self, Source},
    systems::{Counts, LeftFolder, Tally},
};

/// Candidates between two checks for cancellation.
pub(super) const STEP: u64 = 500;
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
            SetupError::Malformed(_) | SetupError::Choice(_) => "BAD_REQUEST",
            SetupError::Job(_) | SetupError::Unavailable(_) | SetupError::Disk(_) => {
                "INTERNAL_ERROR"
            }
        };
        Self::Failed { code, message: error.to_string() }
    }
}

/// The key of the input that names the preview.
pub(super) const PREVIEW: &str = "preview_id";

const SCAN: Spec = Spec {
    subject: Some(PREVIEW),
    resumes: true,
    ..Spec::new("setup.scan", &[("setup-scan:", Title::Spelled)])
};
const REVALIDATE: Spec = Spec {
    subject: Some(PREVIEW),
    resumes: true,
    ..Spec::new("setup.revalidate", &[("setup-revalidate:", Title::Spelled)])
};

struct Scan<'a>(&'a Previews);

/// Where a scan or a revalidation continues.
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

pub(super) fn begin(
    previews: &Previews,
    context: &Context<'_>,
) -> Result<(Preview, Vec<Source>), Failure> {
    let preview = previews.files.find(context.text(PREVIEW))?;
    let rows = preview.sources.iter().enumerate();
    let read = rows.map(|(at, row)| source::read(&row.request, at, &preview.options));
    let sources = read.collect::<Result<_, _>>().map_err(|error| Failure::refused(&error))?;
    Ok((preview, sources))
}

pub(super) fn snapshot(previews: &Previews) -> Result<Arc<State>, Failure> {
    previews.store.snapshot().map_err(|_| Failure::new("The library cannot be read right now."))
}

/// The platforms of folders: those the library remembers after those the preview chooses.
fn systems_of(state: &State, preview: &Preview) -> FolderSystems {
    FolderSystems::of(state.settings()).with(&preview.platforms)
}

/// The kinds of work that read sources: the scan of a preview, and looking at them again.
pub fn kinds(previews: &Arc<Previews>) -> [Kind; 2] {
    let scan = Kind::new(SCAN, previews, |previews, context| Scan(previews).run(context));
    [scan, Kind::new(REVALIDATE, previews, revalidate)]
}

impl Scan<'_> {
    fn run(&self, context: &Context<'_>) -> JobOutcome {
        let (preview, sources) = begin(self.0, context)?;
        if preview.is_scanned {
            return Ok(scan_result(&preview));
        }
        let from = Checkpoint::read(context.resumed_from());
        let bytes = self.read_sources(context, &preview, &sources, from)?;
        let preview = self.sort(context, &preview, bytes)?;
        memory::give_back();
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

/// Writes candidates to the file of a preview.
struct CandidateWriter<'a> {
    context: &'a Context<'a>,
    file: Appender,
    buffer: Vec<u8>,
    bytes: u64,
    candidates: u64,
}

impl CandidateWriter<'_> {
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

impl Scan<'_> {
    /// Reads the sources behind the checkpoint; returns how many bytes of candidates there are.
    fn read_sources(
        &self,
        context: &Context<'_>,
        preview: &Preview,
        sources: &[Source],
        from: Checkpoint,
    ) -> Result<u64, Failure> {
        let Previews { files, scan, .. } = self.0;
        let id = preview.preview_id.as_str();
        let state = snapshot(self.0)?;
        let catalog = self.0.detector.catalog();
        let systems = systems_of(&state, preview);
        let is_stopped = &|| context.check().is_err();
        let world = World { state: &state, catalog: &catalog, systems: &systems, is_stopped };
        let path = files.path(id, "found");
        let file = files.files().append_or_create(&path).map_err(SetupError::Disk)?;
        // A checkpoint without its candidates is ignored.
        let from = if file.len().map_err(SetupError::Disk)? < from.bytes {
            Checkpoint::default()
        } else {
            from
        };
        let Checkpoint { mut done_sources, bytes, candidates } = from;
        let mut found = CandidateWriter { context, file, buffer: Vec::new(), bytes, candidates };
        found.file.truncate(bytes).map_err(SetupError::Disk)?;
        context.phase("scan");
        for (at, source) in sources.iter().enumerate().skip(done_sources) {
            context.check()?;
            let reading = scan.read(source, at, &world, &mut |one| found.take(&one))?;
            context.check()?;
            found.flush()?;
            found.file.sync().map_err(SetupError::Disk)?;
            done_sources += 1;
            let total = found.candidates;
            files.update(id, |preview| {
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
        let previews = self.0;
        let id = preview.preview_id.as_str();
        context.phase("classify");
        let state = snapshot(previews)?;
        let catalog = previews.detector.catalog();
        let installed = players::installed(&catalog, |row| {
            context.check().is_ok() && previews.detector.command_of(row).is_some()
        });
        let (mut index, mut counts, mut bytes) = (Index::default(), Counts::default(), 0_u64);
        let mut classifier = Classifier::new(&state, &catalog);
        let systems = systems_of(&state, preview);
        let sources = previews.files.find(id)?.sources;
        let roots = sources.iter().map(|source| source.root.as_str());
        let mut tally = Tally::new(roots.collect(), &systems);
        let mut outcome = Ok(());
        let items = previews.files.path(id, "items");
        let written = previews.files.files().replace_with(&items, |sink| {
            let mut sink = std::io::BufWriter::with_capacity(PIECE, sink);
            outcome = previews.files.each_line(id, "found", found_bytes, |line| {
                if (index.0.len() as u64).is_multiple_of(STEP) {
                    context.check()?;
                    context.progress(index.0.len() as u64, "");
                }
                let item = classifier.sort(parse(line)?);
                counts.add(item.group);
                let mut line = serde_json::to_vec(&item).unwrap_or_default();
                let len = u32::try_from(line.len()).unwrap_or(u32::MAX);
                let system = tally.add(&item);
                index.0.extend(IndexEntry::of(&item, system, bytes, len));
                line.push(b'\n');
                bytes += line.len() as u64;
                sink.write_all(&line).map_err(|error| Failure::new(error.to_string()))
            });
            if outcome.is_ok() { sink.flush() } else { Err(std::io::ErrorKind::Interrupted.into()) }
        });
        outcome?;
        written.map_err(SetupError::Disk)?;
        let path = previews.files.path(id, "index");
        previews.files.files().replace(&path, &index.to_bytes()).map_err(SetupError::Disk)?;
        for (at, source) in sources.iter().enumerate() {
            source.left.iter().for_each(|left| tally.add_left(at, left));
        }
        let (systems, folders) = tally.finish();
        let folders_bytes = previews.files.write_folders(id, &folders)?;
        let signature = previews.signature(&state);
        let preview = previews.files.update(id, |preview| {
            let errors =
                preview.sources.iter().map(|row| row.skipped.max(u64::from(row.error.is_some())));
            counts.errors = errors.sum();
            preview.counts = counts;
            preview.systems = systems;
            preview.folders = folders.len() as u64;
            preview.folders_bytes = folders_bytes;
            preview.sources.iter_mut().for_each(|source| source.left.clear());
            preview.items_bytes = bytes;
            preview.installed_adapters = installed;
            preview.library_signature = signature;
            preview.is_scanned = true;
        })?;
        let found = previews.files.path(id, "found");
        if let Err(error) = previews.files.files().remove(&found) {
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
        row.parts = reading.parts;
        row.unknown = reading.unknown.total() as u64;
        row.skipped_types = reading.unknown.most_frequent();
        row.left = LeftFolder::most(&reading.unknown);
        row.root.clone_from(&reading.root);
        row.error.clone_from(&reading.error);
    }
}

pub(super) fn parse<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(line).map_err(|error| {
        log::error!("a candidate of a preview is damaged: {error}");
        Failure::from(SetupError::NotFound)
    })
}

/// Reads all sources again behind a checkpoint and compares them with what the preview knows.
pub(super) fn compare_sources(
    previews: &Previews,
    context: &Context<'_>,
    preview: &Preview,
    sources: &[Source],
    from: usize,
    is_resumable: bool,
) -> Result<(), Failure> {
    let state = snapshot(previews)?;
    if previews.signature(&state) != preview.library_signature {
        return Err(library_changed());
    }
    let catalog = previews.detector.catalog();
    let systems = systems_of(&state, preview);
    let is_stopped = &|| context.check().is_err();
    let world = World { state: &state, catalog: &catalog, systems: &systems, is_stopped };
    context.phase("revalidate");
    context.expect(sources.len() as u64, "sources");
    for (at, source) in sources.iter().enumerate().skip(from) {
        let mut seen = 0_u64;
        let reading = previews.scan.read(source, at, &world, &mut |_| {
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

pub(super) fn library_changed() -> Failure {
    let message = "Library changed since preview was created.".to_owned();
    Failure::Failed { code: "PREVIEW_LIBRARY_CHANGED", message }
}

fn revalidate(previews: &Previews, context: &Context<'_>) -> JobOutcome {
    let (preview, sources) = begin(previews, context)?;
    let from = Checkpoint::read(context.resumed_from()).done_sources;
    let id = preview.preview_id.as_str();
    let outcome = compare_sources(previews, context, &preview, &sources, from, true);
    if outcome != Err(Failure::Stopped) {
        let is_valid = outcome.is_ok();
        previews.files.update(id, |preview| preview.revalidated = is_valid)?;
    }
    outcome?;
    let result = json!({"preview_id": id, "completed": sources.len()});
    Ok(if let Value::Object(result) = result { result } else { Map::new() })
}
