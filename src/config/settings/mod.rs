//! The settings: one table, and everything derived from it.
//!
//! A setting is declared once, as a row of [`table::SETTINGS`]: its key, its default, the rule that
//! a posted value must satisfy, who may see it, who writes it and where the settings screen shows
//! it. Defaults, the check of a save, the public projection, the schema of the API document and the
//! generated settings screen all read that row. Nothing here stores anything: a check takes what is
//! posted and what is stored, and returns normalised values to commit.

pub mod address;
pub mod categories;
pub mod compositor;
pub mod describe;
pub mod project;
pub mod read;
pub mod field_error;
pub mod rule;
pub mod setting;
pub mod table;
pub mod validate;

mod check;
mod paths;
mod structured;

#[cfg(test)]
mod describe_tests;
#[cfg(test)]
mod edge_tests;
#[cfg(test)]
mod project_tests;
#[cfg(test)]
mod validate_tests;
