//! Functions of the C library that the executable defines itself, because what tiny_http does with
//! its sockets can be bounded nowhere else: receiving and accepting, and the address of a client, which
//! carries the inode of its socket.
//!
//! The standard library calls them, and the executable's own definition of a symbol comes before that
//! of a shared library. For other sockets they do what those functions do. Decides
//! nothing: [`Intake`] and [`Gate`] do.

#![expect(unsafe_code, reason = "standing in for a function of the C library has no safe form")]

use std::{
    collections::HashMap,
    mem,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6},
    os::fd::RawFd,
    ptr, slice,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    gate::Gate,
    intake::{Intake, Position},
    socket,
};
use crate::base::Hold as _;

/// What was read of the accepted connections, by descriptor number.
static INTAKES: Mutex<Intakes> = Mutex::new(Intakes { ports: Vec::new(), slots: Vec::new() });

/// The gate of each port listened on.
static GATES: Mutex<Vec<(u16, Arc<Gate>)>> = Mutex::new(Vec::new());

/// Passes connections accepted on `port` through a gate, and what is received there through an [`Intake`]. Called
/// before anything is accepted.
pub(super) fn watch(port: u16, gate: Arc<Gate>) {
    INTAKES.hold().ports.push(port);
    GATES.hold().push((port, gate));
}

/// The gate before the listener `number`; `None` for other descriptors.
fn gate_of(number: RawFd) -> Option<Arc<Gate>> {
    let port = socket::local_port(number)?;
    let gates = GATES.hold();
    let (_, gate) = gates.iter().rev().find(|(other, _)| *other == port)?;
    Some(Arc::clone(gate))
}

struct Intakes {
    /// The ports listened on.
    ports: Vec<u16>,
    /// The socket that was last read through each number; an intake for those accepted on a port.
    slots: Vec<(u64, Option<Intake>)>,
}

impl Intakes {
    fn of(&mut self, number: RawFd) -> Option<&mut Intake> {
        let index = usize::try_from(number).ok()?;
        let inode = socket::stat_of(number)?.st_ino;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, Default::default);
        }
        let (known, intake) = &mut self.slots[index];
        if *known != inode {
            let is_ours =
                self.ports.iter().any(|port| socket::peer_on_port(number, *port).is_some());
            (*known, *intake) = (inode, is_ours.then(Intake::default));
        }
        intake.as_mut()
    }
}

/// How far the requests of every accepted connection were received, by the inode of its socket. Closed
/// ones are there too, until their descriptor numbers are used again.
pub(super) fn positions() -> HashMap<u64, Position> {
    let intakes = INTAKES.hold();
    let position =
        |(inode, intake): &(u64, Option<Intake>)| Some((*inode, intake.as_ref()?.position()));
    intakes.slots.iter().filter_map(position).collect()
}

/// Whether the client of the connection with this socket ended it within a short body.
pub(super) fn is_cut_off(inode: u64) -> bool {
    let intakes = INTAKES.hold();
    let mut known = intakes.slots.iter().filter(|(known, _)| *known == inode);
    known.any(|(_, intake)| intake.as_ref().is_some_and(Intake::is_cut_off))
}

/// The first half of an IPv6 address whose second half is the inode of an accepted socket. Such addresses
/// stay in this process.
const CARRIER: u64 = 0xfd5e_7276_6963_6500;
#[expect(clippy::cast_possible_truncation, reason = "small constants")]
const INET6: libc::sa_family_t = libc::AF_INET6 as libc::sa_family_t;
#[expect(clippy::cast_possible_truncation, reason = "small constants")]
const CARRIER_BYTES: libc::socklen_t = size_of::<libc::sockaddr_in6>() as libc::socklen_t;

/// The address that tiny_http gets for the client at `port`.
fn carry(inode: u64, port: u16) -> SocketAddrV6 {
    let ip = Ipv6Addr::from_bits(u128::from(CARRIER) << 64 | u128::from(inode));
    SocketAddrV6::new(ip, port, 0, 0)
}

/// The inode of the socket and the client that an address of tiny_http stands for. An address that
/// carries no inode gets a number that no socket has.
pub(super) fn carried(address: SocketAddr) -> (u64, SocketAddr) {
    static UNKNOWN: AtomicU64 = AtomicU64::new(u64::MAX);
    if let SocketAddr::V6(carrier) = address {
        let inode = carrier.ip().to_bits() ^ (u128::from(CARRIER) << 64);
        if let Ok(inode) = u64::try_from(inode) {
            return (inode, SocketAddr::from((Ipv4Addr::LOCALHOST, carrier.port())));
        }
    }
    (UNKNOWN.fetch_sub(1, Ordering::Relaxed), address)
}

/// What stands for the address of the client of an accepted socket; `None` for other sockets.
fn carrier_of(number: RawFd) -> Option<SocketAddrV6> {
    let port = socket::local_port(number)?;
    if !INTAKES.hold().ports.contains(&port) {
        return None;
    }
    let client = socket::peer_on_port(number, port).map_or(0, |client| client.port());
    Some(carry(socket::stat_of(number)?.st_ino, client))
}

/// Stands in for the function with which the standard library asks for the address of a client. The one of
/// an accepted socket carries its inode: the address itself may belong to the next connection of a client
/// while a request of the last one is still on its way.
///
/// Should the standard library ask in another way one day, the tests of pipelined requests fail.
#[unsafe(no_mangle)]
unsafe extern "C" fn getpeername(
    number: libc::c_int,
    address: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
) -> libc::c_int {
    // SAFETY: the caller vouches for the length.
    let room = unsafe { *length };
    if room >= CARRIER_BYTES
        && let Some(carrier) = carrier_of(number)
    {
        // SAFETY: all fields are integers, for which zeroes are valid values.
        let mut name: libc::sockaddr_in6 = unsafe { mem::zeroed() };
        name.sin6_family = INET6;
        name.sin6_port = carrier.port().to_be();
        name.sin6_addr.s6_addr = carrier.ip().octets();
        // SAFETY: the caller vouches for the pointers, and has room for this address.
        unsafe {
            address.cast::<libc::sockaddr_in6>().write_unaligned(name);
            *length = CARRIER_BYTES;
        }
        return 0;
    }
    // SAFETY: the caller vouches for the pointers.
    unsafe { socket::peer_name(number, address, length) }
}

/// Stands in for the function of the C library with which the standard library reads from sockets,
/// so that what tiny_http reads passes through an [`Intake`] first. For every other socket it does
/// what that function does.
///
/// Should the standard library read in another way one day, the tests of newer versions of HTTP fail.
#[unsafe(no_mangle)]
unsafe extern "C" fn recv(
    number: libc::c_int,
    buffer: *mut libc::c_void,
    length: libc::size_t,
    flags: libc::c_int,
) -> libc::ssize_t {
    // SAFETY: the caller vouches for the buffer; without an address this is the definition of recv.
    let received =
        unsafe { libc::recvfrom(number, buffer, length, flags, ptr::null_mut(), ptr::null_mut()) };
    if flags & libc::MSG_PEEK != 0 {
        return received;
    }
    let Ok(count) = usize::try_from(received) else { return received };
    let mut intakes = INTAKES.hold();
    let Some(intake) = intakes.of(number) else { return received };
    if count == 0 && length > 0 {
        // SAFETY: the caller vouches for the length of the buffer and waits for this call. Its bytes are
        // written before they are read.
        let room = unsafe { slice::from_raw_parts_mut(buffer.cast::<u8>(), length) };
        return intake.make_up(room).cast_signed();
    }
    // SAFETY: the kernel has just written this many bytes there, and the caller waits for this call.
    let bytes = unsafe { slice::from_raw_parts_mut(buffer.cast::<u8>(), count) };
    intake.pass(bytes).cast_signed()
}

/// Stands in for the function with which the standard library accepts connections: waits at the gate
/// of a listener first.
///
/// Should the standard library accept in another way one day, the tests of few threads fail.
#[unsafe(no_mangle)]
unsafe extern "C" fn accept4(
    number: libc::c_int,
    address: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
    flags: libc::c_int,
) -> libc::c_int {
    let gate = gate_of(number);
    if let Some(gate) = &gate {
        gate.wait();
    }
    // SAFETY: the caller vouches for the pointers; this call is the definition of accept4.
    let accepted = unsafe { libc::syscall(libc::SYS_accept4, number, address, length, flags) };
    if accepted >= 0
        && let Some(gate) = &gate
    {
        gate.accepted();
    }
    // A descriptor is a small number, and an error is -1.
    libc::c_int::try_from(accepted).unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_carries_an_inode_and_gives_it_back() {
        for inode in [0, 1, 4_000_000_000, u64::MAX >> 1] {
            let client = SocketAddr::from((Ipv4Addr::LOCALHOST, 40_562));
            assert_eq!(carried(carry(inode, 40_562).into()), (inode, client));
        }
        let plain = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
        let [first, second] = [carried(plain), carried(plain)];
        assert_eq!([first.1, second.1], [plain; 2]);
        assert_ne!(first.0, second.0, "two unknown sockets");
    }
}
