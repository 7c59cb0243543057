//! Outgoing HTTP: the only module that opens connections to other hosts.
//!
//! Owns addresses, their resolution and the requests. Uses no proxy and follows no redirect without checking its
//! target: a connection goes to the address that was resolved and approved.

pub mod address;
pub mod client;
pub mod download;
pub mod exchange;
pub mod fetch;
pub mod frames;
pub mod local;
pub mod location;
pub mod probe;
pub mod websocket;
