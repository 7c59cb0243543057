//! Work that outlives a request and a restart: the durable jobs.
//!
//! Owns the states of a job, its document on disk, the four workers and the rules of cancelling,
//! retrying and resuming. Knows no kind of work: every domain room brings its own as a
//! [`kind::Kind`].
//!
//! | file | what it does |
//! |---|---|
//! | `machine` | states and events, the pure table |
//! | `document` | one operation: what is stored, what is allowed |
//! | `shown` | what clients see of an operation |
//! | `policy` | what every type of operation may do, and the old names of jobs |
//! | `input` | inputs without secrets |
//! | `board` | all operations in memory: order, pages, pruning |
//! | `items` | failed and skipped items of one operation |
//! | `ledger` | `operations.json` and the item files |
//! | `kind` | what a domain room implements |
//! | `control`, `context` | what a running job is told, and what it may say |
//! | `runner`, `worker` | the public handle, and the threads behind it |

pub mod context;
pub mod document;
pub mod error;
pub mod items;
pub mod kind;
pub mod machine;
pub mod policy;
pub mod runner;

mod board;
mod control;
mod input;
mod ledger;
mod shown;
mod worker;

#[cfg(test)]
mod tests;
