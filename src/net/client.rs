//! Sending a request to an address that was checked before.

use std::{io::Read as _, net::SocketAddr, time::Duration};

use ureq::{
    Agent, Error,
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};

use super::location::Location;

/// How much of an answer is read before it is thrown away, in bytes.
const DISCARDED: u64 = 4 * 1024;

/// A POST to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a> {
    /// Where to.
    pub location: &'a Location,
    /// The addresses that may be connected to; the name is not looked up again.
    pub addresses: &'a [SocketAddr],
    /// Header names and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The exact body.
    pub body: &'a [u8],
    /// From the connection to the last byte of the answer.
    pub timeout: Duration,
}

/// What a receiver answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// HTTP status.
    pub status: u16,
    /// The `Retry-After` header as sent.
    pub retry_after: Option<String>,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unanswered(String);

/// Connects only to the addresses it was given.
#[derive(Debug)]
struct Checked(Vec<SocketAddr>);

impl Resolver for Checked {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        // The list has room for sixteen.
        for address in self.0.iter().take(16) {
            addresses.push(*address);
        }
        if self.0.is_empty() { Err(Error::HostNotFound) } else { Ok(addresses) }
    }
}

/// Sends a POST: no redirect is followed, no proxy is used, the answer's body is discarded.
///
/// # Errors
/// [`Unanswered`] with the reason when no status line came.
pub fn post(post: &Post<'_>) -> Result<Answered, Unanswered> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_global(Some(post.timeout))
        .build();
    let resolver = Checked(post.addresses.to_vec());
    let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
    let mut request = agent.post(post.location.text());
    for (name, value) in post.headers {
        request = request.header(*name, *value);
    }
    let mut answer = request.send(post.body).map_err(|error| Unanswered(describe(&error)))?;
    let retry_after = answer.headers().get("Retry-After");
    let answered = Answered {
        status: answer.status().as_u16(),
        retry_after: retry_after.and_then(|value| value.to_str().ok()).map(str::to_owned),
    };
    let mut discarded = Vec::new();
    let read = answer.body_mut().as_reader().take(DISCARDED).read_to_end(&mut discarded);
    if let Err(error) = read {
        log::debug!("the rest of an answer was not read: {error}");
    }
    Ok(answered)
}

fn describe(error: &Error) -> String {
    match error {
        Error::Timeout(_) => "The request timed out.".to_owned(),
        Error::HostNotFound => "The host has no address.".to_owned(),
        Error::ConnectionFailed => "The connection failed.".to_owned(),
        Error::Io(error) => format!("The connection failed: {error}"),
        other => format!("The request failed: {other}"),
    }
}
