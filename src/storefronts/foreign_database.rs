//! Databases of other programs (SQLite), read only.

use std::{fs, path::Path};

use rusqlite::{Connection, OpenFlags, Row, types::Value as Cell};
use serde_json::Value;

use crate::model::Record;

/// The rows of a query with the names of their columns. Values that are no texts and no numbers are left
/// out.
///
/// # Errors
/// When the file is no database, or the query asks for what it does not have.
pub fn rows(file: &Path, query: &str) -> rusqlite::Result<Vec<Record>> {
    // Nothing is written, not even a journal beside it.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    // While its program runs, the newest rows of some databases lie in a log beside them, which an index
    // belongs to. The index is only read, too.
    let is_beside = |suffix: &str| {
        let mut beside = file.as_os_str().to_owned();
        beside.push(suffix);
        fs::metadata(beside).is_ok_and(|found| found.is_file() && found.len() > 0)
    };
    let has_log = is_beside("-wal") && is_beside("-shm");
    let way = if has_log { "mode=ro&readonly_shm=1" } else { "immutable=1" };
    let address = format!("file:{}?{way}", escaped(&file.to_string_lossy()));
    let connection = Connection::open_with_flags(address, flags)?;
    let mut statement = connection.prepare(query)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| Ok(record(&columns, row)))?;
    rows.collect()
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
            _ => continue,
        };
        record.set(column, value);
    }
    record
}
