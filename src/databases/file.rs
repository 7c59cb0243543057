//! The file of a database as it is opened: read only, and of one version.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// A database as it is asked: one file, read only, shared between threads.
pub trait Database: Sized {
    /// Its name in a sentence.
    const NAME: &'static str;
    /// Counted up whenever the tables or what they hold change; a file of another version is not opened.
    const VERSION: i64;

    /// The database behind an open file of this version.
    ///
    /// # Errors
    /// When the file is damaged.
    fn of(connection: Connection) -> rusqlite::Result<Self>;

    /// What is known about the archive it was made from: `etag`, `modified`, `games`.
    fn fact(&self, key: &str) -> Option<String>;

    /// Opens a file; `None` when there is none or it is not a database of this version.
    fn open(path: &Path) -> Option<Self> {
        if !path.is_file() {
            return None;
        }
        read(path).unwrap_or_else(|error| {
            log::warn!("the {} cannot be used: {error}", Self::NAME);
            None
        })
    }
}

fn read<D: Database>(path: &Path) -> rusqlite::Result<Option<D>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == D::VERSION { D::of(connection).map(Some) } else { Ok(None) }
}
