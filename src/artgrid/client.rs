//! Requests to the provider, with cached answers; a key that it rejected is not sent again before a test.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    answers::{self, Hit, KINDS, Kind, Picture},
    error::ArtgridError,
};
use crate::{
    base::{Hold as _, redact, schema::schema},
    config::credentials::Credential,
    net::location::percent_encoded,
    providers::{
        ARTGRID, ARTGRID_API, ProviderError, Providers, Request,
        accounts::{ARTGRID_ACCOUNT, Accounts},
        cache::Cache,
        client,
        error::Cancel,
    },
};

/// From the connection to the last byte of one answer.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The longest time for everything that one request of a client asks.
const PATIENCE: Duration = Duration::from_secs(30);
/// Games that a search of the provider gives at most.
const HITS: usize = 50;
/// Characters of the longest title that is searched.
const TERM: usize = 200;
/// The search that tests the key.
const PROBE: &str = "Half-Life";

schema! {
    /// `GET /api/v2/artgrid/status`.
    #[derive(Debug, PartialEq)]
    pub struct ArtgridStatus {
        /// `artgrid`.
        pub provider: &'static str,
        /// Its name.
        pub name: &'static str,
        /// The attribution to show with its data.
        pub credit: &'static str,
        /// Its own page.
        pub page: &'static str,
        /// Whether the setting lets it be used.
        pub enabled: bool,
        /// Whether there is a key.
        pub configured: bool,
        /// Whether it rejected the key since the start of the program.
        pub disabled: bool,
        /// Answers that are kept.
        pub cache_entries: usize,
    }

    "ArtgridGame"
    /// A game of the provider with its pictures.
    #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
    pub struct Game {
        /// Its number there.
        pub id: u32,
        pub name: String,
        /// The year of its release.
        pub year: Option<i32>,
        /// Stores that have it, such as `steam`.
        pub types: Vec<String>,
        /// Whether the provider checked it.
        pub verified: bool,
        /// By kind, the best of each first.
        pub media: Vec<Picture>,
        /// The kinds whose pictures could not be listed, each with the reason.
        #[serde(default)]
        pub notes: Vec<String>,
    }
}

/// The artwork provider.
pub struct Artgrid {
    providers: Arc<Providers>,
    cache: Cache,
    accounts: Arc<Accounts>,
    /// The key that it rejected.
    rejected: Mutex<Option<String>>,
}

impl Artgrid {
    /// The provider with the key of these accounts.
    pub fn new(accounts: Arc<Accounts>, providers: Arc<Providers>, cache: Cache) -> Self {
        Self { providers, cache, accounts, rejected: Mutex::default() }
    }

    /// How it stands.
    pub fn status(&self, enabled: bool) -> ArtgridStatus {
        ArtgridStatus {
            provider: ARTGRID.id,
            name: ARTGRID.name,
            credit: ARTGRID.credit,
            page: ARTGRID.page,
            enabled,
            configured: self.is_configured(),
            disabled: self.key(true).is_ok_and(|key| self.is_rejected(&key)),
            cache_entries: self.cache.count(),
        }
    }

    /// Asks for anything to see whether the key is good; how many games came.
    ///
    /// # Errors
    /// [`ArtgridError`].
    pub fn test(&self, enabled: bool) -> Result<usize, ArtgridError> {
        self.key(enabled)?;
        *self.rejected.hold() = None;
        Ok(self.ask_search(PROBE, &impatient())?.len())
    }

    /// Games with such a title, at most `limit`; none for a title without letters.
    ///
    /// # Errors
    /// [`ArtgridError`].
    pub fn search(
        &self,
        enabled: bool,
        title: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, ArtgridError> {
        self.usable(enabled)?;
        let mut hits = self.hits(title, &impatient())?;
        hits.truncate(limit);
        Ok(hits)
    }

    /// Games with such a title, the likeliest first.
    pub(super) fn hits(&self, title: &str, cancel: Cancel<'_>) -> Result<Vec<Hit>, ArtgridError> {
        let term: String = title.trim().chars().take(TERM).collect();
        if !term.chars().any(char::is_alphanumeric) {
            return Ok(Vec::new());
        }
        let folded = term.to_lowercase();
        let key = [("route", "search"), ("q", folded.as_str())];
        if let Some(hits) = self.cache.get(&key) {
            return Ok(hits);
        }
        let hits = self.ask_search(&term, cancel)?;
        // A game that is missing today may be there tomorrow.
        if !hits.is_empty() {
            self.cache.put(&key, &hits);
        }
        Ok(hits)
    }

    /// A game by its number, without its pictures.
    pub(super) fn game(&self, id: u32, cancel: Cancel<'_>) -> Result<Hit, ArtgridError> {
        let number = id.to_string();
        let key = [("route", "game"), ("id", number.as_str())];
        if let Some(hit) = self.cache.get(&key) {
            return Ok(hit);
        }
        let unknown = || ArtgridError::UnknownGame(id);
        let answer = self.ask(&format!("/games/id/{id}"), cancel)?.ok_or_else(unknown)?;
        let hit = answers::hit(answers::payload(&answer)?).ok_or(ProviderError::Nonsense)?;
        self.cache.put(&key, &hit);
        Ok(hit)
    }

    /// The pictures of one kind of a game, the best first.
    pub(super) fn pictures(
        &self,
        id: u32,
        kind: &Kind,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Picture>, ArtgridError> {
        let number = id.to_string();
        let whole = [("route", "info"), ("id", number.as_str())];
        if let Some(Game { media, .. }) = self.cache.get(&whole) {
            let of_kind = media.into_iter().filter(|picture: &Picture| picture.kind == kind.field);
            return Ok(of_kind.collect());
        }
        let key = [("route", "pictures"), ("id", number.as_str()), ("kind", kind.field)];
        if let Some(pictures) = self.cache.get(&key) {
            return Ok(pictures);
        }
        let pictures = self.ask_pictures(id, kind, cancel)?;
        if !pictures.is_empty() {
            self.cache.put(&key, &pictures);
        }
        Ok(pictures)
    }

    /// Loads one of its pictures.
    pub(super) fn load(
        &self,
        picture: &Picture,
        cancel: Cancel<'_>,
    ) -> Result<client::Picture, ProviderError> {
        self.providers.picture_named(&ARTGRID, ARTGRID_API, &picture.url, cancel)
    }

    fn ask_pictures(
        &self,
        id: u32,
        kind: &Kind,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Picture>, ArtgridError> {
        let path = format!(
            "/{}/game/{id}?types=static&nsfw=false&humor=false&epilepsy=false&{}",
            kind.list, kind.narrow
        );
        let Some(answer) = self.ask(&path, cancel)? else { return Ok(Vec::new()) };
        let named = |text: &str| self.providers.named(&ARTGRID, ARTGRID_API, text);
        Ok(answers::pictures(kind.field, answers::rows(&answer)?, &named))
    }

    /// A game by its number, with all its pictures.
    ///
    /// # Errors
    /// [`ArtgridError`].
    pub fn info(&self, enabled: bool, id: u32) -> Result<Game, ArtgridError> {
        self.usable(enabled)?;
        let number = id.to_string();
        let key = [("route", "info"), ("id", number.as_str())];
        if let Some(game) = self.cache.get(&key) {
            return Ok(game);
        }
        let is_over = impatient();
        let found = self.game(id, &is_over)?;
        let (mut media, mut failures) = (Vec::new(), Vec::new());
        for kind in KINDS {
            match self.ask_pictures(id, &kind, &is_over) {
                Ok(pictures) => media.extend(pictures),
                Err(error) if error.is_final() => return Err(error),
                Err(error) => failures.push((kind.field, error)),
            }
        }
        if failures.len() == KINDS.len() {
            return Err(failures.swap_remove(0).1);
        }
        let notes = failures.iter().map(|(field, error)| error.note(field)).collect::<Vec<_>>();
        let Hit { name, year, types, verified, .. } = found;
        let game = Game { id, name, year, types, verified, media, notes };
        // Kinds that are missing today may be listed tomorrow.
        if !game.media.is_empty() && game.notes.is_empty() {
            self.cache.put(&key, &game);
        }
        Ok(game)
    }

    /// Whether there is a key.
    pub fn is_configured(&self) -> bool {
        self.accounts.origin(&ARTGRID_ACCOUNT).is_some()
    }

    fn key(&self, enabled: bool) -> Result<String, ArtgridError> {
        if !enabled {
            return Err(ArtgridError::Disabled);
        }
        let found = self.accounts.find(&ARTGRID_ACCOUNT);
        let key = found.and_then(|mut found| found.take(Credential::ArtgridApiKey));
        key.ok_or(ArtgridError::Unconfigured)
    }

    fn is_rejected(&self, key: &str) -> bool {
        self.rejected.hold().as_deref() == Some(key)
    }

    /// Whether it may be asked for more than a test.
    ///
    /// # Errors
    /// [`ArtgridError::Disabled`], [`ArtgridError::Unconfigured`] or [`ArtgridError::KeyRejected`].
    pub fn usable(&self, enabled: bool) -> Result<(), ArtgridError> {
        if self.is_rejected(&self.key(enabled)?) {
            return Err(ArtgridError::KeyRejected);
        }
        Ok(())
    }

    fn ask_search(&self, term: &str, cancel: Cancel<'_>) -> Result<Vec<Hit>, ArtgridError> {
        let path = format!("/search/autocomplete/{}", percent_encoded(term));
        let Some(answer) = self.ask(&path, cancel)? else { return Ok(Vec::new()) };
        Ok(answers::rows(&answer)?.iter().filter_map(answers::hit).take(HITS).collect())
    }

    /// One answer; `None` for what the provider does not have.
    fn ask(&self, path: &str, cancel: Cancel<'_>) -> Result<Option<Value>, ArtgridError> {
        let key = self.key(true)?;
        let headers = vec![
            ("Authorization", format!("Bearer {key}")),
            ("Accept", "application/json".to_owned()),
        ];
        let request =
            Request { provider: &ARTGRID, base_url: ARTGRID_API, path, headers, timeout: TIMEOUT };
        let answer = self.providers.answer(&request, None, cancel)?;
        let (status, reason) = (answer.status, answer.reason);
        if status != 200 {
            let error = ProviderError::Status { status, reason };
            self.providers.note(&ARTGRID, &error);
            return match (status, answer.message(std::slice::from_ref(&key))) {
                (404, _) => Ok(None),
                (401 | 403, _) => {
                    *self.rejected.hold() = Some(key);
                    Err(ArtgridError::KeyRejected)
                }
                (_, Some(reason)) => Err(ArtgridError::Refused(reason)),
                (_, None) => Err(error.into()),
            };
        }
        let answer: Value =
            serde_json::from_slice(&answer.bytes).map_err(|_| ProviderError::Nonsense)?;
        match answers::payload(&answer) {
            Err(ArtgridError::Refused(reason)) => {
                Err(ArtgridError::Refused(redact::said(&reason, &[key], answers::TEXT)))
            }
            Err(error) => Err(error),
            Ok(_) => Ok(Some(answer)),
        }
    }
}

/// Says from now on whether one request of a client has taken long enough.
fn impatient() -> impl Fn() -> bool + Sync {
    let begun = Instant::now();
    move || begun.elapsed() > PATIENCE
}
