//! What the library answers: projection, queries, media, edits.

pub mod listing;
pub mod media_roots;
pub mod probes;
