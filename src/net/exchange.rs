//! A request to a server of the user's own choice, with the answer as a stream.
//!
//! Redirects are never followed here: the caller decides where one may lead.

use std::{
    io::{self, Read},
    net::SocketAddr,
    time::Duration,
};

use flate2::read::MultiGzDecoder;
use ureq::{Agent, http::StatusCode, unversioned::transport::DefaultConnector};

use super::{
    client::{Checked, Unanswered, describe},
    location::Location,
};
use crate::base::away::Away;

/// The name of the program in requests that set none.
pub const OWN_NAME: &str = concat!("Service/", env!("CARGO_PKG_VERSION"));
/// Longest wait for the head of an answer.
const HEAD_TIME: Duration = Duration::from_mins(1);
/// Longest pause between two pieces of an answer.
const PAUSE: Duration = Duration::from_mins(1);

/// The headers that say how a body is packed, and how long it is.
const PACKING: &str = "Content-Encoding";
const LENGTH: &str = "Content-Length";

/// A request to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// Where to.
    pub location: &'a Location,
    /// The addresses that may be connected to; the name is not looked up again.
    pub addresses: &'a [SocketAddr],
    /// Header names and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body of a POST; a GET has none.
    pub body: Option<&'a [u8]>,
    /// From the connection to the last byte of the answer.
    pub timeout: Duration,
}

/// An answer whose body has not been read yet.
pub struct Received {
    /// HTTP status.
    pub status: u16,
    headers: Vec<(String, String)>,
    body: Box<dyn Read + Send>,
}

impl Received {
    /// What the status means.
    pub fn reason(&self) -> &'static str {
        let known = StatusCode::from_u16(self.status).ok();
        known.and_then(|code| code.canonical_reason()).unwrap_or("unknown status")
    }

    /// The first header of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.as_str())
    }

    /// All headers of this name.
    pub fn headers_named<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a str> {
        let named = self.headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// At most `limit` bytes of the body; one more is an error.
    ///
    /// # Errors
    /// When the connection breaks or the body is longer.
    pub fn read_all(self, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.body.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// At most `limit` bytes from the start of the body, which stay part of it.
    ///
    /// # Errors
    /// When the connection breaks before.
    pub fn start(&mut self, limit: u64) -> io::Result<Vec<u8>> {
        let mut first = Vec::new();
        self.body.by_ref().take(limit).read_to_end(&mut first)?;
        let rest = std::mem::replace(&mut self.body, Box::new(io::empty()));
        self.body = Box::new(io::Cursor::new(first.clone()).chain(rest));
        Ok(first)
    }

    /// An answer with what was packed as its body. Some servers pack an answer although that was not asked for; its
    /// length is then that of what is packed, so nothing is said of it. Not for files that are kept as they come: of
    /// those that are packed themselves some servers say it too.
    #[must_use]
    pub fn unpacked(mut self) -> Self {
        let packing = self.header(PACKING).map(str::to_ascii_lowercase);
        if matches!(packing.as_deref(), Some("gzip" | "x-gzip")) {
            let is_of_packed =
                |name: &str| [PACKING, LENGTH].iter().any(|of| name.eq_ignore_ascii_case(of));
            self.headers.retain(|(name, _)| !is_of_packed(name));
            self.body = Box::new(MultiGzDecoder::new(self.body));
        }
        self
    }

    /// The body as it comes.
    pub fn into_body(self) -> Box<dyn Read + Send> {
        self.body
    }
}

/// Sends a request: no redirect is followed, no proxy is used.
///
/// # Errors
/// [`Unanswered`] with the reason when no status line came.
pub fn send(exchange: &Exchange<'_>) -> Result<Received, Unanswered> {
    let _away = Away::begin();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .user_agent(OWN_NAME)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_recv_response(Some(exchange.timeout.min(HEAD_TIME)))
        .timeout_per_read(Some(PAUSE))
        .timeout_global(Some(exchange.timeout))
        .build();
    let resolver = Checked(exchange.addresses.to_vec());
    let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
    let headers = exchange.headers.iter();
    let answer = if let Some(body) = exchange.body {
        let request = agent.post(exchange.location.text());
        headers.fold(request, |all, (name, value)| all.header(*name, *value)).send(body)
    } else {
        let request = agent.get(exchange.location.text());
        headers.fold(request, |all, (name, value)| all.header(*name, *value)).call()
    };
    let answer = answer.map_err(|error| Unanswered(describe(&error)))?;
    let (head, body) = answer.into_parts();
    let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value)));
    Ok(Received {
        status: head.status.as_u16(),
        headers: headers.collect(),
        body: Box::new(body.into_with_config().limit(u64::MAX).reader()),
    })
}
