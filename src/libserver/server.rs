//! The protocol of the library server (Gameyfin): login, the list of games, downloads.

use std::{borrow::Cow, io::Read as _, net::SocketAddr, sync::Mutex, time::Duration};

use serde_json::Value;

use crate::{
    base::{Hold as _, redact, schema::schema},
    model::Record,
    net::{
        address::is_host,
        exchange::{self, Exchange, Received},
        location::{Location, percent_encoded},
    },
};

use super::{
    config::Config,
    error::LibserverError,
    session::{Session, token_of},
};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long a download may take.
const DOWNLOAD_TIME: Duration = Duration::from_hours(12);
/// Bytes of a list.
const LIST_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of the start page, of which only the head counts.
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a refusal that are read.
const SAID_BYTES: u64 = 4_096;
/// Characters of a refusal that are shown.
const SAID: usize = 400;
/// Bytes in which a page shows that it is one.
const PAGE_START: u64 = 512;
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
    session: Mutex<Session>,
}

/// An answer, and where it came from after redirects.
struct Answered {
    received: Received,
    location: Location,
}

impl<'a> Server<'a> {
    /// Resolves the address of the server and logs in, unless the session of an earlier request is kept.
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
        let kept = Session::kept(config);
        let is_new = kept.is_none();
        let server = Self { config, addresses, session: Mutex::new(kept.unwrap_or_default()) };
        if is_new {
            server.log_in()?;
        }
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

    /// The ways of downloading; a default when the server answers and names none.
    ///
    /// # Errors
    /// [`LibserverError`] when it is not there or refuses the login.
    pub fn ways(config: &'a Config) -> Result<Vec<Provider>, LibserverError> {
        let server = Self::open(config)?;
        match server.offered() {
            Err(error) if is_no_access(&error) => Err(error),
            offered => Ok(server.or_usual(offered)),
        }
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
        self.or_usual(self.offered())
    }

    /// What the server names, in its order.
    fn offered(&self) -> Result<Vec<Provider>, LibserverError> {
        let answer = self.call("providers", "/connect/DownloadProviderEndpoint/getProviders")?;
        let list = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut known: Vec<Provider> = list.iter().filter_map(provider).collect();
        known.sort_by_key(|provider| provider.priority);
        Ok(known)
    }

    fn or_usual(&self, offered: Result<Vec<Provider>, LibserverError>) -> Vec<Provider> {
        let mut known = offered.unwrap_or_else(|error| {
            log::info!("the library server names no providers: {error}");
            Vec::new()
        });
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
        self.again(|| {
            let answer = self.ask("download", &path, None, &[], DOWNLOAD_TIME)?;
            let is_login = is_login(&answer.location);
            let mut received = self.accepted("download", answer.received)?;
            let first = received.start(PAGE_START).map_err(|error| {
                log::warn!("the download broke off: {error}");
                LibserverError::Damaged("it broke off")
            })?;
            // A server that wants a login may say so with a page and a good status.
            if is_login || received.status != 200 || is_page(&received, &first) {
                return Err(LibserverError::Nonsense("download"));
            }
            if first.is_empty() {
                return Err(LibserverError::Damaged("it is empty"));
            }
            Ok(received)
        })
    }

    fn log_in(&self) -> Result<(), LibserverError> {
        if self.config.username.is_empty() {
            return Ok(());
        }
        let (name, password) =
            (percent_encoded(&self.config.username), percent_encoded(&self.config.password));
        let form = format!("username={name}&password={password}");
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        let answer = self.post("login", "/login", form.as_bytes(), kind)?;
        // A refused login leads back to its page, which comes with a good status.
        if is_login(&answer.location) && answer.location.text().contains("?error") {
            let (what, status, reason) = ("login", 401, "Unauthorized".to_owned());
            return Err(LibserverError::Refused { what, status, reason });
        }
        // A login that worked leads to another page, which need not be there.
        if !is_login(&answer.location) && answer.received.status == 404 {
            return Ok(());
        }
        self.accepted("login", answer.received).map(drop)
    }

    /// The answer, unless the server refuses. Its message is shown without anything that was sent to it.
    fn accepted(&self, what: &'static str, answer: Received) -> Result<Received, LibserverError> {
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        let (status, usual) = (answer.status, answer.reason());
        let mut said = Vec::new();
        // OK because a part of an interrupted answer is useful too.
        drop(answer.unpacked().into_body().take(SAID_BYTES).read_to_end(&mut said));
        let mut secrets = self.session.hold().secrets();
        secrets.push(self.config.password.clone());
        let reason = said_in(&said, usual, &secrets);
        Err(LibserverError::Refused { what, status, reason })
    }

    /// Sends a body. Where the server wants the token of its page, that is fetched and sent along.
    fn post(
        &self,
        what: &'static str,
        path: &str,
        body: &[u8],
        kind: (&str, &str),
    ) -> Result<Answered, LibserverError> {
        let answer = self.ask(what, path, Some(body), &[kind], PATIENCE)?;
        if answer.received.status != 403 || !self.renew_token() {
            return Ok(answer);
        }
        self.ask(what, path, Some(body), &[kind], PATIENCE)
    }

    /// Fetches the token that the page of the server sends with every change; whether there is another one
    /// now.
    fn renew_token(&self) -> bool {
        let page = self.ask("start page", "/", None, &[], PATIENCE);
        let page = page.ok().filter(|page| page.received.status == 200);
        let page = page.and_then(|page| page.received.unpacked().read_all(PAGE_BYTES).ok());
        let token = page.and_then(|page| token_of(&String::from_utf8_lossy(&page)));
        let mut session = self.session.hold();
        match token {
            Some(token) if token != session.token => {
                session.token = token;
                true
            }
            _ => false,
        }
    }

    /// A call of an endpoint.
    fn call(&self, what: &'static str, path: &str) -> Result<Value, LibserverError> {
        let kind = ("Content-Type", "application/json");
        let once = || {
            let answer = self.post(what, path, b"{}", kind)?;
            let answer = self.accepted(what, answer.received)?;
            let bytes = answer.unpacked().read_all(LIST_BYTES).map_err(|error| {
                LibserverError::Unreachable(format!("The answer broke off: {error}"))
            })?;
            serde_json::from_slice(&bytes).map_err(|_| LibserverError::Nonsense(what))
        };
        self.again(once)
    }

    /// Asks, and once more after a new login when the session has ended. One that is good is kept.
    fn again<T>(&self, once: impl Fn() -> Result<T, LibserverError>) -> Result<T, LibserverError> {
        if self.config.username.is_empty() {
            return once();
        }
        let mut answer = once();
        if answer.as_ref().is_err_and(is_of_login) {
            Session::forget(self.config);
            answer = self.log_in().and_then(|()| once());
        }
        if !answer.as_ref().is_err_and(is_of_login) {
            self.session.hold().keep(self.config);
        }
        answer
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
    ) -> Result<Answered, LibserverError> {
        let mut location = self.config.location.with_path(&format!("{}{path}", self.base()))?;
        let mut body = body;
        for _ in 0..=REDIRECTS {
            let received = self.send(&location, body, headers, timeout)?;
            if !matches!(received.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(Answered { received, location });
            }
            let target = received.header("Location").unwrap_or_default();
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
        let session = self.session.hold().clone();
        let (token, cookies) = (session.token.as_str(), session.cookies());
        let mut headers = headers.to_vec();
        if !cookies.is_empty() {
            headers.push(("Cookie", &cookies));
        }
        if body.is_some() && !token.is_empty() {
            headers.push(("X-CSRF-Token", token));
        }
        let addresses = &self.addresses;
        let exchange = Exchange { location, addresses, headers: &headers, body, timeout };
        let answer = exchange::send(&exchange)
            .map_err(|unanswered| LibserverError::Unreachable(unanswered.0))?;
        let mut session = self.session.hold();
        answer.headers_named("Set-Cookie").for_each(|cookie| session.take_cookie(cookie));
        drop(session);
        Ok(answer)
    }

    /// The path of the server's address, without a slash at its end.
    fn base(&self) -> &str {
        let text = self.config.location.text();
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        let path = rest.find('/').map_or("", |at| &rest[at..]);
        path.split('?').next().unwrap_or_default().trim_end_matches('/')
    }
}

/// Whether an error means that the server is out of reach or wants another login.
fn is_no_access(error: &LibserverError) -> bool {
    match error {
        LibserverError::Refused { what, status, .. } => *what == "login" || *status == 401,
        LibserverError::Nonsense(_) => false,
        _ => true,
    }
}

/// Whether an error may mean that the session is not logged in.
fn is_of_login(error: &LibserverError) -> bool {
    matches!(error, LibserverError::Refused { status: 401 | 403, .. } | LibserverError::Nonsense(_))
}

/// Whether an answer came from the page where people log in.
fn is_login(location: &Location) -> bool {
    let path = location.text().split('?').next().unwrap_or_default();
    path.ends_with("/login")
}

/// Whether an answer that begins so is a page or a message of the server, and not a file that it hands
/// out: a file is sent as an attachment.
fn is_page(answer: &Received, first: &[u8]) -> bool {
    let header = |name| answer.header(name).unwrap_or_default().trim().to_ascii_lowercase();
    if header("Content-Disposition").starts_with("attachment") {
        return false;
    }
    let kind = header("Content-Type");
    let kinds = ["text/html", "application/xhtml", "application/json", "application/problem"];
    kinds.iter().any(|known| kind.starts_with(known)) || begins_as_page(first)
}

fn begins_as_page(first: &[u8]) -> bool {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let begins = |tag: &[u8]| first.get(..tag.len()).is_some_and(|it| it.eq_ignore_ascii_case(tag));
    begins(b"<!doctype html") || begins(b"<html")
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

/// The message of a refusal, in one line, without these secrets and without addresses; the meaning of its status where
/// it is a page or empty.
fn said_in(body: &[u8], usual: &str, secrets: &[String]) -> String {
    let said = if begins_as_page(body) { Cow::Borrowed("") } else { String::from_utf8_lossy(body) };
    let said = redact::said(&said, secrets, SAID);
    if said.is_empty() { usual.to_owned() } else { said }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_the_server_said() {
        let long = "e".repeat(900);
        let secrets = ["pass/word".to_owned(), "session1".to_owned(), String::new()];
        for (body, expected) in [
            ("no more\nlinks", "no more links"),
            ("a=pass%2Fword&c=session1 \"pass/word\"", "a=[redacted]&c=[redacted] \"[redacted]\""),
            ("  ", "Forbidden"),
            ("<html><body>403</body></html>", "Forbidden"),
            (&long, &long[..SAID]),
        ] {
            assert_eq!(said_in(body.as_bytes(), "Forbidden", &secrets), expected);
        }
    }

    #[test]
    fn pages_are_known_by_how_they_begin() {
        for (first, expected) in [
            (&b"\xef\xbb\xbf\n<!DOCTYPE html><html>"[..], true),
            (b"<HTML lang=\"en\">", true),
            (b"<htm", false),
            (b"PK\x03\x04", false),
            (b"", false),
        ] {
            assert_eq!(begins_as_page(first), expected, "{first:?}");
        }
    }

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
