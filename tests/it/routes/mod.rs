//! One module a family of routes; the tree mirrors the URLs.

mod game;
mod import;
mod library;
mod media;
mod notifications;
mod play;
mod profiles;
mod queue;
mod state_recover;
mod tags;
