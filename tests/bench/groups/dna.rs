//! Questions to the index of what games are like, and what an edit costs it.

use std::time::Instant;

use serde_json::json;

use super::{games, rest, settled};
use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis},
    support::{library::game_id, stream::Stream, stream::started},
};

const SEARCH: &str = "/api/v2/library/dna/search";

pub(super) fn measure(options: &Options, report: &mut Report) {
    let count = options.largest();
    let server = settled(count);
    let mut stream = Stream::open(&server);
    let job = started(&server, "/api/v2/library/dna/index/rebuild", &json!({}));
    stream.job_end(&server, &job);
    drop(stream);
    rest(&server);
    let mut client = server.client();
    for (what, query) in [("words", "dragon quest adventure"), ("games like", "games like zelda")] {
        let times = Samples::time(options.times(50), || {
            client.post(SEARCH, &json!({"query": query}));
        });
        let limit = Target::at_most(15.0, "15 ms");
        report.add(format!("DNA search, {what}, {}", games(count)), "ms", &times, Some(limit));
    }
    let mut edits = Samples::default();
    for turn in 0..options.times(50) {
        let body =
            json!({"ids": [(turn * 97) % count], "changes": {"genre": format!("Genre {turn}")}});
        let start = Instant::now();
        client.post("/api/games/bulk", &body);
        edits.push(millis(start.elapsed()));
    }
    // The same edit of a field that is not indexed: the difference is what the index costs.
    let mut plain = Samples::default();
    for turn in 0..options.times(50) {
        let body = json!({"game_id": game_id((turn * 97) % count)});
        let start = Instant::now();
        client.post("/api/favorite", &body);
        plain.push(millis(start.elapsed()));
    }
    let limit = Target::at_most(plain.median() + 5.0, "an edit that is not indexed + 5 ms");
    report.add(format!("edit of an indexed field, {}", games(count)), "ms", &edits, Some(limit));
}
