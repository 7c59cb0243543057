//! Games that come by themselves: watch folders, stores and emulator folders, looked at again and
//! again.
//!
//! Adds only. A folder that has vanished, with its card or its server, is an error of this pass and
//! removes nothing.

pub mod fingerprint;
pub mod pass;
pub mod worker;
