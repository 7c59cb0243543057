//! Editing on a memory card: what folds cost those who edit, and what a shared sync gains, where a
//! sync is what takes long. The disk is slowed below the program, by a library that is preloaded.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{edits::compare_writers, games};
use crate::{
    options::Options,
    pause::pause,
    report::{Report, Target, say},
    stats::{Samples, millis, number},
    support::{
        library::{game_id, library},
        server::{Server, Setup},
    },
};

/// Milliseconds of one sync of a middling memory card.
const SYNC: u64 = 8;
/// Bytes a second it takes.
const RATE: u64 = 20 << 20;
/// Edits after the fold.
const CALM_EDITS: usize = 200;
/// The rest after a fold, as a multiple of its length (`store/pace.rs`).
const REST: f64 = 19.0;

pub(super) fn measure(options: &Options, report: &mut Report) {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(disk) = build(folder.path()) else {
        say("no C compiler: the slow disk is left out");
        return;
    };
    let server = start(&disk, 10_000);
    // A fold is measured below.
    let first = inode(&server);
    ask_for_fold(&server, 10_000);
    while inode(&server) == first || is_folding(&server) {
        pause(Duration::from_millis(20));
    }
    compare_writers(options, report, &server, &format!(", {SYNC} ms a sync"));
    drop(server);
    measure_fold(report, &start(&disk, options.largest()), options.largest());
}

/// Makes the log as long as has a library of this many games written: edits a fifth of them.
fn ask_for_fold(server: &Server, count: usize) {
    for first in (0..count / 5).step_by(1_000) {
        let ids: Vec<_> = (first..(first + 1_000).min(count)).map(game_id).collect();
        server.post("/api/games/bulk", &json!({"ids": ids, "changes": {"genre": "Written anew"}}));
    }
}

/// Edits one after the other, from the beginning of a fold until some time after its end.
fn measure_fold(report: &mut Report, server: &Server, count: usize) {
    let mut client = server.client();
    let (mut calm, mut folding) = (Samples::default(), Samples::default());
    let mut fold = Duration::ZERO;
    let first = inode(server);
    ask_for_fold(server, count);
    let mut turn = 0;
    let mut left = CALM_EDITS;
    while left > 0 {
        let busy = is_folding(server);
        if inode(server) != first && !busy {
            left -= 1;
        }
        let start = Instant::now();
        client.post("/api/favorite", &json!({"game_id": game_id((turn * 7_919) % count)}));
        let took = start.elapsed();
        if busy {
            folding.push(millis(took));
            fold += took;
        } else {
            calm.push(millis(took));
        }
        turn += 1;
    }
    let size = games(count);
    let limit = number(SYNC) + 0.5 + 1.0;
    let target = Target::at_most(limit, "F + 0.5 ms, and 1 ms for the timer of the slow disk");
    report.add(format!("one edit, {SYNC} ms a sync, {size}"), "ms", &calm, Some(target));
    report.add(format!("one edit during a fold, {SYNC} ms a sync, {size}"), "ms", &folding, None);
    let length = fold.as_secs_f64();
    report.add(format!("a fold, {size}"), "s", &Samples::from_iter([length]), None);
    let bytes = fs::metadata(server.data("library.json")).expect("the library").len();
    // The longer of the two rests that follow a fold, see `store/pace.rs`.
    let rest = (length * REST).max(number(bytes) / 1_048_576.0);
    // As exact as it is shown: the rest is a multiple of the length, and the sum is not.
    let share = (length / (length + rest) * 10_000.0).round() / 100.0;
    let share = Samples::from_iter([share]);
    let target = Target::at_most(5.0, "of the time, changes never stopping");
    report.add(format!("folds, {size}"), "%", &share, Some(target));
}

/// The program on a library of this many games, on the slow disk.
fn start(disk: &Path, count: usize) -> Server {
    let mut server = Setup::new()
        .library(&library(count))
        .env("LD_PRELOAD", disk)
        .env("SLOW_DISK_SYNC_US", OsString::from((SYNC * 1_000).to_string()))
        .env("SLOW_DISK_BYTES_PER_S", OsString::from(RATE.to_string()))
        .start();
    server.stop();
    server.restart();
    server
}

/// Builds the library that is preloaded; none without a C compiler.
pub(super) fn build(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("slow_disk.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/slow_disk.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", "-o"]);
    let built = compiler.arg(&library).arg(source).status().is_ok_and(|status| status.success());
    built.then_some(library)
}

pub(super) fn inode(server: &Server) -> u64 {
    fs::metadata(server.data("library.json")).map_or(0, |file| file.ino())
}

/// Whether a new library file, log or snapshot is being written.
fn is_folding(server: &Server) -> bool {
    ["", "library.json.snapshots"].iter().any(|folder| {
        let entries = fs::read_dir(server.data(folder)).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"))
    })
}
