//! Removing games from the library, and with them, on request, media files that this program may remove.
//!
//! The game's own file is never touched. A media file goes only when it lies inside the data
//! directory, is a regular file without a symlink on the way, and no other game uses it, also none
//! that the trash can bring back.

use std::path::{Component, Path, PathBuf};

use super::{
    edit::EditError,
    path_checks,
    reference::GameRef,
    trash::{self, TrashEntry, TrashError},
};
use crate::{
    base::{Moment, schema::schema},
    files::Files,
    model::{Cause, Game, Games, Record, State, media},
    store::{Committed, Store},
};

/// Names under which records of the first storefront know their source, folded.
const STORE_A: [&str; 2] = ["store_a", "steam"];

schema! {
    "GameDeleted"
    /// A removed game, and the outcome for its media.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Deleted {
        /// Media files that were deleted.
        pub deleted_media: Vec<String>,
        /// Stable id of the removed game.
        #[serde(skip)]
        pub game_id: String,
        /// Its name.
        #[serde(rename = "removed")]
        pub name: String,
        /// Media files that stay because another game uses them.
        pub shared_media: Vec<String>,
    }
}

/// Removes a game (`POST /api/game/delete`).
///
/// The record goes first, in one commit; files follow only after that, so a failure in between
/// leaves a file too many, never a record without its file.
///
/// # Errors
/// [`EditError::UnknownGame`], or an error of the store.
pub fn delete_game(
    store: &Store,
    files: &Files,
    data_dir: &Path,
    target: &GameRef,
    delete_media: bool,
) -> Committed<Deleted, EditError> {
    let (game, left) = store.commit(|draft| {
        let (_, game) = target.find(&draft.state().games).ok_or(EditError::UnknownGame)?;
        let id = game.id().to_owned();
        let gone = draft.remove_games(&[id]).pop().ok_or(EditError::UnknownGame)?;
        draft.set_cause(Cause::Deleted);
        Ok((gone, Left::of(draft.state(), "")))
    })?;
    let media = if delete_media {
        self::delete_media(store, files, data_dir, &game.record(), &left)
    } else {
        Deleted::default()
    };
    Ok(Deleted { game_id: game.id().to_owned(), name: game.name().to_owned(), ..media })
}

/// Moves a game to the trash; its media files go too when that is wanted, as in [`delete_game`].
///
/// # Errors
/// [`TrashError::UnknownGame`], or an error of the store.
pub fn trash_game(
    store: &Store,
    files: &Files,
    data_dir: &Path,
    target: &GameRef,
    delete_media: bool,
    now: &Moment,
) -> Committed<(TrashEntry, Deleted), TrashError> {
    let (entry, left) = store.commit(|draft| {
        let entry = trash::put(draft, target, now)?;
        let left = Left::of(draft.state(), &entry.trash_id);
        Ok((entry, left))
    })?;
    let media = if delete_media {
        self::delete_media(store, files, data_dir, &entry.game, &left)
    } else {
        Deleted::default()
    };
    Ok((entry, media))
}

/// The games whose media files must stay: those of the library, and those that the trash can still
/// bring back.
struct Left {
    games: Games,
    trashed: Vec<Record>,
}

impl Left {
    /// What a state holds, apart from the game of the trash entry `gone`; empty text when the
    /// removed game is in no trash.
    fn of(state: &State, gone: &str) -> Self {
        let entries = state.rows::<TrashEntry>().into_iter();
        let others = entries.filter(|entry| entry.trash_id != gone);
        Self { games: state.games.clone(), trashed: others.map(|entry| entry.game).collect() }
    }
}

/// Deletes the media files of a removed record that this program owns and no remaining game uses.
fn delete_media(
    store: &Store,
    files: &Files,
    data_dir: &Path,
    record: &Record,
    left: &Left,
) -> Deleted {
    let mut deleted = Deleted::default();
    for path in media_paths(record) {
        match fate(&path, data_dir, left) {
            Fate::Kept => {}
            Fate::Shared => deleted.shared_media.push(path),
            Fate::Removable(file) => match files.remove(&file) {
                Ok(()) => deleted.deleted_media.push(path),
                Err(error) => log::warn!("media file stays: {error}"),
            },
        }
    }
    store.report(Cause::MediaChanged(deleted.deleted_media.clone()));
    deleted
}

/// Moves every game that came from the first storefront to the trash, which keeps the newest of them, and returns how
/// many went.
///
/// # Errors
/// An error of the store.
pub fn delete_store_a(store: &Store, now: &Moment) -> Committed<usize, TrashError> {
    store.commit(|draft| {
        let from_store = |game: &&std::sync::Arc<Game>| {
            STORE_A.iter().any(|name| game.source().trim().eq_ignore_ascii_case(name))
        };
        let games = draft.state().games.iter().filter(from_store);
        let games: Vec<GameRef> = games.map(|game| GameRef::Id(game.id().to_owned())).collect();
        if games.is_empty() {
            return Ok(0);
        }
        Ok(trash::put_all(draft, &games, now)?.len())
    })
}

/// Folders of the data directory whose files no game may take along, whatever its record names:
/// archives, states and what plugins and the program itself keep.
const KEPT_FOLDERS: [&str; 16] = [
    "emulator_defs",
    "library.json.snapshots",
    "operations_items",
    "backups",
    "save-backups",
    "shortcut-backups",
    "exports",
    "highscores",
    "plugins",
    "themes",
    "extension-data",
    "resume_states",
    "match_previews",
    "local_media",
    "metadata",
    "generated",
];

/// Whether a media file may be removed with its game: it lies in a folder of the data directory that
/// holds media, by a plain path that leads through no link. Files in the directory itself, such as
/// the library, never may.
pub fn is_expendable(path: &str, data_dir: &Path) -> bool {
    let file = Path::new(path);
    let Ok(below) = file.strip_prefix(data_dir) else { return false };
    let mut parts = below.components();
    let (Some(Component::Normal(first)), Some(_)) = (parts.next(), parts.next()) else {
        return false;
    };
    KEPT_FOLDERS.iter().all(|kept| first != *kept)
        && !path.split('/').any(|part| part == "..")
        && !path_checks::has_symlink(file)
        && file.is_file()
}

enum Fate {
    Kept,
    Shared,
    Removable(PathBuf),
}

fn fate(path: &str, data_dir: &Path, others: &Left) -> Fate {
    let file = PathBuf::from(path);
    let inside = is_expendable(path, data_dir);
    match (inside, is_used(path, others)) {
        (true, true) => Fate::Shared,
        (true, false) => Fate::Removable(file),
        (false, _) => Fate::Kept,
    }
}

/// Whether any game names this media file. The name is searched in the text of the record first;
/// only records that hold it are opened.
fn is_used(path: &str, left: &Left) -> bool {
    let written = serde_json::to_string(path).unwrap_or_default();
    let names = |record: &Record| media_paths(record).any(|used| used == path);
    let mut candidates = left.games.iter().filter(|game| game.json().contains(&written));
    candidates.any(|game| names(&game.record())) || left.trashed.iter().any(names)
}

/// Every media path a record names, each once.
fn media_paths(record: &Record) -> impl Iterator<Item = String> {
    let mut paths = media::FIELDS.map(|field| record.text(field).to_owned()).to_vec();
    paths.extend(record.texts("screenshots").map(str::to_owned));
    paths.retain(|path| !path.is_empty());
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{fs::File, os::unix::fs::symlink, sync::Arc};

    use serde_json::json;

    use super::*;

    fn left(paths: &[&str]) -> Left {
        let games = Games::from_games(paths.iter().enumerate().map(|(number, path)| {
            let record = json!({"game_id": format!("game-{number}"), "cover": path});
            Arc::new(Game::from_json(&record.to_string()).expect("valid"))
        }));
        Left { games, trashed: Vec::new() }
    }

    #[test]
    fn only_own_unshared_regular_files_are_removable() {
        let data = tempfile::tempdir().expect("a folder");
        let data = data.path().canonicalize().expect("a real path");
        std::fs::create_dir(data.join("media")).expect("a folder");
        let inside = data.join("media/a \"b\".png");
        File::create(&inside).expect("a file");
        symlink(&inside, data.join("link.png")).expect("a link");
        let outside = tempfile::NamedTempFile::new().expect("a file");
        let of = |path: &Path, others: &[&str]| fate(&path.to_string_lossy(), &data, &left(others));
        assert!(matches!(of(&inside, &[]), Fate::Removable(_)));
        assert!(matches!(of(&inside, &["x", &inside.to_string_lossy()]), Fate::Shared));
        assert!(matches!(of(&data.join("link.png"), &[]), Fate::Kept));
        assert!(matches!(of(&data.join("../x"), &[]), Fate::Kept));
        assert!(matches!(of(&data, &[]), Fate::Kept));
        assert!(matches!(of(outside.path(), &[]), Fate::Kept));
        std::fs::create_dir(data.join("backups")).expect("a folder");
        for own in ["library.json", "backups/archive.zip"] {
            File::create(data.join(own)).expect("a file");
            assert!(matches!(of(&data.join(own), &[]), Fate::Kept), "{own} is no media");
        }
    }
}
