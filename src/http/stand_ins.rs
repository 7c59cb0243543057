//! Functions of the C library that the executable defines itself, because what tiny_http does with
//! its sockets can be bounded nowhere else: receiving and accepting.
//!
//! The standard library calls them, and the executable's own definition of a symbol comes before that
//! of a shared library. For sockets that are not ours they do what those functions do. Decides
//! nothing: [`Intake`] and [`Gate`] do.

#![expect(unsafe_code, reason = "standing in for a function of the C library has no safe form")]

use std::{
    os::fd::RawFd,
    ptr, slice,
    sync::{Arc, Mutex},
};

use super::{gate::Gate, intake::Intake, socket};
use crate::base::Hold as _;

/// What was read of the accepted connections, by descriptor number.
static INTAKES: Mutex<Intakes> = Mutex::new(Intakes { ports: Vec::new(), slots: Vec::new() });

/// The gate of each port listened on.
static GATES: Mutex<Vec<(u16, Arc<Gate>)>> = Mutex::new(Vec::new());

/// Has what is accepted on `port` pass through a gate, and what is received there through an
/// [`Intake`]. Called before anything is accepted.
pub(super) fn watch(port: u16, gate: Arc<Gate>) {
    INTAKES.hold().ports.push(port);
    GATES.hold().push((port, gate));
}

/// The gate before the listener `number`; none of what is not ours.
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
    let Some(count) = usize::try_from(received).ok().filter(|count| *count > 0) else {
        return received;
    };
    let mut intakes = INTAKES.hold();
    let Some(intake) = intakes.of(number) else { return received };
    // SAFETY: the kernel has just written so many bytes there, and the caller waits for this call.
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
