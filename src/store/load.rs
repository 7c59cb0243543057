//! The library file and the log together as the newest state.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value};

use super::{
    document::{Document, optional, read_document, read_file},
    error::Unavailable,
    journal::{Mark, Signature},
    line::{self, Line},
    options::Paths,
    past, snapshots,
};
use crate::{
    files::{DiskError, Files},
    model::{Game, Op, Record, State, draft},
};

/// What a load found, written to the program's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Commits that stood in the log only.
    pub replayed: usize,
    /// Whole lines of the log that were damaged and skipped.
    pub damaged_lines: usize,
    /// Bytes of a last line that was never finished.
    pub unfinished_bytes: usize,
    /// Games and sections that were repaired.
    pub repairs: usize,
    /// Whether the library file was missing and its backup stood in.
    pub from_backup: bool,
    /// Whether the log belonged to another library and was set aside.
    pub foreign_log: bool,
}

/// A loaded library.
pub(super) struct Loaded {
    pub(super) state: State,
    pub(super) lineage: Option<String>,
    pub(super) signature: Signature,
    /// The revision of the library file itself, before the log was laid over it.
    pub(super) file_revision: u64,
    /// The highest revision that was seen anywhere.
    pub(super) last_revision: u64,
    pub(super) log: LogFit,
    /// Whether the library file should be rewritten soon.
    pub(super) stale: bool,
    /// Whether the file is not the one this program wrote last.
    pub(super) edited: bool,
    pub(super) report: LoadReport,
}

/// What happens to the log on the disk.
pub(super) enum LogFit {
    /// It goes on: its good length, where the lines newer than the library file begin, and where the
    /// first line is with the revision before it.
    Keep { len: u64, newer_at: u64, begins: Mark },
    /// Everything is rewritten; the old log is kept aside first when it may hold something.
    Renew { keep_aside: bool },
}

/// Loads the newest state. A fresh data directory is an empty library without a lineage.
///
/// `folded` is the revision of the library file that was last known to stand there. A file that is
/// older than that, or than the log records, is an old copy that the user restored: it is loaded, and
/// the log is set aside.
pub(super) fn load(files: &Files, paths: &Paths, folded: u64) -> Result<Loaded, Unavailable> {
    let unreadable = |error: DiskError| Unavailable::Unreadable(error.reason());
    let signature = Signature::of(files.stat(&paths.library).map_err(unreadable)?.as_ref());
    let mut from_backup = false;
    let mut library = optional(files.open(&paths.library))?;
    if library.is_none() {
        library = optional(files.open(&paths.backup))?;
        from_backup = library.is_some();
    }
    let document = library.as_mut().map(read_file).transpose().map_err(unreadable)?;
    let log = optional(files.read(&paths.log))?;
    let document = match document.transpose()? {
        Some(document) => document,
        None if was_there(files, paths, log.as_deref())? => return Err(Unavailable::Missing),
        None => beginning(log.as_deref()),
    };
    let header = log.as_deref().and_then(|log| line::split(log).0.first().and_then(Line::header));
    let edited = header.as_ref().is_some_and(|header| header.base != signature.to_string());
    let newest = header.map_or(0, |header| header.folded).max(folded);
    let theirs = edited.then(|| document.state.clone());
    let mut loaded = if edited && !from_backup && document.state.revision < newest {
        let document = Document { lineage: None, ..document };
        lay_over(document, log.as_deref())
    } else {
        lay_over(document, log.as_deref())
    };
    if let Some(theirs) = theirs.filter(|_| loaded.report.replayed > 0) {
        loaded.join(files, paths, &theirs)?;
    }
    loaded.last_revision = loaded.last_revision.max(newest);
    loaded.edited = edited;
    loaded.signature = signature;
    loaded.report.from_backup = from_backup;
    loaded.stale |= signature == Signature::Missing;
    Ok(loaded)
}

/// Whether the files next to a missing library file and backup show that there was a library. Only the log
/// of an unchanged library does not.
fn was_there(files: &Files, paths: &Paths, log: Option<&[u8]>) -> Result<bool, Unavailable> {
    let has_changes = log.filter(|log| !log.is_empty()).is_some_and(|log| {
        let (lines, whole) = line::split(log);
        let header = lines.first().and_then(Line::header);
        header.is_none_or(|header| header.after > 0) || lines.len() > 1 || whole < log.len()
    });
    let names = snapshots::names_in(files, paths);
    let names = names.map_err(|error| Unavailable::Unreadable(error.reason()))?;
    Ok(has_changes || !names.is_empty())
}

/// The empty library that a log without any library file begins with; all of what was there when the log
/// begins with the first revision.
pub(super) fn beginning(log: Option<&[u8]>) -> Document {
    let header = log.and_then(|log| line::split(log).0.first().and_then(Line::header));
    // OK because this text is a library.
    let empty = read_document(b"{\"schema_version\":6,\"games\":[]}").expect("an empty library");
    let mut empty = Document { repairs: 0, ..empty };
    if let Some(header) = header {
        empty.state.revision = header.after;
        empty.lineage = Some(header.lineage);
    }
    empty
}

/// Lays the lines of a log that are newer than the document over it.
pub(super) fn lay_over(document: Document, log: Option<&[u8]>) -> Loaded {
    let Document { state, lineage, current, repairs } = document;
    let mut loaded = Loaded {
        file_revision: state.revision,
        last_revision: state.revision,
        state,
        lineage,
        signature: Signature::Missing,
        log: LogFit::Renew { keep_aside: false },
        stale: repairs > 0,
        edited: false,
        report: LoadReport { repairs, ..LoadReport::default() },
    };
    if let Some(log) = log {
        loaded.log = loaded.replay(log);
    }
    if !current {
        let keep_aside = matches!(loaded.log, LogFit::Renew { keep_aside: true });
        loaded.log = LogFit::Renew { keep_aside };
    }
    loaded
}

impl Loaded {
    /// Joins an edited file with the lines that were laid over it. Where both changed the same thing,
    /// everything is rewritten, which keeps the edited file as a snapshot.
    fn join(&mut self, files: &Files, paths: &Paths, theirs: &State) -> Result<(), Unavailable> {
        let Some(lineage) = &self.lineage else { return Ok(()) };
        let mut base = None;
        past::read_states(files, paths, lineage, theirs.revision, |seen| {
            base = Some(seen.state.clone());
            Ok::<(), Unavailable>(())
        })?;
        let both = base.map_or(0, |base| join(&base, theirs, &mut self.state));
        if both > 0 {
            log::warn!(
                "{both} games and sections were changed in the library file and by changes that were not in \
                 it yet; they were joined, and both states are kept as snapshots"
            );
            let keep_aside = matches!(self.log, LogFit::Renew { keep_aside: true });
            self.log = LogFit::Renew { keep_aside };
        }
        Ok(())
    }

    fn replay(&mut self, log: &[u8]) -> LogFit {
        let (lines, whole) = line::split(log);
        self.report.unfinished_bytes = log.len() - whole;
        let header = lines.first().and_then(Line::header);
        let lineage = self.lineage.as_deref().unwrap_or("");
        let body = lines.get(usize::from(header.is_some())..).unwrap_or(&[]);
        let intact: Vec<(u64, &Line<'_>)> =
            body.iter().filter_map(|line| Some((line.revision(lineage)?, line))).collect();
        let base = self.state.revision;
        let ours = header
            .as_ref()
            .map_or(!intact.is_empty(), |header| header.lineage == lineage && header.after <= base);
        if lineage.is_empty() || !ours {
            // Its revisions were given out all the same; they are not given out again.
            if let Some(header) = &header {
                let given = body.iter().filter_map(|line| line.revision(&header.lineage));
                self.last_revision = given.fold(self.last_revision.max(header.after), u64::max);
            }
            self.report.foreign_log = !body.is_empty();
            return LogFit::Renew { keep_aside: !body.is_empty() };
        }
        let mut damaged = body.len() - intact.len();
        let mut newer_at = whole;
        for (revision, line) in intact.into_iter().filter(|(revision, _)| *revision > base).rev() {
            newer_at = line.offset;
            self.last_revision = self.last_revision.max(revision);
        }
        for line in body.iter().filter(|line| line.offset >= newer_at) {
            let Some(revision) = line.revision(lineage).filter(|it| *it > base) else { continue };
            let Some(ops) = line.ops() else {
                damaged += 1;
                continue;
            };
            for op in ops {
                draft::apply(&mut self.state, op);
            }
            self.state.revision = revision;
            self.report.replayed += 1;
        }
        self.stale |= self.report.replayed > 0;
        self.report.damaged_lines = damaged;
        if damaged > 0 {
            return LogFit::Renew { keep_aside: true };
        }
        let first = body.first().map_or(whole, |line| line.offset);
        let begins =
            Mark { revision: header.map_or(base, |header| header.after), newer_at: first as u64 };
        LogFit::Keep { len: whole as u64, newer_at: newer_at as u64, begins }
    }
}

// An edit by another program and changes that wait in the log, joined field by field. The log holds whole
// records, so replaying it over an edited file would undo the edit of every record that it changes. The library that
// the edit began with shows which fields were changed there. Those win: the edit is newer than every line of the log,
// because a commit takes over an edited file first.

/// Joins `ours`, the edited library with the log laid over it, with what the edit changed in the same
/// places. Returns how many games and sections were changed on both sides.
///
/// `base` is the library before both. A game or list that cannot be joined stays as the log has it.
fn join(base: &State, theirs: &State, ours: &mut State) -> usize {
    let (mut both, mut ops) = (0, Vec::new());
    for game in ours.games.iter() {
        let Some((_, before)) = base.games.find(game.id()) else { continue };
        match theirs.games.find(game.id()) {
            // Replaying leaves what it does not touch where it is.
            Some((_, edited)) if Arc::ptr_eq(edited, game) || edited.json() == before.json() => {}
            Some((_, edited)) => {
                both += 1;
                let joined = join_fields(&before.record().0, &game.record().0, &edited.record().0);
                ops.push(Op::Put(Game::seal(&Record(joined))));
            }
            None => both += 1,
        }
    }
    for (key, value) in ours.sections() {
        let (before, edited) = (base.section(key), theirs.section(key));
        if edited == before || edited == &**value {
            continue;
        }
        both += 1;
        if let (Some(before), Some(ours), Some(edited)) =
            (before.as_object(), value.as_object(), edited.as_object())
        {
            let joined = join_fields(before, ours, edited);
            ops.push(Op::Section(key.to_owned(), Value::Object(joined)));
        }
    }
    for op in ops {
        draft::apply(ours, op);
    }
    both
}

fn join_fields(
    before: &Map<String, Value>,
    ours: &Map<String, Value>,
    edited: &Map<String, Value>,
) -> Map<String, Value> {
    let keys: BTreeSet<&String> = ours.keys().chain(edited.keys()).collect();
    let join = |key: &String| {
        let (was, here, there) = (before.get(key), ours.get(key), edited.get(key));
        let value = match (was, here, there) {
            _ if there == was => here.cloned(),
            (Some(Value::Object(was)), Some(Value::Object(here)), Some(Value::Object(there))) => {
                Some(Value::Object(join_fields(was, here, there)))
            }
            _ => there.cloned(),
        };
        Some((key.clone(), value?))
    };
    keys.into_iter().filter_map(join).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(before: &Value, ours: &Value, edited: &Value, expected: &Value) {
        let object = |value: &Value| value.as_object().cloned().expect("an object");
        let joined = join_fields(&object(before), &object(ours), &object(edited));
        assert_eq!(&Value::Object(joined), expected);
    }

    #[test]
    fn each_side_keeps_its_fields_and_the_edit_wins_where_both_changed() {
        check(
            &json!({"same": 1, "ours": 1, "edited": 1, "both": 1, "gone": 1, "removed": 1}),
            &json!({"same": 1, "ours": 2, "edited": 1, "both": 2, "gone": 1, "new": 2}),
            &json!({"same": 1, "ours": 1, "edited": 3, "both": 3, "removed": 1, "other": 3}),
            &json!({"same": 1, "ours": 2, "edited": 3, "both": 3, "new": 2, "other": 3}),
        );
        check(
            &json!({"inner": {"a": 1, "b": 1}}),
            &json!({"inner": {"a": 2, "b": 1}}),
            &json!({"inner": {"a": 1, "b": 3}}),
            &json!({"inner": {"a": 2, "b": 3}}),
        );
    }
}
