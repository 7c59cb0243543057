//! The differences of the library between two dates.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    as_of::{Instant, PastState, past_states},
    book::{Book, Corrupt},
    catalog::{self, Catalog, FIELDS},
    chain::text,
    error::{JournalError, QueryError},
    event::iso,
    events::{PAGE, given, span},
    handle::Journal,
    index::Row,
};
use crate::base::schema::schema;

/// Two dates that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The later date.
    pub after: Instant,
    /// The earlier one; without it the library is compared with an empty one.
    pub before: Option<Instant>,
    /// Only these fields count as changes.
    pub fields: Option<Vec<String>>,
    /// Rows of each list at most.
    pub limit: usize,
}

impl Question {
    /// Reads the parameters of a request; blank ones count as missing.
    ///
    /// # Errors
    /// [`QueryError::Date`] for dates that are missing, cannot be read or are reversed, else
    /// [`QueryError::Request`].
    pub fn read(
        after: Option<&str>,
        before: Option<&str>,
        fields: Option<&str>,
    ) -> Result<Self, QueryError> {
        let after = Instant::read("after", after)?;
        let before = given(before).map(|text| Instant::read("before", Some(text))).transpose()?;
        if before.as_ref().is_some_and(|before| before.at > after.at) {
            return Err(QueryError::date("before must not be later than after"));
        }
        let names = given(fields).map(|fields| {
            let names = fields.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.map(str::to_owned).collect::<Vec<_>>()
        });
        let known = |name: &String| FIELDS.contains(&name.as_str());
        if names.as_ref().is_some_and(|names| names.is_empty() || !names.iter().all(known)) {
            return Err(QueryError::request("fields must be a list of catalog field names"));
        }
        Ok(Self { after, before, fields: names, limit: PAGE })
    }
}

schema! {
    "JournalDifference"
    /// The difference between two dates.
    #[derive(Clone, Debug)]
    pub struct Comparison {
        before: Option<String>,
        after: String,
        added: Vec<Value>,
        removed: Vec<Value>,
        changed: Vec<Value>,
        summary: Summary,
        truncated: Truncated,
        horizon: Option<String>,
        before_horizon: bool,
        corrupt: Vec<Corrupt>,
    }

    "DifferenceSummary"
    /// How many there are, listed or not.
    #[derive(Clone, Copy, Debug, Default)]
    struct Summary {
        added: usize,
        removed: usize,
        changed: usize,
    }

    "DifferenceTruncated"
    /// Which lists were cut, and where.
    #[derive(Clone, Copy, Debug)]
    struct Truncated {
        added: bool,
        removed: bool,
        changed: bool,
        limit: usize,
    }
}

impl Journal {
    /// Compares the library at two dates.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn compare(&self, question: &Question) -> Result<Comparison, JournalError> {
        let now = self.now();
        self.read(|book, _| {
            let before = question.before.as_ref().map(|date| past_states(book, date.at, now));
            let after = past_states(book, question.after.at, now);
            let mut lists = Lists::new(question);
            for (row, was, is) in pairs(&before.unwrap_or_default(), after) {
                lists.put(book, row, was, is)?;
            }
            let horizon = span(book, now).horizon;
            let start = question.before.as_ref().map(|date| date.at);
            let Lists { summary, added, removed, changed, limit, .. } = lists;
            Ok(Comparison {
                before: question.before.as_ref().map(|date| iso(date.at)),
                after: iso(question.after.at),
                truncated: Truncated {
                    added: summary.added > limit,
                    removed: summary.removed > limit,
                    changed: summary.changed > limit,
                    limit,
                },
                added,
                removed,
                changed,
                summary,
                before_horizon: start.zip(horizon).is_some_and(|(start, it)| start < it),
                horizon: horizon.map(iso),
                corrupt: book.corrupt.clone(),
            })
        })
    }
}

/// The games that may differ, in the order of the event that made the difference: that event, and the events of the
/// game before and after.
fn pairs(
    before: &BTreeMap<u64, PastState>,
    after: BTreeMap<u64, PastState>,
) -> Vec<(Row, Option<Row>, Option<Row>)> {
    let mut pairs = Vec::new();
    for (key, is) in after {
        let was = before.get(&key).copied().unwrap_or(PastState::Absent);
        match (was, is) {
            (PastState::As(was), PastState::As(is)) if was != is => {
                pairs.push((is, Some(was), Some(is)));
            }
            (PastState::As(was), PastState::Absent) => pairs.push((was, Some(was), None)),
            (PastState::Absent, PastState::As(is)) => pairs.push((is, None, Some(is))),
            // What is unknown is not a difference; `before_horizon` reports it.
            _ => {}
        }
    }
    pairs.sort_unstable();
    pairs
}

struct Lists<'a> {
    question: &'a Question,
    limit: usize,
    summary: Summary,
    added: Vec<Value>,
    removed: Vec<Value>,
    changed: Vec<Value>,
}

impl<'a> Lists<'a> {
    fn new(question: &'a Question) -> Self {
        let (added, removed, changed) = (Vec::new(), Vec::new(), Vec::new());
        let (limit, summary) = (question.limit, Summary::default());
        Self { question, limit, summary, added, removed, changed }
    }

    fn put(
        &mut self,
        book: &mut Book,
        row: Row,
        was: Option<Row>,
        is: Option<Row>,
    ) -> Result<(), JournalError> {
        match (was, is) {
            (Some(was), Some(is)) => self.put_changed(book, was, is),
            (None, _) => {
                self.summary.added += 1;
                if self.added.len() < self.limit {
                    self.added.extend(named(book, row)?);
                }
                Ok(())
            }
            (Some(_), None) => {
                self.summary.removed += 1;
                if self.removed.len() < self.limit {
                    self.removed.extend(named(book, row)?);
                }
                Ok(())
            }
        }
    }

    fn put_changed(&mut self, book: &mut Book, was: Row, is: Row) -> Result<(), JournalError> {
        let (Some(was), Some(is)) = (book.event(was)?, book.event(is)?) else { return Ok(()) };
        let catalog = |catalog: Option<Catalog>| catalog.unwrap_or_default();
        let (before, after) = (catalog(was.catalog), catalog(is.catalog));
        let mut changes = catalog::differences(&before, &after);
        if let Some(fields) = &self.question.fields {
            changes.retain(|change| fields.contains(&change.field));
        }
        if changes.is_empty() {
            return Ok(());
        }
        self.summary.changed += 1;
        if self.changed.len() < self.limit {
            self.changed.push(json!({
                "sync_key": is.sync_key,
                "game_id": text(&after, "game_id"),
                "name": text(&after, "name"),
                "changes": catalog::shown(&changes),
            }));
        }
        Ok(())
    }
}

/// A game as it is listed among the added or removed ones.
fn named(book: &mut Book, row: Row) -> Result<Option<Value>, JournalError> {
    let event = book.event(row)?;
    Ok(event.map(|event| {
        let catalog = event.catalog.unwrap_or_default();
        json!({
            "sync_key": event.sync_key,
            "game_id": text(&catalog, "game_id"),
            "name": text(&catalog, "name"),
            "platform": text(&catalog, "platform"),
        })
    }))
}
