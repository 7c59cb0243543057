//! Events inside the program, delivered to subscribers.
//!
//! Owns the events, the bus that carries them and the bounded queue of every live-stream
//! subscriber. Does not wait for a listener: one that is too slow loses its own subscription and
//! nothing else. Knows no socket; `api` writes what a subscription yields.

pub mod bus;
pub mod event;
