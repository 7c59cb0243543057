//! The settings of the library server, checked for use.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{
    config::{
        environment::Environment,
        settings::{address, read},
    },
    net::location::{Location, LocationError},
};

use super::error::LibserverError;

/// The way of downloading when neither settings nor server name one.
const DEFAULT_PROVIDER: &str =
    "org.gameyfin.plugins.download.direct.DirectDownloadPlugin$DirectDownloadProvider";
/// The folder for its games below the home when none is set.
const DEFAULT_FOLDER: &str = "Games/libserver";

/// How to reach the server, and where its games go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Its address.
    pub location: Location,
    /// The user name; blank without one.
    pub username: String,
    /// The password.
    pub password: String,
    /// The way of downloading.
    pub provider: String,
    /// The folder for its games.
    pub root: PathBuf,
    /// The port of this service, where no other server is.
    pub own_port: u16,
}

impl Config {
    /// Reads the stored settings, with those of `posted` before them. A blank password keeps the
    /// stored one, which is only for the server that it was entered for.
    ///
    /// # Errors
    /// [`LibserverError::NoServer`], [`LibserverError::Address`], [`LibserverError::PlainHttp`],
    /// [`LibserverError::OtherServer`].
    pub fn read(
        stored: &Map<String, Value>,
        posted: &Map<String, Value>,
        environment: &Environment,
    ) -> Result<Self, LibserverError> {
        let field = |key: &str| match posted.get(key).and_then(Value::as_str) {
            Some(text) => text.trim().to_owned(),
            None => read::text(stored, key),
        };
        let url = field("libserver_url");
        if url.is_empty() {
            return Err(LibserverError::NoServer);
        }
        let location = locate(&url)?;
        if !location.is_secure() && !location.is_loopback() && !environment.allows_http_libserver()
        {
            return Err(LibserverError::PlainHttp);
        }
        let username = field("libserver_username");
        let password = match posted.get("libserver_password").and_then(Value::as_str) {
            Some(posted) if !posted.is_empty() => posted.to_owned(),
            _ => {
                let password = read::text(stored, "libserver_password");
                let entered_for = locate(&address::of_password(stored));
                let same = entered_for.is_ok_and(|server| server.is_same_server(&location));
                if !(same || password.is_empty() || username.is_empty()) {
                    return Err(LibserverError::OtherServer);
                }
                password
            }
        };
        let provider = field("libserver_provider");
        Ok(Self {
            location,
            username,
            password,
            provider: if provider.is_empty() { DEFAULT_PROVIDER.to_owned() } else { provider },
            root: root(&field("libserver_install_dir"), environment),
            own_port: environment.own_port(),
        })
    }
}

fn locate(url: &str) -> Result<Location, LocationError> {
    let scheme = if url.contains("://") { "" } else { "https://" };
    Location::parse(&format!("{scheme}{url}"))
}

/// The folder for games of the library server.
pub fn root_of(stored: &Map<String, Value>, environment: &Environment) -> PathBuf {
    root(&read::text(stored, "libserver_install_dir"), environment)
}

fn root(named: &str, environment: &Environment) -> PathBuf {
    if named.is_empty() {
        environment.home().unwrap_or(Path::new("/")).join(DEFAULT_FOLDER)
    } else {
        environment.expand_home(named)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(stored: Value, posted: Value, http: &str, expected: Result<(&str, &str), &str>) {
        let environment = Environment::from_process([
            ("HOME", "/home/me"),
            ("SERVICE_ALLOW_HTTP_LIBSERVER", http),
        ]);
        let map = |value: Value| value.as_object().expect("an object").clone();
        let config = Config::read(&map(stored), &map(posted), &environment);
        let shown = config.as_ref().map(|config| (config.location.text(), &*config.password));
        assert_eq!(shown.map_err(ToString::to_string), expected.map_err(str::to_owned));
    }

    #[test]
    fn a_stored_password_is_for_the_server_it_was_entered_for() {
        let refused = "The stored password was entered for another library server. Enter it again.";
        let stored = |bound: &str| {
            json!({"libserver_url": "https://games.example/a", "libserver_username": "me",
                "libserver_password": "old", "libserver_password_url": bound})
        };
        let own = Ok(("https://games.example/a", "old"));
        check(stored(""), json!({}), "", own);
        check(stored("https://GAMES.example:443/b"), json!({}), "", own);
        for bound in ["https://games.example:444", "http://games.example", "https://other.example"]
        {
            check(stored(bound), json!({}), "", Err(refused));
        }
        let other = json!({"libserver_url": "https://other.example"});
        check(stored(""), other.clone(), "", Err(refused));
        check(stored("https://games.example"), other, "", Err(refused));
        let anonymous = json!({"libserver_url": "https://other.example", "libserver_username": ""});
        check(stored(""), anonymous, "", Ok(("https://other.example", "old")));
    }

    #[test]
    fn posted_settings_come_first_and_a_blank_password_is_none() {
        let stored = json!({"libserver_url": "games.example", "libserver_password": "old"});
        let none = json!({});
        check(stored.clone(), none.clone(), "", Ok(("https://games.example", "old")));
        check(
            stored.clone(),
            json!({"libserver_password": ""}),
            "",
            Ok(("https://games.example", "old")),
        );
        let other = json!({"libserver_url": "http://127.0.0.1:8080", "libserver_password": "new"});
        check(stored, other, "", Ok(("http://127.0.0.1:8080", "new")));
        check(none.clone(), none.clone(), "", Err("Library server URL is not configured."));
        let plain = json!({"libserver_url": "http://games.example"});
        check(plain.clone(), none.clone(), "1", Ok(("http://games.example", "")));
        check(
            plain,
            none.clone(),
            "",
            Err("Library server URL must use https, or set SERVICE_ALLOW_HTTP_LIBSERVER=1."),
        );
        let bad = json!({"libserver_url": "ftp://x"});
        check(none, bad, "", Err("Library server URL is not valid."));
    }
}
