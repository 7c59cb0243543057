//! The events, newest first, a page at a time.

use serde_json::Value;

use super::{
    book::{Book, Corrupt},
    chain::link,
    error::{JournalError, QueryError},
    event::{Kind, iso},
    handle::Journal,
    index::{DAY, Row},
    recording::is_enabled,
};
use crate::base::schema::schema;

/// Rows of a page by default.
pub(super) const PAGE: usize = 200;

/// Which events are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Only those of the last microseconds given here.
    pub within: Option<i64>,
    /// Only those of this kind.
    pub kind: Option<Wanted>,
    /// Only those of a game with one of these keys.
    pub keys: Option<Vec<String>>,
    /// How many of the newest are skipped.
    pub offset: usize,
    /// How many are listed.
    pub limit: usize,
}

/// The kinds a client can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Events of one kind.
    Kind(Kind),
    /// Events that took something back.
    Revert,
}

schema! {
    "JournalEvents"
    /// A page of events. Times are UTC with offset, null where there is none.
    #[derive(Clone, Debug)]
    pub struct Page {
        events: Vec<Value>,
        total: usize,
        offset: usize,
        limit: usize,
        has_more: bool,
        journal_enabled: bool,
        earliest_at: Option<String>,
        latest_at: Option<String>,
        horizon: Option<String>,
        gap: bool,
        corrupt: Vec<Corrupt>,
    }
}

impl Query {
    /// Reads the parameters of a request; blank ones count as missing.
    ///
    /// # Errors
    /// [`QueryError::Request`] with the message for the client.
    pub fn read(days: Option<&str>, kind: Option<&str>) -> Result<Self, QueryError> {
        let within = given(days).map(read_days).transpose()?;
        let kind = match given(kind) {
            None => None,
            Some("revert") => Some(Wanted::Revert),
            Some(name) => {
                let known = Kind::named(name);
                let message = "kind must be add, edit, delete, restore or revert";
                Some(Wanted::Kind(known.ok_or_else(|| QueryError::request(message))?))
            }
        };
        Ok(Self { within, kind, keys: None, offset: 0, limit: PAGE })
    }
}

/// A parameter that is not blank.
pub(super) fn given(parameter: Option<&str>) -> Option<&str> {
    parameter.map(str::trim).filter(|text| !text.is_empty())
}

fn read_days(text: &str) -> Result<i64, QueryError> {
    let days: f64 = text.parse().unwrap_or(f64::NAN);
    if !days.is_finite() || days <= 0.0 {
        return Err(QueryError::request("days must be a positive number"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "saturating, and more than all of time is all of time"
    )]
    let micros = (days * DAY as f64) as i64;
    Ok(micros)
}

/// The earliest and the latest time of the events that are kept, and the newest that was dropped.
pub(super) struct Span {
    pub(super) earliest: Option<i64>,
    pub(super) latest: Option<i64>,
    pub(super) horizon: Option<i64>,
}

pub(super) fn span(book: &Book, now: i64) -> Span {
    let mut span = Span { earliest: None, latest: None, horizon: book.horizon };
    for (frame, mut rows) in book.index().frames() {
        let has_dropped = rows.clone().any(|row| book.index().is_dropped(row, now));
        let has_kept = rows.any(|row| !book.index().is_dropped(row, now));
        if has_kept {
            span.earliest = Some(span.earliest.map_or(frame.at, |at| at.min(frame.at)));
            span.latest = span.latest.max(Some(frame.at));
        }
        if has_dropped {
            span.horizon = span.horizon.max(Some(frame.at));
        }
    }
    span
}

impl Journal {
    /// A page of events, newest first.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn events(&self, query: &Query) -> Result<Page, JournalError> {
        let now = self.now();
        self.read(|book, state| {
            let since = query.within.map(|within| now.saturating_sub(within));
            let rows = select(book, query, since, now);
            let page = rows.iter().skip(query.offset).take(query.limit);
            let mut events = Vec::new();
            for row in page {
                if let Some(link) = link(book, *row, now)? {
                    events.push(link.shown());
                }
            }
            let Span { earliest, latest, horizon } = span(book, now);
            Ok(Page {
                events,
                total: rows.len(),
                offset: query.offset,
                limit: query.limit,
                has_more: rows.len() > query.offset.saturating_add(query.limit),
                journal_enabled: is_enabled(state),
                earliest_at: earliest.map(iso),
                latest_at: latest.map(iso),
                gap: horizon.is_some_and(|horizon| since.is_none_or(|since| since <= horizon)),
                horizon: horizon.map(iso),
                corrupt: book.corrupt.clone(),
            })
        })
    }
}

/// The rows that are asked for, newest first.
fn select(book: &Book, query: &Query, since: Option<i64>, now: i64) -> Vec<Row> {
    let index = book.index();
    let keys: Option<Vec<u64>> =
        query.keys.as_ref().map(|keys| keys.iter().map(|key| index.key(key)).collect());
    let mut rows = Vec::new();
    for (frame, range) in index.frames() {
        if since.is_some_and(|since| frame.at < since) {
            continue;
        }
        rows.extend(range.filter(|row| {
            let of_game = |keys: &Vec<u64>| keys.contains(&index.key_of(*row));
            let of_kind = |wanted| match wanted {
                Wanted::Kind(kind) => index.kind_of(*row) == kind,
                Wanted::Revert => index.is_revert(*row),
            };
            keys.as_ref().is_none_or(of_game)
                && query.kind.is_none_or(of_kind)
                && !index.is_dropped(*row, now)
        }));
    }
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: [Option<&str>; 2], expected: Result<Query, &str>) {
        let [days, kind] = given;
        let read = Query::read(days, kind).map_err(|error| error.to_string());
        assert_eq!(read, expected.map_err(str::to_owned), "{given:?}");
    }

    #[test]
    fn parameters_are_read_to_their_bounds() {
        let query = Query { limit: 200, ..Query::default() };
        check([None; 2], Ok(query.clone()));
        check([Some(" "); 2], Ok(query.clone()));
        let within = |within: i64| Ok(Query { within: Some(within), ..query.clone() });
        check([Some("1.5"), None], within(DAY * 3 / 2));
        check([Some("1e300"), None], within(i64::MAX));
        for bad in ["0", "-1", "x", "nan", "inf", "1 2"] {
            check([Some(bad), None], Err("days must be a positive number"));
        }
        for kind in Kind::ALL {
            let wanted = Some(Wanted::Kind(kind));
            check([None, Some(kind.name())], Ok(Query { kind: wanted, ..query.clone() }));
        }
        let revert = Query { kind: Some(Wanted::Revert), ..query };
        check([None, Some("revert")], Ok(revert));
        let message = "kind must be add, edit, delete, restore or revert";
        check([None, Some("added")], Err(message));
    }
}
