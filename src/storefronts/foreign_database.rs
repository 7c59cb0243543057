//! Databases of other programs (SQLite), read only.

use std::{fs, path::Path};

use rusqlite::{Connection, OpenFlags, Row, config::DbConfig, types::Value as Cell};
use serde_json::Value;

use crate::model::Record;

/// The rows of a query with the names of their columns. Values that are not texts and no numbers are left
/// out; bytes are texts where they can be.
///
/// # Errors
/// When the file is not a database, or the query asks for what it does not have.
pub fn rows(file: &Path, query: &str) -> rusqlite::Result<Vec<Record>> {
    // Nothing is written, not even a journal next to it.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    // While its program runs, the newest rows of some databases lie in a log next to them, which an index
    // belongs to. The index is only read, too. A log that was left or copied without its index gets one in memory.
    let is_beside = |suffix: &str| {
        let mut beside = file.as_os_str().to_owned();
        beside.push(suffix);
        fs::metadata(beside).is_ok_and(|found| found.is_file() && found.len() > 0)
    };
    let (has_log, has_index) = (is_beside("-wal"), is_beside("-shm"));
    let way = match (has_log, has_index) {
        (true, true) => "mode=ro&readonly_shm=1",
        // Locks, which would need a file that can be written, are left out.
        (true, false) => "mode=ro&vfs=unix-none",
        (false, _) => "immutable=1",
    };
    let address = format!("file:{}?{way}", escaped(&file.to_string_lossy()));
    let connection = Connection::open_with_flags(address, flags)?;
    if has_log && !has_index {
        // Else the log would be brought into the database at the end.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    }
    let mut statement = connection.prepare(query)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| Ok(record(&columns, row)))?;
    rows.collect()
}

/// The rows of the table of this name. Names of tables and columns are those that the database has, in lower
/// case and without separators between their words, because versions of a program differ in these.
///
/// # Errors
/// As [`rows`], and when there is no such table.
pub fn table(file: &Path, name: &str) -> rusqlite::Result<Vec<Record>> {
    let tables = rows(file, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")?;
    let is_wanted = |table: &&Record| plain(table.text("name")) == name;
    let table = tables.iter().find(is_wanted).map_or(name, |table| table.text("name"));
    let query = format!("SELECT * FROM \"{}\"", table.replace('"', "\"\""));
    let renamed = |row: Record| {
        let mut plainly = Record::default();
        for (column, value) in row.0 {
            plainly.set(&plain(&column), value);
        }
        plainly
    };
    Ok(rows(file, &query)?.into_iter().map(renamed).collect())
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|one| one.to_ascii_lowercase()).collect()
}

/// A path in an address: what has a meaning there is escaped.
fn escaped(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

fn record(columns: &[String], row: &Row<'_>) -> Record {
    let mut record = Record::default();
    for (at, column) in columns.iter().enumerate() {
        let value = match row.get::<_, Cell>(at) {
            Ok(Cell::Integer(number)) => Value::from(number),
            Ok(Cell::Real(number)) => Value::from(number),
            Ok(Cell::Text(text)) => Value::from(text),
            // Some programs write texts as bytes.
            Ok(Cell::Blob(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => Value::from(text),
                Err(_) => continue,
            },
            _ => continue,
        };
        record.set(column, value);
    }
    record
}
