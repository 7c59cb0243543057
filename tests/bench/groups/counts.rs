//! Counted work (`--counts`): instructions, bytes, calls and wake-ups of the program for each thing it is asked.
//!
//! Counts hardly depend on what else the machine does and can be taken under emulation (`SERVICE_BIN`), so they show a
//! costly change where times would hide it. Instructions are counted by `valgrind`, all else by the kernel.

use std::{fs, process::Command};

use serde_json::json;

use super::{games, starts::switches};
use crate::{
    options::Options,
    report::{Report, say},
    stats::{Samples, number},
    support::{
        client::{Client, Request},
        library::{game_id, library},
        server::{Server, Setup},
    },
};

/// Games of the library: few, because instructions are counted at a fiftieth of the usual speed.
const GAMES: usize = 5_000;
/// Files of one import.
const IMPORTED: usize = 200;

/// What is counted.
struct Work {
    name: &'static str,
    /// How often it is done.
    times: usize,
    /// Does it for the n-th time.
    run: fn(&Server, &mut Client, usize),
    /// Whether it changes the library; what follows from that, such as the search index, is counted too.
    is_change: bool,
}

const fn reads(name: &'static str, times: usize, run: fn(&Server, &mut Client, usize)) -> Work {
    Work { name, times, run, is_change: false }
}

const fn changes(name: &'static str, times: usize, run: fn(&Server, &mut Client, usize)) -> Work {
    Work { name, times, run, is_change: true }
}

impl Work {
    /// Does it `times` times, each with what follows from it.
    fn repeat(&self, server: &Server, client: &mut Client) {
        for at in 1..=self.times {
            (self.run)(server, client, at);
            if self.is_change {
                super::rest(server);
            }
        }
        super::rest(server);
    }
}

const WORK: &[Work] = &[
    reads("a cheap answer", 100, |_, client, _| get(client, super::starts::ASKED)),
    reads("a page of 100 games", 50, |_, client, _| get(client, "/api/library?offset=0&limit=100")),
    reads("a search", 50, |_, client, at| {
        get(client, &format!("/api/v2/library/search?q=legend%20{}", at % 10));
    }),
    reads("facets of a field", 50, |_, client, _| get(client, "/api/explorer/facets?field=genre")),
    reads("similar games", 20, |_, client, at| {
        get(client, &format!("/api/related?id={at}"));
    }),
    changes("one edit", 50, |_, client, at| {
        client.post("/api/favorite", &json!({"game_id": game_id(at)}));
    }),
    changes("the library with gzip after one edit", 10, |_, client, at| {
        client.post("/api/favorite", &json!({"game_id": game_id(at)}));
        client.send(&Request::get("/api/library").header("Accept-Encoding", "gzip")).expect(200);
    }),
    changes("a bulk edit of 100 games", 10, |_, client, at| {
        let ids: Vec<String> = (0..100).map(game_id).collect();
        let changes = json!({"genre": format!("Genre {at}")});
        client.post("/api/games/bulk", &json!({"ids": ids, "changes": changes}));
    }),
    changes("an import of 200 new files", 1, |server, _, at| import(server, at)),
];

fn get(client: &mut Client, path: &str) {
    client.send(&Request::get(path)).expect(200);
}

fn import(server: &Server, at: usize) {
    let folder = server.scratch().folder(format!("roms-{at}/snes"));
    for index in 0..IMPORTED {
        fs::write(folder.join(format!("Game {at} of {index} (USA).sfc")), "").expect("a file");
    }
    server.import("/api/import", &json!({"folder": folder}));
}

/// All rows.
pub(super) fn measure(_: &Options, report: &mut Report) {
    measure_kernel(report);
    if Command::new("valgrind").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        measure_instructions(report);
    } else {
        say("no valgrind: instructions are not counted");
    }
}

/// A library that is ours already and is not folded meanwhile.
fn setup() -> Setup {
    Setup::new().library(&library(GAMES)).env("SERVICE_SNAPSHOT_DEBOUNCE", "3600")
}

/// Does everything once, so that what is done for the first time is not counted.
fn warm(server: &Server) -> Client {
    let mut client = server.client();
    super::rest(server);
    for work in WORK {
        (work.run)(server, &mut client, 0);
        super::rest(server);
    }
    client
}

/// Bytes written to files, calls that read and write them, and times that a thread was woken.
fn measure_kernel(report: &mut Report) {
    let mut server = setup().start();
    server.stop();
    server.restart();
    let mut client = warm(&server);
    for work in WORK {
        let before = kernel_counts(&server);
        work.repeat(&server, &mut client);
        let after = kernel_counts(&server);
        for ((what, unit), (after, before)) in
            [("written", "bytes"), ("calls", "calls"), ("wake-ups", "wakes")]
                .into_iter()
                .zip(after.into_iter().zip(before))
        {
            add(report, work, what, unit, after.saturating_sub(before));
        }
    }
}

fn add(report: &mut Report, work: &Work, what: &str, unit: &'static str, all: u64) {
    let each = Samples::from_iter([number(all) / number(work.times as u64)]);
    report.add(format!("{}, {what}", work.name), unit, &each, None);
}

fn kernel_counts(server: &Server) -> [u64; 3] {
    let text = fs::read_to_string(format!("/proc/{}/io", server.pid())).expect("its counts");
    let count = |name: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|number| number.trim().parse().ok()).expect(name)
    };
    [count("wchar:"), count("syscr:") + count("syscw:"), switches(server)]
}

/// Instructions of user code: those of a life with the work, less those of one without.
fn measure_instructions(report: &mut Report) {
    let base = instructions_of(|_, _| {});
    let name = format!("start and stop, {}, instructions", games(GAMES));
    report.add(name, "", &Samples::from_iter([number(base)]), None);
    for work in WORK {
        let all = instructions_of(|server, client| work.repeat(server, client));
        add(report, work, "instructions", "", all.saturating_sub(base));
    }
}

/// The instructions of a start, everything once, this work, and a stop.
fn instructions_of(work: impl FnOnce(&Server, &mut Client)) -> u64 {
    let setup = setup();
    let counted = setup.scratch().path("counted");
    let log = format!("--log-file={}", counted.display());
    let words = [
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
        &log,
    ];
    let mut server = setup.through(&words).start();
    let mut client = warm(&server);
    work(&server, &mut client);
    server.stop();
    let text = fs::read_to_string(counted).expect("the count");
    let line = text.lines().find_map(|line| line.split_once("refs:"));
    line.and_then(|(_, number)| number.replace(',', "").trim().parse().ok()).expect("a number")
}
