//! The workers: who receives, reads, answers and hands on.
//!
//! Quick workers take requests from tiny_http directly, one thread hop from the socket, and also
//! read the bodies. What they receive for the slow lane goes to a queue with workers of its own;
//! what is a stream gets its own thread. The queue needs no bound of its own: it holds at most one
//! request per connection (see `connections`), and connections are capped.
//!
//! A worker may block on a client that sends or reads slowly. The guard looks at the lanes at every
//! tick: when all workers of a lane have been stuck since the last one, it adds more, doubling their
//! number each time. The additional ones leave when they have been idle for [`IDLE_TIME`]. Stuck
//! workers are bounded by the connection cap too, because each holds a connection of its own.

use std::{
    any::Any,
    net::SocketAddr,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::{
    connections::Turn,
    crew::Crew,
    exchange::{Exchange, Parcel},
    guard::Post,
    reply::Reply,
    request::{BodyRead, Request, RequestId},
    service::{Lane, Service},
    socket::Deed,
};

/// Workers of the slow lane.
const SLOW_WORKERS: usize = 8;
/// How long an additional worker waits for work before it leaves.
const IDLE_TIME: Duration = Duration::from_secs(5);

/// Counts of one set of workers.
#[derive(Default)]
struct Tally {
    workers: AtomicUsize,
    /// Of the quick lane: those with a request. Of the slow lane: those that wait for a client.
    engaged: AtomicUsize,
    taken: AtomicU64,
    taken_at_last_look: AtomicU64,
}

/// Adds one to a count for as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
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
    ended: AtomicBool,
    tally: Tally,
}

impl Source {
    /// Wraps a server that has just been started.
    pub(super) fn new(server: tiny_http::Server) -> Self {
        Self { server, ended: AtomicBool::new(false), tally: Tally::default() }
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
    pub(super) crew: Crew,
    quick_workers: usize,
    slow: Mutex<Option<Sender<Job>>>,
    slow_jobs: Receiver<Job>,
    slow_tally: Tally,
}

impl Lanes {
    /// Lanes without workers yet, in front of `service`.
    pub(super) fn new(service: Arc<dyn Service>, post: Post<Parcel>, quick_workers: usize) -> Self {
        let (slow, slow_jobs) = unbounded();
        Self {
            service,
            post,
            crew: Crew::default(),
            quick_workers,
            slow: Mutex::new(Some(slow)),
            slow_jobs,
            slow_tally: Tally::default(),
        }
    }

    /// The service behind the lanes.
    pub(super) fn service(&self) -> &dyn Service {
        &*self.service
    }

    /// Starts the workers of the slow lane.
    pub(super) fn start_slow(self: &Arc<Self>) -> std::io::Result<()> {
        (0..SLOW_WORKERS).try_for_each(|_| self.add_slow_worker(None))
    }

    /// Starts the regular workers of a source.
    pub(super) fn start_quick(self: &Arc<Self>, source: &Arc<Source>) -> std::io::Result<()> {
        (0..self.quick_workers).try_for_each(|_| self.add_quick_worker(source, None))
    }

    /// Lets the slow lane run dry: its workers leave after the requests that are queued.
    pub(super) fn end_slow(&self) {
        *self.slow.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Adds workers where all of them have been stuck since the last call.
    pub(super) fn relieve(self: &Arc<Self>, source: &Arc<Source>) {
        let tally = &source.tally;
        let workers = tally.workers.load(Ordering::Relaxed);
        let taken = tally.taken.load(Ordering::Relaxed);
        let stuck = tally.taken_at_last_look.swap(taken, Ordering::Relaxed) == taken
            && tally.engaged.load(Ordering::Relaxed) >= workers;
        if stuck && !source.ended.load(Ordering::Acquire) {
            let room = self.post.rules.cap.saturating_sub(workers);
            for _ in 0..workers.max(1).min(room) {
                if let Err(error) = self.add_quick_worker(source, Some(IDLE_TIME)) {
                    log::warn!("failed to add a worker: {error}");
                }
            }
        }
        let waiting = self.slow_jobs.len();
        let away = self.slow_tally.engaged.load(Ordering::Relaxed);
        let workers = self.slow_tally.workers.load(Ordering::Relaxed);
        for _ in 0..waiting.min((SLOW_WORKERS + away).saturating_sub(workers)) {
            if let Err(error) = self.add_slow_worker(Some(IDLE_TIME)) {
                log::warn!("failed to add a worker: {error}");
            }
        }
    }

    fn add_quick_worker(
        self: &Arc<Self>,
        source: &Arc<Source>,
        idle_time: Option<Duration>,
    ) -> std::io::Result<()> {
        let (lanes, worker_source) = (Arc::clone(self), Arc::clone(source));
        source.tally.workers.fetch_add(1, Ordering::AcqRel);
        let spawned =
            self.crew.spawn("http-quick", move || lanes.work_quick(&worker_source, idle_time));
        if spawned.is_err() {
            source.tally.workers.fetch_sub(1, Ordering::AcqRel);
        }
        spawned
    }

    fn work_quick(self: &Arc<Self>, source: &Source, idle_time: Option<Duration>) {
        loop {
            let received = match idle_time {
                None => source.server.recv().map(Some),
                Some(idle_time) => source.server.recv_timeout(idle_time),
            };
            match received {
                Ok(Some(request)) => {
                    let _engaged = Counted::new(&source.tally.engaged);
                    source.tally.taken.fetch_add(1, Ordering::Relaxed);
                    self.take(request);
                }
                Ok(None) => break,
                Err(_) if source.ended.load(Ordering::Acquire) => break,
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

    fn add_slow_worker(self: &Arc<Self>, idle_time: Option<Duration>) -> std::io::Result<()> {
        let lanes = Arc::clone(self);
        self.slow_tally.workers.fetch_add(1, Ordering::AcqRel);
        let spawned = self.crew.spawn("http-slow", move || lanes.work_slow(idle_time));
        if spawned.is_err() {
            self.slow_tally.workers.fetch_sub(1, Ordering::AcqRel);
        }
        spawned
    }

    fn work_slow(self: &Arc<Self>, idle_time: Option<Duration>) {
        loop {
            let received = match idle_time {
                None => self.slow_jobs.recv().map_err(RecvTimeoutError::from),
                Some(idle_time) => self.slow_jobs.recv_timeout(idle_time),
            };
            let Ok(job) = received else { break };
            let peer = job.exchange.peer();
            self.contain(peer, || self.answer(job, Some(&self.slow_tally.engaged)));
            self.follow(peer);
        }
        self.slow_tally.workers.fetch_sub(1, Ordering::AcqRel);
    }

    /// Takes a request that tiny_http has parsed, and whatever follows it on its connection.
    fn take(self: &Arc<Self>, request: tiny_http::Request) {
        let parcel = Parcel::open(request);
        let peer = parcel.peer();
        let turn = self.post.connections.arrive(peer, parcel);
        if self.settle(peer, turn) {
            self.follow(peer);
        }
    }

    /// Ends the turn of a request and serves what the client has pipelined behind it.
    fn follow(self: &Arc<Self>, peer: SocketAddr) {
        loop {
            let turn = self.post.connections.finish(peer);
            if !self.settle(peer, turn) {
                return;
            }
        }
    }

    /// Acts on a turn; true when the turn is over and nobody else will end it.
    fn settle(self: &Arc<Self>, peer: SocketAddr, turn: Turn<Parcel>) -> bool {
        match turn {
            Turn::Serve(parcel) => self.contain(peer, || self.serve(parcel)).unwrap_or(true),
            Turn::Wait | Turn::Rest => false,
            Turn::Discard(parcels) => {
                self.post.order(peer, Deed::Sever);
                parcels.into_iter().for_each(Parcel::dispose);
                false
            }
        }
    }

    /// Reads the body and answers, or hands over to another lane; true when it is answered.
    fn serve(self: &Arc<Self>, parcel: Parcel) -> bool {
        let lane = self.service.lane(parcel.head());
        let (exchange, request, read) = parcel.receive(&self.post);
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
        let slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        match slow.as_ref() {
            Some(slow) => {
                slow.send(job).expect("the receiver lives as long as the lanes");
                false
            }
            None => {
                // The server is stopping: the client sees its connection end.
                drop(slow);
                self.post.order(job.exchange.peer(), Deed::Sever);
                job.exchange.dispose();
                true
            }
        }
    }

    fn stream(self: &Arc<Self>, job: Job) -> bool {
        let lanes = Arc::clone(self);
        let peer = job.exchange.peer();
        let spawned = self.crew.spawn("http-stream", move || {
            lanes.contain(peer, || {
                let id = job.request.id;
                let service = Arc::clone(&lanes.service);
                let fallback = Box::new(move || service.panicked(id));
                if let Some(sink) = job.exchange.into_sink(&lanes.post, fallback) {
                    lanes.catch(id, || lanes.service.stream(job.request, sink));
                }
            });
            lanes.post.order(peer, Deed::Sever);
            lanes.follow(peer);
        });
        if let Err(error) = &spawned {
            log::warn!("failed to start a stream: {error}");
            self.post.connections.doom(peer);
            self.post.order(peer, Deed::Sever);
        }
        spawned.is_err()
    }

    fn answer(&self, job: Job, away: Option<&AtomicUsize>) {
        let Job { exchange, request, read } = job;
        let id = request.id;
        let answered: Option<Reply> = self.catch(id, || self.service.answer(request, read));
        let reply = answered.unwrap_or_else(|| self.service.panicked(id));
        let _away = away.map(Counted::new);
        exchange.deliver(reply, &self.post);
    }

    /// Runs a handler; a panic is logged under the id of the request.
    fn catch<T>(&self, id: RequestId, work: impl FnOnce() -> T) -> Option<T> {
        panic::catch_unwind(AssertUnwindSafe(work))
            .inspect_err(|cause| log::error!("request {id} panicked: {}", describe(&**cause)))
            .ok()
    }

    /// Runs the transport's own work, so that a bug in it costs one connection and no worker.
    fn contain<T>(&self, peer: SocketAddr, work: impl FnOnce() -> T) -> Option<T> {
        panic::catch_unwind(AssertUnwindSafe(work))
            .inspect_err(|cause| {
                log::error!("transport panicked: {}", describe(&**cause));
                self.post.connections.doom(peer);
                self.post.order(peer, Deed::Sever);
            })
            .ok()
    }
}

/// The message of a panic.
fn describe(cause: &(dyn Any + Send)) -> &str {
    let text = cause.downcast_ref::<&str>().copied();
    text.or_else(|| cause.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
