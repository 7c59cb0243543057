//! Webhooks: events sent to other programs over HTTP. See `docs/design/webhooks.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `occurrence` | the events and the data of each |
//! | `envelope`, `signature` | an event as it is sent |
//! | `config` | the stored configurations and what may be posted |
//! | `policy` | where a delivery may go |
//! | `schedule` | what an answer means and when to try again |
//! | `attempt` | one attempt |
//! | `backlog`, `dispatcher` | the queue and those who work it off |
//! | `outside` | the world beyond this program, replaced in tests |
//!
//! Announcing an event never waits: it only checks the configurations and the queue. Secrets are used for signing and
//! never shown.

pub mod attempt;
pub mod config;
pub mod dispatcher;
pub mod envelope;
pub mod outside;
pub mod policy;
pub mod schedule;
pub mod signature;
pub mod occurrence;

mod backlog;

#[cfg(test)]
mod tests;
