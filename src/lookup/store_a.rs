//! Details, pictures and trailers of the Steam store, for games that have a number there.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    error::{LookupError, malformed},
    plain::{DESCRIPTION, NAME, impatient, number, plain, without_tags, year},
    service::Lookup,
    write::{self, Part},
};
use crate::{
    game::{GameRef, origins::Mode},
    model::{Game, origins::Right},
    net::location::percent_encoded,
    providers::{
        Request, STORE_A, STORE_A_API, STORE_A_ASSETS, STORE_A_IMAGES, STORE_A_ITEMS,
        STORE_A_TRAILERS,
        client::Picture,
        error::{Cancel, ProviderError},
        saved::{SaveError, Target, save},
        table::BaseUrl,
    },
};

/// From the connection to the last byte of one answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long nothing is asked after the store was asked too often.
const REST: Duration = Duration::from_mins(5);
/// The longest time for the texts and pictures of one game.
const PATIENCE: Duration = Duration::from_secs(30);
/// From the connection to the last byte of a trailer.
const TRAILER_TIME: Duration = Duration::from_secs(150);
/// Bytes of the largest trailer.
const TRAILER_BYTES: u64 = 512 << 20;
/// The error for requests without a number.
const NO_NUMBER: &str = "The game has no numeric store_a_app_id.";
/// The error for a trailer that may not be replaced.
const LOCKED: &str = "The field is locked.";
/// Genres, makers and trailers that are taken from an answer.
const ROWS: usize = 50;

/// The details of a game in the store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Details {
    pub name: String,
    developer: String,
    publisher: String,
    genre: String,
    year: String,
    description: String,
    /// The address of a wide picture; may be empty.
    pub header: String,
    /// Addresses of screenshots.
    #[serde(default)]
    pub screenshots: Vec<String>,
    /// The first trailer.
    movie: Option<Movie>,
}

/// A trailer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Movie {
    /// Its number, by which older files are found; none when unknown.
    id: Option<i64>,
    /// Addresses of files, the best first.
    files: Vec<String>,
}

/// The details in an answer; `None` when it has none of the game.
fn details(answer: &Value, id: &str) -> Option<Details> {
    let data = &answer[id]["data"];
    if answer[id]["success"] != Value::Bool(true) || !data.is_object() {
        return None;
    }
    let joined = |list: &Value, name: &dyn Fn(&Value) -> String| {
        let rows = list.as_array().into_iter().flatten().take(ROWS).map(name);
        rows.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let named = |value: &Value| plain(value, NAME);
    Some(Details {
        name: named(&data["name"]),
        developer: joined(&data["developers"], &named),
        publisher: joined(&data["publishers"], &named),
        genre: joined(&data["genres"], &|genre| named(&genre["description"])),
        year: year(&plain(&data["release_date"]["date"], NAME)),
        description: without_tags(&data["short_description"], DESCRIPTION),
        header: plain(&data["header_image"], 2_000),
        screenshots: screenshots(&data["screenshots"]),
        movie: data["movies"].get(0).and_then(movie),
    })
}

fn screenshots(list: &Value) -> Vec<String> {
    let rows = list.as_array().into_iter().flatten().take(ROWS);
    let addresses = rows.map(|row| plain(&row["path_full"], 2_000));
    addresses.filter(|address| !address.is_empty()).collect()
}

fn movie(row: &Value) -> Option<Movie> {
    let kinds = [("mp4", "max"), ("mp4", "480"), ("webm", "max"), ("webm", "480")];
    let file = |(kind, size): (&str, &str)| row[kind][size].as_str().map(str::to_owned);
    let files: Vec<_> = kinds.into_iter().filter_map(file).collect();
    let id = number(&row["id"]).filter(|id| *id > 0);
    (id.is_some() || !files.is_empty()).then_some(Movie { id, files })
}

/// Files of pictures that the newer catalogue names, by what they show.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Assets(Map<String, Value>);

impl Assets {
    /// What an answer names.
    fn of(answer: &Value) -> Self {
        let assets = answer["response"]["store_items"][0]["assets"].as_object();
        Self(assets.cloned().unwrap_or_default())
    }

    /// The path of the first of these pictures that is there.
    pub fn path(&self, keys: &[&str]) -> Option<String> {
        let text = |key: &str| self.0.get(key)?.as_str().filter(|text| !text.is_empty());
        let file = keys.iter().find_map(|key| text(key))?;
        let path = text("asset_url_format")?.replace("${FILENAME}", file);
        let path = format!("/{}", path.trim_start_matches('/'));
        let is_plain =
            |letter: char| letter.is_ascii_alphanumeric() || "/-._~?=&%".contains(letter);
        (path.len() <= 1_000 && path.chars().all(is_plain)).then_some(path)
    }
}

/// Whether bytes begin as a video in a form that can be played.
pub(super) fn is_video(first: &[u8]) -> bool {
    first.get(4..8) == Some(b"ftyp") || first.starts_with(&[0x1a, 0x45, 0xdf, 0xa3])
}

impl Lookup {
    /// Writes the details of a game in the Steam store, with its cover and background. Pictures that cannot be
    /// loaded are left out.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn fetch_store_a(&self, game: &GameRef) -> Result<(), LookupError> {
        let (game, id) = self.game_of_store_a(game)?;
        let is_over = impatient(PATIENCE);
        let details = self.ask_details_of_store_a(&id, &is_over)?;
        let folder = self.store_a_folder(&id)?;
        let mut pictures = Vec::new();
        for field in
            ["cover", "background"].into_iter().filter(|field| !write::is_held(&game, field))
        {
            let loaded = match field {
                "cover" => self.store_a_cover(&id, &is_over),
                _ => self.store_a_header(&details, &is_over),
            };
            match loaded {
                Ok(picture) => {
                    pictures.push((field, self.keep_picture(&folder, field, &picture)?));
                }
                Err(error) => log::info!("store_a: no {field}: {error}"),
            }
        }
        let texts = [
            ("name", &details.name),
            ("developer", &details.developer),
            ("publisher", &details.publisher),
            ("genre", &details.genre),
            ("year", &details.year),
            ("description", &details.description),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let mut values: Vec<(&'static str, Value)> =
            texts.map(|(field, text)| (field, Value::from(text.as_str()))).collect();
        let paths: Vec<_> = pictures.iter().map(|(_, path)| path.as_path()).collect();
        write::report(&self.store, &paths);
        values.extend(pictures.iter().map(|(field, path)| (*field, write::path_value(path))));
        self.write_store(STORE_A.id, &game, &id, &values)
    }

    /// Saves the first trailer that the Steam store has of a game; where it lies.
    ///
    /// # Errors
    /// [`LookupError`]; also when there is no trailer, or none that can be saved.
    pub fn fetch_trailer(&self, game: &GameRef) -> Result<PathBuf, LookupError> {
        let (game, id) = self.game_of_store_a(game)?;
        if write::is_held(&game, "video_trailer") {
            return malformed(LOCKED);
        }
        let is_over = impatient(TRAILER_TIME);
        let details = self.ask_details_of_store_a(&id, &is_over)?;
        let none =
            || LookupError::Malformed(format!("{} has no trailer of the game.", STORE_A.name));
        let movie = details.movie.ok_or_else(none)?;
        let folder = self.store_a_folder(&id)?;
        let mut last = None;
        for file in &movie.files {
            match self.save_trailer(file, "", STORE_A_API, &folder, &is_over) {
                Ok(path) => return self.finish_trailer(&game, &id, path),
                Err(error) => last = Some(LookupError::of(STORE_A.name, &ended(error)?)),
            }
        }
        // Newer answers name streams only, but older trailers still lie where they lay.
        let older = ["movie_max.mp4", "movie480.mp4"];
        for path in movie.id.iter().flat_map(|id| older.map(|file| format!("/{id}/{file}"))) {
            match self.save_trailer("", &path, STORE_A_TRAILERS, &folder, &is_over) {
                Ok(path) => return self.finish_trailer(&game, &id, path),
                Err(error) => {
                    let error = ended(error)?;
                    if !is_absence(&error) {
                        last = last.or(Some(LookupError::of(STORE_A.name, &error)));
                    }
                }
            }
        }
        match last {
            Some(error) => Err(error),
            None => malformed(format!(
                "{} offers this trailer only as a stream (HLS or DASH), which cannot be saved.",
                STORE_A.name
            )),
        }
    }

    fn finish_trailer(&self, game: &Game, id: &str, path: PathBuf) -> Result<PathBuf, LookupError> {
        write::report(&self.store, &[&path]);
        let values = [("video_trailer", write::path_value(&path))];
        self.write_store(STORE_A.id, game, id, &values)?;
        Ok(path)
    }

    /// Saves a trailer that lies at an address, or else at a path below a base URL.
    fn save_trailer(
        &self,
        address: &str,
        path: &str,
        base_url: BaseUrl,
        folder: &Path,
        cancel: Cancel<'_>,
    ) -> Result<PathBuf, SaveError> {
        let request = Request {
            provider: &STORE_A,
            base_url,
            path,
            headers: Vec::new(),
            timeout: TRAILER_TIME,
        };
        let named = Some(address).filter(|address| !address.is_empty());
        let file = Path::new(address.split('?').next().unwrap_or_default());
        let is_webm = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("webm"));
        let path = folder.join(if is_webm { "trailer.webm" } else { "trailer.mp4" });
        let (files, is_good) = (&self.files, &is_video);
        let keep = |written| self.media_writer().keep_written(&path, written);
        let target = Target { files, path: &path, keep: &keep, limit: TRAILER_BYTES, is_good };
        Ok(save(&self.providers, &request, named, &target, cancel)?.file()?)
    }

    /// The game of a request and its number in the store.
    fn game_of_store_a(&self, game: &GameRef) -> Result<(Arc<Game>, String), LookupError> {
        let game = write::find(&*self.store.snapshot()?, game)?;
        match Self::store_a_number(&game) {
            Some(id) => Ok((game, id)),
            None => malformed(NO_NUMBER),
        }
    }

    /// The number of a game in the store.
    pub(super) fn store_a_number(game: &Game) -> Option<String> {
        let id = game.record().shown("store_a_app_id").trim().to_owned();
        let is_number = id.bytes().all(|digit| digit.is_ascii_digit());
        (is_number && (1..=10).contains(&id.len())).then_some(id)
    }

    pub(super) fn details_of_store_a(
        &self,
        id: &str,
        cancel: Cancel<'_>,
    ) -> Result<Details, LookupError> {
        let kept = self.stores.get(&[("store", STORE_A.id), ("id", id)]);
        kept.map_or_else(|| self.ask_details_of_store_a(id, cancel), Ok)
    }

    /// As [`Lookup::details_of_store_a`], as the store knows the game now.
    fn ask_details_of_store_a(&self, id: &str, cancel: Cancel<'_>) -> Result<Details, LookupError> {
        let question = [("store", STORE_A.id), ("id", id)];
        let path = format!("/appdetails?appids={id}&l=english&cc=US");
        let too_often = || {
            let reason = "it was asked too often; wait five minutes".to_owned();
            LookupError::Failed(STORE_A.name, reason)
        };
        // A request in the meantime would be refused as well, and be counted.
        if self.providers.is_resting(&STORE_A) {
            return Err(too_often());
        }
        let refused = || {
            self.providers.rest(&STORE_A, REST);
            too_often()
        };
        let answer = self.ask_store_a(STORE_A_API, &path, cancel).map_err(|error| match error {
            ProviderError::Status { status: 403 | 429, .. } | ProviderError::Barred => refused(),
            error => LookupError::of(STORE_A.name, &error),
        })?;
        if answer.is_null() {
            return Err(refused());
        }
        if !answer.is_object() {
            return Err(LookupError::of(STORE_A.name, &ProviderError::Nonsense));
        }
        let details = details(&answer, id).ok_or(LookupError::NoGame(STORE_A.name))?;
        self.stores.put(&question, &details);
        Ok(details)
    }

    fn ask_store_a(
        &self,
        base_url: BaseUrl,
        path: &str,
        cancel: Cancel<'_>,
    ) -> Result<Value, ProviderError> {
        let headers = vec![("Accept", "application/json".to_owned())];
        let request = Request { provider: &STORE_A, base_url, path, headers, timeout: TIMEOUT };
        self.providers.json(&request, cancel)
    }

    fn store_a_folder(&self, id: &str) -> Result<PathBuf, LookupError> {
        let folder = self.data_dir.media().join("store_a").join(id);
        self.files.private_dir(&folder)?;
        Ok(folder)
    }

    /// The tall picture of a game: by its usual name, else as the newer catalogue names it.
    fn store_a_cover(&self, id: &str, cancel: Cancel<'_>) -> Result<Picture, ProviderError> {
        let path = format!("/{id}/library_600x900_2x.jpg");
        let usual = self.providers.picture(&STORE_A, STORE_A_IMAGES, &path, cancel);
        let Err(error) = usual else { return usual };
        let path = self.ask_assets(id, cancel)?.path(&["library_capsule_2x", "library_capsule"]);
        self.providers.picture(&STORE_A, STORE_A_ASSETS, &path.ok_or(error)?, cancel)
    }

    /// The pictures that the newer catalogue names for a game; `None` when it cannot be asked.
    pub(super) fn assets_of_store_a(&self, id: &str, cancel: Cancel<'_>) -> Option<Assets> {
        let question = [("store", "store_a_assets"), ("id", id)];
        if let Some(assets) = self.stores.get(&question) {
            return Some(assets);
        }
        let assets = self.ask_assets(id, cancel);
        let assets = assets.inspect_err(|error| log::info!("store_a: no assets: {error}")).ok()?;
        self.stores.put(&question, &assets);
        Some(assets)
    }

    fn ask_assets(&self, id: &str, cancel: Cancel<'_>) -> Result<Assets, ProviderError> {
        let number: u64 = id.parse().map_err(|_| ProviderError::Nonsense)?;
        let input = json!({"ids": [{"appid": number}],
            "context": {"language": "english", "country_code": "US"},
            "data_request": {"include_assets": true}});
        let input = percent_encoded(&input.to_string());
        let path = format!("/IStoreBrowseService/GetItems/v1/?input_json={input}");
        Ok(Assets::of(&self.ask_store_a(STORE_A_ITEMS, &path, cancel)?))
    }

    fn store_a_header(
        &self,
        details: &Details,
        cancel: Cancel<'_>,
    ) -> Result<Picture, ProviderError> {
        self.providers.picture_named(&STORE_A, STORE_A_API, &details.header, cancel)
    }

    /// Writes the details of a store to a game. The user asked for it, so only express locks hold.
    pub(super) fn write_store(
        &self,
        provider: &str,
        game: &Game,
        id: &str,
        values: &[(&'static str, Value)],
    ) -> Result<(), LookupError> {
        let origin = write::origin(provider, id, "");
        let parts = [Part { right: Right::Request, mode: Mode::Replace, values, before: None }];
        write::write(&self.store, game.id(), &origin, "", &parts).map(drop)
    }
}

/// Whether a trailer may still be had elsewhere: not without room or time.
fn ended(error: SaveError) -> Result<ProviderError, LookupError> {
    match error {
        SaveError::Disk(error) => Err(error.into()),
        SaveError::Provider(ProviderError::Stopped) => Err(LookupError::TookTooLong(STORE_A.name)),
        SaveError::Provider(error) => Ok(error),
    }
}

/// Whether an error means that the file is missing, and not that the transfer failed.
fn is_absence(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Status { status: 300..=407 | 410, .. }
            | ProviderError::Barred
            | ProviderError::Page
            | ProviderError::Nonsense
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_translated() {
        let answer = json!({"900200": {"success": true, "data": {"type": "game",
            "name": "Comet Rangers", "short_description": "Two &amp; <b>more</b>.",
            "header_image": "https://x/header.jpg?t=1", "developers": ["Northlight", 7],
            "genres": [{"id": "1", "description": "Action"}, {"id": "2", "description": "Indie"}],
            "release_date": {"coming_soon": false, "date": "18 Mar, 1994"},
            "screenshots": [{"id": 0, "path_full": "https://x/1.jpg"}, {"id": 1}, 7],
            "movies": [{"id": 901, "webm": {"max": "w"}, "mp4": {"480": "s", "max": "m"}}]}}});
        let expected = Details {
            name: "Comet Rangers".to_owned(),
            developer: "Northlight, 7".to_owned(),
            publisher: String::new(),
            genre: "Action, Indie".to_owned(),
            year: "1994".to_owned(),
            description: "Two & more.".to_owned(),
            header: "https://x/header.jpg?t=1".to_owned(),
            screenshots: vec!["https://x/1.jpg".to_owned()],
            movie: Some(Movie {
                id: Some(901),
                files: ["m", "s", "w"].map(str::to_owned).to_vec(),
            }),
        };
        assert_eq!(details(&answer, "900200"), Some(expected));
        assert_eq!(details(&answer, "1"), None);
        assert_eq!(details(&json!({"1": {"success": false}}), "1"), None);
        assert_eq!(details(&json!({"1": {"success": true, "data": []}}), "1"), None);
        assert_eq!(movie(&json!({"id": "x"})), None);
        let unnumbered = Movie { id: None, files: vec!["m".to_owned()] };
        assert_eq!(movie(&json!({"mp4": {"max": "m"}})), Some(unnumbered));
    }

    #[test]
    fn assets_of_the_newer_catalogue_have_plain_paths() {
        let assets = |format: &str| {
            json!({"response": {"store_items": [{"assets": {"asset_url_format": format,
                "library_capsule_2x": "ab/capsule.jpg"}}]}})
        };
        let path = |answer: &Value| Assets::of(answer).path(&["library_capsule_2x"]);
        let plain = path(&assets("steam/apps/9/${FILENAME}?t=1"));
        assert_eq!(plain.as_deref(), Some("/steam/apps/9/ab/capsule.jpg?t=1"));
        assert_eq!(path(&assets("steam apps/${FILENAME}")), None);
        assert_eq!(path(&assets("@evil.example/${FILENAME}")), None);
        assert_eq!(path(&json!({})), None);
        assert_eq!(Assets::of(&assets("x")).path(&["logo"]), None);
    }
}
