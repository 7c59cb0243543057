//! Benchmarks: the release executable on generated libraries, measured from outside.
//!
//!     cargo bench                               everything, as a table
//!     cargo bench -- --quick                    small libraries, few repetitions
//!     cargo bench -- --table                    what has a target, twice, as a table to keep
//!     cargo bench -- --weak                     20,000 games on a weak machine
//!     cargo bench -- --hour                     an hour of mixed use on such a machine
//!     cargo bench -- --counts                   instructions, bytes, calls and wake-ups instead of times
//!     cargo bench -- --filter edit,read         only groups whose name contains one of these
//!     cargo bench -- --json new.json            the same figures for later
//!     cargo bench -- --compare old.json         how they differ from an earlier run
//!
//! Machines are shared and noisy, so every row is a median and a 95th percentile, and a target is a
//! ratio inside the run wherever it can be: against one append with fdatasync on the same disk (F),
//! against a trivial public asset (B), against copying the same bytes in memory.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark builds its own files, children and threads around the program"
)]

#[path = "../it/support/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

mod bare;
mod disk;
mod groups;
mod load;
mod options;
mod pause;
mod report;
mod stats;
mod weak_machine;

use std::process::ExitCode;

use options::{Options, Scope};
use report::Report;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            report::say(&error);
            return ExitCode::from(2);
        }
    };
    if let Some(size) = options.bare_server {
        bare::serve(size);
        return ExitCode::SUCCESS;
    }
    if let Some(size) = options.bare_socket {
        bare::serve_socket(size);
        return ExitCode::SUCCESS;
    }
    if options.plain_loop {
        weak_machine::plain_loop();
        return ExitCode::SUCCESS;
    }
    let mut report = Report::new(&options);
    let all = match options.scope {
        Scope::Usual => groups::ALL,
        Scope::Weak => groups::WEAK,
        Scope::Hour => groups::HOUR,
        Scope::Counts => groups::COUNTS,
    };
    for run in 1..=options.runs() {
        for (name, has_targets, group) in all {
            if options.wants(name) && (*has_targets || !options.table) {
                report::say(&format!("-- {name}, run {run}"));
                group(&options, &mut report);
            }
        }
    }
    match report.finish(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::say(&error);
            ExitCode::FAILURE
        }
    }
}
