//! Requests to the game database, with cached answers. A token is fetched once and kept in memory; when it is
//! refused it is renewed once.

use std::{
    fmt::Write as _,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    error::LookupError,
    gamedb_answers::{self as answers, Artwork, Details, Hit},
    plain::{impatient, plain},
};
use crate::{
    base::{Hold as _, away::Away, redact, text},
    config::credentials::Credential,
    net::location::percent_encoded,
    platforms,
    providers::{
        GAMEDB, GAMEDB_API, GAMEDB_TOKEN, ProviderError, Providers, Request,
        accounts::{Accounts, GAMEDB_ACCOUNT},
        cache::Cache,
        client::Answered,
        error::Cancel,
    },
};

/// From the connection to the last byte of one answer.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The longest time for everything that one request of a client asks.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long before its end a token is not used any more.
const MARGIN: Duration = Duration::from_secs(30);
/// How soon a wait for the token of another request ends after it was cancelled.
const WAIT: Duration = Duration::from_millis(100);
/// Characters of the longest title that is searched.
const TERM: usize = 200;
/// Games that a search asks for.
const HITS: usize = 50;
/// The variables of the credentials.
const VARIABLES: &str = "GAMEDB_CLIENT_ID and GAMEDB_CLIENT_SECRET";
const SEARCHED: &str = "id,name,summary,first_release_date,genres.name,platforms.name,rating,\
    aggregated_rating,alternative_names.name,game_localizations.name,game_type";
const DETAILS: &str = "id,name,summary,storyline,first_release_date,genres.name,rating,\
    involved_companies.company.name,involved_companies.developer,involved_companies.publisher";
/// The pictures of a game.
const PICTURES: &str = "name,cover.image_id,screenshots.image_id,artworks.image_id,\
    artworks.artwork_type";

/// What the database is asked with.
#[derive(PartialEq, Eq)]
struct Keys {
    id: String,
    secret: String,
}

/// A token, whose it is, and when it is not used any more.
struct Token {
    keys: Keys,
    text: String,
    until: Instant,
}

/// The token that is kept, and whether a thread fetches one.
#[derive(Default)]
struct Kept {
    token: Option<Token>,
    is_fetched: bool,
}

/// The right to fetch a token. Other threads may fetch one when it is dropped.
struct Fetching<'a>(&'a Gamedb);

impl Drop for Fetching<'_> {
    fn drop(&mut self) {
        self.0.kept.hold().is_fetched = false;
        self.0.changed.notify_all();
    }
}

/// The game database.
pub struct Gamedb {
    providers: Arc<Providers>,
    cache: Cache,
    accounts: Arc<Accounts>,
    kept: Mutex<Kept>,
    changed: Condvar,
}

impl Gamedb {
    /// The database with the credentials of these accounts.
    pub fn new(accounts: Arc<Accounts>, providers: Arc<Providers>, cache: Cache) -> Self {
        let (kept, changed) = (Mutex::default(), Condvar::new());
        Self { providers, cache, accounts, kept, changed }
    }

    /// Fetches a token to see whether the credentials are good.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn test(&self) -> Result<(), LookupError> {
        self.token(self.keys()?, &impatient(PATIENCE)).map(drop)
    }

    /// Refuses work that needs the credentials.
    ///
    /// # Errors
    /// [`LookupError::Unconfigured`].
    pub fn check_keys(&self) -> Result<(), LookupError> {
        self.keys().map(drop)
    }

    /// Whether it can be asked.
    pub fn is_configured(&self) -> bool {
        self.accounts.origin(&GAMEDB_ACCOUNT).is_some()
    }

    /// Games with such a title, at most `limit`, the likeliest first; none for a title without letters.
    /// A blank platform is any.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn search(
        &self,
        title: &str,
        platform: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, LookupError> {
        self.search_while(title, platform, limit, &impatient(PATIENCE))
    }

    /// As [`Gamedb::search`], until it is cancelled.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn search_while(
        &self,
        title: &str,
        platform: &str,
        limit: usize,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Hit>, LookupError> {
        self.keys()?;
        let term = answers::term(text::cut(title.trim(), TERM));
        if !term.chars().any(char::is_alphanumeric) {
            return Ok(Vec::new());
        }
        let number = platforms::by_any_name(platform).and_then(|platform| platform.gamedb);
        let numbers = number.map(answers::with_twins).unwrap_or_default();
        let folded = term.to_lowercase();
        let asked_of = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let question = [("route", "search"), ("q", folded.as_str()), ("platforms", &asked_of)];
        let mut hits: Vec<Hit> = if let Some(hits) = self.cache.get(&question) {
            hits
        } else {
            let rows = self.search_rows(&term, &asked_of, cancel)?;
            let rows = answers::of_numbers(rows.iter().collect(), &numbers);
            let candidates = rows.into_iter().filter_map(answers::candidate).collect();
            let hits = answers::rank(candidates, &term);
            // A game that is missing today may be there tomorrow.
            if !hits.is_empty() {
                self.cache.put(&question, &hits);
            }
            hits
        };
        if number.is_none() {
            hits = answers::on_platform(hits, platform);
        }
        hits.truncate(limit);
        Ok(hits)
    }

    /// What an apply takes from a game.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn details(&self, id: u32) -> Result<Details, LookupError> {
        self.keys()?;
        let kept = self.cache.get(&[("route", "details"), ("id", &id.to_string())]);
        kept.map_or_else(|| self.ask_details(id), Ok)
    }

    /// As [`GameDb::details`], as the database knows the game now.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn ask_details(&self, id: u32) -> Result<Details, LookupError> {
        self.keys()?;
        let number = id.to_string();
        let question = [("route", "details"), ("id", number.as_str())];
        let is_over = impatient(PATIENCE);
        let query = format!("fields {DETAILS}; where id = {id}; limit 1;");
        let rows = self.ask("/games", &query, &is_over)?;
        let found = rows.first().and_then(answers::details);
        let mut details = found.ok_or(LookupError::NoGame(GAMEDB.name))?;
        let query = format!("fields normally; where game_id = {id}; limit 1;");
        match self.ask("/game_time_to_beats", &query, &is_over) {
            Ok(rows) => {
                details.hours = answers::hours(&rows);
                self.cache.put(&question, &details);
            }
            // The rest is good without it.
            Err(error) => log::info!("gamedb: no time to beat: {error}"),
        }
        Ok(details)
    }

    /// The pictures of a game; `None` when it is not there.
    pub(super) fn artwork(
        &self,
        id: u32,
        cancel: Cancel<'_>,
    ) -> Result<Option<Artwork>, LookupError> {
        self.keys()?;
        let number = id.to_string();
        let question = [("route", "pictures"), ("id", number.as_str())];
        if let Some(artwork) = self.cache.get(&question) {
            return Ok(Some(artwork));
        }
        let query = format!("fields {PICTURES}; where id = {id}; limit 1;");
        let rows = self.ask("/games", &query, cancel)?;
        let artwork = rows.first().map(answers::artwork);
        if let Some(artwork) = &artwork {
            self.cache.put(&question, artwork);
        }
        Ok(artwork)
    }

    /// The rows of a search, by the text search first and then by parts of names.
    fn search_rows(
        &self,
        term: &str,
        platforms: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Value>, LookupError> {
        let mut query =
            format!("search \"{term}\"; fields {SEARCHED}; where version_parent = null");
        if !platforms.is_empty() {
            // OK because writing to a text does not fail.
            let _ = write!(query, " & platforms = ({platforms})");
        }
        let _ = write!(query, "; limit {HITS};");
        let rows = self.ask("/games", &query, cancel)?;
        if !rows.is_empty() {
            return Ok(rows);
        }
        let of = if platforms.is_empty() {
            String::new()
        } else {
            format!("game.platforms = ({platforms}) & ")
        };
        let query = format!(
            "fields game.id,name; where {of}(name ~ *\"{term}\"* | alternative_name ~ *\"{term}\"*); \
             limit {HITS};"
        );
        let found = self.ask("/search", &query, cancel)?;
        let number = |row: &Value| row["game"]["id"].as_u64().or_else(|| row["game"].as_u64());
        let mut ids: Vec<u64> = found.iter().filter_map(number).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids = ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        self.ask("/games", &format!("fields {SEARCHED}; where id = ({ids}); limit {HITS};"), cancel)
    }

    fn keys(&self) -> Result<Keys, LookupError> {
        let (provider, variables) = (GAMEDB.name, VARIABLES);
        let keys = self.accounts.find(&GAMEDB_ACCOUNT).and_then(|mut found| {
            let (id, secret) = (Credential::GamedbClientId, Credential::GamedbClientSecret);
            Some(Keys { id: found.take(id)?, secret: found.take(secret)? })
        });
        keys.ok_or(LookupError::Unconfigured { provider, variables })
    }

    /// The rows of an answer.
    fn ask(&self, route: &str, query: &str, cancel: Cancel<'_>) -> Result<Vec<Value>, LookupError> {
        let mut is_renewed = false;
        loop {
            let keys = self.keys()?;
            let id = keys.id.clone();
            let token = self.token(keys, cancel)?;
            let headers = vec![
                ("Client-ID", id),
                ("Authorization", format!("Bearer {token}")),
                ("Accept", "application/json".to_owned()),
                ("Content-Type", "text/plain".to_owned()),
            ];
            let request = Request {
                provider: &GAMEDB,
                base_url: GAMEDB_API,
                path: route,
                headers,
                timeout: TIMEOUT,
            };
            let answer = self.providers.answer(&request, Some(query.as_bytes()), cancel);
            let answer = answer.map_err(|error| LookupError::of(GAMEDB.name, &error))?;
            match answer.status {
                200 => match serde_json::from_slice(&answer.bytes) {
                    Ok(Value::Array(rows)) => return Ok(rows),
                    _ => return Err(LookupError::of(GAMEDB.name, &ProviderError::Nonsense)),
                },
                401 => {
                    // Another request may have a new one by now.
                    self.kept.hold().token.take_if(|kept| kept.text == token);
                    if is_renewed {
                        return Err(rejected());
                    }
                    is_renewed = true;
                }
                _ => return Err(self.refusal(&answer, &token)),
            }
        }
    }

    /// A token that is good for a while.
    fn token(&self, keys: Keys, cancel: Cancel<'_>) -> Result<String, LookupError> {
        let fetching = match self.kept_token(&keys, cancel)? {
            Ok(text) => return Ok(text),
            Err(fetching) => fetching,
        };
        let encode = percent_encoded;
        let form = format!(
            "client_id={}&client_secret={}&grant_type=client_credentials",
            encode(&keys.id),
            encode(&keys.secret)
        );
        let headers = vec![
            ("Content-Type", "application/x-www-form-urlencoded".to_owned()),
            ("Accept", "application/json".to_owned()),
        ];
        let request = Request {
            provider: &GAMEDB,
            base_url: GAMEDB_TOKEN,
            path: "/token",
            headers,
            timeout: TIMEOUT,
        };
        let answer = self.providers.answer(&request, Some(form.as_bytes()), cancel);
        let answer = answer.map_err(|error| LookupError::of(GAMEDB.name, &error))?;
        if matches!(answer.status, 400 | 401 | 403) {
            return Err(rejected());
        }
        if answer.status != 200 {
            return Err(self.refusal(&answer, ""));
        }
        let nonsense = || LookupError::of(GAMEDB.name, &ProviderError::Nonsense);
        let answer: Value = serde_json::from_slice(&answer.bytes).map_err(|_| nonsense())?;
        let is_token = |text: &&str| {
            (1..=2_000).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_graphic())
        };
        let text = answer["access_token"].as_str().filter(is_token).ok_or_else(nonsense)?;
        let life = Duration::from_secs(answer["expires_in"].as_u64().unwrap_or(0).min(10_000_000));
        let until = Instant::now() + life.saturating_sub(MARGIN);
        self.kept.hold().token = Some(Token { keys, text: text.to_owned(), until });
        drop(fetching);
        Ok(text.to_owned())
    }

    /// The token that is kept, or else leave to fetch one: two requests do not fetch two, and the one that
    /// waits for the other can be cancelled.
    fn kept_token(
        &self,
        keys: &Keys,
        cancel: Cancel<'_>,
    ) -> Result<Result<String, Fetching<'_>>, LookupError> {
        let _away = Away::begin();
        let mut kept = self.kept.hold();
        loop {
            let good = kept.token.as_ref();
            let good = good.filter(|token| token.keys == *keys && Instant::now() < token.until);
            if let Some(token) = good {
                return Ok(Ok(token.text.clone()));
            }
            if !kept.is_fetched {
                kept.is_fetched = true;
                return Ok(Err(Fetching(self)));
            }
            if cancel() {
                return Err(LookupError::of(GAMEDB.name, &ProviderError::Stopped));
            }
            let waited = self.changed.wait_timeout(kept, WAIT);
            kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The message of an answer with an error.
    fn refusal(&self, answer: &Answered, token: &str) -> LookupError {
        let said: Value = serde_json::from_slice(&answer.bytes).unwrap_or_default();
        let said = if said.is_array() { &said[0] } else { &said };
        let mut secrets = vec![token.to_owned()];
        secrets.extend(self.keys().into_iter().flat_map(|keys| [keys.id, keys.secret]));
        let parts = ["title", "cause", "message"]
            .map(|key| redact::said(&plain(&said[key], usize::MAX), &secrets, 200));
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() {
            let (status, reason) = (answer.status, answer.reason);
            return LookupError::of(GAMEDB.name, &ProviderError::Status { status, reason });
        }
        let reason = parts.join(": ");
        log::warn!("gamedb: {} {}: {reason}", answer.status, answer.reason);
        LookupError::Refused(GAMEDB.name, reason)
    }
}

fn rejected() -> LookupError {
    LookupError::Rejected { provider: GAMEDB.name, variables: VARIABLES }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::atomic::AtomicUsize, sync::atomic::Ordering, thread};

    use super::*;
    use crate::{base::redact::Secrets, config::environment::Environment, files::Files};

    fn gamedb(folder: &Path) -> Gamedb {
        let environment = Environment::from_process([("HOME", "/home/me")]);
        let (files, secrets) = (Files::system(), Secrets::default());
        let accounts = Accounts::open(&environment, &files, folder.join("accounts.json"), secrets);
        let cache = Cache::new(files, folder.join("cache"));
        Gamedb::new(Arc::new(accounts), Arc::new(Providers::new(&environment)), cache)
    }

    fn keys() -> Keys {
        Keys { id: "id".to_owned(), secret: "secret".to_owned() }
    }

    #[test]
    fn whoever_waits_for_the_token_of_another_request_can_be_called_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let gamedb = gamedb(folder.path());
        let Ok(Err(fetching)) = gamedb.kept_token(&keys(), &|| false) else {
            panic!("there is no token yet")
        };
        let asked = AtomicUsize::new(0);
        let is_over = || asked.fetch_add(1, Ordering::SeqCst) > 1;
        let stopped = gamedb.kept_token(&keys(), &is_over);
        assert!(matches!(stopped, Err(LookupError::TookTooLong(_))));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| match gamedb.kept_token(&keys(), &|| false) {
                Ok(Ok(text)) => text,
                _ => String::new(),
            });
            let until = Instant::now() + Duration::from_mins(10);
            let token = Token { keys: keys(), text: "tkn".to_owned(), until };
            gamedb.kept.hold().token = Some(token);
            drop(fetching);
            assert_eq!(waiting.join().expect("no panic"), "tkn");
        });
        gamedb.kept.hold().token = None;
        assert!(
            matches!(gamedb.kept_token(&keys(), &|| true), Ok(Err(_))),
            "no thread fetches one"
        );
    }
}
