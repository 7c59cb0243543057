//! The exchange of records through the mounted folder.
//!
//! Files are added before the outbox is cleared, parents before what follows them: a kill leaves a folder
//! that can be read and an outbox that is published again. A pull takes all of the folder or nothing.

use serde_json::Value;

use super::{
    book::Book,
    error::HouseholdError,
    record::{BYTES, RECORDS, Record},
    views::is_sharing,
};
use crate::{
    config::settings::read,
    files::Files,
    model::State,
    mounted::{
        folder::{Folder, Layout},
        graph::{self, Nodes},
    },
};

/// Where records lie.
const LAYOUT: Layout = Layout {
    name: "service-household-v1",
    lock: ".household.lock",
    files: RECORDS,
    file_bytes: BYTES as u64 + 1,
    bytes: 256 << 20,
};

/// What was done to the folder.
pub struct Written {
    /// The records that are in it now.
    pub there: Nodes<Record>,
    /// Ids of those that were added.
    pub added: Vec<String>,
    /// Records that are kept back because statistics are not shared.
    pub stats_skipped: usize,
    /// The hash over what was known when that was done.
    pub token: String,
}

/// Checks the protocol that a request names.
///
/// # Errors
/// [`HouseholdError::Protocol`].
pub fn check_protocol(value: Option<&Value>) -> Result<(), HouseholdError> {
    match value {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(text)) if matches!(text.trim(), "v1" | "household-v1") => Ok(()),
        Some(Value::Number(number)) if number.as_u64() == Some(1) => Ok(()),
        Some(_) => Err(HouseholdError::Protocol),
    }
}

fn folder<'a>(files: &'a Files, state: &State) -> Result<Folder<'a>, HouseholdError> {
    Ok(Folder::below(files, &read::text(state.settings(), "cloud_folder"), LAYOUT)?)
}

fn read_all(folder: &Folder<'_>) -> Result<Nodes<Record>, HouseholdError> {
    let mut records = Nodes::new();
    folder.read(|id, bytes| {
        let broken = |reason: &str| {
            Err(HouseholdError::Sync(format!(
                "A file in the folder is not a household record: {reason}"
            )))
        };
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
            return broken("it is not JSON. It may not have arrived completely.");
        };
        match Record::read(&value) {
            Ok(record) if record.id == id => {
                records.insert(record.id.clone(), record);
                Ok(())
            }
            Ok(_) => broken("its name is not its id."),
            Err(error) => broken(&error.0),
        }
    })?;
    Ok(records)
}

/// Every record of the folder; none when nothing was published yet.
///
/// # Errors
/// [`HouseholdError::FolderRequired`] or [`HouseholdError::Sync`].
pub fn pull(files: &Files, state: &State) -> Result<Nodes<Record>, HouseholdError> {
    read_all(&folder(files, state)?)
}

/// Adds the outbox and what it follows to the folder.
///
/// # Errors
/// As [`pull`]. Nothing is written when the folder cannot be read.
pub fn publish(files: &Files, state: &State) -> Result<Written, HouseholdError> {
    let book = Book::of(state);
    let sharing = is_sharing(state);
    let folder = folder(files, state)?;
    let lock = folder.lock()?;
    let mut there = read_all(&folder)?;
    let (records, stats_skipped) = book.to_publish(sharing);
    let mut all = there.clone();
    all.extend(records.iter().map(|record| (record.id.clone(), (*record).clone())));
    graph::check(&all).map_err(|error| HouseholdError::Sync(error.to_string()))?;
    if all.len() > RECORDS {
        return Err(HouseholdError::Sync(format!("A household has at most {RECORDS} records.")));
    }
    let mut added = Vec::new();
    for record in records {
        if !there.contains_key(&record.id) && folder.add(&record.id, &record.bytes())? {
            added.push(record.id.clone());
        }
        there.insert(record.id.clone(), record.clone());
    }
    drop(lock);
    Ok(Written { there, added, stats_skipped, token: book.token(sharing) })
}
