//! Start, memory after it, and what the program does without requests.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::{games, settled};
use crate::{
    options::Options,
    pause::pause,
    report::{Report, Target},
    stats::{Samples, millis, number},
    support::{server::Server, stream::Stream},
};

/// What is asked first.
pub(super) const ASKED: &str = "/api/running";

/// A clock tick of `/proc`: a hundredth of a second on every Linux we build for.
const TICK_MILLIS: f64 = 10.0;

pub(super) fn measure(options: &Options, report: &mut Report) {
    for count in [0].iter().chain(options.sizes()).copied() {
        let mut server = settled(count);
        let mut starts = Samples::default();
        let mut memory = Samples::default();
        let mut peak = Samples::default();
        let mut worked = Samples::default();
        for _ in 0..options.times(11) {
            server.stop();
            let start = Instant::now();
            server.restart();
            server.get(ASKED);
            starts.push(millis(start.elapsed()));
            memory.push(number(server.status("VmRSS")) / 1_024.0);
            peak.push(number(server.status("VmHWM")) / 1_024.0);
            worked.push(number(ticks(&server)) * TICK_MILLIS);
        }
        let limit = match count {
            0 => Some(30.0),
            10_000 => Some(60.0),
            100_000 => Some(350.0),
            _ => None,
        };
        let target = limit.map(|limit| Target::at_most(limit, "first authenticated answer"));
        report.add(format!("start to first answer, {}", games(count)), "ms", &starts, target);
        // Unlike the time on the clock, this hardly depends on what else the machine does.
        report.add(format!("  processor time of it, {}", games(count)), "ms", &worked, None);
        let file = fs::metadata(server.data("library.json")).map_or(0, |file| file.len());
        // What the program itself takes, it takes with a library of any size.
        let limit = 12.0 + 1.5 * number(file) / 1_048_576.0;
        let target = Target::at_most(limit, "12 MiB and 1.5 x library.json");
        report.add(format!("memory after start, {}", games(count)), "MiB", &memory, Some(target));
        report.add(format!("  most during it, {}", games(count)), "MiB", &peak, None);
    }
}

/// Context switches and processor time while the program has no client.
pub(super) fn measure_idle(options: &Options, report: &mut Report) {
    let server = settled(10_000);
    server.get(ASKED);
    // What the start left to do ends within this; ten seconds after the answer the guard gives memory back.
    pause(Duration::from_secs(12));
    let window = Duration::from_secs(if options.quick { 2 } else { 10 });
    let (switches, before) = (switches(&server), burnt(&server));
    pause(window);
    let woken = self::switches(&server) - switches;
    let share = |before| Samples::from_iter([(burnt(&server) - before) / millis(window) * 100.0]);
    let seconds = window.as_secs_f64();
    let woken = Samples::from_iter([number(woken) / seconds]);
    report.add("idle, wake-ups a second", "1/s", &woken, Some(Target::at_most(0.0, "no client")));
    report.add(
        "idle, processor time",
        "%",
        &share(before),
        Some(Target::at_most(0.05, "no client")),
    );
    let stream = Stream::open(&server);
    pause(Duration::from_secs(1));
    let before = burnt(&server);
    pause(window);
    let target = Target::at_most(0.05, "one live stream");
    report.add("idle with a live stream, processor time", "%", &share(before), Some(target));
    drop(stream);
}

/// Voluntary context switches of all threads.
pub(super) fn switches(server: &Server) -> u64 {
    let count = |status: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line?.trim().parse::<u64>().ok()
    };
    of_threads(server, "status").iter().filter_map(|status| count(status)).sum()
}

/// Milliseconds of processor time of the threads that there are.
pub(super) fn burnt(server: &Server) -> f64 {
    let nanos = |stat: &str| stat.split(' ').next()?.parse::<u64>().ok();
    let all: u64 = of_threads(server, "schedstat").iter().filter_map(|stat| nanos(stat)).sum();
    number(all) / 1e6
}

/// A file of `/proc` for each thread.
fn of_threads(server: &Server, file: &str) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", server.pid())).expect("its threads");
    tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join(file)).ok()).collect()
}

/// User and system time in clock ticks, of the threads that have ended too.
pub(super) fn ticks(server: &Server) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", server.pid())).expect("its times");
    let fields: Vec<_> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    fields[11..13].iter().filter_map(|field| field.parse::<u64>().ok()).sum()
}
