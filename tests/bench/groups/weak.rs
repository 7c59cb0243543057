//! The table of a weak machine (`--weak`): 20,000 games on one core at a fifth of its speed, 256 MiB of memory
//! and a bad memory card.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    games, play,
    slow_disk::{build, inode},
    starts::{ASKED, burnt, switches},
    weak_page,
};
use crate::{
    options::Options,
    pause::pause,
    report::{Report, Target, say},
    stats::{Samples, millis, number},
    support::{
        client::{Client, Request},
        library::{game_id, library, rom},
        picture::jpeg,
        server::{Server, Setup},
        stream::{Stream, started},
        toy::Toy,
    },
    weak_machine::{MEMORY, Throttle, on_weak_machine, restart, slowdown},
};

/// Games of the library.
pub(super) const GAMES: usize = 20_000;
/// Milliseconds of a sync, by how bad the card is; most rows are measured with the second.
const SYNCS: [u64; 3] = [5, 40, 200];
pub(super) const USUAL: u64 = SYNCS[1];
/// Games of one import.
const IMPORTED: usize = 5_000;
/// Covers on one screen, and the size of one.
const COVERS: usize = 24;
const COVER: (u16, u16) = (1_200, 1_600);
/// What the page asks for first.
const FIRST_PAGE: &str =
    "/api/library?offset=0&limit=500&fields=name,platform,genre,has_cover,favorite";
/// Games of the large library, and the memory of the board it is on.
const MANY: usize = 100_000;
const MORE_MEMORY: u64 = 512 << 20;
/// Sessions of an evening.
const SESSIONS: usize = 10;
/// How long what a start left to do takes at most.
const SETTLED: Duration = Duration::from_secs(3);
/// The length of idleness.
const MINUTE: Duration = Duration::from_mins(1);

/// How much slower the machine is, and edits by how bad the card is.
pub(super) fn measure_edits(options: &Options, report: &mut Report) {
    on_slow_disk(|disk| {
        let slower = Samples::from_iter([slowdown()]);
        report.add("a plain loop takes longer, times", "x", &slower, None);
        for sync in SYNCS {
            measure_sync(options, report, disk, sync);
        }
    });
}

/// The rows of 20,000 games.
pub(super) fn measure(options: &Options, report: &mut Report) {
    on_slow_disk(|disk| {
        let size = games(GAMES);
        let mut server = weak(Setup::new().library(&library(GAMES)), disk, USUAL, MEMORY);
        measure_starts(options, report, &mut server, 400.0, &size);
        let throttle = Throttle::start();
        measure_reads(options, report, &server);
        weak_page::measure(report, &server);
        measure_import(report, &server);
        measure_covers(report, &server);
        measure_backup(report, &server);
        measure_launch(options, report, &server);
        measure_evening(report, &server);
        let most = Samples::from_iter([number(server.status("VmHWM")) / 1_024.0]);
        let name = format!("weak: memory, most in all of this, {size}");
        report.add(name, "MiB", &most, at_most(96.0, "96 MiB"));
        drop(throttle);
        measure_minute(report, &server);
        let stop = Samples::time(1, || {
            let throttle = Throttle::start();
            server.stop();
            drop(throttle);
        });
        report.add("weak: stop", "ms", &stop, None);
    });
}

/// The rows of an empty library, and of a large one.
pub(super) fn measure_sizes(options: &Options, report: &mut Report) {
    on_slow_disk(|disk| {
        measure_empty(report, disk);
        measure_many(options, report, disk);
    });
}

pub(super) fn on_slow_disk(measure: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    match build(folder.path()) {
        Some(disk) => measure(&disk),
        None => say("no C compiler: there is no slow disk, so there is no weak machine"),
    }
}

pub(super) fn at_most(limit: f64, rule: &str) -> Option<Target> {
    Some(Target::at_most(limit, rule))
}

/// The program after its first start has taken its library over, which is done at full speed.
pub(super) fn weak(setup: Setup, disk: &Path, sync: u64, memory: u64) -> Server {
    let mut server = on_weak_machine(setup, disk, sync, memory).start();
    server.stop();
    server.restart();
    server
}

fn measure_starts(
    options: &Options,
    report: &mut Report,
    server: &mut Server,
    limit: f64,
    size: &str,
) {
    let mut starts = Samples::default();
    let mut searches = Samples::default();
    for _ in 0..options.times(5) {
        server.stop();
        let (start, throttle) = restart(server, ASKED);
        starts.push(start);
        searches.push(time(&mut server.client(), "/api/v2/library/search?q=legend"));
        drop(throttle);
    }
    let rule = format!("{limit:.0} ms");
    let name = format!("weak: start to first answer, {size}");
    report.add(name, "ms", &starts, at_most(limit, &rule));
    let name = format!("weak: first search after it, {size}");
    report.add(name, "ms", &searches, at_most(50.0, "50 ms"));
}

/// Questions of a page, and cheap ones.
fn measure_reads(options: &Options, report: &mut Report, server: &Server) {
    let mut client = server.client();
    for (name, path) in [
        ("weak: first page of the library", FIRST_PAGE),
        ("weak: a later search", "/api/v2/library/search?q=crystal%20night"),
        ("weak: one game", &*format!("/api/library/delta?ids={}", game_id(77))),
    ] {
        let samples = (0..options.times(50)).map(|_| time(&mut client, path)).collect();
        report.add(name, "ms", &samples, at_most(50.0, "50 ms"));
    }
}

fn time(client: &mut Client, path: &str) -> f64 {
    let start = Instant::now();
    client.send(&Request::get(path)).expect(200);
    millis(start.elapsed())
}

fn measure_sync(options: &Options, report: &mut Report, disk: &Path, sync: u64) {
    let mut server = weak(Setup::new().library(&library(GAMES)), disk, sync, MEMORY);
    server.stop();
    let (_, throttle) = restart(&mut server, ASKED);
    // What the start left to do takes the core from the first edits.
    pause(SETTLED);
    let mut client = server.client();
    let edits = Samples::time(options.times(30), || {
        client.post("/api/favorite", &json!({"game_id": game_id(7)}));
    });
    drop(throttle);
    let limit = Target::at_most(number(sync) + 5.0, "a sync and 5 ms");
    report.add(format!("weak: edit answered, {sync} ms a sync"), "ms", &edits, Some(limit));
}

/// Does long work while a page of the library is read again and again; returns how long the work took.
fn read_beside(
    report: &mut Report,
    server: &Server,
    name: &str,
    work: impl FnOnce() + Send,
) -> Samples {
    let (mut pages, mut cheap) = (Samples::default(), Samples::default());
    let start = Instant::now();
    let took = thread::scope(|scope| {
        let work = scope.spawn(|| {
            work();
            start.elapsed()
        });
        let mut client = server.client();
        while !work.is_finished() {
            pages.push(time(&mut client, "/api/library?offset=0&limit=100"));
            cheap.push(time(&mut client, ASKED));
        }
        work.join().expect("no panic")
    });
    let worst = Samples::from_iter([pages.percentile(100)]);
    let row = format!("weak: slowest page of 100 during {name}");
    report.add(row, "ms", &worst, at_most(50.0, "50 ms"));
    let late = Samples::from_iter([cheap.percentile(99)]);
    let row = format!("weak: cheap answer during {name}, 99 of 100");
    report.add(row, "ms", &late, at_most(10.0, "10 ms"));
    Samples::from_iter([took.as_secs_f64()])
}

fn measure_import(report: &mut Report, server: &Server) {
    for index in 0..IMPORTED {
        server.scratch().file(format!("roms/{}", rom(index)), b"NES\x1a");
    }
    let took = read_beside(report, server, "an import", || {
        let body = json!({"folder": server.scratch().path("roms")});
        server.send(&Request::post("/api/import", &body)).expect(200);
    });
    report.add("weak: import of 5,000", "s", &took, None);
}

/// The covers of one screen, small, for the first time.
fn measure_covers(report: &mut Report, server: &Server) {
    for index in 0..COVERS {
        let seed = u32::try_from(index).unwrap_or(0);
        let name = format!("data/media/weak-{index}.jpg");
        let cover = server.scratch().file(&name, jpeg(COVER.0, COVER.1, seed));
        let game = json!({"name": format!("Cover {index}"), "cover": cover});
        server.post("/api/game", &json!({"game_id": game_id(index), "game": game}));
    }
    let took = read_beside(report, server, "thumbnails", || {
        let mut client = server.client();
        for index in 0..COVERS {
            let path = format!("/api/media?game_id={}&kind=cover&w=320", game_id(index));
            client.send(&Request::get(&path)).expect(200);
        }
    });
    report.add("weak: covers of a screen, small, cold", "s", &took, None);
}

fn measure_backup(report: &mut Report, server: &Server) {
    let took = read_beside(report, server, "a backup", || {
        let mut stream = Stream::open(server);
        let job = started(server, "/api/backup/create", &json!({"items": ["library"], "keep": 1}));
        assert_eq!(stream.job_end(server, &job)["state"], "done");
    });
    report.add("weak: a backup", "s", &took, None);
}

fn measure_launch(options: &Options, report: &mut Report, server: &Server) {
    let toy = Toy::new(server.scratch(), "toy", "game.sh");
    let id = toy.add(server, "Toy", &json!({"platform": "Linux"}));
    let mut launches = Samples::default();
    for _ in 0..options.times(5) {
        launches.push(play(server, &toy, &id));
    }
    let limit = 2.0 * number(USUAL) + 50.0;
    let target = at_most(limit, "two syncs and 50 ms");
    report.add("weak: launch to the game running", "ms", &launches, target);
}

/// Ten sessions one after the other: how often the whole library is written.
fn measure_evening(report: &mut Report, server: &Server) {
    let toy = Toy::new(server.scratch(), "evening", "game.sh");
    let id = toy.add(server, "Evening", &json!({"platform": "Linux"}));
    let mut folds = 0.0;
    let mut last = inode(server);
    for _ in 0..SESSIONS {
        play(server, &toy, &id);
        // Where a change has the library written at once, that has begun by now.
        pause(Duration::from_secs(3));
        if inode(server) != last {
            last = inode(server);
            folds += 1.0;
        }
    }
    let target = at_most(2.0, "twice, pauses are of the rule");
    let folds = Samples::from_iter([folds]);
    report.add("weak: ten sessions, whole library written", "times", &folds, target);
}

/// A minute of a game, without a page. The throttle rests meanwhile, because it wakes every thread itself.
fn measure_minute(report: &mut Report, server: &Server) {
    let toy = Toy::new(server.scratch(), "long", "game.sh");
    let id = toy.add(server, "Long", &json!({"platform": "Linux"}));
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    pause(Duration::from_secs(15));
    let (log, woken, burnt_before) = (log_bytes(server), switches(server), burnt(server));
    pause(MINUTE);
    let written = Samples::from_iter([number(log_bytes(server).saturating_sub(log)) / 1_024.0]);
    let woken = Samples::from_iter([number(switches(server) - woken) / MINUTE.as_secs_f64()]);
    let share = (burnt(server) - burnt_before) / millis(MINUTE) * 100.0;
    toy.end(0);
    let name = "weak: a minute of play, written to the log";
    report.add(name, "KiB", &written, at_most(16.0, "16 KiB"));
    report.add("weak: a minute of play, wake-ups", "1/s", &woken, None);
    let share = Samples::from_iter([share]);
    report.add("weak: a minute of play, processor time", "%", &share, None);
}

fn log_bytes(server: &Server) -> u64 {
    fs::metadata(server.data("library.log")).map_or(0, |file| file.len())
}

fn measure_empty(report: &mut Report, disk: &Path) {
    let mut server = weak(Setup::new(), disk, USUAL, MEMORY);
    server.stop();
    let (start, throttle) = restart(&mut server, ASKED);
    drop(throttle);
    report.add("weak: start to first answer, empty", "ms", &Samples::from_iter([start]), None);
    // The guard gives memory back ten seconds after the answer.
    pause(Duration::from_secs(12));
    let memory = Samples::from_iter([number(server.status("VmRSS")) / 1_024.0]);
    report.add("weak: memory, idle and empty", "MiB", &memory, at_most(24.0, "24 MiB"));
    let woken = |server: &Server| {
        let before = switches(server);
        pause(MINUTE);
        Samples::from_iter([number(switches(server) - before) / MINUTE.as_secs_f64()])
    };
    let target = at_most(0.0, "none");
    report.add("weak: wake-ups, idle without a page", "1/s", &woken(&server), target);
    let stream = Stream::open(&server);
    pause(Duration::from_secs(12));
    let target = at_most(1.0, "one a second");
    report.add("weak: wake-ups, idle with a page", "1/s", &woken(&server), target);
    drop(stream);
}

/// A large library on a board with 512 MiB.
fn measure_many(options: &Options, report: &mut Report, disk: &Path) {
    let size = games(MANY);
    let mut server = weak(Setup::new().library(&library(MANY)), disk, USUAL, MORE_MEMORY);
    measure_starts(options, report, &mut server, 2_000.0, &size);
    let throttle = Throttle::start();
    let mut client = server.client();
    let pages = (0..options.times(30)).map(|_| time(&mut client, FIRST_PAGE)).collect();
    report.add(format!("weak: first page, {size}"), "ms", &pages, at_most(50.0, "50 ms"));
    pause(SETTLED);
    let edits = Samples::time(options.times(30), || {
        client.post("/api/favorite", &json!({"game_id": game_id(7)}));
    });
    let target = at_most(number(USUAL) + 5.0, "a sync and 5 ms");
    report.add(format!("weak: edit answered, {size}"), "ms", &edits, target);
    drop(throttle);
    let most = Samples::from_iter([number(server.status("VmHWM")) / 1_024.0]);
    let name = format!("weak: memory, most in all of this, {size}");
    report.add(name, "MiB", &most, at_most(512.0, "512 MiB"));
}
