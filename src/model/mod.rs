//! The stored records and the state that holds them all.
//!
//! Owns the shapes and their invariants: ids are unique, every game has one, a change is recorded with the state that
//! it makes. Does no I/O and reads no clock: the caller passes the time.

pub mod cause;
pub mod draft;
pub mod emulators;
pub mod fields;
pub mod game;
pub mod game_id;
pub mod games;
pub mod inner_stores;
pub mod loose;
pub mod media;
pub mod needs;
pub mod notes;
pub mod origins;
pub mod record;
pub mod rows;
pub mod state;
pub mod titles;

pub use self::cause::{Cause, Import};
pub use self::draft::{Draft, DraftError, Op, changes_settings};
pub use self::game::Game;
pub use self::games::{CHUNK, Chunk, Games};
pub use self::record::Record;
pub use self::rows::{ActiveSession, Row};
pub use self::state::State;
