//! Downloading the database: a durable job.
//!
//! The archive is loaded into a file that stays when the connection or the program ends, so that the
//! next attempt asks for the rest only. The database is made beside the present one and takes its place
//! in one step, after it was read to its end and made durable; until then and after every failure the
//! present one stays.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

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
    files::{DiskError, Files, space, temp},
    jobs::{
        Accepted, Context, JobError, JobRow, Jobs, Kind, Outcome, SameName, Spec, Submission,
        Title,
        kind::{Failure, object},
    },
    model::Cause,
    providers::{METADB, METADB_ARCHIVE, ProviderError, Providers, Request, stream::Head},
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
/// How often a download that broke off goes on without having got anywhere.
const FRUITLESS: u32 = 3;
/// How every archive begins.
const SIGNATURE: &[u8] = b"PK\x03\x04";

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
            ProviderError::Page => Self::Damaged(error.to_string()),
            error => Self::Unreachable(error),
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
        let part = Part::of(&self.data_dir.metadata());
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
        let mut fruitless = 0;
        loop {
            let (tags, have) = part.state(&self.files)?;
            match self.load(context, part, &tags, have) {
                Ok(found) => return Ok(found),
                Err(SyncError::Unreachable(ProviderError::Broken)) if fruitless < FRUITLESS => {
                    let (_, now) = part.state(&self.files)?;
                    fruitless = if now > have { 0 } else { fruitless + 1 };
                    log::info!("the metadata database is loaded on from byte {now}");
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// One request for the archive.
    fn load(
        &self,
        context: &Context<'_>,
        part: &Part,
        tags: &Tags,
        have: u64,
    ) -> Result<Option<Tags>, SyncError> {
        let cancel = || context.check().is_err();
        let present = self.keeper.database();
        let fact = |key| present.as_ref().and_then(|database| database.fact(key));
        let mut headers = Vec::new();
        if let Some(tag) = tags.validator().filter(|_| have > 0) {
            headers.push(("Range", format!("bytes={have}-")));
            headers.push(("If-Range", tag.to_owned()));
        } else {
            headers.extend(fact("etag").map(|tag| ("If-None-Match", tag)));
            headers.extend(fact("modified").map(|date| ("If-Modified-Since", date)));
        }
        let request = Request {
            provider: &METADB,
            place: METADB_ARCHIVE,
            path: "/Metadata.zip",
            headers,
            timeout: TIMEOUT,
        };
        let stream = match self.providers.open(&request, &cancel) {
            // What is there is more than there is: another archive.
            Err(ProviderError::Status { status: 416, .. }) if have > 0 => {
                part.remove(&self.files)?;
                return self.load(context, part, &Tags::default(), 0);
            }
            other => other?,
        };
        let head = stream.head();
        if head.is_page() {
            return Err(ProviderError::Page.into());
        }
        let (from, tags) = match head.status {
            304 if present.is_some() => return Ok(None),
            206 if starts_at(head) == Some(have) => (have, tags.clone()),
            200 => (0, Tags::of(head)),
            status => {
                let reason = head.reason;
                return Err(ProviderError::Status { status, reason }.into());
            }
        };
        let rest = head.length();
        self.check_size(from, rest)?;
        context.expect(rest.map_or(0, |rest| from + rest), "bytes");
        let mut file = part.begin(&self.files, from, &tags)?;
        let mut received = from;
        while let Some(piece) = stream.next(&cancel)? {
            if received == 0 && !piece.starts_with(SIGNATURE) {
                part.remove(&self.files)?;
                return Err(SyncError::Damaged("it is no ZIP archive".to_owned()));
            }
            received += piece.len() as u64;
            if received > ARCHIVE_BYTES {
                part.remove(&self.files)?;
                return Err(SyncError::TooLarge);
            }
            file.append(&piece)?;
            context.progress(received, "");
        }
        file.sync()?;
        Ok(Some(tags))
    }

    /// Refuses an archive that is too large, or for which there is no room.
    fn check_size(&self, from: u64, rest: Option<u64>) -> Result<(), SyncError> {
        let Some(rest) = rest else { return Ok(()) };
        if from.saturating_add(rest) > ARCHIVE_BYTES {
            return Err(SyncError::TooLarge);
        }
        let needed = rest + ROOM * (from + rest);
        match space::free_bytes(&self.data_dir.metadata()) {
            Some(free) if free < needed => Err(SyncError::NoRoom { needed, free }),
            _ => Ok(()),
        }
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
        let archive = File::open(&part.archive).map_err(not_read)?;
        // Made here, because the database would let everybody read it.
        self.files.create(building, b"")?;
        let facts = [("etag", tags.etag.as_str()), ("modified", tags.modified.as_str())];
        let facts: Vec<_> = facts.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let goes_on = || context.check().is_ok();
        let progress = |bytes| context.progress(bytes, "");
        let expect = |bytes| context.expect(bytes, "bytes");
        let watch = Watch { goes_on: &goes_on, expect: &expect, progress: &progress };
        let counts = archive::import(archive, building, &facts, &watch)?;
        self.files.append(building)?.sync()?;
        Ok(Synced { games: counts.games, images: counts.pictures, is_new: true })
    }
}

/// Where the body of a partial answer begins.
fn starts_at(head: &Head) -> Option<u64> {
    let range = head.header("Content-Range")?.strip_prefix("bytes ")?;
    range.split_once('-')?.0.trim().parse().ok()
}

/// What tells one archive from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tags {
    etag: String,
    modified: String,
}

impl Tags {
    fn of(head: &Head) -> Self {
        let text = |name| head.header(name).unwrap_or_default().to_owned();
        Self { etag: text("ETag"), modified: text("Last-Modified") }
    }

    /// What a request for the rest names. A weak tag does not tell whether bytes are equal.
    fn validator(&self) -> Option<&str> {
        let etag = Some(self.etag.as_str()).filter(|etag| etag.starts_with('"'));
        etag.or(Some(self.modified.as_str())).filter(|text| !text.is_empty())
    }
}

/// The unfinished download, and beside it what tells of which archive it is.
struct Part {
    archive: PathBuf,
    tags: PathBuf,
}

impl Part {
    fn of(folder: &Path) -> Self {
        Self { archive: folder.join("Metadata.zip.part"), tags: folder.join("Metadata.zip.tags") }
    }

    /// Of which archive it is, and how much of it there is.
    fn state(&self, files: &Files) -> Result<(Tags, u64), SyncError> {
        let length = files.stat(&self.archive)?.map_or(0, |found| found.len());
        let text = files.read(&self.tags).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.unwrap_or_default();
        let mut lines = text.lines().map(str::to_owned);
        let mut next = || lines.next().unwrap_or_default();
        Ok((Tags { etag: next(), modified: next() }, length))
    }

    /// The file to go on with from a byte. Of what lies behind it nothing stays.
    fn begin(
        &self,
        files: &Files,
        from: u64,
        tags: &Tags,
    ) -> Result<crate::files::Appender, SyncError> {
        if from == 0 {
            self.remove(files)?;
            files.replace(&self.tags, format!("{}\n{}\n", tags.etag, tags.modified).as_bytes())?;
        }
        Ok(files.append_or_create(&self.archive)?)
    }

    fn remove(&self, files: &Files) -> Result<(), SyncError> {
        files.remove(&self.archive)?;
        Ok(files.remove(&self.tags)?)
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
