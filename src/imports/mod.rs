//! Imports games: the readers of folders and installed titles, and the one way into the library.
//!
//! Every source turns its games into [`incoming::Incoming`] records: folders, loose files, arcade sets
//! and installed titles here; stores, lists of other programs and the setup in higher modules. `known`
//! matches them with the library, `merge` adds or fills rows, `exclusions` lists games that are never
//! imported.
//!
//! The steps of a folder import, in this order: `scan::walk` finds files, `playlists` leaves out what an import
//! would write anyway, `layouts` the parts of games that are known by where they lie, `apps` sets folders apart
//! that are one game, `scan::references` drops the files that a sheet names, `content` asks doubtful files for their
//! platform, `scan::discs` joins the discs of one game, `scan::ranking` picks the best of several versions,
//! `candidates` runs these steps, `playlists` writes the playlists of joined discs, and `folder` commits the
//! rows.
//!
//! `programs` detects how the programs are installed whose commands go into rows; `brought` adds the
//! playtime that other programs counted; `folder` also undoes imports of every kind.
//!
//! The steps before the last two write nothing and read the disk only through [`scan::Tree`](crate::scan::Tree). No
//! step changes, moves or overwrites a file of the user.

pub mod programs;
pub mod content;
pub mod apps;
pub mod layouts;
pub mod playlists;
pub mod candidates;
pub mod rows;
pub mod folder;
pub mod exclusions;
pub mod incoming;
pub mod known;
pub mod brought;
pub mod merge;
pub mod loose;
pub mod installed;
pub mod arcade;

pub use self::incoming::Incoming;

#[cfg(test)]
mod apps_tests;
#[cfg(test)]
mod disk_tests;
#[cfg(test)]
mod folder_tests;
#[cfg(test)]
mod merge_tests;
#[cfg(test)]
mod sets_tests;
#[cfg(test)]
mod labelled_tests;
