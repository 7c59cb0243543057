//! Abuse of the running program: kills, generated requests, and mixed load with hostile clients.
//!
//! Each has a short round among the other tests and a long one by command:
//!
//! ```text
//! KILL_ROUNDS=200 cargo test --test it -- abuse:: kill
//! FUZZ_REQUESTS=200000 cargo test --test it -- abuse::fuzz --nocapture
//! LOAD_MINUTES=30 cargo test --test it -- abuse::load --nocapture
//! ```
//!
//! `ABUSE_SEED` starts the generators elsewhere; every test prints its seed.

mod definition_kills;
mod filling_kills;
mod fuzz;
mod journal_kills;
mod kills;
mod kills_archives;
mod load;
mod save_kills;
mod setup_kills;

use crate::support::{server::Server, wait::poll};

/// The number in an environment variable, or `short` without it.
fn number(name: &str, short: u64) -> u64 {
    std::env::var(name).map_or(short, |text| text.parse().expect("a number"))
}

/// The seed of this run, which is printed.
fn seed() -> u64 {
    let seed = number("ABUSE_SEED", 16);
    println!("ABUSE_SEED={seed}");
    seed
}

/// Resident memory in MiB.
fn memory(server: &Server) -> u64 {
    server.status("VmRSS") / 1024
}

/// Waits until the program uses at most 16 MiB more memory than `before`, and few threads.
#[track_caller]
fn assert_recovered(server: &Server, before: u64) {
    let counts = || (memory(server), server.status("Threads"));
    let is_recovered = poll(|| {
        let (now, threads) = counts();
        (now <= before + 16 && threads < 60).then_some(())
    });
    assert!(is_recovered.is_some(), "{before} MiB before, now {:?} MiB and threads", counts());
}
