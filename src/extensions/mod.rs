//! What extends the program: style sheets, plugins and sources of data.
//!
//! Owns what is installed and set up of them, and reads only. Runs no plugin and asks no server.

pub mod plugins;
pub mod sources;
pub mod themes;
