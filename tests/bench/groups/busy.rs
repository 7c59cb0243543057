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

pub(super) fn measure(options: &Options, report: &mut Report) {
    let files = if options.quick { 1_000 } else { 10_000 };
    let server = Server::start();
    for folder in 0..=JOBS {
        for index in 0..files {
            server.scratch().file(format!("{folder}/{}", rom(index)), b"NES\x1a");
        }
    }
    let window = Duration::from_millis(200);
    let tail = || {
        let (_, latencies) =
            rate(1, window, || Pump::new(server.address(), server.token(), CHEAP, ""));
        latencies.percentile(99)
    };
    let idle: Samples = (0..options.times(15)).map(|_| tail()).collect();
    let streams: Vec<Stream> = (0..STREAMS).map(|_| Stream::open(&server)).collect();
    for folder in 0..JOBS {
        let path = server.scratch().path(folder.to_string());
        begin(&server, &json!([{"type": "folder", "path": path}]));
    }
    let busy: Samples = thread::scope(|scope| {
        let import = scope.spawn(|| {
            let body = json!({"folder": server.scratch().path(JOBS.to_string())});
            server.send(&Request::post("/api/import", &body)).expect(200);
        });
        let mut tails = Samples::default();
        while !import.is_finished() || tails.len() == 0 {
            tails.push(tail());
        }
        tails
    });
    drop(streams);
    let limit = Target::at_most(3.0 * idle.median(), "3 x idle");
    report.add("cheap GET p99, idle", "ms", &idle, None);
    report.add("cheap GET p99, jobs, import and streams", "ms", &busy, Some(limit));
}
