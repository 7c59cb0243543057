//! One request in the server: from tiny_http's object to the last byte of its answer.
//!
//! Owns the hard part of tiny_http: its body reader, when dropped unread, allocates as many bytes as
//! the client's `Content-Length` says and reads them. The intake lets no length above
//! [`MOST_BYTES`] through, and no reader is dropped here before its rest is known to be harmless:
//!
//! - bodies up to the limit are read; what a client leaves out is at most 64 KiB;
//! - longer ones are read in small steps and thrown away for [`DISCARD_TIME`] at most, so that an
//!   honest client gets its answer on a living connection; one that sends nothing of its body for
//!   [`FIRST_BYTE_TIME`] gets its answer at the end of the connection;
//! - for everything else the guard writes the answer to a duplicate of the socket and severs it.
//!   After that a read ends at once, and dropping the reader costs one allocation that is never
//!   touched. It is tried first. When the system would refuse it, the request is forgotten instead:
//!   its reader, two dead descriptors and the connection's parked thread are never freed.

use std::{
    io::{self, Read as _},
    net::{Ipv4Addr, SocketAddr},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use super::{
    connections::Stage,
    guard::Post,
    intake::{BUFFERED_BYTES, FILLER, MOST_BYTES},
    reply::Reply,
    request::{BodyRead, Framing, Head, Headers, Method, Request},
    socket::Deed,
    sse::Sink,
    stand_ins,
    wire::{self, Afterwards, Terms},
};
use crate::base::limits;

/// How long the body of a client without a token may take.
const STRANGER_TIME: Duration = Duration::from_secs(2);
/// How long a body may be read only to be thrown away.
const DISCARD_TIME: Duration = Duration::from_secs(5);
/// How long the first byte of such a body may take: some clients wait for the answer before they send any of it.
const FIRST_BYTE_TIME: Duration = Duration::from_secs(1);
/// How much is read and thrown away at a time.
const DISCARD_STEP: usize = 64 * 1024;
/// How long one write to a live stream may make no progress.
const STREAM_WRITE_TIME: Duration = Duration::from_secs(5);

/// Requests that had to be forgotten since the start of the process.
static FORGOTTEN: AtomicUsize = AtomicUsize::new(0);

/// A parsed request whose turn it is, or will be.
pub(super) struct Parcel {
    exchange: Exchange,
    head: Head,
    framing: Framing,
}

/// The transport's side of a request: where its answer goes.
pub(super) struct Exchange {
    request: tiny_http::Request,
    /// Of the socket of its connection.
    inode: u64,
    terms: Terms,
    /// Bytes that dropping the request would try to read.
    unread: u64,
    /// The connection ends with the answer.
    sever: bool,
}

impl Parcel {
    /// Takes over a request from tiny_http.
    pub(super) fn open(request: tiny_http::Request) -> Self {
        let address = request.remote_addr().copied();
        let (inode, peer) = stand_ins::carried(
            address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0))),
        );
        let bytes = request
            .headers()
            .iter()
            .map(|header| header.field.as_str().as_str().len() + header.value.as_str().len());
        let mut headers = Headers::with_capacity(request.headers().len(), bytes.sum());
        for header in request.headers() {
            headers.push(header.field.as_str().as_str(), header.value.as_str());
        }
        let method = Method::from_name(request.method().as_str());
        let head = Head::new(method, request.url().to_owned(), headers, peer);
        let framing = Framing::of(&head.headers);
        let old = *request.http_version() == tiny_http::HTTPVersion(1, 0);
        let terms = Terms::of(&head, old);
        let announced = request.body_length().map_or(0, |length| length as u64);
        let buffered = announced <= BUFFERED_BYTES && head.header("Expect").is_none();
        let unread = if buffered { 0 } else { announced };
        let exchange = Exchange { request, inode, terms, unread, sever: false };
        Self { exchange, head, framing }
    }

    /// The inode of the socket it came from.
    pub(super) fn inode(&self) -> u64 {
        self.exchange.inode
    }

    /// Everything before the body.
    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// Reads the body, or does what is done instead. Blocks for as long as the guard allows.
    pub(super) fn receive<P>(
        self,
        post: &Post<P>,
        is_trusted: bool,
    ) -> (Exchange, Request, BodyRead) {
        let Self { mut exchange, head, framing } = self;
        let most = if is_trusted { Duration::MAX } else { STRANGER_TIME };
        let mut body = Vec::new();
        let read = match framing {
            Framing::Length(0) => BodyRead::Complete,
            Framing::Length(length) => {
                exchange.read_body(&mut body, length, most.min(post.rules.budget()), post)
            }
            Framing::Oversized(length) => {
                let waits = head.header("Expect").is_some();
                if !waits && length <= MOST_BYTES && is_allocatable(length) {
                    exchange.discard_body(length, most.min(DISCARD_TIME), post);
                } else {
                    exchange.end_connection(post);
                }
                BodyRead::TooLarge
            }
            Framing::Unknown => {
                exchange.end_connection(post);
                BodyRead::Unframed
            }
        };
        if exchange.unread > 0 {
            exchange.end_connection(post);
        }
        (exchange, Request { head, body }, read)
    }

    /// Throws the request away unanswered; its connection must have been severed.
    pub(super) fn dispose(self) {
        self.exchange.dispose();
    }
}

impl Exchange {
    /// The inode of the socket it came from.
    pub(super) fn inode(&self) -> u64 {
        self.inode
    }

    fn read_body<P>(
        &mut self,
        body: &mut Vec<u8>,
        length: u64,
        time: Duration,
        post: &Post<P>,
    ) -> BodyRead {
        let wanted = usize::try_from(length).unwrap_or(limits::BODY_BYTES);
        body.reserve_exact(wanted);
        let waits = self.unread > 0;
        if waits {
            let deadline = Instant::now() + time;
            post.connections.enter(self.inode, Stage::Reading(deadline));
        }
        let result = self.request.as_reader().take(length).read_to_end(body);
        if waits {
            post.connections.enter(self.inode, Stage::Working);
        }
        if body.len() == wanted {
            self.unread = 0;
            if body.last() != Some(&FILLER) || !stand_ins::is_cut_off(self.inode) {
                return BodyRead::Complete;
            }
            body.clear();
            self.end_connection(post);
            return BodyRead::Truncated;
        }
        // At the end of the stream tiny_http has dropped the reader already; after an error it has
        // not, and wants the rest when it is dropped.
        self.unread = if result.is_ok() { 0 } else { length - body.len() as u64 };
        body.clear();
        self.end_connection(post);
        BodyRead::Truncated
    }

    fn discard_body<P>(&mut self, length: u64, time: Duration, post: &Post<P>) {
        let begun = Instant::now();
        let deadline = discarded_until(begun, time, true);
        post.connections.enter(self.inode, Stage::Reading(discarded_until(begun, time, false)));
        let mut buffer = vec![0; DISCARD_STEP];
        let mut left = length;
        let reader = self.request.as_reader();
        while left > 0 && Instant::now() < deadline {
            let step = usize::try_from(left).map_or(DISCARD_STEP, |left| left.min(DISCARD_STEP));
            match reader.read(&mut buffer[..step]) {
                Ok(0) => {
                    // The client is gone, and with it tiny_http's reader.
                    self.sever = true;
                    left = 0;
                }
                Ok(read) => {
                    if left == length {
                        post.connections.enter(self.inode, Stage::Reading(deadline));
                    }
                    left -= read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.unread = left;
        post.connections.enter(self.inode, Stage::Working);
        if self.sever {
            self.end_connection(post);
        }
    }

    /// Sees to it that nothing more is served on this connection, and that it ends with the answer.
    fn end_connection<P>(&mut self, post: &Post<P>) {
        post.connections.doom(self.inode);
        self.sever = true;
        self.terms.afterwards = Afterwards::Close;
    }

    /// Answers. Blocks while the client reads slowly, as long as it reads.
    pub(super) fn deliver<P>(self, reply: Reply, post: &Post<P>) {
        if self.unread > 0 {
            match wire::render(reply, self.terms) {
                Ok(bytes) => post.command(self.inode, Deed::AnswerAndSever(bytes)),
                Err(_) => post.command(self.inode, Deed::Sever),
            }
            self.dispose();
            return;
        }
        let (inode, sever) = (self.inode, self.sever);
        let mut writer = self.request.into_writer();
        let sent = wire::send(&mut *writer, reply, self.terms);
        if sent.is_err() || sever {
            // Before the writer is dropped: tiny_http must not answer what it finds behind a body
            // whose end is unknown.
            post.connections.doom(inode);
            post.command(inode, Deed::Sever);
        }
    }

    /// Turns the exchange into a stream that ends with its connection; `fallback` answers when the
    /// handler drops the sink without an answer.
    pub(super) fn into_sink<P>(
        mut self,
        post: &Post<P>,
        fallback: Box<dyn FnOnce() -> Reply + Send>,
    ) -> Option<Sink> {
        self.end_connection(post);
        if self.unread > 0 {
            self.deliver(fallback(), post);
            return None;
        }
        post.command(self.inode, Deed::SendTimeout(STREAM_WRITE_TIME));
        Some(Sink::new(self.request.into_writer(), self.terms, fallback))
    }

    /// Drops the request, or forgets it when dropping would abort the process.
    pub(super) fn dispose(self) {
        if self.unread <= limits::BODY_BYTES as u64 || is_allocatable(self.unread) {
            drop(self.request);
            return;
        }
        let count = FORGOTTEN.fetch_add(1, Ordering::Relaxed) + 1;
        log::warn!("forgot a request that announced {} bytes ({count} so far)", self.unread);
        #[expect(clippy::mem_forget, reason = "its destructor would abort the process")]
        std::mem::forget(self.request);
    }
}

/// Until when a body is read only to be thrown away, by whether any of it has come.
fn discarded_until(begun: Instant, time: Duration, has_come: bool) -> Instant {
    begun + if has_come { time } else { time.min(FIRST_BYTE_TIME) }
}

/// Whether the system would hand out this many bytes at once. They are not touched.
fn is_allocatable(bytes: u64) -> bool {
    let Ok(bytes) = usize::try_from(bytes) else { return false };
    let mut probe: Vec<u8> = Vec::new();
    let granted = probe.try_reserve_exact(bytes).is_ok();
    // Without this the compiler may leave the allocation out and call it a success.
    std::hint::black_box(&mut probe);
    granted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_which_nothing_comes_is_not_waited_for_as_long() {
        let begun = Instant::now();
        let seconds = |time, has_come| {
            let until = discarded_until(begun, Duration::from_secs(time), has_come);
            (until - begun).as_secs()
        };
        assert_eq!((seconds(5, false), seconds(5, true)), (1, 5));
        assert_eq!((seconds(0, false), seconds(0, true)), (0, 0));
    }

    #[test]
    fn lies_are_not_allocatable() {
        assert!(is_allocatable(0));
        assert!(is_allocatable(MOST_BYTES));
        assert!(!is_allocatable(u64::MAX));
        assert!(!is_allocatable(1 << 60));
    }
}
