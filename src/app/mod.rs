//! Wiring: what is built in which order at start, and taken down in which order at stop.
//!
//! Owns the process: arguments, log, signals, the token and port files. Refuses logic of a domain.

pub mod archive_command;
mod after_imports;
mod afterwards;
pub mod arguments;
mod announce;
mod browser;
mod claim;
pub mod command;
mod deep_link;
mod hourly;
mod leftovers;
pub mod link_command;
mod log_file;
mod play_now;
mod resources;
pub mod run;
