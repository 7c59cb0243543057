//! The user name and the password of the media service: in the environment, else in a file that only the
//! owner can read.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::error::MediaServiceError;
use crate::{
    base::redact::Secrets,
    config::{credentials::Credential, environment::Environment},
    files::{DiskError, Files},
};

/// Characters of the longest user name or password.
const CHARS: usize = 256;
/// Bytes of the largest file of credentials.
const BYTES: u64 = 16 << 10;

/// A user name with its password. It is shown nowhere.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    username: String,
    password: String,
}

impl Credentials {
    /// Those that a client posts.
    ///
    /// # Errors
    /// Missing, too long, or characters that no request can carry.
    pub fn posted(username: &str, password: &str) -> Result<Self, MediaServiceError> {
        let refuse = |sentence| Err(MediaServiceError::Malformed(sentence));
        if username.is_empty() {
            return refuse("username is required.");
        }
        if password.is_empty() {
            return refuse("password is required.");
        }
        let is_plain =
            |text: &str| text.chars().count() <= CHARS && !text.contains(char::is_control);
        if !is_plain(username) || username.contains(':') {
            return refuse("username is not valid.");
        }
        if !is_plain(password) {
            return refuse("password is not valid.");
        }
        Ok(Self { username: username.to_owned(), password: password.to_owned() })
    }

    /// The value of the header that carries them.
    pub fn header(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.username, self.password)))
    }
}

/// Where the credentials are kept.
pub struct CredentialStore {
    files: Files,
    path: PathBuf,
    environment: Option<Credentials>,
    secrets: Secrets,
    /// Whether there are any; read by the settings.
    is_configured: Arc<AtomicBool>,
}

impl CredentialStore {
    /// Those of this environment and of this file, which need not exist. `secrets` are kept complete.
    pub fn new(environment: &Environment, files: Files, path: PathBuf, secrets: Secrets) -> Self {
        let known = |credential| environment.credential(credential).map(str::to_owned);
        let named = known(Credential::MediasvcUsername).zip(known(Credential::MediasvcPassword));
        let environment = named.map(|(username, password)| Credentials { username, password });
        let store = Self { files, path, environment, secrets, is_configured: Arc::default() };
        let known = store.find();
        store.is_configured.store(known.is_some(), Ordering::SeqCst);
        store.secrets.add(known.map(|known| known.password));
        store
    }

    /// Whether there are any, now and later.
    pub fn is_configured(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_configured)
    }

    /// The credentials: of the environment, else those that were stored.
    pub fn find(&self) -> Option<Credentials> {
        self.environment.clone().or_else(|| {
            let found = self.files.stat(&self.path).ok()??;
            let bytes =
                (found.is_file() && found.len() <= BYTES).then(|| self.files.read(&self.path));
            let stored: Credentials = serde_json::from_slice(&bytes?.ok()?).ok()?;
            (!stored.username.is_empty() && !stored.password.is_empty()).then_some(stored)
        })
    }

    /// Stores credentials in place of the present ones.
    ///
    /// # Errors
    /// When the disk refuses; the present ones stay.
    pub fn store(&self, credentials: &Credentials) -> Result<(), DiskError> {
        self.secrets.add([credentials.password.clone()]);
        // OK because both are texts.
        let bytes = serde_json::to_vec(credentials).unwrap_or_default();
        self.files.replace(&self.path, &bytes)?;
        self.is_configured.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Whether they are those of the environment.
    pub fn is_fixed(&self) -> bool {
        self.environment.is_some()
    }

    /// Removes the stored credentials.
    ///
    /// # Errors
    /// When the disk refuses; they stay.
    pub fn remove(&self) -> Result<(), DiskError> {
        self.files.remove(&self.path)?;
        self.is_configured.store(self.find().is_some(), Ordering::SeqCst);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_what_a_request_can_carry() {
        let long = "ä".repeat(256);
        let longer = format!("{long}ä");
        for (username, password, expected) in [
            ("me", "a:b", ""),
            (long.as_str(), long.as_str(), ""),
            ("", "x", "username is required."),
            ("me", "", "password is required."),
            ("a:b", "x", "username is not valid."),
            ("a\nb", "x", "username is not valid."),
            (longer.as_str(), "x", "username is not valid."),
            ("me", "a\0b", "password is not valid."),
            ("me", longer.as_str(), "password is not valid."),
        ] {
            let refusal = Credentials::posted(username, password).err();
            assert_eq!(
                refusal.map(|it| it.to_string()).unwrap_or_default(),
                expected,
                "{username}"
            );
        }
        let posted = Credentials::posted("me", "a:b").expect("good");
        assert_eq!(posted.header(), "Basic bWU6YTpi");
    }

    #[test]
    fn the_environment_comes_before_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mediasvc.json");
        let store = |variables: &[(&str, &str)]| {
            let environment = Environment::from_process(variables.iter().copied());
            CredentialStore::new(&environment, Files::system(), path.clone(), Secrets::default())
        };
        let plain = store(&[]);
        let flag = plain.is_configured();
        assert!(plain.find().is_none() && !flag.load(Ordering::SeqCst));
        let posted = Credentials::posted("file", "x").expect("good");
        plain.store(&posted).expect("stored");
        assert!(flag.load(Ordering::SeqCst) && plain.find() == Some(posted.clone()));
        assert!(
            store(&[("MEDIASVC_USERNAME", "me")]).find() == Some(posted),
            "half of them is none"
        );
        let both = store(&[("MEDIASVC_USERNAME", "me"), ("MEDIASVC_PASSWORD", "y")]);
        assert!(both.find().is_some_and(|found| found.username == "me"));
        Files::system().replace(&path, b"[]").expect("written");
        assert!(store(&[]).find().is_none());
    }
}
