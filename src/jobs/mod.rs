//! Durable jobs: work that survives the end of its request and a restart.
//!
//! Owns the states of a job, its document on disk, the four workers and the rules of cancelling,
//! retrying and resuming. Knows no kind of work: every domain module registers its own as a
//! [`kind::Kind`] with its [`spec::Spec`].
//!
//! | file | what it does |
//! |---|---|
//! | `machine` | states and events, the pure table |
//! | `document` | one operation: what is stored, what is allowed |
//! | `shown` | what clients see of an operation |
//! | `input` | inputs without secrets |
//! | `board` | all operations in memory: order, pages, pruning |
//! | `items` | failed and skipped items of one operation |
//! | `ledger` | `operations.json` and the item files |
//! | `records` | the board, its file and the events together |
//! | `kind`, `spec` | what a domain module implements, and what it declares |
//! | `registry` | the registered kinds by type and name |
//! | `control`, `context` | the signals to a running job, and its reports |
//! | `runner`, `worker` | the public handle, and the threads behind it |

pub mod context;
pub mod document;
pub mod error;
pub mod items;
pub mod kind;
pub mod machine;
pub mod runner;
pub mod shown;
pub mod spec;

mod board;
mod control;
mod input;
mod ledger;
mod records;
mod registry;
mod worker;

pub use self::context::Context;
pub use self::error::JobError;
pub use self::kind::{Kind, Outcome};
pub use self::runner::{Accepted, Jobs, SameName, Submission};
pub use self::shown::JobRow;
pub use self::spec::{Spec, Title};

#[cfg(test)]
mod tests;
