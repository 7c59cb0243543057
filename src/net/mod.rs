//! The one door for outgoing HTTP.
//!
//! Owns addresses, their resolution and the requests themselves. Nothing else in the house opens a
//! connection to another host. Refuses redirects, proxies and addresses that were not checked: what
//! was resolved and approved is what is connected to.

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
