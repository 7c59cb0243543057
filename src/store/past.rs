//! The commits in the log, read again for a scribe that missed them.
//!
//! Reads without a lock of the store. A line that is still being written is newer than any revision that was announced,
//! and a scribe that is behind keeps the lines it needs in the log.

use std::ops::RangeInclusive;

use super::{
    document::{optional, read_file},
    error::Unavailable,
    line::{self, Line},
    options::Paths,
};
use crate::{
    files::Files,
    model::{Op, State, draft},
};

/// One commit of the log.
#[derive(Debug)]
pub struct Past {
    /// The revision it made.
    pub revision: u64,
    /// When it was made, in microseconds since the Unix epoch; older versions wrote no time.
    pub at: Option<i64>,
    /// What it did.
    pub ops: Vec<Op>,
}

/// The library as it was after a commit of the log, or where the log begins.
pub struct Seen<'a> {
    /// All of it.
    pub state: &'a State,
    /// When the commit was made, as in [`Past`]; where the log begins, when the next one was.
    pub at: Option<i64>,
    /// What the commit did; nothing where the log begins.
    pub ops: &'a [Op],
}

/// How much the log knows of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Every revision, and all of them were returned.
    All,
    /// Not every one: a line is damaged, a commit failed, or a library was put in place in between. The present ones
    /// were returned.
    Some,
    /// It does not go back that far, or belongs to another library. Nothing was returned.
    Nothing,
}

/// Hands out the commits after one revision up to another, in order.
///
/// # Errors
/// When the log cannot be read, or with what `each` refuses.
pub fn read_past<E: From<Unavailable>>(
    files: &Files,
    paths: &Paths,
    lineage: &str,
    (after, up_to): (u64, u64),
    mut each: impl FnMut(Past) -> Result<(), E>,
) -> Result<Known, E> {
    if after == up_to {
        return Ok(Known::All);
    }
    let log = optional(files.read(&paths.log))?.unwrap_or_default();
    let (lines, _) = line::split(&log);
    let header = lines.first().and_then(Line::header);
    let reaches = |header: line::Header| header.lineage == lineage && header.after <= after;
    if after > up_to || !header.is_some_and(reaches) {
        return Ok(Known::Nothing);
    }
    let mut commits = Commits::between(&lines[1..], lineage, (after, up_to));
    for past in &mut commits {
        each(past)?;
    }
    Ok(commits.known())
}

/// Whether a commit that the log still holds, after one revision and up to another, did a certain thing.
///
/// # Errors
/// When the log cannot be read.
pub fn has_op(
    files: &Files,
    paths: &Paths,
    lineage: &str,
    revisions: (u64, u64),
    is_it: impl Fn(&Op) -> bool,
) -> Result<bool, Unavailable> {
    let log = optional(files.read(&paths.log))?.unwrap_or_default();
    let (lines, _) = line::split(&log);
    Ok(Commits::between(&lines, lineage, revisions).any(|past| past.ops.iter().any(&is_it)))
}

/// Hands out the library where its log begins and as each commit up to a revision left it, in order.
///
/// # Errors
/// When a file of the library cannot be read, or with what `each` refuses.
pub fn read_states<E: From<Unavailable>>(
    files: &Files,
    paths: &Paths,
    lineage: &str,
    up_to: u64,
    mut each: impl FnMut(Seen<'_>) -> Result<(), E>,
) -> Result<Known, E> {
    let log = optional(files.read(&paths.log))?.unwrap_or_default();
    let (lines, _) = line::split(&log);
    let header = lines.first().and_then(Line::header);
    // Lines know their lineage themselves; a log that lost its head begins at the backup all the same.
    let is_its = header.as_ref().is_none_or(|header| header.lineage == lineage);
    let begins = header.as_ref().map_or(0, |header| header.after);
    let is_new = |line: &Line<'_>| line.revision(lineage).is_some_and(|it| it > begins);
    if lineage.is_empty() || !is_its || !lines.iter().any(is_new) {
        return Ok(Known::Nothing);
    }
    let Some(mut state) = first_state(files, paths, lineage, &(begins..=up_to))? else {
        return Ok(Known::Nothing);
    };
    let body = &lines[usize::from(header.is_some())..];
    let mut commits = Commits::between(body, lineage, (state.revision, up_to));
    let mut next = commits.next();
    each(Seen { state: &state, at: next.as_ref().and_then(|past| past.at), ops: &[] })?;
    while let Some(Past { revision, at, ops }) = next {
        for op in &ops {
            draft::apply(&mut state, op.clone());
        }
        state.revision = revision;
        each(Seen { state: &state, at, ops: &ops })?;
        next = commits.next();
    }
    Ok(commits.known())
}

/// The oldest library of a lineage that stands on the disk with one of these revisions.
fn first_state(
    files: &Files,
    paths: &Paths,
    lineage: &str,
    revisions: &RangeInclusive<u64>,
) -> Result<Option<State>, Unavailable> {
    for path in [&paths.backup, &paths.library] {
        let Some(mut file) = optional(files.open(path))? else { continue };
        let read = read_file(&mut file);
        let document = read.map_err(|error| Unavailable::Unreadable(error.reason()))?;
        // OK because a damaged file is skipped here: the store reports it.
        let Ok(document) = document else { continue };
        let is_its = document.lineage.as_deref() == Some(lineage);
        if is_its && revisions.contains(&document.state.revision) {
            return Ok(Some(document.state));
        }
    }
    Ok(None)
}

/// The intact lines of a lineage between two revisions, as commits.
struct Commits<'a> {
    lines: std::slice::Iter<'a, Line<'a>>,
    lineage: &'a str,
    /// The revision that was returned last.
    last: u64,
    up_to: u64,
    is_whole: bool,
}

impl<'a> Commits<'a> {
    fn between(lines: &'a [Line<'a>], lineage: &'a str, (after, up_to): (u64, u64)) -> Self {
        Self { lines: lines.iter(), lineage, last: after, up_to, is_whole: true }
    }

    /// Whether everything was returned, when nothing is left.
    fn known(&self) -> Known {
        if self.is_whole && self.last == self.up_to { Known::All } else { Known::Some }
    }
}

impl Iterator for Commits<'_> {
    type Item = Past;

    fn next(&mut self) -> Option<Past> {
        for line in self.lines.by_ref() {
            let revision = line.revision(self.lineage);
            if revision.is_some_and(|revision| revision <= self.last) {
                continue;
            }
            if revision.is_some_and(|revision| revision > self.up_to) {
                break;
            }
            let Some((revision, (at, ops))) = revision.zip(line.commit()) else {
                self.is_whole = false;
                continue;
            };
            self.is_whole &= revision == self.last + 1;
            self.last = revision;
            return Some(Past { revision, at, ops });
        }
        None
    }
}
