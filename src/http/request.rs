//! One request as a handler sees it: method, target, headers, body, peer and id.
//!
//! Owns the decoding of the query string. Does not decode the path: routes are matched on the
//! bytes the client sent, so `%2e%2e` never becomes anything but itself.

use std::{
    borrow::Cow,
    fmt,
    net::{IpAddr, SocketAddr},
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering},
};

use percent_encoding::percent_decode_str;

use super::intake;
use crate::base::limits;

/// What a target in absolute form begins with.
const SCHEME: &str = "http://";

/// The request methods that the service distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `HEAD`: answered like `GET`, the transport leaves the body out.
    Head,
    /// `OPTIONS`
    Options,
    /// Anything else.
    Other,
}

impl Method {
    /// The method named by the request line; methods are case-sensitive.
    pub fn from_name(name: &str) -> Self {
        match name {
            "GET" => Self::Get,
            "POST" => Self::Post,
            "HEAD" => Self::Head,
            "OPTIONS" => Self::Options,
            _ => Self::Other,
        }
    }
}

/// The short id of one request: 12 hex digits, unique within a process and hard to guess from
/// outside, so that an id in a client's report finds one line of the diagnostic log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(u64);

impl RequestId {
    /// The next id of this process.
    pub fn next() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        static SEED: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
        let seed = SEED.get_or_init(|| {
            let mut bytes = [0_u8; 8];
            // A generator without entropy only makes the ids guessable, not equal.
            let _ = getrandom::fill(&mut bytes);
            u64::from_le_bytes(bytes)
        });
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Adding and multiplying by an odd number are bijections modulo 2^48: no id repeats.
        let mixed = count.wrapping_add(*seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self(mixed & 0xFFFF_FFFF_FFFF)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:012x}", self.0)
    }
}

/// The headers of a request in the order sent, kept in one allocation.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    text: String,
    /// Ends of name and value of each header within `text`.
    ends: Vec<(usize, usize)>,
}

impl Headers {
    /// An empty list with room for `count` headers of `bytes` in total.
    pub fn with_capacity(count: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ends: Vec::with_capacity(count) }
    }

    /// Appends one header; surrounding blanks of the value are dropped.
    pub fn push(&mut self, name: &str, value: &str) {
        self.text.push_str(name);
        let name_end = self.text.len();
        self.text.push_str(value.trim());
        self.ends.push((name_end, self.text.len()));
    }

    /// Every header as `(name, value)`.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(name_end, value_end)| {
            let pair = (&self.text[start..name_end], &self.text[name_end..value_end]);
            start = value_end;
            pair
        })
    }

    /// Every value of the headers called `name`, in any case.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs()
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The first value of the header called `name`, in any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// The query string of a request, decoded when asked: `%XX` and `+` as a space. Bytes that are not
/// UTF-8 after decoding become the replacement character; a stray `%` stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a>(&'a str);

impl<'a> Query<'a> {
    /// A view of the raw text after `?`.
    pub fn new(raw: &'a str) -> Self {
        Self(raw)
    }

    /// The text as the client sent it.
    #[cfg(test)]
    pub fn raw(self) -> &'a str {
        self.0
    }

    /// Every pair in order; a name without `=` has an empty value, empty pieces are skipped.
    pub fn pairs(self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        self.0.split('&').filter(|piece| !piece.is_empty()).map(|piece| {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            (decode(name), decode(value))
        })
    }

    /// The first value of `name`.
    pub fn get(self, name: &str) -> Option<Cow<'a, str>> {
        self.pairs().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Every value of `name` in order.
    #[cfg(test)]
    pub fn all(self, name: &str) -> Vec<Cow<'a, str>> {
        self.pairs().filter(|(known, _)| known == name).map(|(_, value)| value).collect()
    }
}

/// Percent-decodes one piece of a query; borrows when there is nothing to decode.
fn decode(piece: &str) -> Cow<'_, str> {
    if !piece.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Cow::Borrowed(piece);
    }
    let spaced = piece.replace('+', " ");
    Cow::Owned(percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
}

/// The authority of a target in absolute form, and the rest of the target in origin form.
fn split_absolute(target: &str) -> Option<(String, String)> {
    let (scheme, rest) = target.split_at_checked(SCHEME.len())?;
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let slash = if rest.starts_with('/') { "" } else { "/" };
    Some((authority.to_owned(), format!("{slash}{rest}")))
}

/// Everything of a request that is known before its body: enough to choose a lane.
#[derive(Clone, Debug)]
pub struct Head {
    /// The method of the request line.
    pub method: Method,
    /// Every header in the order sent.
    pub headers: Headers,
    /// Address and port of the client.
    pub peer: SocketAddr,
    /// The id shown in error envelopes and in the diagnostic log.
    pub id: RequestId,
    /// In origin form: path and query.
    target: String,
    path_end: usize,
    /// The host of a target in absolute form.
    authority: Option<String>,
}

impl Head {
    /// A head with a fresh id. `target` is the request target as sent, with its query. Every server has
    /// to take one in absolute form (RFC 9112, 3.2.2), as clients send it that take us for a proxy.
    pub fn new(method: Method, target: String, headers: Headers, peer: SocketAddr) -> Self {
        let (authority, target) = match split_absolute(&target) {
            Some((authority, rest)) => (Some(authority), rest),
            None => (None, target),
        };
        let path_end = target.find('?').unwrap_or(target.len());
        Self { method, headers, peer, id: RequestId::next(), target, path_end, authority }
    }

    /// The request target, path and query.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The host and port that a target in absolute form names; they count instead of the `Host` header.
    pub fn authority(&self) -> Option<&str> {
        self.authority.as_deref()
    }

    /// Whether the target holds a character that no target may hold.
    pub fn is_malformed(&self) -> bool {
        !self.target.bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// The path as sent, without the query and not decoded.
    pub fn path(&self) -> &str {
        &self.target[..self.path_end]
    }

    /// The query string.
    pub fn query(&self) -> Query<'_> {
        Query::new(self.target.get(self.path_end + 1..).unwrap_or(""))
    }

    /// The first value of the header called `name`, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)
    }

    /// The client's address.
    pub fn ip(&self) -> IpAddr {
        self.peer.ip()
    }
}

/// A request with its body; dereferences to its [`Head`].
#[derive(Clone, Debug)]
pub struct Request {
    /// Everything before the body.
    pub head: Head,
    /// The body, at most [`limits::BODY_BYTES`]; empty unless it was read completely.
    pub body: Vec<u8>,
}

impl Deref for Request {
    type Target = Head;

    fn deref(&self) -> &Head {
        &self.head
    }
}

/// How the reading of a body ended. The connection is closed after the answer whenever the end of
/// the body is not known to be the start of the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRead {
    /// The body is in [`Request::body`] (empty when the request had none).
    Complete,
    /// The declared length is over [`limits::BODY_BYTES`].
    TooLarge,
    /// The connection ended, or made no progress for too long, before the declared length.
    Truncated,
    /// The end of the body cannot be known: a `Transfer-Encoding`, or a `Content-Length` that is
    /// not one plain number.
    Unframed,
}

/// Where the body of a request ends, by its headers alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// This many bytes follow the head; zero when there is no body.
    Length(u64),
    /// More than [`limits::BODY_BYTES`] are announced.
    Oversized(u64),
    /// The end cannot be known.
    Unknown,
}

impl Framing {
    /// Reads the framing headers as strictly as their grammar: digits only, and several equal
    /// `Content-Length` headers are refused like different ones, because two parsers in a row that
    /// disagree about the end of a body is how requests are smuggled.
    pub(super) fn of(headers: &Headers) -> Self {
        // Another parser might end the line at these characters.
        let is_ambiguous = headers.pairs().any(|(_, value)| value.contains(['\r', '\0']));
        if is_ambiguous || headers.get("Transfer-Encoding").is_some() {
            return Self::Unknown;
        }
        let mut lengths = headers.all("Content-Length");
        let Some(length) = lengths.next() else { return Self::Length(0) };
        let is_beyond = length.ends_with(intake::BEYOND);
        let length = length.trim_end_matches(intake::BEYOND);
        let plain = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        match length.parse::<u64>() {
            Ok(length) if plain && lengths.next().is_none() => {
                if is_beyond {
                    Self::Oversized(u64::MAX)
                } else if length > limits::BODY_BYTES as u64 {
                    Self::Oversized(length)
                } else {
                    Self::Length(length)
                }
            }
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> Headers {
        let mut headers = Headers::default();
        for (name, value) in pairs {
            headers.push(name, value);
        }
        headers
    }

    #[track_caller]
    fn check_query(raw: &str, expected: &[(&str, &str)]) {
        let pairs: Vec<_> = Query::new(raw).pairs().collect();
        let expected: Vec<_> =
            expected.iter().map(|(name, value)| (Cow::from(*name), Cow::from(*value))).collect();
        assert_eq!(pairs, expected, "{raw}");
    }

    #[test]
    fn decodes_queries() {
        check_query("", &[]);
        check_query("a=1&b=2", &[("a", "1"), ("b", "2")]);
        check_query("q=Pok%C3%A9mon+Red", &[("q", "Pokémon Red")]);
        check_query("q=%2B%26%3D%25", &[("q", "+&=%")]);
        check_query("a&=b&&c=d=e", &[("a", ""), ("", "b"), ("c", "d=e")]);
        check_query("q=100%&r=%zz&s=%4", &[("q", "100%"), ("r", "%zz"), ("s", "%4")]);
        check_query("q=%ff%00", &[("q", "\u{fffd}\0")]);
        check_query("q=%E2%98%83%e2%98%83", &[("q", "☃☃")]);
    }

    #[test]
    fn finds_first_and_all_values() {
        let query = Query::new("id=1&id=2&x=3");
        assert_eq!(query.get("id").as_deref(), Some("1"));
        assert_eq!(query.all("id"), ["1", "2"]);
        assert_eq!(query.get("y"), None);
    }

    #[test]
    fn splits_the_target_once() {
        let peer = SocketAddr::from(([127, 0, 0, 1], 9));
        let head = Head::new(Method::Get, "/a%2Fb?c=?&d".to_owned(), Headers::default(), peer);
        assert_eq!(head.path(), "/a%2Fb");
        assert_eq!(head.query().raw(), "c=?&d");
        let head = Head::new(Method::Get, "/a".to_owned(), Headers::default(), peer);
        assert_eq!((head.path(), head.query().raw()), ("/a", ""));
    }

    #[test]
    fn a_target_in_absolute_form_names_its_host() {
        let peer = SocketAddr::from(([127, 0, 0, 1], 9));
        for (target, authority, expected) in [
            ("http://a:1/b?c", Some("a:1"), "/b?c"),
            ("HTTP://a", Some("a"), "/"),
            ("http://a?b=/", Some("a"), "/?b=/"),
            ("http:///a", Some(""), "/a"),
            ("https://a/b", None, "https://a/b"),
            ("/http://a/b", None, "/http://a/b"),
            ("*", None, "*"),
            ("", None, ""),
        ] {
            let head = Head::new(Method::Get, target.to_owned(), Headers::default(), peer);
            assert_eq!((head.authority(), head.target()), (authority, expected), "{target}");
        }
    }

    #[test]
    fn a_target_is_made_of_visible_characters() {
        let peer = SocketAddr::from(([127, 0, 0, 1], 9));
        let foreign = char::from(intake::FOREIGN);
        for (target, expected) in [
            ("/a~!?%20".to_owned(), false),
            (format!("/{foreign}"), true),
            ("/\t".to_owned(), true),
        ] {
            let head = Head::new(Method::Get, target.clone(), Headers::default(), peer);
            assert_eq!(head.is_malformed(), expected, "{target:?}");
        }
    }

    #[test]
    fn headers_ignore_case_and_keep_order() {
        let headers = headers(&[("Host", " a "), ("X-A", "1"), ("x-a", "2"), ("Empty", "")]);
        assert_eq!(headers.get("hOST"), Some("a"));
        assert_eq!(headers.all("X-a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(headers.get("empty"), Some(""));
        assert_eq!(headers.get("none"), None);
    }

    #[track_caller]
    fn check_framing(pairs: &[(&str, &str)], expected: Framing) {
        assert_eq!(Framing::of(&headers(pairs)), expected, "{pairs:?}");
    }

    #[test]
    fn frames_bodies_strictly() {
        check_framing(&[], Framing::Length(0));
        check_framing(&[("Content-Length", "12")], Framing::Length(12));
        check_framing(&[("Content-Length", "65536")], Framing::Length(65_536));
        check_framing(&[("Content-Length", "65537")], Framing::Oversized(65_537));
        check_framing(&[("Content-Length", "6710886x")], Framing::Oversized(u64::MAX));
        check_framing(&[("Content-Length", "x")], Framing::Unknown);
        check_framing(&[("Content-Length", "18446744073709551615")], Framing::Oversized(u64::MAX));
        check_framing(&[("Content-Length", "18446744073709551616")], Framing::Unknown);
        for odd in ["+5", "-1", "5,5", "0x5", "", "5 5", "five"] {
            check_framing(&[("Content-Length", odd)], Framing::Unknown);
        }
        check_framing(&[("Content-Length", "5"), ("Content-Length", "5")], Framing::Unknown);
        check_framing(&[("Transfer-Encoding", "chunked")], Framing::Unknown);
        check_framing(
            &[("Content-Length", "5"), ("Transfer-Encoding", "identity")],
            Framing::Unknown,
        );
    }

    #[test]
    fn ids_are_short_and_differ() {
        let (first, second) = (RequestId::next().to_string(), RequestId::next().to_string());
        assert_eq!(first.len(), 12);
        assert_ne!(first, second);
    }
}
