//! Pictures of other providers to choose from for one game: artwork, boxes and scenes, scraped media.
//!
//! A picture is loaded only when its provider names it for the game, so that the route is no proxy. What
//! providers answered is kept by them, so naming it again costs no request.

use std::time::Instant;

use super::{
    candidates::{
        Choice, Choices, Chosen, Offer, PATIENCE, PICTURES, WIDTH, found, not_loaded, picture_kind,
    },
    error::MetadataError,
    order::Source,
    service::Metadata,
};
use crate::{
    artgrid::artwork,
    config::settings::read,
    formats::thumbnail,
    game::GameRef,
    lookup::hashes::HashError,
    model::{Game, State},
    opendb::pictures,
    providers::{
        ARTGRID, ARTGRID_API, OPENDB, OPENDB_IMAGES, SCRAPER, client::Picture, error::Cancel,
    },
};

impl Metadata {
    /// Who beside the metadata database can be asked for pictures of a kind.
    pub(super) fn others(&self, state: &State, kind: &str) -> Vec<&'static str> {
        let on = self.sources(state);
        let has = |source: &Source| match source {
            Source::Opendb => pictures::kind_of(kind).is_some(),
            Source::Artgrid => artwork::kinds().any(|known| known == kind),
            Source::Scraper => true,
            Source::Metadb | Source::Gamedb => false,
        };
        on.iter().filter(|source| has(source)).map(|source| source.id()).collect()
    }

    /// The pictures of a kind that a provider has of a game.
    ///
    /// # Errors
    /// For a game that is not there, a kind that has no pictures, and when the provider cannot be asked.
    pub fn offers(
        &self,
        state: &State,
        game: &GameRef,
        kind: &str,
        provider: &str,
    ) -> Result<Choices, MetadataError> {
        let (game, kind) = (found(state, game)?, picture_kind(kind)?);
        let begun = Instant::now();
        let cancel = || begun.elapsed() > PATIENCE;
        let mut choices = self.listed(state, game, kind, provider, &cancel)?;
        choices.truncate(PICTURES);
        let credit = match provider {
            "artgrid" => ARTGRID.credit,
            "scraper" => SCRAPER.credit,
            _ => OPENDB.credit,
        };
        let others = self.others(state, kind);
        Ok(Choices { game_id: game.id().to_owned(), kind, choices, others, credit })
    }

    fn listed(
        &self,
        state: &State,
        game: &Game,
        kind: &'static str,
        provider: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Choice>, MetadataError> {
        let regions = read::texts(state.settings(), "region_priority");
        let said = |error: &dyn std::error::Error| MetadataError::Source(error.to_string());
        let record = game.record();
        match provider {
            "artgrid" => {
                let artwork = &self.artwork;
                artwork.artgrid.usable(artwork::is_enabled(state)).map_err(|it| said(&it))?;
                let hit = artwork.find(&record, cancel).map_err(|it| said(&it))?;
                let Some(hit) = hit else { return Ok(Vec::new()) };
                let listed = artwork.pictures(hit.id, kind, cancel).map_err(|it| said(&it))?;
                Ok(listed
                    .into_iter()
                    .map(|picture| Choice {
                        provider: ARTGRID.id,
                        database_id: 0,
                        title: hit.name.clone(),
                        r#type: picture.style,
                        region: picture.author,
                        url: picture.url,
                    })
                    .collect())
            }
            "scraper" => {
                let found = self.lookup.certain_scraper(game, &regions, cancel);
                let Some(found) = found.map_err(|it| said(&it))? else { return Ok(Vec::new()) };
                let of_kind = found.media.iter().filter(|media| media.kind == kind);
                Ok(of_kind
                    .map(|media| Choice {
                        provider: SCRAPER.id,
                        database_id: 0,
                        title: found.name.clone(),
                        r#type: media.r#type.clone(),
                        region: media.region.clone(),
                        url: media.url.clone(),
                    })
                    .collect())
            }
            _ => {
                let Some(known) = pictures::kind_of(kind) else { return Ok(Vec::new()) };
                let row = self.opendb.find(&record, &regions, cancel);
                let row = row.map_err(|error: HashError| said(&error))?;
                let Some(row) = row else { return Ok(Vec::new()) };
                let names = self.opendb.pictures.names(&row, known, &regions, cancel);
                Ok(names
                    .map_err(not_loaded)?
                    .into_iter()
                    .map(|name| Choice {
                        provider: OPENDB.id,
                        database_id: 0,
                        r#type: String::new(),
                        region: String::new(),
                        url: self.opendb.pictures.address(&row.set, known, &name),
                        title: name,
                    })
                    .collect())
            }
        }
    }

    /// Loads a picture that a provider names for a game.
    fn load_offer(
        &self,
        state: &State,
        game: &Game,
        kind: &'static str,
        offer: &Offer<'_>,
    ) -> Result<Picture, MetadataError> {
        let begun = Instant::now();
        let cancel = || begun.elapsed() > PATIENCE;
        let listed = self.listed(state, game, kind, offer.provider, &cancel)?;
        if !listed.iter().any(|choice| choice.url == offer.url) {
            return Err(MetadataError::UnknownPicture);
        }
        let (providers, url) = (&self.providers, offer.url);
        let loaded = match offer.provider {
            "artgrid" => providers.picture_named(&ARTGRID, ARTGRID_API, url, &cancel),
            "scraper" => {
                let loaded = self.lookup.scraper_picture(url, &cancel);
                return loaded.map_err(|error| MetadataError::NoMedia(error.to_string()));
            }
            _ => providers.picture_named(&OPENDB, OPENDB_IMAGES, url, &cancel),
        };
        loaded.map_err(not_loaded)
    }

    /// A smaller copy of a picture of a provider, as a JPEG or WebP file.
    ///
    /// # Errors
    /// As [`Metadata::offers`], when the provider does not name the picture, and when it cannot be loaded.
    pub fn offered(
        &self,
        state: &State,
        game: &GameRef,
        offer: &Offer<'_>,
    ) -> Result<Vec<u8>, MetadataError> {
        let (game, kind) = (found(state, game)?, picture_kind(offer.kind)?);
        let picture = self.load_offer(state, game, kind, offer)?;
        // A picture that is small already stays as it is.
        Ok(thumbnail::make(&picture.bytes, WIDTH).unwrap_or(picture.bytes))
    }

    /// Loads a picture of a provider and gives it to a game, as the choice of a person.
    ///
    /// # Errors
    /// As [`Metadata::offered`]; then the library is as it was.
    pub fn choose_offer(&self, game: &GameRef, offer: &Offer<'_>) -> Result<Chosen, MetadataError> {
        let state = self.store.snapshot()?;
        let (game, kind) = (found(&state, game)?, picture_kind(offer.kind)?);
        let picture = self.load_offer(&state, game, kind, offer)?;
        // A name of its own: another picture of the same kind may be shown at this moment.
        let stem = format!("{kind}-{:08x}", crc32fast::hash(offer.url.as_bytes()));
        let source = match offer.provider {
            "artgrid" => ARTGRID.id,
            "scraper" => SCRAPER.id,
            _ => OPENDB.id,
        };
        let path = self.keep_picture(game, source, &stem, &picture)?;
        self.take(game, kind, path)
    }
}
