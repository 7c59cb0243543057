//! Games of the library as shortcuts in the first store's client.
//!
//! Owns the plan (what is added, changed, removed) and the one file of the store that this program
//! ever writes. Does not touch an entry that it did not make, write while the client runs (which would overwrite it
//! with its own copy), or write anything that was not previewed.

pub mod error;
pub mod file;
pub mod plan;
