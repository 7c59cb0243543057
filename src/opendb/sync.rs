//! Downloading the database: a durable job.
//!
//! As the metadata database it is made beside the present one and takes its place in one step, after it
//! was made durable; until then and after every failure the present one stays.

use std::{fs::File, path::Path, sync::Arc, time::Duration};

use serde_json::json;

use super::{
    build::{self, BuildError, Watch},
    keeper::Keeper,
};
use crate::{
    base::text,
    config::data_dir::DataDir,
    feature::Deps,
    files::{DiskError, Files, temp},
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    providers::{
        OPENDB, OPENDB_ARCHIVE, ProviderError, Providers,
        download::{self, Download, DownloadError, Part, Tags},
    },
};

/// The name of the job.
const JOB: &str = "opendb";
/// The type of the job.
pub const TYPE: &str = "opendb.sync";
const SPEC: Spec =
    Spec { promotes: true, ..Spec::new(TYPE, &[(JOB, Title::Fixed("Open database sync"))]) };
/// Bytes of the largest archive.
const ARCHIVE_BYTES: u64 = 2 << 30;
/// Room for the database, as a multiple of the archive: only its lists are kept.
const ROOM: u64 = 2;
/// From the connection to the last byte.
const TIMEOUT: Duration = Duration::from_hours(6);

/// Why the database was not synchronised. The present one is as it was.
#[derive(Debug, thiserror::Error)]
enum SyncError {
    #[error("Could not reach the open database ({0}). Check the connection and try again.")]
    Unreachable(String),
    #[error("The archive of the open database is not valid ({0}). The present database was kept.")]
    Damaged(String),
    #[error("The archive of the open database is larger than 2 GiB.")]
    TooLarge,
    #[error(
        "There is not enough room for the open database: {needed} MiB are needed, {free} MiB are free."
    )]
    NoRoom { needed: u64, free: u64 },
    #[error("The open database could not be saved: {0}.")]
    Disk(String),
    #[error("it was told to stop")]
    Stopped,
}

impl From<DiskError> for SyncError {
    fn from(error: DiskError) -> Self {
        log::warn!("{error}");
        Self::Disk(error.reason())
    }
}

impl From<DownloadError> for SyncError {
    fn from(error: DownloadError) -> Self {
        match error {
            DownloadError::Provider(ProviderError::Stopped) => Self::Stopped,
            DownloadError::Provider(error @ (ProviderError::Page | ProviderError::Barred)) => {
                Self::Damaged(error.to_string())
            }
            DownloadError::Provider(error) => {
                Self::Unreachable(error.to_string().trim_end_matches('.').to_owned())
            }
            DownloadError::Disk(error) => error.into(),
            DownloadError::NoArchive => Self::Damaged(error.to_string()),
            DownloadError::TooLarge => Self::TooLarge,
            DownloadError::NoRoom { needed, free } => {
                Self::NoRoom { needed: needed >> 20, free: free >> 20 }
            }
        }
    }
}

impl From<BuildError> for SyncError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Stopped => Self::Stopped,
            // It is written without a journal: what fails is the disk.
            BuildError::Database(error) => Self::Disk(error.to_string()),
            error => Self::Damaged(error.to_string()),
        }
    }
}

/// Has the database downloaded, or brought up to date. The active job stands for it.
///
/// # Errors
/// When the job is not accepted.
pub fn submit(jobs: &Jobs) -> Result<Accepted, JobError> {
    let input = serde_json::Map::new();
    jobs.submit(Submission { name: JOB.to_owned(), input, same_name: SameName::Join })
}

/// Downloads and swaps the database.
struct Syncer {
    keeper: Arc<Keeper>,
    providers: Arc<Providers>,
    files: Files,
    data_dir: DataDir,
}

/// The kind of work that synchronises the database of this keeper.
pub(super) fn kind(deps: &Deps, keeper: &Arc<Keeper>, providers: &Arc<Providers>) -> Kind {
    let syncer = Syncer {
        keeper: Arc::clone(keeper),
        providers: Arc::clone(providers),
        files: deps.files.clone(),
        data_dir: deps.data_dir.clone(),
    };
    Kind::new(SPEC, &Arc::new(syncer), run)
}

fn run(syncer: &Syncer, context: &Context<'_>) -> Outcome {
    match syncer.sync(context) {
        Ok((games, is_new)) => Ok(object(json!({"games": games, "changed": is_new}))),
        Err(SyncError::Stopped) => Err(Failure::Stopped),
        Err(error) => Err(Failure::refused(&error)),
    }
}

impl Syncer {
    /// How many games there are now, and whether the database is another one.
    fn sync(&self, context: &Context<'_>) -> Result<(u64, bool), SyncError> {
        let folder = self.data_dir.metadata();
        self.files.private_dir(&folder)?;
        let part = Part::new(&folder, "Opendb.zip");
        context.phase("downloading");
        let Some(tags) = self.download(context, &part)? else {
            let games = self.keeper.database().and_then(|database| database.fact("games"));
            return Ok((games.and_then(|games| games.parse().ok()).unwrap_or(0), false));
        };
        context.phase("importing");
        let made = self.import(context, &part, &tags);
        // A damaged archive is not worth keeping, and a good one is used up.
        if !matches!(made, Err(SyncError::Stopped | SyncError::Disk(_))) {
            part.remove(&self.files)?;
        }
        Ok((made?, true))
    }

    /// Loads the archive, or what is missing of it; `None` when the present database is of the newest
    /// one.
    fn download(&self, context: &Context<'_>, part: &Part) -> Result<Option<Tags>, SyncError> {
        let present = self.keeper.database().map(|database| {
            let fact = |key| database.fact(key).unwrap_or_default();
            Tags { etag: fact("etag"), modified: fact("modified") }
        });
        let download = Download {
            providers: &self.providers,
            files: &self.files,
            provider: &OPENDB,
            place: OPENDB_ARCHIVE,
            path: "/zip/refs/heads/master",
            part,
            limit: ARCHIVE_BYTES,
            room: ROOM,
            timeout: TIMEOUT,
        };
        let watch = download::Watch {
            cancel: &|| context.check().is_err(),
            expect: &|bytes| context.expect(bytes, "bytes"),
            progress: &|bytes| context.progress(bytes, ""),
        };
        Ok(download.run(present.as_ref(), &watch)?)
    }

    /// Makes the database and puts it in place; how many games it has.
    fn import(&self, context: &Context<'_>, part: &Part, tags: &Tags) -> Result<u64, SyncError> {
        let target = self.data_dir.open_database();
        let name = target.file_name().unwrap_or_default();
        let building = target.with_file_name(temp::temporary_name(name));
        let made = self.build(context, part, tags, &building);
        let placed = made.and_then(|games| {
            context.promote().map_err(|_| SyncError::Stopped)?;
            self.files.rename(&building, &target)?;
            Ok(games)
        });
        if placed.is_err() {
            // OK because what cannot be removed now is removed at the next start.
            drop(self.files.remove(&building));
        }
        self.keeper.renew();
        placed
    }

    fn build(
        &self,
        context: &Context<'_>,
        part: &Part,
        tags: &Tags,
        building: &Path,
    ) -> Result<u64, SyncError> {
        let archive = File::open(part.archive());
        let archive = archive.map_err(|error| SyncError::Disk(text::reason(&error)))?;
        // Made here, because the database would let everybody read it.
        self.files.create(building, b"")?;
        let goes_on = || context.check().is_ok();
        let watch = Watch {
            goes_on: &goes_on,
            expect: &|bytes| context.expect(bytes, "bytes"),
            progress: &|bytes| context.progress(bytes, ""),
        };
        let games = build::import(archive, building, &tags.facts(), &watch)?;
        self.files.append(building)?.sync()?;
        Ok(games)
    }
}
