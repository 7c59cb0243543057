//! The commits that stand in the log, read again for a scribe that was not told of them.

use super::{
    error::Unavailable,
    line::{self, Line},
    load::optional,
    options::Paths,
};
use crate::{files::writer::Files, model::draft::Op};

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

/// Hands out the commits after one revision up to another, in order. Returns the last revision up to
/// which the log knows everything; `None`, with nothing handed out, when it does not go back that far,
/// belongs to another library or is damaged.
///
/// Reads the file without a lock of the store. A line that is still being written is newer than any
/// revision that was told of.
///
/// # Errors
/// When the log cannot be read, or with what `each` refuses.
pub fn read_past<E: From<Unavailable>>(
    files: &Files,
    paths: &Paths,
    lineage: &str,
    after: u64,
    up_to: u64,
    mut each: impl FnMut(Past) -> Result<(), E>,
) -> Result<Option<u64>, E> {
    if after >= up_to {
        return Ok(Some(after));
    }
    let log = optional(files.read(&paths.log))?.unwrap_or_default();
    let (lines, _) = line::split(&log);
    let Some(header) = lines.first().and_then(Line::header) else { return Ok(None) };
    let wanted: Option<Vec<(u64, &Line<'_>)>> = lines[1..]
        .iter()
        .map(|line| Some((line.revision(lineage)?, line)))
        .take_while(|known| known.is_none_or(|(revision, _)| revision <= up_to))
        .collect();
    let Some(wanted) = wanted.filter(|_| header.lineage == lineage && header.after <= after) else {
        return Ok(None);
    };
    let last = wanted.last().map_or(header.after, |(revision, _)| *revision);
    for (revision, line) in wanted.into_iter().filter(|(revision, _)| *revision > after) {
        // OK because the checksum of the line is sound, so this build or an older one wrote it.
        let Some((at, ops)) = line.commit() else { continue };
        each(Past { revision, at, ops })?;
    }
    Ok(Some(last.max(after)))
}
