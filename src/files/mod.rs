//! Writing to disk: the only module that does.
//!
//! Owns atomic replacement, appending, locks, private directories and the [`disk::Disk`] trait
//! below them, where a test can make any call fail. Does not decide what is written: callers pass paths and bytes.

pub mod append;
pub mod confine;
pub mod disk;
pub mod error;
pub mod lock;
pub mod place;
pub mod source;
pub mod space;
pub mod tail;
pub mod temp;
pub mod writer;

pub use self::append::Appender;
pub use self::error::DiskError;
pub use self::writer::Files;

#[cfg(test)]
pub(crate) mod failing;
#[cfg(test)]
pub(crate) mod testing;
