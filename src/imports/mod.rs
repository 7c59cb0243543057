//! Sources of games: folders and files become records.
//!
//! The steps of a folder import, each in its own module and in this order: `walk` finds files by
//! `extensions`, `references` drops what a sheet names, `discs` joins the discs of one game,
//! `ranking` picks the best of several versions, `candidates` runs them all, `playlists` writes
//! what the joined discs need, and `folder` commits the rows.
//! Everything else (loose files of one console, titles other programs installed, arcade sets, and
//! the stores above this room) makes records that `merge` joins with the library, `exclusions` taken
//! away. `ways` knows how the programs are installed whose commands go into rows, and `media_queue`
//! what is to be fetched for new ones.
//!
//! The steps before `playlists` write nothing and read the disk only through [`tree::Tree`]. No
//! step changes, moves or overwrites a file of the user.

pub mod tree;
pub mod extensions;
pub mod walk;
pub mod ways;
pub mod references;
pub mod discs;
pub mod ranking;
pub mod candidates;
pub mod rows;
pub mod places;
pub mod playlists;
pub mod folder;
pub mod exclusions;
pub mod incoming;
pub mod known;
pub mod merge;
pub mod loose;
pub mod installed;
pub mod arcade;
pub mod media_queue;

#[cfg(test)]
mod disk_tests;
#[cfg(test)]
mod folder_tests;
#[cfg(test)]
mod merge_tests;
