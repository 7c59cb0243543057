//! What filling a game takes from the providers with accounts: certain facts, and pictures.

use std::path::PathBuf;

use serde_json::Value;

use super::{
    error::{LookupError, NoMedia},
    gamedb_apply::{self, sure},
    hashes::HashError,
    scraper::{Wanted, checked_id, show},
    scraper_answers::Shown,
    scraper_match::{ByHash, hash_of},
    scraper_media,
    service::Lookup,
    write,
};
use crate::{
    model::Game,
    providers::{SCRAPER, SCRAPER_API, client::Picture, error::Cancel},
};

/// What the game database knows of a game.
pub struct Known {
    /// Its number there.
    pub id: String,
    /// Values of fields.
    pub values: Vec<(&'static str, Value)>,
}

/// What the scraper provider gave for one kind of media.
#[derive(Default)]
pub struct ScraperMedia {
    /// Where the files lie.
    pub paths: Vec<PathBuf>,
    /// Why others are missing.
    pub reasons: Vec<String>,
    /// Why the provider cannot be asked any more, where that came after a file.
    pub ended: Option<LookupError>,
}

impl Lookup {
    /// The game of the scraper provider that a game certainly is: by its number, else by two checksums of
    /// its file.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn certain_scraper(
        &self,
        game: &Game,
        regions: &[String],
        cancel: Cancel<'_>,
    ) -> Result<Option<Shown>, LookupError> {
        let record = game.record();
        let (known, platform) = (record.shown("scraper_id"), game.platform());
        let found = if known.trim().is_empty() {
            match hash_of(game, cancel) {
                Ok(hashes) => match self.by_hash(&hashes, platform, cancel)? {
                    ByHash::Dual(found) => Some(*found),
                    ByHash::Nothing => None,
                },
                Err(HashError::Stopped) => return Err(HashError::Stopped.into()),
                Err(_) => None,
            }
        } else {
            match self.scraper.game(&Wanted::Id(&checked_id(&known)?), platform, cancel) {
                Err(LookupError::NoGame(_)) => None,
                found => Some(found?),
            }
        };
        Ok(found.map(|found| show(&found, platform, regions)))
    }

    /// Loads the pictures that the scraper provider has of a game for one kind.
    ///
    /// # Errors
    /// [`LookupError`] when nothing can be loaded any more and nothing was, or the disk refuses.
    pub fn load_scraper(
        &self,
        game: &Game,
        found: &Shown,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<ScraperMedia, LookupError> {
        let slots = scraper_media::slots(found, &[kind], &serde_json::Map::new());
        let folder = write::folder(self.data_dir.media().join("scraper"), game.name(), game.id());
        let mut media = ScraperMedia::default();
        for slot in &slots {
            match self.load_scraped(slot, &folder, cancel) {
                Ok(path) => media.paths.push(path),
                Err(NoMedia::Ends(error)) if error.is_local() || media.paths.is_empty() => {
                    return Err(error);
                }
                Err(NoMedia::Ends(error)) => {
                    media.ended = Some(error);
                    break;
                }
                Err(NoMedia::Missing(reason)) => media.reasons.push(reason),
                Err(NoMedia::Absent) => {}
            }
        }
        Ok(media)
    }

    /// Loads a picture that the scraper provider names, by its address without a login.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn scraper_picture(&self, url: &str, cancel: Cancel<'_>) -> Result<Picture, LookupError> {
        let address = self.scraper.with_login(url)?;
        let picture = self.providers.picture_named(&SCRAPER, SCRAPER_API, &address, cancel);
        picture.map_err(|error| LookupError::of(SCRAPER.name, &error))
    }

    /// The facts of the game database about the certain match of a game: by its number, else by an equal
    /// title.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn certain_gamedb(
        &self,
        game: &Game,
        cancel: Cancel<'_>,
    ) -> Result<Option<Known>, LookupError> {
        let Some(id) = self.gamedb_number(game, cancel)? else { return Ok(None) };
        match self.gamedb.details(id) {
            Ok(details) => {
                let values = gamedb_apply::values(&details);
                Ok(Some(Known { id: id.to_string(), values }))
            }
            Err(LookupError::NoGame(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The number of a game in the game database: its own, else that of the one with an equal title.
    pub(super) fn gamedb_number(
        &self,
        game: &Game,
        cancel: Cancel<'_>,
    ) -> Result<Option<u32>, LookupError> {
        let record = game.record();
        if let Ok(id) = record.shown(gamedb_apply::ID).trim().parse() {
            return Ok(Some(id));
        }
        let hits = self.gamedb.search_while(game.name(), game.platform(), 50, cancel)?;
        Ok(sure(&hits, &record).map(|hit| hit.id))
    }
}
