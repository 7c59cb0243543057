//! The account at the provider: a user name and a web key, from `achievements.json` or the environment.

use std::fs;

use serde::{Deserialize, Serialize};

use super::error::AchError;
use crate::{
    config::{credentials::Credential, data_dir::DataDir, environment::Environment},
    files::Files,
};

/// Bytes of the file at most.
const FILE_BYTES: u64 = 64 << 10;
/// Characters of a user name.
const NAME: usize = 100;
/// Characters of a key.
const KEY: usize = 200;

/// What the file holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    username: String,
    /// As the provider answered it for this user.
    #[serde(skip_serializing_if = "String::is_empty")]
    ulid: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    api_key: String,
}

/// A user name and a key. It has no text form, so that it gets into no log.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The name of the user.
    pub username: String,
    /// The id of the user, which stays when the name changes; blank while it is unknown.
    pub(super) ulid: String,
    /// The web key; never shown.
    pub api_key: String,
}

impl Account {
    /// The known account; the file takes precedence over the environment. `None` while a part of
    /// it is missing.
    pub fn known(environment: &Environment, data_dir: &DataDir) -> Option<Self> {
        let stored = stored(data_dir);
        let either = |text: &str, credential| match text.trim() {
            "" => environment.credential(credential).map(str::to_owned),
            text => Some(text.to_owned()),
        };
        // That of the file is of the name in the file.
        let ulid = Some(stored.ulid.trim()).filter(|ulid| is_ulid(ulid));
        let ulid = ulid.filter(|_| !stored.username.trim().is_empty()).unwrap_or_default();
        Some(Self {
            username: either(&stored.username, Credential::AchUsername)?,
            ulid: ulid.to_owned(),
            api_key: either(&stored.api_key, Credential::AchApiKey)?,
        })
    }

    /// The account of a request; a blank key is the one that is known.
    ///
    /// # Errors
    /// What is missing or cannot be sent.
    pub(super) fn posted(
        username: &str,
        api_key: &str,
        environment: &Environment,
        data_dir: &DataDir,
    ) -> Result<Self, AchError> {
        let (username, api_key) = (username.trim(), api_key.trim());
        let is_plain = |text: &str, most| {
            text.chars().count() <= most
                && !text.contains(|letter: char| letter.is_control() || letter == '"')
        };
        if username.is_empty() {
            return Err(AchError::Malformed("username is required."));
        }
        if !is_plain(username, NAME) {
            return Err(AchError::Malformed(
                "username must be one line of at most 100 characters.",
            ));
        }
        if !is_plain(api_key, KEY) {
            return Err(AchError::Malformed("api_key must be one line of at most 200 characters."));
        }
        let api_key = match api_key {
            "" => {
                let stored = stored(data_dir).api_key;
                let known = Some(stored).filter(|key| !key.trim().is_empty());
                known
                    .or_else(|| environment.credential(Credential::AchApiKey).map(str::to_owned))
                    .ok_or(AchError::Malformed("api_key is required."))?
            }
            key => key.to_owned(),
        };
        Ok(Self { username: username.to_owned(), ulid: String::new(), api_key })
    }

    /// The user as requests name them.
    pub(super) fn user(&self) -> &str {
        if self.ulid.is_empty() { &self.username } else { &self.ulid }
    }

    /// Writes the account for the owner alone. A key that only the environment has stays there.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn save(
        &self,
        files: &Files,
        environment: &Environment,
        data_dir: &DataDir,
    ) -> Result<(), AchError> {
        let is_of_environment = environment.credential(Credential::AchApiKey)
            == Some(self.api_key.as_str())
            && stored(data_dir).api_key.is_empty();
        let api_key = if is_of_environment { String::new() } else { self.api_key.clone() };
        let (username, ulid) = (self.username.clone(), self.ulid.clone());
        let stored = Stored { username, ulid, api_key };
        // OK because three texts can always be written.
        let bytes = serde_json::to_vec(&stored).unwrap_or_default();
        Ok(files.replace(&data_dir.achievements(), &bytes)?)
    }
}

/// Whether a text is the kind of number that the provider gives a user.
pub(super) fn is_ulid(text: &str) -> bool {
    text.len() == 26 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn stored(data_dir: &DataDir) -> Stored {
    let path = data_dir.achievements();
    let is_file = fs::metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= FILE_BYTES);
    let text = is_file.then(|| fs::read(&path).ok()).flatten();
    text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}
