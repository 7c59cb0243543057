//! The library as it was at a moment.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    book::{Book, Corrupt},
    catalog::Catalog,
    chain::Names,
    error::{JournalError, QueryError},
    event::{Kind, iso},
    events::{Span, given, span},
    handle::Journal,
    index::Row,
};
use crate::base::{Moment, schema::schema};

/// Games that are listed.
const GAMES: usize = 5_000;
/// Keys that are listed as unknown.
const UNKNOWN: usize = 1_000;

/// A moment that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instant {
    /// As it was written.
    pub requested: String,
    /// In microseconds since the Unix epoch.
    pub at: i64,
}

impl Instant {
    /// Reads a date, which is its end in UTC, or a time. `name` is how the parameter is called.
    ///
    /// # Errors
    /// [`QueryError::Date`] when it is missing or cannot be read.
    pub fn read(name: &str, text: Option<&str>) -> Result<Self, QueryError> {
        let Some(text) = given(text) else {
            return Err(QueryError::date(format!("{name} is required")));
        };
        let moment = Moment::end_of_utc_day(text)
            .or_else(|| Moment::parse(text).filter(|_| text.contains(['T', ' '])));
        let moment = moment
            .ok_or_else(|| QueryError::date(format!("{name} must be a date such as 2026-11-21")))?;
        Ok(Self { requested: text.to_owned(), at: moment.unix_micros() })
    }
}

schema! {
    "JournalState"
    /// The library at a moment. Times are UTC with offset, null where there is none.
    #[derive(Clone, Debug)]
    pub struct Past {
        as_of: String,
        requested: String,
        /// By name, at most 5,000.
        games: Vec<Catalog>,
        /// How many there were.
        count: usize,
        before_first_event: bool,
        earliest_at: Option<String>,
        latest_at: Option<String>,
        horizon: Option<String>,
        truncated: bool,
        corrupt: Vec<Corrupt>,
        /// Games that were there at another time, and whose values at this one are unknown.
        unknown_keys: Vec<String>,
    }
}

/// What is known of a game at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PastState {
    /// It was as this event left it.
    As(Row),
    /// It was not there.
    Absent,
    /// The events of that time are gone; the row is the first that is left.
    Unknown(Row),
}

/// What every game was at a moment, by the hash of its key: the newest of the events of that moment
/// or before, in the order in which they were recorded.
pub(super) fn past_states(book: &Book, at: i64, now: i64) -> BTreeMap<u64, PastState> {
    let index = book.index();
    let mut all = BTreeMap::new();
    for (frame, rows) in index.frames() {
        for row in rows.filter(|row| !index.is_dropped(*row, now)) {
            let (key, kind) = (index.key_of(row), index.kind_of(row));
            if frame.at <= at {
                let removed = kind == Kind::Delete;
                all.insert(key, if removed { PastState::Absent } else { PastState::As(row) });
            } else {
                let came = matches!(kind, Kind::Add | Kind::Restore);
                let first = if came { PastState::Absent } else { PastState::Unknown(row) };
                all.entry(key).or_insert(first);
            }
        }
    }
    all
}

impl Journal {
    /// The library as it was.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn as_of(&self, instant: &Instant) -> Result<Past, JournalError> {
        let now = self.now();
        self.read(|book, state| {
            let past_states = past_states(book, instant.at, now);
            let names = Names::of(book, state);
            let (mut rows, mut unknown) = (Vec::new(), Vec::new());
            for past in past_states.into_values() {
                match past {
                    PastState::As(row) => rows.push(row),
                    PastState::Unknown(row) => unknown.push(row),
                    PastState::Absent => {}
                }
            }
            // Neighbours in the file are read together.
            rows.sort_unstable();
            let count = rows.len();
            let mut there = Vec::with_capacity(count);
            for row in rows {
                there.push((names.after(book, row)?, row));
            }
            there.sort_unstable();
            there.truncate(GAMES);
            let games = games(book, there)?;
            let unknown_keys = keys(book, unknown)?;
            let Span { earliest, latest, horizon } = span(book, now);
            Ok(Past {
                as_of: iso(instant.at),
                requested: instant.requested.clone(),
                truncated: count > games.len(),
                games,
                count,
                before_first_event: earliest.is_none_or(|earliest| instant.at < earliest),
                earliest_at: earliest.map(iso),
                latest_at: latest.map(iso),
                horizon: horizon.map(iso),
                corrupt: book.corrupt.clone(),
                unknown_keys,
            })
        })
    }
}

/// The games as these events left them, in the order in which they are given.
fn games(book: &mut Book, named: Vec<(String, Row)>) -> Result<Vec<Catalog>, JournalError> {
    let mut places: Vec<(Row, usize)> =
        named.into_iter().enumerate().map(|(place, (_, row))| (row, place)).collect();
    places.sort_unstable();
    let mut games = Vec::with_capacity(places.len());
    for (row, place) in places {
        let Some(event) = book.event(row)? else { continue };
        let mut game = event.catalog.unwrap_or_default();
        game.insert("sync_key".to_owned(), Value::String(event.sync_key));
        games.push((place, game));
    }
    games.sort_unstable_by_key(|(place, _)| *place);
    Ok(games.into_iter().map(|(_, game)| game).collect())
}

/// The keys of the games of these events, sorted.
fn keys(book: &mut Book, mut rows: Vec<Row>) -> Result<Vec<String>, JournalError> {
    rows.sort_unstable();
    let mut keys = Vec::new();
    for row in rows.into_iter().take(UNKNOWN) {
        keys.extend(book.event(row)?.map(|event| event.sync_key));
    }
    keys.sort_unstable();
    Ok(keys)
}
