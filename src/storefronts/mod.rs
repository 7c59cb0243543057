//! Stores whose games this machine has or could install, read from the stores' own files and
//! commands.
//!
//! Nothing here talks to a store over the network or writes into its files. Each store makes
//! [`title::Title`]s; `imports::merge` joins them with the library.

pub mod title;
pub mod covers;
pub mod tools;
pub mod error;
pub mod store_a;
pub mod store_b;
pub mod foreign_database;
mod store_c_database;
pub mod store_c;
pub mod catalog;
pub mod survey;
pub mod wrapper;
pub mod compat;
