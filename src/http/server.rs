//! The server: listener, guard, lanes, and the order in which they start and stop.
//!
//! tiny_http's accept thread ends at the first error, and panics when it cannot duplicate a socket
//! it has accepted; then nothing would ever be accepted again. The listener therefore belongs to
//! this module, tiny_http gets a clone, and the guard checks that the clone is still open: an accept
//! thread that ends closes it. When it has ended, a new tiny_http server is opened on another clone,
//! once the threads it needs can be made. The old one keeps serving the connections it has and goes
//! when the last of them is gone, or when a third server is needed.

use std::{
    collections::HashSet,
    io, mem,
    net::{TcpListener, TcpStream},
    num::NonZeroUsize,
    os::fd::{AsRawFd as _, RawFd},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rustix::net::Shutdown;

use super::{
    capacity::{Capacity, Room},
    gate::Gate,
    guard::{self, GuardedServer, Post},
    lanes::{Lanes, Source},
    request::RequestId,
    rules::Rules,
    service::Service,
    socket::{self, Deed, DescriptorTable, Sighting},
    stand_ins,
    wire::{self, Afterwards, Terms},
};
use crate::base::{Hold as _, Workers, limits, thread_named};

/// Threads that must be there before a tiny_http server is opened: the one that accepts, its four
/// idle ones, a worker, and some for the first connections. tiny_http panics without them, and leaves
/// behind those it has made.
const OPENING_THREADS: usize = 10;
/// The stack of a thread of tiny_http.
const OPENING_STACK: usize = 2 << 20;
/// Time between two attempts to open another server.
const REOPEN_PAUSE: Duration = Duration::from_millis(500);
/// Time without an attempt after which the next failure is another one, and logged again.
const REOPEN_CALM: Duration = Duration::from_secs(10);
/// How long requests in flight may take to finish at stop.
const STOP_PATIENCE: Duration = Duration::from_secs(10);
/// How long the guard tries to poke.
const POKE_PATIENCE: Duration = Duration::from_millis(20);
/// Fewest workers of the quick lane. An edit holds one until the disk has it: with fewer of them than
/// people edit at once, a slow card would make readers wait, and syncs would be shared by few.
const QUICK_WORKERS: usize = 12;

/// What can be chosen about the listener.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The port to try first; the kernel chooses when it is taken or not given.
    pub preferred_port: Option<u16>,
    /// Inactivity after which a connection is closed (30 seconds). Tests shorten it with the
    /// environment variable `SERVICE_SOCKET_TIMEOUT`, see [`Settings::parse_timeout`].
    pub socket_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { preferred_port: None, socket_timeout: limits::SOCKET_TIMEOUT }
    }
}

impl Settings {
    /// Reads a timeout in seconds, with a fraction, from 0.05 to 3600; anything else is the
    /// default.
    pub fn parse_timeout(text: Option<&str>) -> Duration {
        let seconds = text.and_then(|text| text.trim().parse::<f64>().ok());
        seconds
            .filter(|seconds| (0.05..=3600.0).contains(seconds))
            .map_or(limits::SOCKET_TIMEOUT, Duration::from_secs_f64)
    }
}

/// A bound listener that does not accept yet: its port is known before the service is built.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    port: u16,
    settings: Settings,
}

impl Listener {
    /// Binds the loopback interface.
    pub fn bind(settings: Settings) -> io::Result<Self> {
        let socket = socket::listen(settings.preferred_port, settings.socket_timeout)?;
        let port = socket.local_addr()?.port();
        Ok(Self { socket, port, settings })
    }

    /// The port bound.
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// A running server. Dropping it stops it.
pub struct Server {
    house: Arc<House>,
    guard: Option<Workers>,
}

impl Server {
    /// Starts accepting, in front of `service`. Raises the process's limit on open files.
    pub fn start(listener: Listener, service: Arc<dyn Service>) -> io::Result<Self> {
        let Listener { socket, port, settings } = listener;
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let quick_workers = cores.max(QUICK_WORKERS);
        let room = Room::measure(socket::raise_file_limit());
        let Capacity { kept, existing } = Capacity::of(room, quick_workers);
        if kept < limits::CONNECTIONS {
            log::info!("the limits of the process leave room for {kept} connections");
        }
        let rules = Rules { timeout: settings.socket_timeout, cap: kept };
        let post = Post::new(rules, Gate::new(existing));
        stand_ins::watch(port, Arc::clone(&post.gate));
        let lanes = Arc::new(Lanes::new(service, post, quick_workers));
        let inode = socket::inode_of(&socket)?;
        let (doors, attempted) = (Mutex::default(), Mutex::default());
        let house = Arc::new(House { lanes, socket, inode, doors, attempted });
        let mut server = Self { house, guard: None };
        server.guard = Some(server.house.start_guard(port)?);
        server.house.lanes.start_slow()?;
        let door = server.house.open_door()?;
        server.house.doors.hold().push(door);
        Ok(server)
    }

    /// The port served.
    #[cfg(test)]
    pub fn port(&self) -> u16 {
        self.house.socket.local_addr().expect("a bound socket").port()
    }

    /// Stops accepting, lets requests in flight finish for ten seconds, ends every connection and
    /// joins the threads. Streams end when the service ends them: do that first.
    pub fn stop(mut self) {
        self.shut();
    }

    fn shut(&mut self) {
        let Some(guard) = self.guard.take() else { return };
        // Without doors the guard opens no new one.
        let doors = mem::take(&mut *self.house.doors.hold());
        self.house.lanes.post.gate.close();
        // Wakes the accept thread, which ends; new connections are refused from here on.
        if let Err(error) = rustix::net::shutdown(&self.house.socket, Shutdown::Read) {
            log::warn!("failed to stop listening: {error}");
        }
        for door in &doors {
            door.source.end();
        }
        self.house.lanes.end_slow();
        let left = self.house.lanes.workers.join_within(STOP_PATIENCE);
        if left > 0 {
            log::warn!("{left} requests did not finish in time");
        }
        self.house.lanes.post.close();
        guard.join();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shut();
    }
}

/// One tiny_http server on the listener.
struct Door {
    source: Arc<Source>,
    /// The descriptor its accept thread owns.
    number: RawFd,
    /// Connections that are left, once it accepts no more.
    leftover: Option<HashSet<u64>>,
}

/// Everything the guard keeps.
struct House {
    lanes: Arc<Lanes>,
    socket: TcpListener,
    inode: u64,
    /// The last one accepts.
    doors: Mutex<Vec<Door>>,
    /// When it was last tried to open another server.
    attempted: Mutex<Option<Instant>>,
}

impl House {
    /// Starts the guard and returns when it is awake to new connections.
    fn start_guard(self: &Arc<Self>, port: u16) -> io::Result<Workers> {
        let table = DescriptorTable::open(port)?;
        let server = Arc::clone(self);
        let (ready, claim) = crossbeam_channel::bounded(1);
        let guard = Workers::default();
        guard.spawn("http-guard", move || {
            let watch = &server.lanes.post;
            let claimed = watch.bell.claim();
            let awake = claimed.is_ok();
            let hung = watch.bell.hang_at(&server.socket);
            if let Err(error) = &hung {
                log::warn!("connections are polled by the clock: {error}");
            }
            // The receiver waits below.
            drop(ready.send(claimed));
            if awake {
                guard::keep_watch(watch, &*server, table, hung.is_ok());
            }
            watch.bell.leave();
        })?;
        claim.recv().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))?;
        Ok(guard)
    }

    /// Opens a tiny_http server on a clone of the listener and starts its workers.
    fn open_door(&self) -> io::Result<Door> {
        let clone = self.socket.try_clone()?;
        let number = clone.as_raw_fd();
        rehearse(OPENING_THREADS)?;
        // tiny_http does not name its threads; they inherit the name of the one that makes them.
        let maker = thread_named("http-accept");
        let made = maker.spawn(move || tiny_http::Server::from_listener(clone, None))?.join();
        let server = match made {
            Ok(Ok(server)) => server,
            Ok(Err(error)) => return Err(io::Error::other(error.to_string())),
            Err(_) => return Err(io::Error::other("no thread to accept with")),
        };
        let source = Arc::new(Source::new(server));
        self.lanes.start_quick(&source)?;
        Ok(Door { source, number, leftover: None })
    }
}

impl GuardedServer for House {
    fn incomplete(&self) -> Vec<u8> {
        let reply = self.lanes.service().incomplete(RequestId::next());
        let terms = Terms { head_only: false, gzip: false, afterwards: Afterwards::Close };
        wire::render(reply, terms).unwrap_or_default()
    }

    fn is_behind(&self) -> bool {
        self.doors.hold().iter().any(|door| !door.source.has_workers_left())
    }

    fn has_backlog(&self) -> bool {
        socket::has_backlog(&self.socket)
    }

    fn poke(&self, count: usize) {
        let Ok(address) = self.socket.local_addr() else { return };
        // Refused when the server stops, late when the backlog is full: then others do the poking.
        let poke = || TcpStream::connect_timeout(&address, POKE_PATIENCE).is_ok();
        (0..count).all(|_| poke());
    }

    fn tend(&self, table: &mut DescriptorTable, sightings: &[Sighting]) -> bool {
        let mut doors = self.doors.hold();
        let seen = |inode: &u64| sightings.iter().any(|sighting| sighting.inode == *inode);
        // The last one stays until there is another: without doors the server is stopping.
        let mut behind = doors.len();
        doors.retain_mut(|door| {
            behind -= 1;
            let Some(leftover) = &mut door.leftover else { return true };
            leftover.retain(seen);
            let is_over = leftover.is_empty() && behind > 0;
            if is_over {
                door.source.end();
            }
            !is_over
        });
        for door in &*doors {
            self.lanes.relieve(&door.source);
        }
        let open = doors
            .last()
            .is_some_and(|door| door.leftover.is_none() && table.held(door.number, self.inode));
        open || doors.is_empty() || self.reopen(&mut doors, table, sightings)
    }
}

impl House {
    /// Opens another server, unless it was tried a moment ago; whether there is one now. Of the
    /// servers that accept no more only the last one stays.
    fn reopen(
        &self,
        doors: &mut Vec<Door>,
        table: &mut DescriptorTable,
        sightings: &[Sighting],
    ) -> bool {
        let known: HashSet<u64> =
            doors.iter().flat_map(|door| door.leftover.iter().flatten().copied()).collect();
        if let Some(door) = doors.last_mut() {
            door.leftover.get_or_insert_with(|| {
                let inodes = sightings.iter().map(|sighting| sighting.inode);
                inodes.filter(|inode| !known.contains(inode)).collect()
            });
        }
        let mut attempted = self.attempted.hold();
        let elapsed = attempted.map(|attempt| attempt.elapsed());
        if elapsed.is_some_and(|elapsed| elapsed < REOPEN_PAUSE) {
            return false;
        }
        *attempted = Some(Instant::now());
        drop(attempted);
        let last = doors.len().saturating_sub(1);
        for old in doors.drain(..last) {
            let leftover = old.leftover.unwrap_or_default();
            for sighting in sightings.iter().filter(|seen| leftover.contains(&seen.inode)) {
                self.lanes.post.connections.doom(sighting.inode);
                table.act(sighting, &Deed::Sever);
            }
            old.source.end();
        }
        let opened = self.open_door();
        if elapsed.is_none_or(|elapsed| elapsed >= REOPEN_CALM) {
            match &opened {
                Ok(_) => log::warn!("nothing accepted connections any more: opened another server"),
                Err(error) => log::warn!(
                    "nothing accepts connections any more, and no other server can be opened: \
                     {error}; it is tried again"
                ),
            }
        }
        opened.map(|door| doors.push(door)).is_ok()
    }
}

/// Checks that this many threads can be started at once, by starting and ending them.
fn rehearse(threads: usize) -> io::Result<()> {
    let (release, released) = crossbeam_channel::bounded::<()>(0);
    let mut standing = Vec::with_capacity(threads);
    let made = (0..threads).try_for_each(|_| {
        let released = released.clone();
        let thread = thread_named("http-trial").stack_size(OPENING_STACK);
        // The channel never carries anything: it ends when all are to go.
        standing.push(thread.spawn(move || released.recv().is_ok())?);
        Ok(())
    });
    drop(release);
    for thread in standing {
        // OK because it does nothing that could panic.
        drop(thread.join());
    }
    made
}
