//! The library journal: one event for every game that a commit adds, changes or removes.
//!
//! Owns the events, their file and what is read from them. Does not change the library: an undo is a rule of `game`,
//! and a commit like any other.
//!
//! | file | what it does |
//! |---|---|
//! | `catalog`, `event` | what of a game is recorded, and the record of one change |
//! | `frame`, `index` | events as bytes, and where they are found |
//! | `book` | the file: opened, grown, read, shortened |
//! | `recording` | from commits to events |
//! | `handle` | the handle: notified by the store, read by everything else |
//! | `catching_up` | what it missed: after a start, a failure, another library |
//! | `archive` | out of an archive and into one |
//! | `exchange` | an event as libraries exchange it: its rules and its id |
//! | `heritage` | the events in the library file itself |
//! | `events`, `as_of`, `compare`, `chain` | what can be asked |

pub mod as_of;
pub mod catalog;
pub mod chain;
pub mod compare;
pub mod error;
pub mod event;
pub mod events;
pub mod exchange;
pub mod handle;
pub mod recording;

mod archive;
mod book;
mod catching_up;
mod frame;
mod heritage;
mod index;

#[cfg(test)]
mod tests;
