//! One request and its answer, part by part.
//!
//! A thread of its own talks to the server, so that the caller can give up at any time: a server
//! that hangs holds nothing but that thread, which ends with the time limit of the request.

use std::{
    io::Read as _,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use super::{
    error::{Cancel, ProviderError},
    pace::{Permit, SLICE},
};
use crate::{
    base::thread_named,
    net::{
        address::{Reach, reach},
        exchange::{Exchange, send},
        location::Location,
    },
};

/// Bytes of one part of a body.
const PART_BYTES: usize = 64 << 10;
/// Pieces that wait to be taken; with more the server has to wait.
const WAITING: usize = 4;
/// The longest silence in the middle of an answer.
const SILENCE: Duration = Duration::from_secs(30);
/// Headers of an answer that are kept.
const KEPT: [&str; 7] = [
    "Content-Length",
    "Content-Range",
    "Content-Type",
    "ETag",
    "Last-Modified",
    "Location",
    "Retry-After",
];

/// What the thread sends.
enum StreamMessage {
    Head(Head),
    Bytes(Vec<u8>),
    End,
    Failed(ProviderError),
}

/// The beginning of an answer.
#[derive(Clone, Debug)]
pub struct Head {
    /// HTTP status.
    pub status: u16,
    /// What the status means.
    pub reason: &'static str,
    headers: Vec<(&'static str, String)>,
}

impl Head {
    /// A header, when it is one of those that are kept.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }

    /// The length of the body as announced by the server.
    pub fn length(&self) -> Option<u64> {
        self.header("Content-Length")?.parse().ok()
    }

    /// Whether the body is a web page, as announced by the server.
    pub fn is_page(&self) -> bool {
        let kind = self.header("Content-Type").unwrap_or_default().to_ascii_lowercase();
        kind.starts_with("text/html") || kind.starts_with("application/xhtml")
    }
}

/// A request that is allowed to go where it goes.
pub(super) struct Sent {
    pub location: Location,
    pub wanted: Wanted,
    pub headers: Vec<(&'static str, String)>,
    /// The body of a POST; a GET has none.
    pub body: Option<Vec<u8>>,
    pub timeout: Duration,
}

/// Where the host of an address must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// On this machine.
    Loopback,
    /// In the public internet.
    Public,
    /// Anywhere: the user who started the program named it.
    Any,
}

/// An answer whose body is read part by part.
pub struct Stream {
    head: Head,
    messages: Receiver<StreamMessage>,
    _permit: Permit,
}

impl Stream {
    /// Sends a request and waits for the head of the answer.
    pub(super) fn begin(
        sent: Sent,
        permit: Permit,
        cancel: Cancel<'_>,
    ) -> Result<Self, ProviderError> {
        let (give, messages) = bounded(WAITING);
        let timeout = sent.timeout;
        let talk = move || talk(&sent, &|message| give.send(message).is_ok());
        // OK because the thread is known by its channel; it may outlive the one who asked.
        let spawned = thread_named("provider").spawn(talk).map(drop);
        spawned.map_err(|error| ProviderError::Unreachable(error.to_string()))?;
        match next(&messages, timeout.min(2 * SILENCE), cancel)? {
            StreamMessage::Head(head) => Ok(Self { head, messages, _permit: permit }),
            StreamMessage::Failed(error) => Err(error),
            StreamMessage::Bytes(_) | StreamMessage::End => Err(ProviderError::Broken),
        }
    }

    /// Status and headers.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// More of the body; `None` at its end.
    ///
    /// # Errors
    /// [`ProviderError::Broken`] when the rest does not come, [`ProviderError::Stopped`] within a
    /// fraction of a second of a cancellation.
    pub fn next(&self, cancel: Cancel<'_>) -> Result<Option<Vec<u8>>, ProviderError> {
        match next(&self.messages, SILENCE, cancel)? {
            StreamMessage::Bytes(bytes) => Ok(Some(bytes)),
            StreamMessage::End => Ok(None),
            StreamMessage::Failed(error) => Err(error),
            StreamMessage::Head(_) => Err(ProviderError::Broken),
        }
    }

    /// The whole body.
    ///
    /// # Errors
    /// As [`Stream::next`], and [`ProviderError::TooLarge`].
    pub fn read_all(self, limit: u64, cancel: Cancel<'_>) -> Result<Vec<u8>, ProviderError> {
        let mut all = Vec::new();
        while let Some(part) = self.next(cancel)? {
            if (all.len() + part.len()) as u64 > limit {
                return Err(ProviderError::TooLarge(limit));
            }
            all.extend(part);
        }
        Ok(all)
    }
}

/// Waits for a message, at most for the given time.
fn next(
    messages: &Receiver<StreamMessage>,
    patience: Duration,
    cancel: Cancel<'_>,
) -> Result<StreamMessage, ProviderError> {
    let begun = Instant::now();
    loop {
        if cancel() {
            return Err(ProviderError::Stopped);
        }
        match messages.recv_timeout(SLICE) {
            Ok(message) => return Ok(message),
            Err(RecvTimeoutError::Timeout) if begun.elapsed() < patience => {}
            Err(RecvTimeoutError::Timeout) => {
                return Err(ProviderError::Unreachable("The request timed out.".to_owned()));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(ProviderError::Broken),
        }
    }
}

/// Talks to the server until the end, or until the receiver is gone.
fn talk(sent: &Sent, give: &dyn Fn(StreamMessage) -> bool) {
    let received = match ask(sent) {
        Ok(received) => received.unpacked(),
        Err(error) => {
            give(StreamMessage::Failed(error));
            return;
        }
    };
    // What is left of the packing is none that can be read; the length is then of what is packed.
    let packing = received.header("Content-Encoding").map(str::to_ascii_lowercase);
    let is_foreign = !matches!(packing.as_deref(), None | Some("" | "identity"));
    let kept = KEPT.into_iter().filter(|name| !is_foreign || *name != "Content-Length");
    let kept = kept.filter_map(|name| Some((name, received.header(name)?.to_owned())));
    let headers = kept.collect();
    let status = received.status;
    let head = Head { status, reason: received.reason(), headers };
    let expected = head.length();
    if !give(StreamMessage::Head(head)) {
        return;
    }
    if is_foreign {
        // It cannot be read. For an error the status is enough.
        let is_error = status >= 400;
        give(if is_error {
            StreamMessage::End
        } else {
            StreamMessage::Failed(ProviderError::Nonsense)
        });
        return;
    }
    let mut body = received.into_body();
    let mut count = 0_u64;
    loop {
        let mut part = vec![0; PART_BYTES];
        match body.read(&mut part) {
            Ok(0) => {
                let is_whole = expected.is_none_or(|expected| expected == count);
                give(if is_whole {
                    StreamMessage::End
                } else {
                    StreamMessage::Failed(ProviderError::Broken)
                });
                return;
            }
            Ok(length) => {
                count += length as u64;
                part.truncate(length);
                if !give(StreamMessage::Bytes(part)) {
                    return;
                }
            }
            Err(error) => {
                log::info!("an answer of {} broke off: {error}", sent.location.host());
                give(StreamMessage::Failed(ProviderError::Broken));
                return;
            }
        }
    }
}

fn ask(sent: &Sent) -> Result<crate::net::exchange::Received, ProviderError> {
    let unreachable = |reason: &str| ProviderError::Unreachable(reason.to_owned());
    let found = sent.location.resolve().map_err(|_| unreachable("The host has no address."))?;
    let is_allowed = |reach: Reach| match sent.wanted {
        Wanted::Loopback => reach == Reach::Loopback,
        Wanted::Public => reach == Reach::Public,
        Wanted::Any => true,
    };
    if !found.iter().all(|address| is_allowed(reach(address.ip()))) {
        return Err(ProviderError::NotAllowed);
    }
    let headers: Vec<_> =
        sent.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let exchange = Exchange {
        location: &sent.location,
        addresses: &found,
        headers: &headers,
        body: sent.body.as_deref(),
        timeout: sent.timeout,
    };
    send(&exchange).map_err(|error| unreachable(&error.0))
}
