//! A folder of 10,000 files, found new and found again.

use std::time::Instant;

use serde_json::json;

use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis},
    support::{client::Request, library::rom, server::Server},
};

/// Files in the folder.
const FILES: usize = 10_000;

pub(super) fn measure(options: &Options, report: &mut Report) {
    let mut new = Samples::default();
    let mut again = Samples::default();
    for _ in 0..options.times(5) {
        let server = Server::start();
        for index in 0..FILES {
            server.scratch().file(format!("roms/{}", rom(index)), b"NES\x1a");
        }
        let (time, added) = import(&server);
        assert_eq!(added, FILES as u64, "every file is a game");
        new.push(time);
        for _ in 0..3 {
            let (time, added) = import(&server);
            assert_eq!(added, 0, "every file is known");
            again.push(time);
        }
    }
    let target = Target::at_most(1_000.0, "warm cache");
    report.add("import of 10,000 new files", "ms", &new, Some(target));
    report.add(
        "import of the same again",
        "ms",
        &again,
        Some(Target::at_most(300.0, "warm cache")),
    );
}

/// Milliseconds of one import, and how many games it added.
fn import(server: &Server) -> (f64, u64) {
    let mut client = server.client();
    let body = json!({"folder": server.scratch().path("roms")});
    let start = Instant::now();
    let reply = client.send(&Request::post("/api/import", &body));
    let time = millis(start.elapsed());
    (time, reply.expect(200).json()["added"].as_u64().unwrap_or(0))
}
