//! Notices: what the program has to tell a person, kept in the library until it is cleared.
//!
//! Owns the rules of adding, reading and clearing. Refuses to decide who is told what: whoever has
//! something to say builds a [`Notice`] and adds it in its own commit.

pub mod list;
pub mod notice;
