//! Facts and pictures of one game from the sources, each of which is asked at most once.

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    path::PathBuf,
    sync::Arc,
};

use serde_json::Value;

use super::{
    fields,
    matching::{self, Class},
    order::Source,
    pictures::{Loader, PictureError, slots},
    service::Metadata,
    subject::Subject,
};
use crate::{
    artgrid::{
        ArtgridError,
        artwork::{self, NoPicture},
    },
    files::DiskError,
    lookup::{LookupError, hashes::HashError, scraper_answers::Shown, sources::Known},
    metadb,
    model::Game,
    opendb,
    providers::{ProviderError, client::Picture, error::Cancel},
};

/// Pictures of the database of libretro that are tried for one kind.
const TRIED: usize = 3;

/// Why a source gives nothing.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// It was cancelled.
    Stopped,
    /// The disk refuses.
    Disk(DiskError),
    /// Only this game: why.
    Here(String),
    /// The source cannot be asked any more: why.
    Lasting(String),
}

impl From<LookupError> for NoAnswer {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Disk(error) => Self::Disk(error),
            error if error.is_lasting() => Self::Lasting(error.to_string()),
            error => Self::Here(error.to_string()),
        }
    }
}

impl From<ArtgridError> for NoAnswer {
    fn from(error: ArtgridError) -> Self {
        match error {
            ArtgridError::TookTooLong => Self::Lasting(error.to_string()),
            error if error.is_final() => Self::Lasting(error.to_string()),
            error => Self::Here(error.to_string()),
        }
    }
}

impl From<ProviderError> for NoAnswer {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Stopped => Self::Stopped,
            ProviderError::Unreachable(_) => Self::Lasting(error.to_string()),
            error => Self::Here(error.to_string()),
        }
    }
}

impl From<PictureError> for NoAnswer {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::Disk(error) => Self::Disk(error),
            PictureError::Provider(error) => error.into(),
        }
    }
}

/// An answer, or why there is none; empty before the first request.
type Once<T> = OnceCell<Result<Option<T>, String>>;

/// What the sources know of one game.
pub(super) struct Answers<'a> {
    metadata: &'a Metadata,
    game: &'a Game,
    regions: &'a [String],
    cancel: Cancel<'a>,
    opendb: Once<opendb::Row>,
    metadb: Once<(Arc<metadb::Database>, metadb::Row)>,
    scraper: Once<Shown>,
    gamedb: Once<Known>,
    artgrid: Once<u32>,
    /// Why the source of the last pictures cannot be asked any more, where that came after one of them.
    pub ended: RefCell<Option<NoAnswer>>,
    /// The numbers of the game at the sources that were asked.
    pub references: RefCell<BTreeMap<Source, String>>,
}

/// The cell's answer, requested when there is none yet.
fn ask<T>(
    cell: &Once<T>,
    ask: impl FnOnce() -> Result<Option<T>, NoAnswer>,
) -> Result<Option<&T>, NoAnswer> {
    if cell.get().is_none() {
        let answer = match ask() {
            Ok(answer) => Ok(answer),
            // It would fail for the next field too.
            Err(NoAnswer::Here(reason)) => Err(reason),
            Err(error) => return Err(error),
        };
        // OK because no other thread has the cell.
        drop(cell.set(answer));
    }
    match cell.get() {
        Some(Ok(answer)) => Ok(answer.as_ref()),
        Some(Err(reason)) => Err(NoAnswer::Here(reason.clone())),
        None => Ok(None),
    }
}

impl<'a> Answers<'a> {
    /// Nothing was asked yet.
    pub fn new(
        metadata: &'a Metadata,
        game: &'a Game,
        regions: &'a [String],
        cancel: Cancel<'a>,
    ) -> Self {
        Self {
            metadata,
            game,
            regions,
            cancel,
            opendb: OnceCell::new(),
            metadb: OnceCell::new(),
            scraper: OnceCell::new(),
            gamedb: OnceCell::new(),
            artgrid: OnceCell::new(),
            ended: RefCell::default(),
            references: RefCell::default(),
        }
    }

    fn refer(&self, source: Source, reference: impl Into<String>) {
        self.references.borrow_mut().insert(source, reference.into());
    }

    /// The value of a field at a source.
    pub fn value(&self, source: Source, field: &str) -> Result<Option<Value>, NoAnswer> {
        let values = match source {
            Source::Opendb => self.opendb()?.map(opendb::Row::values),
            Source::Metadb => {
                self.metadb()?.map(|(_, row)| fields::values(row, self.game.platform()))
            }
            Source::Scraper => self.scraper()?.map(Shown::values),
            Source::Gamedb => self.gamedb()?.map(|known| known.values.clone()),
            Source::Artgrid => None,
        };
        let values = values.unwrap_or_default();
        Ok(values.into_iter().find(|(key, _)| *key == field).map(|(_, value)| value))
    }

    /// Loads what a source has for a kind of media; where it lies. None when it has nothing.
    pub fn media(&self, source: Source, kind: &'static str) -> Result<Vec<PathBuf>, NoAnswer> {
        match source {
            Source::Opendb => self.opendb_picture(kind),
            Source::Metadb => self.metadb_pictures(kind),
            Source::Scraper => {
                let Some(found) = self.scraper()? else { return Ok(Vec::new()) };
                let loaded =
                    self.metadata.lookup.load_scraper(self.game, found, kind, self.cancel)?;
                if loaded.paths.is_empty() && !loaded.reasons.is_empty() {
                    return Err(NoAnswer::Here(loaded.reasons.join(", ")));
                }
                *self.ended.borrow_mut() = loaded.ended.map(NoAnswer::from);
                Ok(loaded.paths)
            }
            Source::Artgrid => self.artgrid_picture(kind),
            Source::Gamedb => Ok(Vec::new()),
        }
    }

    fn opendb(&self) -> Result<Option<&opendb::Row>, NoAnswer> {
        ask(&self.opendb, || {
            let found = self.metadata.opendb.find(&self.game.record(), self.regions, self.cancel);
            let row = found.map_err(|error| match error {
                HashError::Stopped => NoAnswer::Stopped,
                error => NoAnswer::Here(error.to_string()),
            })?;
            if let Some(row) = &row {
                self.refer(Source::Opendb, &row.name);
            }
            Ok(row)
        })
    }

    fn metadb(&self) -> Result<Option<&(Arc<metadb::Database>, metadb::Row)>, NoAnswer> {
        ask(&self.metadb, || {
            let Ok(database) = self.metadata.previews.database() else { return Ok(None) };
            let record = self.game.record();
            let known = record.shown(fields::ID).trim().parse().ok();
            let sure = || {
                let found = matching::find(&database, &Subject::of(&record));
                found.proposed.filter(|_| found.class == Class::Auto)
            };
            let row = known.or_else(sure).and_then(|id| database.row(id));
            if let Some(row) = &row {
                self.refer(Source::Metadb, row.id.to_string());
            }
            Ok(row.map(|row| (Arc::clone(&database), row)))
        })
    }

    fn scraper(&self) -> Result<Option<&Shown>, NoAnswer> {
        ask(&self.scraper, || {
            let lookup = &self.metadata.lookup;
            let found = lookup.certain_scraper(self.game, self.regions, self.cancel)?;
            if let Some(found) = &found {
                self.refer(Source::Scraper, &found.id);
            }
            Ok(found)
        })
    }

    fn gamedb(&self) -> Result<Option<&Known>, NoAnswer> {
        ask(&self.gamedb, || {
            let known = self.metadata.lookup.certain_gamedb(self.game, self.cancel)?;
            if let Some(known) = &known {
                self.refer(Source::Gamedb, &known.id);
            }
            Ok(known)
        })
    }

    fn artgrid(&self) -> Result<Option<u32>, NoAnswer> {
        let found = ask(&self.artgrid, || {
            let hit = self.metadata.artwork.find(&self.game.record(), self.cancel)?;
            if let Some(hit) = &hit {
                self.refer(Source::Artgrid, hit.id.to_string());
            }
            Ok(hit.map(|hit| hit.id))
        });
        Ok(found?.copied())
    }

    fn opendb_picture(&self, kind: &'static str) -> Result<Vec<PathBuf>, NoAnswer> {
        let Some(known) = opendb::pictures::kind_of(kind) else { return Ok(Vec::new()) };
        let Some(row) = self.opendb()? else { return Ok(Vec::new()) };
        let pictures = &self.metadata.opendb.pictures;
        let mut first = None;
        for name in pictures.names(row, known, self.regions, self.cancel)?.iter().take(TRIED) {
            match pictures.load(&row.set, known, name, self.cancel) {
                Ok(picture) => return Ok(vec![self.keep("opendb", kind, &picture)?]),
                // The list may be a week old.
                Err(ProviderError::Status { status: 404, .. }) => {}
                Err(error @ (ProviderError::Stopped | ProviderError::Unreachable(_))) => {
                    return Err(error.into());
                }
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(Vec::new()), |error| Err(error.into()))
    }

    fn metadb_pictures(&self, kind: &'static str) -> Result<Vec<PathBuf>, NoAnswer> {
        let Some((database, row)) = self.metadb()? else { return Ok(Vec::new()) };
        let Metadata { providers, files, .. } = self.metadata;
        let folder = self.metadata.folder(row.id);
        let (mut paths, mut first) = (Vec::new(), None);
        for slot in slots(&database.images(row.id), &[kind], self.regions) {
            files.private_dir(&folder).map_err(NoAnswer::Disk)?;
            let loader = Loader { providers, files, cancel: self.cancel };
            match loader.fetch(&folder, &slot) {
                Ok((path, _)) => paths.push(path),
                Err(error) if error.ends_work() => return Err(error.into()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        match first {
            Some(error) if paths.is_empty() => Err(error.into()),
            _ => Ok(paths),
        }
    }

    fn artgrid_picture(&self, kind: &'static str) -> Result<Vec<PathBuf>, NoAnswer> {
        if !artwork::kinds().any(|known| known == kind) {
            return Ok(Vec::new());
        }
        let Some(id) = self.artgrid()? else { return Ok(Vec::new()) };
        match self.metadata.artwork.load(id, kind, self.cancel)? {
            Ok(picture) => {
                let kept = self.metadata.artwork.keep(&self.game.record(), kind, &picture);
                Ok(vec![kept.map_err(NoAnswer::Disk)?])
            }
            Err(NoPicture::Missing) => Ok(Vec::new()),
            Err(NoPicture::Provider(error)) => Err(error.into()),
        }
    }

    /// Writes the file of a picture of a source.
    fn keep(&self, source: &str, stem: &str, picture: &Picture) -> Result<PathBuf, NoAnswer> {
        self.metadata.keep_picture(self.game, source, stem, picture).map_err(NoAnswer::Disk)
    }
}
