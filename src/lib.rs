//! Service Launcher: a local-first game-library launcher.
//!
//! The modules below are the rooms of the house, lowest first. A room imports only rooms above
//! its own line in this list; `tests/it/tidy/rooms.rs` fails on an upward import. `ARCHITECTURE.md`
//! says what each room owns.

pub mod base;
pub mod model;
pub mod formats;
pub mod config;
pub mod files;
pub mod process;
pub mod net;
pub mod store;
pub mod events;
pub mod jobs;
pub mod notices;
pub mod webhooks;
pub mod journal;
pub mod definitions;
pub mod probe;
pub mod game;
pub mod query;
pub mod care;
pub mod library;
pub mod media;
pub mod imports;
pub mod storefronts;
pub mod libserver;
pub mod launch;
pub mod sessions;
pub mod emulators;
pub mod exports;
pub mod backup;
pub mod saves;
pub mod shortcuts;
pub mod migrations;
pub mod setup;
pub mod watcher;
pub mod http;
pub mod api;
pub mod app;
