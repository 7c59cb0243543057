//! Quick resume: the states that emulators write, kept for each game, and resuming from one.
//!
//! Owns the folder `resume_states` of the data directory. Never overwrites a state without a copy in
//! the archive of its game, and follows no link.
//!
//! | file | what it does |
//! |---|---|
//! | `subject` | which emulator plays a game, whether its states can be kept, whether one is stale |
//! | `folder` | the folder of a game: its name, its record, the search for states |
//! | `states` | the folders of all games |
//! | `session` | what is remembered of the start of a session |
//! | `begin` | the arguments of an emulator at the start of a session |
//! | `keep` | the state that a session left: kept, archived, copied, discarded |

pub mod begin;
pub mod error;
pub mod folder;
pub mod keep;
pub mod session;
pub mod states;
pub mod subject;

#[cfg(test)]
mod tests;
