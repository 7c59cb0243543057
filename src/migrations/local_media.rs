//! Pictures and videos of other programs on this computer (`/api/v2/media/local/*`): a plan of what they would
//! fill, made by a job and kept in a file until it is applied by another one.
//!
//! The plan is what the user reviewed, so exactly its files are applied. It is refused when a field that it
//! fills has a value or a lock meanwhile, or its game is gone. See `docs/design/metadata.md`.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    local_layouts::Program,
    local_match::{self, Row},
};
use crate::{
    base::{Hold as _, Moment, ids::random_hex, schema::schema},
    care::found_files,
    config::data_dir::DataDir,
    feature::Deps,
    files::{DiskError, Files},
    game::{InputError, path_checks},
    jobs::{
        Accepted, JobError, Jobs, SameName, Submission,
        kind::{Failure, object},
    },
    model::State,
    probe::media_roots::MediaRoots,
    scan::tree::{Disk, Tree},
    store::{Store, Unavailable},
};

/// The name of the job that makes a plan.
pub(super) const PREVIEW: &str = "local-media-preview";
/// The name of the job that applies one.
pub(super) const APPLY: &str = "local-media";
/// Folders that a request may name.
const FOLDERS: usize = 50;
/// Rows of one answer.
pub const ROWS: usize = 200;
/// Plans that are kept, the newest ones.
const PLANS: usize = 5;
/// Random bytes of the id of a plan.
const ID_BYTES: usize = 12;

/// Why nothing was searched or applied. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum LocalMediaError {
    #[error("At most 50 folders can be looked through at once.")]
    TooMany,
    #[error("The root of the disk cannot be looked through. Name a folder below it.")]
    Root,
    /// A folder cannot be used.
    #[error(transparent)]
    Folder(#[from] InputError),
    /// The plan is gone, or what it fills is filled.
    #[error("The library changed since the preview. Look for pictures again.")]
    Stale,
    #[error("The preview found nothing to add.")]
    Nothing,
    /// The job was not accepted.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The plan cannot be read or written.
    #[error("The plan could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

impl From<LocalMediaError> for Failure {
    fn from(error: LocalMediaError) -> Self {
        let code = match error {
            LocalMediaError::Stale => "PREVIEW_STALE",
            LocalMediaError::Unavailable(_) => "STATE_UNAVAILABLE",
            LocalMediaError::Disk(_) | LocalMediaError::Job(_) => "INTERNAL_ERROR",
            _ => "BAD_REQUEST",
        };
        Self::Failed { code, message: error.to_string() }
    }
}

schema! {
    /// What pictures and videos of other programs would fill.
    #[derive(Debug, PartialEq, Deserialize)]
    pub struct LocalMediaPlan {
        pub plan_id: String,
        /// Where was looked, with what is there.
        pub folders: Vec<LocalMediaFolder>,
        /// Folders that could not be read, the first of them.
        pub unreadable: Vec<String>,
        pub counts: LocalMediaCounts,
        /// What is filled, by media field.
        pub fields: Vec<LocalMediaField>,
        /// Whether there was more than is looked through at once.
        pub truncated: bool,
        /// Files of no game, the first of them.
        pub unclaimed: Vec<String>,
        /// The first of what is filled; the others are pages.
        pub items: Vec<Row>,
    }

    /// A folder that was looked through.
    #[derive(Debug, PartialEq, Eq, Deserialize)]
    pub struct LocalMediaFolder {
        pub path: String,
        /// The programs whose files are there.
        pub programs: Vec<Program>,
        /// How many there are.
        pub files: usize,
    }

    /// How many files and games there are of each kind.
    #[derive(Debug, PartialEq, Eq, Deserialize)]
    pub struct LocalMediaCounts {
        /// Files that a program keeps for games.
        pub files: usize,
        /// Games that gain something.
        pub games: usize,
        /// Files that fill something; one counts for every game that gets it.
        pub items: usize,
        /// Bytes that would be copied.
        pub bytes: u64,
        /// Fields with a value or a lock for which there was a file.
        pub held: usize,
        /// Files of no game.
        pub unclaimed: usize,
        /// Files that are empty or too large.
        pub unusable: usize,
        /// Links that were not followed.
        pub links: usize,
        /// Files whose names are not text.
        pub unnamed: usize,
    }

    /// How many files fill a media field.
    #[derive(Debug, PartialEq, Eq, Deserialize)]
    pub struct LocalMediaField {
        pub field: String,
        pub count: usize,
    }

    /// A page of a plan.
    #[derive(Debug, PartialEq)]
    pub struct LocalMediaItems {
        pub plan_id: String,
        /// How many there are in all.
        pub total: usize,
        pub items: Vec<Row>,
    }
}

/// A plan as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// Unix time in microseconds.
    created_at: i64,
    /// With every row, in the order of the library.
    pub found: LocalMediaPlan,
}

/// Finds media of other programs and takes them over.
pub struct LocalMedia {
    pub(super) store: Store,
    pub(super) files: Files,
    pub(super) data_dir: DataDir,
    pub(super) roots: Arc<MediaRoots>,
    pub(super) home: PathBuf,
    /// Where files are looked for.
    pub(super) disk: Box<dyn Tree + Send + Sync>,
    /// Held while plans are added and old ones removed.
    pub(super) order: Mutex<()>,
}

impl LocalMedia {
    /// Scans below the home, and copies what is outside of the media roots.
    pub(super) fn new(deps: &Deps, roots: &Arc<MediaRoots>) -> Self {
        Self {
            store: deps.store.clone(),
            files: deps.files.clone(),
            data_dir: deps.data_dir.clone(),
            roots: Arc::clone(roots),
            home: deps.home().to_owned(),
            disk: Box::new(Disk),
            order: Mutex::new(()),
        }
    }

    /// Starts a job that searches these folders, or without any the usual ones, and keeps what they would fill
    /// as a plan. Changes nothing else. One that still searches is stopped in its favour.
    ///
    /// # Errors
    /// [`LocalMediaError`].
    pub fn preview(
        &self,
        jobs: &Jobs,
        folders: Option<&[&str]>,
    ) -> Result<Accepted, LocalMediaError> {
        let folders = folders.map(|folders| self.read_folders(folders)).transpose()?;
        let input = folders.map_or_else(|| json!({}), |folders| json!({"folders": folders}));
        let (name, input) = (PREVIEW.to_owned(), object(input));
        Ok(jobs.submit(Submission { name, input, same_name: SameName::Replace })?)
    }

    /// A plan with the first of its rows.
    ///
    /// # Errors
    /// [`LocalMediaError::Stale`] when it is not kept any more.
    pub fn plan(&self, plan_id: &str) -> Result<LocalMediaPlan, LocalMediaError> {
        let mut plan = self.find(plan_id)?.found;
        plan.items.truncate(ROWS);
        Ok(plan)
    }

    /// A page of a plan.
    ///
    /// # Errors
    /// [`LocalMediaError::Stale`] when it is not kept any more.
    pub fn page(
        &self,
        plan_id: &str,
        offset: usize,
        limit: usize,
    ) -> Result<LocalMediaItems, LocalMediaError> {
        let plan = self.find(plan_id)?.found;
        let total = plan.items.len();
        let items = plan.items.into_iter().skip(offset).take(limit).collect();
        Ok(LocalMediaItems { plan_id: plan.plan_id, total, items })
    }

    /// Starts a job that applies the files of a plan.
    ///
    /// # Errors
    /// [`LocalMediaError`].
    pub fn submit(&self, jobs: &Jobs, plan_id: &str) -> Result<Accepted, LocalMediaError> {
        let plan = self.find(plan_id)?.found;
        if plan.items.is_empty() {
            return Err(LocalMediaError::Nothing);
        }
        let state = self.store.snapshot()?;
        if !is_current(&state, &plan.items) {
            return Err(LocalMediaError::Stale);
        }
        let (name, input) = (APPLY.to_owned(), object(json!({"plan_id": plan.plan_id})));
        Ok(jobs.submit(Submission { name, input, same_name: SameName::Separate })?)
    }

    /// A plan that is kept.
    pub(super) fn find(&self, plan_id: &str) -> Result<Plan, LocalMediaError> {
        let is_id =
            plan_id.len() == 2 * ID_BYTES && plan_id.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_id {
            return Err(LocalMediaError::Stale);
        }
        let bytes = match self.files.read(&self.path_of(plan_id)) {
            Err(error) if error.is_missing() => return Err(LocalMediaError::Stale),
            other => other?,
        };
        let plan = serde_json::from_slice::<Plan>(&bytes);
        let plan = plan.inspect_err(|error| log::warn!("a plan of media cannot be read: {error}"));
        plan.ok().filter(|plan| plan.found.plan_id == plan_id).ok_or(LocalMediaError::Stale)
    }

    fn path_of(&self, plan_id: &str) -> PathBuf {
        self.data_dir.local_media().join(format!("{plan_id}.json"))
    }

    /// Keeps a plan under a new id, which it returns, and of the others only the newest.
    pub(super) fn keep(&self, found: LocalMediaPlan) -> Result<String, DiskError> {
        let plan_id = random_hex(ID_BYTES);
        let found = LocalMediaPlan { plan_id: plan_id.clone(), ..found };
        let plan = Plan { created_at: Moment::now().unix_micros(), found };
        let _order = self.order.hold();
        let folder = self.data_dir.local_media();
        self.files.private_dir(&folder)?;
        self.files.clear_leftovers(&folder, "")?;
        let names = self.files.list(&folder)?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".json"));
        let mut kept: Vec<(i64, &str)> =
            ids.map(|id| (self.find(id).map_or(0, |plan| plan.created_at), id)).collect();
        kept.sort_unstable();
        let old = (kept.len() + 1).saturating_sub(PLANS);
        for (_, id) in &kept[..old] {
            self.files.remove(&self.path_of(id))?;
        }
        // OK because a plan is made of texts and numbers.
        let bytes = serde_json::to_vec(&plan).unwrap_or_default();
        self.files.replace(&self.path_of(&plan_id), &bytes)?;
        Ok(plan_id)
    }

    /// The folders that a request names.
    pub(super) fn read_folders(&self, folders: &[&str]) -> Result<Vec<PathBuf>, LocalMediaError> {
        if folders.len() > FOLDERS {
            return Err(LocalMediaError::TooMany);
        }
        let mut read = Vec::new();
        for folder in folders {
            let absolute = path_checks::absolute(folder.trim(), &self.home);
            if absolute.is_some_and(|folder| folder.parent().is_none()) {
                return Err(LocalMediaError::Root);
            }
            let folder = found_files::read_folder(Some(&Value::from(*folder)), &self.home)?;
            if !read.contains(&folder) {
                read.push(folder);
            }
        }
        Ok(read)
    }
}

/// Whether every field that these rows fill is still open.
fn is_current(state: &State, rows: &[Row]) -> bool {
    rows.chunk_by(|a, b| a.game_id == b.game_id).all(|rows| {
        let game = rows.first().and_then(|row| state.games.find(&row.game_id));
        game.is_some_and(|(_, game)| {
            let record = game.record();
            rows.iter().all(|row| local_match::is_open(&record, &row.field))
        })
    })
}
