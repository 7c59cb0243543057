//! What is measured, one file per group of rows.

mod backups;
mod busy;
mod counts;
mod dna;
mod edits;
mod executable;
mod imports;
mod insights;
mod journal;
mod metadata;
mod pictures;
mod reads;
mod slow_disk;
mod starts;
mod throughput;
mod weak;
mod weak_hour;
mod weak_page;
mod webhooks;

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    options::Options,
    pause::pause,
    report::Report,
    stats::millis,
    support::{
        library::library,
        server::{Server, Setup},
        toy::Toy,
    },
};

/// A function that measures and adds rows.
pub(crate) type Group = fn(&Options, &mut Report);

/// Every group by the name that `--filter` looks at, and whether it is a part of the table.
pub(crate) const ALL: &[(&str, bool, Group)] = &[
    ("executable", true, executable::measure),
    ("start", true, starts::measure),
    ("idle", true, starts::measure_idle),
    ("read", true, reads::measure),
    ("edit", true, edits::measure),
    ("dna", false, dna::measure),
    ("insights", false, insights::measure),
    ("journal", false, journal::measure),
    ("writers", true, edits::measure_writers),
    ("slow-disk", true, slow_disk::measure),
    ("import", true, imports::measure),
    ("metadata", true, metadata::measure),
    ("picture", false, pictures::measure),
    ("throughput", true, throughput::measure),
    ("busy", true, busy::measure),
    ("webhook", false, webhooks::measure),
    ("backup", false, backups::measure),
];

/// The groups of a weak machine (`--weak`).
pub(crate) const WEAK: &[(&str, bool, Group)] = &[
    ("weak-edit", true, weak::measure_edits),
    ("weak-library", true, weak::measure),
    ("weak-size", true, weak::measure_sizes),
];

/// The group of counted work (`--counts`).
pub(crate) const COUNTS: &[(&str, bool, Group)] = &[("counts", true, counts::measure)];

/// The group of an hour on a weak machine (`--hour`).
pub(crate) const HOUR: &[(&str, bool, Group)] = &[("hour", true, weak_hour::measure)];

/// The public asset that stands for a trivial request (B).
const TRIVIAL: &str = "/favicon.svg";

/// The program on a generated library of this many games, after its first start has taken the file
/// over and a second one has found it as it will stay.
fn settled(games: usize) -> Server {
    let setup = Setup::new();
    let setup = if games == 0 { setup } else { setup.library(&library(games)) };
    let mut server = setup.start();
    server.stop();
    server.restart();
    server
}

/// Lets a server end what its start left to do: the index of searches, the journal, a fold.
fn rest(server: &Server) {
    let moment = Duration::from_millis(400);
    let mut before = u64::MAX;
    // A server that never rests is measured as it is.
    for _ in 0..100 {
        let now = starts::ticks(server);
        if now == before {
            return;
        }
        before = now;
        pause(moment);
    }
}

/// A session from launch to end; returns the milliseconds until the game ran.
fn play(server: &Server, toy: &Toy, id: &str) -> f64 {
    let start = Instant::now();
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    let took = millis(start.elapsed());
    toy.end(0);
    toy.forget();
    let running = || server.get(starts::ASKED)["running"].as_array().map_or(0, Vec::len);
    while running() > 0 {
        pause(Duration::from_millis(50));
    }
    took
}

/// `100,000 games`.
fn games(count: usize) -> String {
    match count {
        0 => "empty".to_owned(),
        small if small < 1_000 => format!("{small} games"),
        large => format!("{},{:03} games", large / 1_000, large % 1_000),
    }
}
