//! The emulator definitions of this machine: those that came with the program, those of the
//! definition channel, and the user's own.
//!
//! Owns the embedded set and the folder of the data directory. Does not write a file of the user.

pub mod bundled;
pub mod extended;
pub mod ledger;
pub mod gather;
pub mod loader;
pub mod pack;
pub mod plan;
mod change;
pub mod channel;

#[cfg(test)]
mod change_tests;
