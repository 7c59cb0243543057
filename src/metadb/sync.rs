//! Downloading the database: a durable job.
//!
//! The archive is loaded into a file that stays when the connection or the program ends, so that the
//! next attempt asks for the rest only. The database is made beside the present one and takes its place
//! in one step, after it was read to its end and made durable; until then and after every failure the
//! present one stays.

use std::{collections::BTreeMap, fs::File, io, path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{
    archive::{self, ArchiveError, Watch},
    build::BuildError,
    keeper::Keeper,
};
use crate::{
    base::{schema::schema, text},
    config::data_dir::DataDir,
    feature::Deps,
    files::{DiskError, Files, temp},
    jobs::{
        Accepted, Context, JobError, JobRow, Jobs, Kind, Outcome, SameName, Spec, Submission,
        Title,
        kind::{Failure, object},
    },
    model::Cause,
    providers::{
        METADB, METADB_ARCHIVE, ProviderError, Providers,
        download::{self, Download, DownloadError, Part, Tags},
    },
    store::Store,
};

/// The name of the job. Matching all games with the database takes turns with it.
pub const JOB: &str = "metadata";

const SPEC: Spec = Spec {
    promotes: true,
    ..Spec::new("metadata.db_sync", &[(JOB, Title::Fixed("Metadata database sync"))])
};

/// Bytes of the largest archive.
const ARCHIVE_BYTES: u64 = 2 << 30;
/// Room for the database, as a multiple of the archive: XML is packed to a fifth, and the database is
/// smaller than the XML.
const ROOM: u64 = 4;
/// From the connection to the last byte.
const TIMEOUT: Duration = Duration::from_hours(6);

/// Why the database was not synchronised. The present one is as it was.
#[derive(Debug, thiserror::Error)]
enum SyncError {
    #[error("Could not reach the metadata database ({}). Check the connection and try again.", bare(.0))]
    Unreachable(#[source] ProviderError),
    #[error(
        "The archive of the metadata database is not valid ({0}). The present database was kept."
    )]
    Damaged(String),
    #[error("The archive of the metadata database is larger than 2 GiB.")]
    TooLarge,
    #[error("There is not enough room for the metadata database: {} are needed, {} are free.", size(*.needed), size(*.free))]
    NoRoom { needed: u64, free: u64 },
    #[error("The metadata database could not be saved: {0}.")]
    Disk(String),
    #[error("it was told to stop")]
    Stopped,
}

/// The reason of a failure as a part of a sentence.
fn bare(error: &ProviderError) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rounded number is shown")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{mebibytes:.0} MiB")
}

impl From<DiskError> for SyncError {
    fn from(error: DiskError) -> Self {
        log::warn!("{error}");
        Self::Disk(error.reason())
    }
}

impl From<ProviderError> for SyncError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Stopped => Self::Stopped,
            ProviderError::Page | ProviderError::Barred => Self::Damaged(error.to_string()),
            error => Self::Unreachable(error),
        }
    }
}

impl From<DownloadError> for SyncError {
    fn from(error: DownloadError) -> Self {
        match error {
            DownloadError::Provider(error) => error.into(),
            DownloadError::Disk(error) => error.into(),
            DownloadError::NoArchive => Self::Damaged(error.to_string()),
            DownloadError::TooLarge => Self::TooLarge,
            DownloadError::NoRoom { needed, free } => Self::NoRoom { needed, free },
        }
    }
}

impl From<ArchiveError> for SyncError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Build(BuildError::Stopped) => Self::Stopped,
            // It is written without a journal: what fails is the disk.
            ArchiveError::Build(BuildError::Database(error)) => Self::Disk(error.to_string()),
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
    store: Store,
    data_dir: DataDir,
}

/// The kind of work that synchronises the database of this keeper.
pub(super) fn kind(deps: &Deps, keeper: &Arc<Keeper>, providers: &Arc<Providers>) -> Kind {
    let syncer = Syncer {
        keeper: Arc::clone(keeper),
        providers: Arc::clone(providers),
        files: deps.files.clone(),
        store: deps.store.clone(),
        data_dir: deps.data_dir.clone(),
    };
    Kind::new(SPEC, &Arc::new(syncer), run)
}

fn run(syncer: &Syncer, context: &Context<'_>) -> Outcome {
    let outcome = syncer.sync(context);
    if !matches!(outcome, Err(SyncError::Stopped)) {
        syncer.store.report(Cause::MetadataSynced { done: outcome.is_ok() });
    }
    match outcome {
        Ok(Synced { games, images, is_new }) => {
            Ok(object(json!({"games": games, "images": images, "changed": is_new})))
        }
        Err(SyncError::Stopped) => Err(Failure::Stopped),
        Err(error) => Err(Failure::refused(&error)),
    }
}

/// What a sync came to.
struct Synced {
    games: u64,
    images: u64,
    /// Whether there is another database now.
    is_new: bool,
}

impl Syncer {
    fn sync(&self, context: &Context<'_>) -> Result<Synced, SyncError> {
        self.files.private_dir(&self.data_dir.metadata())?;
        let part = Part::new(&self.data_dir.metadata(), "Metadata.zip");
        context.phase("downloading");
        let Some(tags) = self.download(context, &part)? else {
            let fact = |key| self.keeper.database()?.fact(key)?.parse().ok();
            let count = |key| fact(key).unwrap_or(0);
            return Ok(Synced { games: count("games"), images: count("images"), is_new: false });
        };
        context.phase("importing");
        let made = self.import(context, &part, &tags);
        // A damaged archive is not worth keeping, and a good one is used up.
        if !matches!(made, Err(SyncError::Stopped | SyncError::Disk(_))) {
            part.remove(&self.files)?;
        }
        made
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
            provider: &METADB,
            place: METADB_ARCHIVE,
            path: "/Metadata.zip",
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

    /// Makes the database and puts it in place.
    fn import(&self, context: &Context<'_>, part: &Part, tags: &Tags) -> Result<Synced, SyncError> {
        let target = self.data_dir.metadata_database();
        let name = target.file_name().unwrap_or_default();
        let building = target.with_file_name(temp::temporary_name(name));
        let made = self.build(context, part, tags, &building);
        let placed = made.and_then(|synced| {
            context.promote().map_err(|_| SyncError::Stopped)?;
            self.files.rename(&building, &target)?;
            Ok(synced)
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
    ) -> Result<Synced, SyncError> {
        let not_read = |error: io::Error| SyncError::Disk(text::reason(&error));
        let archive = File::open(part.archive()).map_err(not_read)?;
        // Made here, because the database would let everybody read it.
        self.files.create(building, b"")?;
        let goes_on = || context.check().is_ok();
        let progress = |bytes| context.progress(bytes, "");
        let expect = |bytes| context.expect(bytes, "bytes");
        let watch = Watch { goes_on: &goes_on, expect: &expect, progress: &progress };
        let counts = archive::import(archive, building, &tags.facts(), &watch)?;
        self.files.append(building)?.sync()?;
        Ok(Synced { games: counts.games, images: counts.pictures, is_new: true })
    }
}

schema! {
    /// The work on the metadata database.
    #[derive(Debug, Default, PartialEq)]
    pub struct MetadataJob {
        /// `idle` before there was any, `downloading` while the database is, `running` while games are
        /// matched with it, then `done` or `error`.
        pub state: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub job_id: Option<String>,
        /// The step: `downloading`, `importing`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub phase: Option<String>,
        /// Bytes, or games, so far.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub current: Option<u64>,
        /// Bytes, or games, in all.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub total: Option<u64>,
        /// Games of the database, when it was synchronised.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub games: Option<u64>,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<String>,
        /// Games that got their number, when games were matched.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub matched: Option<u64>,
        /// Games that were looked at, when games were matched.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scanned: Option<u64>,
        /// Games that could not be matched for a reason of their own, at most 20.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub errors: Option<Vec<String>>,
    }
}

impl MetadataJob {
    /// What is shown of the last job that downloads the database or matches games with it; `matching` is
    /// the name of the latter.
    pub fn of(jobs: &BTreeMap<String, JobRow>, matching: &str) -> Self {
        let rows = [(jobs.get(JOB), false), (jobs.get(matching), true)];
        let begun =
            |row: &JobRow| row.0.get("created_at").and_then(Value::as_str).map(str::to_owned);
        let rows = rows.into_iter().filter_map(|(row, is_match)| Some((row?, is_match)));
        let newest = rows.max_by_key(|(row, _)| (is_active(row), begun(row)));
        newest.map_or_else(
            || Self { state: "idle", ..Self::default() },
            |(row, is_match)| Self::of_row(row, is_match),
        )
    }

    fn of_row(JobRow(job): &JobRow, is_match: bool) -> Self {
        let text = |key: &str| job.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| job.get(key).and_then(Value::as_u64);
        let error = job.get("error").and_then(|error| error.get("message")?.as_str());
        let state = match text("state").as_deref() {
            Some("queued" | "running" | "cancelling") if is_match => "running",
            Some("queued" | "running" | "cancelling") => "downloading",
            Some("done" | "partial") => "done",
            _ => "error",
        };
        let what = if is_match { "The matching was stopped." } else { "The sync was stopped." };
        let stopped = (state == "error").then(|| what.to_owned());
        let is_active = matches!(state, "downloading" | "running");
        Self {
            state,
            job_id: text("job_id"),
            phase: text("phase").filter(|_| is_active),
            current: number("current"),
            total: number("total"),
            games: number("games"),
            error: error.map(str::to_owned).or(stopped),
            matched: number("matched"),
            scanned: number("scanned"),
            errors: is_match.then(Vec::new).filter(|_| state == "done"),
        }
    }
}

fn is_active(JobRow(job): &JobRow) -> bool {
    let state = job.get("state").and_then(Value::as_str);
    matches!(state, Some("queued" | "running" | "cancelling"))
}
