//! An HTTP/1.1 client of our own: keep-alive, raw access for broken requests, nothing hidden.
//!
//! It expects what the program promises (a length on every answer, one answer per request) and fails
//! on anything else, so every black-box test also tests the framing.

use std::{
    fmt::{self, Write as _},
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
};

use serde_json::Value;

use super::{shapes, wait::PATIENCE};

/// Answers up to this size are compared with the OpenAPI document.
const CHECKED_BYTES: usize = 64 << 10;

/// A request that is complete but for the defaults a [`Client`] adds: host, token, length.
#[derive(Clone)]
pub(crate) struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    omitted: Vec<&'static str>,
    body: Option<Vec<u8>>,
}

impl fmt::Debug for Request {
    /// The line of the request and the beginning of its body, for the message of a test that fails.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(self.body.as_deref().unwrap_or_default());
        let body: String = body.chars().take(500).collect();
        write!(formatter, "{} {} {:?} {body}", self.method, self.target, self.headers)
    }
}

impl Request {
    /// Any method and request target, without a body.
    pub(crate) fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            omitted: Vec::new(),
            body: None,
        }
    }

    /// A GET request.
    pub(crate) fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    /// A POST request with a JSON body.
    pub(crate) fn post(target: &str, body: &Value) -> Self {
        Self::new("POST", target).header("Content-Type", "application/json").body(body.to_string())
    }

    /// Adds a header; one that the client would add itself is replaced.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Leaves a header out that the client would add itself.
    pub(crate) fn without(mut self, name: &'static str) -> Self {
        self.omitted.push(name);
        self
    }

    /// Leaves the token out.
    pub(crate) fn without_token(self) -> Self {
        self.without(TOKEN)
    }

    /// Sets the body.
    pub(crate) fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = Some(bytes.into());
        self
    }

    /// The bytes of the request with the defaults of a client of this address and token.
    pub(crate) fn to_bytes(&self, address: SocketAddr, token: &str) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        let length = self.body.as_ref().map(|body| body.len().to_string());
        let defaults = [
            ("Host", Some(address.to_string())),
            (TOKEN, (!token.is_empty()).then(|| token.to_owned())),
            ("Content-Length", length),
        ];
        for (name, value) in defaults {
            let given = self.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
            let Some(value) = value.filter(|_| !given && !self.omitted.contains(&name)) else {
                continue;
            };
            push_header(&mut text, name, &value);
        }
        for (name, value) in &self.headers {
            push_header(&mut text, name, value);
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend(self.body.iter().flatten());
        bytes
    }
}

const TOKEN: &str = "X-Service-Token";

fn push_header(head: &mut String, name: &str, value: &str) {
    for piece in [name, ": ", value, "\r\n"] {
        head.push_str(piece);
    }
}

/// An answer: the head as it came, the body as it came over the wire.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The status code.
    pub(crate) status: u16,
    /// Header names and values in the order of the wire.
    pub(crate) headers: Vec<(String, String)>,
    /// The body before any content decoding.
    pub(crate) wire: Vec<u8>,
}

impl Reply {
    /// The value of a header, whatever the case of its name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body, unpacked when it says that it is gzip.
    pub(crate) fn body(&self) -> Vec<u8> {
        if self.header("Content-Encoding") != Some("gzip") {
            return self.wire.clone();
        }
        let mut bytes = Vec::new();
        let mut unpack = flate2::read::MultiGzDecoder::new(self.wire.as_slice());
        unpack.read_to_end(&mut bytes).expect("a gzip body");
        bytes
    }

    /// The body as text.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body()).expect("a UTF-8 body")
    }

    /// The body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let text = self.text();
        let parsed = serde_json::from_str(&text);
        assert!(parsed.is_ok(), "no JSON in answer {}: {text:?}", self.status);
        parsed.unwrap_or_default()
    }

    /// Where the answer differs from what its route documents. Large ones are not looked at.
    fn difference(&self, request: &Request) -> Option<String> {
        let is_json = self.header("Content-Type").is_some_and(|kind| kind.contains("json"));
        let is_done = matches!(self.status, 200..=299) && request.method != "HEAD";
        if !is_json || !is_done || self.wire.is_empty() || self.wire.len() > CHECKED_BYTES {
            return None;
        }
        let path = request.target.split('?').next().unwrap_or_default();
        shapes::difference(&request.method, path, self.status, &self.json())
    }

    /// Fails unless the status is this one; shows the answer then.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        let body = String::from_utf8_lossy(&self.wire);
        assert_eq!(self.status, status, "body: {}", body.chars().take(2_000).collect::<String>());
        self
    }
}

/// One connection, byte by byte.
pub(crate) struct Wire(BufReader<TcpStream>);

impl Wire {
    /// Connects; reads and writes that make no progress for [`PATIENCE`] fail.
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self(BufReader::with_capacity(64 * 1024, stream)))
    }

    /// As [`Wire::connect`], from a port of this machine that is free, or was until a moment ago.
    pub(crate) fn connect_from(port: u16, address: SocketAddr) -> io::Result<Self> {
        use rustix::net::{AddressFamily, SocketType, bind, connect, socket, sockopt};
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        bind(&socket, &SocketAddr::from(([127, 0, 0, 1], port)))?;
        connect(&socket, &address)?;
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self(BufReader::with_capacity(64 * 1024, stream)))
    }

    /// The port of this side.
    pub(crate) fn port(&self) -> io::Result<u16> {
        Ok(self.0.get_ref().local_addr()?.port())
    }

    /// Ends the connection at once, so that its port can be used again.
    pub(crate) fn reset(self) -> io::Result<()> {
        let linger = Some(std::time::Duration::ZERO);
        Ok(rustix::net::sockopt::set_socket_linger(self.0.get_ref(), linger)?)
    }

    /// Makes the system buffer as little as it can of what is not read.
    pub(crate) fn narrow(&self) {
        let socket = self.0.get_ref();
        rustix::net::sockopt::set_socket_recv_buffer_size(socket, 1).expect("a small buffer");
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// Says that nothing more will be sent.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.0.get_ref().shutdown(Shutdown::Write)
    }

    /// One line without its end; `None` once the peer has closed.
    pub(crate) fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
        Ok(Some(line))
    }

    /// The status line and headers of an answer; the body stays on the wire.
    pub(crate) fn head(&mut self) -> io::Result<Reply> {
        let status = self.line()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let code = status.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status =
            code.ok_or_else(|| io::Error::other(format!("no HTTP/1.1 status line: {status:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            if line.is_empty() {
                return Ok(Reply { status, headers, wire: Vec::new() });
            }
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| io::Error::other(format!("no header: {line:?}")))?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    /// A whole answer. `bodiless` says that the request was a HEAD.
    pub(crate) fn reply(&mut self, bodiless: bool) -> io::Result<Reply> {
        let mut reply = self.head()?;
        if bodiless || matches!(reply.status, 204 | 304) {
            return Ok(reply);
        }
        let length = reply.header("Content-Length").and_then(|text| text.parse().ok());
        let length: usize = length.ok_or_else(|| io::Error::other("an answer without a length"))?;
        reply.wire = vec![0; length];
        self.0.read_exact(&mut reply.wire)?;
        Ok(reply)
    }

    /// Reads and drops whatever still comes until the connection ends, in whatever way.
    pub(crate) fn ended(&mut self) -> io::Result<()> {
        match io::copy(&mut self.0, &mut io::sink()) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether the peer has closed: waits for its end of stream, fails on any further byte.
    pub(crate) fn closed(&mut self) -> io::Result<bool> {
        match self.0.fill_buf() {
            Ok(bytes) => Ok(bytes.is_empty()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// A client that keeps one connection alive and sends the token.
pub(crate) struct Client {
    address: SocketAddr,
    token: String,
    wire: Option<Wire>,
}

impl Client {
    /// A client of the program at this address; it connects with its first request.
    pub(crate) fn new(address: SocketAddr, token: &str) -> Self {
        Self { address, token: token.to_owned(), wire: None }
    }

    /// Sends a request and reads its answer; fails the test when there is none, or one of another
    /// shape than its route documents.
    #[track_caller]
    pub(crate) fn send(&mut self, request: &Request) -> Reply {
        let answer = self.try_send(request);
        assert!(answer.is_ok(), "no answer to {request:?}: {answer:?}");
        let reply = answer.expect("checked above");
        let difference = reply.difference(request);
        assert_eq!(difference, None, "{request:?}");
        reply
    }

    /// Sends a request and reads its answer. After an error the next request reconnects.
    pub(crate) fn try_send(&mut self, request: &Request) -> io::Result<Reply> {
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => Wire::connect(self.address)?,
        };
        wire.send(&request.to_bytes(self.address, &self.token))?;
        let reply = wire.reply(request.method == "HEAD")?;
        let closing =
            reply.header("Connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        if !closing {
            self.wire = Some(wire);
        }
        Ok(reply)
    }

    /// GET, 200, JSON.
    #[track_caller]
    pub(crate) fn get(&mut self, target: &str) -> Value {
        self.send(&Request::get(target)).expect(200).json()
    }

    /// POST, 200, JSON.
    #[track_caller]
    pub(crate) fn post(&mut self, target: &str, body: &Value) -> Value {
        self.send(&Request::post(target, body)).expect(200).json()
    }
}

/// Percent-encodes a value of the query string.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // OK because writing to a String never fails.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
