//! The library file written anew while commits go on.
//!
//! The steps, each of which leaves a loadable library behind:
//! 1. the newest durable state is written to a temporary file;
//! 2. that file and the library file swap names, and what came out is checked to be the file that
//!    was expected; a file changed by somebody else is put back and taken over first;
//! 3. what came out becomes the backup;
//! 4. the names are made durable;
//! 5. a log without the lines the new backup holds takes the place of the old one.
//!
//! The backup is never a second name of the library file, so damage done to one in place does not
//! reach the other. On file systems that cannot swap names the backup is a copy.

use std::sync::Arc;

use super::{
    error::FoldError,
    journal::Journal,
    line::{Header, write_header},
    options::Options,
    render::write_library,
    shared::{Mark, Shared},
    signature::Signature,
    snapshots,
};
use crate::{
    files::{error::DiskError, temp::Temp},
    model::state::State,
};

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

/// How the new file got its place.
#[derive(PartialEq)]
enum Swap {
    /// The old file now has the temporary name.
    Old,
    /// There was no old file.
    Nothing,
    /// The file system cannot swap names; nothing was done.
    Unsupported,
}

/// How the exchange of the log failed.
enum LogLoss {
    /// The old log goes on.
    Kept(DiskError),
    /// Nobody knows which log the disk will show after a crash.
    Lost(DiskError),
}

impl Shared {
    /// Writes the library file anew when it is behind. Returns whether it did.
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
        let content =
            |sink: &mut dyn std::io::Write| write_library(&plan.state, &plan.lineage, sink);
        let mut temp = files.write_beside(&paths.library, content)?;
        let signature = Signature::of(Some(&temp.stat()?));
        let mut swap = self.swap_in(&mut temp, plan.expected, signature)?;
        if swap == Swap::Unsupported {
            let copy = files.copy_beside(&paths.library, &paths.backup)?;
            self.move_in(&mut temp, plan.expected, signature, Some(copy))?;
        }
        {
            let mut writer = self.writer();
            writer.folded = plan.written;
            writer.stale = false;
        }
        if swap == Swap::Old {
            temp.persist(&paths.backup)?;
        } else if swap == Swap::Unsupported {
            swap = Swap::Old;
        }
        files.sync_dir(&paths.folder)?;
        if swap == Swap::Old {
            self.renew_log(plan.replaced, signature)?;
        }
        snapshots::take_if_due(&self.options, &content);
        Ok(())
    }

    /// Swaps the new file with the one that is expected to stand there.
    fn swap_in(
        &self,
        temp: &mut Temp,
        expected: Signature,
        signature: Signature,
    ) -> Result<Swap, FoldError> {
        let Options { files, paths, .. } = &self.options;
        if expected == Signature::Missing {
            self.move_in(temp, expected, signature, None)?;
            return Ok(Swap::Nothing);
        }
        let mut current = self.current_mut();
        match temp.exchange(&paths.library) {
            Ok(()) => {}
            Err(error) if error.is_unsupported() => return Ok(Swap::Unsupported),
            Err(error) => return Err(error.into()),
        }
        let came_out = files.stat(temp.path()).map(|stat| Signature::of(stat.as_ref()));
        if matches!(came_out, Ok(seen) if seen == expected) {
            current.signature = Some(signature);
            return Ok(Swap::Old);
        }
        temp.exchange(&paths.library)?;
        came_out?;
        Err(FoldError::Foreign)
    }

    /// Moves the new file over the one that is expected to stand there, or to an empty place. A copy
    /// of the old one becomes the backup first, once it is known to be the one that is expected.
    fn move_in(
        &self,
        temp: &mut Temp,
        expected: Signature,
        signature: Signature,
        copy: Option<Temp>,
    ) -> Result<(), FoldError> {
        let Options { files, paths, .. } = &self.options;
        let mut current = self.current_mut();
        if Signature::of(files.stat(&paths.library)?.as_ref()) != expected {
            return Err(FoldError::Foreign);
        }
        if let Some(mut copy) = copy {
            copy.persist(&paths.backup)?;
        }
        temp.persist(&paths.library)?;
        current.signature = Some(signature);
        Ok(())
    }

    /// Replaces the log by one without the lines up to `keep_from`. Most of it is copied while
    /// commits go on; only the last stretch and the exchange keep them waiting.
    fn renew_log(&self, keep_from: Mark, base: Signature) -> Result<(), DiskError> {
        let Options { files, paths, .. } = &self.options;
        let (lineage, copied_to) = {
            let writer = self.writer();
            (writer.lineage.to_string(), writer.durable_len)
        };
        let header =
            write_header(&Header { lineage, after: keep_from.revision, base: base.to_string() });
        let lines = files.read_range(&paths.log, keep_from.newer_at, copied_to)?;
        let temp = files.write_beside(&paths.log, |sink| {
            sink.write_all(header.as_bytes())?;
            sink.write_all(&lines)
        })?;
        drop(lines);

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
        self.idle.notify_all();
        match outcome {
            Ok(journal) => {
                *self.journal() = Some(journal);
                writer.durable_len = moved(writer.durable_len);
                writer.folded.newer_at = moved(writer.folded.newer_at);
                Ok(())
            }
            Err(LogLoss::Kept(error)) => Err(error),
            Err(LogLoss::Lost(error)) => {
                self.give_up_log(&mut writer, error.again());
                Err(error)
            }
        }
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
        Journal::open(appender, new_len).map_err(LogLoss::Lost)
    }
}
