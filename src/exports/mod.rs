//! Exports of the library as JSON or CSV.
//!
//! Owns which games and fields an export holds, the folder of finished exports and the job that
//! writes them. Exports hold fields of games only: never settings, credentials, webhooks or
//! history.

pub mod folder;
pub mod gamelist;
pub mod job;
pub mod request;

mod columns;
mod selection;

#[cfg(test)]
mod job_tests;
