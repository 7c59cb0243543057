//! Library archives: made, listed, compared with the library, restored.
//!
//! Owns what a backup holds, the folder of archives, the rules for every member of an archive that
//! comes from outside, and the two jobs (Document 2 "Library backups"). An archive holds no
//! credentials; a restore keeps those that are here. Nothing of an archive is written before all of
//! it has been read and found fit.

pub mod create;
pub mod diff;
pub mod drill;
pub mod error;
pub mod folder;
pub mod items;
pub mod job;
pub mod members;
pub mod pack;
pub mod redact;
pub mod restore;
pub mod schedule;
pub mod plugin_state;
pub mod sources;
pub mod zipped;

mod archive;

#[cfg(test)]
mod attack_tests;
#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod tests;
