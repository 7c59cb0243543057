//! From the archive of a provider to the database that is in use, as the work of a durable job.
//!
//! The archive is loaded into a file that stays when the connection or the program ends, so that the
//! next attempt asks for the rest only. The database is made next to the present one and replaces it in one step, after
//! it was read to its end and made durable; until then and after every failure the present one stays.

use std::{fs::File, path::Path, sync::Arc, time::Duration};

use super::{file::Database, handle::DatabaseHandle};
use crate::{
    base::text,
    feature::Deps,
    files::{DiskError, Files, temp},
    jobs::{Context, kind::Failure},
    providers::{
        ProviderError, Providers,
        download::{self, Download, DownloadError, Part, Tags},
        table::{BaseUrl, Provider},
    },
};

/// Bytes of the largest archive.
const ARCHIVE_BYTES: u64 = 2 << 30;
/// From the connection to the last byte.
const TIMEOUT: Duration = Duration::from_hours(6);

/// An archive that a database is made of.
pub struct Archive {
    /// Whose it is.
    pub provider: &'static Provider,
    /// Where it lies.
    pub base_url: BaseUrl,
    /// What lies below that, with a slash in front.
    pub path: &'static str,
    /// The name under which it is kept while it is loaded.
    pub file: &'static str,
    /// Room for the database, as a multiple of the archive.
    pub room: u64,
}

/// Why no database was made of an archive.
#[derive(Debug)]
pub enum ImportError {
    /// The archive is not valid, for this reason.
    Damaged(String),
    /// The file of the database could not be written.
    Disk(String),
    /// It was asked to stop.
    Stopped,
}

/// The progress and cancellation of an import.
pub struct Watch<'a> {
    /// Whether it is to go on.
    pub goes_on: &'a dyn Fn() -> bool,
    /// Receives the total number of bytes, unpacked.
    pub expect: &'a dyn Fn(u64),
    /// Receives the number of bytes read so far.
    pub progress: &'a dyn Fn(u64),
}

/// Makes a database of an archive in an empty file, with these facts besides those of the archive.
pub type Import<T> = fn(File, &Path, &[(&str, &str)], &Watch<'_>) -> Result<T, ImportError>;

/// Downloads and swaps a database.
pub struct Syncer<D> {
    /// What is replaced.
    pub handle: Arc<DatabaseHandle<D>>,
    archive: Archive,
    providers: Arc<Providers>,
    files: Files,
}

/// Why a database was not synchronised. The present one is as it was.
#[derive(Debug, thiserror::Error)]
#[error("{}", .reason.sentence(.name))]
struct SyncError {
    name: &'static str,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    Unreachable(ProviderError),
    Damaged(String),
    TooLarge,
    NoRoom { needed: u64, free: u64 },
    Disk(String),
    Stopped,
}

impl Reason {
    fn sentence(&self, name: &str) -> String {
        match self {
            Self::Unreachable(error) => {
                let reason = error.to_string();
                let reason = reason.trim_end_matches('.');
                format!(
                    "Could not reach the {name} ({reason}). Check the connection and try again."
                )
            }
            Self::Damaged(reason) => format!(
                "The archive of the {name} is not valid ({reason}). The present database was kept."
            ),
            Self::TooLarge => format!("The archive of the {name} is larger than 2 GiB."),
            Self::NoRoom { needed, free } => format!(
                "There is not enough room for the {name}: {} are needed, {} are free.",
                size(*needed),
                size(*free)
            ),
            Self::Disk(reason) => format!("The {name} could not be saved: {reason}."),
            Self::Stopped => "it was asked to stop".to_owned(),
        }
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rounded number is shown")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{mebibytes:.0} MiB")
}

impl From<DiskError> for Reason {
    fn from(error: DiskError) -> Self {
        log::warn!("{error}");
        Self::Disk(error.reason())
    }
}

impl From<DownloadError> for Reason {
    fn from(error: DownloadError) -> Self {
        match error {
            DownloadError::Provider(ProviderError::Stopped) => Self::Stopped,
            DownloadError::Provider(error @ (ProviderError::Page | ProviderError::Barred)) => {
                Self::Damaged(error.to_string())
            }
            DownloadError::Provider(error) => Self::Unreachable(error),
            DownloadError::Disk(error) => error.into(),
            DownloadError::NoArchive => Self::Damaged(error.to_string()),
            DownloadError::TooLarge => Self::TooLarge,
            DownloadError::NoRoom { needed, free } => Self::NoRoom { needed, free },
        }
    }
}

impl From<ImportError> for Reason {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Damaged(reason) => Self::Damaged(reason),
            ImportError::Disk(reason) => Self::Disk(reason),
            ImportError::Stopped => Self::Stopped,
        }
    }
}

impl<D: Database> Syncer<D> {
    /// What brings the database of this handle up to date.
    pub fn new(
        deps: &Deps,
        handle: &Arc<DatabaseHandle<D>>,
        providers: &Arc<Providers>,
        archive: Archive,
    ) -> Self {
        let (handle, providers) = (Arc::clone(handle), Arc::clone(providers));
        Self { handle, archive, providers, files: deps.files.clone() }
    }

    /// What the import gave; `None` when the present database is of the newest archive.
    ///
    /// # Errors
    /// A sentence for the user, or [`Failure::Stopped`].
    pub fn run<T>(&self, context: &Context<'_>, import: Import<T>) -> Result<Option<T>, Failure> {
        self.sync(context, import).map_err(|reason| match reason {
            Reason::Stopped => Failure::Stopped,
            reason => Failure::refused(&SyncError { name: D::NAME, reason }),
        })
    }

    fn sync<T>(&self, context: &Context<'_>, import: Import<T>) -> Result<Option<T>, Reason> {
        // OK because the file lies in a folder of the data directory.
        let folder = self.handle.path().parent().unwrap_or(Path::new(""));
        self.files.private_dir(folder)?;
        let part = Part::new(folder, self.archive.file);
        context.phase("downloading");
        let Some(tags) = self.download(context, &part)? else { return Ok(None) };
        context.phase("importing");
        let made = self.place(context, &part, &tags, import);
        // A damaged archive is not worth keeping, and a good one is used up.
        if !matches!(made, Err(Reason::Stopped | Reason::Disk(_))) {
            part.remove(&self.files)?;
        }
        made.map(Some)
    }

    /// Loads the archive, or what is missing of it; `None` when the present database is of the newest
    /// one.
    fn download(&self, context: &Context<'_>, part: &Part) -> Result<Option<Tags>, Reason> {
        let present = self.handle.database().map(|database| {
            let fact = |key| database.fact(key).unwrap_or_default();
            Tags { etag: fact("etag"), modified: fact("modified") }
        });
        let Archive { provider, base_url, path, room, .. } = self.archive;
        let download = Download {
            providers: &self.providers,
            files: &self.files,
            provider,
            base_url,
            path,
            part,
            limit: ARCHIVE_BYTES,
            room,
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
    fn place<T>(
        &self,
        context: &Context<'_>,
        part: &Part,
        tags: &Tags,
        import: Import<T>,
    ) -> Result<T, Reason> {
        let target = self.handle.path();
        let name = target.file_name().unwrap_or_default();
        let building = target.with_file_name(temp::temporary_name(name));
        let made = self.build(context, part, tags, &building, import);
        let placed = made.and_then(|made| {
            context.promote().map_err(|_| Reason::Stopped)?;
            self.files.rename(&building, target)?;
            Ok(made)
        });
        if placed.is_err() {
            // OK because what cannot be removed now is removed at the next start.
            drop(self.files.remove(&building));
        }
        self.handle.renew();
        placed
    }

    fn build<T>(
        &self,
        context: &Context<'_>,
        part: &Part,
        tags: &Tags,
        building: &Path,
        import: Import<T>,
    ) -> Result<T, Reason> {
        let archive = File::open(part.archive());
        let archive = archive.map_err(|error| Reason::Disk(text::reason(&error)))?;
        // Made here, because the database would make it readable by all users.
        self.files.create(building, b"")?;
        let watch = Watch {
            goes_on: &|| context.check().is_ok(),
            expect: &|bytes| context.expect(bytes, "bytes"),
            progress: &|bytes| context.progress(bytes, ""),
        };
        let made = import(archive, building, &tags.facts(), &watch)?;
        self.files.append(building)?.sync()?;
        Ok(made)
    }
}
