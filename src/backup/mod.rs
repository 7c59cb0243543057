//! Library backups: create, list, compare with the library, restore.
//!
//! Owns what a backup holds, the folder of archives, the rules for every member of an archive that
//! comes from outside, and the two jobs. An archive holds no credentials; a restore keeps the
//! present ones. Nothing of an archive is written before all of it has been verified. See
//! `docs/design/backup.md`.

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
