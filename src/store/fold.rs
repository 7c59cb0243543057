//! The library file rewritten while commits go on.
//!
//! The steps, each of which leaves a loadable library behind:
//! 1. the newest durable state is written to a temporary file;
//! 2. that file and the library file swap names, and what came out is checked to be the file that
//!    was expected; a file changed by another program is put back and taken over first;
//! 3. what came out becomes the backup, unless the scribe still needs the lines above the old one;
//! 4. the names are made durable;
//! 5. a log without the lines the new backup holds takes the place of the old one.
//!
//! The backup is never a second name of the library file, so damage done to one in place does not
//! reach the other. On file systems that cannot swap names the backup is a copy.

use std::{io, sync::Arc};

use super::{
    error::FoldError,
    journal::{Journal, Mark, Signature},
    line::{Header, write_header},
    options::Options,
    render::write_library,
    shared::Shared,
    snapshots,
};
use crate::{
    files::{DiskError, temp::Temp},
    model::State,
};

/// Bytes of the log that are copied at once.
const PIECE: u64 = 1 << 20;

/// What one fold starts from.
struct Plan {
    state: Arc<State>,
    lineage: Arc<str>,
    /// The library file that is replaced.
    expected: Signature,
    /// What that file holds.
    replaced: Mark,
    /// What the new file will hold.
    written: Mark,
}

/// Where the old library file is after the new one took its place.
#[derive(PartialEq)]
enum CameOut {
    /// It now has the temporary name.
    Beside,
    /// The file system cannot swap names; it was copied to the backup.
    Copied,
    /// There was none.
    Nothing,
}

/// How the exchange of the log failed.
enum LogLoss {
    /// The old log goes on.
    Kept(DiskError),
    /// It is unknown which log the disk will show after a crash.
    Lost(DiskError),
}

impl Shared {
    /// Rewrites the library file when it is behind. Returns whether it did.
    pub(super) fn fold(&self) -> Result<bool, FoldError> {
        let file = self.file_lock();
        self.refresh_holding(&file);
        let outcome = match self.plan_fold() {
            Ok(Some(plan)) => self.carry_out(&plan).map(|()| true),
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        drop(file);
        self.deliveries.deliver();
        outcome
    }

    fn plan_fold(&self) -> Result<Option<Plan>, FoldError> {
        let writer = self.writer();
        if let Err(reason) = &writer.tip {
            return Err(reason.clone().into());
        }
        if let Some(error) = &writer.broken {
            return Err(error.again().into());
        }
        let current = self.current();
        let state = current.state.clone()?;
        let expected = current.signature.ok_or(FoldError::Foreign)?;
        let behind = state.revision != writer.folded.revision || writer.stale;
        Ok(behind.then(|| Plan {
            written: Mark { revision: state.revision, newer_at: writer.durable_len },
            state,
            lineage: Arc::clone(&writer.lineage),
            expected,
            replaced: writer.folded,
        }))
    }

    fn carry_out(&self, plan: &Plan) -> Result<(), FoldError> {
        let Options { files, paths, .. } = &self.options;
        let content = |sink: &mut dyn io::Write| write_library(&plan.state, &plan.lineage, sink);
        let mut temp = files.write_beside(&paths.library, content)?;
        let signature = Signature::of(Some(&temp.stat()?));
        // What the scribe has not stored durably stays in the log, and so does the backup below it.
        let recorded = self.is_recorded(plan.replaced.revision);
        let renews_backup =
            recorded || self.writer().spliced || files.stat(&paths.backup)?.is_none();
        self.current_mut().incoming = Some(signature);
        let put = self.swap_in(&mut temp, plan.expected, renews_backup);
        {
            let mut current = self.current_mut();
            current.incoming = None;
            if put.is_ok() {
                current.signature = Some(signature);
            }
        }
        let came_out = put?;
        {
            let mut writer = self.writer();
            writer.folded = plan.written;
            writer.stale = false;
        }
        if came_out == CameOut::Beside && renews_backup {
            temp.persist(&paths.backup)?;
        }
        files.sync_dir(&paths.folder)?;
        if came_out == CameOut::Beside && !renews_backup {
            // OK because a leftover is cleared at the next start.
            drop(files.remove(temp.path()));
        }
        if came_out != CameOut::Nothing {
            self.writer().spliced &= !renews_backup;
            self.renew_log(plan, signature, recorded)?;
        }
        snapshots::take_if_due(&self.options, plan.state.revision, &content);
        Ok(())
    }

    /// Puts the new file in the place of the one that is expected to stand there.
    fn swap_in(
        &self,
        temp: &mut Temp,
        expected: Signature,
        renews_backup: bool,
    ) -> Result<CameOut, FoldError> {
        let Options { files, paths, .. } = &self.options;
        if expected == Signature::Missing {
            self.check_expected(expected)?;
            temp.persist(&paths.library)?;
            return Ok(CameOut::Nothing);
        }
        match temp.exchange(&paths.library) {
            Ok(()) => {}
            Err(error) if error.is_unsupported() => {
                let copy = renews_backup
                    .then(|| files.copy_beside(&paths.library, &paths.backup))
                    .transpose()?;
                self.check_expected(expected)?;
                if let Some(mut copy) = copy {
                    copy.persist(&paths.backup)?;
                }
                temp.persist(&paths.library)?;
                return Ok(CameOut::Copied);
            }
            Err(error) => return Err(error.into()),
        }
        let came_out = files.stat(temp.path()).map(|stat| Signature::of(stat.as_ref()));
        if matches!(came_out, Ok(seen) if seen == expected) {
            return Ok(CameOut::Beside);
        }
        temp.exchange(&paths.library)?;
        came_out?;
        Err(FoldError::Foreign)
    }

    fn check_expected(&self, expected: Signature) -> Result<(), FoldError> {
        let stat = self.options.files.stat(&self.options.paths.library)?;
        let familiar = Signature::of(stat.as_ref()) == expected;
        if familiar { Ok(()) } else { Err(FoldError::Foreign) }
    }

    /// Replaces the log by one without the lines that the new backup holds. Most of it is copied while
    /// commits go on; only the last stretch and the exchange keep them waiting.
    fn renew_log(&self, plan: &Plan, base: Signature, recorded: bool) -> Result<(), DiskError> {
        let Options { files, paths, .. } = &self.options;
        let keep_from = if recorded { plan.replaced } else { self.writer().begins };
        let copied_to = self.writer().durable_len;
        let header = write_header(&Header {
            lineage: plan.lineage.to_string(),
            after: keep_from.revision,
            base: base.to_string(),
            folded: plan.written.revision,
        });
        let mut unread = None;
        let temp = files.write_beside(&paths.log, |sink| {
            sink.write_all(header.as_bytes())?;
            let mut from = keep_from.newer_at;
            while from < copied_to {
                let to = copied_to.min(from + PIECE);
                let lines = files.read_range(&paths.log, from, to).map_err(|error| {
                    let kind = error.source.kind();
                    unread = Some(error);
                    io::Error::from(kind)
                })?;
                sink.write_all(&lines)?;
                from = to;
            }
            Ok(())
        });
        let temp = temp.map_err(|error| unread.unwrap_or(error))?;

        let mut writer = self.writer();
        while writer.is_busy() {
            writer = self.wait(writer);
        }
        if let Some(error) = &writer.broken {
            return Err(error.again());
        }
        let len = writer.durable_len;
        writer.renewing = true;
        drop(writer);
        let moved = |offset: u64| offset - keep_from.newer_at + header.len() as u64;
        let outcome = self.exchange_log(temp, copied_to, len, moved(len));
        let mut writer = self.writer();
        writer.renewing = false;
        let outcome = match outcome {
            Ok(journal) => {
                *self.journal() = Some(journal);
                writer.durable_len = moved(writer.durable_len);
                writer.folded.newer_at = moved(writer.folded.newer_at);
                writer.begins = Mark { newer_at: header.len() as u64, ..keep_from };
                Ok(())
            }
            Err(LogLoss::Kept(error)) => Err(error),
            Err(LogLoss::Lost(error)) => {
                self.give_up_log(&mut writer, error.again());
                Err(error)
            }
        };
        self.hand_on(&writer);
        outcome
    }

    /// Whether the scribe, if there is one, has stored every change up to a revision durably.
    pub(super) fn is_recorded(&self, revision: u64) -> bool {
        self.options.scribe.as_ref().is_none_or(|scribe| scribe.settle(revision))
    }

    fn exchange_log(
        &self,
        mut temp: Temp,
        copied_to: u64,
        len: u64,
        new_len: u64,
    ) -> Result<Journal, LogLoss> {
        let Options { files, paths, .. } = &self.options;
        if copied_to < len {
            let rest = files.read_range(&paths.log, copied_to, len).map_err(LogLoss::Kept)?;
            temp.extend(&rest).map_err(LogLoss::Kept)?;
        }
        let appender = temp.persist_open(&paths.log).map_err(LogLoss::Kept)?;
        files.sync_dir(&paths.folder).map_err(LogLoss::Lost)?;
        Journal::open(files, paths.log.clone(), appender, new_len).map_err(LogLoss::Lost)
    }
}
