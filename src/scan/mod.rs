//! Reads a folder of games and changes nothing: which files it has, what their extensions mean, which of them are
//! one game, and which of several versions is the best.
//!
//! | file | what it does |
//! |---|---|
//! | `tree` | the file system as a scan sees it |
//! | `extensions` | the extensions that are known, and their platforms |
//! | `systems` | the system of a folder |
//! | `walk` | finds the files with a known extension |
//! | `unknown` | counts the others |
//! | `references` | drops the files that a sheet names |
//! | `discs` | joins the discs of one game |
//! | `ranking` | picks the best of several versions |

pub mod tree;
pub mod extensions;
pub mod unknown;
pub mod systems;
pub mod walk;
pub mod references;
pub mod discs;
pub mod ranking;

pub use self::tree::Tree;
