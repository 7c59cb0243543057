//! Databases that are made of an archive of a provider.
//!
//! Owns downloading the archive, making the file of it next to the present one, swapping the two, and which
//! file is in use. What is in an archive and how the file is asked belongs to the module of the database.
//!
//! | file | what it does |
//! |---|---|
//! | `file` | the file as it is opened |
//! | `sync` | from the archive to the file that is in use |
//! | `handle` | the file that is in use at present |

pub mod file;
pub mod handle;
pub mod sync;

pub use self::file::Database;
pub use self::handle::DatabaseHandle;
