//! Recovery: the states that can be recovered, and recovering one.

use std::os::unix::fs::MetadataExt as _;

use super::{
    document::{Document, optional, read_document},
    error::{RecoverError, Unavailable},
    load::{beginning, lay_over},
    open::Store,
    options::Options,
    rebase::Aside,
    shared::Shared,
    snapshots,
};
use crate::{base::schema::schema, model::State};

/// What a recovery can choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// Whether there is a last-known-good state.
    pub backup_available: bool,
    /// Games in the library as it is; zero while it is damaged.
    pub games: usize,
    /// Older states, newest first.
    pub snapshots: Vec<Snapshot>,
}

schema! {
    /// One older state.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Snapshot {
        /// Its file name, which names it.
        pub name: String,
        /// Bytes.
        pub size: u64,
        /// When it was written, in seconds since the Unix epoch.
        pub modified: f64,
    }
}

/// Where a recovery takes the state from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The last-known-good state with everything that was answered since.
    Backup,
    /// The snapshot with this name, as it is.
    Snapshot(String),
}

impl Store {
    /// What could be recovered. A file that cannot be examined is left out.
    pub fn recovery(&self) -> Recovery {
        let games = self.snapshot().map_or(0, |state| state.games.len());
        let Options { files, paths, .. } = &self.shared().options;
        let names = snapshots::names(&self.shared().options).unwrap_or_default();
        let snapshots = names.into_iter().filter_map(|name| {
            let stat = files.stat(&paths.snapshots.join(&name)).ok()??;
            #[expect(clippy::cast_precision_loss, reason = "seconds fit a float for ages")]
            let modified = stat.mtime() as f64 + stat.mtime_nsec() as f64 / 1e9;
            Some(Snapshot { name, size: stat.size(), modified })
        });
        let mut snapshots: Vec<Snapshot> = snapshots.collect();
        // Newest first. What stood there before a recovery is an older file with a newer name.
        let age = |a: &Snapshot, b: &Snapshot| b.modified.total_cmp(&a.modified);
        snapshots.sort_by(|a, b| age(a, b).then_with(|| b.name.cmp(&a.name)));
        Recovery {
            backup_available: files.stat(&paths.backup).is_ok_and(|stat| stat.is_some())
                || self.shared().recovered(&Source::Backup).is_ok(),
            games,
            snapshots,
        }
    }

    /// Makes an older state the library, under a new revision. The state before is kept: a sound
    /// one as a snapshot, a damaged file next to the new one. Returns how many games there are now.
    pub fn recover(&self, source: &Source) -> Result<usize, RecoverError> {
        let shared = self.shared();
        // What was committed since the last fold belongs into the snapshot of the state before;
        // when that cannot be written the log still holds it.
        if let Err(error) = shared.fold() {
            log::warn!("the library was not written before its recovery: {error}");
        }
        let file = shared.file_lock();
        let outcome = shared.recover(source);
        drop(file);
        shared.deliveries.deliver();
        outcome
    }
}

impl Shared {
    fn recover(&self, source: &Source) -> Result<usize, RecoverError> {
        let mut writer = self.quiet();
        if matches!(writer.tip, Err(Unavailable::Closed)) {
            return Err(RecoverError::Closed);
        }
        let (state, lineage, last_revision) = self.recovered(source)?;
        writer.last_revision = writer.last_revision.max(last_revision);
        let before = writer.tip.clone();
        let aside = if before.is_ok() { Aside::Snapshot } else { Aside::Corrupt };
        self.rebase(&mut writer, state, lineage, &aside)?;
        let Ok(after) = writer.tip.clone() else { return Err(RecoverError::Closed) };
        let games = after.games.len();
        let before = before.unwrap_or_default();
        self.tell_replaced(&writer.lineage, before, after);
        Ok(games)
    }

    /// The state to go back to, its lineage, and the highest revision seen on the way.
    pub(super) fn recovered(
        &self,
        source: &Source,
    ) -> Result<(State, Option<String>, u64), RecoverError> {
        let Options { files, paths, .. } = &self.options;
        let path = match source {
            Source::Backup => paths.backup.clone(),
            Source::Snapshot(name) => {
                let known = snapshots::names(&self.options)?;
                if !known.contains(name) {
                    return Err(RecoverError::UnknownSnapshot(name.clone()));
                }
                paths.snapshots.join(name)
            }
        };
        let unusable = |reason| RecoverError::Unusable { path: path.clone(), reason };
        let bytes = optional(files.read(&path)).map_err(unusable)?;
        let log = optional(files.read(&paths.log)).map_err(unusable)?;
        let document = match (bytes, source) {
            (Some(bytes), _) => read_document(&bytes).map_err(|flaw| unusable(flaw.into()))?,
            (None, Source::Backup) => self
                .without_backup(log.as_deref())
                .ok_or_else(|| RecoverError::NoBackup { path: path.clone() })?,
            (None, Source::Snapshot(name)) => {
                return Err(RecoverError::UnknownSnapshot(name.clone()));
            }
        };
        let as_it_is = document.state.clone();
        let loaded = lay_over(document, log.as_deref());
        let state = if *source == Source::Backup { loaded.state } else { as_it_is };
        Ok((state, loaded.lineage, loaded.last_revision))
    }

    /// What stands in for a missing backup: the log alone, which holds everything until the first fold. When the
    /// library file is missing too, the newest snapshot that the log continues, else the newest snapshot,
    /// else what the log holds.
    fn without_backup(&self, log: Option<&[u8]>) -> Option<Document> {
        let Options { files, paths, .. } = &self.options;
        let head = beginning(log);
        let has_changes = lay_over(beginning(log), log).report.replayed > 0;
        let is_gone = files.stat(&paths.library).is_ok_and(|stat| stat.is_none());
        if !is_gone || (has_changes && head.state.revision == 0) {
            return (has_changes && head.state.revision == 0).then_some(head);
        }
        let names = snapshots::names(&self.options).unwrap_or_default();
        let read =
            |name: &String| read_document(&files.read(&paths.snapshots.join(name)).ok()?).ok();
        let is_continued = |older: &Document| {
            has_changes
                && older.lineage == head.lineage
                && older.state.revision >= head.state.revision
        };
        let snapshots = || names.iter().rev().filter_map(read);
        snapshots()
            .find(is_continued)
            .or_else(|| snapshots().next())
            .or_else(|| has_changes.then_some(head))
    }
}
