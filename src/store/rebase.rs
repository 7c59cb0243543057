//! Everything rewritten: the library file, its backup and an empty log.
//!
//! Done when the log on the disk does not lead to the state in memory: another library was put in
//! place, a recovery chose another state, a sync failed. The new revision is above every line of
//! the old log, so a crash at any step finds the state before or the one after.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use super::{
    journal::{Journal, Mark, Signature},
    line::{Header, write_header},
    render::write_library,
    shared::{Shared, Writer},
    snapshots,
};
use crate::{
    base::ids::random_hex,
    files::{DiskError, temp::Temp},
    model::State,
};

/// What happens to the present library file.
pub(super) enum Aside {
    /// It is kept as a snapshot.
    Snapshot,
    /// It is damaged; its bytes are kept next to the new file.
    Corrupt,
}

impl Shared {
    /// Makes `state` the durable state under a new revision, and the whole of what is on the disk.
    /// The caller holds the file and a quiet writer.
    ///
    /// After an error the log is given up, so the next request tries again.
    pub(super) fn rebase(
        &self,
        writer: &mut Writer,
        mut state: State,
        lineage: Option<String>,
        aside: &Aside,
    ) -> Result<(), DiskError> {
        // The lines of the old log are still there to be recorded; afterwards only the states are.
        if !self.is_recorded(writer.last_revision) {
            log::warn!("the journal does not hold every change before the log is replaced");
        }
        let paths = &self.options.paths;
        let is_fresh = lineage.is_none() && {
            let files = &self.options.files;
            files.stat(&paths.library)?.is_none() && files.stat(&paths.backup)?.is_none()
        };
        if !is_fresh {
            writer.last_revision += 1;
        }
        state.revision = writer.last_revision;
        let lineage: Arc<str> = lineage.unwrap_or_else(|| random_hex(16)).into();
        let outcome = self.write_anew(writer, Arc::new(state), &lineage, aside, is_fresh);
        if let Err(error) = &outcome {
            self.give_up_log(writer, error.again());
        }
        outcome
    }

    fn write_anew(
        &self,
        writer: &mut Writer,
        state: Arc<State>,
        lineage: &Arc<str>,
        aside: &Aside,
        is_fresh: bool,
    ) -> Result<(), DiskError> {
        let files = &self.options.files;
        let paths = &self.options.paths;
        let content = |sink: &mut dyn std::io::Write| write_library(&state, lineage, sink);
        let temp = files.write_beside(&paths.library, content)?;
        let signature = Signature::of(Some(&temp.stat()?));
        let old_to = self.aside_paths(aside, state.revision);
        self.current_mut().incoming = Some(signature);
        let put = self.put_in_place(temp, &old_to);
        {
            let mut current = self.current_mut();
            current.incoming = None;
            put?;
            current.state = Ok(Arc::clone(&state));
            current.signature = Some(signature);
        }
        writer.tip = Ok(Arc::clone(&state));
        writer.lineage = Arc::clone(lineage);
        if !is_fresh {
            files.write_beside(&paths.backup, content)?.persist(&paths.backup)?;
        }
        files.sync_dir(&paths.folder)?;
        let header = Header {
            lineage: lineage.to_string(),
            after: state.revision,
            base: signature.to_string(),
            folded: state.revision,
        };
        let header = write_header(&header);
        let len = header.len() as u64;
        let log = files.write_beside(&paths.log, |sink| sink.write_all(header.as_bytes()))?;
        let journal = Journal::open(files, paths.log.clone(), log.persist_open(&paths.log)?, len)?;
        files.sync_dir(&paths.folder)?;
        writer.durable_len = len;
        writer.folded = Mark { revision: state.revision, newer_at: len };
        writer.begins = writer.folded;
        writer.spliced = false;
        writer.stale = false;
        self.settle_log(writer, journal);
        snapshots::prune(&self.options);
        Ok(())
    }

    /// Notes that the log on the disk is the one to go on with.
    pub(super) fn settle_log(&self, writer: &mut Writer, journal: Journal) {
        *self.journal() = Some(journal);
        writer.unwritten = None;
        writer.broken = None;
        self.unsettled.store(false, Ordering::Release);
    }

    /// Where the present library file may go, the best place first.
    fn aside_paths(&self, aside: &Aside, revision: u64) -> Vec<PathBuf> {
        let paths = &self.options.paths;
        let beside = |name| paths.folder.join(self.aside_name(name));
        match aside {
            Aside::Corrupt => vec![beside("library.json.corrupt")],
            // The folder of snapshots may be on another disk, or not ours any more. The library is saved all
            // the same.
            Aside::Snapshot => {
                let folder = self.options.files.private_dir(&paths.snapshots);
                let name = folder.and_then(|()| snapshots::next_name(&self.options, revision));
                let name = name.inspect_err(|error| log::warn!("no snapshot can be kept: {error}"));
                let snapshot = name.ok().map(|name| paths.snapshots.join(name));
                snapshot.into_iter().chain([beside("library.json.before")]).collect()
            }
        }
    }

    /// Puts a new library file in place; the one that stood there goes to the first of `aside` that takes it.
    fn put_in_place(&self, mut temp: Temp, aside: &[PathBuf]) -> Result<(), DiskError> {
        let files = &self.options.files;
        let library = &self.options.paths.library;
        if files.stat(library)?.is_none() {
            return temp.persist(library);
        }
        match temp.exchange(library) {
            Ok(()) => first_that_takes(aside, |path| temp.persist(path)).or_else(|error| {
                temp.exchange(library)?;
                Err(error)
            }),
            Err(error) if error.is_unsupported() => {
                first_that_takes(aside, |path| files.copy(library, path))?;
                temp.persist(library)
            }
            Err(error) => Err(error),
        }
    }
}

/// Keeps something at the first of these paths where that works. There is at least one.
fn first_that_takes(
    paths: &[PathBuf],
    mut keep: impl FnMut(&Path) -> Result<(), DiskError>,
) -> Result<(), DiskError> {
    let (last, others) = paths.split_last().expect("at least one path");
    for path in others {
        match keep(path) {
            Ok(()) => return Ok(()),
            Err(error) => log::warn!("the library is kept elsewhere than as a snapshot: {error}"),
        }
    }
    keep(last)
}
