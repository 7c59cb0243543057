//! Requests to the scraper provider, with cached answers.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    error::{LookupError, NoMedia, malformed},
    hashes::{self, HashError, Hashes},
    plain::{impatient, number, plain},
    scraper_answers::{self as answers, Game, Hit, Shown},
    scraper_faults::{SENTENCE, Said, USER, fault_of, understand, understand_media},
    scraper_media,
};
use crate::{
    base::{redact, schema::schema, text},
    config::credentials::Credential,
    metadb::normal::normalise,
    net::location::percent_encoded,
    platforms::{self, Kind},
    providers::{
        ProviderError, Providers, Request, SCRAPER, SCRAPER_API,
        accounts::{Accounts, SCRAPER_ACCOUNT},
        cache::Cache,
        client::Answered,
        error::Cancel,
    },
};

/// From the connection to the last byte of one answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest time for everything that one request of a client asks.
const PATIENCE: Duration = Duration::from_mins(1);
/// Characters of the longest title that is searched.
const TERM: usize = 200;
/// What the program calls itself there.
const SOFTWARE: &str = "ServiceLauncher";

schema! {
    /// `GET /api/v2/scraper/status`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct ScraperStatus {
        /// Whether there is a login.
        pub configured: bool,
        /// Answers that are kept.
        pub cache_entries: usize,
        /// `scraper`.
        pub provider: &'static str,
        /// Its name.
        pub name: &'static str,
        /// The attribution to show with its data.
        pub credit: &'static str,
        /// Its own page.
        pub page: &'static str,
    }

    /// Whose login it is.
    #[derive(Debug, PartialEq, Eq)]
    pub struct ScraperUser {
        pub id: String,
        /// The level of the account.
        pub level: i64,
        /// Requests of today; none when unknown.
        pub requests_today: Option<i64>,
        /// Requests that the account has each day; none when unknown.
        pub requests_per_day: Option<i64>,
    }
}

/// What the provider is asked with.
struct Login {
    user: String,
    password: String,
    developer: Option<(String, String)>,
}

/// Which game is meant.
pub(super) enum Wanted<'a> {
    /// The one with this number.
    Id(&'a str),
    /// The one with this file. Which checksums are sent is the caller's choice.
    Rom(&'a Hashes, &'a [Sum]),
}

/// A checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    Crc,
    Md5,
    Sha1,
}

/// All of them.
pub(super) const SUMS: [Sum; 3] = [Sum::Crc, Sum::Md5, Sum::Sha1];

/// The scraper provider.
pub struct Scraper {
    pub(super) providers: Arc<Providers>,
    cache: Cache,
    accounts: Arc<Accounts>,
}

impl Scraper {
    /// The provider with the login of these accounts.
    pub fn new(accounts: Arc<Accounts>, providers: Arc<Providers>, cache: Cache) -> Self {
        Self { providers, cache, accounts }
    }

    /// How it stands.
    pub fn status(&self) -> ScraperStatus {
        ScraperStatus {
            configured: self.is_configured(),
            cache_entries: self.cache.count(),
            provider: SCRAPER.id,
            name: SCRAPER.name,
            credit: SCRAPER.credit,
            page: SCRAPER.page,
        }
    }

    /// Whether there is a login.
    pub fn is_configured(&self) -> bool {
        self.accounts.origin(&SCRAPER_ACCOUNT).is_some()
    }

    /// Refuses work that needs a login.
    ///
    /// # Errors
    /// [`LookupError::Unconfigured`].
    pub fn check_login(&self) -> Result<(), LookupError> {
        self.login().map(drop)
    }

    /// Asks whose login it is.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn test(&self) -> Result<ScraperUser, LookupError> {
        self.user(&impatient(PATIENCE))
    }

    /// Games with such a title, equal ones first; none for a title without letters. A blank platform is
    /// any.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn search(
        &self,
        title: &str,
        platform: &str,
        regions: &[String],
        limit: usize,
    ) -> Result<Vec<Hit>, LookupError> {
        self.search_while(title, platform, regions, limit, &impatient(PATIENCE))
    }

    pub(super) fn search_while(
        &self,
        title: &str,
        platform: &str,
        regions: &[String],
        limit: usize,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Hit>, LookupError> {
        self.login()?;
        let term = text::cut(title.trim(), TERM);
        if !term.chars().any(char::is_alphanumeric) {
            return Ok(Vec::new());
        }
        let system = system_of(platform);
        let folded = term.to_lowercase();
        let question = [("route", "search"), ("q", folded.as_str()), ("system", system.as_str())];
        let games: Vec<Game> = if let Some(games) = self.cache.get(&question) {
            games
        } else {
            let mut sent = vec![("recherche", term.to_owned())];
            if !system.is_empty() {
                sent.push(("systemeid", system.clone()));
            }
            let answer = self.ask("/jeuRecherche.php", &sent, cancel)?.unwrap_or_default();
            let named = |url: &str| self.named(url);
            let mut games = answers::games(&answer, &named);
            // A search shows no media, which are most of an answer.
            for game in &mut games {
                game.media.clear();
            }
            // A game that is missing today may be there tomorrow.
            if !games.is_empty() {
                self.cache.put(&question, &games);
            }
            games
        };
        let wanted = normalise(term);
        let is_equal = |game: &Game| game.names.iter().any(|name| normalise(&name.text) == wanted);
        let mut games = games;
        games.sort_by_key(|game| !is_equal(game));
        let codes = answers::region_codes(regions);
        let hits = games.iter().map(|game| {
            let mut hit = game.hit(&codes);
            // The name by which it was found, where another region has an equal one.
            let equal = game.names.iter().find(|name| normalise(&name.text) == wanted);
            if let Some(equal) = equal {
                hit.name.clone_from(&equal.text);
            }
            hit
        });
        Ok(hits.take(limit).collect())
    }

    /// The game with a number.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn info_by_id(
        &self,
        id: &str,
        platform: &str,
        regions: &[String],
    ) -> Result<Shown, LookupError> {
        self.login()?;
        let id = checked_id(id)?;
        let game = self.game(&Wanted::Id(&id), platform, &impatient(PATIENCE))?;
        Ok(show(&game, platform, regions))
    }

    /// The game with a file; of an archive, with the largest file in it.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn info_by_rom(
        &self,
        path: &str,
        platform: &str,
        regions: &[String],
    ) -> Result<Shown, LookupError> {
        self.login()?;
        let path = checked_path(path)?;
        let is_over = impatient(PATIENCE);
        let hashes = hashes::of_file(path, "", &is_over).map_err(LookupError::from)?;
        let game = self.game(&Wanted::Rom(&hashes, &SUMS), platform, &is_over)?;
        Ok(show(&game, platform, regions))
    }

    /// The game that is meant.
    pub(super) fn game(
        &self,
        wanted: &Wanted<'_>,
        platform: &str,
        cancel: Cancel<'_>,
    ) -> Result<Game, LookupError> {
        let mut sent = Vec::new();
        match wanted {
            Wanted::Id(id) => sent.push(("gameid", (*id).to_owned())),
            Wanted::Rom(hashes, sums) => {
                for sum in *sums {
                    sent.push(match sum {
                        Sum::Crc => ("crc", hashes.crc.clone()),
                        Sum::Md5 => ("md5", hashes.md5.clone()),
                        Sum::Sha1 => ("sha1", hashes.sha1.clone()),
                    });
                }
                let system = system_of(platform);
                if !system.is_empty() {
                    sent.push(("systemeid", system));
                }
                sent.push(("romtype", rom_type(platform).to_owned()));
                sent.push(("romtaille", hashes.size.to_string()));
                // A name alone is a match there, so it proves nothing when one checksum is asked for.
                if sums.len() > 1 {
                    sent.push(("romnom", hashes.name.clone()));
                }
            }
        }
        let mut question = vec![("route", "info")];
        question.extend(sent.iter().map(|(name, value)| (*name, value.as_str())));
        if let Some(game) = self.cache.get(&question) {
            return Ok(game);
        }
        let none = || LookupError::NoGame(SCRAPER.name);
        let answer = self.ask("/jeuInfos.php", &sent, cancel)?.ok_or_else(none)?;
        let named = |url: &str| self.named(url);
        let game = answers::game(&answer["response"]["jeu"], &named).ok_or_else(none)?;
        self.cache.put(&question, &game);
        Ok(game)
    }

    /// Whose login it is, and what is left of its quota.
    fn user(&self, cancel: Cancel<'_>) -> Result<ScraperUser, LookupError> {
        let answered = self.answer("/ssuserInfos.php", &[], cancel)?;
        let answer = match self.meaning(&answered) {
            Said::Data(answer) => answer,
            Said::Quota => return Err(LookupError::Quota(SCRAPER.name)),
            // No game was asked for.
            Said::Nothing => return Err(self.blotted(fault_of(&answered))),
            Said::Fault(error) => return Err(error),
        };
        let user = &answer["response"]["ssuser"];
        let id = plain(&user["id"], 100);
        if id.is_empty() {
            let (provider, variables) = (SCRAPER.name, USER);
            return Err(LookupError::Rejected { provider, variables });
        }
        Ok(ScraperUser {
            id,
            level: number(&user["niveau"]).unwrap_or(0),
            requests_today: number(&user["requeststoday"]),
            requests_per_day: number(&user["maxrequestsperday"]),
        })
    }

    /// One answer; `None` for what the provider does not have.
    fn ask(
        &self,
        route: &str,
        sent: &[(&str, String)],
        cancel: Cancel<'_>,
    ) -> Result<Option<Value>, LookupError> {
        match self.meaning(&self.answer(route, sent, cancel)?) {
            Said::Data(answer) => Ok(Some(answer)),
            Said::Nothing => Ok(None),
            Said::Fault(error) => Err(error),
            Said::Quota => Err(self.quota(cancel)),
        }
    }

    /// The meaning of a message that the quota is used up.
    fn quota(&self, cancel: Cancel<'_>) -> LookupError {
        // The provider says so now and then while there is quota left.
        let user = match self.user(cancel) {
            Ok(user) => user,
            Err(error) => return error,
        };
        let left = user.requests_per_day.zip(user.requests_today);
        if left.is_some_and(|(all, used)| used < all) {
            let reason = "it refused this one request; try again".to_owned();
            return LookupError::Failed(SCRAPER.name, reason);
        }
        LookupError::Quota(SCRAPER.name)
    }

    /// Interprets a reply that is not a media file. `is_other` says why it is not of that kind, where its text does
    /// not.
    pub(super) fn no_media(
        &self,
        answer: &Answered,
        is_other: &ProviderError,
        cancel: Cancel<'_>,
    ) -> NoMedia {
        match understand_media(answer, is_other) {
            Said::Nothing => NoMedia::Absent,
            Said::Quota => self.quota(cancel).into(),
            Said::Fault(error) => self.blotted(error).into(),
            Said::Data(_) => ProviderError::Nonsense.into(),
        }
    }

    /// The error without the login and without addresses.
    fn blotted(&self, error: LookupError) -> LookupError {
        let passed_on = |reason: &str| redact::said(reason, &self.secrets(), SENTENCE);
        match error {
            LookupError::Refused(provider, reason) => {
                LookupError::Refused(provider, passed_on(&reason))
            }
            LookupError::Banned(provider, reason) => {
                LookupError::Banned(provider, passed_on(&reason))
            }
            error => error,
        }
    }

    /// What the provider answers.
    fn answer(
        &self,
        route: &str,
        sent: &[(&str, String)],
        cancel: Cancel<'_>,
    ) -> Result<Answered, LookupError> {
        let login = self.login()?;
        // The provider takes brackets as they are.
        let encoded = |value: &str| percent_encoded(value).replace("%28", "(").replace("%29", ")");
        let pair = |(name, value): &(&str, String)| format!("&{name}={}", encoded(value));
        let more: String = sent.iter().map(pair).collect();
        let path = format!("{route}?output=json&{}{more}", login.parameters());
        let headers = vec![("Accept", "application/json".to_owned())];
        let (provider, base_url) = (&SCRAPER, SCRAPER_API);
        let request = Request { provider, base_url, path: &path, headers, timeout: TIMEOUT };
        let answer = self.providers.answer(&request, None, cancel);
        answer.map_err(|error| LookupError::of(SCRAPER.name, &error))
    }

    /// The meaning of an answer, which says what pace it allows.
    fn meaning(&self, answer: &Answered) -> Said {
        match understand(answer) {
            Said::Data(data) => {
                self.keep_pace(&data["response"]["ssuser"]);
                Said::Data(data)
            }
            Said::Fault(error) => Said::Fault(self.blotted(error)),
            said => said,
        }
    }

    /// Waits longer between requests where the account has fewer of them a minute than the usual pace.
    fn keep_pace(&self, user: &Value) {
        let each_minute = number(&user["maxrequestspermin"]).filter(|count| *count > 0);
        let pause = each_minute.and_then(|count| u32::try_from(count).ok());
        if let Some(pause) = pause.map(|count| Duration::from_mins(1) / count) {
            self.providers.hold_off(SCRAPER_API, pause);
        }
    }

    fn login(&self) -> Result<Login, LookupError> {
        let (provider, variables) = (SCRAPER.name, USER);
        let login = self.accounts.find(&SCRAPER_ACCOUNT).and_then(|mut found| {
            let (user, password) =
                (found.take(Credential::ScraperUser)?, found.take(Credential::ScraperPassword)?);
            let developer = found.take(Credential::ScraperDevId);
            let developer = developer.zip(found.take(Credential::ScraperDevPassword));
            Some(Login { user, password, developer })
        });
        login.ok_or(LookupError::Unconfigured { provider, variables })
    }

    /// An address that lies with the provider.
    fn named(&self, url: &str) -> Option<String> {
        self.providers.named(&SCRAPER, SCRAPER_API, url)
    }

    /// A reason without anything of the login.
    pub(super) fn redacted(&self, reason: &str) -> String {
        redact::without_secrets(reason, &self.secrets())
    }

    /// Everything of the login.
    fn secrets(&self) -> Vec<String> {
        self.login().map(|login| login.secrets()).unwrap_or_default()
    }

    /// An address of a media file with the login that it needs.
    pub(super) fn with_login(&self, url: &str) -> Result<String, LookupError> {
        let joint = if url.contains('?') { '&' } else { '?' };
        Ok(format!("{url}{joint}{}", self.login()?.parameters()))
    }
}

impl Login {
    /// What every request carries.
    fn parameters(&self) -> String {
        let mut all = vec![("softname", SOFTWARE)];
        if let Some((id, password)) = &self.developer {
            all.extend([("devid", id.as_str()), ("devpassword", password.as_str())]);
        }
        all.extend([("ssid", self.user.as_str()), ("sspassword", self.password.as_str())]);
        let pair = |(name, value): (&str, &str)| format!("{name}={}", percent_encoded(value));
        all.into_iter().map(pair).collect::<Vec<_>>().join("&")
    }

    fn secrets(&self) -> Vec<String> {
        let developer = self.developer.iter().flat_map(|(id, password)| [id, password]);
        let all = [&self.user, &self.password].into_iter().chain(developer);
        all.cloned().collect()
    }
}

impl From<HashError> for LookupError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Stopped => Self::TookTooLong(SCRAPER.name),
            error => Self::Malformed(error.to_string()),
        }
    }
}

/// A game as it is shown: our platform's name decides what its disc or cartridge is.
pub(super) fn show(game: &Game, platform: &str, regions: &[String]) -> Shown {
    let codes = answers::region_codes(regions);
    game.shown(&codes, scraper_media::shown(game, platform, &codes))
}

/// A number of the provider as text.
pub(super) fn checked_id(id: &str) -> Result<String, LookupError> {
    let id = id.trim();
    let is_number = (1..=12).contains(&id.len()) && id.bytes().all(|it| it.is_ascii_digit());
    if is_number { Ok(id.to_owned()) } else { malformed("scraper_id must be a number.") }
}

/// The path of a game's file.
pub(super) fn checked_path(path: &str) -> Result<&Path, LookupError> {
    let path = Path::new(path);
    if path.is_absolute() { Ok(path) } else { malformed("rom_path must be an absolute path.") }
}

/// The number of a platform at the provider; empty when it has none.
fn system_of(platform: &str) -> String {
    let number = platforms::by_any_name(platform).and_then(|platform| platform.scraper);
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn rom_type(platform: &str) -> &'static str {
    let kind = platforms::by_any_name(platform).map(|platform| platform.kind);
    if kind == Some(Kind::Disc) { "iso" } else { "rom" }
}
