//! What the black-box tests and the benchmarks stand on: a scratch directory, the running program,
//! a small HTTP/1.1 client and a generator of libraries.
//!
//! Knows nothing of the sources of the program: everything goes through the executable, its files
//! and its socket.

pub(crate) mod ach;
pub(crate) mod client;
pub(crate) mod disc;
pub(crate) mod emulator;
pub(crate) mod library;
pub(crate) mod metadb;
pub(crate) mod opendb;
pub(crate) mod plugin;
pub(crate) mod provider;
pub(crate) mod picture;
pub(crate) mod publisher;
pub(crate) mod receiver;
pub(crate) mod recorder;
pub(crate) mod scratch;
pub(crate) mod search_path;
pub(crate) mod server;
pub(crate) mod setup;
pub(crate) mod shapes;
pub(crate) mod stream;
pub(crate) mod toy;
pub(crate) mod wait;
