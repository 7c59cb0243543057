//! Wiring: what is built in which order at start, and taken down in which order at stop.
//!
//! Owns the process: arguments, log, signals, the token and port files. Refuses logic of a domain.

pub mod archive_command;
pub mod afterwards;
pub mod arguments;
pub mod announce;
mod claim;
pub mod hourly;
pub mod log_file;
pub mod play_now;
pub mod run;
pub mod tell;
