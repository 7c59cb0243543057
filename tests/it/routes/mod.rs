//! One module a family of routes; the tree mirrors the URLs.

mod game;
mod state_recover;
