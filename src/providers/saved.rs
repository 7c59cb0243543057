//! A file that is written while it comes: videos and documents, which are too large to be held.

use std::{io, path::Path};

use super::{
    error::{Cancel, ProviderError},
    stream::Stream,
};
use crate::files::{DiskError, Files};

/// Why a file is not there.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error("it cannot be saved: {}", .0.reason())]
    Disk(#[from] DiskError),
}

/// Writes the body of an answer to a file, in one step at the end; how many bytes. `is_good` judges the
/// first piece.
///
/// # Errors
/// [`SaveError`]; then the file is as it was.
pub fn save(
    stream: &Stream,
    files: &Files,
    path: &Path,
    limit: u64,
    is_good: &dyn Fn(&[u8]) -> bool,
    cancel: Cancel<'_>,
) -> Result<u64, SaveError> {
    let head = stream.head();
    if head.status != 200 {
        let error = ProviderError::Status { status: head.status, reason: head.reason };
        return Err(error.into());
    }
    if head.is_page() {
        return Err(ProviderError::Page.into());
    }
    let too_large = || ProviderError::TooLarge(limit);
    if head.length().is_some_and(|length| length > limit) {
        return Err(too_large().into());
    }
    let Some(first) = stream.next(cancel)?.filter(|first| is_good(first)) else {
        return Err(ProviderError::Nonsense.into());
    };
    let mut count = first.len() as u64;
    let mut failed = None;
    let written = files.replace_with(path, |sink| {
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
        (Ok(()), _) => Ok(count),
        (Err(_), Some(error)) => Err(error.into()),
        (Err(error), None) => Err(error.into()),
    }
}
