//! What all handles of a store share.
//!
//! Locks are taken in this order: `file`, `writer`, `current`, `journal`, the queue of deliveries. That of
//! a batch's ticket comes last, and a thread that waits on one holds no other.
//! - `file`: the right to put another library file in place; held for a whole fold.
//! - `writer`: the newest state, durable or not, and the batch that waits for its sync.
//! - `current`: the durable state that readers get; never held during a call to the disk, except one that
//!   reads the attributes of the library file. While a new file takes its place, both it and the old one
//!   are recognised, so that no reader takes the program's own file for a foreign one.
//!
//! A thread writes to the log while `flying` or `renewing` is set, without the writer's lock.

use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
    atomic::AtomicBool,
};

use super::{
    error::Unavailable,
    journal::{Journal, Mark, Signature},
    load::LoadReport,
    options::Options,
    pace::Pace,
    ticket::Ticket,
    watch::{Change, Deliveries},
};
use crate::{
    base::{Hold as _, HoldShared as _},
    files::{DiskError, lock::Lock},
    model::State,
};

/// What every handle of an open store points to.
pub(super) struct Shared {
    pub(super) options: Options,
    pub(super) current: RwLock<Current>,
    pub(super) file: Mutex<()>,
    pub(super) writer: Mutex<Writer>,
    /// Woken when a flush or a renewal of the log has ended.
    pub(super) idle: Condvar,
    /// The open log; `None` while it is not to be trusted.
    pub(super) journal: RwLock<Option<Journal>>,
    /// Whether everything must be rewritten before the next commit, to be seen without the writer's
    /// lock: `writer.unwritten` or `writer.broken` is set.
    pub(super) unsettled: AtomicBool,
    pub(super) deliveries: Deliveries,
    pub(super) pace: Pace,
    /// The lock file; `None` once closed.
    pub(super) lock: Mutex<Option<Lock>>,
    pub(super) report: Mutex<LoadReport>,
}

/// The durable state and the file it was seen with.
pub(super) struct Current {
    pub(super) state: Result<Arc<State>, Unavailable>,
    /// `None` when the file could not be examined or read: it is tried again.
    pub(super) signature: Option<Signature>,
    /// A file of the store that is just being put in place.
    pub(super) incoming: Option<Signature>,
}

/// The side of the writers.
pub(super) struct Writer {
    /// The newest state; ahead of the durable one while a batch is on its way.
    pub(super) tip: Result<Arc<State>, Unavailable>,
    pub(super) lineage: Arc<str>,
    /// The highest assigned revision; a failed commit uses its revision up.
    pub(super) last_revision: u64,
    /// Commits that wait for a sync.
    pub(super) pending: Batch,
    /// The batch that is being written.
    pub(super) flying: Option<Arc<Ticket>>,
    /// Whether the log is being exchanged for a shorter one.
    pub(super) renewing: bool,
    /// The length of the log up to the durable state.
    pub(super) durable_len: u64,
    pub(super) folded: Mark,
    /// Where the log begins.
    pub(super) begins: Mark,
    /// Whether another program changed the library since the backup was made, which no line records.
    pub(super) spliced: bool,
    /// Whether the library file should be rewritten although no commit asks for it.
    pub(super) stale: bool,
    /// Set while a library that was taken over still stands on the disk as another program left it, with
    /// no log of its own.
    pub(super) unwritten: Option<Unwritten>,
    /// Why the log is not trusted, or could not be replaced.
    pub(super) broken: Option<DiskError>,
}

/// A library that must be written before it can be changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unwritten {
    /// Whether the old log may hold something and is kept.
    pub(super) keep_log: bool,
}

/// Commits that become durable together.
#[derive(Default)]
pub(super) struct Batch {
    /// The library that is changed.
    pub(super) lineage: Arc<str>,
    pub(super) changes: Vec<Change>,
    pub(super) ticket: Arc<Ticket>,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

impl Writer {
    /// A writer of nothing yet.
    pub(super) fn closed() -> Self {
        Self {
            tip: Err(Unavailable::Closed),
            lineage: "".into(),
            last_revision: 0,
            pending: Batch::default(),
            flying: None,
            renewing: false,
            durable_len: 0,
            folded: Mark::default(),
            begins: Mark::default(),
            spliced: false,
            stale: false,
            unwritten: None,
            broken: None,
        }
    }

    /// Whether a commit must wait until everything has been rewritten. After an attempt that failed
    /// it need not wait: it fails.
    pub(super) fn is_awaiting_rebase(&self) -> bool {
        self.tip.is_ok() && self.unwritten.is_some() && self.broken.is_none()
    }

    /// Whether a thread is writing to the log.
    pub(super) fn is_busy(&self) -> bool {
        self.flying.is_some() || self.renewing
    }
}

impl Shared {
    pub(super) fn current(&self) -> RwLockReadGuard<'_, Current> {
        self.current.hold_read()
    }

    pub(super) fn current_mut(&self) -> RwLockWriteGuard<'_, Current> {
        self.current.hold_write()
    }

    pub(super) fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.hold()
    }

    pub(super) fn file_lock(&self) -> MutexGuard<'_, ()> {
        self.file.hold()
    }

    pub(super) fn journal(&self) -> RwLockWriteGuard<'_, Option<Journal>> {
        self.journal.hold_write()
    }

    pub(super) fn wait<'a>(&self, writer: MutexGuard<'a, Writer>) -> MutexGuard<'a, Writer> {
        self.idle.wait(writer).unwrap_or_else(PoisonError::into_inner)
    }

    /// The size of the library file; zero while it cannot be examined.
    pub(super) fn library_bytes(&self) -> u64 {
        let stat = self.options.files.stat(&self.options.paths.library);
        stat.ok().flatten().map_or(0, |stat| stat.len())
    }

    /// The name of a file set aside now: `<stem>-<UTC stamp>-<8 hex>`.
    pub(super) fn aside_name(&self, stem: &str) -> String {
        format!("{stem}-{}-{}", (self.options.now)().utc_compact(), crate::base::ids::random_hex(4))
    }
}
