//! Pictures of the provider for games of the library: finding the game there, loading, writing.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    answers::{self, Hit, KINDS, Kind},
    client::Artgrid,
    error::{ArtgridError, ArtworkError},
};
use crate::{
    base::{ids, text},
    config::{data_dir::DataDir, settings::read},
    files::{DiskError, Files},
    game::origins::{self, Mode},
    jobs::{Context, kind::Failure},
    media::{media_writer::MediaWriter, named_files::NamedFiles},
    model::{
        Draft, Record, State,
        origins::{Origin, Origins, Right},
    },
    probe::media_roots,
    providers::{ARTGRID, ProviderError, client::Picture, error::Cancel},
    store::{CommitError, Store, Unavailable},
};

/// The number of a game at the provider.
pub const ID: &str = "artgrid_id";
/// The provider that the pictures of a game come from.
pub const PROVIDER: &str = "artwork_provider";
/// Pictures that are tried for one kind, when those before cannot be loaded.
const TRIED: usize = 3;
/// Hexadecimal digits in the name of a game's folder.
const DIGITS: usize = 12;

/// The kinds of pictures, by their fields.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.field)
}

fn kind_of(field: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.field == field)
}

/// Adds pictures to games.
pub struct Artwork {
    /// Who is asked.
    pub artgrid: Arc<Artgrid>,
    /// The library.
    pub store: Store,
    /// Access to the disk.
    pub files: Files,
    pub(super) data_dir: DataDir,
    pub(super) named: Arc<NamedFiles>,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum NoPicture {
    #[error("{} has none", ARTGRID.name)]
    Missing,
    #[error(transparent)]
    Provider(ProviderError),
}

impl Artwork {
    /// Whether the provider may be asked, as the settings stand.
    ///
    /// # Errors
    /// As [`Artgrid::usable`], or [`ArtworkError::Unavailable`].
    pub fn usable(&self) -> Result<(), ArtworkError> {
        Ok(self.artgrid.usable(is_enabled(&*self.store.snapshot()?))?)
    }

    /// The game of the provider that a game of the library is: the one it was given, else the first one
    /// with its title. `None` when there is none.
    ///
    /// # Errors
    /// [`ArtgridError`].
    pub fn find(&self, record: &Record, cancel: Cancel<'_>) -> Result<Option<Hit>, ArtgridError> {
        if let Some(id) = record.shown(ID).parse().ok().filter(|id| *id > 0) {
            match self.artgrid.game(id, cancel) {
                Err(ArtgridError::UnknownGame(_)) => {}
                found => return found.map(Some),
            }
        }
        self.first(record, cancel)
    }

    /// The first game of the provider with the title of a game of the library.
    pub(super) fn first(
        &self,
        record: &Record,
        cancel: Cancel<'_>,
    ) -> Result<Option<Hit>, ArtgridError> {
        Ok(self.artgrid.hits(record.text("name"), cancel)?.into_iter().next())
    }

    /// The pictures of a kind that the provider has of a game, the best first.
    ///
    /// # Errors
    /// [`ArtgridError`].
    pub fn pictures(
        &self,
        id: u32,
        field: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<answers::Picture>, ArtgridError> {
        let Some(kind) = kind_of(field) else { return Ok(Vec::new()) };
        self.artgrid.pictures(id, kind, cancel)
    }

    /// Loads the best picture of a kind. Where one cannot be loaded, the next one is tried.
    ///
    /// # Errors
    /// [`ArtgridError`] when the provider cannot be asked, or when it was cancelled.
    pub fn load(
        &self,
        id: u32,
        field: &str,
        cancel: Cancel<'_>,
    ) -> Result<Result<Picture, NoPicture>, ArtgridError> {
        let Some(kind) = kind_of(field) else { return Ok(Err(NoPicture::Missing)) };
        let mut first = None;
        for picture in self.artgrid.pictures(id, kind, cancel)?.iter().take(TRIED) {
            match self.artgrid.load(picture, cancel) {
                Ok(picture) => return Ok(Ok(picture)),
                Err(ProviderError::Stopped) => return Err(ProviderError::Stopped.into()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Ok(Err(first.map_or(NoPicture::Missing, NoPicture::Provider)))
    }

    /// Stores a picture of a game; where it lies.
    ///
    /// # Errors
    /// When the disk refuses; then every file is as it was.
    pub fn keep(
        &self,
        record: &Record,
        field: &str,
        picture: &Picture,
    ) -> Result<PathBuf, DiskError> {
        let path = self.usual_place(record, field, picture);
        self.media_writer().keep(&path, &picture.bytes).map(|(path, _)| path)
    }

    /// Where [`Artwork::keep`] would store a picture of a game.
    pub fn place(&self, record: &Record, field: &str, picture: &Picture) -> PathBuf {
        let path = self.usual_place(record, field, picture);
        self.media_writer().place(&path, &picture.bytes)
    }

    fn media_writer(&self) -> MediaWriter<'_> {
        MediaWriter::new(&self.files, &self.store, &self.named)
    }

    fn usual_place(&self, record: &Record, field: &str, picture: &Picture) -> PathBuf {
        let slug = text::slug(record.text("name"));
        let slug = if slug.is_empty() { "game" } else { slug.as_str() };
        let digest = ids::hex(&Sha256::digest(record.text("game_id")));
        let folder = format!("{slug}-{}", text::cut(&digest, DIGITS));
        let name = format!("{field}.{}", picture.kind.ending());
        self.data_dir.media().join("artgrid").join(folder).join(name)
    }

    /// Writes the file of a picture to its [`Artwork::place`].
    ///
    /// # Errors
    /// When the disk refuses; the file is the old one or the new one.
    pub fn put(&self, path: &std::path::Path, picture: &Picture) -> Result<(), DiskError> {
        if let Some(folder) = path.parent() {
            self.files.private_dir(folder)?;
        }
        self.files.replace(path, &picture.bytes)
    }
}

/// What is written to a game.
pub struct Write<'a> {
    /// The game.
    pub game_id: &'a str,
    /// The game of the provider.
    pub id: u32,
    /// The pass it belongs to.
    pub pass: &'a str,
    /// What it may replace.
    pub right: Right,
    /// Texts, and the mode for existing ones.
    pub texts: (Mode, &'a [(&'a str, Value)]),
    /// Fields of pictures with their paths; they replace what is there.
    pub pictures: &'a [(&'a str, Value)],
}

/// Writes the number, texts and pictures of one game of the provider to a game, as far as its locks leave
/// it; the fields that changed.
pub fn write(draft: &mut Draft, write: &Write<'_>) -> Vec<String> {
    let reference = write.id.to_string();
    let (by, pass) = (ARTGRID.id.to_owned(), write.pass.to_owned());
    let origin = || Origin {
        by: by.clone(),
        reference: reference.clone(),
        pass: pass.clone(),
        ..Origin::default()
    };
    let mut own = vec![(ID, Value::from(reference.clone()))];
    if !write.pictures.is_empty() {
        own.push((PROVIDER, ARTGRID.id.into()));
    }
    let id = write.game_id;
    let (mode, texts) = write.texts;
    let mut keys = origins::fill(draft, id, origin(), write.right, Mode::Replace, write.pictures);
    keys.extend(origins::fill(draft, id, origin(), write.right, mode, texts));
    keys.extend(origins::fill(draft, id, origin(), Right::Request, Mode::Replace, &own));
    keys
}

/// Whether the setting lets the provider be used.
pub fn is_enabled(state: &State) -> bool {
    read::flag(state.settings(), "artgrid_enabled")
}

/// Whether a game has a picture of this kind that can be opened.
pub fn has_picture(record: &Record, field: &str) -> bool {
    let path = record.text(field);
    !path.is_empty() && media_roots::open_without_links(path).is_ok()
}

/// Whether a write with this right leaves a field of a game alone.
pub fn is_held(record: &Record, field: &str, right: Right) -> bool {
    Origins::of(record).holds(field, right)
}

/// Why work on pictures ends.
pub fn failure(error: &ArtworkError, context: &Context<'_>) -> Failure {
    if let Err(stopped) = context.check() {
        return stopped;
    }
    let code = match error {
        ArtworkError::Artgrid(ArtgridError::Disabled) => "ARTGRID_DISABLED",
        ArtworkError::Artgrid(ArtgridError::Unconfigured) => "ARTGRID_UNCONFIGURED",
        ArtworkError::Artgrid(ArtgridError::KeyRejected) => "ARTGRID_KEY_REJECTED",
        ArtworkError::Unavailable(_) => "STATE_UNAVAILABLE",
        _ => "BAD_REQUEST",
    };
    Failure::Failed { code, message: error.to_string() }
}

/// A disk that refuses, as the end of a job.
pub fn disk_failure(error: &DiskError) -> Failure {
    log::warn!("{error}");
    Failure::new(format!("The picture could not be saved: {}.", error.reason()))
}

/// A commit that failed, as the end of a job.
pub fn not_saved(error: CommitError<std::convert::Infallible>) -> Failure {
    match error {
        CommitError::Unavailable(error) => not_read(&error),
        CommitError::Disk(error) => {
            log::warn!("{error}");
            Failure::new(format!("The library could not be saved: {}.", error.reason()))
        }
        CommitError::Refused(never) => match never {},
    }
}

/// A library that cannot be read, as the end of a job.
pub fn not_read(error: &Unavailable) -> Failure {
    Failure::Failed { code: "STATE_UNAVAILABLE", message: error.to_string() }
}
