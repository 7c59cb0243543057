//! What the library answers: projection, queries, media, edits.

pub mod listing;
pub mod media_roots;
pub mod probes;
pub mod projection;
pub mod slots;
pub mod survey;

#[cfg(test)]
mod projection_tests;
