//! An address as text, taken apart: scheme, host, port, and where the host lies.

use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ureq::http::Uri;

/// What is escaped in a piece of an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An http or https address that is well formed; where it leads is not checked here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    text: String,
    secure: bool,
    host: String,
    port: u16,
}

/// What is wrong with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    #[error("the scheme is neither http nor https")]
    Scheme,
    #[error("there is no host")]
    Host,
    /// There is a user name or password.
    #[error("there are credentials in it")]
    Credentials,
    #[error("there is a fragment in it")]
    Fragment,
    /// The port is zero or no port.
    #[error("the port is not between 1 and 65535")]
    Port,
}

impl Location {
    /// Takes an address apart.
    ///
    /// # Errors
    /// The first [`LocationError`], in the order of the enum.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        let text = text.trim();
        let secure = is_secure(text)?;
        let (_, rest) = text.split_once("://").ok_or(LocationError::Host)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
        let (credentials, authority) =
            authority.rsplit_once('@').map_or((None, authority), |(who, host)| (Some(who), host));
        let (host, port) = split_port(authority);
        if host.is_empty() {
            return Err(LocationError::Host);
        }
        if credentials.is_some() {
            return Err(LocationError::Credentials);
        }
        if rest.contains('#') {
            return Err(LocationError::Fragment);
        }
        let port = match port {
            None if secure => 443,
            None => 80,
            Some(digits) => match digits.parse() {
                Ok(port) if port > 0 && digits.bytes().all(|byte| byte.is_ascii_digit()) => port,
                _ => return Err(LocationError::Port),
            },
        };
        let known = text.parse::<Uri>().map_err(|_| LocationError::Host)?;
        if known.host().is_none_or(|known| known.trim_matches(['[', ']']) != host) {
            return Err(LocationError::Host);
        }
        Ok(Self { text: text.to_owned(), secure, host: host.to_ascii_lowercase(), port })
    }

    /// The address as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is https.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The host in lower case, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, the scheme's own one when none is given.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a path on the same server: scheme, host and port stay. `path` begins with a
    /// slash and is percent-encoded already.
    ///
    /// # Errors
    /// As [`Location::parse`].
    pub fn with_path(&self, path: &str) -> Result<Self, LocationError> {
        let scheme = if self.secure { "https" } else { "http" };
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        Self::parse(&format!("{scheme}://{host}:{}{path}", self.port))
    }

    /// Where a `Location` header of an answer from here leads, when that is the same server: scheme,
    /// host and port.
    pub fn follow(&self, target: &str) -> Option<Self> {
        let next = match target {
            path if path.starts_with('/') && !path.starts_with("//") => {
                self.with_path(path).ok()?
            }
            absolute => Self::parse(absolute).ok()?,
        };
        self.is_same_server(&next).then_some(next)
    }

    /// Whether scheme, host and port are the same.
    pub fn is_same_server(&self, other: &Self) -> bool {
        self.secure == other.secure && self.host == other.host && self.port == other.port
    }

    /// Whether the host is this machine by its name or number.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|host| host.is_loopback())
    }

    /// Resolves the host.
    ///
    /// # Errors
    /// When it has no address.
    pub fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = self.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, self.port)]);
        }
        let found: Vec<SocketAddr> = (self.host.as_str(), self.port).to_socket_addrs()?.collect();
        if found.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(found) }
    }
}

/// Whether the scheme is https; nothing else is checked.
///
/// # Errors
/// [`LocationError::Scheme`] when it is neither https nor http.
pub fn is_secure(text: &str) -> Result<bool, LocationError> {
    let scheme = text.trim().split_once(':').map_or("", |(scheme, _)| scheme);
    match scheme.to_ascii_lowercase().as_str() {
        "https" => Ok(true),
        "http" => Ok(false),
        _ => Err(LocationError::Scheme),
    }
}

/// Percent-encodes everything but letters, digits and `-._~`.
pub fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Splits `host:port`; an IPv6 host stands in brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    if let Some(rest) = authority.strip_prefix('[') {
        return match rest.split_once(']') {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, port.strip_prefix(':').or(Some(port))),
            None => ("", None),
        };
    }
    authority.rsplit_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_their_server() {
        let from = Location::parse("https://games.example:8443/app/").expect("well formed");
        let check = |target: &str, expected: Option<&str>| {
            let next = from.follow(target);
            assert_eq!(next.as_ref().map(Location::text), expected, "{target}");
        };
        check("/login", Some("https://games.example:8443/login"));
        check("https://GAMES.example:8443/x", Some("https://GAMES.example:8443/x"));
        check("https://games.example/x", None);
        check("http://games.example:8443/x", None);
        check("//other.example/x", None);
        check("https://other.example:8443/x", None);
        check("next", None);
    }

    #[track_caller]
    fn check(text: &str, expected: Result<(bool, &str, u16), LocationError>) {
        let parsed = Location::parse(text);
        let parts = parsed.as_ref().map(|it| (it.secure, it.host.as_str(), it.port));
        assert_eq!(parts.map_err(|error| *error), expected, "{text}");
    }

    #[test]
    fn takes_addresses_apart() {
        check("https://example.org/a?b", Ok((true, "example.org", 443)));
        check(" HTTP://LocalHost:8080 ", Ok((false, "localhost", 8080)));
        check("http://[::1]:9/x", Ok((false, "::1", 9)));
        check("https://[2606:4700::1111]", Ok((true, "2606:4700::1111", 443)));
        check("ftp://example.org", Err(LocationError::Scheme));
        check("example.org", Err(LocationError::Scheme));
        check("https:example.org", Err(LocationError::Host));
        check("http:/example.org", Err(LocationError::Host));
        check("https://good.org\\@evil.org/", Err(LocationError::Credentials));
        check("https://good.org\\.evil.org/", Err(LocationError::Host));
        check("https:///path", Err(LocationError::Host));
        check("https://", Err(LocationError::Host));
        check("https://:80/", Err(LocationError::Host));
        check("https://a b/", Err(LocationError::Host));
        check("https://[::1", Err(LocationError::Host));
        check("https://me:secret@example.org/", Err(LocationError::Credentials));
        check("https://good.org@evil.org/", Err(LocationError::Credentials));
        check("https://example.org/#x", Err(LocationError::Fragment));
        check("https://example.org:0/", Err(LocationError::Port));
        check("https://example.org:65536/", Err(LocationError::Port));
        check("https://example.org:+80/", Err(LocationError::Port));
        check("https://example.org:/", Err(LocationError::Port));
    }
}
