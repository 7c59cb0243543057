//! Clients that misbehave below HTTP: the executable survives them and keeps serving the others.

mod crowd;
mod exhaustion;
mod hazards;
mod memory;
mod quiet;
mod silent_providers;
mod slow_bodies;

use crate::support::{client::Request, server::Server};

/// A route that needs no token and no state, for the client that behaves.
const PUBLIC: &str = "/";

/// The head of a request without a token; more headers and the empty line are the caller's.
fn head(server: &Server, line: &str) -> String {
    format!("{line} HTTP/1.1\r\nHost: {}\r\n", server.address())
}

/// Fails unless another client is served as usual.
#[track_caller]
fn assert_serving(server: &Server) {
    let mut client = server.client();
    client.send(&Request::get(PUBLIC)).expect(200);
    // On a busy machine a second may pass before the next request. A connection that is idle for this long may be
    // closed in favour of others; then every client reconnects.
    let again = client.try_send(&Request::get(PUBLIC));
    again.unwrap_or_else(|_| client.send(&Request::get(PUBLIC))).expect(200);
}
