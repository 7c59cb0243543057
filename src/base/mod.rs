//! The lowest module: time, identifiers, text folding, limits and redaction.
//!
//! Owns small pure pieces every other module needs. Does no I/O: nothing here opens a file, a socket or a process; only
//! the clock reads the time of day.

pub mod away;
pub mod calendar;
pub mod checksum;
pub mod clock;
pub mod dice;
pub mod embedded;
pub mod ids;
pub mod limits;
pub mod lock;
pub mod markup;
pub mod memory;
pub mod named;
pub mod priority;
pub mod redact;
mod response_bytes;
pub mod schema;
pub mod text;
pub mod text_map;
pub mod workers;

pub use self::calendar::Day;
pub use self::clock::Moment;
pub use self::lock::{Hold, HoldShared};
pub use self::response_bytes::ResponseBytes;
pub use self::workers::{Workers, thread_named};
