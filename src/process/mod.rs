//! The one door to child processes.
//!
//! Owns spawning, waiting, signals and the reading of `/proc`. Nothing else in the house starts or
//! signals a process. Refuses to know what a child is for: games, probes and commands are the same
//! here. Invariants: an argument is never seen by a shell; a child has its own session, so it
//! outlives us and nobody's Ctrl+C or hang-up reaches it; a signal is never sent to a process
//! number that may have changed hands.

pub mod capture;
pub mod child;
pub mod proc_files;
pub mod reaper;
pub mod search;
pub mod signal;
pub mod spawn;

pub use self::capture::{CaptureError, Captured, Limits};
pub use self::child::{Process, SignalError};
pub use self::spawn::{SpawnError, Spec};
