//! HTTP on the loopback interface: tiny_http wrapped, hardened and given lanes.
//!
//! Owns the listener, every thread that touches a socket, the types of requests and replies, and
//! the checks that need no knowledge of a route: host and origin, token, ranges, conditions, gzip.
//! Knows no route and no domain: a [`service::Service`] decides the answer.
//!
//! What tiny_http leaves open, and where it is answered:
//!
//! | hazard | answer |
//! |---|---|
//! | no time limit: a stalled head or body holds a thread forever | `guard`, `rules` |
//! | no length limit: an endless header fills the memory | `guard` |
//! | a request of HTTP/2.0 or 3.0 costs a thread and two descriptors permanently | `intake` |
//! | an unread body is drained through one allocation of the announced size | `intake`, `exchange` |
//! | accepting ends at the first error, or panics without descriptors | `server`, `guard` |
//! | threads and requests without bound | connection cap in `guard`, turns in `connections` |
//! | a thread that cannot be made ends accepting, and its pool | `capacity`, `gate`; `server` reopens |
//! | a dropped request answers an empty 500 | panics are caught in `lanes` |
//! | chunked request bodies | refused by `request::Framing`, connection severed |
//! | chunked and copied answers | `wire` |
//! | no `TCP_NODELAY`, no limit on slow readers | `socket::listen`, inherited by accepted sockets |
//!
//! One gap cannot be closed from outside: tiny_http reads bodies of up to 1,024 bytes itself, and
//! when the client ends the connection in the middle of one, it closes without an answer. A client
//! that merely stalls there is answered by the guard.

pub mod assets;
pub mod auth;
mod capacity;
pub mod conditional;
mod connections;
mod exchange;
pub mod gzip;
mod gate;
mod guard;
mod intake;
mod lanes;
pub mod origin;
pub mod peer;
pub mod range;
pub mod reply;
pub mod request;
mod rules;
pub mod server;
#[cfg(test)]
mod server_tests;
pub mod service;
mod socket;
pub mod sse;
mod stand_ins;
pub mod tickets;
mod wire;
