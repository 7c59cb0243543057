//! Problems of a library, and repairing them: checkup and health, duplicates, moved files, stray media.
//!
//! Repairs are planned first; the token of a plan names the state it was made from.

pub mod base_token;
pub mod checkup;
pub mod dedupe;
pub mod found_files;
pub mod health;
pub mod media_care;
pub mod recognition;
pub mod relink;
pub mod titles;
pub mod twins;

mod plain_title;
