//! What the transport asks of the program behind it.

use super::{
    reply::Reply,
    request::{BodyRead, Head, Request, RequestId},
    sse::Sink,
};

/// Who works on a request. A slow route can never make a quick one wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Answered from memory or a small file, at once.
    Quick,
    /// May take seconds to minutes; has workers of its own.
    Slow,
    /// A live stream: a thread of its own, [`Service::stream`] instead of [`Service::answer`].
    Stream,
}

/// The program behind the transport. Called from many threads at once.
pub trait Service: Send + Sync + 'static {
    /// Chooses the lane by the head alone. Runs on the thread that received the request: reads
    /// tables only, never waits and never opens a file.
    fn lane(&self, head: &Head) -> Lane;

    /// Whether the client may take its time to send the body. Runs where [`Service::lane`] does. The
    /// body of any other client is waited for only for a moment, because its request is refused
    /// whatever the body is.
    fn is_trusted(&self, head: &Head) -> bool;

    /// Answers one request. `read` says how the reading of the body ended; the order of checks
    /// (host, body, route, token) is the service's business.
    fn answer(&self, request: Request, read: BodyRead) -> Reply;

    /// Serves a request of the stream lane on its own thread until the stream ends: either
    /// [`Sink::open`] and events, or [`Sink::reply`] with an ordinary answer.
    fn stream(&self, request: Request, sink: Sink);

    /// The answer after a handler has panicked; the transport has already logged the panic.
    fn panicked(&self, id: RequestId) -> Reply;

    /// The answer to a request that never became complete: the client stalled in the middle of it.
    fn incomplete(&self, id: RequestId) -> Reply;
}
