//! What the library answers: projection, queries, media, edits.

pub mod answers;
pub mod blocks;
pub mod deflate;
pub mod discovery;
pub mod listing;
pub mod media;
pub mod media_roots;
pub mod mounts;
pub mod probes;
pub mod projection;
pub mod reference;
pub mod slots;
pub mod survey;

mod readers;

#[cfg(test)]
mod answers_tests;
#[cfg(test)]
mod projection_tests;
