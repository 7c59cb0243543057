//! The protocol of the library server (Gameyfin): login, the list of games, downloads.

use std::{net::SocketAddr, sync::Mutex, time::Duration};

use serde_json::Value;

use crate::{
    base::{Hold as _, schema::schema},
    model::Record,
    net::{
        address::is_host,
        exchange::{self, Exchange, Received},
        location::{Location, percent_encoded},
    },
};

use super::{config::Config, error::LibserverError};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long a download may take.
const DOWNLOAD_TIME: Duration = Duration::from_hours(12);
/// Bytes of a list.
const LIST_BYTES: usize = 16 * 1024 * 1024;
/// Redirects followed for one request.
const REDIRECTS: usize = 5;

schema! {
    /// One way of downloading that the server offers.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Provider {
        /// Its key.
        pub key: String,
        /// Its name.
        pub name: String,
        /// Lower comes first.
        pub priority: i64,
    }
}

/// A connection to the server; logged in when a user name is set.
pub struct Server<'a> {
    config: &'a Config,
    addresses: Vec<SocketAddr>,
    cookies: Mutex<Vec<(String, String)>>,
}

impl<'a> Server<'a> {
    /// Resolves the address of the server and logs in.
    ///
    /// # Errors
    /// [`LibserverError`] when it is not there or refuses.
    pub fn open(config: &'a Config) -> Result<Self, LibserverError> {
        let addresses = config
            .location
            .resolve()
            .map_err(|_| LibserverError::Unreachable("The host has no address.".to_owned()))?;
        if !addresses.iter().all(|address| may_reach(*address, config.own_port)) {
            return Err(LibserverError::Reach);
        }
        let server = Self { config, addresses, cookies: Mutex::default() };
        server.log_in()?;
        Ok(server)
    }

    /// How many games the server offers and its ways of downloading. Fails when it cannot list its
    /// games: the ways of downloading have a default, so they do not show that it works.
    ///
    /// # Errors
    /// [`LibserverError`].
    pub fn probe(config: &'a Config) -> Result<(usize, Vec<Provider>), LibserverError> {
        let server = Self::open(config)?;
        Ok((server.games()?.len(), server.providers()))
    }

    /// Every game the server offers, as it describes them.
    ///
    /// # Errors
    /// [`LibserverError`].
    pub fn games(&self) -> Result<Vec<Record>, LibserverError> {
        let answer = self.call("games", "/connect/GameEndpoint/getAll")?;
        let list = answer.as_array().ok_or(LibserverError::Nonsense("games"))?;
        Ok(list.iter().filter_map(|game| Some(game.as_object()?.clone().into())).collect())
    }

    /// The ways of downloading; a default when the server names none.
    pub fn providers(&self) -> Vec<Provider> {
        let answer = self.call("providers", "/connect/DownloadProviderEndpoint/getProviders");
        let mut known: Vec<Provider> = match &answer {
            Ok(Value::Array(list)) => list.iter().filter_map(provider).collect(),
            Ok(_) => Vec::new(),
            Err(error) => {
                log::info!("the library server names no providers: {error}");
                Vec::new()
            }
        };
        known.sort_by_key(|provider| provider.priority);
        if known.is_empty() {
            let (key, name) = (self.config.provider.clone(), "Direct Download".to_owned());
            known.push(Provider { key, name, priority: 1 });
        }
        known
    }

    /// Begins the download of a game, by the way that is set where the server offers it.
    ///
    /// # Errors
    /// [`LibserverError`].
    pub fn download(&self, id: &str) -> Result<Received, LibserverError> {
        let offered = self.providers();
        let wanted = offered.iter().find(|provider| provider.key == self.config.provider);
        let provider = wanted.unwrap_or(&offered[0]);
        let path = format!("/download/{id}?provider={}", percent_encoded(&provider.key));
        let answer = self.ask("download", &path, None, &[], DOWNLOAD_TIME)?;
        accepted("download", answer)
    }

    fn log_in(&self) -> Result<(), LibserverError> {
        if self.config.username.is_empty() {
            return Ok(());
        }
        let (name, password) =
            (percent_encoded(&self.config.username), percent_encoded(&self.config.password));
        let form = format!("username={name}&password={password}");
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        let answer = self.ask("login", "/login", Some(form.as_bytes()), &[kind], PATIENCE)?;
        accepted("login", answer).map(drop)
    }

    /// A call of an endpoint. The session may have ended, so a refusal is tried again once after a
    /// new login.
    fn call(&self, what: &'static str, path: &str) -> Result<Value, LibserverError> {
        let kind = ("Content-Type", "application/json");
        let once = || {
            let answer = self.ask(what, path, Some(b"{}"), &[kind], PATIENCE)?;
            let answer = accepted(what, answer)?;
            let bytes = answer.read_all(LIST_BYTES).map_err(|error| {
                LibserverError::Unreachable(format!("The answer broke off: {error}"))
            })?;
            serde_json::from_slice(&bytes).map_err(|_| LibserverError::Nonsense(what))
        };
        match once() {
            Err(LibserverError::Refused { .. } | LibserverError::Nonsense(_))
                if !self.config.username.is_empty() =>
            {
                self.log_in()?;
                once()
            }
            other => other,
        }
    }

    /// Sends a request below the server's address and follows redirects that stay on the server; a
    /// redirected POST goes on as a GET.
    fn ask(
        &self,
        what: &'static str,
        path: &str,
        body: Option<&[u8]>,
        headers: &[(&str, &str)],
        timeout: Duration,
    ) -> Result<Received, LibserverError> {
        let mut location = self.config.location.with_path(&format!("{}{path}", self.base()))?;
        let mut body = body;
        for _ in 0..=REDIRECTS {
            let answer = self.send(&location, body, headers, timeout)?;
            if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            let target = answer.header("Location").unwrap_or_default();
            location = location.follow(target).ok_or(LibserverError::Elsewhere)?;
            body = None;
        }
        Err(LibserverError::Nonsense(what))
    }

    fn send(
        &self,
        location: &Location,
        body: Option<&[u8]>,
        headers: &[(&str, &str)],
        timeout: Duration,
    ) -> Result<Received, LibserverError> {
        let cookies = self.cookie_header();
        let mut headers = headers.to_vec();
        if !cookies.is_empty() {
            headers.push(("Cookie", &cookies));
        }
        let addresses = &self.addresses;
        let exchange = Exchange { location, addresses, headers: &headers, body, timeout };
        let answer = exchange::send(&exchange)
            .map_err(|unanswered| LibserverError::Unreachable(unanswered.0))?;
        self.keep_cookies(&answer);
        Ok(answer)
    }

    /// The path of the server's address, without a slash at its end.
    fn base(&self) -> &str {
        let text = self.config.location.text();
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        let path = rest.find('/').map_or("", |at| &rest[at..]);
        path.split('?').next().unwrap_or_default().trim_end_matches('/')
    }

    fn cookie_header(&self) -> String {
        let jar = self.cookies.hold();
        jar.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    fn keep_cookies(&self, answer: &Received) {
        let mut jar = self.cookies.hold();
        for cookie in answer.headers_named("Set-Cookie") {
            let pair = cookie.split(';').next().unwrap_or_default();
            let Some((name, value)) = pair.split_once('=') else { continue };
            let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
            jar.retain(|(known, _)| *known != name);
            if jar.len() < 32 {
                jar.push((name, value));
            }
        }
    }
}

/// Whether the server may be there.
fn may_reach(address: SocketAddr, own_port: u16) -> bool {
    let ip = address.ip();
    let is_own = ip.to_canonical().is_loopback() && address.port() == own_port;
    is_host(ip) && !is_own
}

fn provider(value: &Value) -> Option<Provider> {
    let record = Record::from(value.as_object()?.clone());
    let key = record.shown("key");
    let name = record.shown("name");
    let priority = record.get("priority").and_then(Value::as_i64).unwrap_or(i64::MAX);
    let name = if name.is_empty() { key.clone() } else { name };
    (!key.is_empty()).then_some(Provider { key, name, priority })
}

fn accepted(what: &'static str, answer: Received) -> Result<Received, LibserverError> {
    if (200..300).contains(&answer.status) {
        return Ok(answer);
    }
    // What it says is not shown: the address may be that of any server.
    Err(LibserverError::Refused { what, status: answer.status, reason: answer.reason() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_somewhere_else() {
        for (address, expected) in [
            ("127.0.0.1:8000", true),
            ("192.168.1.9:9000", true),
            ("127.0.0.1:9000", false),
            ("[::1]:9000", false),
            ("[::ffff:127.0.0.1]:9000", false),
            ("169.254.169.254:80", false),
            ("0.0.0.0:8000", false),
        ] {
            assert_eq!(
                may_reach(address.parse().expect("an address"), 9000),
                expected,
                "{address}"
            );
        }
    }
}
