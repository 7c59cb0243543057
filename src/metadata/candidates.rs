//! Pictures to choose from for one game: listing them, showing them small, and taking one
//! (`/api/v2/media/candidates`).
//!
//! Pages must not ask other hosts, so a picture is loaded by the program and only when the database
//! names it for the game it is shown for. Pictures that are only viewed are not kept.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    apply::media_values,
    error::{MetadataError, malformed},
    fields, matching,
    pictures::{Loader, PictureError, Slot, slots},
    service::Metadata,
    subject::Subject,
};
use crate::{
    base::schema::schema,
    config::settings::read,
    formats::thumbnail,
    game::{GameRef, edit::EditError},
    metadb::{Database, Image, kinds},
    model::{Cause, Game, State},
    net::location::percent_encoded,
    providers::{METADB, METADB_IMAGES, ProviderError},
    store::CommitError,
};

/// The width of a picture in the preview, in pixels.
pub(super) const WIDTH: u32 = 320;
/// How long one picture may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// Pictures of one answer.
pub(super) const PICTURES: usize = 100;
/// Games of the database whose pictures are shown when it is unknown which one it is.
const GAMES: usize = 3;

schema! {
    "PictureChoices"
    /// Pictures that a game can have.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Choices {
        /// The stable id of the game.
        pub game_id: String,
        /// The media field.
        pub kind: &'static str,
        /// The likeliest first, at most 100.
        pub choices: Vec<Choice>,
        /// Who else can be asked for pictures of this kind.
        pub others: Vec<&'static str>,
        /// The attribution to show with them.
        pub credit: &'static str,
    }

    "PictureChoice"
    /// A picture that a game can have.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Choice {
        /// Who has it.
        pub provider: &'static str,
        /// The game of the metadata database that it belongs to; 0 for one of another provider.
        pub database_id: u32,
        /// The title of that game.
        pub title: String,
        /// What it shows, in the words of the provider.
        pub r#type: String,
        /// Empty when it is of no region.
        pub region: String,
        /// What the other routes call it.
        pub url: String,
    }

    "PictureChosen"
    /// A picture was taken.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Chosen {
        /// The stable id of the game.
        pub game_id: String,
        /// The media field.
        pub kind: &'static str,
        /// Where it lies now.
        pub path: String,
    }
}

/// The picture of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The media field.
    pub kind: String,
    /// The game of the database.
    pub database_id: u32,
    /// The picture, as [`Choice::url`] names it.
    pub url: String,
}

/// A picture of another provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer<'a> {
    /// The id of the provider.
    pub provider: &'a str,
    /// The media field.
    pub kind: &'a str,
    /// The picture, as [`Choice::url`] names it.
    pub url: &'a str,
}

impl Metadata {
    /// The pictures of a kind that the database has of a game: of the game of its number, else of those
    /// that it may be.
    ///
    /// # Errors
    /// Without the database, for a game that is not there, and for a kind that has no pictures.
    pub fn choices(
        &self,
        state: &State,
        game: &GameRef,
        kind: &str,
    ) -> Result<Choices, MetadataError> {
        let game = found(state, game)?;
        let kind = picture_kind(kind)?;
        let others = self.others(state, game, kind);
        let Ok(database) = self.previews.database() else {
            if others.is_empty() {
                return Err(MetadataError::NoDatabase);
            }
            let game_id = game.id().to_owned();
            return Ok(Choices { game_id, kind, choices: Vec::new(), others, credit: "" });
        };
        let regions = read::texts(state.settings(), "region_priority");
        let mut choices = Vec::new();
        for id in ids(&database, game) {
            let Some(row) = database.row(id) else { continue };
            for image in ordered(&database.images(id), kind, &regions) {
                choices.push(Choice {
                    provider: METADB.id,
                    database_id: id,
                    title: row.name.clone(),
                    r#type: image.type_name.to_owned(),
                    url: self.url(&image),
                    region: image.region,
                });
            }
        }
        choices.truncate(PICTURES);
        let game_id = game.id().to_owned();
        Ok(Choices { game_id, kind, choices, others, credit: METADB.credit })
    }

    /// A smaller copy of a picture of the database, as a JPEG or WebP file.
    ///
    /// # Errors
    /// Without the database, when it does not name the picture, and when it cannot be loaded.
    pub fn candidate(&self, database_id: u32, url: &str) -> Result<Vec<u8>, MetadataError> {
        let database = self.previews.database()?;
        let image = database.images(database_id).into_iter().find(|image| self.url(image) == url);
        let image = image.ok_or(MetadataError::UnknownPicture)?;
        let begun = Instant::now();
        let cancel = || begun.elapsed() > PATIENCE;
        let path = format!("/{}", percent_encoded(&image.file));
        let picture = self.providers.picture(&METADB, METADB_IMAGES, &path, &cancel);
        let picture = picture.map_err(not_loaded)?;
        // A picture that is small already stays as it is.
        Ok(thumbnail::make(&picture.bytes, WIDTH).unwrap_or(picture.bytes))
    }

    /// Loads a picture and gives it to a game, as the choice of the user.
    ///
    /// # Errors
    /// As [`Metadata::candidate`]; then the library is as it was.
    pub fn choose(&self, game: &GameRef, picked: &Picked) -> Result<Chosen, MetadataError> {
        let database = self.previews.database()?;
        let kind = picture_kind(&picked.kind)?;
        let state = self.store.snapshot()?;
        let game = found(&state, game)?;
        let images = database.images(picked.database_id).into_iter();
        let mut images = images.filter(|image| image.kind == kind && self.url(image) == picked.url);
        let image = images.next().ok_or(MetadataError::UnknownPicture)?;
        // A name of its own: another picture of the same kind may be shown at this moment.
        let stem = format!("{kind}-{:08x}", crc32fast::hash(image.file.as_bytes()));
        let slot = Slot { kind, stem, images: vec![image] };
        let begun = Instant::now();
        let cancel = || begun.elapsed() > PATIENCE;
        let loader = Loader { providers: &self.providers, files: &self.files, cancel: &cancel };
        let folder = self.folder(picked.database_id);
        self.files.private_dir(&folder)?;
        let (path, _) = loader.fetch(&folder, &slot).map_err(|error| match error {
            PictureError::Disk(error) => MetadataError::Disk(error),
            PictureError::Provider(error) => not_loaded(error),
        })?;
        self.take(game, kind, path)
    }

    /// Gives a game a picture that lies on the disk, as the choice of the user.
    pub(super) fn take(
        &self,
        game: &Game,
        kind: &'static str,
        path: PathBuf,
    ) -> Result<Chosen, MetadataError> {
        let shown = path.to_string_lossy().into_owned();
        self.store.report(Cause::MediaChanged(vec![shown.clone()]));
        let mut values = media_values(&[(kind, path)]);
        if kind == "screenshots" {
            let before = game.record();
            let mut all: Vec<String> = before.texts(kind).map(str::to_owned).collect();
            all.retain(|known| *known != shown);
            all.insert(0, shown.clone());
            values = vec![(kind, Value::from(all))];
        }
        let id = game.id().to_owned();
        let written = self.store.commit(|draft| {
            if draft.state().games.find(&id).is_none() {
                return Err(MetadataError::Edit(EditError::UnknownGame));
            }
            for (key, value) in values {
                let edited = draft.edit_by_person(&id, |record| record.set(key, value));
                edited.map_err(|_| MetadataError::Edit(EditError::UnknownGame))?;
            }
            draft.set_cause(Cause::Updated(id.clone()));
            Ok(())
        });
        written.map_err(|error| match error {
            CommitError::Refused(error) => error,
            CommitError::Unavailable(error) => error.into(),
            CommitError::Disk(error) => error.into(),
        })?;
        Ok(Chosen { game_id: game.id().to_owned(), kind, path: shown })
    }

    /// What a picture of the database is called.
    fn url(&self, image: &Image) -> String {
        self.providers.address(METADB_IMAGES, &format!("/{}", percent_encoded(&image.file)))
    }
}

pub(super) fn found<'a>(state: &'a State, game: &GameRef) -> Result<&'a Game, MetadataError> {
    let found = game.find(&state.games).ok_or(MetadataError::Edit(EditError::UnknownGame))?;
    Ok(found.1)
}

/// A kind of media that the database has pictures of.
pub(super) fn picture_kind(kind: &str) -> Result<&'static str, MetadataError> {
    match kinds::by_name(kind).filter(|known| !known.types.is_empty()) {
        Some(known) => Ok(known.kind),
        None => malformed("kind must be a kind of picture."),
    }
}

/// The games of the database whose pictures are shown for a game.
fn ids(database: &Database, game: &Game) -> Vec<u32> {
    let record = game.record();
    if let Ok(id) = record.shown(fields::ID).trim().parse() {
        return vec![id];
    }
    let found = matching::find(database, &Subject::of(&record));
    let others = found.alternatives.into_iter().map(|candidate| candidate.database_id);
    found.proposed.into_iter().chain(others).take(GAMES).collect()
}

/// The pictures of a kind, in the order in which they would be taken by themselves; then all others.
fn ordered(images: &[Image], kind: &'static str, regions: &[String]) -> Vec<Image> {
    let mut ordered: Vec<Image> =
        slots(images, &[kind], regions).into_iter().flat_map(|slot| slot.images).collect();
    let others = images.iter().filter(|image| image.kind == kind);
    let others: Vec<Image> = others.filter(|image| !ordered.contains(image)).cloned().collect();
    ordered.extend(others);
    ordered
}

pub(super) fn not_loaded(error: ProviderError) -> MetadataError {
    match error {
        ProviderError::Stopped => MetadataError::NoMedia("The request timed out.".to_owned()),
        error => MetadataError::NoMedia(error.to_string()),
    }
}
