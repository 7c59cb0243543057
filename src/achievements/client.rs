//! Requests to the provider, and the lists that are cached for a week.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    account::Account,
    answers::{self, Completion, Profile, Progress},
    error::AchError,
};
use crate::{
    base::clock,
    config::data_dir::DataDir,
    files::Files,
    net::location::percent_encoded,
    providers::{ACH, ACH_API, ACH_BADGES, ACH_MEDIA, ProviderError, Providers, Request},
};

/// From the connection to the last byte of one answer.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The longest time for everything that one request of a client asks.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest time for a badge.
const BADGE_PATIENCE: Duration = Duration::from_secs(10);
/// How long lists of games and consoles are good.
const LIFE: Duration = Duration::from_hours(7 * 24);
/// Bytes of the largest list that is kept.
const LIST_BYTES: u64 = 16 << 20;
/// Games of one page of a list of hashes.
const PAGE: usize = 1_000;
/// Pages of such a list.
const PAGES: usize = 30;
/// Games of one page of the progress of a user.
const COMPLETIONS: usize = 500;

/// Says whether work was cancelled.
pub(super) type Cancel<'a> = &'a (dyn Fn() -> bool + Sync);

/// The provider.
pub(super) struct Client {
    pub(super) providers: Arc<Providers>,
    pub(super) files: Files,
    pub(super) data_dir: DataDir,
}

impl Client {
    /// The user of an account.
    ///
    /// # Errors
    /// [`AchError::Rejected`] when the key is refused or there is no such user.
    pub(super) fn profile(
        &self,
        account: &Account,
        cancel: Cancel<'_>,
    ) -> Result<Profile, AchError> {
        let answer = self.ask(account, "GetUserProfile", &[("u", account.user())], cancel);
        match answer {
            Ok(answer) if answer.is_object() || answer.as_array().is_some_and(Vec::is_empty) => {
                answers::profile(&answer).ok_or(AchError::Rejected)
            }
            Ok(_) => Err(ProviderError::Nonsense.into()),
            Err(Asked::Missing) => Err(AchError::Rejected),
            Err(Asked::Failed(error)) => Err(error),
        }
    }

    /// What a user earned in a game of this number.
    ///
    /// # Errors
    /// [`AchError`].
    pub(super) fn progress(
        &self,
        account: &Account,
        game: u32,
        cancel: Cancel<'_>,
    ) -> Result<Progress, AchError> {
        let number = game.to_string();
        let params = [("g", number.as_str()), ("u", account.user()), ("a", "1")];
        match self.ask(account, "GetGameInfoAndUserProgress", &params, cancel) {
            Ok(answer) => answers::progress(&answer)?.ok_or(AchError::UnknownSet(game)),
            Err(Asked::Missing) => Err(AchError::UnknownSet(game)),
            Err(Asked::Failed(error)) => Err(error),
        }
    }

    /// A page of what a user earned in all games, and how many games those are.
    ///
    /// # Errors
    /// [`AchError`].
    pub(super) fn completions(
        &self,
        account: &Account,
        offset: usize,
        cancel: Cancel<'_>,
    ) -> Result<(Vec<Completion>, u64), AchError> {
        let (count, offset) = (COMPLETIONS.to_string(), offset.to_string());
        let params = [("u", account.user()), ("c", &count), ("o", &offset)];
        match self.ask(account, "GetUserCompletionProgress", &params, cancel) {
            Ok(answer) => Ok(answers::completions(&answer)?),
            Err(Asked::Missing) => Err(AchError::Rejected),
            Err(Asked::Failed(error)) => Err(error),
        }
    }

    /// The games of a console by hash, kept for a week.
    ///
    /// # Errors
    /// [`AchError`]; a list that is too old is better than none while the provider cannot be reached.
    pub(super) fn hashes(
        &self,
        account: &Account,
        console: u32,
        cancel: Cancel<'_>,
    ) -> Result<BTreeMap<String, u32>, AchError> {
        self.kept(&format!("system-{console}.json"), || self.all_hashes(account, console, cancel))
    }

    /// The consoles of the provider by name, kept for a week.
    ///
    /// # Errors
    /// As [`Client::hashes`].
    pub(super) fn systems(
        &self,
        account: &Account,
        cancel: Cancel<'_>,
    ) -> Result<BTreeMap<String, u32>, AchError> {
        self.kept("systems.json", || {
            let answer = self.ask(account, "GetConsoleIDs", &[("a", "1"), ("g", "1")], cancel);
            Ok(answers::systems(&answer.map_err(Asked::known)?)?)
        })
    }

    fn all_hashes(
        &self,
        account: &Account,
        console: u32,
        cancel: Cancel<'_>,
    ) -> Result<BTreeMap<String, u32>, AchError> {
        let (console, size) = (console.to_string(), PAGE.to_string());
        let mut all = BTreeMap::new();
        let mut last = Vec::new();
        for page in 0..PAGES {
            let offset = (page * PAGE).to_string();
            let params =
                [("i", console.as_str()), ("h", "1"), ("f", "1"), ("o", &offset), ("c", &size)];
            let answer = self.ask(account, "GetGameList", &params, cancel);
            let ids = answers::hashes(&answer.map_err(Asked::known)?, &mut all)?;
            // Some servers send everything whatever page is asked for.
            if ids.len() != PAGE || ids == last {
                break;
            }
            last = ids;
        }
        Ok(all)
    }

    /// A list that is good, else a new one.
    fn kept(
        &self,
        name: &str,
        ask: impl FnOnce() -> Result<BTreeMap<String, u32>, AchError>,
    ) -> Result<BTreeMap<String, u32>, AchError> {
        let folder = self.data_dir.game_achievements();
        let path = folder.join(name);
        let found = self.files.stat(&path).ok().flatten();
        let found = found.filter(|it| it.is_file() && it.len() <= LIST_BYTES);
        let is_good = found.as_ref().and_then(|it| it.modified().ok());
        let is_good = is_good.is_some_and(|at| clock::age_of(at) < LIFE);
        let old: Option<BTreeMap<String, u32>> = found
            .and_then(|_| self.files.read(&path).ok())
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let old = match old {
            Some(list) if is_good => return Ok(list),
            old => old,
        };
        match ask() {
            Ok(list) => {
                // An empty list is more likely a fault than a console without games.
                if !list.is_empty() {
                    let bytes = serde_json::to_vec(&list).unwrap_or_default();
                    self.files.private_dir(&folder)?;
                    self.files.replace(&path, &bytes)?;
                }
                Ok(list)
            }
            Err(AchError::Failed(reason)) => old.ok_or(AchError::Failed(reason)),
            Err(error) => Err(error),
        }
    }

    /// A badge as a PNG file; `None` when it does not come.
    pub(super) fn badge(&self, name: &str) -> Option<Vec<u8>> {
        let path = format!("/Badge/{name}.png");
        let begun = Instant::now();
        let is_over = || begun.elapsed() > BADGE_PATIENCE;
        match self.providers.picture(&ACH_BADGES, ACH_MEDIA, &path, &is_over) {
            Ok(picture) if picture.kind.ending() == "png" => Some(picture.bytes),
            Ok(_) => None,
            Err(error) => {
                log::info!("the badge {name} did not come: {error}");
                None
            }
        }
    }

    fn ask(
        &self,
        account: &Account,
        route: &str,
        params: &[(&str, &str)],
        cancel: Cancel<'_>,
    ) -> Result<Value, Asked> {
        let mut path = format!("/API_{route}.php?y={}", percent_encoded(&account.api_key));
        for (key, value) in params {
            // OK because a text takes everything.
            let _ = write!(path, "&{key}={}", percent_encoded(value));
        }
        let headers = vec![("Accept", "application/json".to_owned())];
        let request =
            Request { provider: &ACH, base_url: ACH_API, path: &path, headers, timeout: TIMEOUT };
        let answer = self.providers.answer(&request, None, cancel);
        let answer = answer.map_err(|error| Asked::Failed(error.into()))?;
        let (status, reason) = (answer.status, answer.reason);
        if status == 200 {
            let nonsense = |_| Asked::Failed(ProviderError::Nonsense.into());
            return serde_json::from_slice(&answer.bytes).map_err(nonsense);
        }
        let error = ProviderError::Status { status, reason };
        self.providers.note(&ACH, &error);
        Err(match (status, answer.message(std::slice::from_ref(&account.api_key))) {
            (404, _) => Asked::Missing,
            (401 | 403, _) | (_, None) => Asked::Failed(error.into()),
            (_, Some(message)) => {
                Asked::Failed(AchError::Failed(message.trim_end_matches('.').to_owned()))
            }
        })
    }
}

/// Why a request has no answer.
enum Asked {
    /// The provider does not have what was asked for.
    Missing,
    Failed(AchError),
}

impl Asked {
    /// The failure of a request for something that is always there.
    fn known(self) -> AchError {
        match self {
            Self::Missing => AchError::Failed("the server answered 404 Not Found".to_owned()),
            Self::Failed(error) => error,
        }
    }
}

/// Says from now on whether one request of a client has taken long enough.
pub(super) fn impatient() -> impl Fn() -> bool + Sync {
    let begun = Instant::now();
    move || begun.elapsed() > PATIENCE
}
