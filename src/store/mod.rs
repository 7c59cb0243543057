//! The authoritative state: snapshots, commits, log, folds and recovery.
//!
//! Owns `library.json`, its log, its backup and its snapshots, and the guarantee that no answered change is lost. Does
//! not know what a change means: it replays recorded ops.
//!
//! | file | what it does |
//! |---|---|
//! | `open` | the public handle: open, snapshot, commit, watch, close |
//! | `shared` | what all handles share, its locks and their order |
//! | `commit`, `ticket` | group commit: one sync for all waiting threads |
//! | `takeover` | the file changed by another program |
//! | `fold`, `rebase`, `pace` | the library file rewritten: as a routine, from scratch, and when |
//! | `recovery`, `snapshots` | the way back |
//! | `exchange` | a whole library out of or into an archive |
//! | `load`, `document`, `render`, `repair`, `upgrade` | bytes to state and back |
//! | `journal`, `line` | the log, as a file and as text |
//! | `scribe`, `past` | the recorder of every commit, and the log read for it |

pub mod error;
pub mod exchange;
pub mod open;
pub mod options;
pub mod past;
pub mod recovery;
pub mod scribe;
pub mod watch;

mod commit;
mod document;
mod fold;
mod journal;
mod line;
mod lines;
mod load;
mod pace;
mod rebase;
mod render;
mod repair;
mod shared;
mod snapshots;
mod takeover;
mod ticket;
mod upgrade;

pub use self::error::{CommitError, Committed, OpenError, Unavailable};
pub use self::open::Store;
pub use self::options::{Options, Paths};

#[cfg(test)]
mod tests;
