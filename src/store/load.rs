//! The library file and the log together as the newest state.

use super::{
    document::{Document, read_document, read_file},
    error::Unavailable,
    line::{self, Line},
    options::Paths,
    shared::Mark,
    signature::Signature,
};
use crate::{
    files::{error::DiskError, writer::Files},
    model::{draft, state::State},
};

/// What a load found, told in the program's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Commits that stood in the log only.
    pub replayed: usize,
    /// Whole lines of the log that were damaged and passed over.
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
    /// Whether the library file should be written anew soon.
    pub(super) stale: bool,
    /// Whether the file is not the one this program wrote last.
    pub(super) edited: bool,
    pub(super) report: LoadReport,
}

/// What becomes of the log on the disk.
pub(super) enum LogFit {
    /// It goes on: its good length, where the lines newer than the library file begin, and where the
    /// first line is with the revision before it.
    Keep { len: u64, newer_at: u64, begins: Mark },
    /// Everything is written anew; the old log is kept aside first when it may hold something.
    Renew { keep_aside: bool },
}

/// Loads the newest state. A fresh data directory is an empty library without a lineage.
///
/// `folded` is the revision of the library file that was last known to stand there. A file that is
/// older than that, or than the log says, is an old copy put back by somebody: it is what they get,
/// and the log is set aside.
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
    let document = document.transpose()?.unwrap_or_else(|| beginning(log.as_deref()));
    let header = log.as_deref().and_then(|log| line::split(log).0.first().and_then(Line::header));
    let edited = header.as_ref().is_some_and(|header| header.base != signature.to_string());
    let newest = header.map_or(0, |header| header.folded).max(folded);
    let mut loaded = if edited && !from_backup && document.state.revision < newest {
        let document = Document { lineage: None, ..document };
        lay_over(document, log.as_deref())
    } else {
        lay_over(document, log.as_deref())
    };
    loaded.last_revision = loaded.last_revision.max(newest);
    loaded.edited = edited;
    loaded.signature = signature;
    loaded.report.from_backup = from_backup;
    loaded.stale |= signature == Signature::Missing;
    Ok(loaded)
}

/// A file, or its bytes; `None` when it is missing.
pub(super) fn optional<T>(outcome: Result<T, DiskError>) -> Result<Option<T>, Unavailable> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(Unavailable::Unreadable(error.reason())),
    }
}

/// The empty library that a log without any library file began with.
pub(super) fn beginning(log: Option<&[u8]>) -> Document {
    let header = log.and_then(|log| line::split(log).0.first().and_then(Line::header));
    let lineage = header.filter(|header| header.after == 0).map(|header| header.lineage);
    // OK because this text is a library.
    let empty = read_document(b"{\"schema_version\":6,\"games\":[]}").expect("an empty library");
    Document { lineage, repairs: 0, ..empty }
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
