//! A library file that another program changed is loaded before the next request is answered.

use std::sync::{Arc, MutexGuard, TryLockError, atomic::Ordering};

use super::{
    error::Unavailable,
    journal::{Journal, Mark, Signature},
    load::{LoadReport, Loaded, LogFit, load},
    options::Options,
    rebase::Aside,
    recovery::Source,
    render::write_library,
    shared::{Current, Shared, Unwritten, Writer},
    snapshots,
};
use crate::{base::Hold as _, files::DiskError, model::State};

impl Shared {
    /// The durable state, after a check of the file.
    pub(super) fn snapshot(&self) -> Result<Arc<State>, Unavailable> {
        {
            let current = self.current();
            if self.is_familiar(&current) {
                return current.state.clone();
            }
        }
        self.refresh();
        self.current().state.clone()
    }

    /// Loads a changed file, and rewrites everything when the log was given up.
    pub(super) fn refresh(&self) {
        if self.is_settled() {
            return;
        }
        let file = self.file_lock();
        self.refresh_holding(&file);
        drop(file);
        self.deliveries.deliver();
    }

    /// As [`Shared::refresh`], for the holder of the file lock.
    pub(super) fn refresh_holding(&self, _file: &MutexGuard<'_, ()>) {
        if self.is_settled() {
            return;
        }
        let mut writer = self.quiet();
        if matches!(writer.tip, Err(Unavailable::Closed)) {
            return;
        }
        let familiar = self.is_familiar(&self.current());
        if !familiar {
            self.take_over(&mut writer);
        }
        if let Err(error) = self.check_log() {
            log::error!("the library log is rewritten: {error}");
            let is_there = self.options.files.stat(&self.options.paths.log);
            let keep_log = is_there.is_ok_and(|stat| stat.is_some_and(|stat| stat.is_file()));
            writer.unwritten = Some(Unwritten { keep_log });
            self.give_up_log(&mut writer, error);
        }
        self.write_unsettled(&mut writer);
    }

    /// Whether library file and log are as they were left, and nothing must be rewritten.
    fn is_settled(&self) -> bool {
        let familiar = self.is_familiar(&self.current());
        familiar && !self.unsettled.load(Ordering::Acquire) && self.check_log().is_ok()
    }

    /// Whether the log can be appended to. One that is being written to is checked by its writer; several
    /// threads can check it at once.
    pub(super) fn check_log(&self) -> Result<(), DiskError> {
        let journal = match self.journal.try_read() {
            Ok(journal) => journal,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        journal.as_ref().map_or(Ok(()), Journal::check)
    }

    /// Rewrites everything where that is due.
    fn write_unsettled(&self, writer: &mut Writer) {
        let Ok(state) = writer.tip.clone() else { return };
        let kept = match (writer.unwritten, &writer.broken) {
            (None, None) => return,
            (Some(Unwritten { keep_log: true }), _) => self.keep_log_aside(),
            _ => Ok(()),
        };
        let lineage = Some(writer.lineage.to_string()).filter(|text| !text.is_empty());
        let written = kept
            .and_then(|()| self.rebase(writer, State::clone(&state), lineage, &Aside::Snapshot));
        if let Err(error) = written {
            log::error!("the library could not be rewritten: {error}");
            self.give_up_log(writer, error);
        }
    }

    /// Whether the file is the one that was seen last. A file that cannot be examined just now is
    /// no reason to doubt the state in memory.
    fn is_familiar(&self, current: &Current) -> bool {
        let Some(signature) = current.signature else { return false };
        let seen = match self.options.files.stat(&self.options.paths.library) {
            Ok(stat) => Signature::of(stat.as_ref()),
            Err(_) => return true,
        };
        seen == signature || Some(seen) == current.incoming
    }

    fn take_over(&self, writer: &mut Writer) {
        let Options { files, paths, .. } = &self.options;
        let seen = files.stat(&paths.library).ok().map(|stat| Signature::of(stat.as_ref()));
        if seen == Some(Signature::Missing) && writer.tip.is_ok() {
            log::warn!("the library file was removed; it is written again");
            self.current_mut().signature = seen;
            writer.stale = true;
            self.pace.needed();
            return;
        }
        let before = writer.tip.clone();
        match load(files, paths, writer.folded.revision) {
            Ok(mut loaded) => {
                log::warn!(
                    "the library file was changed by another program; it has been read again"
                );
                loaded.edited = true;
                let known = before.as_ref().ok().map(|state| (&**state, &*writer.lineage));
                self.keep_before(&loaded.state, known);
                self.adopt(writer, loaded);
            }
            Err(reason) => {
                log::error!("{reason}");
                let readable = !matches!(reason, Unavailable::Unreadable(_));
                let mut current = self.current_mut();
                current.state = Err(reason.clone());
                current.signature = seen.filter(|_| readable);
                drop(current);
                *self.journal() = None;
                writer.unwritten = None;
                writer.tip = Err(reason);
            }
        }
        if let Ok(after) = writer.tip.clone() {
            let before = before.unwrap_or_default();
            self.tell_replaced(&writer.lineage, before, after);
        }
    }

    /// Makes a loaded library the state, and gets the log ready for the next commit.
    pub(super) fn adopt(&self, writer: &mut Writer, loaded: Loaded) {
        let Loaded { mut state, lineage, signature, file_revision, log, stale, edited, .. } =
            loaded;
        self.note(loaded.report);
        writer.last_revision = writer.last_revision.max(loaded.last_revision);
        if edited {
            // A cache of the state before must not mistake this one for it.
            writer.last_revision += 1;
            state.revision = writer.last_revision;
        }
        let state = Arc::new(state);
        writer.tip = Ok(Arc::clone(&state));
        writer.stale = stale || edited;
        writer.spliced |= edited;
        writer.folded = Mark { revision: file_revision, newer_at: 0 };
        {
            let mut current = self.current_mut();
            current.state = Ok(Arc::clone(&state));
            current.signature = Some(signature);
        }
        let Options { files, paths, .. } = &self.options;
        let lacking =
            if let LogFit::Keep { len, newer_at, .. } = &log { len - newer_at } else { 0 };
        self.pace.loaded(signature.size(), lacking);
        match log {
            LogFit::Keep { len, newer_at, begins } => {
                writer.lineage = lineage.unwrap_or_default().into();
                writer.durable_len = len;
                writer.folded.newer_at = newer_at;
                writer.begins = begins;
                let opened = files
                    .append(&paths.log)
                    .and_then(|file| Journal::open(files, paths.log.clone(), file, len));
                match opened {
                    Ok(journal) => self.settle_log(writer, journal),
                    Err(error) => self.give_up_log(writer, error),
                }
            }
            LogFit::Renew { keep_aside } => {
                let is_fresh = lineage.is_none() && signature == Signature::Missing;
                writer.lineage = lineage.unwrap_or_default().into();
                writer.unwritten = Some(Unwritten { keep_log: keep_aside });
                self.unsettled.store(true, Ordering::Release);
                *self.journal() = None;
                // Readers need not wait for a large library to be written; its first change does.
                if is_fresh {
                    self.write_unsettled(writer);
                }
            }
        }
        if writer.stale || writer.unwritten.is_some() {
            self.pace.needed();
        }
    }

    /// Keeps the state before a change by another program as a snapshot, unless the change left it as
    /// it was. Where there is none in memory, the backup and the log make it.
    pub(super) fn keep_before(&self, after: &State, before: Option<(&State, &str)>) {
        let Options { files, paths, .. } = &self.options;
        let (state, lineage) = match before {
            Some((state, lineage)) => (state.clone(), lineage.to_owned()),
            None => match self.recovered(&Source::Backup) {
                Ok((state, lineage, _)) => (state, lineage.unwrap_or_default()),
                Err(_) => return,
            },
        };
        if holds_the_same(&state, after) {
            return;
        }
        let kept = files.private_dir(&paths.snapshots).and_then(|()| {
            let name = snapshots::next_name(&self.options, state.revision)?;
            let content = |sink: &mut dyn std::io::Write| write_library(&state, &lineage, sink);
            files.replace_with(&paths.snapshots.join(name), content)
        });
        if let Err(error) = kept {
            log::error!("the library before the change was not kept: {error}");
        }
    }

    fn note(&self, report: LoadReport) {
        if report.damaged_lines > 0 {
            log::error!("{} damaged lines of the library log were skipped", report.damaged_lines);
        }
        if report.foreign_log {
            log::warn!("the library log belongs to another library; it was set aside");
        }
        if report.from_backup {
            log::warn!("the library file is missing; its backup and the log stand in for it");
        }
        log::info!("library loaded: {report:?}");
        *self.report.hold() = report;
    }

    fn keep_log_aside(&self) -> Result<(), DiskError> {
        let Options { files, paths, .. } = &self.options;
        files.copy(&paths.log, &paths.folder.join(self.aside_name("library.log.torn")))
    }
}

/// Whether two states hold the same games in the same order and the same sections.
fn holds_the_same(one: &State, other: &State) -> bool {
    one.games.len() == other.games.len()
        && one.games.iter().zip(other.games.iter()).all(|(one, other)| one.json() == other.json())
        && one.sections().eq(other.sections())
}
