//! Who may talk to this server: the checks against web pages of other origins.
//!
//! Any page the user visits can reach 127.0.0.1. A page cannot forge `Host`, `Origin` or
//! `Sec-Fetch-Site`, so these three headers distinguish it from the program's own UI, and a foreign `Host` also ends
//! every DNS-rebinding attempt. See `docs/THREATS.md`.

use thiserror::Error;

use super::request::Head;

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OriginError {
    /// The `Host`, or the host of the target, is missing, repeated, or not this server.
    #[error("host header is not this server")]
    Host,
    /// The `Origin` is another site, another port, or `null`.
    #[error("origin is not this server")]
    Origin,
    /// The browser says that another site, or another port of this machine, made the request.
    #[error("request was made by another site")]
    CrossSite,
}

/// Knows which hosts and origins are this server.
#[derive(Clone, Debug)]
pub struct OriginGate {
    /// The port with its colon.
    port: String,
}

/// The names of the loopback interface.
const HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

impl OriginGate {
    /// The gate of a server on `port` of the loopback interface.
    pub fn new(port: u16) -> Self {
        Self { port: format!(":{port}") }
    }

    /// Lets a request pass or returns why not.
    pub fn check(&self, head: &Head) -> Result<(), OriginError> {
        let mut hosts = head.headers.all("Host");
        let (host, second) = (hosts.next(), hosts.next());
        if second.is_some() || !head.authority().or(host).is_some_and(|host| self.is_host(host)) {
            return Err(OriginError::Host);
        }
        let foreign = |origin: &str| {
            !origin.strip_prefix("http://").is_some_and(|authority| self.is_origin(authority))
        };
        if head.headers.all("Origin").any(foreign) {
            return Err(OriginError::Origin);
        }
        match head.header("Sec-Fetch-Site") {
            // Another port of this machine is the same *site*. A link from there may open the UI;
            // an image, script or request from there may not.
            Some("same-site") if !is_navigation(head) => Err(OriginError::CrossSite),
            Some("cross-site") => Err(OriginError::CrossSite),
            _ => Ok(()),
        }
    }

    /// A proxy in front of the program may leave the port out. The name alone ends an attempt at DNS
    /// rebinding.
    fn is_host(&self, host: &str) -> bool {
        is_loopback(host) || self.is_origin(host)
    }

    /// An origin without a port is another server, on port 80.
    fn is_origin(&self, authority: &str) -> bool {
        authority.strip_suffix(&self.port).is_some_and(is_loopback)
    }
}

fn is_loopback(name: &str) -> bool {
    HOSTS.iter().any(|host| host.eq_ignore_ascii_case(name))
}

/// Whether a user agent opens a page in a tab of its own, as after a click on a link.
fn is_navigation(head: &Head) -> bool {
    head.header("Sec-Fetch-Mode") == Some("navigate")
        && head.header("Sec-Fetch-Dest") == Some("document")
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::http::request::{Headers, Method};

    #[track_caller]
    fn check(pairs: &[(&str, &str)], expected: Result<(), OriginError>) {
        let mut headers = Headers::default();
        for (name, value) in pairs {
            headers.push(name, value);
        }
        let peer = SocketAddr::from(([127, 0, 0, 1], 9));
        let head = Head::new(Method::Get, "/".to_owned(), headers, peer);
        assert_eq!(OriginGate::new(4321).check(&head), expected, "{pairs:?}");
    }

    #[test]
    fn wants_its_own_host() {
        check(&[("Host", "127.0.0.1:4321")], Ok(()));
        for host in ["LocalHost:4321", "127.0.0.1", "localhost", "[::1]", "[::1]:4321"] {
            check(&[("host", host)], Ok(()));
        }
        for host in [
            "127.0.0.1:4322",
            "127.0.0.1:",
            "evil.example:4321",
            "evil.example",
            "::1",
            "",
            ":4321",
            "127.0.0.1:4321.",
        ] {
            check(&[("Host", host)], Err(OriginError::Host));
        }
        check(&[], Err(OriginError::Host));
        check(&[("Host", "127.0.0.1:4321"), ("Host", "evil.example")], Err(OriginError::Host));
    }

    #[test]
    fn the_host_of_the_target_counts_instead_of_the_header() {
        let gate = OriginGate::new(4321);
        for (target, hosts, expected) in [
            ("http://127.0.0.1:4321/", &["evil.example"][..], Ok(())),
            ("http://localhost/a", &[], Ok(())),
            ("http://evil.example/", &["127.0.0.1:4321"], Err(OriginError::Host)),
            ("http://me@127.0.0.1:4321/", &["127.0.0.1:4321"], Err(OriginError::Host)),
            ("http:///", &["127.0.0.1:4321"], Err(OriginError::Host)),
            ("http://127.0.0.1:4321/", &["127.0.0.1:4321"; 2], Err(OriginError::Host)),
        ] {
            let mut headers = Headers::default();
            for host in hosts {
                headers.push("Host", host);
            }
            let peer = SocketAddr::from(([127, 0, 0, 1], 9));
            let head = Head::new(Method::Get, target.to_owned(), headers, peer);
            assert_eq!(gate.check(&head), expected, "{target} {hosts:?}");
        }
    }

    #[test]
    fn wants_its_own_origin_when_there_is_one() {
        let host = ("Host", "127.0.0.1:4321");
        check(&[host, ("Origin", "http://127.0.0.1:4321")], Ok(()));
        check(&[host, ("Origin", "http://localhost:4321")], Ok(()));
        for origin in [
            "null",
            "",
            "https://127.0.0.1:4321",
            "http://127.0.0.1",
            "http://127.0.0.1:4322",
            "http://127.0.0.1:4321/",
            "http://127.0.0.1:4321.evil.example",
            "127.0.0.1:4321",
        ] {
            check(&[host, ("Origin", origin)], Err(OriginError::Origin));
        }
    }

    #[test]
    fn refuses_what_other_sites_start() {
        let host = ("Host", "127.0.0.1:4321");
        check(&[host, ("Sec-Fetch-Site", "same-origin")], Ok(()));
        check(&[host, ("Sec-Fetch-Site", "none")], Ok(()));
        check(&[host, ("Sec-Fetch-Site", "cross-site")], Err(OriginError::CrossSite));
        check(&[host, ("Sec-Fetch-Site", "same-site")], Err(OriginError::CrossSite));
        let link = [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
        check(&[host, ("Sec-Fetch-Site", "same-site"), link[0], link[1]], Ok(()));
        check(
            &[host, ("Sec-Fetch-Site", "cross-site"), link[0], link[1]],
            Err(OriginError::CrossSite),
        );
        let frame = ("Sec-Fetch-Dest", "iframe");
        check(
            &[host, ("Sec-Fetch-Site", "same-site"), link[0], frame],
            Err(OriginError::CrossSite),
        );
    }
}
