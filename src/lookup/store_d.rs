//! Pictures of GOG, for games that came from there.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    error::{LookupError, malformed},
    plain::{impatient, number},
    service::Lookup,
    write,
};
use crate::{
    base::schema::schema,
    game::GameRef,
    metadb::normal::normalise,
    model::Game,
    net::location::percent_encoded,
    providers::{
        ProviderError, Request, STORE_D, STORE_D_API, STORE_D_SEARCH, client::Picture,
        error::Cancel, table::BaseUrl,
    },
};

/// From the connection to the last byte of one answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The longest time for everything that one request of a client asks.
const PATIENCE: Duration = Duration::from_secs(30);
/// Characters of the longest id.
const ID: usize = 100;
/// The error for games that are not of the store.
const NO_ID: &str = "The game has no store_b_app_id of GOG.";

schema! {
    /// `POST /api/metadata/store-d`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct StorePictures {
        /// The path of the cover; blank without one.
        pub cover: String,
        /// The path of the background; blank without one.
        pub background: String,
    }
}

/// Addresses of pictures, as the store names them; each may be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Named {
    pub cover: String,
    pub background: String,
}

/// The pictures of an answer about one game.
fn of_game(answer: &Value) -> Named {
    let link = |name: &str| address(&answer["_links"][name]["href"]);
    Named { cover: link("boxArtImage"), background: link("backgroundImage") }
}

/// The wide picture of an answer about a product.
fn of_product(answer: &Value) -> String {
    address(&answer["images"]["background"])
}

/// The number and the picture of the product that is meant, among those that a search found. Where no
/// name in addresses is the one that is meant, one that holds it counts, best of a game with the same title.
fn product(answer: &Value, id: &str, title: &str) -> Option<(i64, String)> {
    let slug = |row: &Value| row["slug"].as_str().unwrap_or_default().to_owned();
    let rows = answer["products"].as_array()?;
    let is_id = |row: &&Value| number(&row["id"]).is_some_and(|it| it.to_string() == id);
    let found = rows.iter().find(|row| is_id(row) || slug(row) == id);
    let is_title = |row: &&Value| {
        let named = normalise(row["title"].as_str().unwrap_or_default());
        !named.is_empty() && named == normalise(title)
    };
    let holds = |row: &&Value| slug(row).contains(id);
    let of_title = || rows.iter().filter(is_title).find(holds);
    let row = found.or_else(of_title).or_else(|| rows.iter().find(holds))?;
    let image = address(&row["image"]);
    // The search names pictures without size and extension.
    let has_ending = image.rsplit('/').next().unwrap_or_default().contains('.');
    let image = if image.is_empty() || has_ending { image } else { format!("{image}_392.jpg") };
    Some((number(&row["id"]).filter(|id| *id > 0)?, image))
}

/// An address without the place for a size.
fn address(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace("_{formatter}", "").replace("{formatter}", "")
}

impl Lookup {
    /// Loads the cover and the background that GOG has of a game, and writes them.
    ///
    /// # Errors
    /// [`LookupError`]; also when there is neither.
    pub fn fetch_store_d(&self, game: &GameRef) -> Result<StorePictures, LookupError> {
        let game = write::find(&*self.store.snapshot()?, game)?;
        let Some(id) = Self::store_d_id(&game) else { return malformed(NO_ID) };
        let is_over = impatient(PATIENCE);
        let named = self.ask_pictures_of_store_d(&id, game.name(), &is_over)?;
        let folder = self.data_dir.media().join("store_d").join(&id);
        self.files.private_dir(&folder)?;
        let (mut written, mut failed, mut is_held) = (Vec::new(), None, false);
        for (field, address) in [("cover", &named.cover), ("background", &named.background)] {
            if write::is_held(&game, field) {
                is_held = true;
                continue;
            }
            if address.is_empty() {
                continue;
            }
            match self.picture_of_store_d(address, &is_over) {
                Ok(picture) => {
                    written.push((field, self.keep_picture(&folder, field, &picture)?));
                }
                Err(error) => {
                    log::info!("store_d: no {field}: {error}");
                    failed = Some(LookupError::of(STORE_D.name, &error));
                }
            }
        }
        if written.is_empty() && (failed.is_some() || !is_held) {
            return Err(failed.unwrap_or(LookupError::NoGame(STORE_D.name)));
        }
        let paths: Vec<_> = written.iter().map(|(_, path)| path.as_path()).collect();
        write::report(&self.store, &paths);
        let values: Vec<(&'static str, Value)> =
            written.iter().map(|(field, path)| (*field, write::path_value(path))).collect();
        self.write_store(STORE_D.id, &game, &id, &values)?;
        let path = |field: &str| {
            let found = written.iter().find(|(known, _)| *known == field);
            found.map(|(_, path): &(_, PathBuf)| path.to_string_lossy().into_owned())
        };
        Ok(StorePictures {
            cover: path("cover").unwrap_or_default(),
            background: path("background").unwrap_or_default(),
        })
    }

    /// The number of a game at GOG, or its name in addresses there; `None` for games of another store.
    pub(super) fn store_d_id(game: &Game) -> Option<String> {
        let record = game.record();
        let store = record.shown("store_b_source");
        if !store.trim().is_empty() && !store.trim().eq_ignore_ascii_case("gog") {
            return None;
        }
        let stored = record.shown("store_b_app_id");
        let id = stored.trim().trim_start_matches("gog_").trim_start_matches("gog:").to_lowercase();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        ((1..=ID).contains(&id.len()) && id.chars().all(is_plain)).then_some(id)
    }

    /// Where the pictures of a game lie, by its number or its name in addresses. What one answer names is
    /// good without the others.
    pub(super) fn pictures_of_store_d(
        &self,
        id: &str,
        title: &str,
        cancel: Cancel<'_>,
    ) -> Result<Named, LookupError> {
        let kept =
            self.stores.get(&[("store", STORE_D.id), ("id", id), ("title", &normalise(title))]);
        kept.map_or_else(|| self.ask_pictures_of_store_d(id, title, cancel), Ok)
    }

    /// As [`Lookup::pictures_of_store_d`], as the store knows the game now.
    fn ask_pictures_of_store_d(
        &self,
        id: &str,
        title: &str,
        cancel: Cancel<'_>,
    ) -> Result<Named, LookupError> {
        let known = normalise(title);
        let question = [("store", STORE_D.id), ("id", id), ("title", known.as_str())];
        let is_number = id.bytes().all(|digit| digit.is_ascii_digit());
        let mut failed = None;
        let mut named = Named::default();
        if is_number {
            named = self.product(id, &mut failed, cancel)?;
        }
        if named.cover.is_empty() {
            let term = percent_encoded(id);
            let path = format!("/games/ajax/filtered?mediaType=game&limit=20&search={term}");
            let answer = self.ask_store_d(STORE_D_SEARCH, &path, &mut failed, cancel)?;
            let found = product(&answer, id, title);
            if let (Some((number, _)), false) = (&found, is_number) {
                named = self.product(&number.to_string(), &mut failed, cancel)?;
            }
            if let Some((_, image)) = found.filter(|_| named.cover.is_empty()) {
                named.cover = image;
            }
        }
        match failed {
            Some(error) if named == Named::default() => return Err(error),
            None if named == Named::default() => return Err(LookupError::NoGame(STORE_D.name)),
            // The rest may come another time.
            Some(error) => log::info!("store_d: not every answer came: {error}"),
            None => self.stores.put(&question, &named),
        }
        Ok(named)
    }

    /// The pictures of a product by its number.
    fn product(
        &self,
        number: &str,
        failed: &mut Option<LookupError>,
        cancel: Cancel<'_>,
    ) -> Result<Named, LookupError> {
        let path = format!("/v2/games/{number}?locale=en-US");
        let mut named = of_game(&self.ask_store_d(STORE_D_API, &path, failed, cancel)?);
        if named.background.is_empty() {
            let path = format!("/products/{number}?locale=en-US");
            named.background = of_product(&self.ask_store_d(STORE_D_API, &path, failed, cancel)?);
        }
        Ok(named)
    }

    /// One answer; null for what the store does not have, and for one that does not come, which `failed`
    /// notes.
    ///
    /// # Errors
    /// [`LookupError::TookTooLong`] alone.
    fn ask_store_d(
        &self,
        base_url: BaseUrl,
        path: &str,
        failed: &mut Option<LookupError>,
        cancel: Cancel<'_>,
    ) -> Result<Value, LookupError> {
        let headers = vec![("Accept", "application/json".to_owned())];
        let request = Request { provider: &STORE_D, base_url, path, headers, timeout: TIMEOUT };
        let error = match self.providers.json(&request, cancel) {
            Ok(answer) if answer.is_object() => return Ok(answer),
            Ok(_) => ProviderError::Nonsense,
            Err(ProviderError::Status { status: 404, .. }) => return Ok(Value::Null),
            Err(error) => error,
        };
        let is_over = error == ProviderError::Stopped;
        let error = LookupError::of(STORE_D.name, &error);
        if is_over {
            return Err(error);
        }
        failed.get_or_insert(error);
        Ok(Value::Null)
    }

    fn picture_of_store_d(
        &self,
        address: &str,
        cancel: Cancel<'_>,
    ) -> Result<Picture, ProviderError> {
        self.providers.picture_named(&STORE_D, STORE_D_API, address, cancel)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_of_three_kinds_name_pictures() {
        let game = json!({"_links": {"boxArtImage": {"href": "https://images.gog.com/a_{formatter}.jpg"},
            "backgroundImage": {"href": "https://images.gog.com/b.jpg"}}});
        let expected = ["https://images.gog.com/a.jpg", "https://images.gog.com/b.jpg"];
        let named = of_game(&game);
        assert_eq!([named.cover.as_str(), named.background.as_str()], expected);
        assert_eq!(of_game(&json!([])), Named::default());
        assert_eq!(
            of_product(&json!({"images": {"background": "//images-1.gog.com/c.jpg"}})),
            "//images-1.gog.com/c.jpg"
        );
        let found = json!({"products": [
            {"id": 5, "slug": "comet_rangers_2", "image": "//i/x", "title": "The Rängers: 2"},
            {"id": "6", "slug": "comet_rangers", "image": "//i/y"}]});
        let of = |id, title| product(&found, id, title);
        assert_eq!(of("comet_rangers", ""), Some((6, "//i/y_392.jpg".to_owned())));
        assert_eq!(of("rangers_2", "Rangers 2, The"), Some((5, "//i/x_392.jpg".to_owned())));
        assert_eq!(of("rangers_2", "Comet").map(|it| it.0), Some(5));
        assert_eq!(of("omet", "The Rangers 2").map(|it| it.0), Some(5));
        assert_eq!(of("other", "The Rangers 2"), None);
        assert_eq!(of("5", "").map(|it| it.0), Some(5));
        assert_eq!(product(&json!({"products": []}), "x", ""), None);
    }
}
