//! Sockets below tiny_http: the listener, the process's own descriptors, and the guard's bell.
//!
//! `dup3` by number, `TCP_INFO` and signal-driven I/O have no safe form. Decides nothing: the guard does.

#![expect(unsafe_code, reason = "three interfaces without a safe wrapper")]

use std::{
    io,
    mem::{self, MaybeUninit},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::fd::{AsFd, AsRawFd as _, OwnedFd, RawFd},
    ptr,
    sync::Mutex,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec},
    fs::{CWD, Dir, FileType, Mode, OFlags},
    net::{SendFlags, Shutdown, sockopt},
    process::{Resource, Rlimit},
};

use crate::base::Hold as _;

/// The signal that wakes the guard. Its default is to be ignored, so one that reaches the wrong
/// thread does nothing.
const BELL: libc::c_int = libc::SIGURG;

/// `fcntl` commands of Linux that the `libc` crate does not define for every target.
const F_SETSIG: libc::c_int = 10;
const F_SETOWN_EX: libc::c_int = 15;
const F_OWNER_TID: libc::c_int = 0;
/// The state of a TCP connection whose other side has closed it.
const CLOSE_WAIT: u8 = 8;

#[repr(C)]
struct OwnerEx {
    kind: libc::c_int,
    pid: libc::pid_t,
}

/// Bytes the kernel queues for one connection; it doubles the number for its own needs. A body may
/// have half of it, so no client waits for the window; and what a client has sent before it is severed,
/// which tiny_http parses still, is bounded.
const RECEIVE_BUFFER: usize = 128 * 1024;

/// Opens the listener on the loopback interface: on `preferred` when that port is free, else on one
/// the kernel chooses. Accepted sockets inherit its options: no delay of small writes, an end to a
/// write that makes no progress for `send_timeout`, and a small receive buffer.
pub(super) fn listen(preferred: Option<u16>, send_timeout: Duration) -> io::Result<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = match preferred.map(bind) {
        Some(Ok(listener)) => listener,
        Some(Err(_)) | None => bind(0)?,
    };
    sockopt::set_tcp_nodelay(&listener, true)?;
    sockopt::set_socket_timeout(&listener, sockopt::Timeout::Send, Some(send_timeout))?;
    sockopt::set_socket_recv_buffer_size(&listener, RECEIVE_BUFFER)?;
    Ok(listener)
}

/// Raises the limit on open files to what the system allows and returns it. A limit that cannot be
/// raised is returned as it is.
pub(super) fn raise_file_limit() -> u64 {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let effective = match rustix::process::setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    effective.unwrap_or(u64::MAX)
}

/// One accepted connection as the descriptor table shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting {
    /// The number of one of its descriptors.
    pub(super) number: RawFd,
    /// Identifies the socket for as long as it exists.
    pub(super) inode: u64,
    /// The client.
    pub(super) peer: SocketAddr,
    /// Bytes received since the connection began; `None` where the kernel does not report it.
    pub(super) received: Option<u64>,
    /// Bytes of these that were not read yet.
    pub(super) unread: u64,
    /// The client has left without a byte: the connection ends once a thread reads it.
    pub(super) is_abandoned: bool,
}

/// What is done to a connection.
#[derive(Debug)]
pub(super) enum Deed {
    /// No more reading: a blocked read ends at once, answers can still be written.
    StopReading,
    /// Both directions end, and the last descriptor that closes resets the connection: a client
    /// that keeps sending learns it at once, and no send buffer outlives it.
    Sever,
    /// The bytes are written as far as the send buffer takes them; then as [`Deed::Sever`].
    AnswerAndSever(Vec<u8>),
    /// Writes without progress end after this time.
    SendTimeout(Duration),
}

/// Finds the accepted connections of one port through the process's own descriptor table.
///
/// tiny_http keeps its sockets to itself, but they are descriptors of this process. Looking asks the
/// kernel by number, which a file that takes the number meanwhile answers with an error. Acting goes
/// through a duplicate, because a number may be closed and reused at any moment; the duplicate always
/// lands on the same slot, so it needs no free descriptor and works when there are none left.
pub(super) struct DescriptorTable {
    port: u16,
    listing: Dir,
    /// Number and inode of every socket of the process at the last check.
    sockets: Vec<(RawFd, u64)>,
    slot: OwnedFd,
    blank: OwnedFd,
    /// Duplicates of files that took the number of a socket at the wrong moment. They stay open:
    /// closing any duplicate of a file would drop the record locks the process holds on it.
    strangers: Vec<OwnedFd>,
}

impl DescriptorTable {
    /// A view of the connections accepted on `port`.
    pub(super) fn open(port: u16) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let directory = flags | OFlags::DIRECTORY;
        let listing = rustix::fs::openat(CWD, "/proc/self/fd", directory, Mode::empty())?;
        let blank = rustix::fs::openat(CWD, "/dev/null", flags, Mode::empty())?;
        let slot = blank.try_clone()?;
        let listing = Dir::new(listing)?;
        Ok(Self { port, listing, sockets: Vec::new(), slot, blank, strangers: Vec::new() })
    }

    /// Every connection accepted on the port and not yet closed, once each.
    pub(super) fn sight(&mut self) -> io::Result<Vec<Sighting>> {
        let mut sightings: Vec<Sighting> = Vec::new();
        self.list_sockets()?;
        for (number, inode) in mem::take(&mut self.sockets) {
            self.sockets.push((number, inode));
            if sightings.iter().rev().any(|sighting| sighting.inode == inode) {
                continue;
            }
            let Some(peer) = peer_on_port(number, self.port) else { continue };
            let unread = bytes_unread(number);
            let info = tcp_info(number);
            let received = info.map(|info| info.tcpi_bytes_received);
            let is_abandoned = info.is_some_and(|info| is_abandoned(&info));
            // Asked last: all of the above came from this socket.
            if is_socket(number, inode) {
                sightings.push(Sighting { number, inode, peer, received, unread, is_abandoned });
            }
        }
        Ok(sightings)
    }

    /// Does something to a connection, if it is still the one that was seen.
    pub(super) fn act(&mut self, sighting: &Sighting, deed: &Deed) {
        if is_socket(sighting.number, sighting.inode)
            && self.hold(sighting.number, sighting.inode).is_some()
        {
            let socket = &self.slot;
            // Errors mean that the connection has ended by itself, which is what is wanted.
            let _ = match deed {
                Deed::StopReading => rustix::net::shutdown(socket, Shutdown::Read),
                Deed::Sever => sever(socket),
                Deed::AnswerAndSever(bytes) => {
                    let _ =
                        rustix::net::send(socket, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
                    sever(socket)
                }
                Deed::SendTimeout(timeout) => {
                    sockopt::set_socket_timeout(socket, sockopt::Timeout::Send, Some(*timeout))
                }
            };
        }
        self.let_go();
    }

    /// Whether descriptor `number` was the socket `inode` at the last [`DescriptorTable::sight`].
    pub(super) fn held(&self, number: RawFd, inode: u64) -> bool {
        self.sockets.contains(&(number, inode))
    }

    /// Lists every socket among the process's descriptors. Only the names of the
    /// links are read: no descriptor that is not a socket is ever duplicated.
    fn list_sockets(&mut self) -> io::Result<()> {
        self.sockets.clear();
        self.listing.rewind();
        while let Some(entry) = self.listing.read() {
            let entry = entry?;
            let Some(number) = entry.file_name().to_str().ok().and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let mut buffer = [MaybeUninit::<u8>::uninit(); 40];
            let directory = self.listing.fd()?;
            let target = rustix::fs::readlinkat_raw(directory, entry.file_name(), &mut buffer[..]);
            let Ok((target, _)) = target else { continue };
            let inode = target.strip_prefix(b"socket:[").and_then(|rest| rest.strip_suffix(b"]"));
            let inode = inode.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
            self.sockets.extend(inode.map(|inode| (number, inode)));
        }
        Ok(())
    }

    /// Puts a duplicate of descriptor `number` into the slot if it is the socket `inode`.
    fn hold(&mut self, number: RawFd, inode: u64) -> Option<()> {
        // SAFETY: dup3 accepts any number: one that is not open is answered with EBADF. The slot is
        // a descriptor owned by this table; the call replaces what it refers to, atomically.
        let result = unsafe { libc::dup3(number, self.slot.as_raw_fd(), libc::O_CLOEXEC) };
        if result < 0 {
            return None;
        }
        let stat = rustix::fs::fstat(&self.slot).ok()?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Socket {
            let fresh = self.blank.try_clone().ok()?;
            self.strangers.push(mem::replace(&mut self.slot, fresh));
            return None;
        }
        (stat.st_ino == inode).then_some(())
    }

    /// Lets go of what the slot refers to, so that the table never keeps a connection open.
    fn let_go(&mut self) {
        // Cannot fail: both descriptors are open and the slot is not the blank one.
        let _ = rustix::io::dup3(&self.blank, &mut self.slot, rustix::io::DupFlags::CLOEXEC);
    }
}

/// The client of the socket `number`, if it was accepted on `port`.
pub(super) fn peer_on_port(number: RawFd, port: u16) -> Option<SocketAddr> {
    if local_port(number) != Some(port) {
        return None;
    }
    address_of(number, peer_name)
}

/// The C library's `getpeername`, past what this executable defines in its place.
///
/// # Safety
///
/// The pointers must be valid for the length that is given.
pub(super) unsafe extern "C" fn peer_name(
    number: libc::c_int,
    address: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
) -> libc::c_int {
    // SAFETY: the caller vouches for the pointers; this call is the definition of getpeername.
    let result = unsafe { libc::syscall(libc::SYS_getpeername, number, address, length) };
    // It is 0 or -1.
    libc::c_int::try_from(result).unwrap_or(-1)
}

/// The port of the socket `number` on this machine.
pub(super) fn local_port(number: RawFd) -> Option<u16> {
    address_of(number, libc::getsockname).map(|local| local.port())
}

/// The result of one of the two calls that name an end of a socket, when it is an IPv4 address.
fn address_of(
    number: RawFd,
    call: unsafe extern "C" fn(
        libc::c_int,
        *mut libc::sockaddr,
        *mut libc::socklen_t,
    ) -> libc::c_int,
) -> Option<SocketAddr> {
    let mut address = MaybeUninit::<libc::sockaddr_in>::zeroed();
    let mut length = libc::socklen_t::try_from(size_of::<libc::sockaddr_in>()).ok()?;
    // SAFETY: the pointer is valid for `length` bytes, and the kernel writes at most that many. A
    // number that is not a socket is answered with an error.
    let result = unsafe { call(number, address.as_mut_ptr().cast(), &raw mut length) };
    // SAFETY: all fields are integers, for which the zeroes of the beginning are valid values.
    let address = unsafe { address.assume_init() };
    if result != 0 || libc::c_int::from(address.sin_family) != libc::AF_INET {
        return None;
    }
    let ip = Ipv4Addr::from_bits(u32::from_be(address.sin_addr.s_addr));
    Some(SocketAddr::from((ip, u16::from_be(address.sin_port))))
}

/// Whether descriptor `number` is the socket `inode`.
fn is_socket(number: RawFd, inode: u64) -> bool {
    stat_of(number)
        .is_some_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFSOCK && stat.st_ino == inode)
}

/// What descriptor `number` is, if it is open.
pub(super) fn stat_of(number: RawFd) -> Option<libc::stat> {
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the pointer is valid for one `stat`; a number that is not open is answered with an
    // error.
    let result = unsafe { libc::fstat(number, stat.as_mut_ptr()) };
    // SAFETY: all fields are integers, for which the zeroes of the beginning are valid values.
    (result == 0).then(|| unsafe { stat.assume_init() })
}

/// Bytes that have arrived at a socket and were not read; 0 for other descriptors.
fn bytes_unread(number: RawFd) -> u64 {
    let mut count: libc::c_int = 0;
    // SAFETY: the request writes one integer; a number that is not open, or does not know it, is
    // answered with an error.
    let result = unsafe { libc::ioctl(number, libc::FIONREAD, &raw mut count) };
    if result == 0 { u64::try_from(count).unwrap_or(0) } else { 0 }
}

fn sever(socket: &OwnedFd) -> rustix::io::Result<()> {
    sockopt::set_socket_linger(socket, Some(Duration::ZERO))?;
    rustix::net::shutdown(socket, Shutdown::Both)
}

/// The inode of a socket.
pub(super) fn inode_of(socket: impl AsFd) -> io::Result<u64> {
    Ok(rustix::fs::fstat(socket)?.st_ino)
}

/// Whether a connection waits to be accepted.
pub(super) fn has_backlog(listener: &TcpListener) -> bool {
    let mut polled = [PollFd::new(listener, PollFlags::IN)];
    rustix::event::poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Whether the other side has closed a connection without a byte. Its end counts as one byte.
fn is_abandoned(info: &libc::tcp_info) -> bool {
    info.tcpi_state == CLOSE_WAIT && info.tcpi_bytes_received <= 1
}

/// What the kernel reports of a TCP socket; `None` when it (or an emulator) does not count bytes.
fn tcp_info(number: RawFd) -> Option<libc::tcp_info> {
    let mut info = MaybeUninit::<libc::tcp_info>::zeroed();
    let size = size_of::<libc::tcp_info>();
    let mut length = libc::socklen_t::try_from(size).ok()?;
    // SAFETY: the pointer is valid for `length` bytes, and the kernel writes at most that many.
    let result = unsafe {
        libc::getsockopt(
            number,
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    let needed = mem::offset_of!(libc::tcp_info, tcpi_bytes_received) + size_of::<u64>();
    if result != 0 || usize::try_from(length).ok()? < needed {
        return None;
    }
    // SAFETY: all fields are integers, for which the zeroes of the beginning are valid values.
    Some(unsafe { info.assume_init() })
}

/// Wakes one thread: rung by the kernel for every connection that arrives, and by other threads.
///
/// Signal-driven I/O is the one notice of a new connection that does not get lost when another
/// thread accepts it first: `poll` looks again after it was woken, finds the queue empty, and goes
/// back to sleep. The signal is blocked in the one thread it is sent to, which takes it with
/// `sigtimedwait`; no handler exists.
#[derive(Default)]
pub(super) struct Bell {
    owner: Mutex<Option<libc::pid_t>>,
}

impl Bell {
    /// Makes the calling thread the one that is woken. It must call [`Bell::leave`] before it ends.
    pub(super) fn claim(&self) -> io::Result<()> {
        let signals = bell_set();
        // SAFETY: the set is initialised and the old mask is not asked for.
        let result =
            unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, ptr::null_mut()) };
        if result != 0 {
            return Err(io::Error::from_raw_os_error(result));
        }
        // SAFETY: gettid has no preconditions.
        let thread = unsafe { libc::gettid() };
        *self.owner.hold() = Some(thread);
        Ok(())
    }

    /// Makes the kernel ring for every connection that arrives on `listener`. Emulated kernels may
    /// not know how; then only other threads ring.
    pub(super) fn hang_at(&self, listener: &TcpListener) -> io::Result<()> {
        let thread = *self.owner.hold();
        let owner = OwnerEx { kind: F_OWNER_TID, pid: thread.ok_or(io::ErrorKind::NotFound)? };
        let number = listener.as_raw_fd();
        // SAFETY: the descriptor is open for the length of the borrow, and the commands take a
        // pointer to an initialised `f_owner_ex`, a signal number and nothing.
        let results = unsafe {
            [
                libc::fcntl(number, F_SETOWN_EX, &raw const owner),
                libc::fcntl(number, F_SETSIG, BELL),
            ]
        };
        if results.contains(&-1) {
            return Err(io::Error::last_os_error());
        }
        let flags = rustix::fs::fcntl_getfl(listener)?;
        Ok(rustix::fs::fcntl_setfl(listener, flags | OFlags::from_bits_retain(ASYNC))?)
    }

    /// Waits for the bell of the calling thread; at most `timeout`, without limit otherwise. Returns
    /// whether it rang.
    pub(super) fn wait(timeout: Option<Duration>) -> bool {
        let signals = bell_set();
        let limit = timeout.map(|timeout| libc::timespec {
            tv_sec: libc::time_t::try_from(timeout.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let limit = limit.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: the set is initialised, the details are not asked for, and the limit is null or
        // points to a value that outlives the call.
        let result = unsafe { libc::sigtimedwait(&raw const signals, ptr::null_mut(), limit) };
        result != -1
    }

    /// Wakes the thread that claimed it; remembered when it is not waiting.
    pub(super) fn ring(&self) {
        let owner = self.owner.hold();
        if let Some(thread) = *owner {
            // SAFETY: sends a signal to a thread of this process that still exists, because it
            // leaves the bell, under this lock, before it ends.
            let _ = unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, BELL) };
        }
    }

    /// Gives it up.
    pub(super) fn leave(&self) {
        *self.owner.hold() = None;
    }
}

/// `O_ASYNC`, which `rustix` does not name on Linux.
const ASYNC: u32 = libc::O_ASYNC.cast_unsigned();

fn bell_set() -> libc::sigset_t {
    let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: sigemptyset initialises the set, sigaddset gets a valid signal.
    unsafe {
        libc::sigemptyset(signals.as_mut_ptr());
        libc::sigaddset(signals.as_mut_ptr(), BELL);
        signals.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream,
        sync::Arc,
        thread,
        time::Instant,
    };

    use super::*;

    fn pair() -> (TcpListener, TcpStream, TcpStream) {
        let listener = listen(None, Duration::from_secs(1)).expect("a listener");
        let client = TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
        let (server, _) = listener.accept().expect("accepted");
        (listener, client, server)
    }

    fn table(listener: &TcpListener) -> DescriptorTable {
        DescriptorTable::open(listener.local_addr().expect("bound").port()).expect("opened")
    }

    #[test]
    fn sees_accepted_connections_and_their_bytes() {
        let (listener, mut client, mut server) = pair();
        client.write_all(b"hello").expect("sent");
        let mut buffer = [0; 5];
        server.read_exact(&mut buffer).expect("received");
        let _second_descriptor = server.try_clone().expect("cloned");
        let sightings = table(&listener).sight().expect("seen");
        assert_eq!(sightings.len(), 1, "neither the listener nor the client's end counts");
        assert_eq!(sightings[0].peer, client.local_addr().expect("bound"));
        assert_eq!((sightings[0].received, sightings[0].unread), (Some(5), 0));
        client.write_all(b"more").expect("sent");
        let sightings = table(&listener).sight().expect("seen");
        assert_eq!((sightings[0].received, sightings[0].unread), (Some(9), 4));
    }

    #[test]
    fn accepted_sockets_inherit_their_options() {
        let (_listener, _client, server) = pair();
        assert!(sockopt::tcp_nodelay(&server).expect("asked"));
        let timeout = sockopt::socket_timeout(&server, sockopt::Timeout::Send).expect("asked");
        assert_eq!(timeout, Some(Duration::from_secs(1)));
    }

    #[test]
    fn answers_and_severs() {
        let (listener, mut client, _server) = pair();
        let mut table = table(&listener);
        let sighting = table.sight().expect("seen")[0];
        table.act(&sighting, &Deed::AnswerAndSever(b"bye".to_vec()));
        let mut text = String::new();
        client.read_to_string(&mut text).expect("an orderly end");
        assert_eq!(text, "bye");
    }

    #[test]
    fn a_stopped_reader_wakes_up() {
        let (listener, _client, mut server) = pair();
        let mut table = table(&listener);
        let sighting = table.sight().expect("seen")[0];
        let reader = thread::scope(|scope| {
            let reader = scope.spawn(move || server.read(&mut [0; 8]).expect("an end"));
            table.act(&sighting, &Deed::StopReading);
            reader.join().expect("no panic")
        });
        assert_eq!(reader, 0);
    }

    #[test]
    fn never_acts_on_a_stranger() {
        let (listener, mut client, mut server) = pair();
        let mut table = table(&listener);
        let sighting = Sighting { inode: 1, ..table.sight().expect("seen")[0] };
        table.act(&sighting, &Deed::Sever);
        client.write_all(b"x").expect("still open");
        assert_eq!(server.read(&mut [0; 8]).expect("still open"), 1);
    }

    #[test]
    fn looks_without_keeping_open() {
        let (listener, mut client, server) = pair();
        let mut table = table(&listener);
        table.sight().expect("seen");
        drop(server);
        assert_eq!(client.read(&mut [0; 8]).expect("an orderly end"), 0);
        assert!(table.sight().expect("seen").is_empty());
    }

    #[test]
    fn a_client_that_left_without_a_byte_is_told_from_one_that_asked() {
        for (bytes, expected) in [(&b""[..], true), (b"GET", false)] {
            let (listener, mut client, mut server) = pair();
            let mut table = table(&listener);
            assert!(!table.sight().expect("seen")[0].is_abandoned, "still here");
            client.write_all(bytes).expect("sent");
            drop(client);
            server.read_to_end(&mut Vec::new()).expect("its end");
            assert_eq!(table.sight().expect("seen")[0].is_abandoned, expected);
        }
    }

    #[test]
    fn the_bell_rings_for_connections_and_for_threads() {
        let listener = listen(None, Duration::from_secs(1)).expect("a listener");
        let address = listener.local_addr().expect("bound");
        let bell = Arc::new(Bell::default());
        let (ready, claimed) = crossbeam_channel::bounded(0);
        let (told, woken) = crossbeam_channel::bounded(0);
        let sleeper = {
            let bell = Arc::clone(&bell);
            thread::Builder::new().spawn(move || {
                bell.claim().expect("claimed");
                bell.hang_at(&listener).expect("hung");
                for _ in 0..2 {
                    ready.send(()).expect("test lives");
                    Bell::wait(None);
                    told.send(()).expect("test lives");
                }
                bell.leave();
                let before = Instant::now();
                Bell::wait(Some(Duration::from_millis(20)));
                before.elapsed()
            })
        };
        claimed.recv().expect("sleeper lives");
        let _client = TcpStream::connect(address).expect("connected");
        woken.recv().expect("woken by the connection");
        claimed.recv().expect("sleeper lives");
        bell.ring();
        woken.recv().expect("woken by the ring");
        let waited = sleeper.expect("spawned").join().expect("no panic");
        assert!(waited >= Duration::from_millis(20), "nothing was left over");
        bell.ring();
    }
}
