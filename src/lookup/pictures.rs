//! The pictures that the game database and the stores name for one game, for the user to choose from
//! (`/api/v2/media/candidates`).

use super::{error::LookupError, gamedb_answers::Artwork, service::Lookup};
use crate::{
    model::Game,
    providers::{
        GAMEDB, GAMEDB_IMAGES, ProviderError, STORE_A, STORE_A_API, STORE_A_ASSETS, STORE_A_IMAGES,
        STORE_D, STORE_D_API,
        client::Picture,
        error::Cancel,
        table::{BaseUrl, Provider},
    },
};

/// Who names pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureSource {
    /// The game database.
    Gamedb,
    /// The Steam store.
    StoreA,
    /// GOG.
    StoreD,
}

/// A picture that is named for a game.
pub struct NamedPicture {
    /// The title of the game there.
    pub title: String,
    /// What it shows.
    pub r#type: &'static str,
    /// Its address.
    pub url: String,
    /// Where it may lie besides the hosts of the provider.
    base_url: BaseUrl,
}

impl PictureSource {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gamedb, Self::StoreA, Self::StoreD];

    /// The provider.
    pub fn provider(self) -> &'static Provider {
        match self {
            Self::Gamedb => &GAMEDB,
            Self::StoreA => &STORE_A,
            Self::StoreD => &STORE_D,
        }
    }

    /// The kinds of pictures that it has.
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Gamedb => &["cover", "screenshots", "background", "fanart"],
            Self::StoreA => &["cover", "screenshots", "background", "banner", "clear_logo"],
            Self::StoreD => &["cover", "background"],
        }
    }
}

impl Lookup {
    /// Whether a source may have pictures of a kind of a game: the game database with its credentials, a
    /// store only of games that are its own.
    pub fn has_pictures(&self, source: PictureSource, game: &Game, kind: &str) -> bool {
        let is_asked = match source {
            PictureSource::Gamedb => self.gamedb.is_configured(),
            PictureSource::StoreA => Self::store_a_number(game).is_some(),
            PictureSource::StoreD => Self::store_d_id(game).is_some(),
        };
        is_asked && source.kinds().contains(&kind)
    }

    /// The pictures of a kind that a source names for a game, the likeliest first.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn named_pictures(
        &self,
        source: PictureSource,
        game: &Game,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<NamedPicture>, LookupError> {
        if !self.has_pictures(source, game, kind) {
            return Ok(Vec::new());
        }
        match source {
            PictureSource::Gamedb => self.pictures_of_gamedb(game, kind, cancel),
            PictureSource::StoreA => self.pictures_of_store_a(game, kind, cancel),
            PictureSource::StoreD => self.named_by_store_d(game, kind, cancel),
        }
    }

    /// Loads a picture that a source named.
    ///
    /// # Errors
    /// [`ProviderError`].
    pub fn load_named(
        &self,
        source: PictureSource,
        picture: &NamedPicture,
        cancel: Cancel<'_>,
    ) -> Result<Picture, ProviderError> {
        self.providers.picture_named(source.provider(), picture.base_url, &picture.url, cancel)
    }

    fn pictures_of_gamedb(
        &self,
        game: &Game,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<NamedPicture>, LookupError> {
        let Some(id) = self.gamedb_number(game, cancel)? else { return Ok(Vec::new()) };
        let Some(artwork) = self.gamedb.artwork(id, cancel)? else { return Ok(Vec::new()) };
        let Artwork { title, covers, screenshots, scenes } = artwork;
        let pictures = match kind {
            "cover" => covers,
            "screenshots" => screenshots,
            _ => scenes,
        };
        let size = if kind == "screenshots" { "720p" } else { "1080p" };
        let named = pictures.into_iter().map(|(id, about)| NamedPicture {
            title: title.clone(),
            r#type: about.words(),
            url: self.providers.address(GAMEDB_IMAGES, &format!("/t_{size}/{id}.jpg")),
            base_url: GAMEDB_IMAGES,
        });
        Ok(named.collect())
    }

    fn pictures_of_store_a(
        &self,
        game: &Game,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<NamedPicture>, LookupError> {
        let Some(id) = Self::store_a_number(game) else { return Ok(Vec::new()) };
        let details = self.details_of_store_a(&id, cancel)?;
        let named = |r#type, url, base_url| NamedPicture {
            title: details.name.clone(),
            r#type,
            url,
            base_url,
        };
        if kind == "screenshots" {
            let shots = details.screenshots.iter().filter_map(|url| self.own(&STORE_A, url));
            return Ok(shots.map(|url| named("Screenshot", url, STORE_A_API)).collect());
        }
        let mut found = Vec::new();
        if let Some((r#type, keys, usual)) = library_picture(kind) {
            // Newer games have no pictures under the usual names, older ones no others.
            let path = self.assets_of_store_a(&id, cancel).and_then(|assets| assets.path(keys));
            let (base_url, path) = match path {
                Some(path) => (STORE_A_ASSETS, path),
                None => (STORE_A_IMAGES, format!("/{id}/{usual}")),
            };
            found.push(named(r#type, self.providers.address(base_url, &path), base_url));
        }
        if matches!(kind, "background" | "banner") {
            let header = self.own(&STORE_A, &details.header);
            found.extend(header.map(|url| named("Header", url, STORE_A_API)));
        }
        Ok(found)
    }

    /// An address that a store names, when its picture may be loaded from there.
    fn own(&self, provider: &'static Provider, url: &str) -> Option<String> {
        self.providers.named(provider, provider.base_urls[0], url)
    }

    fn named_by_store_d(
        &self,
        game: &Game,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<NamedPicture>, LookupError> {
        let Some(id) = Self::store_d_id(game) else { return Ok(Vec::new()) };
        let pictures = self.pictures_of_store_d(&id, game.name(), cancel)?;
        let (r#type, url) = match kind {
            "cover" => ("Box", pictures.cover),
            _ => ("Background", pictures.background),
        };
        let (title, base_url) = (game.name().to_owned(), STORE_D_API);
        let named =
            self.own(&STORE_D, &url).map(|url| NamedPicture { title, r#type, url, base_url });
        Ok(named.into_iter().collect())
    }
}

/// A picture that the Steam store has for its own library: what it shows, its names in the newer
/// catalogue, and the usual name of its file.
fn library_picture(kind: &str) -> Option<(&'static str, &'static [&'static str], &'static str)> {
    match kind {
        "cover" => Some((
            "Library capsule",
            &["library_capsule_2x", "library_capsule"],
            "library_600x900_2x.jpg",
        )),
        "background" => {
            Some(("Library hero", &["library_hero_2x", "library_hero"], "library_hero.jpg"))
        }
        "clear_logo" => Some(("Logo", &["logo_2x", "logo"], "logo.png")),
        _ => None,
    }
}
