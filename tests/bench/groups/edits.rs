//! What one edit costs, whatever the size of the library, and how writers share the disk.

use std::{
    fs,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{games, rest, settled};
use crate::{
    disk::Appender,
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis, number},
    support::{library::game_id, server::Server},
};

pub(super) fn measure(options: &Options, report: &mut Report) {
    for &count in options.sizes() {
        measure_toggles(options, report, &settled(count), count);
    }
    let server = settled(options.largest());
    rest(&server);
    measure_bulk(options, report, &server, options.largest());
    measure_flatness(options, report);
}

/// The same edit of the smallest and of the largest library, in turns: a disk has slow minutes.
fn measure_flatness(options: &Options, report: &mut Report) {
    let sizes = [options.sizes()[0], options.largest()];
    let servers = sizes.map(settled);
    let mut clients = servers.each_ref().map(Server::client);
    let mut times = [Samples::default(), Samples::default()];
    for turn in 0..options.times(400) {
        for ((client, times), count) in clients.iter_mut().zip(&mut times).zip(sizes) {
            let body = json!({"game_id": game_id((turn * 7_919) % count)});
            let start = Instant::now();
            client.post("/api/favorite", &body);
            times.push(millis(start.elapsed()));
        }
    }
    let flat = Samples::from_iter([times[1].median() / times[0].median()]);
    let name = format!("one edit, {} / {}", games(sizes[1]), games(sizes[0]));
    report.add(name, "ratio", &flat, Some(Target::at_most(1.3, "flat")));
}

/// Favourite toggles, each compared with one append of the same disk.
fn measure_toggles(options: &Options, report: &mut Report, server: &Server, count: usize) {
    let mut client = server.client();
    let mut disk = Appender::new(&server.scratch().path(""));
    let mut appends = Samples::default();
    let mut toggles = Samples::default();
    let mut grown = Samples::default();
    let written = written_bytes(server);
    let start = Instant::now();
    let turns = options.times(400);
    for turn in 0..turns {
        let body = json!({"game_id": game_id((turn * 7_919) % count)});
        appends.push(millis(disk.append()));
        let before = log_length(server);
        let start = Instant::now();
        client.post("/api/favorite", &body);
        toggles.push(millis(start.elapsed()));
        if let Some(bytes) = log_length(server).checked_sub(before).filter(|bytes| *bytes > 0) {
            grown.push(number(bytes));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let written = number(written_bytes(server) - written);
    let f = appends.median();
    report.add(format!("F: append and fdatasync of 4 KiB, {}", games(count)), "ms", &appends, None);
    let limit = Target::at_most(f + 0.5, "F + 0.5 ms");
    report.add(format!("one edit, {}", games(count)), "ms", &toggles, Some(limit));
    let limit = Target::at_most(4_096.0, "4 KiB");
    report.add(
        format!("bytes appended by one edit, {}", games(count)),
        "bytes",
        &grown,
        Some(limit),
    );
    let rate = Samples::from_iter([written / 1_048_576.0 / seconds]);
    let name = format!("written while editing, folds too, {}", games(count));
    report.add(name, "MiB/s", &rate, None);
}

/// One request that edits 1,000 games.
fn measure_bulk(options: &Options, report: &mut Report, server: &Server, count: usize) {
    let mut client = server.client();
    let mut disk = Appender::new(&server.scratch().path(""));
    let mut appends = Samples::default();
    let mut edits = Samples::default();
    let ids: Vec<_> = (0..1_000).map(|turn| (turn * 97) % count).collect();
    // The first few after a start are slower.
    for turn in 0..options.times(60) {
        appends.push(millis(disk.append()));
        let body = json!({"ids": ids, "changes": {"genre": format!("Genre {turn}")}});
        let request = crate::support::client::Request::post("/api/games/bulk", &body);
        let start = Instant::now();
        let reply = client.send(&request);
        if reply.status == 404 {
            return;
        }
        reply.expect(200);
        edits.push(millis(start.elapsed()));
    }
    let limit = Target::at_most(appends.median() + 20.0, "F + 20 ms");
    report.add(format!("bulk edit of 1,000, {}", games(count)), "ms", &edits, Some(limit));
}

/// Commits a second of one writer and of eight at once.
pub(super) fn measure_writers(options: &Options, report: &mut Report) {
    compare_writers(options, report, &settled(10_000), "");
}

/// The same on a server whose disk is `disk`, which the names of the rows end with.
pub(super) fn compare_writers(options: &Options, report: &mut Report, server: &Server, disk: &str) {
    let time = Duration::from_secs(if options.quick { 1 } else { 3 });
    let mut alone = Samples::default();
    let mut together = Samples::default();
    let mut ratios = Samples::default();
    for _ in 0..options.times(5) {
        let one = commit_rate(server, 1, time);
        let eight = commit_rate(server, 8, time);
        alone.push(one);
        together.push(eight);
        ratios.push(eight / one);
    }
    report.add(format!("commits a second, one writer{disk}"), "1/s", &alone, None);
    report.add(format!("commits a second, eight writers{disk}"), "1/s", &together, None);
    let target = Target::at_least(3.0, "one fdatasync is shared");
    report.add(format!("commits, eight writers / one{disk}"), "ratio", &ratios, Some(target));
}

fn commit_rate(server: &Server, writers: usize, time: Duration) -> f64 {
    let barrier = Barrier::new(writers);
    let rates: Vec<f64> = thread::scope(|scope| {
        let barrier = &barrier;
        let threads: Vec<_> = (0..writers)
            .map(|writer| {
                scope.spawn(move || {
                    let mut client = server.client();
                    let body = json!({"game_id": game_id(writer * 101)});
                    client.post("/api/favorite", &body);
                    barrier.wait();
                    let start = Instant::now();
                    let mut commits = 0;
                    while start.elapsed() < time {
                        client.post("/api/favorite", &body);
                        commits += 1;
                    }
                    number(commits) / start.elapsed().as_secs_f64()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a writer")).collect()
    });
    rates.iter().sum()
}

fn log_length(server: &Server) -> u64 {
    fs::metadata(server.data("library.log")).map_or(0, |file| file.len())
}

/// Bytes the process handed to write calls so far.
fn written_bytes(server: &Server) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/io", server.pid())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.and_then(|number| number.parse().ok()).unwrap_or(0)
}
