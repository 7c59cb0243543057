//! The household: members, challenges, results and shared statistics, exchanged between devices
//! through a mounted folder (`/api/v2/household/...`).
//!
//! | file | what it owns |
//! |---|---|
//! | `record` | one immutable record: its rules and its id |
//! | `book` | the records of a library, and how two sets become one |
//! | `views` | what clients see of them |
//! | `write` | records that are written here |
//! | `sync` | the folder |

pub mod error;
pub mod record;
pub mod views;

mod book;
mod sync;
mod write;

#[cfg(test)]
mod tests;

use std::sync::Mutex;

use serde_json::{Map, Value, json};

use self::{
    book::Book,
    error::HouseholdError,
    record::Record,
    views::{HouseholdExchange, HouseholdMerge, HouseholdView, Period},
};
use crate::{
    base::{Hold as _, Moment, ids},
    files::Files,
    model::{Cause, Draft, State},
    store::{CommitError, Committed, Store},
};

/// What is written by a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// A member.
    Member,
    /// A challenge.
    Challenge,
    /// What a member reached in a challenge.
    Result,
}

/// The household of one library.
pub struct Household {
    files: Files,
    /// Held by the one exchange with the folder.
    alone: Mutex<()>,
}

/// The period that the text of a request names; `None` for none.
///
/// # Errors
/// [`HouseholdError::Field`] when it is not a period.
pub fn period_of(value: Option<&Value>) -> Result<Option<Period>, HouseholdError> {
    write::period(value)
}

/// `GET /api/v2/household`: without a period, the leaderboard shows the newest share of each member.
pub fn show(state: &State, period: Option<Period>, now: &Moment) -> HouseholdView {
    views::view(state, &Book::of(state), period, now)
}

/// Opens the book of a draft for writing; a device without an id gets one.
fn open(draft: &Draft, fresh_id: String) -> Book {
    let mut book = Book::of(draft.state());
    if book.device.is_empty() {
        let of_library = draft.state().section("library_sync")["device_id"].as_str();
        book.device = of_library.filter(|id| !id.is_empty()).map_or(fresh_id, str::to_owned);
    }
    book
}

/// Stores the book and returns what clients see then.
fn close(draft: &mut Draft, book: &Book, event: &Value) -> HouseholdView {
    let now = draft.now().clone();
    if *book != Book::of(draft.state()) {
        book.store(draft);
        draft.set_cause(Cause::HouseholdChanged(event.clone()));
    }
    views::view(draft.state(), book, None, &now)
}

fn about(event: &str, record: &Record) -> Value {
    json!({"event": event, "record_id": record.id, "sync_key": record.key})
}

/// `POST /api/v2/household/member`, `challenge` and `challenge/result`.
///
/// # Errors
/// [`HouseholdError`], or when the library cannot be written.
pub fn write(
    store: &Store,
    what: Write,
    body: &Map<String, Value>,
) -> Committed<HouseholdView, HouseholdError> {
    let fresh_id = ids::random_uuid();
    store.commit(|draft| {
        let mut book = open(draft, fresh_id);
        let now = draft.now().clone();
        let (event, record) = match what {
            Write::Member => ("member", write::member(&mut book, body, &now)?),
            Write::Challenge => ("challenge", write::challenge(&mut book, body, &now)?),
            Write::Result => ("challenge_result", write::result(&mut book, body, &now)?),
        };
        let view = close(draft, &book, &about(event, &record));
        Ok(HouseholdView { record: Some(record.value().clone()), ..view })
    })
}

/// `POST /api/v2/household/share`; `compute` sums up this library where the request brings no numbers.
///
/// # Errors
/// [`HouseholdError`], or when the library cannot be written.
pub fn share<E: From<HouseholdError>>(
    store: &Store,
    body: &Map<String, Value>,
    compute: impl FnOnce(&State, Option<i64>, &Moment) -> Result<Map<String, Value>, E>,
) -> Committed<HouseholdView, E> {
    let refused = |error: HouseholdError| CommitError::Refused(E::from(error));
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    if !views::is_sharing(&state) {
        return Err(refused(HouseholdError::StatsDisabled));
    }
    let period = write::period(body.get("period")).map_err(refused)?.unwrap_or(Period::AllTime);
    let now = Moment::now();
    let computed = match body.get("stats") {
        None | Some(Value::Null) => {
            Some(compute(&state, period.start(&now), &now).map_err(CommitError::Refused)?)
        }
        Some(_) => None,
    };
    let fresh_id = ids::random_uuid();
    store.commit(|draft| {
        if !views::is_sharing(draft.state()) {
            return Err(HouseholdError::StatsDisabled.into());
        }
        let mut book = open(draft, fresh_id);
        let record = write::share(&mut book, body, period, computed, &now)?;
        let view = close(draft, &book, &about("share", &record));
        let record = Some(record.value().clone());
        Ok(HouseholdView { record, shared: Some(true), ..view })
    })
}

/// `POST /api/v2/household/record`: adds a record of another device.
///
/// # Errors
/// [`HouseholdError`], or when the library cannot be written.
pub fn add_record(
    store: &Store,
    value: Option<&Value>,
) -> Committed<HouseholdView, HouseholdError> {
    let refused = |error: HouseholdError| CommitError::Refused(error);
    let Some(value @ Value::Object(_)) = value else {
        return Err(refused(HouseholdError::Request("record must be an object.")));
    };
    let record = Record::read(value).map_err(|error| refused(error.into()))?;
    store.commit(|draft| {
        let mut book = Book::of(draft.state());
        book.merge(vec![record.clone()])?;
        let view = close(draft, &book, &about("record", &record));
        Ok(HouseholdView { record: Some(record.value().clone()), ..view })
    })
}

/// `POST /api/v2/household/merge`: adds records of other devices, all of them or none.
///
/// # Errors
/// [`HouseholdError`], or when the library cannot be written.
pub fn merge(store: &Store, values: Option<&Value>) -> Committed<HouseholdView, HouseholdError> {
    let refused = |error: HouseholdError| CommitError::Refused(error);
    let Some(Value::Array(values)) = values else {
        return Err(refused(HouseholdError::Request("records must be a list.")));
    };
    let records: Result<Vec<Record>, _> = values.iter().map(Record::read).collect();
    let records = records.map_err(|error| refused(error.into()))?;
    store.commit(|draft| {
        let mut book = Book::of(draft.state());
        let merged = merge_into(&mut book, records)?;
        let view = close(draft, &book, &json!({"event": "merge", "applied": merged.applied}));
        Ok(HouseholdView { merge: Some(merged), ..view })
    })
}

fn merge_into(book: &mut Book, records: Vec<Record>) -> Result<HouseholdMerge, HouseholdError> {
    let applied = book.merge(records)?.applied;
    let (records, heads) = (book.records().len(), book.heads());
    Ok(HouseholdMerge { records, applied, changed: applied > 0, heads })
}

impl Household {
    /// Exchanges through these files.
    pub fn new(files: Files) -> Self {
        Self { files, alone: Mutex::new(()) }
    }

    /// `POST /api/v2/household/sync/publish`: adds what was written here to the folder.
    ///
    /// # Errors
    /// [`HouseholdError`], or when the library cannot be written. The folder may have got the records
    /// then; publishing again takes them out of the outbox.
    pub fn publish(
        &self,
        store: &Store,
        protocol: Option<&Value>,
    ) -> Committed<HouseholdView, HouseholdError> {
        sync::check_protocol(protocol).map_err(CommitError::Refused)?;
        let _alone = self.alone.hold();
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let written = sync::publish(&self.files, &state).map_err(CommitError::Refused)?;
        store.commit(|draft| acknowledge(draft, written))
    }

    /// `POST /api/v2/household/sync/pull`: adds everything that is in the folder.
    ///
    /// # Errors
    /// [`HouseholdError`], or when the library cannot be written.
    pub fn pull(
        &self,
        store: &Store,
        protocol: Option<&Value>,
    ) -> Committed<HouseholdView, HouseholdError> {
        sync::check_protocol(protocol).map_err(CommitError::Refused)?;
        let _alone = self.alone.hold();
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let there = sync::pull(&self.files, &state).map_err(CommitError::Refused)?;
        store.commit(|draft| {
            let mut book = Book::of(draft.state());
            let records: Vec<Record> = there.values().cloned().collect();
            let merged = merge_into(&mut book, records)
                .map_err(|error| HouseholdError::Sync(error.to_string()))?;
            let acknowledged = book.acknowledge(|id| there.contains_key(id));
            let event = json!({"event": "pull", "applied": merged.applied});
            let view = close(draft, &book, &event);
            let sync = HouseholdExchange {
                acknowledged,
                pulled: Some(there.len()),
                merge: Some(merged),
                ..HouseholdExchange::default()
            };
            Ok(HouseholdView { sync: Some(sync), ..view })
        })
    }
}

/// Takes what is in the folder out of the outbox, unless the household changed meanwhile.
fn acknowledge(draft: &mut Draft, written: sync::Written) -> Result<HouseholdView, HouseholdError> {
    let mut book = Book::of(draft.state());
    if book.token(views::is_sharing(draft.state())) != written.token {
        return Err(HouseholdError::Stale);
    }
    let acknowledged = book.acknowledge(|id| written.there.contains_key(id));
    let event = json!({"event": "publish", "published": written.added.len()});
    let pending = Some(book.outbox.len());
    let view = close(draft, &book, &event);
    let sync = HouseholdExchange {
        published: Some(written.added.len()),
        acknowledged,
        pending,
        stats_skipped: Some(written.stats_skipped),
        published_ids: Some(written.added),
        ..HouseholdExchange::default()
    };
    Ok(HouseholdView { sync: Some(sync), ..view })
}
