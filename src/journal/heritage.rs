//! Events in the library file itself, which another program kept in the section about the exchange.
//!
//! They are imported while the journal is empty. The journal file is replaced in one step, so a kill leaves all of them
//! or none. The section stays as it is. An existing journal ignores them.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    archive::unknown,
    book::Book,
    event::{Event, Kind, read_id},
    exchange::{self, SECTION},
    frame::{EVENTS, Head, push_frame},
};
use crate::{
    base::Moment,
    files::DiskError,
    model::State,
    mounted::graph::{self, Node as _, Nodes},
};

/// Takes the events of a library into a journal that holds none. The library is compared with them
/// afterwards, as with those of an archive.
pub(super) fn take_in(book: &mut Book, state: &State, now: i64) -> Result<(), DiskError> {
    let section = state.section(SECTION);
    if section["events"].as_object().is_none_or(serde_json::Map::is_empty) {
        return Ok(());
    }
    let frames = frames(&in_order(section));
    let found = unknown(book, &frames);
    if found.is_empty() {
        return Ok(());
    }
    let horizon = section["journal_horizon"].as_str().and_then(Moment::parse_utc);
    book.horizon = book.horizon.max(horizon.map(|horizon| horizon.unix_micros()));
    book.join(&frames, &found, now)
}

/// The events in the order of their times, none before one that it follows.
fn in_order(section: &Value) -> Vec<Event> {
    let events = exchange::held(section);
    let mut times: HashMap<&str, i64> = HashMap::new();
    let mut ordered = Vec::with_capacity(events.len());
    for id in graph::in_order(&events) {
        let Some(event) = translated(id, &events, &section["journal_reverts"][id]) else {
            continue;
        };
        let parents = events[id].parents().iter();
        let time =
            parents.filter_map(|id| times.get(id.as_str()).copied()).fold(event.at, i64::max);
        times.insert(id, time);
        ordered.push((time, event));
    }
    ordered.sort_by_key(|(time, _)| *time);
    ordered.into_iter().map(|(_, event)| event).collect()
}

/// An event in the form of the journal. Its id stays, also where its time is written in another way.
fn translated(id: &str, events: &Nodes<exchange::Event>, revert: &Value) -> Option<Event> {
    let event = events.get(id)?;
    let is_removal = |event: &exchange::Event| !event.value().contains_key("catalog");
    let mut before = event.parents().iter().filter_map(|id| events.get(id)).peekable();
    let kind = if is_removal(event) {
        Kind::Delete
    } else if event.parents().is_empty() {
        Kind::Add
    } else if before.peek().is_some() && before.all(is_removal) {
        Kind::Restore
    } else {
        Kind::Edit
    };
    let created = event.value().get("created_at").and_then(Value::as_str).unwrap_or("");
    Some(Event {
        id: read_id(id)?,
        device_id: event.device.clone(),
        sequence: event.sequence(),
        at: Moment::parse_utc(created)?.unix_micros(),
        sync_key: event.key.clone(),
        kind,
        parents: event.parents().iter().filter_map(|id| read_id(id)).collect(),
        catalog: event.value().get("catalog").and_then(Value::as_object).cloned(),
        revert: Some(revert).filter(|revert| revert.is_object()).cloned(),
    })
}

/// The frames of these events. Those of one moment share one, because a frame has one time and one device.
fn frames(events: &[Event]) -> Vec<u8> {
    let share = |one: &Event, next: &Event| {
        let (one, next) =
            (&(one.at, &one.device_id, &one.revert), &(next.at, &next.device_id, &next.revert));
        one == next
    };
    let mut bytes = Vec::new();
    for events in events.chunk_by(share).flat_map(|run| run.chunks(EVENTS)) {
        let Some(first) = events.first() else { continue };
        let mut head = Head::new(0, first.at, &first.device_id, "");
        head.revert.clone_from(&first.revert);
        push_frame(&mut bytes, head, events);
    }
    bytes
}
