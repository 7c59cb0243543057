//! The import of memories, as a durable job. Files are copied, never moved.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    memories::{LIST, New, TYPE, UNASSIGNED, unassigned},
    memory_match::{self, Index, Match},
    memory_roots::{self, Picture},
    service::Keepsakes,
};
use crate::{
    base::{Moment, ids},
    config::settings::read,
    files::{DiskError, source},
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    model::{Cause, State},
    resume::folder,
};

const SPEC: Spec = Spec::new(TYPE, &[("memories-import", Title::Fixed("Memory roots import"))]);
/// Bytes of the largest picture.
const PICTURE_BYTES: u64 = 64 << 20;
/// The most pictures that one import reads.
const PICTURES: usize = 2_000;
/// Bytes that one import copies.
const TOTAL_BYTES: u64 = 2 << 30;
/// Memories of one game.
pub(super) const PER_GAME: usize = 200;
/// Pictures whose game is not known.
pub(super) const UNKNOWN: usize = 500;
/// Errors that are listed.
const ERRORS: usize = 20;
/// Pictures between two commits.
const BATCH: usize = 100;
/// The folder of pictures whose game is not known.
const UNASSIGNED_FOLDER: &str = "_unassigned";

/// Starts an import of memories; `None` while that is switched off.
///
/// # Errors
/// When the job is not accepted.
pub fn submit(jobs: &Jobs, state: &State) -> Result<Option<Accepted>, JobError> {
    if !read::flag(state.settings(), "memories_import_enabled") {
        return Ok(None);
    }
    let name = "memories-import".to_owned();
    jobs.submit(Submission { name, input: Map::new(), same_name: SameName::Join }).map(Some)
}

/// The kind of job.
pub(super) fn kind(keepsakes: &Arc<Keepsakes>) -> Kind {
    Kind::new(SPEC, keepsakes, run)
}

fn run(keepsakes: &Keepsakes, context: &Context<'_>) -> Outcome {
    let state = keepsakes.store.snapshot().map_err(|error| Failure::refused(&error))?;
    if !read::flag(state.settings(), "memories_import_enabled") {
        return Ok(object(json!({"enabled": false, "state": "disabled", "added": 0})));
    }
    context.phase("scan");
    let configured = read::texts(state.settings(), "memories_import_roots");
    let mut scan = memory_roots::scan(&keepsakes.home, &keepsakes.config_home, &configured);
    scan.pictures.truncate(PICTURES);
    let total = u64::try_from(scan.pictures.len()).unwrap_or(0);
    context.expect(total, "pictures");
    context.phase("import");
    let mut import = Import::new(keepsakes, &state);
    for (at, picture) in scan.pictures.iter().enumerate() {
        if let Err(stopped) = context.check() {
            import.commit()?;
            return Err(stopped);
        }
        import.take(picture)?;
        context.progress(u64::try_from(at + 1).unwrap_or(0), "");
    }
    import.commit()?;
    Ok(object(json!({
        "enabled": true,
        "roots": scan.roots,
        "scanned": total,
        "added": import.added,
        "unassigned": import.unassigned,
        "skipped": import.skipped,
        "failed": import.failed,
        "errors": import.errors,
        "skipped_roots": scan.skipped,
        "cancelled": false,
    })))
}

/// One import.
struct Import<'a> {
    keepsakes: &'a Keepsakes,
    state: &'a State,
    index: Index,
    /// The digests of all memories.
    known: HashSet<String>,
    /// How many memories games have.
    counts: HashMap<usize, usize>,
    unknown: usize,
    copied: u64,
    /// What is copied and not in the library yet: by game, and without one.
    waiting: BTreeMap<usize, Vec<Value>>,
    waiting_unknown: Vec<Value>,
    paths: Vec<String>,
    added: usize,
    unassigned: usize,
    skipped: usize,
    failed: usize,
    errors: Vec<String>,
}

impl<'a> Import<'a> {
    fn new(keepsakes: &'a Keepsakes, state: &'a State) -> Self {
        let mut known = HashSet::new();
        let mut counts = HashMap::new();
        let mut note = |memories: &[Value]| {
            known.extend(
                memories.iter().filter_map(|each| each["sha256"].as_str()).map(str::to_owned),
            );
        };
        for (at, game) in state.games.iter().enumerate() {
            if game.json().contains("\"memories\"") {
                let record = game.record();
                note(record.list(LIST));
                counts.insert(at, record.list(LIST).len());
            }
        }
        note(unassigned(state));
        Self {
            keepsakes,
            state,
            index: Index::of(&state.games),
            known,
            counts,
            unknown: unassigned(state).len(),
            copied: 0,
            waiting: BTreeMap::new(),
            waiting_unknown: Vec::new(),
            paths: Vec::new(),
            added: 0,
            unassigned: 0,
            skipped: 0,
            failed: 0,
            errors: Vec::new(),
        }
    }

    /// Copies a picture that is new and of a game.
    fn take(&mut self, picture: &Picture) -> Result<(), Failure> {
        let found = self.index.find(picture);
        let has_room = match &found {
            Match::One(at) => self.counts.get(at).is_none_or(|count| *count < PER_GAME),
            Match::Several(_) => self.unknown < UNKNOWN,
            Match::None => false,
        };
        let fits = picture.size > 0
            && picture.size <= PICTURE_BYTES
            && self.copied.saturating_add(picture.size) <= TOTAL_BYTES;
        if !has_room || !fits {
            self.skipped += 1;
            return Ok(());
        }
        match self.copy(picture, &found) {
            Ok(true) => {}
            Ok(false) => self.skipped += 1,
            Err(error) => {
                self.failed += 1;
                if self.errors.len() < ERRORS {
                    let name = picture.path.file_name().unwrap_or_default().to_string_lossy();
                    self.errors.push(format!("{name}: {error}"));
                }
            }
        }
        if self.paths.len() >= BATCH { self.commit() } else { Ok(()) }
    }

    /// Whether the picture is a new one.
    fn copy(&mut self, picture: &Picture, found: &Match) -> Result<bool, String> {
        let sha256 = digest(&picture.path).map_err(|error| crate::base::text::reason(&error))?;
        if self.known.contains(&sha256) {
            return Ok(false);
        }
        let (folder, hint) = match found {
            Match::One(at) => {
                if self.is_screenshot(*at, picture, &sha256) {
                    return Ok(false);
                }
                let id = self.state.games.get(*at).map_or("", |game| game.id());
                (folder::key(id), "")
            }
            Match::Several(hint) => (UNASSIGNED_FOLDER.to_owned(), hint.as_str()),
            Match::None => return Ok(false),
        };
        let files = &self.keepsakes.files;
        let folder = self.keepsakes.data_dir.media().join("memories").join(folder);
        let end = picture.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let path = folder.join(format!("{sha256}.{end}"));
        let copied = files.private_dir(&folder).and_then(|()| files.copy(&picture.path, &path));
        copied.map_err(|error: DiskError| error.reason())?;
        let path = path.to_string_lossy().into_owned();
        let new = New {
            path: &path,
            sha256: &sha256,
            bytes: picture.size,
            source: picture.source,
            taken_at: &memory_match::taken_at(picture),
            imported_at: &Moment::now().utc_iso(),
            hint,
        };
        let stored = new.stored();
        if let Match::One(at) = found {
            self.waiting.entry(*at).or_default().push(stored);
            *self.counts.entry(*at).or_default() += 1;
            self.added += 1;
        } else {
            self.waiting_unknown.push(stored);
            self.unknown += 1;
            self.unassigned += 1;
        }
        self.copied += picture.size;
        self.known.insert(sha256);
        self.paths.push(path);
        Ok(true)
    }

    /// Whether a screenshot of the game is the same file. Only those of the same size are read.
    fn is_screenshot(&self, at: usize, picture: &Picture, sha256: &str) -> bool {
        let Some(game) = self.state.games.get(at) else { return false };
        let record = game.record();
        record.texts("screenshots").map(PathBuf::from).any(|shot| {
            let has_size = std::fs::symlink_metadata(&shot)
                .is_ok_and(|found| found.is_file() && found.len() == picture.size);
            has_size && digest(&shot).is_ok_and(|found| found == sha256)
        })
    }

    /// Puts what is copied into the library.
    fn commit(&mut self) -> Result<(), Failure> {
        if self.paths.is_empty() {
            return Ok(());
        }
        let waiting = std::mem::take(&mut self.waiting);
        let unknown = std::mem::take(&mut self.waiting_unknown);
        let paths = std::mem::take(&mut self.paths);
        let games = &self.state.games;
        let committed = self.keepsakes.store.change(|draft| {
            for (at, memories) in waiting {
                let Some(game) = games.get(at) else { continue };
                // OK because a game that is gone meanwhile needs no memories.
                drop(draft.edit_game(game.id(), |record| {
                    let mut list = record.list(LIST).to_vec();
                    list.extend(memories);
                    record.set(LIST, list);
                }));
            }
            if !unknown.is_empty() {
                let mut list = unassigned(draft.state()).to_vec();
                list.extend(unknown);
                draft.set_section(UNASSIGNED, Value::Array(list));
            }
            draft.set_cause(Cause::MediaChanged(paths));
        });
        committed.map_err(|error| Failure::refused(&error))
    }
}

/// The SHA-256 of a file, in lower-case hex.
fn digest(path: &Path) -> io::Result<String> {
    let mut file = source::open_regular(path)?.take(PICTURE_BYTES + 1);
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(ids::hex(&hash.finalize())),
            read => hash.update(&piece[..read]),
        }
    }
}
