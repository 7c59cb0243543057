//! A receiver of webhooks: takes requests one by one and answers each as the test wants.

use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
};

use hmac::{Hmac, KeyInit as _, Mac as _};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use sha2::Sha256;

use super::wait::PATIENCE;

/// The receiver; it listens on 127.0.0.1.
pub(crate) struct Receiver(TcpListener);

impl Receiver {
    /// A receiver on a free port.
    pub(crate) fn new() -> Self {
        Self(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"))
    }

    /// The address to be put into a configuration.
    pub(crate) fn url(&self) -> String {
        let address = self.0.local_addr().expect("its address");
        format!("http://{address}/hook?key=1")
    }

    /// The next request, whole.
    #[track_caller]
    pub(crate) fn next(&self) -> Delivery {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        let patience = Timespec::try_from(PATIENCE).expect("a short time");
        assert_eq!(poll(&mut fds, Some(&patience)).expect("a poll"), 1, "nothing was delivered");
        let (stream, _) = self.0.accept().expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Delivery::read(stream)
    }
}

/// One request. Dropping it closes the connection without an answer.
pub(crate) struct Delivery {
    stream: TcpStream,
    /// Method and target.
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    /// The exact body.
    pub(crate) body: Vec<u8>,
}

impl Delivery {
    fn read(stream: TcpStream) -> Self {
        let mut wire = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            wire.read_line(&mut line).expect("a line");
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
        let headers: Vec<_> =
            headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.and_then(|(_, value)| value.parse().ok()).expect("a length");
        let mut body = vec![0; length];
        wire.read_exact(&mut body).expect("a whole body");
        Self { stream: wire.into_inner(), line: lines.remove(0), headers, body }
    }

    /// A header; empty when it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(other, _)| *other == name.to_lowercase());
        found.map_or("", |(_, value)| value)
    }

    /// The body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    /// Whether the signature is the one this secret makes of the timestamp and the bytes that came.
    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
        let signed = [self.header("X-Service-Timestamp").as_bytes(), b".", &self.body].concat();
        mac.update(&signed);
        let mut expected = "sha256=".to_owned();
        for byte in mac.finalize().into_bytes() {
            // OK because writing to a String never fails.
            let _ = write!(expected, "{byte:02x}");
        }
        self.header("X-Service-Signature") == expected
    }

    /// Answers with a status and headers, each ending in CR LF.
    pub(crate) fn answer(mut self, status: u16, headers: &str) {
        let answer = format!("HTTP/1.1 {status} Said\r\n{headers}Content-Length: 0\r\n\r\n");
        self.stream.write_all(answer.as_bytes()).expect("an answer");
    }

    /// Closes in the middle of the status line.
    pub(crate) fn break_off(mut self) {
        self.stream.write_all(b"HTTP/1.1 2").expect("a few bytes");
        // OK because the peer may have closed first.
        let _closed = self.stream.shutdown(Shutdown::Both);
    }
}
