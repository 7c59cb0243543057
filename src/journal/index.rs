//! The positions of events: a row of 48 bytes for each, in the order in which they were recorded.
//!
//! Rows of one game are linked from its newest to its oldest. Keys are kept as hashes under a secret of
//! this run; texts stay in the file.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;

use super::event::{EventId, Kind};

/// Events that stay besides the newest one of each game.
pub(super) const EVENTS: usize = 25_000;
/// Microseconds for which they stay.
pub(super) const AGE: i64 = 400 * DAY;
/// Microseconds of a day.
pub(super) const DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// The number of a row, counted from zero.
pub(super) type Row = u32;

const NONE: Row = Row::MAX;
const REVERT: u8 = 1 << 7;

/// One frame of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Where it begins.
    pub(super) offset: u64,
    /// Bytes.
    pub(super) len: u64,
    /// When its commit was made.
    pub(super) at: i64,
    /// The latest time of this frame and those before it. A clock that was set back does not make
    /// events old.
    since: i64,
    /// Its first row.
    first: Row,
}

struct Entry {
    id: EventId,
    key: u64,
    previous: Row,
    kind: u8,
}

/// What is added to the index.
pub(super) struct Added {
    /// The id of the event.
    pub(super) id: EventId,
    /// The hash of its key.
    pub(super) key: u64,
    /// Its kind.
    pub(super) kind: Kind,
}

/// The rows of all events.
#[derive(Default)]
pub(super) struct Index {
    hasher: RandomState,
    frames: Vec<Frame>,
    entries: Vec<Entry>,
    /// Rows that are linked with those before them; those behind wait for the rest of their commit.
    linked: Row,
    heads: HashTable<Row>,
}

impl Index {
    /// The hash that stands for a key.
    pub(super) fn key(&self, sync_key: &str) -> u64 {
        self.hasher.hash_one(sync_key)
    }

    /// Adds the events of a frame. No game has them until [`Index::link`].
    pub(super) fn push(
        &mut self,
        (offset, len): (u64, u64),
        at: i64,
        is_revert: bool,
        added: impl IntoIterator<Item = Added>,
    ) {
        let since = self.frames.last().map_or(at, |last| last.since.max(at));
        self.frames.push(Frame { offset, len, at, since, first: narrow(self.entries.len()) });
        for Added { id, key, kind } in added {
            let kind = kind.letter() as u8 | if is_revert { REVERT } else { 0 };
            self.entries.push(Entry { id, key, previous: NONE, kind });
        }
    }

    /// Makes the rows that were added the newest of their games.
    pub(super) fn link(&mut self) {
        for row in self.linked..self.len() {
            let entries = &mut self.entries;
            let key = entries[row as usize].key;
            let known = self.heads.find_mut(key, |head| entries[*head as usize].key == key);
            match known {
                Some(head) => entries[row as usize].previous = std::mem::replace(head, row),
                None => {
                    self.heads.insert_unique(key, row, |head| entries[*head as usize].key);
                }
            }
        }
        self.linked = self.len();
    }

    /// Undoes the rows that were added and not linked.
    pub(super) fn unlink(&mut self) {
        self.entries.truncate(self.linked as usize);
        let sound = self.frames.partition_point(|frame| frame.first < self.linked);
        self.frames.truncate(sound);
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> Row {
        narrow(self.entries.len())
    }

    /// The newest event of a game.
    pub(super) fn head(&self, key: u64) -> Option<Row> {
        self.heads.find(key, |head| self.entries[*head as usize].key == key).copied()
    }

    /// How many games have events.
    pub(super) fn games(&self) -> usize {
        self.heads.len()
    }

    /// Whether this is the newest event of its game.
    pub(super) fn is_head(&self, row: Row) -> bool {
        self.head(self.key_of(row)) == Some(row)
    }

    /// The hash of the key of an event.
    pub(super) fn key_of(&self, row: Row) -> u64 {
        self.entries[row as usize].key
    }

    /// The id of an event.
    pub(super) fn id_of(&self, row: Row) -> EventId {
        self.entries[row as usize].id
    }

    /// The kind of an event.
    pub(super) fn kind_of(&self, row: Row) -> Kind {
        let letter = char::from(self.entries[row as usize].kind & !REVERT);
        // OK because only letters of kinds are put in.
        Kind::of_letter(letter).expect("a kind")
    }

    /// Whether an event took something back.
    pub(super) fn is_revert(&self, row: Row) -> bool {
        self.entries[row as usize].kind & REVERT != 0
    }

    /// The event before this one of the same game, as far as the file goes back.
    pub(super) fn previous(&self, row: Row) -> Option<Row> {
        Some(self.entries[row as usize].previous).filter(|previous| *previous != NONE)
    }

    /// The row of the event with this id.
    pub(super) fn find(&self, id: &EventId) -> Option<Row> {
        self.entries.iter().rposition(|entry| entry.id == *id).map(narrow)
    }

    /// When an event was recorded.
    pub(super) fn time(&self, row: Row) -> i64 {
        self.frame(row).0.at
    }

    /// The frame of an event, and its place there.
    pub(super) fn frame(&self, row: Row) -> (Frame, usize) {
        let number = self.frames.partition_point(|frame| frame.first <= row) - 1;
        // Frames without events begin where the next one does; the last of them holds the row.
        let frame = self.frames[number];
        (frame, (row - frame.first) as usize)
    }

    /// Every frame with its rows, oldest first.
    pub(super) fn frames(&self) -> impl Iterator<Item = (Frame, std::ops::Range<Row>)> {
        let ends = self.frames.iter().skip(1).map(|next| next.first).chain([self.len()]);
        self.frames.iter().zip(ends).map(|(frame, end)| (*frame, frame.first..end))
    }

    /// Whether an event has outstayed its time: it is not the newest of its game, and it is too old
    /// or there are too many newer ones.
    pub(super) fn is_dropped(&self, row: Row, now: i64) -> bool {
        let crowded = (row as usize) + EVENTS < self.entries.len();
        let aged = || self.frame(row).0.since < now.saturating_sub(AGE);
        (crowded || aged()) && !self.is_head(row)
    }
}

fn narrow(row: usize) -> Row {
    // OK because four thousand million events do not fit into memory.
    Row::try_from(row).expect("a row fits 32 bits")
}
