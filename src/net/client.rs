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
use crate::base::text;

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
pub struct Unanswered(pub String);

/// Connects only to the addresses it was given.
#[derive(Debug)]
pub(super) struct Checked(pub(super) Vec<SocketAddr>);

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

pub(super) fn describe(error: &Error) -> String {
    match error {
        Error::Timeout(_) => "The request timed out.".to_owned(),
        Error::HostNotFound => "The host has no address.".to_owned(),
        Error::ConnectionFailed => "The connection failed.".to_owned(),
        Error::Io(error) => format!("The connection failed: {}", text::reason(error)),
        other => format!("The request failed: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write as _,
        net::{Ipv4Addr, TcpListener},
        thread,
    };

    use super::*;

    /// Sends a POST for a name that no resolver knows to a receiver that gives this answer.
    fn sent(answer: &'static [u8]) -> (Result<Answered, Unanswered>, String) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let location = Location::parse(&format!("HTTP://nowhere.invalid:{}/x?y", address.port()));
        thread::scope(|scope| {
            let receiver = scope.spawn(move || {
                let (mut stream, _) = listener.accept().expect("a connection");
                let mut request = Vec::new();
                while !request.ends_with(b"the body") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).expect("more of the request");
                    request.extend(byte);
                }
                stream.write_all(answer).expect("the answer is taken");
                String::from_utf8(request).expect("text")
            });
            let answered = post(&Post {
                location: &location.expect("an address"),
                addresses: &[address],
                headers: &[("User-Agent", "Service/1")],
                body: b"the body",
                timeout: Duration::from_secs(20),
            });
            (answered, receiver.join().expect("no panic"))
        })
    }

    #[test]
    fn connects_where_it_is_told_and_sends_the_exact_body() {
        let (answered, request) = sent(b"HTTP/1.1 204 No Content\r\nRetry-After: 7\r\n\r\n");
        let expected = Answered { status: 204, retry_after: Some("7".to_owned()) };
        assert_eq!(answered.expect("an answer"), expected);
        assert!(request.starts_with("POST /x?y HTTP/1.1\r\n"), "{request}");
        let lower = request.to_lowercase();
        assert!(lower.contains("\r\nhost: nowhere.invalid:"), "{request}");
        assert!(lower.contains("\r\nuser-agent: service/1\r\n"), "{request}");
        assert!(lower.contains("\r\ncontent-length: 8\r\n"), "{request}");
    }

    #[test]
    fn no_redirect_is_followed() {
        for answer in [
            &b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"[..],
            b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 308 Permanent Redirect\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 300 Multiple Choices\r\nContent-Length: 0\r\n\r\n",
        ] {
            let (answered, _) = sent(answer);
            assert_eq!(answered.expect("an answer").status / 100, 3);
        }
    }

    #[test]
    fn a_long_answer_is_cut_and_a_broken_one_is_none() {
        let (answered, _) = sent(b"HTTP/1.1 500 Oh\r\nContent-Length: 100000\r\n\r\nshort");
        assert_eq!(answered.expect("an answer").status, 500);
        let (answered, _) = sent(b"");
        assert!(answered.is_err());
        let (answered, _) = sent(b"not HTTP\r\n\r\n");
        assert!(answered.is_err());
    }
}
