//! The records of a household as the library keeps them (section `household`), and how two sets of records are merged.
//!
//! Records are only ever added. The current record of each thing is the one that no other record follows; where
//! two devices wrote without knowing of each other, the one with the greater rank. So every device with the same
//! records shows the same household, whatever the order in which they came.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::record::{Kind, RECORDS, Record, RecordError};
use crate::{
    base::Moment,
    model::{Draft, State},
    mounted::{
        canonical,
        graph::{self, Heads, Nodes},
    },
};

/// The section of the library.
const SECTION: &str = "household";

/// The records of one library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// The id of this device; empty before the first record was written here.
    pub device: String,
    /// The number of the next record of this device.
    next: u64,
    records: Nodes<Record>,
    /// Ids of records that were written here and are not in the folder yet, oldest first.
    pub outbox: Vec<String>,
}

/// What a merge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Records that were not there before.
    pub applied: usize,
}

impl Book {
    /// The records of a state. What is stored and no record any more is left out, with a line in the log.
    pub fn of(state: &State) -> Self {
        let section = state.section(SECTION);
        let mut book = Self {
            device: section["device_id"].as_str().unwrap_or("").to_owned(),
            next: section["next_sequence"].as_u64().unwrap_or(1).max(1),
            ..Self::default()
        };
        for value in section["records"].as_object().into_iter().flatten().map(|(_, value)| value) {
            match Record::read(value) {
                Ok(record) => drop(book.records.insert(record.id.clone(), record)),
                Err(error) => log::warn!("a stored household record is left out: {error}"),
            }
        }
        let outbox = section["outbox"].as_array().into_iter().flatten();
        let ids = outbox.filter_map(|record| record[canonical::ID].as_str());
        book.outbox = ids.filter(|id| book.records.contains_key(*id)).map(str::to_owned).collect();
        book
    }

    /// Puts the records into a draft.
    pub fn store(&self, draft: &mut Draft) {
        let value = |record: &Record| Value::Object(record.value().clone());
        let records: Map<String, Value> =
            self.records.iter().map(|(id, record)| (id.clone(), value(record))).collect();
        let outbox: Vec<Value> =
            self.outbox.iter().filter_map(|id| self.records.get(id)).map(value).collect();
        let mut section = draft.state().section(SECTION).as_object().cloned().unwrap_or_default();
        section.extend(Map::from_iter([
            ("device_id".to_owned(), json!(self.device)),
            ("next_sequence".to_owned(), json!(self.next)),
            ("records".to_owned(), Value::Object(records)),
            ("heads".to_owned(), json!(self.heads())),
            ("outbox".to_owned(), Value::Array(outbox)),
        ]));
        draft.set_section(SECTION, Value::Object(section));
    }

    /// Every record by id.
    pub fn records(&self) -> &Nodes<Record> {
        &self.records
    }

    /// The heads of everything.
    pub fn heads(&self) -> Heads {
        graph::heads(&self.records)
    }

    /// The hash over what is known here; another one means that something changed.
    pub fn token(&self, stats_sharing: bool) -> String {
        let ids: Vec<&String> = self.records.keys().collect();
        canonical::hash(&json!({"records": ids, "stats_sharing": stats_sharing}))
    }

    /// The record that counts for each key, in the order of the keys.
    pub fn winners(&self) -> BTreeMap<String, &Record> {
        let mut winners: BTreeMap<String, &Record> = BTreeMap::new();
        for (key, heads) in self.heads() {
            let heads = heads.iter().filter_map(|id| self.records.get(id));
            if let Some(winner) = heads.max_by(|a, b| a.rank().cmp(&b.rank())) {
                winners.insert(key, winner);
            }
        }
        winners
    }

    /// Writes a record of this device. It follows everything that is known about its thing.
    ///
    /// # Errors
    /// A payload that breaks a rule.
    pub fn write(
        &mut self,
        kind: Kind,
        payload: &Map<String, Value>,
        now: &Moment,
    ) -> Result<Record, RecordError> {
        let of_device = (self.device.as_str(), self.next);
        let first = Record::write(kind, payload.clone(), of_device, Vec::new(), now)?;
        let parents: Vec<String> = self.heads().remove(&first.key).into_iter().flatten().collect();
        let record = if parents.is_empty() {
            first
        } else {
            Record::write(kind, payload.clone(), of_device, parents, now)?
        };
        self.next += 1;
        self.outbox.push(record.id.clone());
        self.records.insert(record.id.clone(), record.clone());
        Ok(record)
    }

    /// Whether this many more records fit.
    ///
    /// # Errors
    /// When they do not.
    pub fn check_room(&self, more: usize) -> Result<(), RecordError> {
        if self.records.len() + more <= RECORDS {
            return Ok(());
        }
        Err(RecordError(format!("A household has at most {RECORDS} records.")))
    }

    /// Joins records of others with those that are here: all of them, or none.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn merge(&mut self, records: Vec<Record>) -> Result<Merged, RecordError> {
        let mut ids = BTreeSet::new();
        if !records.iter().all(|record| ids.insert(record.id.as_str())) {
            return Err(RecordError("A record is there twice.".to_owned()));
        }
        let fresh: Vec<Record> =
            records.into_iter().filter(|record| !self.records.contains_key(&record.id)).collect();
        self.check_room(fresh.len())?;
        let merged = Merged { applied: fresh.len() };
        let mut joined = self.records.clone();
        joined.extend(fresh.into_iter().map(|record| (record.id.clone(), record)));
        graph::check(&joined).map_err(|error| RecordError(error.to_string()))?;
        // A device that lost its library counts on where others know it to be.
        let own = joined.values().filter(|record| record.device == self.device);
        let last = own.map(|record| record.sequence).max().unwrap_or(0);
        self.next = self.next.max(last.saturating_add(1));
        self.records = joined;
        Ok(merged)
    }

    /// The records of the outbox that may be shared, with everything they follow, parents first, and how
    /// many records are kept back because statistics are not shared.
    pub fn to_publish(&self, stats_sharing: bool) -> (Vec<&Record>, usize) {
        let is_kept = |id: &&String| {
            !stats_sharing && self.records.get(*id).is_some_and(|record| record.kind == Kind::Share)
        };
        let kept = self.outbox.iter().filter(is_kept).count();
        let shared = self.outbox.iter().filter(|id| !is_kept(id));
        let wanted = graph::with_ancestors(&self.records, shared);
        let order = graph::in_order(&self.records).into_iter();
        let records = order.filter(|id| wanted.contains(id)).filter_map(|id| self.records.get(id));
        (records.collect(), kept)
    }

    /// Takes records out of the outbox that are in the folder, and returns how many that were.
    pub fn acknowledge(&mut self, is_there: impl Fn(&str) -> bool) -> usize {
        let before = self.outbox.len();
        self.outbox.retain(|id| !is_there(id));
        before - self.outbox.len()
    }
}
