//! Covers that a store keeps outside of the media folders: copied in, so that they can be shown.

use std::path::Path;

use crate::{
    files::{DiskError, Files},
    model::Record,
};

use super::title::Title;

/// Bytes of a cover.
const COVER_BYTES: u64 = 20 * 1024 * 1024;

/// Copies the covers of titles into `<media>/<source>/` and points the titles there. A cover that
/// is there already is not copied again; one that cannot be copied is left out.
pub fn keep(files: &Files, media: &Path, titles: &mut [Title]) {
    for title in titles.iter_mut().filter(|title| !title.cover.is_empty()) {
        title.cover = keep_one(files, media, &title.source, &title.cover);
    }
}

/// As [`keep`], for the cover of a row, unless it lies in the media folder.
pub fn keep_of(files: &Files, media: &Path, row: &mut Record) {
    if row.is_blank("cover") || Path::new(row.text("cover")).starts_with(media) {
        return;
    }
    let cover = keep_one(files, media, row.text("source"), row.text("cover"));
    if cover.is_empty() {
        row.remove("cover");
    } else {
        row.set("cover", cover);
    }
}

/// Where the cover of a source lies now, blank when it was left out.
fn keep_one(files: &Files, media: &Path, source: &str, cover: &str) -> String {
    copy(files, media, source, cover).unwrap_or_else(|error| {
        log::warn!("a cover was left out: {error}");
        String::new()
    })
}

fn copy(files: &Files, media: &Path, source: &str, cover: &str) -> Result<String, DiskError> {
    let from = Path::new(cover);
    let Some(name) = from.file_name() else { return Ok(String::new()) };
    let folder = media.join(source);
    let to = folder.join(name);
    let size = files.stat(from)?.filter(std::fs::Metadata::is_file).map_or(0, |stat| stat.len());
    if size == 0 || size > COVER_BYTES {
        return Ok(String::new());
    }
    if files.stat(&to)?.is_none() {
        files.private_dir(&folder)?;
        files.copy(from, &to)?;
    }
    Ok(to.to_string_lossy().into_owned())
}
