//! Games of the library as shortcuts in the first store's client.
//!
//! Owns the plan (what is added, changed, removed) and the one file of the store that this program
//! ever writes. Refuses to touch an entry that it did not make, to write while the client runs (it
//! would write its own copy over ours), and to write what nobody has previewed.

pub mod error;
pub mod file;
pub mod plan;
