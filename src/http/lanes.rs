//! The workers, which receive, read, answer and hand over requests.
//!
//! Quick workers take requests from tiny_http directly, one thread hop from the socket, and also
//! read the bodies. What they receive for the slow lane goes to a queue with workers of its own;
//! what is a stream gets its own thread. The queue needs no bound of its own: it holds at most one
//! request per connection (see `connections`), and connections are capped.
//!
//! A worker may block on a client that sends or reads slowly. The guard checks the lanes at every tick: when all
//! workers of a lane have been stuck since the last one, it adds more, doubling their number each time, and stops
//! workers that are no longer needed. A resting guard is woken by the worker that occupies the last free place. Stuck
//! workers are bounded by the connection cap too, because each holds a connection of its own.

use std::{
    any::Any,
    io,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::{
    connections::{Connections, Turn},
    exchange::{Exchange, Parcel},
    guard::Post,
    reply::Reply,
    request::{BodyRead, Request, RequestId},
    service::{Lane, Service},
    socket::Deed,
};
use crate::base::{Hold as _, Workers, away};

/// Workers of the slow lane besides those that wait for others.
const SLOW_WORKERS: usize = 8;
/// Counts of one set of workers.
#[derive(Default)]
struct Tally {
    workers: AtomicUsize,
    /// Of the quick lane: those with a request. Of the slow lane: those that wait for a client or for
    /// another machine.
    engaged: AtomicUsize,
    taken: AtomicU64,
    taken_at_last_look: AtomicU64,
}

/// Adds one to a count for as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        // Ordered before the question whether the guard rests.
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where quick workers get their requests: one running tiny_http server.
pub(super) struct Source {
    server: tiny_http::Server,
    /// Held while waiting for a request and until it is known to its connection: two workers with
    /// requests of one connection must not overtake each other, because tiny_http makes the answer
    /// of the second wait for the first.
    turn: Mutex<()>,
    ended: AtomicBool,
    tally: Tally,
}

impl Source {
    /// Wraps a server that has just been started.
    pub(super) fn new(server: tiny_http::Server) -> Self {
        let (turn, ended) = (Mutex::new(()), AtomicBool::new(false));
        Self { server, turn, ended, tally: Tally::default() }
    }

    /// Waits for the next request and has it join its connection.
    fn receive(&self, connections: &Connections<Parcel>) -> io::Result<(u64, Turn<Parcel>)> {
        let _turn = self.turn.hold();
        let parcel = Parcel::open(self.server.recv()?);
        let inode = parcel.inode();
        Ok((inode, connections.arrive(inode, parcel)))
    }

    /// Whether a worker waits for the next request.
    pub(super) fn has_workers_left(&self) -> bool {
        let workers = self.tally.workers.load(Ordering::Relaxed);
        self.tally.engaged.load(Ordering::Relaxed) < workers
    }

    /// Whether fewer than half of the workers have a request.
    fn has_free_workers(&self) -> bool {
        let workers = self.tally.workers.load(Ordering::Relaxed);
        self.tally.engaged.load(Ordering::Relaxed) * 2 < workers
    }

    /// Counts the calling worker out if there are more than the regular ones and most are free.
    fn can_leave(&self, regular: usize) -> bool {
        let fewer = |workers: usize| workers.checked_sub(1).filter(|left| *left >= regular);
        let (set, fetch) = (Ordering::AcqRel, Ordering::Relaxed);
        self.has_free_workers() && self.tally.workers.fetch_update(set, fetch, fewer).is_ok()
    }

    /// Sends the workers home after the requests that tiny_http has queued already.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        for _ in 0..self.tally.workers.load(Ordering::Acquire) {
            self.server.unblock();
        }
    }
}

/// A request with its body, on its way to a worker of another lane.
struct Job {
    exchange: Exchange,
    request: Request,
    read: BodyRead,
}

/// All lanes of one server.
pub(super) struct Lanes {
    service: Arc<dyn Service>,
    /// Turn-taking and the guard.
    pub(super) post: Post<Parcel>,
    /// Every worker and every stream.
    pub(super) workers: Workers,
    quick_workers: usize,
    slow: Mutex<Option<Sender<Job>>>,
    slow_jobs: Receiver<Job>,
    slow_tally: Tally,
    /// No worker could be added when one was last needed.
    is_short: AtomicBool,
}

impl Lanes {
    /// Lanes without workers yet, in front of `service`.
    pub(super) fn new(service: Arc<dyn Service>, post: Post<Parcel>, quick_workers: usize) -> Self {
        let (slow, slow_jobs) = unbounded();
        Self {
            service,
            post,
            workers: Workers::default(),
            quick_workers,
            slow: Mutex::new(Some(slow)),
            slow_jobs,
            slow_tally: Tally::default(),
            is_short: AtomicBool::new(false),
        }
    }

    /// The service behind the lanes.
    pub(super) fn service(&self) -> &dyn Service {
        &*self.service
    }

    /// Starts the workers of the slow lane.
    pub(super) fn start_slow(self: &Arc<Self>) -> io::Result<()> {
        (0..SLOW_WORKERS).try_for_each(|_| self.add_slow_worker(true))
    }

    /// Starts the regular workers of a source. One suffices for now: [`Lanes::relieve`] adds those
    /// for which there is no thread yet.
    pub(super) fn start_quick(self: &Arc<Self>, source: &Arc<Source>) -> io::Result<()> {
        self.add_quick_worker(source)?;
        self.complete(source);
        Ok(())
    }

    /// Adds the regular workers that are missing.
    fn complete(self: &Arc<Self>, source: &Arc<Source>) {
        let workers = source.tally.workers.load(Ordering::Relaxed);
        let mut missing = workers..self.quick_workers;
        while missing.next().is_some() && self.is_added(self.add_quick_worker(source)) {}
    }

    /// Whether a worker was added. What prevents it is logged once, until one is added again.
    fn is_added(&self, outcome: io::Result<()>) -> bool {
        let was_short = self.is_short.swap(outcome.is_err(), Ordering::Relaxed);
        if let Err(error) = &outcome
            && !was_short
        {
            log::warn!("failed to add a worker: {error}");
        }
        outcome.is_ok()
    }

    /// Lets the slow lane run dry: its workers leave after the requests that are queued.
    pub(super) fn end_slow(&self) {
        *self.slow.hold() = None;
    }

    /// Adds workers where all of them have been stuck since the last call.
    pub(super) fn relieve(self: &Arc<Self>, source: &Arc<Source>) {
        let tally = &source.tally;
        if !source.ended.load(Ordering::Acquire) {
            self.complete(source);
        }
        let workers = tally.workers.load(Ordering::Relaxed);
        let taken = tally.taken.load(Ordering::Relaxed);
        let stuck = tally.taken_at_last_look.swap(taken, Ordering::Relaxed) == taken
            && !source.has_workers_left();
        if stuck && !source.ended.load(Ordering::Acquire) {
            let room = self.post.rules.cap.saturating_sub(workers);
            let mut more = 0..workers.max(1).min(room);
            while more.next().is_some() && self.is_added(self.add_quick_worker(source)) {}
        } else if source.has_free_workers() {
            (self.quick_workers..workers).for_each(|_| source.server.unblock());
        }
        let waiting = self.slow_jobs.len();
        let away = self.slow_tally.engaged.load(Ordering::Relaxed);
        let workers = self.slow_tally.workers.load(Ordering::Relaxed);
        let mut more = 0..waiting.min((SLOW_WORKERS + away).saturating_sub(workers));
        while more.next().is_some() && self.is_added(self.add_slow_worker(false)) {}
    }

    fn add_quick_worker(self: &Arc<Self>, source: &Arc<Source>) -> io::Result<()> {
        let (lanes, worker_source) = (Arc::clone(self), Arc::clone(source));
        source.tally.workers.fetch_add(1, Ordering::AcqRel);
        let spawned = self.workers.spawn("http-quick", move || lanes.work_quick(&worker_source));
        if spawned.is_err() {
            source.tally.workers.fetch_sub(1, Ordering::AcqRel);
        }
        spawned
    }

    fn work_quick(self: &Arc<Self>, source: &Source) {
        loop {
            match source.receive(&self.post.connections) {
                Ok((inode, turn)) => {
                    let engaged = Counted::new(&source.tally.engaged);
                    source.tally.taken.fetch_add(1, Ordering::Relaxed);
                    if !source.has_workers_left() {
                        self.post.stir();
                    }
                    if self.settle(inode, turn) {
                        self.follow(inode);
                    }
                    drop(engaged);
                    if source.can_leave(self.quick_workers) {
                        return;
                    }
                }
                Err(_) if source.ended.load(Ordering::Acquire) => break,
                // It was woken to go home, if it is still one too many.
                Err(error) if error.raw_os_error().is_none() => {
                    if source.can_leave(self.quick_workers) {
                        return;
                    }
                }
                // Accepting has failed. The requests of the connections that exist still come this
                // way; the guard opens another source for new ones.
                Err(error) => {
                    log::warn!("failed to accept a connection: {error}");
                    self.post.bell.ring();
                }
            }
        }
        source.tally.workers.fetch_sub(1, Ordering::AcqRel);
    }

    fn add_slow_worker(self: &Arc<Self>, regular: bool) -> io::Result<()> {
        let lanes = Arc::clone(self);
        self.slow_tally.workers.fetch_add(1, Ordering::AcqRel);
        let spawned = self.workers.spawn("http-slow", move || lanes.work_slow(regular));
        if spawned.is_err() {
            self.slow_tally.workers.fetch_sub(1, Ordering::AcqRel);
        }
        spawned
    }

    fn work_slow(self: &Arc<Self>, regular: bool) {
        let lanes = Arc::clone(self);
        away::watched(move |begins| lanes.note_away(begins), || self.take_slow(regular));
        self.slow_tally.workers.fetch_sub(1, Ordering::AcqRel);
    }

    /// A worker that waits for another machine needs nothing of this one, so another one works meanwhile.
    fn note_away(&self, begins: bool) {
        if begins {
            self.slow_tally.engaged.fetch_add(1, Ordering::SeqCst);
            self.stir_for_slow();
        } else {
            self.slow_tally.engaged.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn take_slow(self: &Arc<Self>, regular: bool) {
        loop {
            // An additional worker stays for as long as there is something to do.
            let received =
                if regular { self.slow_jobs.recv().ok() } else { self.slow_jobs.try_recv().ok() };
            let Some(job) = received else { break };
            let inode = job.exchange.inode();
            self.contain(inode, || self.answer(job, Some(&self.slow_tally.engaged)));
            self.follow(inode);
        }
    }

    /// Ends the turn of a request and serves what the client has pipelined behind it.
    fn follow(self: &Arc<Self>, inode: u64) {
        loop {
            let turn = self.post.connections.finish(inode);
            if !self.settle(inode, turn) {
                return;
            }
        }
    }

    /// Acts on a turn; true when the turn is over and no other thread will end it.
    fn settle(self: &Arc<Self>, inode: u64, turn: Turn<Parcel>) -> bool {
        match turn {
            Turn::Serve(parcel) => self.contain(inode, || self.serve(parcel)).unwrap_or(true),
            Turn::Wait | Turn::Rest => false,
            Turn::Overflow => {
                self.post.command(inode, Deed::Sever);
                false
            }
            Turn::Discard(parcels) => {
                self.post.command(inode, Deed::Sever);
                parcels.into_iter().for_each(Parcel::dispose);
                false
            }
        }
    }

    /// Reads the body and answers, or hands over to another lane; true when it is answered.
    fn serve(self: &Arc<Self>, parcel: Parcel) -> bool {
        let lane = self.service.lane(parcel.head());
        let is_trusted = self.service.is_trusted(parcel.head());
        let (exchange, request, read) = parcel.receive(&self.post, is_trusted);
        let job = Job { exchange, request, read };
        match lane {
            Lane::Quick => {
                self.answer(job, None);
                true
            }
            Lane::Slow => self.queue(job),
            Lane::Stream => self.stream(job),
        }
    }

    fn queue(&self, job: Job) -> bool {
        let slow = self.slow.hold();
        if let Some(slow) = slow.as_ref() {
            slow.send(job).expect("the receiver lives as long as the lanes");
            self.stir_for_slow();
            return false;
        }
        drop(slow);
        // The server is stopping: the client sees its connection end.
        self.post.command(job.exchange.inode(), Deed::Sever);
        job.exchange.dispose();
        true
    }

    fn stream(self: &Arc<Self>, job: Job) -> bool {
        let lanes = Arc::clone(self);
        let inode = job.exchange.inode();
        let spawned = self.workers.spawn("http-stream", move || {
            lanes.contain(inode, || {
                let id = job.request.id;
                let service = Arc::clone(&lanes.service);
                let fallback = Box::new(move || service.panicked(id));
                if let Some(sink) = job.exchange.into_sink(&lanes.post, fallback) {
                    catch(id, || lanes.service.stream(job.request, sink));
                }
            });
            lanes.post.command(inode, Deed::Sever);
            lanes.follow(inode);
        });
        if let Err(error) = &spawned {
            log::warn!("failed to start a stream: {error}");
            self.post.connections.doom(inode);
            self.post.command(inode, Deed::Sever);
        }
        spawned.is_err()
    }

    fn answer(&self, job: Job, away: Option<&AtomicUsize>) {
        let Job { exchange, request, read } = job;
        let id = request.id;
        let answered: Option<Reply> = catch(id, || self.service.answer(request, read));
        let reply = answered.unwrap_or_else(|| self.service.panicked(id));
        let _away = away.map(Counted::new);
        self.stir_for_slow();
        exchange.deliver(reply, &self.post);
    }

    /// Makes the guard look soon when requests wait for slow workers that wait for their clients.
    fn stir_for_slow(&self) {
        if !self.slow_jobs.is_empty() && self.slow_tally.engaged.load(Ordering::Relaxed) > 0 {
            self.post.stir();
        }
    }

    /// Runs the transport's own work, so that a bug in it costs one connection and no worker.
    fn contain<T>(&self, inode: u64, work: impl FnOnce() -> T) -> Option<T> {
        panic::catch_unwind(AssertUnwindSafe(work))
            .inspect_err(|cause| {
                log::error!("transport panicked: {}", describe(&**cause));
                self.post.connections.doom(inode);
                self.post.command(inode, Deed::Sever);
            })
            .ok()
    }
}

/// Runs a handler; a panic is logged under the id of the request.
fn catch<T>(id: RequestId, work: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(work))
        .inspect_err(|cause| log::error!("request {id} panicked: {}", describe(&**cause)))
        .ok()
}

/// The message of a panic.
fn describe(cause: &(dyn Any + Send)) -> &str {
    let text = cause.downcast_ref::<&str>().copied();
    text.or_else(|| cause.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
