//! Loading a large archive of a provider.
//!
//! The archive is loaded into a file that stays when the connection or the program ends, so that the
//! next attempt asks for the rest only (`Range`, `If-Range`). Next to it is a file with the tags of its archive.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    client::{Providers, Request},
    error::{Cancel, ProviderError},
    stream::Head,
    table::{BaseUrl, Provider},
};
use crate::files::{Appender, DiskError, Files, space};

/// How often an interrupted download is continued without progress.
const FRUITLESS: u32 = 3;
/// How every ZIP archive begins.
const SIGNATURE: &[u8] = b"PK\x03\x04";

/// Why an archive was not loaded. What was loaded of it stays where that helps the next attempt.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("it is no ZIP archive")]
    NoArchive,
    /// It has more bytes than [`Download::limit`].
    #[error("it is too large")]
    TooLarge,
    /// There is not enough room on the disk; both in bytes.
    #[error("there is not enough room")]
    NoRoom {
        /// What is needed.
        needed: u64,
        /// What is free.
        free: u64,
    },
}

/// What identifies an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// `ETag`; may be empty.
    pub etag: String,
    /// `Last-Modified`; may be empty.
    pub modified: String,
}

impl Tags {
    fn of(head: &Head) -> Self {
        let text = |name| head.header(name).unwrap_or_default().to_owned();
        Self { etag: text("ETag"), modified: text("Last-Modified") }
    }

    /// What a request for the rest names. A weak tag does not show whether bytes are equal.
    fn validator(&self) -> Option<&str> {
        let etag = Some(self.etag.as_str()).filter(|etag| etag.starts_with('"'));
        etag.or(Some(self.modified.as_str())).filter(|text| !text.is_empty())
    }

    /// Those that are known, by the names under which databases keep them.
    pub fn facts(&self) -> Vec<(&'static str, &str)> {
        let facts = [("etag", self.etag.as_str()), ("modified", self.modified.as_str())];
        facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }
}

/// Follows a download.
pub struct Watch<'a> {
    /// Whether it was cancelled.
    pub cancel: Cancel<'a>,
    /// Receives the size of the archive in bytes, 0 when it is unknown.
    pub expect: &'a dyn Fn(u64),
    /// Receives the bytes so far.
    pub progress: &'a dyn Fn(u64),
}

/// An archive that is to be loaded.
pub struct Download<'a> {
    /// The client.
    pub providers: &'a Providers,
    /// Access to the disk.
    pub files: &'a Files,
    /// Whose archive it is.
    pub provider: &'static Provider,
    /// Where it lies.
    pub base_url: BaseUrl,
    /// What lies below that, with a slash in front.
    pub path: &'static str,
    /// Where it is kept.
    pub part: &'a Part,
    /// Bytes of the largest archive.
    pub limit: u64,
    /// Room for what is made of it, as a multiple of the archive.
    pub room: u64,
    /// From the connection to the last byte of one attempt.
    pub timeout: Duration,
}

impl Download<'_> {
    /// Loads the archive, or what is missing of it; its tags. `None` when `present` are the tags of
    /// the newest one.
    ///
    /// # Errors
    /// [`DownloadError`].
    pub fn run(
        &self,
        present: Option<&Tags>,
        watch: &Watch<'_>,
    ) -> Result<Option<Tags>, DownloadError> {
        let mut fruitless = 0;
        loop {
            let (tags, have) = self.part.state(self.files)?;
            match self.load(present, watch, &tags, have) {
                Err(DownloadError::Provider(ProviderError::Broken)) if fruitless < FRUITLESS => {
                    let (_, now) = self.part.state(self.files)?;
                    fruitless = if now > have { 0 } else { fruitless + 1 };
                    log::info!("an archive of {} is loaded on from byte {now}", self.provider.id);
                }
                outcome => return outcome,
            }
        }
    }

    /// One request for the archive.
    fn load(
        &self,
        present: Option<&Tags>,
        watch: &Watch<'_>,
        tags: &Tags,
        have: u64,
    ) -> Result<Option<Tags>, DownloadError> {
        let Self { providers, files, provider, base_url, path, part, timeout, .. } = *self;
        let headers = conditions(present, tags, have);
        let request = Request { provider, base_url, path, headers, timeout };
        let stream = match providers.open(&request, watch.cancel) {
            // What is there is more than there is: another archive.
            Err(ProviderError::Status { status: 416, .. }) if have > 0 => {
                part.remove(files)?;
                return self.load(present, watch, &Tags::default(), 0);
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
        (watch.expect)(rest.map_or(0, |rest| from + rest));
        let mut file = part.begin(files, from, &tags)?;
        let mut received = from;
        while let Some(piece) = stream.next(watch.cancel)? {
            if received == 0 && !piece.starts_with(SIGNATURE) {
                part.remove(files)?;
                return Err(DownloadError::NoArchive);
            }
            received += piece.len() as u64;
            if received > self.limit {
                part.remove(files)?;
                return Err(DownloadError::TooLarge);
            }
            file.append(&piece)?;
            (watch.progress)(received);
        }
        file.sync()?;
        Ok(Some(tags))
    }

    /// Refuses an archive that is too large, or for which there is no room.
    fn check_size(&self, from: u64, rest: Option<u64>) -> Result<(), DownloadError> {
        let Some(rest) = rest else { return Ok(()) };
        let whole = from.saturating_add(rest);
        if whole > self.limit {
            return Err(DownloadError::TooLarge);
        }
        let needed = rest + self.room * whole;
        match self.part.archive.parent().and_then(space::free_bytes) {
            Some(free) if free < needed => Err(DownloadError::NoRoom { needed, free }),
            _ => Ok(()),
        }
    }
}

/// The headers that ask for the rest of an archive, or for one that is not the present one.
fn conditions(present: Option<&Tags>, tags: &Tags, have: u64) -> Vec<(&'static str, String)> {
    if let Some(tag) = tags.validator().filter(|_| have > 0) {
        return vec![("Range", format!("bytes={have}-")), ("If-Range", tag.to_owned())];
    }
    let present = present.cloned().unwrap_or_default();
    let known = [("If-None-Match", present.etag), ("If-Modified-Since", present.modified)];
    known.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// Where the body of a partial answer begins.
fn starts_at(head: &Head) -> Option<u64> {
    let range = head.header("Content-Range")?.strip_prefix("bytes ")?;
    range.split_once('-')?.0.trim().parse().ok()
}

/// The unfinished download, and next to it the identity of its archive.
pub struct Part {
    archive: PathBuf,
    tags: PathBuf,
}

impl Part {
    /// The part of an archive of this name, in a folder that exists.
    pub fn new(folder: &Path, name: &str) -> Self {
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        Self { archive: file("part"), tags: file("tags") }
    }

    /// The archive; whole after a download that succeeded.
    pub fn archive(&self) -> &Path {
        &self.archive
    }

    /// Removes the archive.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn remove(&self, files: &Files) -> Result<(), DiskError> {
        files.remove(&self.archive)?;
        files.remove(&self.tags)
    }

    /// Of which archive it is, and how much of it there is.
    fn state(&self, files: &Files) -> Result<(Tags, u64), DiskError> {
        let length = files.stat(&self.archive)?.map_or(0, |found| found.len());
        let text = files.read(&self.tags).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.unwrap_or_default();
        let mut lines = text.lines().map(str::to_owned);
        let mut next = || lines.next().unwrap_or_default();
        Ok((Tags { etag: next(), modified: next() }, length))
    }

    /// The file to go on with from a byte. Of what lies behind it nothing stays.
    fn begin(&self, files: &Files, from: u64, tags: &Tags) -> Result<Appender, DiskError> {
        if from == 0 {
            self.remove(files)?;
            files.replace(&self.tags, format!("{}\n{}\n", tags.etag, tags.modified).as_bytes())?;
        }
        files.append_or_create(&self.archive)
    }
}
