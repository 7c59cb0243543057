//! A file that is written while it is received: videos and documents, which are too large for memory.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    client::{Answered, Providers, Request, answered},
    error::{Cancel, ProviderError},
    stream::Stream,
};
use crate::files::{DiskError, Files, temp::Temp};

/// Bytes of the longest message that stands in place of a file.
const MESSAGE_BYTES: u64 = 64 << 10;

/// Why a file is not there.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error("it cannot be saved: {}", .0.reason())]
    Disk(#[from] DiskError),
}

/// The place of a file, and the accepted content.
pub struct Target<'a> {
    /// Access to the disk.
    pub files: &'a Files,
    /// The file as it is called where nothing else has its name.
    pub path: &'a Path,
    /// Gives the file its place when it is whole; where it lies then.
    pub keep: &'a (dyn Fn(Temp) -> Result<PathBuf, DiskError> + Sync),
    /// Bytes of the largest one.
    pub limit: u64,
    /// Judges the first piece.
    pub is_good: &'a (dyn Fn(&[u8]) -> bool + Sync),
}

/// A received file.
#[derive(Debug, PartialEq, Eq)]
pub enum Saved {
    /// Where the file lies.
    File(PathBuf),
    /// Something else; nothing was stored.
    Said(Answered),
}

impl Saved {
    /// Takes nothing but the file.
    ///
    /// # Errors
    /// The status of another answer, or [`ProviderError::Nonsense`].
    pub fn file(self) -> Result<PathBuf, ProviderError> {
        match self {
            Self::File(path) => Ok(path),
            Self::Said(Answered { status: 200, .. }) => Err(ProviderError::Nonsense),
            Self::Said(Answered { status, reason, .. }) => {
                Err(ProviderError::Status { status, reason })
            }
        }
    }
}

/// Writes the body of an answer to a temporary file, which is renamed when it is complete. One that breaks
/// off is asked for again.
/// With an address that an answer names ([`Providers::named`]) the path of the request is not used.
///
/// # Errors
/// [`SaveError`]; then nothing was stored.
pub fn save(
    providers: &Providers,
    request: &Request<'_>,
    address: Option<&str>,
    target: &Target<'_>,
    cancel: Cancel<'_>,
) -> Result<Saved, SaveError> {
    let take = |stream| match written(stream, target, cancel) {
        Ok(saved) => Ok(Ok(saved)),
        Err(SaveError::Disk(error)) => Ok(Err(error)),
        Err(SaveError::Provider(error)) => Err(error),
    };
    Ok(providers.taken(request, (address, true), take, cancel)??)
}

fn written(stream: Stream, target: &Target<'_>, cancel: Cancel<'_>) -> Result<Saved, SaveError> {
    let head = stream.head().clone();
    if head.status != 200 {
        return Ok(Saved::Said(answered(stream, MESSAGE_BYTES, cancel)?));
    }
    let limit = target.limit;
    let too_large = || ProviderError::TooLarge(limit);
    if head.length().is_some_and(|length| length > limit) {
        return Err(too_large().into());
    }
    let first = stream.next(cancel)?.unwrap_or_default();
    let is_page = head.is_page();
    if is_page && first.trim_ascii_start().first().is_none_or(|first| *first == b'<') {
        return Err(ProviderError::Page.into());
    }
    if is_page || !(target.is_good)(&first) {
        let (status, reason) = (head.status, head.reason);
        return Ok(Saved::Said(Answered { status, reason, bytes: first }));
    }
    let mut count = first.len() as u64;
    let mut failed = None;
    let written = target.files.write_beside(target.path, |sink| {
        sink.write_all(&first)?;
        loop {
            let piece = match stream.next(cancel) {
                Ok(Some(piece)) => piece,
                Ok(None) => return Ok(()),
                Err(error) => {
                    failed = Some(error);
                    return Err(io::ErrorKind::Other.into());
                }
            };
            count += piece.len() as u64;
            if count > limit {
                failed = Some(too_large());
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            sink.write_all(&piece)?;
        }
    });
    match (written, failed) {
        (Ok(written), _) => Ok(Saved::File((target.keep)(written)?)),
        (Err(_), Some(error)) => Err(error.into()),
        (Err(error), None) => Err(error.into()),
    }
}
