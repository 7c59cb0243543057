//! Notices: messages of the program for the user, kept in the library until they are cleared.
//!
//! Owns the rules of adding, reading and clearing. Does not decide what is reported: the module with a message builds a
//! [`Notice`] and adds it in its own commit.

pub mod list;
pub mod notice;
