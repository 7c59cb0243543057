//! One module a family of routes; the tree mirrors the URLs.

mod game;
mod import;
mod library;
mod media;
mod state_recover;
