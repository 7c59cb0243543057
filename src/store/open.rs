//! The public handle of the library: open, read, change, watch, close.

use std::sync::{Arc, Condvar, Mutex, RwLock, atomic::AtomicBool};

use super::{
    error::{Committed, FoldError, OpenError, Unavailable},
    journal::Signature,
    load::{LoadReport, LogFit, load},
    options::Options,
    pace::Pace,
    scribe::News,
    shared::{Current, Shared, Writer},
    watch::{Change, Deliveries, Watcher},
};
use crate::{
    base::{Hold as _, Workers},
    files::DiskError,
    model::{Cause, Draft, State},
};

/// The open library. A clone is another handle of the same one.
#[derive(Clone)]
pub struct Store(Arc<Handle>);

struct Handle {
    shared: Arc<Shared>,
    workers: Workers,
}

impl Store {
    /// Opens the library of a data directory, which is created when it is missing.
    ///
    /// A damaged library does not keep the store from coming up: it is [`Unavailable`] until it is
    /// repaired or recovered, and nothing is written over it.
    ///
    /// # Errors
    /// When another process has the library open, or the directory cannot be used.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let files = options.files.clone();
        let paths = options.paths.clone();
        files.private_dir(&paths.folder).map_err(OpenError::Folder)?;
        let lock = files.lock(&paths.lock)?;
        for (folder, prefix) in [(&paths.folder, "library."), (&paths.snapshots, "")] {
            if let Err(error) = files.clear_leftovers(folder, prefix) {
                log::warn!("{error}");
            }
        }
        let shared = Arc::new(Shared {
            current: RwLock::new(Current {
                state: Err(Unavailable::Closed),
                signature: None,
                incoming: None,
            }),
            file: Mutex::new(()),
            writer: Mutex::new(Writer::closed()),
            idle: Condvar::new(),
            journal: RwLock::new(None),
            unsettled: AtomicBool::new(false),
            deliveries: Deliveries::default(),
            pace: Pace::new(options.debounce),
            lock: Mutex::new(Some(lock)),
            report: Mutex::new(LoadReport::default()),
            options,
        });
        shared.begin();
        let workers = Workers::default();
        let folder = Arc::clone(&shared);
        let started = workers.spawn("store-fold", move || {
            folder.pace.run(|| Ok(if folder.fold()? { folder.library_bytes() } else { 0 }));
        });
        started.map_err(|source| {
            let path = shared.options.paths.folder.clone();
            OpenError::Folder(DiskError { action: "start a thread for", path, source })
        })?;
        Ok(Self(Arc::new(Handle { shared, workers })))
    }

    /// The newest durable state. Costs one check of the attributes of the library file; a file that
    /// another program changed is read again first.
    pub fn snapshot(&self) -> Result<Arc<State>, Unavailable> {
        self.shared().snapshot()
    }

    /// Runs a change on the newest state and returns its answer when the change is durable.
    ///
    /// The closure sees every change before it, does no I/O and does not call the store. Nothing
    /// has changed when this fails. A closure that changes nothing costs no write.
    ///
    /// # Errors
    /// When there is no state, the closure refuses, or the disk does.
    pub fn commit<T, E>(&self, change: impl FnOnce(&mut Draft) -> Result<T, E>) -> Committed<T, E> {
        self.shared().commit(change)
    }

    /// As [`Store::commit`], for a change that is never refused.
    pub fn change<T>(&self, change: impl FnOnce(&mut Draft) -> T) -> Committed<T> {
        self.commit(|draft| Ok(change(draft)))
    }

    /// Calls a listener with every change that becomes durable from now on: in order, on a committing
    /// thread, outside every lock, before the commit returns. A listener may commit; it is called
    /// with that change afterwards.
    pub fn watch(&self, listener: Box<dyn Fn(&Change) + Send + Sync>) {
        self.shared().deliveries.watch(Watcher { with_reports: false, listener });
    }

    /// As [`Store::watch`], with reports too: of commits that name a cause and change nothing, and of
    /// [`Store::report`].
    pub fn watch_with_reports(&self, listener: Box<dyn Fn(&Change) + Send + Sync>) {
        self.shared().deliveries.watch(Watcher { with_reports: true, listener });
    }

    /// Reports something that happened to the library without a commit, in order with the changes.
    /// Returns when the listeners were called.
    pub fn report(&self, cause: Cause) {
        self.shared().report(cause);
    }

    /// Writes the library file now when it is behind, and returns whether it was.
    pub fn fold_now(&self) -> Result<bool, FoldError> {
        self.shared().fold()
    }

    /// What the last load found.
    #[cfg(test)]
    pub fn load_report(&self) -> LoadReport {
        self.shared().report.hold().clone()
    }

    /// Ends the fold thread, writes the library file, refuses further changes and frees the lock.
    /// Snapshots can still be read.
    pub fn close(&self) {
        self.0.stop();
        let shared = self.shared();
        match shared.fold() {
            Ok(_) | Err(FoldError::Unavailable(_)) => {}
            // OK because the log holds what the file does not.
            Err(error) => log::warn!("the library file was not written at the end: {error}"),
        }
        let file = shared.file_lock();
        shared.quiet().tip = Err(Unavailable::Closed);
        drop(shared.lock.hold().take());
        drop(file);
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }
}

impl Shared {
    fn begin(&self) {
        let Options { files, paths, .. } = &self.options;
        let mut writer = self.quiet();
        match load(files, paths, 0) {
            Ok(loaded) => {
                if loaded.edited || matches!(loaded.log, LogFit::Renew { .. }) {
                    self.keep_before(&loaded.state, None);
                }
                let continues = !loaded.edited && matches!(loaded.log, LogFit::Keep { .. });
                self.adopt(&mut writer, loaded);
                if let (Some(scribe), Ok(state)) = (&self.options.scribe, &writer.tip) {
                    let at = (self.options.now)().unix_micros();
                    scribe.note(News::loaded(state, &writer.lineage, at, continues));
                }
            }
            Err(reason) => {
                log::error!("{reason}");
                let readable = !matches!(reason, Unavailable::Unreadable(_));
                let seen = files.stat(&paths.library).ok().filter(|_| readable);
                let mut current = self.current_mut();
                current.signature = seen.map(|stat| Signature::of(stat.as_ref()));
                current.state = Err(reason.clone());
                writer.tip = Err(reason);
            }
        }
    }
}

impl Handle {
    fn stop(&self) {
        self.shared.pace.stop();
        self.workers.join();
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.stop();
    }
}
