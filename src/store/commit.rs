//! Group commit: commits that arrive during a sync share the next one.
//!
//! A commit puts its line into the pending batch. When no thread writes, it takes the whole batch, writes
//! and syncs it, publishes its last state, wakes its threads and calls one of those that arrived meanwhile to write the
//! next. Otherwise it waits for either (see `ticket`).

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, MutexGuard, atomic::Ordering},
};

use super::{
    error::CommitError,
    journal::{Failure, Write},
    line::Lines,
    scribe::News,
    shared::{Batch, Shared, Writer},
    ticket::{Call, Ticket},
    watch::Change,
};
use crate::{
    files::DiskError,
    model::{Cause, Draft, Op, State},
};

impl Batch {
    /// Writes a line for each change.
    fn write(&self, write: &mut Write<'_>) -> Result<(), DiskError> {
        let mut lines = Lines::new(write);
        for Change { after, at, ops, .. } in &self.changes {
            lines.push(&self.lineage, after.revision, *at, ops)?;
        }
        lines.hand_on()
    }
}

impl Shared {
    /// Runs a change on the newest state and returns when it is durable.
    pub(super) fn commit<T, E>(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<T, E>,
    ) -> Result<T, CommitError<E>> {
        let (value, report, ticket, writer) = {
            let mut writer = self.settled_writer();
            let before = writer.tip.clone().map_err(CommitError::Unavailable)?;
            if let Some(error) = &writer.broken {
                return Err(CommitError::Disk(error.again()));
            }
            let now = (self.options.now)();
            let at = now.unix_micros();
            let mut draft = Draft::at(State::clone(&before), now);
            let value = change(&mut draft).map_err(CommitError::Refused)?;
            let cause = draft.cause().clone();
            let (after, ops) = draft.finish();
            let is_report = ops.is_empty() && cause != Cause::Unnamed;
            let report = is_report.then(|| cause.clone());
            let ticket = writer.enqueue(before, after, ops, cause, at);
            (value, report, ticket, writer)
        };
        if let Some(ticket) = ticket {
            let outcome = self.settle(&ticket, writer);
            self.deliveries.deliver();
            outcome.map_err(CommitError::Disk)?;
        } else {
            drop(writer);
        }
        if let Some(cause) = report {
            self.report(cause);
        }
        Ok(value)
    }

    /// Notifies the watchers of reports of something that changed no state.
    pub(super) fn report(&self, cause: Cause) {
        let state = self.current().state.clone().unwrap_or_default();
        let at = (self.options.now)().unix_micros();
        let before = Arc::clone(&state);
        self.deliveries.push([Change { before, after: state, ops: [].into(), cause, at }]);
        self.deliveries.deliver();
    }

    /// The writer of a state that has a log to write to, or that can say why it has none.
    fn settled_writer(&self) -> MutexGuard<'_, Writer> {
        loop {
            self.refresh();
            let writer = self.writer();
            // The file may have been replaced once more since it was checked.
            if !writer.is_awaiting_rebase() {
                return writer;
            }
        }
    }

    /// Waits for a batch, writing it when no other thread writes.
    fn settle<'a>(
        &'a self,
        ticket: &Ticket,
        mut writer: MutexGuard<'a, Writer>,
    ) -> Result<(), DiskError> {
        loop {
            // A thread that writes while others wait calls one of them afterwards.
            if !writer.is_busy() && !ticket.is_settled() {
                writer = self.flush(writer);
            }
            drop(writer);
            match ticket.wait() {
                Call::Ended(outcome) => return outcome,
                Call::Lead => writer = self.writer(),
            }
        }
    }

    /// Writes the pending batch without holding the lock meanwhile.
    fn flush<'a>(&'a self, mut writer: MutexGuard<'a, Writer>) -> MutexGuard<'a, Writer> {
        let batch = std::mem::take(&mut writer.pending);
        writer.flying = Some(Arc::clone(&batch.ticket));
        drop(writer);
        let outcome = self.append(&batch);
        let mut writer = self.writer();
        writer.flying = None;
        self.conclude(&mut writer, batch, outcome);
        self.hand_on(&writer);
        writer
    }

    /// Wakes those who wait for a free log: one commit of the pending batch, which writes it, and
    /// those who wait for quiet.
    pub(super) fn hand_on(&self, writer: &Writer) {
        if !writer.pending.is_empty() {
            writer.pending.ticket.call_leader();
        }
        self.idle.notify_all();
    }

    /// Waits until no thread writes and nothing waits; the lock is held from then on.
    pub(super) fn quiet(&self) -> MutexGuard<'_, Writer> {
        let mut writer = self.writer();
        while writer.is_busy() {
            writer = self.wait(writer);
        }
        if !writer.pending.is_empty() {
            let batch = std::mem::take(&mut writer.pending);
            let outcome = self.append(&batch);
            self.conclude(&mut writer, batch, outcome);
            self.hand_on(&writer);
        }
        writer
    }

    /// Writes and syncs a batch. A panic is a failure of this batch alone: those who wait for it, and for the
    /// log, must learn of its end.
    fn append(&self, batch: &Batch) -> Result<u64, Failure> {
        let append = AssertUnwindSafe(|| self.append_to_log(batch));
        catch_unwind(append).unwrap_or_else(|_| {
            *self.journal() = None;
            Err(self.not_written("the writing panicked"))
        })
    }

    fn not_written(&self, reason: &str) -> Failure {
        let path = self.options.paths.log.clone();
        let error = DiskError { action: "write", path, source: io::Error::other(reason) };
        Failure { error, intact: false }
    }

    fn append_to_log(&self, batch: &Batch) -> Result<u64, Failure> {
        let mut journal = self.journal();
        let Some(open) = journal.as_mut() else {
            return Err(self.not_written("the log is not open"));
        };
        let outcome = open.append(|write| batch.write(write));
        if matches!(&outcome, Err(failure) if !failure.intact) {
            *journal = None;
        }
        outcome
    }

    fn conclude(&self, writer: &mut Writer, batch: Batch, outcome: Result<u64, Failure>) {
        match outcome {
            Ok(len) => {
                let grown = len.saturating_sub(std::mem::replace(&mut writer.durable_len, len));
                if let Some(last) = batch.changes.last() {
                    self.current_mut().state = Ok(Arc::clone(&last.after));
                }
                self.tell(&writer.lineage, batch.changes);
                batch.ticket.settle(Ok(()));
                self.pace.changed(grown);
            }
            Err(Failure { error, intact }) => {
                log::error!("the library could not be saved: {error}");
                writer.tip.clone_from(&self.current().state);
                if !intact {
                    self.give_up_log(writer, error.again());
                }
                // Commits based on the failed batch fail too.
                let built_on = std::mem::take(&mut writer.pending);
                built_on.ticket.settle(Err(error.again()));
                batch.ticket.settle(Err(error));
            }
        }
    }

    /// Hands durable changes to the scribe, then to the watchers; called under the writer's lock.
    pub(super) fn tell(&self, lineage: &Arc<str>, changes: Vec<Change>) {
        if let Some(scribe) = &self.options.scribe {
            for change in &changes {
                scribe.note(News::of(change, lineage));
            }
        }
        self.deliveries.push(changes);
    }

    /// As [`Shared::tell`], of a state that was replaced as a whole.
    pub(super) fn tell_replaced(&self, lineage: &Arc<str>, before: Arc<State>, after: Arc<State>) {
        let at = (self.options.now)().unix_micros();
        let change = Change { before, after, ops: [].into(), cause: Cause::Replaced, at };
        self.tell(lineage, vec![change]);
    }

    /// Notes that the log must be replaced before anything is written again.
    pub(super) fn give_up_log(&self, writer: &mut Writer, error: DiskError) {
        *self.journal() = None;
        writer.broken = Some(error);
        self.unsettled.store(true, Ordering::Release);
    }
}

impl Writer {
    /// Puts a change into the pending batch. A commit without a change waits only for the state it
    /// has seen; `None` when that is durable already.
    fn enqueue(
        &mut self,
        before: Arc<State>,
        mut after: State,
        ops: Vec<Op>,
        cause: Cause,
        at: i64,
    ) -> Option<Arc<Ticket>> {
        if ops.is_empty() {
            let pending = (!self.pending.is_empty()).then(|| Arc::clone(&self.pending.ticket));
            return pending.or_else(|| self.flying.clone());
        }
        self.last_revision += 1;
        after.revision = self.last_revision;
        self.pending.lineage = Arc::clone(&self.lineage);
        let after = Arc::new(after);
        self.tip = Ok(Arc::clone(&after));
        self.pending.changes.push(Change { before, after, ops: ops.into(), cause, at });
        Some(Arc::clone(&self.pending.ticket))
    }
}
