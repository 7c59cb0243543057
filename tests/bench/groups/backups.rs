//! What a backup of a large media tree takes: time compared with `cp`, and memory.

use std::{
    fs::{self, File},
    io::Write as _,
    process::Command,
    thread,
    time::Instant,
};

use serde_json::json;

use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, number},
    support::{
        library::{Dice, library},
        server::{Server, Setup},
        stream::{Stream, started},
    },
};

/// Bytes of one file of the tree.
const PICTURE: usize = 1 << 20;
/// Every this many files one is a film of many times that size.
const FILM: usize = 256;

pub(super) fn measure(options: &Options, report: &mut Report) {
    let pictures = if options.quick { 128 } else { 1_792 };
    let setup = Setup::new().library(&library(1_000));
    let bytes = plant(&setup, pictures);
    let server = setup.start();
    let mebibytes = number(bytes) / 1_048_576.0;
    let (mut copies, mut backups) = (Samples::default(), Samples::default());
    let (mut ratios, mut memory) = (Samples::default(), Samples::default());
    for _ in 0..3 {
        let copy = copy(&server, mebibytes);
        let held = number(server.status("VmRSS")) / 1_024.0;
        let (backup, peak) = backup(&server, mebibytes);
        copies.push(copy);
        backups.push(backup);
        ratios.push(backup / copy);
        memory.push(peak - held);
    }
    let of = format!("{mebibytes:.0} MiB of media");
    report.add(format!("cp and sync of {of}"), "MiB/s", &copies, None);
    report.add(format!("backup of {of}, read again"), "MiB/s", &backups, None);
    report.add("backup / cp", "ratio", &ratios, None);
    let flat = Target::at_most(64.0, "streamed");
    report.add(format!("memory more during a backup of {of}"), "MiB", &memory, Some(flat));
}

/// Files that do not shrink, as pictures and films do not.
fn plant(setup: &Setup, pictures: usize) -> u64 {
    let mut dice = Dice::new(3);
    let mut block: Vec<u8> = Vec::with_capacity(PICTURE);
    while block.len() < PICTURE {
        block.extend(dice.next().to_le_bytes());
    }
    let mut planted = 0;
    for number in 0..pictures {
        let turns = if number % FILM == 0 { 38 } else { 1 };
        let path = setup.scratch().file(format!("data/media/{}/{number}.png", number % 40), "");
        let mut file = File::options().append(true).open(path).expect("a file");
        for _ in 0..turns {
            block.rotate_left(8 + number % 64);
            file.write_all(&block).expect("room for a media tree");
            planted += block.len() as u64;
        }
    }
    planted
}

/// MiB a second of `cp`, until the copy is on the disk.
fn copy(server: &Server, mebibytes: f64) -> f64 {
    let target = server.scratch().path("copy");
    let start = Instant::now();
    let copied = Command::new("cp").arg("-r").arg(server.data("media")).arg(&target).status();
    assert!(copied.is_ok_and(|status| status.success()), "copied");
    let synced = Command::new("sync").arg("-f").arg(&target).status();
    assert!(synced.is_ok_and(|status| status.success()), "synced");
    let rate = mebibytes / start.elapsed().as_secs_f64();
    fs::remove_dir_all(target).expect("removed");
    rate
}

/// MiB a second of a backup, and the most memory that was seen meanwhile.
fn backup(server: &Server, mebibytes: f64) -> (f64, f64) {
    let mut stream = Stream::open(server);
    let body = json!({"items": ["library", "media"], "keep": 1});
    let start = Instant::now();
    let id = started(server, "/api/backup/create", &body);
    thread::scope(|scope| {
        let end = scope.spawn(|| {
            // Each telling of progress is a moment to look at the memory.
            let mut peak = 0;
            loop {
                let (name, payload) = stream.next().expect("the stream goes on");
                peak = peak.max(server.status("VmRSS"));
                if name == "job.finished" && payload["job_id"] == id.as_str() {
                    assert_eq!(payload["state"], "done", "{payload}");
                    return peak;
                }
            }
        });
        let peak = end.join().expect("no panic");
        (mebibytes / start.elapsed().as_secs_f64(), number(peak) / 1_024.0)
    })
}
