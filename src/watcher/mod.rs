//! Automatic imports: scans watch folders, stores and emulator folders at intervals.
//!
//! Only adds games. A folder that is missing, for example on a card or a server that is not connected,
//! is an error of the pass and removes nothing.

pub mod fingerprint;
pub mod pass;
pub mod worker;
