//! The emulator definitions of this machine: those that came with the program, those of the
//! definition channel, and a person's own.
//!
//! Owns the embedded set and the folder of the data directory. Refuses to write a file of a person.

pub mod bundled;
pub mod extended;
pub mod ledger;
pub mod gather;
pub mod keeper;
pub mod pack;
pub mod plan;
mod change;
pub mod channel;

#[cfg(test)]
mod change_tests;
