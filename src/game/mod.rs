//! Rules on one game: which fields it may hold, how it is edited, removed, restored and reverted.
//!
//! Each change is one commit, and a refusal changes nothing.

pub mod batches;
pub mod clean;
pub mod delete;
pub mod duplicates;
pub mod edit;
pub mod memberships;
pub mod notes;
pub mod origins;
pub mod path_checks;
pub mod playtime;
pub mod progress;
pub mod reference;
pub mod renew_ids;
pub mod revert;
pub mod shelf;
pub mod slots;
pub mod tags;
pub mod trash;

pub use self::clean::InputError;
pub use self::reference::GameRef;

#[cfg(test)]
mod clean_tests;
#[cfg(test)]
mod revert_tests;
