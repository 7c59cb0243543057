//! HTTP on the loopback interface: tiny_http wrapped, hardened and given lanes.
//!
//! Owns the listener, every thread that touches a socket, the shapes of a request and a reply, and
//! the checks that need no knowledge of a route: host and origin, token, ranges, conditions, gzip.
//! Knows no route and no domain: what to answer is the business of a [`service::Service`].

pub mod auth;
pub mod conditional;
pub mod gzip;
pub mod origin;
pub mod range;
pub mod reply;
pub mod request;
pub mod service;
pub mod sse;
mod wire;
