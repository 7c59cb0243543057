//! The archive of the history: every session that is no longer among the newest rows of the library.
//!
//! The section `history` of the library holds the newest rows. Older ones move to
//! `history.archive`, which only grows, so an edit of the library costs the same after years of
//! play. The file consists of frames of up to [`FRAME_ROWS`] rows:
//!
//! ```text
//! <8 hex digits: CRC-32 of head and body> <head as JSON>\n<body: rows as deflated JSON>\n
//! ```
//!
//! Rows are numbered in the order in which they were archived. The section `history_archive` of the
//! library says how many rows are archived, and it changes in the commit that takes them out of
//! `history`. A frame beyond that number was written before a crash and does not count: its rows are
//! still in the library. When such a frame holds anything else, the library is an older copy; then
//! the file is kept next to the new one before it is continued.

use std::{
    borrow::Cow,
    collections::HashMap,
    convert::Infallible,
    io::{Read as _, Write as _},
    path::PathBuf,
    sync::{Mutex, MutexGuard},
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use crate::{
    base::{Hold as _, Moment, checksum::crc32, limits::HISTORY_ROWS},
    files::{DiskError, Files},
    model::{Draft, Row as _, State, rows::HistoryRow},
    store::{CommitError, Store, Unavailable},
};

/// Rows in one frame at most.
const FRAME_ROWS: usize = 256;
/// Rows that stay in the library when older ones move out: moving every row on its own would make
/// frames that do not compress.
pub(super) const KEPT_ROWS: usize = HISTORY_ROWS - 128;
/// Bytes of an unpacked body that are read: far above what 256 rows can hold.
const UNPACKED: u64 = 64 << 20;
/// Rows that move in one commit at most.
const STEP: usize = 256 * FRAME_ROWS;
/// The section with the number of archived rows.
pub const SECTION: &str = "history_archive";

/// The head of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    /// Number of its first row.
    from: u64,
    /// Rows in it.
    rows: u64,
    /// Start of its latest session, in Unix seconds; the smallest number when none can be read.
    newest: i64,
    /// Bytes of the body.
    size: u64,
}

/// A frame of the file.
#[derive(Clone, Debug)]
struct Frame {
    offset: u64,
    len: u64,
    head: Head,
}

impl Frame {
    fn end(&self) -> u64 {
        self.head.from + self.head.rows
    }
}

/// Sessions and seconds of one game, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Sessions.
    pub sessions: u64,
    /// Seconds of play.
    pub seconds: u64,
}

impl Totals {
    fn add(&mut self, row: &HistoryRow) {
        self.sessions += 1;
        self.seconds = self.seconds.saturating_add(row.seconds);
    }

    fn join(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.seconds = self.seconds.saturating_add(other.seconds);
    }
}

/// What was read of the file so far.
#[derive(Default)]
struct Index {
    /// Bytes that were read.
    len: u64,
    /// Frames in the order of the file.
    frames: Vec<Frame>,
    /// Totals of the rows below `counted`, by game.
    totals: HashMap<String, Totals>,
    counted: u64,
}

/// How far a reader got in the archive.
#[derive(Debug, Default)]
pub struct Cursor {
    heads: Vec<Head>,
}

/// What [`Archive::follow`] found.
#[derive(Debug)]
pub struct Followed {
    /// Whether the rows read before are still the first of the archive; otherwise `rows` are all of it.
    pub is_continued: bool,
    /// The rows.
    pub rows: Vec<HistoryRow>,
}

/// Why older rows did not move.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The library cannot be read or written.
    #[error(transparent)]
    Commit(#[from] CommitError<Infallible>),
    /// The file cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl From<Unavailable> for ArchiveError {
    fn from(error: Unavailable) -> Self {
        Self::Commit(CommitError::Unavailable(error))
    }
}

/// The archive of one data directory.
pub struct Archive {
    files: Files,
    path: PathBuf,
    index: Mutex<Index>,
}

impl Archive {
    /// Reads nothing yet.
    pub fn new(files: Files, path: PathBuf) -> Self {
        Self { files, path, index: Mutex::default() }
    }

    /// The newest `limit` rows that are wanted, newest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn newest(
        &self,
        state: &State,
        limit: usize,
        wanted: impl Fn(&HistoryRow) -> bool,
    ) -> Result<Vec<HistoryRow>, DiskError> {
        let here = state.rows::<HistoryRow>().into_iter().rev();
        let mut found: Vec<HistoryRow> = here.filter(&wanted).take(limit).collect();
        for frame in self.frames(state)?.iter().rev() {
            if found.len() >= limit {
                break;
            }
            let rows = self.rows(frame)?.into_iter().rev();
            found.extend(rows.filter(&wanted).take(limit - found.len()));
        }
        Ok(found)
    }

    /// Every row that started at `since` (Unix seconds) or later, in no particular order; rows whose
    /// start cannot be read are left out.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn since(&self, state: &State, since: i64) -> Result<Vec<HistoryRow>, DiskError> {
        let mut rows = state.rows::<HistoryRow>();
        for frame in self.frames(state)?.iter().filter(|frame| frame.head.newest >= since) {
            rows.extend(self.rows(frame)?);
        }
        rows.retain(|row| started(row).is_some_and(|started| started >= since));
        Ok(rows)
    }

    /// All rows, oldest first, as stored.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn all(&self, state: &State) -> Result<Vec<Value>, DiskError> {
        let mut all = Vec::new();
        for frame in &self.frames(state)? {
            all.extend(self.values(frame)?);
        }
        all.extend(section(state).iter().cloned());
        Ok(all)
    }

    /// The archived rows that were not read with this cursor yet, in the order of the archive.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn follow(&self, state: &State, cursor: &mut Cursor) -> Result<Followed, DiskError> {
        let frames = self.frames(state)?;
        let is_same = |(head, frame): (&Head, &Frame)| *head == frame.head;
        let is_continued =
            cursor.heads.len() <= frames.len() && cursor.heads.iter().zip(&frames).all(is_same);
        if !is_continued {
            cursor.heads.clear();
        }
        let mut rows = Vec::new();
        for frame in &frames[cursor.heads.len()..] {
            rows.extend(self.rows(frame)?);
        }
        cursor.heads = frames.into_iter().map(|frame| frame.head).collect();
        Ok(Followed { is_continued, rows })
    }

    /// Totals of the rows of the games that have one of these keys (see [`key`]), or of all rows.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn totals(&self, state: &State, keys: Option<&[String]>) -> Result<Totals, DiskError> {
        self.count(state)?;
        let mut totals = Totals::default();
        let index = self.index();
        match keys {
            Some(keys) => keys.iter().filter_map(|key| index.totals.get(key)),
            None => return Ok(all_totals(&index, state)),
        }
        .for_each(|found| totals.join(*found));
        let is_wanted = |row: &HistoryRow| {
            keys.is_some_and(|keys| keys.iter().any(|wanted| **wanted == *key(row)))
        };
        let here = state.rows::<HistoryRow>();
        here.iter().filter(|row| is_wanted(row)).for_each(|row| totals.add(row));
        Ok(totals)
    }

    /// Moves rows out of the library while it holds more than [`HISTORY_ROWS`]. Returns how many.
    ///
    /// # Errors
    /// [`ArchiveError`]; then the rows are still in the library.
    pub fn move_older(&self, store: &Store) -> Result<usize, ArchiveError> {
        let mut moved = 0;
        loop {
            let state = store.snapshot()?;
            let rows = section(&state);
            if !is_due(&state) {
                return Ok(moved);
            }
            let surplus = (rows.len() - KEPT_ROWS).min(STEP);
            let older = rows[..surplus].to_vec();
            let before = archived(&state);
            self.append(&state, before, &older)?;
            let is_moved = store.commit(|draft| {
                let rows = section(draft.state());
                // A program that changed the file meanwhile, or a restore.
                if archived(draft.state()) != before || !rows.starts_with(&older) {
                    return Ok::<_, Infallible>(false);
                }
                let kept = rows[surplus..].to_vec();
                draft.set_section(HistoryRow::SECTION, Value::Array(kept));
                draft.set_section(SECTION, json!({"rows": before + surplus as u64}));
                Ok(true)
            })?;
            moved += if is_moved { surplus } else { 0 };
        }
    }

    /// Writes rows behind the first `before` ones and makes them durable.
    pub(super) fn append(
        &self,
        state: &State,
        before: u64,
        rows: &[Value],
    ) -> Result<(), DiskError> {
        let mut index = self.index();
        self.read(&mut index)?;
        let kept = index.frames.iter().take_while(|frame| frame.end() <= before).count();
        let last = index.frames[..kept].last();
        let end = last.map_or(0, |frame| frame.offset + frame.len);
        if end < index.len {
            let is_damaged = last.map_or(0, Frame::end) < before;
            if is_damaged || !self.is_still_here(&index.frames[kept..], before, state)? {
                self.keep_aside()?;
            }
            self.files.append_or_create(&self.path)?.truncate(end)?;
            *index = Index::default();
            self.read(&mut index)?;
        }
        let mut bytes = Vec::new();
        let mut from = before;
        for rows in rows.chunks(FRAME_ROWS) {
            push_frame(&mut bytes, from, rows);
            from += rows.len() as u64;
        }
        let mut appender = self.files.append_or_create(&self.path)?;
        appender.append(&bytes)?;
        appender.sync()?;
        let folder = self.path.parent().unwrap_or(&self.path);
        self.files.sync_dir(folder)?;
        self.read(&mut index)
    }

    /// Whether every row of these frames is still in the library: then a crash happened between the write and the
    /// commit.
    fn is_still_here(
        &self,
        frames: &[Frame],
        before: u64,
        state: &State,
    ) -> Result<bool, DiskError> {
        let rows = section(state);
        for frame in frames {
            let at = frame.head.from.checked_sub(before).and_then(|at| usize::try_from(at).ok());
            let here = at.and_then(|at| rows.get(at..)).unwrap_or(&[]);
            if !here.starts_with(&self.values(frame)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Copies the file under a name of its own.
    fn keep_aside(&self) -> Result<(), DiskError> {
        let stamp = Moment::now().unix_micros();
        let aside = self.path.with_extension(format!("archive-{stamp}"));
        log::warn!(
            "the history archive does not fit the library and was copied to {}",
            aside.display()
        );
        self.files.copy(&self.path, &aside)
    }

    /// The frames that count for a state.
    fn frames(&self, state: &State) -> Result<Vec<Frame>, DiskError> {
        let archived = archived(state);
        if archived == 0 {
            return Ok(Vec::new());
        }
        let mut index = self.index();
        self.read(&mut index)?;
        let counts = |frame: &&Frame| frame.end() <= archived;
        Ok(index.frames.iter().filter(counts).cloned().collect())
    }

    /// Adds what is new to the totals.
    fn count(&self, state: &State) -> Result<(), DiskError> {
        let frames = self.frames(state)?;
        let mut index = self.index();
        // A restored library, or an older snapshot, has fewer archived rows.
        if index.counted > archived(state) {
            index.totals.clear();
            index.counted = 0;
        }
        let counted = index.counted;
        drop(index);
        for frame in frames.iter().filter(|frame| frame.head.from >= counted) {
            let rows = self.rows(frame)?;
            let mut index = self.index();
            if frame.head.from < index.counted {
                continue;
            }
            for row in &rows {
                index.totals.entry(key(row).into_owned()).or_default().add(row);
            }
            index.counted = frame.end();
        }
        Ok(())
    }

    /// Reads the heads of the frames that were added to the file.
    fn read(&self, index: &mut Index) -> Result<(), DiskError> {
        let len = self.files.stat(&self.path)?.map_or(0, |found| found.len());
        if len < index.len {
            *index = Index::default();
        }
        if len == index.len {
            return Ok(());
        }
        let bytes = self.files.read_range(&self.path, index.len, len)?;
        let (mut at, mut damaged) = (0, 0_usize);
        while at < bytes.len() {
            if let Some((head, body)) = split_frame(&bytes[at..]) {
                let end = body.end + 1;
                let offset = index.len + at as u64;
                index.frames.push(Frame { offset, len: end as u64, head });
                at += end;
            } else {
                damaged += 1;
                let next = memchr::memchr(b'\n', &bytes[at..]);
                at = next.map_or(bytes.len(), |next| at + next + 1);
            }
        }
        if damaged > 0 {
            log::warn!("parts of the history archive are damaged; the rest is used");
        }
        index.len = len;
        Ok(())
    }

    /// The sessions of a frame. An invalid row is skipped.
    fn rows(&self, frame: &Frame) -> Result<Vec<HistoryRow>, DiskError> {
        let text = self.text(frame)?;
        let rows: Vec<&RawValue> = serde_json::from_slice(&text).unwrap_or_default();
        Ok(rows.iter().filter_map(|row| serde_json::from_str(row.get()).ok()).collect())
    }

    /// The rows of a frame as they are stored.
    fn values(&self, frame: &Frame) -> Result<Vec<Value>, DiskError> {
        Ok(serde_json::from_slice(&self.text(frame)?).unwrap_or_default())
    }

    /// The rows of a frame as JSON; empty when it was damaged after it was found.
    fn text(&self, frame: &Frame) -> Result<Vec<u8>, DiskError> {
        let bytes = self.files.read_range(&self.path, frame.offset, frame.offset + frame.len)?;
        let body = split_frame(&bytes).map(|(_, body)| &bytes[body]);
        Ok(body.and_then(unpack).unwrap_or_default())
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.hold()
    }
}

fn all_totals(index: &Index, state: &State) -> Totals {
    let mut totals = Totals::default();
    index.totals.values().for_each(|found| totals.join(*found));
    state.rows::<HistoryRow>().iter().for_each(|row| totals.add(row));
    totals
}

/// What names the game of a row: its stable id, or `name:` with the name in rows of old libraries.
pub fn key(row: &HistoryRow) -> Cow<'_, str> {
    if row.game_id.is_empty() {
        format!("name:{}", row.game).into()
    } else {
        row.game_id.as_str().into()
    }
}

/// The state with the archived rows back in their section, as a backup holds it.
///
/// # Errors
/// When the file cannot be read.
pub fn whole(files: &Files, path: PathBuf, state: &State) -> Result<State, DiskError> {
    let mut draft = Draft::new(state.clone());
    if archived(state) > 0 {
        let rows = Archive::new(files.clone(), path).all(state)?;
        draft.set_section(HistoryRow::SECTION, Value::Array(rows));
        forget(&mut draft);
    }
    Ok(draft.finish().0)
}

/// Notes that no row of this library is archived. A file with other rows is kept aside when the
/// next rows move.
pub fn forget(draft: &mut Draft) {
    draft.set_section(SECTION, json!({"rows": 0}));
}

/// Whether the library holds more rows than it keeps.
pub fn is_due(state: &State) -> bool {
    section(state).len() > HISTORY_ROWS
}

pub(super) fn section(state: &State) -> &[Value] {
    state.section(HistoryRow::SECTION).as_array().map_or(&[], Vec::as_slice)
}

/// How many rows of a library are archived.
pub(super) fn archived(state: &State) -> u64 {
    state.section(SECTION)["rows"].as_u64().unwrap_or(0)
}

fn started(row: &HistoryRow) -> Option<i64> {
    Moment::parse(&row.started).map(|started| started.unix_seconds())
}

fn push_frame(bytes: &mut Vec<u8>, from: u64, rows: &[Value]) {
    let newest = rows.iter().filter_map(|row| started(&HistoryRow::deserialize(row).ok()?));
    let newest = newest.max().unwrap_or(i64::MIN);
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
    // OK because writing to memory does not fail and a list of values is always written.
    drop(packer.write_all(&serde_json::to_vec(rows).unwrap_or_default()));
    let body = packer.finish().unwrap_or_default();
    let head = Head { from, rows: rows.len() as u64, newest, size: body.len() as u64 };
    let head = serde_json::to_string(&head).unwrap_or_default();
    bytes.extend(format!("{:08x} {head}\n", crc32(&[head.as_bytes(), &body])).into_bytes());
    bytes.extend(body);
    bytes.push(b'\n');
}

/// The head and the place of the body of an intact frame at the beginning of `bytes`.
fn split_frame(bytes: &[u8]) -> Option<(Head, std::ops::Range<usize>)> {
    let line = memchr::memchr(b'\n', bytes)?;
    let (sum, text) = bytes[..line].split_at_checked(9)?;
    let sum = u32::from_str_radix(std::str::from_utf8(&sum[..8]).ok()?, 16).ok()?;
    let head: Head = serde_json::from_slice(text).ok()?;
    let body = line + 1..(line + 1).checked_add(usize::try_from(head.size).ok()?)?;
    let is_whole = bytes.get(body.end) == Some(&b'\n');
    (is_whole && crc32(&[text, &bytes[body.clone()]]) == sum).then_some((head, body))
}

fn unpack(body: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    DeflateDecoder::new(body).take(UNPACKED).read_to_end(&mut text).ok()?;
    Some(text)
}
