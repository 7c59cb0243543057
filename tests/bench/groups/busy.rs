//! Cheap answers while the program has much else to do: four jobs, an import and sixteen streams.

use std::{thread, time::Duration};

use serde_json::json;

use crate::{
    load::{Pump, rate},
    options::Options,
    report::{Report, Target},
    stats::Samples,
    support::{client::Request, library::rom, server::Server, setup::begin, stream::Stream},
};

const CHEAP: &str = "/api/running";
/// Previews that are read at the same time, each by a job.
const JOBS: usize = 4;
/// Live streams that listen meanwhile.
const STREAMS: usize = 16;
/// How long answers are counted at a time.
const WINDOW: Duration = Duration::from_millis(200);

pub(super) fn measure(options: &Options, report: &mut Report) {
    let files = if options.quick { 1_000 } else { 10_000 };
    let (mut idle, mut busy) = (Samples::default(), Samples::default());
    // An import is over after one or two windows, so it takes several to say anything.
    for _ in 0..options.times(15) {
        measure_once(files, &mut idle, &mut busy);
    }
    let limit = Target::at_most(3.0 * idle.median(), "3 x idle");
    report.add("cheap GET p99, idle", "ms", &idle, None);
    report.add("cheap GET p99, jobs, import and streams", "ms", &busy, Some(limit));
}

/// A server before and while it has everything to do, each job and the import with this many files.
fn measure_once(files: usize, idle: &mut Samples, busy: &mut Samples) {
    let server = Server::start();
    for folder in 0..=JOBS {
        for index in 0..files {
            server.scratch().file(format!("{folder}/{}", rom(index)), b"NES\x1a");
        }
    }
    let tail = || {
        let pump = || Pump::new(server.address(), server.token(), CHEAP, "");
        rate(1, WINDOW, pump).1.percentile(99)
    };
    for _ in 0..3 {
        idle.push(tail());
    }
    let streams: Vec<Stream> = (0..STREAMS).map(|_| Stream::open(&server)).collect();
    for folder in 0..JOBS {
        let path = server.scratch().path(folder.to_string());
        begin(&server, &json!([{"type": "folder", "path": path}]));
    }
    thread::scope(|scope| {
        let import = scope.spawn(|| {
            let body = json!({"folder": server.scratch().path(JOBS.to_string())});
            server.send(&Request::post("/api/import", &body)).expect(200);
        });
        busy.push(tail());
        while !import.is_finished() {
            busy.push(tail());
        }
    });
    drop(streams);
}
