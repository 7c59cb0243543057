//! Uninstalling a game of the library server. Its row stays in the library, marked as not installed.

use std::path::{Path, PathBuf};

use crate::{
    config::environment::Environment,
    files::{Files, confine},
    game::GameRef,
    model::Record,
    store::{CommitError, Store},
};

use super::{config, error::LibserverError};

/// An uninstalled game.
#[derive(Clone, Debug, PartialEq)]
pub struct Uninstalled {
    /// The paths that were removed.
    pub paths: Vec<PathBuf>,
    /// The row afterwards; empty when it was deleted meanwhile.
    pub game: Record,
}

/// Removes the files of an installed game and marks its row: `POST /api/libserver/uninstall`.
///
/// # Errors
/// [`LibserverError`] inside [`CommitError::Refused`]; files may be gone when the commit fails.
pub fn uninstall(
    store: &Store,
    files: &Files,
    environment: &Environment,
    game: &GameRef,
) -> Result<Uninstalled, CommitError<LibserverError>> {
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    let (_, game) = game.find(&state.games).ok_or(CommitError::Refused(LibserverError::NoGame))?;
    let root = config::root_of(state.settings(), environment);
    let removal = Removal::plan(&game.record(), &root).map_err(CommitError::Refused)?;
    let paths = removal.run(files).map_err(CommitError::Refused)?;
    let folder = removal.folder.to_string_lossy();
    let game = store.commit(|draft| {
        let edited = draft.edit_game(game.id(), |row| {
            row.set("store_installed", false);
            row.set("launch", "");
            row.set("path", &*folder);
            row.clone()
        });
        // OK because a row that was deleted meanwhile needs no change.
        Ok(edited.unwrap_or_default())
    })?;
    Ok(Uninstalled { paths, game })
}

/// What would be removed for a row: its folder and, where it lies elsewhere, its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The folder of the game.
    pub folder: PathBuf,
    /// Its file, when that does not lie in the folder.
    pub file: Option<PathBuf>,
}

impl Removal {
    /// Plans the removal of a row's files. All of them lie strictly in the install folder and are
    /// reached without links; nothing is removed yet.
    ///
    /// # Errors
    /// [`LibserverError::Foreign`], [`LibserverError::NoFolder`], [`LibserverError::OutsideRoot`],
    /// [`LibserverError::Confined`].
    pub fn plan(row: &Record, root: &Path) -> Result<Self, LibserverError> {
        if row.shown("libserver_id").trim().is_empty() {
            return Err(LibserverError::Foreign);
        }
        let folder = row.text("install_dir").trim();
        if folder.is_empty() {
            return Err(LibserverError::NoFolder);
        }
        let folder = confined(root, Path::new(folder))?;
        let path = Path::new(row.text("path").trim());
        let is_apart = !row.is_blank("path") && !path.starts_with(&folder);
        let file = is_apart.then(|| confined(root, path)).transpose()?;
        Ok(Self { folder, file })
    }

    /// Removes the files; returns the paths that existed.
    ///
    /// # Errors
    /// [`LibserverError::Disk`].
    pub fn run(&self, files: &Files) -> Result<Vec<PathBuf>, LibserverError> {
        let mut removed = Vec::new();
        if let Some(file) = &self.file
            && files.stat(file)?.is_some_and(|stat| stat.is_file())
        {
            files.remove(file)?;
            removed.push(file.clone());
        }
        if files.stat(&self.folder)?.is_some() {
            files.remove_tree(&self.folder)?;
            removed.push(self.folder.clone());
        }
        Ok(removed)
    }
}

fn confined(root: &Path, path: &Path) -> Result<PathBuf, LibserverError> {
    if !confine::is_strictly_inside(root, path) {
        return Err(LibserverError::OutsideRoot(path.to_owned()));
    }
    confine::refuse_link_on_the_way(path)?;
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(row: Value, expected: Result<&str, &str>) {
        let row: Record = serde_json::from_value(row).expect("an object");
        let plan = Removal::plan(&row, Path::new("/nowhere/root"));
        let shown = plan.map(|plan| plan.folder.to_string_lossy().into_owned());
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(shown.map_err(|error| error.to_string()), expected);
    }

    #[test]
    fn only_what_lies_in_the_install_folder_is_removed() {
        let outside = Err("The game does not lie in the library server install folder.");
        check(json!({"libserver_id": 7, "install_dir": "/nowhere/root/a"}), Ok("/nowhere/root/a"));
        check(
            json!({"install_dir": "/nowhere/root/a"}),
            Err("This game is not from the library server."),
        );
        check(json!({"libserver_id": 7}), Err("This game has no install folder."));
        for folder in
            ["/nowhere/root", "/nowhere/root/../other", "/", "/nowhere/rootless", "relative"]
        {
            check(json!({"libserver_id": 7, "install_dir": folder}), outside);
        }
        let apart =
            json!({"libserver_id": 7, "install_dir": "/nowhere/root/a", "path": "/etc/passwd"});
        check(apart, outside);
    }
}
