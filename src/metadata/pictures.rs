//! The pictures of the metadata database: which ones a game gets, loading, checking and storing them.
//!
//! A picture lies in `media/metadb/<number>/<kind>.<ending>`. One that is there and has the checksum of the
//! database is not loaded again. Games with the same number share the folder, so a file that is there is
//! never replaced by another picture ([`MediaWriter`]).

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use crate::{
    base::thread_named,
    files::{DiskError, Files},
    formats::thumbnail::Kind,
    media::media_writer::MediaWriter,
    metadb::{Image, kinds},
    net::location::percent_encoded,
    providers::{METADB, METADB_IMAGES, ProviderError, Providers, client::Picture, error::Cancel},
};

/// Screenshots of one game that are loaded.
const SCREENSHOTS: usize = 12;
/// Pictures that are loaded at once.
const AT_ONCE: usize = 4;
/// Pictures that are tried for one place, when those before cannot be loaded.
const TRIED: usize = 3;

/// A place of a game for a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The field of the game.
    pub kind: &'static str,
    /// The name of the file without its extension.
    pub stem: String,
    /// Pictures for it, the best first.
    pub images: Vec<Image>,
}

/// Why a place stays empty.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error("it cannot be saved: {}", .0.reason())]
    Disk(#[from] DiskError),
}

impl PictureError {
    /// Whether the work as a whole cannot go on.
    pub fn ends_work(&self) -> bool {
        matches!(self, Self::Disk(_) | Self::Provider(ProviderError::Stopped))
    }
}

/// The places of a game for these kinds of media, of the pictures that the database has of it. Regions are
/// preferred in their order; unknown ones come last.
pub fn slots(images: &[Image], wanted: &[&str], regions: &[String]) -> Vec<Slot> {
    let mut places = Vec::new();
    for kind in kinds::KINDS.iter().filter(|known| wanted.contains(&known.kind)) {
        let mut found: Vec<Image> = Vec::new();
        for name in kind.types {
            let mut of_type: Vec<&Image> =
                images.iter().filter(|image| image.type_name == *name).collect();
            of_type.sort_by_key(|image| (rank(&image.region, regions), &image.file));
            if kind.kind == "screenshots" && !found.is_empty() {
                break;
            }
            found.extend(of_type.into_iter().cloned());
        }
        if kind.kind == "screenshots" {
            let shots = found.into_iter().take(SCREENSHOTS).enumerate();
            places.extend(shots.map(|(at, image)| Slot {
                kind: kind.kind,
                stem: format!("screenshot-{}", at + 1),
                images: vec![image],
            }));
        } else if !found.is_empty() {
            found.truncate(TRIED);
            places.push(Slot { kind: kind.kind, stem: kind.kind.to_owned(), images: found });
        }
    }
    places
}

fn rank(region: &str, regions: &[String]) -> usize {
    regions.iter().position(|known| known == region).unwrap_or(regions.len())
}

/// Loads pictures of the database.
pub struct Loader<'a> {
    /// Who is asked.
    pub providers: &'a Providers,
    /// Access to the disk.
    pub files: &'a Files,
    /// Whether it was cancelled.
    pub cancel: Cancel<'a>,
}

/// Where the picture of a slot lies and whether it was written, or why there is none.
pub type Fetched = Result<(PathBuf, bool), PictureError>;

impl Loader<'_> {
    /// As [`Loader::fetch`] for several slots with their folders, at most four at once, in their order.
    pub fn fetch_all(&self, slots: &[(&Path, &Slot)]) -> Vec<Fetched> {
        let next = AtomicUsize::new(0);
        let mut fetched: Vec<(usize, Fetched)> = thread::scope(|scope| {
            let work = || {
                let mut done = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((folder, slot)) = slots.get(at) else { return done };
                    done.push((at, self.fetch(folder, slot)));
                }
            };
            let others: Vec<_> = (1..AT_ONCE.min(slots.len()))
                // Without a thread to spare the others do its part.
                .filter_map(|_| thread_named("pictures").spawn_scoped(scope, work).ok())
                .collect();
            let mut all = work();
            for other in others {
                match other.join() {
                    Ok(done) => all.extend(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        });
        fetched.sort_by_key(|(at, _)| *at);
        fetched.into_iter().map(|(_, fetched)| fetched).collect()
    }

    /// Puts the best picture of a slot into an existing folder; returns its path and whether it was written.
    /// Where one cannot be loaded, is not a picture or is not the one that the database means, the next one is tried;
    /// another one is taken when no picture is the one that is meant.
    ///
    /// # Errors
    /// [`PictureError`]: that of the best picture.
    pub fn fetch(&self, folder: &Path, slot: &Slot) -> Fetched {
        let (mut first, mut other) = (None, None);
        for image in &slot.images {
            if let Some(path) = self.kept(folder, &slot.stem, image) {
                return Ok((path, false));
            }
            match self.load(image) {
                Ok(picture) if image.crc32.is_none_or(|crc| crc == crc_of(&picture)) => {
                    return self.store(folder, &slot.stem, &picture);
                }
                // It may have been replaced since the database was made.
                Ok(picture) => other = other.or(Some(picture)),
                Err(error) if !error.ends_work() => first = first.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        match other {
            Some(picture) => self.store(folder, &slot.stem, &picture),
            None => Err(first.unwrap_or(PictureError::Provider(ProviderError::NoPicture))),
        }
    }

    /// The file in a folder that is the picture which the database means.
    fn kept(&self, folder: &Path, stem: &str, image: &Image) -> Option<PathBuf> {
        let crc = image.crc32?;
        let names = [Kind::Png, Kind::Jpeg, Kind::WebP]
            .map(|kind| [plain(folder, stem, kind), marked(folder, stem, kind, crc)]);
        names.into_iter().flatten().find(|path| self.crc_at(path) == Some(crc))
    }

    fn load(&self, image: &Image) -> Result<Picture, PictureError> {
        let path = format!("/{}", percent_encoded(&image.file));
        Ok(self.providers.picture(&METADB, METADB_IMAGES, &path, self.cancel)?)
    }

    /// Stores a picture in a folder, under a new name if another one has its name.
    fn store(&self, folder: &Path, stem: &str, picture: &Picture) -> Fetched {
        let path = plain(folder, stem, picture.kind);
        Ok(MediaWriter::without_replacing(self.files).keep(&path, &picture.bytes)?)
    }

    fn crc_at(&self, path: &Path) -> Option<u32> {
        Some(crc32fast::hash(&self.files.read(path).ok()?))
    }
}

fn crc_of(picture: &Picture) -> u32 {
    crc32fast::hash(&picture.bytes)
}

fn plain(folder: &Path, stem: &str, kind: Kind) -> PathBuf {
    folder.join(format!("{stem}.{}", kind.ending()))
}

fn marked(folder: &Path, stem: &str, kind: Kind, crc: u32) -> PathBuf {
    folder.join(format!("{stem}-{crc:08x}.{}", kind.ending()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(type_name: &str, region: &str, file: &str) -> Image {
        let (kind, type_name) = kinds::of_type(type_name).expect("known");
        let (region, file) = (region.to_owned(), file.to_owned());
        Image { kind, type_name, region, file, crc32: None }
    }

    #[test]
    fn the_first_type_and_the_preferred_region_come_first() {
        let images = [
            image("Box - Front - Reconstructed", "Japan", "r.jpg"),
            image("Box - Front", "Atlantis", "x.jpg"),
            image("Box - Front", "Europe", "b.jpg"),
            image("Box - Front", "Europe", "a.jpg"),
            image("Clear Logo", "", "logo.png"),
            image("Screenshot - Gameplay", "", "2.jpg"),
            image("Screenshot - Gameplay", "", "1.jpg"),
            image("Steam Screenshot", "", "s.jpg"),
        ];
        let regions = ["Japan", "Europe"].map(str::to_owned);
        let slots = slots(&images, &["screenshots", "cover", "manual"], &regions);
        let shown: Vec<_> = slots
            .iter()
            .map(|slot| {
                let files: Vec<_> = slot.images.iter().map(|image| image.file.as_str()).collect();
                (slot.kind, slot.stem.as_str(), files)
            })
            .collect();
        let expected = [
            ("cover", "cover", vec!["a.jpg", "b.jpg", "x.jpg"]),
            ("screenshots", "screenshot-1", vec!["1.jpg"]),
            ("screenshots", "screenshot-2", vec!["2.jpg"]),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn twelve_screenshots_are_enough() {
        let images: Vec<_> = (10..40)
            .map(|number| image("Screenshot - Gameplay", "", &format!("{number}.jpg")))
            .collect();
        let slots = slots(&images, &["screenshots"], &[]);
        assert_eq!((slots.len(), slots[11].stem.as_str()), (12, "screenshot-12"));
    }
}
