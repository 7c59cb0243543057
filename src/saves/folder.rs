//! The handle of the module, and the archives of a game: their names, their list, their number.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

use super::{error::SaveError, places::Home, subject::Subject};
use crate::{
    backup::error::BackupError,
    base::{Hold as _, Moment, named::named, schema::schema},
    config::{data_dir::DataDir, settings::read},
    files::{
        DiskError, Files,
        confine::{self, ConfineError},
    },
    game::GameRef,
    store::Store,
};

const ENDING: &str = ".zip";

/// What the module needs from the rest of the program.
pub struct SavesContext {
    /// Disk access.
    pub files: Files,
    /// Where everything of the program lies.
    pub data_dir: DataDir,
    /// The library.
    pub store: Store,
    /// Where emulators and storefronts keep saves.
    pub home: Home,
    /// Whether the game with this id runs.
    pub runs: Box<dyn Fn(&str) -> bool + Send + Sync>,
    /// Bytes that are free where a folder lies, where that is known.
    pub room: fn(&Path) -> Option<u64>,
    /// The clock.
    pub now: fn() -> Moment,
}

/// Saves, scores and shared statistics of one data directory. One archive is made or restored at a
/// time.
pub struct Saves {
    pub(super) context: SavesContext,
    work: Mutex<()>,
    pub(super) sync: Mutex<()>,
}

named! {
    /// Why an archive was made; the last part of its name.
    pub enum Label {
        /// It was requested.
        Manual = "manual",
        /// The game was closed.
        OnClose = "on-close",
        /// An archive is about to be restored.
        BeforeRestore = "before-restore",
    }
}

schema! {
    "SaveArchive"
    /// One archive of `GET /api/saves`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Listed {
        /// The name of the file.
        pub name: String,
        /// Bytes.
        pub size: u64,
        /// Where it stands.
        #[serde(skip)]
        pub(super) path: PathBuf,
    }
}

impl Saves {
    /// The saves of a data directory.
    pub fn new(context: SavesContext) -> Self {
        Self { context, work: Mutex::new(()), sync: Mutex::new(()) }
    }

    /// The parameters of the module.
    pub fn context(&self) -> &SavesContext {
        &self.context
    }

    /// Where emulators and storefronts keep saves.
    pub fn home(&self) -> &Home {
        &self.context.home
    }

    /// The name of the archive of a game that a request names.
    ///
    /// # Errors
    /// [`SaveError::NotFound`].
    pub fn find(&self, game: &Subject, name: &str) -> Result<String, SaveError> {
        self.locate(game, name).map(|listed| listed.name)
    }

    /// Waits until no other thread makes or restores an archive.
    pub(super) fn work(&self) -> MutexGuard<'_, ()> {
        self.work.hold()
    }

    /// The game a request names.
    ///
    /// # Errors
    /// [`SaveError::UnknownGame`], or no library.
    pub fn subject(&self, game: &GameRef) -> Result<Subject, SaveError> {
        let state = self.context.store.snapshot()?;
        let (_, game) = game.find(&state.games).ok_or(SaveError::UnknownGame)?;
        Ok(Subject::of(game))
    }

    /// The archives of a game, newest first.
    ///
    /// # Errors
    /// When a folder cannot be read; a missing one holds nothing, and neither does one behind a link.
    pub fn list(&self, game: &Subject) -> Result<Vec<Listed>, SaveError> {
        let mut listed: Vec<Listed> = Vec::new();
        for folder in self.folders(game) {
            if let Err(error) = self.refuse_link(&folder) {
                log::warn!("save backups are not listed: {error}");
                continue;
            }
            for name in self.context.files.list(&folder)? {
                let path = folder.join(&name);
                let known = listed.iter().any(|other| other.name == name);
                if known || !is_archive_name(&name) {
                    continue;
                }
                let Some(stat) = self.context.files.stat(&path)? else { continue };
                if stat.is_file() {
                    listed.push(Listed { name, size: stat.len(), path });
                }
            }
        }
        listed.sort_by(|a, b| b.name.cmp(&a.name));
        Ok(listed)
    }

    /// The archive of a game with this name; of a path only the last part counts.
    ///
    /// # Errors
    /// [`SaveError::NotFound`].
    pub(super) fn locate(&self, game: &Subject, name: &str) -> Result<Listed, SaveError> {
        let base = name.trim().rsplit('/').next().unwrap_or("");
        if base.contains('\0') || !is_archive_name(base) {
            return Err(SaveError::NotFound);
        }
        let found = self.list(game)?.into_iter().find(|listed| listed.name == base);
        found.ok_or(SaveError::NotFound)
    }

    /// Where archives of a game may lie, the folder for new ones first.
    fn folders(&self, game: &Subject) -> Vec<PathBuf> {
        let top = self.context.data_dir.save_backups();
        game.folder_names().into_iter().map(|name| top.join(name)).collect()
    }

    /// Refuses a folder of archives that is a link or lies behind one: it would lead out of the data
    /// directory. How that directory is reached is the user's choice: a home folder behind a link is common.
    pub(super) fn refuse_link(&self, folder: &Path) -> Result<(), SaveError> {
        let root = self.context.data_dir.root();
        confine::refuse_link_below(root, folder).map_err(|error| match error {
            ConfineError::Unreadable { path, source } => {
                DiskError { action: "examine", path, source }.into()
            }
            ConfineError::Link { .. } | ConfineError::Outside => {
                let shown = folder.strip_prefix(root).unwrap_or(folder).to_string_lossy();
                BackupError::DestinationLink(shown.into_owned()).into()
            }
        })
    }

    /// The folder for new archives of a game.
    pub(super) fn folder(&self, game: &Subject) -> PathBuf {
        self.folders(game).swap_remove(0)
    }

    /// How many archives of a game are kept; 0 keeps all.
    pub(super) fn keep(&self) -> Result<usize, SaveError> {
        let state = self.context.store.snapshot()?;
        let limit = read::integer(state.settings(), "save_backup_limit");
        Ok(usize::try_from(limit).unwrap_or(0))
    }

    /// Removes the oldest archives of a game until `keep` are left and returns how many went; 0
    /// keeps all. The newest one made here is never removed, whatever the time.
    ///
    /// # Errors
    /// When the folder cannot be read or an archive not be removed.
    pub(super) fn trim(
        &self,
        game: &Subject,
        keep: usize,
        made: Option<&str>,
    ) -> Result<usize, SaveError> {
        if keep == 0 {
            return Ok(0);
        }
        let mut others = self.list(game)?;
        others.retain(|listed| Some(listed.name.as_str()) != made);
        let kept = keep - usize::from(made.is_some());
        let mut trimmed = 0;
        for old in others.iter().skip(kept) {
            self.context.files.remove(&old.path)?;
            trimmed += 1;
        }
        Ok(trimmed)
    }

    /// Removes the oldest archives of a game until `keep` are left; returns how many went and how
    /// many are left.
    ///
    /// # Errors
    /// As for the list.
    pub fn prune(&self, game: &Subject, keep: usize) -> Result<(usize, usize), SaveError> {
        let _work = self.work();
        let removed = self.trim(game, keep, None)?;
        Ok((removed, self.list(game)?.len()))
    }

    /// A name for an archive made now that nothing has yet, and its place.
    pub(super) fn free_place(
        &self,
        game: &Subject,
        label: Label,
    ) -> Result<(String, PathBuf), SaveError> {
        loop {
            let stamp = (self.context.now)().local_format("%Y%m%d-%H%M%S-%6f");
            let name = format!("{stamp}-{}{ENDING}", label.name());
            let path = self.folder(game).join(&name);
            if self.context.files.stat(&path)?.is_none() {
                return Ok((name, path));
            }
        }
    }
}

/// The label in the name of an archive; empty when there is none.
pub fn label_of(name: &str) -> &str {
    let stem = name.strip_suffix(ENDING).unwrap_or(name);
    stem.splitn(4, '-').nth(3).unwrap_or("")
}

fn is_archive_name(name: &str) -> bool {
    !name.starts_with('.') && name.len() > ENDING.len() && name.ends_with(ENDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_why_an_archive_was_made() {
        for (name, label) in [
            ("20261121-180405-123456-before-restore.zip", "before-restore"),
            ("20261121-180405-123456-manual.zip", "manual"),
            ("mine.zip", ""),
        ] {
            assert_eq!(label_of(name), label);
        }
        for label in [Label::Manual, Label::OnClose, Label::BeforeRestore] {
            assert_eq!(Label::named(label.name()), Some(label));
        }
        assert!(is_archive_name("a.zip") && !is_archive_name(".zip"));
        assert!(!is_archive_name(".a.zip") && !is_archive_name("a.zip.tmp"));
    }
}
