//! What is on disk: folder listings, existence probes, remote mounts, installed packages, AppImages and the folders
//! media may live in.
//!
//! Reads names and attributes of files, never their contents. Writes nothing and knows no rule about games.

pub mod app_images;
pub mod disk;
pub mod found_saves;
pub mod listing;
pub mod media_roots;
pub mod mounts;
pub mod packages;
pub mod places;
pub mod probes;
pub mod spelling;

mod readers;
