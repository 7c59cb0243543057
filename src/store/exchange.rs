//! Exporting and replacing a whole library: the text for an archive, and the state from one.

use std::{
    io::{self, Write},
    path::Path,
};

use super::{
    document::read_document,
    error::{CommitError, Flaw, FoldError, Unavailable},
    open::Store,
    rebase::Aside,
    render::write_library,
    shared::Shared,
};
use crate::{base::ids::random_hex, files::DiskError, model::State};

/// Writes a state as a library file of its own: under a new lineage, so that no log is ever laid
/// over it, and no older one lands on it.
///
/// # Errors
/// When the sink refuses.
pub fn write_state(state: &State, sink: &mut dyn Write) -> io::Result<()> {
    write_library(state, &random_hex(16), sink)
}

/// Reads the bytes of a library file, with the repairs every load makes.
///
/// # Errors
/// What is wrong with it.
pub fn read_state(bytes: &[u8]) -> Result<State, Flaw> {
    read_document(bytes).map(|document| document.state)
}

impl Store {
    /// Makes another state the library in one step, under the next revision, and returns how many
    /// games it has.
    ///
    /// `make` sees the newest state, `None` while the library file is damaged, and returns the one
    /// to come; it does no I/O and does not call the store. What was the library until then is
    /// copied to `keep` first, with everything that was answered, and is kept as a snapshot too.
    ///
    /// # Errors
    /// When there is no state, `make` refuses, or the disk does. Then the library is as it was.
    pub fn replace<E>(
        &self,
        keep: &Path,
        make: impl FnOnce(Option<&State>) -> Result<State, E>,
    ) -> Result<usize, CommitError<E>> {
        let shared = self.shared();
        // The snapshot of the state before should hold everything; `keep` does so in any case.
        match shared.fold() {
            Ok(_) | Err(FoldError::Unavailable(_)) => {}
            Err(error) => log::warn!("the library was not written before its change: {error}"),
        }
        let file = shared.file_lock();
        let outcome = shared.replace(keep, make);
        drop(file);
        shared.deliveries.deliver();
        outcome
    }
}

impl Shared {
    fn replace<E>(
        &self,
        keep: &Path,
        make: impl FnOnce(Option<&State>) -> Result<State, E>,
    ) -> Result<usize, CommitError<E>> {
        let mut writer = self.quiet();
        let before = writer.tip.clone();
        let files = &self.options.files;
        let keep_before = |content: Result<(), DiskError>| content.map_err(CommitError::Disk);
        let state = match &before {
            Ok(state) => {
                let state = make(Some(state)).map_err(CommitError::Refused)?;
                keep_before(files.replace_with(keep, |sink| {
                    before.as_ref().map_or(Ok(()), |old| write_library(old, &writer.lineage, sink))
                }))?;
                state
            }
            Err(Unavailable::Corrupt(_)) => {
                let state = make(None).map_err(CommitError::Refused)?;
                keep_before(files.copy(&self.options.paths.library, keep))?;
                state
            }
            Err(Unavailable::Missing) => make(None).map_err(CommitError::Refused)?,
            Err(error @ (Unavailable::Unreadable(_) | Unavailable::Closed)) => {
                return Err(CommitError::Unavailable(error.clone()));
            }
        };
        let aside = if before.is_ok() { Aside::Snapshot } else { Aside::Corrupt };
        let lineage = Some(writer.lineage.to_string()).filter(|text| !text.is_empty());
        self.rebase(&mut writer, state, lineage, &aside).map_err(CommitError::Disk)?;
        let after = writer.tip.clone().map_err(CommitError::Unavailable)?;
        let games = after.games.len();
        let before = before.unwrap_or_default();
        self.tell_replaced(&writer.lineage, before, after);
        Ok(games)
    }
}
