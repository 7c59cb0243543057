//! The library as the UI asks for it: whole, packed, unchanged, after an edit, and in part.

use std::{hint::black_box, time::Instant};

use serde_json::{Value, json};

use super::{TRIVIAL, games, settled};
use crate::{
    bare::Bare,
    load::Pump,
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis, number},
    support::{client::Request, library::game_id, server::Server},
};

const LIBRARY: &str = "/api/library";
const PACKED: &str = "Accept-Encoding: gzip\r\n";

pub(super) fn measure(options: &Options, report: &mut Report) {
    measure_warm(options, report);
    let server = settled(options.largest());
    measure_after_edit(options, report, &server);
    measure_delta(options, report, &server);
    measure_exploring(options, report, &server);
    measure_exploring_after_edits(options, report, &server);
    measure_collections(options, report, &server);
    measure_finding(options, report, &server, options.largest());
    drop(server);
    measure_finding(options, report, &settled(10_000), 10_000);
}

/// How long copying this many bytes takes.
fn copy_time(bytes: usize, times: usize) -> f64 {
    let source = vec![1_u8; bytes];
    let mut target = vec![0_u8; bytes];
    let time = Samples::time(times, || {
        target.copy_from_slice(black_box(&source));
        black_box(&mut target);
    });
    time.median()
}

fn turn_time(pump: &mut Pump) -> f64 {
    let start = Instant::now();
    pump.turn();
    millis(start.elapsed())
}

/// Turn about, so that a busy moment of the machine hits both.
fn in_turns(times: usize, one: &mut Pump, other: &mut Pump) -> (Samples, Samples) {
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    for _ in 0..times {
        ours.push(turn_time(one));
        theirs.push(turn_time(other));
    }
    (ours, theirs)
}

fn pump_times(times: usize, mut pump: Pump, status: &str) -> (Samples, usize) {
    let size = pump.turn();
    assert_eq!(pump.status(), status.as_bytes(), "an unexpected answer");
    let times = Samples::time(times, || {
        pump.turn();
    });
    (times, size)
}

fn measure_warm(options: &Options, report: &mut Report) {
    let count = 10_000;
    let server = settled(count);
    let pump =
        |target: &str, extra: &str| Pump::new(server.address(), server.token(), target, extra);
    let (trivial, _) = pump_times(options.times(2_000), pump(TRIVIAL, ""), "200");
    let b = trivial.median();
    report.add("B: trivial public asset", "ms", &trivial, None);

    for (what, extra, times) in [("", "", 200), (", gzip", PACKED, 500)] {
        let mut ours = pump(LIBRARY, extra);
        let size = ours.turn();
        let bare = Bare::socket(size);
        let mut bare = Pump::new(bare.address, "", "/", "");
        let (answers, writes) = in_turns(options.times(times), &mut ours, &mut bare);
        let limit = Target::at_most(1.5 * writes.median() + b, "1.5 x bare socket + B");
        report.add(format!("GET library{what}, {}", games(count)), "ms", &answers, Some(limit));
        report.add(format!("  bare socket, the same bytes{what}"), "ms", &writes, None);
        let copy = Samples::from_iter([copy_time(size, options.times(50))]);
        report.add(format!("  copying the same bytes{what}"), "ms", &copy, None);
    }

    let tag = server.send(&Request::get(LIBRARY)).expect(200);
    let tag = tag.header("ETag").expect("an ETag").to_owned();
    let extra = format!("If-None-Match: {tag}\r\n");
    let mut ours = pump(LIBRARY, &extra);
    ours.turn();
    assert_eq!(ours.status(), b"304", "an unexpected answer");
    let mut cheap = pump(TRIVIAL, "");
    let (unchanged, trivial) = in_turns(options.times(2_000), &mut ours, &mut cheap);
    let limit = Target::at_most(1.2 * trivial.median(), "1.2 B, in turns");
    report.add(format!("GET library, 304, {}", games(count)), "ms", &unchanged, Some(limit));
    report.add("  B, in turns with it", "ms", &trivial, None);
}

fn measure_after_edit(options: &Options, report: &mut Report, server: &Server) {
    let count = options.largest();
    let mut client = server.client();
    let mut pump = Pump::new(server.address(), server.token(), LIBRARY, PACKED);
    pump.turn();
    let mut times = Samples::default();
    for turn in 0..options.times(30) {
        let id = game_id((turn * 7_919) % count);
        client.post("/api/favorite", &json!({"game_id": id}));
        let start = Instant::now();
        pump.turn();
        times.push(millis(start.elapsed()));
    }
    let name = format!("GET library, gzip, after one edit, {}", games(count));
    report.add(name, "ms", &times, Some(Target::at_most(40.0, "one block is compressed again")));
}

fn measure_delta(options: &Options, report: &mut Report, server: &Server) {
    let count = options.largest();
    let ids: Vec<_> = (0..50).map(|turn| game_id((turn * 1_009) % count)).collect();
    let target = format!("/api/library/delta?ids={}", ids.join(","));
    let pump = |target: &str| Pump::new(server.address(), server.token(), target, "");
    let (trivial, _) = pump_times(options.times(1_000), pump(TRIVIAL), "200");
    let (delta, size) = pump_times(options.times(1_000), pump(&target), "200");
    let limit = Target::at_most(1.0 + trivial.median(), "1 ms + B");
    report.add(format!("delta of 50, {}", games(count)), "ms", &delta, Some(limit));
    let size = Samples::from_iter([number(size as u64) / 1_024.0]);
    report.add("delta of 50, bytes", "KiB", &size, None);
}

/// The requests of screens besides the library itself.
fn measure_exploring(options: &Options, report: &mut Report, server: &Server) {
    let count = options.largest();
    for (name, target, limit, says) in [
        ("facets, genre", "/api/explorer/facets?field=genre", 5.0, "5 ms"),
        ("facets, developer", "/api/explorer/facets?field=developer", 5.0, "5 ms"),
        ("facets, platform", "/api/explorer/facets?field=platform", 5.0, "5 ms"),
        ("discovery", "/api/discovery", 10.0, "10 ms"),
        ("related", "/api/related?id=17", 20.0, "20 ms"),
        ("related with reasons", "/api/related/rich?id=17", 20.0, "20 ms"),
    ] {
        let pump = Pump::new(server.address(), server.token(), target, "");
        let (times, _) = pump_times(options.times(200), pump, "200");
        let limit = Target::at_most(limit, says);
        report.add(format!("{name}, {}", games(count)), "ms", &times, Some(limit));
    }
}

/// The same right after an edit, when one part of the library has to be rendered again.
fn measure_exploring_after_edits(options: &Options, report: &mut Report, server: &Server) {
    let count = options.largest();
    for (name, target, limit, says) in [
        ("facets, genre", "/api/explorer/facets?field=genre", 5.0, "5 ms"),
        ("related", "/api/related?id=17", 20.0, "20 ms"),
    ] {
        let mut client = server.client();
        let mut pump = Pump::new(server.address(), server.token(), target, "");
        let mut times = Samples::default();
        for turn in 0..options.times(30) {
            let id = game_id((turn * 7_919) % count);
            client.post("/api/favorite", &json!({"game_id": id}));
            let start = Instant::now();
            pump.turn();
            times.push(millis(start.elapsed()));
        }
        let limit = Target::at_most(limit, says);
        report.add(format!("{name}, after one edit, {}", games(count)), "ms", &times, Some(limit));
    }
}

/// Smart collections of every kind, right after an edit and without one.
fn measure_collections(options: &Options, report: &mut Report, server: &Server) {
    let (count, path) = (options.largest(), "/api/v2/collections");
    let mut client = server.client();
    for query in ["unbeaten rpg on nes", "legend", "platform:nes favorites", "from the 1990s"] {
        client.post(path, &json!({"name": query, "query": query}));
    }
    client.get(path);
    let pump = Pump::new(server.address(), server.token(), path, "");
    let (times, _) = pump_times(options.times(200), pump, "200");
    report.add(format!("4 collections, {}", games(count)), "ms", &times, None);
    let mut times = Samples::default();
    for turn in 0..options.times(30) {
        client.post("/api/favorite", &json!({"game_id": game_id((turn * 7_919) % count)}));
        let start = Instant::now();
        client.get(path);
        times.push(millis(start.elapsed()));
    }
    report.add(format!("4 collections, after one edit, {}", games(count)), "ms", &times, None);
}

/// Rules, phrases and plain words over the whole library.
fn measure_finding(options: &Options, report: &mut Report, server: &Server, count: usize) {
    let rules = |rules: Value| json!({"rules": rules, "changes": {"esrb": "T"}});
    let phrase = |query: &str| json!({"query": query});
    let (bulk, parse) = ("/api/games/bulk", "/api/v2/library/query/parse");
    let narrow = json!({"platform": "NES", "progress": "Beaten", "genre": "rpg", "query": "1"});
    for (name, path, body) in [
        ("preset, fields first", bulk, rules(narrow)),
        ("preset, every record", bulk, rules(json!({"query": "777", "has_saves": false}))),
        ("phrase, fields only", parse, phrase("unbeaten rpg on nes rated 5 since 2020")),
        ("phrase, every record", parse, phrase("with notes -legend")),
    ] {
        let mut client = server.client();
        // The first turn writes what the others find written.
        client.post(path, &body);
        let times = Samples::time(options.times(50), || {
            client.post(path, &body);
        });
        report.add(format!("{name}, {}", games(count)), "ms", &times, None);
    }
    let wait = Instant::now();
    let words = ["legend", "tactics 17", "night", "dragon", "seven islands", "n"];
    while count >= 5_000 && server.get("/api/v2/library/search?q=legend")["source"] != "sqlite" {
        assert!(wait.elapsed().as_secs() < 60, "the index does not come");
    }
    let mut times = Samples::default();
    for turn in 0..options.times(300) {
        let word = words[turn % words.len()].replace(' ', "%20");
        let start = Instant::now();
        let found = server.get(&format!("/api/v2/library/search?q={word}"));
        times.push(millis(start.elapsed()));
        assert_eq!(found["source"], "sqlite");
    }
    let limit = Target::at_most(10.0, "10 ms");
    report.add(format!("search, {}", games(count)), "ms", &times, Some(limit));
}
