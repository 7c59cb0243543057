//! Loading media of the scraper provider.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    error::LookupError,
    scraper_media::Slot,
    service::Lookup,
    store_a::{is_video, keep_picture},
};
use crate::providers::{
    ProviderError, Request, SCRAPER, SCRAPER_API,
    error::Cancel,
    saved::{SaveError, save},
};

/// Bytes of a picture that is none.
const NO_PICTURE: usize = 256;
/// Bytes of the largest video or document.
const FILE_BYTES: u64 = 512 << 20;
/// From the connection to the last byte of a video or document.
const FILE_TIME: Duration = Duration::from_mins(5);

/// Judges the first bytes of a file.
type Judge<'a> = &'a dyn Fn(&[u8]) -> bool;

/// Why a place stays empty.
#[derive(Debug)]
pub(super) enum NoMedia {
    /// The work as a whole cannot go on.
    Ends(LookupError),
    /// Only this file is missing: why, without its address.
    Missing(String),
}

impl From<LookupError> for NoMedia {
    fn from(error: LookupError) -> Self {
        if matches!(error, LookupError::TookTooLong(_)) || error.is_lasting() {
            Self::Ends(error)
        } else {
            Self::Missing(error.to_string())
        }
    }
}

impl From<ProviderError> for NoMedia {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Stopped => Self::Ends(LookupError::TookTooLong(SCRAPER.name)),
            error => Self::Missing(error.to_string()),
        }
    }
}

impl Lookup {
    /// Loads the best file of a place into the folder of a game; where it lies then.
    pub(super) fn load_scraped(
        &self,
        slot: &Slot,
        folder: &Path,
        cancel: Cancel<'_>,
    ) -> Result<PathBuf, NoMedia> {
        let mut first = None;
        for url in &slot.urls {
            match self.load_one(slot, url, folder, cancel) {
                Err(NoMedia::Missing(reason)) => first = first.or(Some(reason)),
                other => return other,
            }
        }
        let reason = first.unwrap_or_else(|| ProviderError::NoPicture.to_string());
        Err(NoMedia::Missing(self.scraper.redacted(&reason)))
    }

    fn load_one(
        &self,
        slot: &Slot,
        url: &str,
        folder: &Path,
        cancel: Cancel<'_>,
    ) -> Result<PathBuf, NoMedia> {
        let address = self.scraper.with_login(url)?;
        let target = folder.join(&slot.stem);
        let parent = target.parent().unwrap_or(folder);
        self.files.private_dir(parent).map_err(LookupError::from)?;
        let (ending, is_good): (_, Judge<'_>) = match slot.kind {
            "manual" => ("pdf", &|first| first.starts_with(b"%PDF")),
            "video_snap" => ("mp4", &is_video),
            _ => {
                let providers = &self.scraper.providers;
                let picture = providers.picture_named(&SCRAPER, SCRAPER_API, &address, cancel)?;
                if picture.bytes.len() < NO_PICTURE {
                    return Err(ProviderError::NoPicture.into());
                }
                return Ok(keep_picture(&self.files, folder, &slot.stem, &picture)?);
            }
        };
        let request = Request {
            provider: &SCRAPER,
            place: SCRAPER_API,
            path: "",
            headers: Vec::new(),
            timeout: FILE_TIME,
        };
        let stream = self.scraper.providers.open_named(&request, &address, cancel)?;
        let path = target.with_extension(ending);
        match save(&stream, &self.files, &path, FILE_BYTES, is_good, cancel) {
            Ok(_) => Ok(path),
            Err(SaveError::Disk(error)) => Err(NoMedia::Ends(error.into())),
            Err(SaveError::Provider(error)) => Err(error.into()),
        }
    }
}
