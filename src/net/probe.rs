//! Whether a program listens at an address.

use std::{
    io,
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// How long a connection may take. A listener on this machine answers at once.
const PATIENCE: Duration = Duration::from_millis(500);

/// Connects and hangs up again. Only a refused connection means that none does: a listener whose queue
/// is full does not answer in time and is there all the same.
pub fn is_listening(address: SocketAddr) -> bool {
    match TcpStream::connect_timeout(&address, PATIENCE) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::ConnectionRefused,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    #[test]
    fn tells_a_listener_from_a_free_port() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        assert!(is_listening(address));
        drop(listener);
        assert!(!is_listening(address));
    }
}
