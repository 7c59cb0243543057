//! What is told from the history: 100,000 games with 20,000 sessions, right after a start and later, and the health
//! scan of 50,000 games.

use std::time::Instant;

use serde_json::{Value, json};

use super::{games, rest, settled};
use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis},
    support::{
        library::{Dice, game_id, library},
        server::{Server, Setup},
        stream::{Stream, started},
    },
};

/// Sessions of the history.
const SESSIONS: u64 = 20_000;
/// Years that they lie in.
const YEARS: u64 = 3;
/// Games that the health scan looks at.
const SCANNED: usize = 50_000;
/// What is asked, by its name in the report.
const ASKED: [(&str, &str); 7] = [
    ("summary", "/api/v2/insights/summary"),
    ("heatmap", "/api/v2/insights/heatmap"),
    ("mastery", "/api/v2/insights/mastery"),
    ("wrapped", "/api/v2/insights/wrapped?year=2025"),
    ("radio", "/api/v2/insights/radio"),
    ("radar", "/api/v2/insights/radar"),
    ("constellation", "/api/v2/library/constellation"),
];

pub(super) fn measure(options: &Options, report: &mut Report) {
    let count = options.largest();
    let mut server = played(count);
    for (what, path) in ASKED {
        let mut cold = Samples::default();
        for _ in 0..options.times(3) {
            // A set of games to play next is kept in the library, so a new library is asked each time.
            if what == "radio" {
                server = played(count);
            } else {
                server.stop();
                server.restart();
            }
            rest(&server);
            let start = Instant::now();
            server.get(path);
            cold.push(millis(start.elapsed()));
        }
        let limit = Target::at_most(150.0, "150 ms");
        let name = format!("{what}, cold, {}", games(count));
        report.add(name, "ms", &cold, Some(limit));
        let mut client = server.client();
        let warm = Samples::time(options.times(50), || drop(client.get(path)));
        let limit = Target::at_most(10.0, "10 ms");
        report.add(format!("{what}, warm, {}", games(count)), "ms", &warm, Some(limit));
    }
    drop(server);
    if options.largest() >= SCANNED {
        measure_health(options, report);
    }
}

/// The scan of the health score, as a job.
fn measure_health(options: &Options, report: &mut Report) {
    let server = settled(SCANNED);
    rest(&server);
    let mut times = Samples::default();
    for _ in 0..options.times(3) {
        let mut stream = Stream::open(&server);
        let start = Instant::now();
        let job = started(&server, "/api/v2/library/health/scan", &json!({}));
        let done = stream.job_end(&server, &job);
        times.push(millis(start.elapsed()) / 1_000.0);
        assert_eq!(done["state"], "done", "{done}");
    }
    let limit = Target::at_most(5.0, "5 s");
    report.add(format!("health scan, {}", games(SCANNED)), "s", &times, Some(limit));
}

/// A library of this many games that were played for three years until today. Every second one is installed.
fn played(count: usize) -> Server {
    let mut file: Value = serde_json::from_str(&library(count)).expect("JSON");
    for game in file["games"].as_array_mut().expect("games").iter_mut().step_by(2) {
        game["store_installed"] = json!(true);
    }
    let mut dice = Dice::new(7);
    let now = jiff::Timestamp::now();
    let sessions = (0..SESSIONS).map(|at| {
        // OK because a library has at most 100,000 games.
        let game = usize::try_from(dice.below(count as u64)).expect("small");
        let minutes = (SESSIONS - at) * YEARS * 365 * 24 * 60 / SESSIONS;
        // OK because three years have fewer minutes.
        let age = jiff::SignedDuration::from_mins(i64::try_from(minutes).expect("small"));
        let seconds = 300 + dice.below(7_200);
        json!({"game": file["games"][game]["name"], "game_id": game_id(game),
            "started": format!("{:.0}", now - age), "seconds": seconds, "exit_code": 0})
    });
    let sessions: Vec<Value> = sessions.collect();
    file["history"] = json!(sessions);
    let mut server = Setup::new().library(&file.to_string()).start();
    server.stop();
    server.restart();
    server
}
