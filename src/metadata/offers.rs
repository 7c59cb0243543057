//! Pictures of other providers to choose from for one game: artwork, boxes and scenes, scraped media, what
//! the game database and the stores name.
//!
//! A picture is loaded only when its provider names it for the game, so that the route is not a proxy. What
//! providers answered is kept by them, so naming it again costs no request.

use std::time::Instant;

use super::{
    candidates::{
        Choice, Choices, Chosen, Offer, PATIENCE, PICTURES, WIDTH, found, not_loaded, picture_kind,
    },
    error::{MetadataError, malformed},
    order::Source,
    service::Metadata,
};
use crate::{
    artgrid::artwork,
    config::settings::read,
    formats::thumbnail,
    game::GameRef,
    lookup::{
        hashes::HashError,
        pictures::{NamedPicture, PictureSource},
    },
    model::{Game, State},
    opendb::pictures,
    providers::{
        ARTGRID, ARTGRID_API, OPENDB, OPENDB_IMAGES, SCRAPER, client::Picture, error::Cancel,
        table::Provider,
    },
};

/// Who has pictures besides the metadata database.
#[derive(Clone, Copy)]
enum Gallery {
    Opendb,
    Artgrid,
    Scraper,
    Named(PictureSource),
}

impl Gallery {
    fn by_id(id: &str) -> Result<Self, MetadataError> {
        let named = PictureSource::ALL.into_iter().map(Self::Named);
        let all = [Self::Opendb, Self::Artgrid, Self::Scraper].into_iter().chain(named);
        let found = all.into_iter().find(|gallery| gallery.provider().id == id);
        found.map_or_else(|| malformed("provider is not known."), Ok)
    }

    fn provider(self) -> &'static Provider {
        match self {
            Self::Opendb => &OPENDB,
            Self::Artgrid => &ARTGRID,
            Self::Scraper => &SCRAPER,
            Self::Named(source) => source.provider(),
        }
    }
}

impl Metadata {
    /// Who besides the metadata database can be asked for pictures of a kind of a game.
    pub(super) fn others(&self, state: &State, game: &Game, kind: &str) -> Vec<&'static str> {
        let on = self.sources(state);
        let has = |source: &Source| match source {
            Source::Opendb => pictures::kind_of(kind).is_some(),
            Source::Artgrid => artwork::kinds().any(|known| known == kind),
            Source::Scraper => true,
            Source::Metadb | Source::Gamedb => false,
        };
        let on = on.iter().filter(|source| has(source)).map(|source| source.id());
        let named = PictureSource::ALL.into_iter();
        let named = named.filter(|source| self.lookup.has_pictures(*source, game, kind));
        on.chain(named.map(|source| source.provider().id)).collect()
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
        let gallery = Gallery::by_id(provider)?;
        let begun = Instant::now();
        let cancel = || begun.elapsed() > PATIENCE;
        let mut choices = self.listed(state, game, kind, gallery, &cancel)?;
        choices.truncate(PICTURES);
        let credit = gallery.provider().credit;
        let others = self.others(state, game, kind);
        Ok(Choices { game_id: game.id().to_owned(), kind, choices, others, credit })
    }

    fn listed(
        &self,
        state: &State,
        game: &Game,
        kind: &'static str,
        gallery: Gallery,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Choice>, MetadataError> {
        let regions = read::texts(state.settings(), "region_priority");
        let said = |error: &dyn std::error::Error| MetadataError::Source(error.to_string());
        let record = game.record();
        match gallery {
            Gallery::Artgrid => {
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
            Gallery::Scraper => {
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
            Gallery::Named(source) => {
                let named = self.named(source, game, kind, cancel)?;
                let provider = source.provider().id;
                Ok(named
                    .into_iter()
                    .map(|picture| Choice {
                        provider,
                        database_id: 0,
                        title: picture.title,
                        r#type: picture.r#type.to_owned(),
                        region: String::new(),
                        url: picture.url,
                    })
                    .collect())
            }
            Gallery::Opendb => {
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

    /// The pictures that the game database or a store names for a game.
    fn named(
        &self,
        source: PictureSource,
        game: &Game,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<NamedPicture>, MetadataError> {
        let named = self.lookup.named_pictures(source, game, kind, cancel);
        named.map_err(|error| MetadataError::Source(error.to_string()))
    }

    /// Loads a picture that a provider names for a game.
    fn load_offer(
        &self,
        state: &State,
        game: &Game,
        kind: &'static str,
        gallery: Gallery,
        url: &str,
    ) -> Result<Picture, MetadataError> {
        let begun = Instant::now();
        let cancel = || begun.elapsed() > PATIENCE;
        if let Gallery::Named(source) = gallery {
            let named = self.named(source, game, kind, &cancel)?;
            let picture = named.iter().find(|picture| picture.url == url);
            let picture = picture.ok_or(MetadataError::UnknownPicture)?;
            return self.lookup.load_named(source, picture, &cancel).map_err(not_loaded);
        }
        let listed = self.listed(state, game, kind, gallery, &cancel)?;
        if !listed.iter().any(|choice| choice.url == url) {
            return Err(MetadataError::UnknownPicture);
        }
        let place = match gallery {
            Gallery::Artgrid => ARTGRID_API,
            Gallery::Scraper => {
                let loaded = self.lookup.scraper_picture(url, &cancel);
                return loaded.map_err(|error| MetadataError::NoMedia(error.to_string()));
            }
            Gallery::Opendb | Gallery::Named(_) => OPENDB_IMAGES,
        };
        let loaded = self.providers.picture_named(gallery.provider(), place, url, &cancel);
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
        let gallery = Gallery::by_id(offer.provider)?;
        let picture = self.load_offer(state, game, kind, gallery, offer.url)?;
        // A picture that is small already stays as it is.
        Ok(thumbnail::make(&picture.bytes, WIDTH).unwrap_or(picture.bytes))
    }

    /// Loads a picture of a provider and gives it to a game, as the choice of the user.
    ///
    /// # Errors
    /// As [`Metadata::offered`]; then the library is as it was.
    pub fn choose_offer(&self, game: &GameRef, offer: &Offer<'_>) -> Result<Chosen, MetadataError> {
        let state = self.store.snapshot()?;
        let (game, kind) = (found(&state, game)?, picture_kind(offer.kind)?);
        let gallery = Gallery::by_id(offer.provider)?;
        let picture = self.load_offer(&state, game, kind, gallery, offer.url)?;
        // A name of its own: another picture of the same kind may be shown at this moment.
        let stem = format!("{kind}-{:08x}", crc32fast::hash(offer.url.as_bytes()));
        let path = self.keep_picture(game, gallery.provider().id, &stem, &picture)?;
        self.take(game, kind, path)
    }
}
