//! The file of the journal: opened, grown, read and shortened.
//!
//! It only grows, a whole commit at a time: frames of a commit that was cut off by a crash are cut away
//! when the file is opened, and the commit is recorded again from the log of the library. Appending
//! does not wait for the disk; the store asks for that before it drops lines of its log.

use std::{path::PathBuf, sync::Arc};

use super::{
    catalog,
    event::{Event, EventId, Kind},
    frame::{EVENTS, Head, Mark, Opened, find_frame, push_frame, read_frame},
    index::{Added, DAY, Index, Row},
};
use crate::{
    base::{ids, schema::schema},
    files::{Appender, DiskError, Files},
    model::Game,
};

/// Dropped events that may stand in the file before it is rewritten.
const SURPLUS: usize = 5_000;
/// Damaged events that are listed.
const CORRUPT: usize = 100;
/// Frames kept open while reading: a chain leads back and forth between two or three.
const OPENED: usize = 8;
/// Bytes collected before they are written.
const PIECE: usize = 1 << 20;

schema! {
    "CorruptEvent"
    /// An event that can no longer be read.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(super) struct Corrupt {
        /// Its id in hex; empty when not even that can be read.
        pub(super) event_id: String,
        /// The game it was about; likewise.
        pub(super) sync_key: String,
    }
}

/// What one game is after a commit, about to become an event.
pub(super) struct Fresh {
    pub(super) sync_key: String,
    pub(super) parents: Vec<EventId>,
    pub(super) kind: Kind,
    /// The game afterwards; `None` when it is gone.
    pub(super) game: Option<Arc<Game>>,
}

/// One commit about to be recorded.
pub(super) struct Commit<'a> {
    pub(super) revision: u64,
    pub(super) at: i64,
    pub(super) lineage: &'a str,
    pub(super) revert: Option<serde_json::Value>,
}

/// Writes one commit into the book, a frame at a time: the events of a large one would take several
/// times the memory of its games.
pub(super) struct Pen<'a> {
    book: &'a mut Book,
    commit: &'a Commit<'a>,
    /// The events of the next frame.
    waiting: Vec<Fresh>,
    /// Frames that were not written yet.
    bytes: Vec<u8>,
    /// Where those begin in the file.
    written: u64,
    /// The sequence number of the next event.
    next: u64,
}

/// A frame of an archive, and which of its events are not known here.
pub(super) struct Archived {
    /// Where it begins in the archive.
    pub(super) offset: usize,
    /// When its commit was made.
    pub(super) at: i64,
    /// The places of the events in it.
    pub(super) places: Vec<usize>,
}

/// A frame that was read while the file was opened.
struct Part {
    /// Where it begins, and its bytes.
    place: (u64, u64),
    /// Its head.
    head: Head,
    /// Its events; `None` when they cannot be read, and the head names them.
    added: Option<Vec<Added>>,
    /// The next sequence number after those of its events.
    next: u64,
}

/// The open file.
pub(super) struct Book {
    files: Files,
    path: PathBuf,
    appender: Appender,
    /// Bytes of whole commits.
    len: u64,
    is_synced: bool,
    index: Index,
    device: String,
    next: u64,
    /// The library that was recorded last, and up to which revision.
    pub(super) lineage: String,
    pub(super) revision: u64,
    /// The revision of the newest frame.
    written: u64,
    /// Whether a sync failed, so that it is unknown what of the file is on the disk.
    is_doubtful: bool,
    /// Whether the newest frame says that nothing is recorded any more.
    pub(super) is_off: bool,
    /// The newest time that was dropped.
    pub(super) horizon: Option<i64>,
    /// Events that cannot be read.
    pub(super) corrupt: Vec<Corrupt>,
    /// Where the first damaged frame stands, and the revision before it.
    pub(super) damage: Option<(u64, u64)>,
    /// The frames that were read last, the newest at the end.
    opened: Vec<(u64, Opened)>,
    shortened_at: i64,
}

impl Book {
    /// Opens the file, which is created when it is missing. What is not a whole commit at its end is
    /// cut off.
    pub(super) fn open(files: &Files, path: PathBuf, now: i64) -> Result<Self, DiskError> {
        let appender = files.append_or_create(&path)?;
        let mut book = Self {
            files: files.clone(),
            path,
            appender,
            len: 0,
            is_synced: true,
            index: Index::default(),
            device: String::new(),
            next: 1,
            lineage: String::new(),
            revision: 0,
            written: 0,
            is_doubtful: false,
            is_off: false,
            horizon: None,
            corrupt: Vec::new(),
            damage: None,
            opened: Vec::new(),
            shortened_at: now,
        };
        let end = book.appender.len()?;
        book.read_all(end)?;
        if book.device.is_empty() {
            book.device = ids::random_uuid();
        }
        if book.len < end {
            log::warn!("the end of the journal was not whole and was cut off");
            book.appender.truncate(book.len)?;
        }
        if book.len == 0 {
            let head = Head { mark: Some(Mark::Begin), ..book.head(0, now, "") };
            let mut bytes = Vec::new();
            push_frame(&mut bytes, head, &[]);
            book.write(&bytes)?;
            book.len = bytes.len() as u64;
            book.sync_name()?;
        }
        Ok(book)
    }

    /// Reads the frames up to the end of the file, a piece of it at a time.
    fn read_all(&mut self, end: u64) -> Result<(), DiskError> {
        // What was read and not used yet, and where it begins.
        let (mut bytes, mut begins, mut at) = (Vec::new(), 0_u64, 0_usize);
        let mut parts = Vec::new();
        loop {
            let read_to = begins + bytes.len() as u64;
            match read_frame(&bytes[at..]) {
                Ok(found) => {
                    let place = (begins + at as u64, found.len as u64);
                    at += found.len;
                    let is_last = !found.head.more;
                    parts.push(self.part_of(place, found.head));
                    if is_last {
                        parts.drain(..).for_each(|part| self.take_in(part));
                        self.len = begins + at as u64;
                    }
                }
                // The frame may go on behind what was read.
                Err(_) if read_to < end => {
                    bytes.drain(..at);
                    begins += std::mem::take(&mut at) as u64;
                    let to = end.min(read_to + PIECE as u64);
                    bytes.extend(self.files.read_range(&self.path, read_to, to)?);
                }
                Err(_) if at == bytes.len() => return Ok(()),
                Err(head) => {
                    let Some(next) = find_frame(&bytes, at + 1) else { return Ok(()) };
                    self.damage = self.damage.or(Some((self.len, self.revision)));
                    self.list_corrupt(head.as_deref());
                    at = next;
                }
            }
        }
    }

    /// A frame of a commit that may not be whole yet. The texts of its head, which are most of it, are released.
    fn part_of(&self, place: (u64, u64), mut head: Head) -> Part {
        let ids: Option<Vec<EventId>> =
            head.ids.iter().map(|id| super::event::read_id(id)).collect();
        let kinds: Option<Vec<Kind>> = head.kinds.chars().map(Kind::of_letter).collect();
        let next = head.sequences.iter().max().map_or(0, |last| last + 1);
        let added = ids.zip(kinds).map(|(ids, kinds)| {
            let keys = std::mem::take(&mut head.keys);
            let (_, _) = (std::mem::take(&mut head.ids), std::mem::take(&mut head.sequences));
            let added = ids.into_iter().zip(keys).zip(kinds);
            added.map(|((id, key), kind)| Added { id, key: self.index.key(&key), kind }).collect()
        });
        Part { place, head, added, next }
    }

    fn list_corrupt(&mut self, head: Option<&Head>) {
        let named = head.into_iter().flat_map(|head| head.ids.iter().zip(&head.keys));
        let named = named.map(|(id, key)| (id.clone(), key.clone()));
        let mut listed: Vec<_> = named.collect();
        if listed.is_empty() {
            listed.push((String::new(), String::new()));
        }
        let room = CORRUPT.saturating_sub(self.corrupt.len());
        let corrupt = listed.into_iter().take(room);
        self.corrupt.extend(corrupt.map(|(event_id, sync_key)| Corrupt { event_id, sync_key }));
    }

    /// Takes a frame of the file into the index.
    fn take_in(&mut self, part: Part) {
        let Part { place, head, added, next } = part;
        self.lineage.clone_from(&head.lineage);
        self.revision = head.revision;
        self.written = head.revision;
        self.is_off = head.mark == Some(Mark::Off);
        if head.mark == Some(Mark::Begin) {
            self.device.clone_from(&head.device);
            self.horizon = head.horizon;
            self.next = self.next.max(head.next.unwrap_or(1));
        }
        let Some(added) = added else { return self.list_corrupt(Some(&head)) };
        self.next = self.next.max(next);
        if !added.is_empty() {
            self.index.push(place, head.at, head.revert.is_some(), added);
            self.index.link();
        }
    }

    fn head(&self, revision: u64, at: i64, lineage: &str) -> Head {
        Head::new(revision, at, &self.device, lineage)
    }

    /// Records the events that `tell` hands to the pen: all of them, or none when this fails.
    pub(super) fn record<T>(
        &mut self,
        commit: &Commit<'_>,
        tell: impl FnOnce(&mut Pen<'_>) -> Result<T, DiskError>,
    ) -> Result<T, DiskError> {
        let mut pen = Pen::of(self, commit);
        let outcome = tell(&mut pen).and_then(|value| pen.finish().map(|()| value));
        if outcome.is_err() {
            self.index.unlink();
            // OK because the same end is found and cut off when the file is opened again.
            drop(self.appender.truncate(self.len));
        }
        outcome
    }

    fn seal(&self, fresh: Fresh, commit: &Commit<'_>, sequence: u64) -> Event {
        let mut event = Event {
            id: [0; 32],
            device_id: self.device.clone(),
            sequence,
            at: commit.at,
            sync_key: fresh.sync_key,
            kind: fresh.kind,
            parents: fresh.parents,
            catalog: fresh.game.map(|game| catalog::of(&game)),
            revert: commit.revert.clone(),
        };
        event.id = event.derive_id();
        event
    }

    /// Notes in the file that everything up to a revision is recorded, or that recording ends there.
    pub(super) fn mark(
        &mut self,
        revision: u64,
        at: i64,
        lineage: &str,
        is_off: bool,
    ) -> Result<(), DiskError> {
        let mark = if is_off { Mark::Off } else { Mark::Follows };
        let head = Head { mark: Some(mark), ..self.head(revision, at, lineage) };
        let mut bytes = Vec::new();
        push_frame(&mut bytes, head, &[]);
        self.write_or_cut(&bytes)?;
        self.len += bytes.len() as u64;
        self.stands_at(revision, lineage, is_off);
        Ok(())
    }

    fn stands_at(&mut self, revision: u64, lineage: &str, is_off: bool) {
        lineage.clone_into(&mut self.lineage);
        self.revision = revision;
        self.written = revision;
        self.is_off = is_off;
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        self.is_synced = false;
        self.appender.append(bytes)
    }

    fn write_or_cut(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        self.write(bytes).inspect_err(|_| {
            // OK because the same end is found and cut off when the file is opened again.
            drop(self.appender.truncate(self.len));
        })
    }

    /// As [`Book::mark`], where commits without events came after the newest frame.
    pub(super) fn mark_if_behind(&mut self, at: i64) -> Result<(), DiskError> {
        if self.revision > self.written {
            let lineage = self.lineage.clone();
            self.mark(self.revision, at, &lineage, false)?;
        }
        Ok(())
    }

    /// Makes everything that was recorded durable. After a failed sync the file is rewritten: a second sync could
    /// report success for data that was lost.
    pub(super) fn sync(&mut self, now: i64) -> Result<(), DiskError> {
        if self.is_doubtful {
            return self.write_anew(now, self.horizon, self.is_off, (&[], &[]));
        }
        if !self.is_synced {
            self.appender.sync().inspect_err(|_| self.is_doubtful = true)?;
            self.is_synced = true;
        }
        Ok(())
    }

    fn sync_name(&self) -> Result<(), DiskError> {
        self.path.parent().map_or(Ok(()), |folder| self.files.sync_dir(folder))
    }

    /// Cuts the file off where the damage begins, so that everything behind can be recorded again.
    pub(super) fn cut_damage(self, now: i64) -> Result<Self, DiskError> {
        if let Some((offset, _)) = self.damage {
            self.appender.truncate(offset)?;
        }
        Self::open(&self.files, self.path, now)
    }

    /// Whether nothing was ever recorded.
    pub(super) fn is_blank(&self) -> bool {
        self.lineage.is_empty() && self.revision == 0 && self.index.len() == 0
    }

    /// Whether reading it leaves memory behind that is worth giving back.
    pub(super) fn is_large(&self) -> bool {
        self.len >= 4 * PIECE as u64
    }

    /// The rows of the events.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// Reads an event; `None` when it is damaged.
    pub(super) fn event(&mut self, row: Row) -> Result<Option<Event>, DiskError> {
        let (frame, at) = self.index.frame(row);
        if let Some(place) = self.opened.iter().position(|(offset, _)| *offset == frame.offset) {
            self.opened[place..].rotate_left(1);
        } else {
            let end = frame.offset + frame.len;
            let bytes = self.files.read_range(&self.path, frame.offset, end)?;
            let opened = read_frame(&bytes).ok().and_then(|found| Opened::of(&found));
            let Some(opened) = opened else { return Ok(None) };
            if self.opened.len() >= OPENED {
                self.opened.remove(0);
            }
            self.opened.push((frame.offset, opened));
        }
        let event = self.opened.last().and_then(|(_, opened)| opened.event(at));
        Ok(event.filter(|event| event.id == self.index.id_of(row)))
    }

    /// The whole commits of the file.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, DiskError> {
        self.files.read_range(&self.path, 0, self.len)
    }

    /// Lets go of what was kept for reading.
    pub(super) fn forget(&mut self) {
        self.opened = Vec::new();
    }

    /// Rewrites the file without dropped events, when there are many of them or the last rewrite was a day ago.
    pub(super) fn shorten_if_due(&mut self, now: i64) -> Result<(), DiskError> {
        let is_daily = (now - self.shortened_at).unsigned_abs() >= DAY.unsigned_abs();
        let rows = self.index.len();
        let crowded = (rows as usize).saturating_sub(self.index.games() + super::index::EVENTS);
        if !is_daily && crowded < SURPLUS {
            return Ok(());
        }
        self.shortened_at = now;
        let dropped = (0..rows).filter(|row| self.index.is_dropped(*row, now));
        match dropped.map(|row| self.index.time(row)).max() {
            Some(newest) => {
                let horizon = self.horizon.max(Some(newest));
                self.write_anew(now, horizon, self.is_off, (&[], &[]))
            }
            None => Ok(()),
        }
    }

    /// Joins events of an archive with those that are here. The library is compared with all of them
    /// when it is recorded again.
    pub(super) fn join(
        &mut self,
        archive: &[u8],
        archived: &[Archived],
        now: i64,
    ) -> Result<(), DiskError> {
        self.write_anew(now, self.horizon, true, (archive, archived))
    }

    /// Rewrites the file without dropped events and with frames of an archive at the place of their time.
    fn write_anew(
        &mut self,
        now: i64,
        horizon: Option<i64>,
        is_off: bool,
        (archive, archived): (&[u8], &[Archived]),
    ) -> Result<(), DiskError> {
        let mut archived = archived.iter().peekable();
        let frames: Vec<_> = self.index.frames().collect();
        let mut failed = None;
        let mut first = self.head(self.revision, now, &self.lineage.clone());
        first = Head { mark: Some(Mark::Begin), horizon, next: Some(self.next), ..first };
        let (files, path) = (self.files.clone(), self.path.clone());
        let (revision, damage) = (self.revision, self.damage.take());
        if damage.is_some() {
            log::warn!("damaged events were dropped from the journal");
        }
        let temp = files.write_beside(&path, |sink| {
            let mut bytes = Vec::new();
            push_frame(&mut bytes, first, &[]);
            for (frame, rows) in frames {
                while let Some(foreign) = archived.next_if(|foreign| foreign.at <= frame.at) {
                    push_archived(&mut bytes, archive, foreign);
                }
                let kept: Vec<Row> = rows.filter(|row| !self.index.is_dropped(*row, now)).collect();
                match self.frame_of(&kept) {
                    Ok(Some((head, events))) => push_frame(&mut bytes, head, &events),
                    Ok(None) => {}
                    Err(error) => {
                        failed = Some(error);
                        return Err(std::io::ErrorKind::Other.into());
                    }
                }
                if bytes.len() >= PIECE {
                    sink.write_all(&bytes)?;
                    bytes.clear();
                }
            }
            for foreign in archived {
                push_archived(&mut bytes, archive, foreign);
                if bytes.len() >= PIECE {
                    sink.write_all(&bytes)?;
                    bytes.clear();
                }
            }
            let mark = if is_off { Mark::Off } else { Mark::Follows };
            let last = self.head(self.revision, now, &self.lineage);
            push_frame(&mut bytes, Head { mark: Some(mark), ..last }, &[]);
            sink.write_all(&bytes)
        });
        if let Some(error) = failed {
            return Err(error);
        }
        // The old file is used on until the new one has its name.
        temp?.persist(&path)?;
        *self = Self::open(&files, path, now)?;
        self.revision = revision;
        self.sync_name().inspect_err(|_| self.is_doubtful = true)
    }

    /// These rows of one frame as a frame of their own.
    fn frame_of(&mut self, rows: &[Row]) -> Result<Option<(Head, Vec<Event>)>, DiskError> {
        let mut events = Vec::with_capacity(rows.len());
        for row in rows {
            events.extend(self.event(*row)?);
        }
        let Some((_, opened)) = self.opened.last().filter(|_| !events.is_empty()) else {
            return Ok(None);
        };
        Ok(Some((opened.head_of_part(), events)))
    }
}

impl<'a> Pen<'a> {
    fn of(book: &'a mut Book, commit: &'a Commit<'a>) -> Self {
        let (next, written) = (book.next, book.len);
        Self { book, commit, waiting: Vec::new(), bytes: Vec::new(), written, next }
    }

    /// What is recorded already, without the events of this commit.
    pub(super) fn book(&mut self) -> &mut Book {
        self.book
    }

    /// Adds an event.
    pub(super) fn push(&mut self, fresh: Fresh) -> Result<(), DiskError> {
        if self.waiting.len() == EVENTS {
            self.frame(true)?;
        }
        self.waiting.push(fresh);
        Ok(())
    }

    /// Makes a frame of what waits.
    fn frame(&mut self, more: bool) -> Result<(), DiskError> {
        let Self { book, commit, .. } = self;
        let sequences = self.next..;
        let waiting = self.waiting.drain(..).zip(sequences);
        let events: Vec<Event> =
            waiting.map(|(fresh, sequence)| book.seal(fresh, commit, sequence)).collect();
        self.next += events.len() as u64;
        let mut head = book.head(commit.revision, commit.at, commit.lineage);
        head.more = more;
        head.revert.clone_from(&commit.revert);
        let begins = self.bytes.len();
        push_frame(&mut self.bytes, head, &events);
        let added = events.iter().map(|event| Added {
            id: event.id,
            key: book.index.key(&event.sync_key),
            kind: event.kind,
        });
        let added: Vec<Added> = added.collect();
        let place = (self.written + begins as u64, (self.bytes.len() - begins) as u64);
        book.index.push(place, commit.at, commit.revert.is_some(), added);
        if !more || self.bytes.len() >= PIECE {
            book.write(&self.bytes)?;
            self.written += self.bytes.len() as u64;
            self.bytes.clear();
        }
        Ok(())
    }

    /// Commits the events, if there are any.
    fn finish(&mut self) -> Result<(), DiskError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.frame(false)?;
        let Self { book, commit, .. } = self;
        book.len = self.written;
        book.next = self.next;
        book.index.link();
        book.stands_at(commit.revision, commit.lineage, false);
        Ok(())
    }
}

/// Adds the unknown events of a frame of an archive.
fn push_archived(bytes: &mut Vec<u8>, archive: &[u8], foreign: &Archived) {
    let found = read_frame(&archive[foreign.offset..]).ok();
    let Some(opened) = found.and_then(|found| Opened::of(&found)) else { return };
    let events: Vec<Event> =
        foreign.places.iter().filter_map(|place| opened.event(*place)).collect();
    push_frame(bytes, opened.head_of_part(), &events);
}
