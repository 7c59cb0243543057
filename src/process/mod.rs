//! Child processes: the only module that starts or signals processes.
//!
//! Owns spawning, waiting, signals and the reading of `/proc`. Does not know what a child is for: games, probes and
//! commands are treated alike. Invariants: no argument passes through a shell; a child has its own session, so it
//! outlives the program and no Ctrl+C or hang-up of a terminal reaches it; a signal is never sent to a process number
//! that may have been reused.

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
