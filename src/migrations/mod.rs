//! Libraries of other programs brought over: lists of front ends, the library of an older launcher.
//!
//! A preview reads the file, compares it with the library and writes nothing; applying reads the
//! file again and goes on only when file, library and options are those of the preview. What a user
//! set here is never overwritten unless they named the field.

pub mod error;
pub mod frontend;
pub mod import;
pub mod installed_lists;
pub mod launchbox;
mod launchers;
pub mod legacy;
pub mod list;
pub mod merge;
pub mod options;
pub mod other_lists;
mod paths;
pub mod pictures;
pub mod place;
