//! The accounts of the user at providers: in the environment, else entered in the page and kept in a file
//! that only the owner can read.
//!
//! An account counts as a whole: one that the environment has only a part of is taken from the file. No
//! value is shown, and each one is removed from the log.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::table::{ARTGRID, GAMEDB, Provider, SCRAPER};
use crate::{
    base::{Hold as _, Moment, redact::Secrets, schema::schema},
    config::{
        credentials::Credential::{
            self, ArtgridApiKey, GamedbClientId, GamedbClientSecret, ScraperDevId,
            ScraperDevPassword, ScraperPassword, ScraperUser,
        },
        environment::Environment,
    },
    files::{DiskError, Files},
};

/// Characters of the longest value.
const CHARS: usize = 256;
/// Bytes of the largest file.
const BYTES: u64 = 64 << 10;

schema! {
    "AccountField"
    /// A part of an account.
    #[derive(Debug)]
    pub struct Field {
        /// Its name in requests.
        pub key: &'static str,
        /// Whether it is hidden while it is entered.
        pub secret: bool,
        /// Whether the account needs it.
        pub required: bool,
    }
}

/// What an account at a provider consists of.
#[derive(Debug)]
pub struct Account {
    /// Whose it is.
    pub provider: &'static Provider,
    /// Its parts.
    pub fields: &'static [Field],
    /// The variables that may hold the parts, in their order.
    variables: &'static [Credential],
}

const fn field(key: &'static str, secret: bool, required: bool) -> Field {
    Field { key, secret, required }
}

/// The account of the scraper provider; the developer's part is optional.
pub static SCRAPER_ACCOUNT: Account = Account {
    provider: &SCRAPER,
    fields: &[
        field("user", false, true),
        field("password", true, true),
        field("dev_id", false, false),
        field("dev_password", true, false),
    ],
    variables: &[ScraperUser, ScraperPassword, ScraperDevId, ScraperDevPassword],
};
/// The account of the game database.
pub static GAMEDB_ACCOUNT: Account = Account {
    provider: &GAMEDB,
    fields: &[field("client_id", false, true), field("client_secret", true, true)],
    variables: &[GamedbClientId, GamedbClientSecret],
};
/// The account of the artwork provider.
pub static ARTGRID_ACCOUNT: Account = Account {
    provider: &ARTGRID,
    fields: &[field("api_key", true, true)],
    variables: &[ArtgridApiKey],
};

/// The account at a provider; `None` where there is none.
pub fn of_provider(id: &str) -> Option<&'static Account> {
    let all = [&SCRAPER_ACCOUNT, &GAMEDB_ACCOUNT, &ARTGRID_ACCOUNT];
    all.into_iter().find(|account| account.provider.id == id)
}

/// Values by the name of their variable. They have no text form, so that they get into no log.
#[derive(Clone, Default)]
pub struct Values(BTreeMap<String, String>);

impl Values {
    /// A value; `None` without one.
    pub fn take(&mut self, credential: Credential) -> Option<String> {
        self.0.remove(credential.name())
    }
}

/// Why an account cannot be meant.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountFault {
    #[error("{0} is required.")]
    Missing(&'static str),
    #[error("{0} must be one line of at most 256 characters.")]
    Malformed(&'static str),
    /// It goes into a header, which cannot hold such characters.
    #[error("{0} has characters that no key has.")]
    Foreign(&'static str),
}

impl Account {
    /// The parts of a request. Blank ones count as missing, spaces around them as mistakes.
    ///
    /// # Errors
    /// [`AccountFault`].
    pub fn read(&self, text: impl Fn(&str) -> String) -> Result<Values, AccountFault> {
        let mut values = BTreeMap::new();
        for (Field { key, required, .. }, credential) in self.fields.iter().zip(self.variables) {
            let value = text(key).trim().to_owned();
            if value.chars().count() > CHARS || value.contains(char::is_control) {
                return Err(AccountFault::Malformed(key));
            }
            if is_header(*credential) && !value.is_ascii() {
                return Err(AccountFault::Foreign(key));
            }
            if !value.is_empty() {
                values.insert(credential.name().to_owned(), value);
            } else if *required {
                return Err(AccountFault::Missing(key));
            }
        }
        Ok(Values(values))
    }

    fn is_whole(&self, has: impl Fn(Credential) -> bool) -> bool {
        let mut parts = self.fields.iter().zip(self.variables);
        parts.all(|(field, credential)| !field.required || has(*credential))
    }
}

/// Whether a value goes into a header as it is.
fn is_header(credential: Credential) -> bool {
    matches!(credential, ArtgridApiKey | GamedbClientId)
}

/// Where an account is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the environment or in a `.env` file.
    Environment,
    /// In the file.
    Stored,
}

/// Every account.
pub struct Accounts {
    environment: Environment,
    files: Files,
    path: PathBuf,
    stored: Mutex<Stored>,
    secrets: Secrets,
}

/// What the file holds.
#[derive(Clone, Default)]
struct Stored {
    values: Values,
    /// Whether there is a file that could not be read: it is kept under another name before it is replaced.
    is_unreadable: bool,
}

impl Stored {
    fn read(files: &Files, path: &Path) -> Self {
        match read(files, path) {
            Ok(values) => Self { values, is_unreadable: false },
            Err(reason) => {
                log::warn!(
                    "{} cannot be read, so its accounts are not used: {reason}",
                    path.display()
                );
                Self { is_unreadable: true, ..Self::default() }
            }
        }
    }
}

/// The values in a file; none without one.
fn read(files: &Files, path: &Path) -> Result<Values, String> {
    let Some(found) = files.stat(path).map_err(|error| error.reason())? else {
        return Ok(Values::default());
    };
    if !found.is_file() {
        return Err("it is not a file".to_owned());
    }
    if found.len() > BYTES {
        return Err("it is too large".to_owned());
    }
    let bytes = files.read(path).map_err(|error| error.reason())?;
    // The reason of the parser would show a part of the file.
    serde_json::from_slice(&bytes).map(Values).map_err(|_| "it holds something else".to_owned())
}

impl Accounts {
    /// Those of this environment and of this file, which need not exist. `secrets` are kept complete.
    pub fn open(environment: &Environment, files: &Files, path: PathBuf, secrets: Secrets) -> Self {
        let stored = Stored::read(files, &path);
        keep_out_of_logs(&secrets, &stored.values);
        let (environment, files) = (environment.clone(), files.clone());
        Self { environment, files, path, stored: Mutex::new(stored), secrets }
    }

    /// The same with other values in place of the stored ones, to try them.
    pub fn with(&self, values: &Values) -> Arc<Self> {
        keep_out_of_logs(&self.secrets, values);
        Arc::new(Self {
            environment: self.environment.clone(),
            files: self.files.clone(),
            path: self.path.clone(),
            stored: Mutex::new(Stored { values: values.clone(), is_unreadable: false }),
            secrets: self.secrets.clone(),
        })
    }

    /// What must not leave the program: all credentials of the environment, of the file, and others that were
    /// added.
    pub fn secrets(&self) -> Vec<String> {
        self.secrets.all()
    }

    /// What the log leaves out; a service with credentials of its own adds them.
    pub fn kept_out_of_logs(&self) -> &Secrets {
        &self.secrets
    }

    /// Where an account is; `None` while there is none.
    pub fn origin(&self, account: &Account) -> Option<Origin> {
        if account.is_whole(|known| self.environment.credential(known).is_some()) {
            return Some(Origin::Environment);
        }
        let stored = self.stored.hold();
        account
            .is_whole(|known| stored.values.0.contains_key(known.name()))
            .then_some(Origin::Stored)
    }

    /// The values of an account; `None` while there is none.
    pub fn find(&self, account: &Account) -> Option<Values> {
        let origin = self.origin(account)?;
        let stored = self.stored.hold();
        let value = |known: &Credential| {
            let kept = stored.values.0.get(known.name()).filter(|_| origin == Origin::Stored);
            let value = kept.cloned().or_else(|| {
                // A part that is not required may come from elsewhere.
                self.environment.credential(*known).map(str::to_owned)
            });
            Some((known.name().to_owned(), value?))
        };
        Some(Values(account.variables.iter().filter_map(value).collect()))
    }

    /// Keeps an account in place of the stored one.
    ///
    /// # Errors
    /// When the disk refuses; the stored one stays.
    pub fn store(&self, account: &Account, values: Values) -> Result<(), DiskError> {
        keep_out_of_logs(&self.secrets, &values);
        self.change(account, values)
    }

    /// Removes the stored account. One of the environment stays.
    ///
    /// # Errors
    /// When the disk refuses; the account stays.
    pub fn remove(&self, account: &Account) -> Result<(), DiskError> {
        self.change(account, Values::default())
    }

    fn change(&self, account: &Account, values: Values) -> Result<(), DiskError> {
        let mut stored = self.stored.hold();
        if stored.is_unreadable {
            self.files.rename(&self.path, &self.aside())?;
            stored.is_unreadable = false;
        }
        let mut next = stored.values.clone();
        for variable in account.variables {
            next.0.remove(variable.name());
        }
        next.0.extend(values.0);
        if next.0.is_empty() {
            self.files.remove(&self.path)?;
        } else {
            // OK because all of them are texts.
            let bytes = serde_json::to_vec(&next.0).unwrap_or_default();
            self.files.replace(&self.path, &bytes)?;
        }
        stored.values = next;
        Ok(())
    }

    /// The place of a file that cannot be read.
    fn aside(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let time = Moment::now().utc_compact();
        self.path.with_file_name(format!("{name}.unreadable-{time}"))
    }
}

fn keep_out_of_logs(secrets: &Secrets, values: &Values) {
    secrets.add(values.0.values().cloned());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(path: &Path, variables: &[(&str, &str)]) -> Accounts {
        let environment = Environment::from_process(variables.iter().copied());
        Accounts::open(&environment, &Files::system(), path.to_owned(), Secrets::default())
    }

    fn posted(account: &Account, values: &[(&str, &str)]) -> Result<Values, AccountFault> {
        account.read(|key| {
            let found = values.iter().find(|(known, _)| *known == key);
            found.map(|(_, value)| (*value).to_owned()).unwrap_or_default()
        })
    }

    #[test]
    fn what_is_entered_is_checked() {
        let (longest, longer) = ("ä".repeat(CHARS), "ä".repeat(CHARS + 1));
        for (user, password, expected) in [
            (" me ", "x", None),
            (longest.as_str(), longest.as_str(), None),
            (" ", "x", Some("user is required.")),
            ("me", "", Some("password is required.")),
            ("m\ne", "x", Some("user must be one line of at most 256 characters.")),
            ("me", &longer, Some("password must be one line of at most 256 characters.")),
        ] {
            let read = posted(&SCRAPER_ACCOUNT, &[("user", user), ("password", password)]);
            assert_eq!(read.err().map(|it| it.to_string()).as_deref(), expected);
        }
    }

    #[test]
    fn what_goes_into_a_header_is_ascii() {
        for (account, values, expected) in [
            (
                &ARTGRID_ACCOUNT,
                &[("api_key", "abcé")][..],
                Some("api_key has characters that no key has."),
            ),
            (&ARTGRID_ACCOUNT, &[("api_key", "abc")], None),
            (
                &GAMEDB_ACCOUNT,
                &[("client_id", "ключ"), ("client_secret", "x")],
                Some("client_id has characters that no key has."),
            ),
            (&GAMEDB_ACCOUNT, &[("client_id", "x"), ("client_secret", "é")], None),
        ] {
            let read = posted(account, values);
            assert_eq!(read.err().map(|it| it.to_string()).as_deref(), expected);
        }
    }

    #[test]
    fn the_environment_comes_before_the_file_and_halves_are_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("accounts.json");
        let plain = accounts(&path, &[]);
        assert!(plain.find(&GAMEDB_ACCOUNT).is_none());
        let values = posted(&GAMEDB_ACCOUNT, &[("client_id", "file"), ("client_secret", "s")]);
        plain.store(&GAMEDB_ACCOUNT, values.expect("good")).expect("stored");
        let id = |accounts: &Accounts| accounts.find(&GAMEDB_ACCOUNT)?.take(GamedbClientId);
        assert_eq!(id(&plain).as_deref(), Some("file"));
        let half = accounts(&path, &[("GAMEDB_CLIENT_ID", "env")]);
        assert_eq!(
            (id(&half).as_deref(), half.origin(&GAMEDB_ACCOUNT)),
            (Some("file"), Some(Origin::Stored))
        );
        let whole = accounts(&path, &[("GAMEDB_CLIENT_ID", "env"), ("GAMEDB_CLIENT_SECRET", "t")]);
        assert_eq!(id(&whole).as_deref(), Some("env"));
        assert_eq!(whole.origin(&GAMEDB_ACCOUNT), Some(Origin::Environment));
        half.remove(&GAMEDB_ACCOUNT).expect("removed");
        assert!(id(&half).is_none() && !path.exists());
    }

    #[test]
    fn another_account_and_a_part_that_is_not_required_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("accounts.json");
        let dev = [("SCRAPER_DEV_ID", "d"), ("SCRAPER_DEV_PASSWORD", "e")];
        let all = accounts(&path, &dev);
        let key = posted(&ARTGRID_ACCOUNT, &[("api_key", "k")]).expect("good");
        all.store(&ARTGRID_ACCOUNT, key).expect("stored");
        let login = posted(&SCRAPER_ACCOUNT, &[("user", "me"), ("password", "x")]).expect("good");
        assert!(all.with(&login).find(&SCRAPER_ACCOUNT).is_some());
        all.store(&SCRAPER_ACCOUNT, login).expect("stored");
        let mut found = all.find(&SCRAPER_ACCOUNT).expect("there");
        assert_eq!(found.take(ScraperDevId).as_deref(), Some("d"));
        all.remove(&SCRAPER_ACCOUNT).expect("removed");
        assert!(all.find(&SCRAPER_ACCOUNT).is_none() && all.find(&ARTGRID_ACCOUNT).is_some());
        Files::system().replace(&path, b"[]").expect("written");
        assert!(accounts(&path, &[]).find(&ARTGRID_ACCOUNT).is_none());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_kept_beside_the_new_one() {
        let large = vec![b' '; 70_000];
        for damage in [&b"{\"SCRAPER_USER\":\"me\","[..], b"", b"[]", &large] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("accounts.json");
            Files::system().replace(&path, damage).expect("written");
            let all = accounts(&path, &[]);
            assert!(all.find(&ARTGRID_ACCOUNT).is_none());
            assert_eq!(Files::system().read(&path).expect("there"), damage, "before a change");
            for key in ["k", "l"] {
                let key = posted(&ARTGRID_ACCOUNT, &[("api_key", key)]).expect("good");
                all.store(&ARTGRID_ACCOUNT, key).expect("stored");
            }
            let mut names = Files::system().list(folder.path()).expect("a folder");
            names.sort_unstable();
            assert_eq!((names.len(), names[0].as_str()), (2, "accounts.json"), "{names:?}");
            assert!(names[1].starts_with("accounts.json.unreadable-"), "{names:?}");
            let kept = Files::system().read(&folder.path().join(&names[1])).expect("there");
            assert_eq!(kept, damage);
            let mut found = accounts(&path, &[]).find(&ARTGRID_ACCOUNT).expect("there");
            assert_eq!(found.take(ArtgridApiKey).as_deref(), Some("l"));
        }
    }
}
