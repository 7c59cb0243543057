//! A weak machine: one core that runs the program a fifth of the time, little memory, a slow disk.
//!
//! Control groups are not to be had everywhere, so a thread stops and continues the program. A row of the table
//! says how much slower a plain loop got by that.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    pause::pause,
    stats::millis,
    support::server::{Server, Setup},
};

/// The argument that makes the bench the loop of [`slowdown`].
pub(crate) const LOOP_ARGUMENT: &str = "--plain-loop";
/// How long the program runs, and how long it rests before it runs again.
const RUN: Duration = Duration::from_micros(400);
const REST: Duration = Duration::from_micros(1_600);
/// Memory of the machine, in bytes.
pub(crate) const MEMORY: u64 = 256 << 20;
/// Bytes a second that the disk takes.
const RATE: u64 = 8 << 20;
/// Turns of the loop.
const TURNS: u64 = 60_000_000;

/// Stops and continues the children of this process until it is dropped.
pub(crate) struct Throttle {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Throttle {
    /// Begins with the children that are there or come.
    pub(crate) fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let mut known = Vec::new();
            while !over.load(Ordering::Acquire) {
                if known.is_empty() {
                    known = children();
                    pause(Duration::from_micros(200));
                    continue;
                }
                let is_there = send(&known, Signal::STOP);
                pause(REST);
                send(&known, Signal::CONT);
                pause(RUN);
                if !is_there {
                    known.clear();
                }
            }
            send(&known, Signal::CONT);
        });
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

/// Sends a signal to each; whether all of them were there.
fn send(processes: &[Pid], signal: Signal) -> bool {
    let reached = processes.iter().filter(|pid| kill_process(**pid, signal).is_ok()).count();
    reached == processes.len()
}

/// The processes that threads of this one have started.
fn children() -> Vec<Pid> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let numbers = lists.flat_map(|list| {
        list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()
    });
    numbers.filter_map(Pid::from_raw).collect()
}

/// Binds this thread, and what it starts from now on, to one core.
pub(crate) fn stay_on(core: usize) {
    let mut command = Command::new("taskset");
    command.args(["-pc", &core.to_string(), &std::process::id().to_string()]);
    // OK because the throttle alone already makes the machine a slow one; it may have more cores then.
    drop(command.stdout(Stdio::null()).stderr(Stdio::null()).status());
}

/// How a program is set up on such a machine, with a disk whose sync takes so many milliseconds.
pub(crate) fn on_weak_machine(setup: Setup, disk: &Path, sync: u64, memory: u64) -> Setup {
    setup
        .env("LD_PRELOAD", disk)
        .env("SLOW_DISK_SYNC_US", (sync * 1_000).to_string())
        .env("SLOW_DISK_BYTES_PER_S", RATE.to_string())
        .limit(&format!("--data={memory}"))
}

/// Starts a program that was stopped, slow from its first instruction; returns the milliseconds until it answers.
pub(crate) fn restart(server: &mut Server, asked: &str) -> (f64, Throttle) {
    stay_on(0);
    let throttle = Throttle::start();
    let start = Instant::now();
    server.restart();
    stay_on(1);
    server.get(asked);
    (millis(start.elapsed()), throttle)
}

/// How much slower a plain loop gets.
pub(crate) fn slowdown() -> f64 {
    let alone = time_loop();
    let throttle = Throttle::start();
    let slowed = time_loop();
    drop(throttle);
    slowed / alone
}

fn time_loop() -> f64 {
    let bench = std::env::current_exe().expect("the bench");
    let start = Instant::now();
    let ended = Command::new(bench).arg(LOOP_ARGUMENT).status();
    assert!(ended.is_ok_and(|status| status.success()), "the loop ends");
    millis(start.elapsed())
}

/// Works without asking the system for anything.
pub(crate) fn plain_loop() {
    let mut value: u64 = 1;
    for turn in 0..TURNS {
        value = std::hint::black_box(value.rotate_left(5) ^ turn);
    }
    // A loop whose result is unused may be optimised away.
    if value == 0 {
        pause(Duration::ZERO);
    }
}
