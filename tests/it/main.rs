//! Black-box tests: the real executable on a temporary data directory, spoken to over HTTP.
//!
//! One test binary. `support/` starts the program and talks to it, `tidy.rs` reads the sources, the
//! other modules are the tests. `tests/abuse` is compiled into the same binary.

#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "a test builds its own files, children and threads around the program"
)]

#[path = "../abuse/mod.rs"]
mod abuse;
mod archives;
mod command_line;
mod costs;
mod full_disk;
mod http;
mod jobs_survive;
mod lifecycle;
mod newcomer;
mod packages;
mod program;
mod real_emulators;
mod routes;
mod setup_story;
mod support;
mod support_tests;
mod tidy;
