//! What a running job may report, and how it is asked to stop.
//!
//! Progress lives in memory; it is published and saved at most every half second for one job. A
//! checkpoint is saved before the call returns, so that work behind it is never repeated.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::{
    board::Row,
    control::{Control, StopSignal},
    document::{Operation, PROMOTE},
    items::Item,
    records::Records,
};
use crate::events::event::Topic;

/// The shortest time between two tellings of progress.
const PACE: Duration = Duration::from_millis(500);

/// Why a worker returned without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It was asked to stop and did.
    Stopped,
    /// It cannot go on.
    Failed {
        /// Machine-readable code.
        code: &'static str,
        /// A sentence for the user; absolute paths are taken out of it.
        message: String,
    },
}

impl Failure {
    /// A failure without a code of its own.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed { code: "INTERNAL_ERROR", message: message.into() }
    }

    /// A failure for a reason that is the user's to know.
    pub fn refused(error: &impl std::error::Error) -> Self {
        log::warn!("{error} ({error:?})");
        Self::Failed { code: "BAD_REQUEST", message: error.to_string() }
    }
}

/// The job as its worker sees it.
pub struct Context<'a> {
    pub(super) records: &'a Records,
    pub(super) control: &'a Control,
    pub(super) operation: Operation,
    pub(super) resumed_from: Option<Value>,
}

impl Context<'_> {
    /// The id of the job.
    pub fn job_id(&self) -> &str {
        &self.operation.job_id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.operation.name
    }

    /// The id of the first job of its chain of retries and resumes; the same for all of them.
    pub fn root_job_id(&self) -> &str {
        &self.operation.root_job_id
    }

    /// What it was submitted with.
    pub fn input(&self) -> &Map<String, Value> {
        &self.operation.input
    }

    /// A text of the input; empty when it is missing.
    pub fn text(&self, key: &str) -> &str {
        self.input().get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The checkpoint where the attempt before ended.
    pub fn resumed_from(&self) -> Option<&Value> {
        self.resumed_from.as_ref()
    }

    /// Whether an operation of this chain is still listed, so that what it left may be needed.
    pub fn is_listed(&self, root_job_id: &str) -> bool {
        self.records.board().has_root(root_job_id)
    }

    /// Continues, unless the job was asked to stop.
    ///
    /// # Errors
    /// [`Failure::Stopped`], which the worker returns.
    pub fn check(&self) -> Result<(), Failure> {
        match self.control.signal() {
            StopSignal::GoOn => Ok(()),
            StopSignal::Cancel | StopSignal::Interrupt => Err(Failure::Stopped),
        }
    }

    /// Says how much there is to do and what is counted, such as `games`.
    pub fn expect(&self, total: u64, unit: &str) {
        self.tell(false, |operation| {
            operation.total = Some(total);
            unit.clone_into(&mut operation.unit);
        });
    }

    /// Says how far the work is.
    pub fn progress(&self, current: u64, message: &str) {
        self.tell(false, |operation| {
            operation.current = current;
            message.clone_into(&mut operation.message);
        });
    }

    /// Says which step the work is in.
    pub fn phase(&self, name: &str) {
        self.tell(true, |operation| operation.phase = Some(name.to_owned()));
    }

    /// Enters the last step, which swaps finished work into place. From here on jobs of some types
    /// cannot be cancelled.
    ///
    /// # Errors
    /// [`Failure::Stopped`] when the job was asked to stop before.
    pub fn promote(&self) -> Result<(), Failure> {
        {
            // The signal is checked under the lock under which cancels are accepted.
            let mut board = self.records.board();
            self.check()?;
            if let Some(row) = board.change(self.job_id()) {
                row.operation.phase = Some(PROMOTE.to_owned());
            }
        }
        self.records.save_or_log();
        Ok(())
    }

    /// Remembers where a resume goes on, and how far the work is. Saved when this returns; what the
    /// checkpoint points to must be durable before.
    pub fn checkpoint(&self, checkpoint: Value, current: u64) {
        self.tell(true, |operation| {
            operation.checkpoint = Some(checkpoint);
            operation.current = current;
        });
    }

    /// Reports an item that failed or was skipped.
    pub fn item(&self, item: Item) {
        if let Some(live) =
            self.records.board().change(self.job_id()).and_then(|row| row.live.as_mut())
        {
            live.items.put(item);
        }
    }

    fn tell(&self, save_now: bool, change: impl FnOnce(&mut Operation)) {
        let due = {
            let mut board = self.records.board();
            let Some(row) = board.change(self.job_id()) else { return };
            change(&mut row.operation);
            row.operation.updated_at = self.records.now().utc_iso();
            is_due(row).then(|| super::shown::progress(&row.operation))
        };
        let told = due.is_some();
        if let Some(payload) = due {
            self.records.publish(Topic::JobProgress, payload);
        }
        if told || save_now {
            self.records.save_or_log();
        }
        if told {
            self.records.save_items(self.job_id());
        }
    }
}

/// Whether progress is due to be published; if so, the interval restarts.
fn is_due(row: &mut Row) -> bool {
    let Some(live) = &mut row.live else { return false };
    let due = live.told.is_none_or(|told| told.elapsed() >= PACE);
    if due {
        live.told = Some(Instant::now());
    }
    due
}
