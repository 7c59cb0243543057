//! The operations in memory and on disk, and the events about them.
//!
//! Locks: `written` may be held while the board is taken for a moment, never the other way round.
//! The board is never held during a disk call, so listing jobs never waits for the disk.

use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

use super::{board::Board, document::Operation, ledger::Ledger};
use crate::{
    base::{Hold as _, Moment},
    events::{
        bus::Bus,
        event::{Event, Topic},
    },
    files::DiskError,
};

pub(super) struct Records {
    board: Mutex<Board>,
    /// The revision of the board that is in the file; held while the file is written.
    written: Mutex<u64>,
    pub(super) ledger: Ledger,
    bus: Bus,
    now: fn() -> Moment,
}

impl Records {
    pub(super) fn new(ledger: Ledger, board: Board, bus: Bus, now: fn() -> Moment) -> Self {
        Self { board: Mutex::new(board), written: Mutex::new(0), ledger, bus, now }
    }

    pub(super) fn now(&self) -> Moment {
        (self.now)()
    }

    pub(super) fn board(&self) -> MutexGuard<'_, Board> {
        // OK because a panic while the board is held would be a bug in this module, and what it
        // holds is still a list of operations that the machine has let through.
        self.board.hold()
    }

    /// Writes the board down. When this returns without error, everything that was changed before
    /// the call is on the disk; writers that wait meanwhile share one write.
    pub(super) fn save(&self) -> Result<(), DiskError> {
        let mut written = self.written.hold();
        let (bytes, revision) = {
            let board = self.board();
            if board.revision == *written {
                return Ok(());
            }
            let operations: Vec<_> = board.rows().iter().map(|row| &row.operation).collect();
            (Ledger::render(&operations), board.revision)
        };
        self.ledger.save(&bytes)?;
        *written = revision;
        Ok(())
    }

    /// As [`Records::save`], for changes that are kept even when they cannot be written.
    pub(super) fn save_or_log(&self) {
        if let Err(error) = self.save() {
            log::error!("failed to save the list of jobs: {error}");
        }
    }

    /// Writes the items of an active job down, if there are any.
    pub(super) fn save_items(&self, job_id: &str) {
        let items = {
            let board = self.board();
            board.find(job_id).and_then(|row| row.live.as_ref()).map(|live| live.items.clone())
        };
        let Some(items) = items.filter(|items| !items.items.is_empty()) else { return };
        if let Err(error) = self.ledger.save_items(&items) {
            log::error!("failed to save the items of a job: {error}");
        }
    }

    /// Drops the operations that are listed no longer and returns them, each with whether another
    /// one of its chain is still listed.
    pub(super) fn prune(&self) -> Vec<(Operation, bool)> {
        let mut board = self.board();
        let dropped = board.prune(&self.now());
        let with_chain = |operation: Operation| {
            let has_chain = board.has_root(&operation.root_job_id);
            (operation, has_chain)
        };
        dropped.into_iter().map(with_chain).collect()
    }

    pub(super) fn publish(&self, topic: Topic, payload: Value) {
        self.bus.publish(&Event::new(topic, payload));
    }
}
