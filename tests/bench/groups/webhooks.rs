//! What ten thousand events cost everybody else when their receiver is dead.

use std::{net::TcpListener, time::Duration};

use serde_json::json;

use crate::{
    load::Pump,
    options::Options,
    pause::pause,
    report::{Report, Target},
    stats::{Samples, number},
    support::{
        library::{game_id, library},
        server::{Server, Setup},
    },
};

/// Games in the library.
const GAMES: usize = 1_000;
/// What is asked for while the events come.
const CHEAP: &str = "/api/running";
/// Requests measured before and after the events.
const REQUESTS: usize = 2_000;

/// The latencies of one run and the memory around it, in MiB.
struct Run {
    before: Samples,
    during: Samples,
    edits: Samples,
    after: Samples,
    grown: f64,
}

pub(super) fn measure(options: &Options, report: &mut Report) {
    let events = options.times(10_000);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let quiet = run(&start(None), events);
    // It accepts, because the kernel does that for it, and never reads or answers.
    let dead = run(&start(Some(&listener)), events);
    for (name, run) in [("no subscriber", &quiet), ("a dead receiver", &dead)] {
        report.add(format!("cheap GET before, {name}"), "ms", &run.before, None);
        report.add(format!("cheap GET during {events} edits, {name}"), "ms", &run.during, None);
        report.add(format!("cheap GET after, {name}"), "ms", &run.after, None);
        report.add(format!("one of {events} edits, {name}"), "ms", &run.edits, None);
        let grown = Samples::from_iter([run.grown]);
        report.add(format!("memory more after {events} edits, {name}"), "MiB", &grown, None);
    }
    let ratio = |dead: &Samples, quiet: &Samples| {
        // A quarter more, or what the clock cannot tell from nothing.
        let floor = quiet.median().max(0.05);
        Samples::from_iter([dead.median().max(0.05) / floor])
    };
    let same = || Some(Target::at_most(1.25, "of the same without a receiver"));
    report.add(
        "GET during edits, dead / none",
        "ratio",
        &ratio(&dead.during, &quiet.during),
        same(),
    );
    report.add("edits, dead / none", "ratio", &ratio(&dead.edits, &quiet.edits), same());
    let grown = Samples::from_iter([dead.grown - quiet.grown]);
    let flat = Target::at_most(4.0, "flat: 128 envelopes of a few hundred bytes");
    report.add("memory more, dead - none", "MiB", &grown, Some(flat));
}

/// The program with one subscription to everything, when there is a receiver for it.
fn start(receiver: Option<&TcpListener>) -> Server {
    let setup = Setup::new().env("SERVICE_ALLOW_HTTP_WEBHOOKS", "1");
    let mut server = setup.library(&library(GAMES)).start();
    server.stop();
    server.restart();
    if let Some(receiver) = receiver {
        let address = receiver.local_addr().expect("its address");
        let hook = json!({"url": format!("http://{address}/"), "events": ["library.changed"],
            "timeout": 15, "attempts": 5});
        server.post("/api/webhooks", &json!({"webhooks": [hook]}));
    }
    server
}

fn run(server: &Server, events: usize) -> Run {
    let mut pump = Pump::new(server.address(), server.token(), CHEAP, "");
    let mut client = server.client();
    // The first answers and edits fill caches that stay.
    Samples::time(REQUESTS, || _ = pump.turn());
    for turn in 0..REQUESTS {
        client.post("/api/favorite", &json!({"game_id": game_id(turn % GAMES)}));
    }
    let memory = || number(server.status("VmRSS")) / 1_024.0;
    let (before, held) = (Samples::time(REQUESTS, || _ = pump.turn()), memory());
    let (mut during, mut edits) = (Samples::default(), Samples::default());
    for turn in 0..events {
        let body = json!({"game_id": game_id(turn % GAMES)});
        edits.push(Samples::time(1, || drop(client.post("/api/favorite", &body))).median());
        during.push(Samples::time(1, || _ = pump.turn()).median());
    }
    let grown = memory() - held;
    // What the edits left to be written has been written by then.
    pause(Duration::from_secs(1));
    let after = Samples::time(REQUESTS, || _ = pump.turn());
    Run { before, during, edits, after, grown }
}
