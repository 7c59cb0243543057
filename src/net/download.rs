//! Requests for published files that are too large for memory, and for answers that need headers.
//!
//! Every hop must use https and resolve to public addresses, or be the server on this machine that was asked first. A
//! redirect leads to the same server or to a host that the caller names; headers of the caller go to the first server
//! only.

use std::time::{Duration, Instant};

use super::{
    exchange::{Exchange, OWN_NAME, Received, send},
    fetch::{self, FetchError, REDIRECTS},
    location::Location,
};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Its address.
    pub address: &'a str,
    /// Header names and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// Domains whose hosts a redirect may lead to, besides the server that was asked.
    pub domains: &'a [&'a str],
    /// From the first connection to the last byte.
    pub timeout: Duration,
}

/// Sends a request and follows redirects; the body has not been read yet. Statuses that are not a redirect are
/// the caller's to understand.
///
/// # Errors
/// [`FetchError`].
pub fn open(wanted: &Wanted<'_>) -> Result<Received, FetchError> {
    let begun = Instant::now();
    let first = Location::parse(wanted.address)?;
    let is_local = first.is_loopback();
    let mut location = first.clone();
    for station in 0..=REDIRECTS {
        let addresses = fetch::addresses(&location, is_local)?;
        let own = [("User-Agent", OWN_NAME)];
        let more = wanted.headers.iter().copied().filter(|_| station == 0);
        let headers: Vec<_> = own.into_iter().chain(more).collect();
        let left = wanted.timeout.saturating_sub(begun.elapsed());
        let received = send(&Exchange {
            location: &location,
            addresses: &addresses,
            headers: &headers,
            body: None,
            timeout: left.max(Duration::from_millis(1)),
        })?;
        if !matches!(received.status, 301 | 302 | 303 | 307 | 308) {
            return Ok(received);
        }
        let target = received.header("Location").ok_or(FetchError::Redirect)?;
        let next = fetch::next(&location, target)?;
        if !next.is_same_server(&first) && !is_named(&next, wanted.domains) {
            return Err(FetchError::NotAllowed);
        }
        location = next;
    }
    Err(FetchError::Redirect)
}

/// Whether a host lies below one of the domains, by https on its usual port.
fn is_named(location: &Location, domains: &[&str]) -> bool {
    let is_below = |domain: &&str| {
        let front = location.host().strip_suffix(domain);
        front.is_some_and(|front| front.is_empty() || front.ends_with('.'))
    };
    location.is_secure() && location.port() == 443 && domains.iter().any(is_below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_leads_to_named_hosts_only() {
        let domains = ["githubusercontent.com"];
        for (address, expected) in [
            ("https://objects.githubusercontent.com/x", true),
            ("https://githubusercontent.com/x", true),
            ("https://GITHUBUSERCONTENT.com/x", true),
            ("http://objects.githubusercontent.com/x", false),
            ("https://objects.githubusercontent.com:8443/x", false),
            ("https://evilgithubusercontent.com/x", false),
            ("https://githubusercontent.com.example.org/x", false),
        ] {
            let location = Location::parse(address).expect("an address");
            assert_eq!(is_named(&location, &domains), expected, "{address}");
        }
    }
}
