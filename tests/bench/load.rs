//! Many requests over kept connections, with as little of our own work as possible.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use crate::stats::{Samples, millis, number};

/// One kept connection that sends the same bytes again and again.
pub(crate) struct Pump {
    stream: TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Pump {
    /// A connection for this GET with these extra header lines, each ending in CRLF.
    pub(crate) fn new(address: SocketAddr, token: &str, target: &str, extra: &str) -> Self {
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: {address}\r\nX-Service-Token: {token}\r\n{extra}\r\n"
        );
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self { stream, request: request.into_bytes(), buffer: vec![0; 64 * 1024] }
    }

    /// Sends the request, reads the whole answer, hands back its size with the head.
    pub(crate) fn turn(&mut self) -> usize {
        self.stream.write_all(&self.request).expect("a request");
        let mut read = 0;
        let mut wanted = None;
        while wanted.is_none_or(|wanted| read < wanted) {
            if read == self.buffer.len() {
                self.buffer.resize(wanted.unwrap_or(read * 2), 0);
            }
            let got = self.stream.read(&mut self.buffer[read..]).expect("an answer");
            assert!(got > 0, "the server closed a kept connection");
            read += got;
            if wanted.is_none() {
                wanted = whole_size(&self.buffer[..read]);
                let size = wanted.unwrap_or(0);
                self.buffer.resize(self.buffer.len().max(size), 0);
            }
        }
        read
    }

    /// The status of the last answer.
    pub(crate) fn status(&self) -> &[u8] {
        &self.buffer[9..12]
    }
}

/// The size of an answer whose head is complete.
fn whole_size(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).expect("a head of text");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let bodiless = head.starts_with("HTTP/1.1 304");
    Some(end + if bodiless { 0 } else { length.unwrap_or(0) })
}

/// Requests per second of `connections` pumps that run for `time`.
pub(crate) fn rate(connections: usize, time: Duration, make: impl Fn() -> Pump) -> (f64, Samples) {
    // One connection after the other: tiny_http leaves some of a burst without a thread for as long
    // as the others stay.
    let pumps: Vec<Pump> = (0..connections)
        .map(|_| {
            let mut pump = make();
            pump.turn();
            pump
        })
        .collect();
    let barrier = Barrier::new(connections);
    let results: Vec<(u64, f64, Samples)> = thread::scope(|scope| {
        let barrier = &barrier;
        let start = |pump| scope.spawn(move || pump_for(barrier, time, pump));
        let threads: Vec<_> = pumps.into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a pump")).collect()
    });
    let total: f64 = results.iter().map(|(turns, seconds, _)| number(*turns) / seconds).sum();
    let latencies = results.into_iter().flat_map(|(.., samples)| samples.into_values());
    (total, latencies.collect())
}

fn pump_for(barrier: &Barrier, time: Duration, mut pump: Pump) -> (u64, f64, Samples) {
    barrier.wait();
    let start = Instant::now();
    let mut turns = 0;
    let mut samples = Samples::default();
    let mut last = start;
    loop {
        pump.turn();
        turns += 1;
        let now = Instant::now();
        samples.push(millis(now - last));
        last = now;
        if now - start >= time {
            return (turns, (now - start).as_secs_f64(), samples);
        }
    }
}
