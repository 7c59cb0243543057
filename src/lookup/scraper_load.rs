//! Loading media of the scraper provider.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    error::{LookupError, NoMedia},
    scraper_media::Slot,
    service::Lookup,
    store_a::is_video,
};
use crate::{
    formats::thumbnail::Kind,
    providers::{
        ProviderError, Request, SCRAPER, SCRAPER_API,
        client::Picture,
        error::Cancel,
        saved::{SaveError, Saved, Target, save},
    },
};

/// Below this number of bytes a reply is not a picture.
const NO_PICTURE: usize = 256;
/// Bytes of the largest video or document.
const FILE_BYTES: u64 = 512 << 20;
/// From the connection to the last byte of a video or document.
const FILE_TIME: Duration = Duration::from_mins(5);

/// Judges the first bytes of a file.
type Judge<'a> = &'a (dyn Fn(&[u8]) -> bool + Sync);

impl Lookup {
    /// Loads the best file of a place into the folder of a game; where it lies then.
    pub(super) fn load_scraped(
        &self,
        slot: &Slot,
        folder: &Path,
        cancel: Cancel<'_>,
    ) -> Result<PathBuf, NoMedia> {
        let (mut first, mut is_absent) = (None, false);
        for url in &slot.urls {
            match self.load_one(slot, url, folder, cancel) {
                Err(NoMedia::Missing(reason)) => first = first.or(Some(reason)),
                Err(NoMedia::Absent) => is_absent = true,
                other => return other,
            }
        }
        if first.is_none() && is_absent {
            return Err(NoMedia::Absent);
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
        let (ending, is_good, is_other): (_, Judge<'_>, _) = match slot.kind {
            "manual" => {
                ("pdf", &|first| first.starts_with(b"%PDF"), ProviderError::Other("PDF document"))
            }
            "video_snap" => ("mp4", &is_video, ProviderError::Other("MP4 video")),
            _ => {
                let providers = &self.scraper.providers;
                let answer = providers.answer_named(&SCRAPER, SCRAPER_API, &address, cancel)?;
                let is_one = answer.status == 200 && answer.bytes.len() >= NO_PICTURE;
                let Some(kind) = Kind::of(&answer.bytes).filter(|_| is_one) else {
                    let other = ProviderError::NoPicture;
                    return Err(self.scraper.no_media(&answer, &other, cancel));
                };
                let picture = Picture { bytes: answer.bytes, kind };
                let kept = self.keep_picture(folder, &slot.stem, &picture);
                return Ok(kept.map_err(LookupError::from)?);
            }
        };
        let request = Request {
            provider: &SCRAPER,
            base_url: SCRAPER_API,
            path: "",
            headers: Vec::new(),
            timeout: FILE_TIME,
        };
        let path = target.with_extension(ending);
        let (files, limit) = (&self.files, FILE_BYTES);
        let keep = |written| self.media_writer().keep_written(&path, written);
        let target = Target { files, path: &path, keep: &keep, limit, is_good };
        match save(&self.scraper.providers, &request, Some(&address), &target, cancel) {
            Ok(Saved::File(path)) => Ok(path),
            Ok(Saved::Said(answer)) => Err(self.scraper.no_media(&answer, &is_other, cancel)),
            Err(SaveError::Disk(error)) => Err(NoMedia::Ends(error.into())),
            Err(SaveError::Provider(error)) => Err(error.into()),
        }
    }
}
