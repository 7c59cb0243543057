//! Whether a client is still there, asked of the kernel's table of connections.
//!
//! A thread that writes a stream learns that its client has gone only with a write. Looking here
//! needs neither a write nor a descriptor. Reads `/proc/net/tcp`, nothing else.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    net::{IpAddr, SocketAddr},
};

/// The kernel's number for a connection that is open in both directions.
const ESTABLISHED: &str = "01";

/// Whether the client with this address has closed its end, or its connection is gone altogether.
/// False when the kernel does not report it.
pub fn has_left(peer: SocketAddr) -> bool {
    let Some(wanted) = spelled(peer) else { return false };
    let Ok(table) = File::open("/proc/net/tcp") else { return false };
    let mut lines = BufReader::new(table).lines().map_while(Result::ok);
    !lines.any(|line| is_open(&line, &wanted))
}

/// The address as the table spells it: the bytes as one little-endian number, and the port.
fn spelled(peer: SocketAddr) -> Option<String> {
    let IpAddr::V4(ip) = peer.ip() else { return None };
    Some(format!("{:08X}:{:04X}", u32::from_ne_bytes(ip.octets()), peer.port()))
}

fn is_open(line: &str, remote: &str) -> bool {
    let mut columns = line.split_whitespace().skip(2);
    columns.next() == Some(remote) && columns.next() == Some(ESTABLISHED)
}

#[cfg(test)]
mod tests {
    use std::{
        io::Read as _,
        net::{Shutdown, TcpListener, TcpStream},
    };

    use super::*;

    #[test]
    fn a_client_is_there_until_it_closes() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let client = TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
        let (mut accepted, peer) = listener.accept().expect("accepted");
        assert!(!has_left(peer));
        client.shutdown(Shutdown::Both).expect("closed");
        assert_eq!(accepted.read(&mut [0]).expect("the end"), 0);
        assert!(has_left(peer));
    }
}
