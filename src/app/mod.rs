//! Wiring: the order in which parts are built at start and stopped at the end.
//!
//! Owns the process: arguments, log, signals, the token and port files. Holds no domain logic.

pub mod archive_command;
pub mod arguments;
mod announce;
mod browser;
mod claim;
pub mod command;
mod deep_link;
mod hourly;
mod import_jobs;
mod leftovers;
pub mod link_command;
mod log_file;
mod play_now;
mod resources;
pub mod run;
mod session_jobs;
