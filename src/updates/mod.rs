//! New versions of the program: finding the newest release, verifying it, replacing the program, going back.
//!
//! Owns the file of the program and the one next to it that ends in `.previous`. Everything that can be
//! refused is refused before the download; the file of the program is replaced in one step, after its
//! checksum fits. The running process keeps the old file until it is started again.
//!
//! | file | what it does |
//! |---|---|
//! | `version` | the numbers of a version |
//! | `release` | what a release offers and whether that may be installed |
//! | `mark` | the version that a program carries inside |
//! | `publisher` | asking the host of releases |
//! | `updater` | check, install, return |
//! | `error` | why not |

pub mod error;
pub mod release;
pub mod updater;

mod mark;
mod publisher;
mod version;

pub use self::error::UpdateError;
pub use self::updater::{Target, Updater};
