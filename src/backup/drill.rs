//! The restore drill: the newest archive restored into a folder of its own, read again, compared.
//!
//! Goes the way of a real restore to the last step, with a library of its own in a scratch folder
//! below the cache. Touches nothing else and leaves nothing behind.

use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use super::{
    archive::{Archive, LIBRARY},
    error::BackupError,
    folder::{self, BackupContext, Backups},
    items::RestoreRequest,
    members::Member,
    plugin_state,
    watch::Watch,
};
use crate::{
    base::ids,
    config::data_dir::DataDir,
    files::{Files, source::Source, space},
    store::{OpenError, Options, Paths, Store, exchange::read_state},
};

/// How the names of scratch folders begin.
const PREFIX: &str = "restore-drill-";
/// Room that must stay free besides what the drill writes.
const RESERVE: u64 = 64 << 20;

/// What was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drilled {
    /// Games of the library; 0 when the archive holds none.
    pub games: usize,
    /// Files of the trees.
    pub files: usize,
}

/// A folder that is gone when this is.
struct Scratch {
    files: Files,
    path: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = self.files.remove_tree(&self.path) {
            log::warn!("{error}");
        }
    }
}

impl Backups {
    /// The name of the newest archive that was made here.
    ///
    /// # Errors
    /// When the folder of archives cannot be read.
    pub fn newest(&self) -> Result<Option<String>, BackupError> {
        let mut own = self.archives()?;
        own.retain(|(name, ..)| folder::is_own_name(name));
        Ok(own.into_iter().next().map(|(name, ..)| name))
    }

    /// Restores an archive into a scratch folder and compares the result with the archive, byte by byte.
    ///
    /// # Errors
    /// Whatever a restore would fail with, [`BackupError::NoRoom`], or [`BackupError::Differs`].
    pub fn drill(&self, name: &str, watch: &dyn Watch) -> Result<Drilled, BackupError> {
        let files = &self.context.files;
        let path = self.named(name).ok_or(BackupError::Place)?;
        let mut archive = Archive::open(files, &path)?;
        let cache = self.context.data_dir.cache();
        files.private_dir(&cache)?;
        self.clear_drills(&cache);
        // The library is written, its log next to it, and both are kept once as they were.
        let sizes = archive.members().iter().map(|member| {
            if member.name == LIBRARY { member.size.saturating_mul(3) } else { member.size }
        });
        let needed = sizes.fold(RESERVE, u64::saturating_add);
        if space::free_bytes(&cache).is_some_and(|free| free < needed) {
            return Err(BackupError::NoRoom(needed));
        }
        let root = cache.join(format!("{PREFIX}{}", ids::random_hex(6)));
        let scratch = Scratch { files: files.clone(), path: root };
        files.private_dir(&scratch.path)?;
        let open = || {
            Store::open(Options {
                files: files.clone(),
                paths: Paths::below(&scratch.path),
                debounce: std::time::Duration::ZERO,
                now: self.context.now,
                scribe: None,
            })
        };
        let store = open().map_err(unopened)?;
        let house = Self::new(BackupContext {
            files: files.clone(),
            data_dir: DataDir::at(scratch.path.clone()),
            store: store.clone(),
            journal: None,
            running: Box::new(|| 0),
            now: self.context.now,
        });
        let request = RestoreRequest { path: String::new(), items: None, force: true };
        house.restore_from(&path, &request, watch)?;
        store.close();
        let again = open().map_err(unopened)?;
        let games = again.snapshot()?.games.len();
        again.close();
        let expected = match archive.read(LIBRARY)? {
            Some(bytes) => read_state(&bytes).map_err(|_| BackupError::Invalid)?.games.len(),
            None => 0,
        };
        if games != expected {
            return Err(BackupError::Differs(LIBRARY.to_owned()));
        }
        let files = compare_trees(&mut archive, &scratch, watch)?;
        Ok(Drilled { games, files })
    }

    /// Removes what drills left that were cut off.
    fn clear_drills(&self, cache: &Path) {
        let names = self.context.files.list(cache).unwrap_or_default();
        for name in names.iter().filter(|name| name.starts_with(PREFIX)) {
            if let Err(error) = self.context.files.remove_tree(&cache.join(name)) {
                log::warn!("{error}");
            }
        }
    }
}

/// Compares every file of the trees and returns how many there are.
fn compare_trees(
    archive: &mut Archive,
    scratch: &Scratch,
    watch: &dyn Watch,
) -> Result<usize, BackupError> {
    let trees = archive.members().iter().enumerate().filter(|(_, member)| {
        // The state of the plugins is merged, not copied.
        !member.is_folder() && member.name != plugin_state::NAME && is_restored(archive, member)
    });
    let members: Vec<(usize, String)> =
        trees.map(|(at, member)| (at, member.name.clone())).collect();
    for (at, name) in &members {
        let differs = || BackupError::Differs(name.clone());
        let written = scratch.files.open(&scratch.path.join(name)).map_err(|_| differs())?;
        let mut beside = Beside { written, piece: Vec::new() };
        match archive.copy(*at, &mut beside, &|| watch.go_on()) {
            Err(BackupError::Sink(_)) => return Err(differs()),
            other => other?,
        }
        if beside.written.read(&mut [0]).map_err(BackupError::Sink)? != 0 {
            return Err(differs());
        }
    }
    Ok(members.len())
}

fn is_restored(archive: &Archive, member: &Member) -> bool {
    archive.manifest.items.iter().any(|item| item.owns(&member.name))
}

/// A sink that refuses what is not in the file next to it.
struct Beside {
    written: Source,
    piece: Vec<u8>,
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.resize(bytes.len(), 0);
        self.written.read_exact(&mut self.piece)?;
        if self.piece == bytes { Ok(bytes.len()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn unopened(error: OpenError) -> BackupError {
    match error {
        OpenError::Folder(error) => BackupError::Disk(error),
        other @ (OpenError::Locked { .. } | OpenError::Kind { .. }) => {
            BackupError::Sink(io::Error::other(other.to_string()))
        }
    }
}
