//! The network as deliveries see it.
//!
//! Everything a delivery asks of the network goes through [`Outside`], so that a test can say what
//! a name resolves to and what a receiver answers.

use std::{io, net::SocketAddr};

use crate::net::{
    client::{self, Answered, Post, Unanswered},
    location::Location,
    probe,
};

/// What deliveries need of the network.
pub trait Outside: Send + Sync {
    /// The addresses of a host.
    ///
    /// # Errors
    /// When it has none.
    fn resolve(&self, location: &Location) -> io::Result<Vec<SocketAddr>>;

    /// Whether a program listens at an address of this machine.
    fn is_listening(&self, address: SocketAddr) -> bool;

    /// Sends a POST to the addresses it names.
    ///
    /// # Errors
    /// [`Unanswered`].
    fn post(&self, post: &Post<'_>) -> Result<Answered, Unanswered>;
}

/// The real network.
#[derive(Clone, Copy, Debug)]
pub struct Network;

impl Outside for Network {
    fn resolve(&self, location: &Location) -> io::Result<Vec<SocketAddr>> {
        location.resolve()
    }

    fn is_listening(&self, address: SocketAddr) -> bool {
        probe::is_listening(address)
    }

    fn post(&self, post: &Post<'_>) -> Result<Answered, Unanswered> {
        client::post(post)
    }
}
