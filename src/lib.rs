//! Service Launcher: a local-first game-library launcher.
//!
//! The modules are listed lowest first. A module imports only modules above its own line;
//! `tests/it/tidy/modules.rs` fails on an upward import. `ARCHITECTURE.md` describes what each owns.

mod base;
mod platforms;
mod model;
mod formats;
mod names;
mod config;
mod files;
mod process;
mod net;
mod store;
mod events;
mod jobs;
mod notices;
mod webhooks;
mod journal;
mod history;
mod feature;
mod definitions;
mod probe;
mod game;
mod query;
mod settings;
mod extensions;
mod care;
mod library;
mod media;
mod imports;
mod storefronts;
mod libserver;
mod launch;
mod sessions;
mod emulators;
mod exports;
mod backup;
mod saves;
mod shortcuts;
mod migrations;
mod setup;
mod watcher;
mod effects;
mod http;
mod api;
pub mod app;
