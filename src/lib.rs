//! Service Launcher: a local-first game-library launcher.
//!
//! The modules below are the rooms of the house, lowest first. A room imports only rooms above
//! its own line in this list; `tests/it/tidy.rs` fails on an upward import. `ARCHITECTURE.md`
//! says what each room owns.

pub mod api;
pub mod app;
pub mod base;
pub mod config;
pub mod files;
pub mod formats;
pub mod http;
pub mod imports;
pub mod library;
pub mod model;
pub mod play;
pub mod process;
pub mod store;
