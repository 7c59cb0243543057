//! Adds save paths to games: one that a client named, or those that a scan found.

use std::{collections::BTreeMap, fs};

use serde_json::Value;

use super::{
    discover::{self, Candidate},
    error::SaveError,
    places::Home,
};
use crate::{
    base::limits::SAVE_PATHS,
    game::{GameRef, path_checks},
    model::{Draft, Record},
    store::{CommitError, Store},
};

/// Adds an existing path to a game, unless it has it, and returns the path as it is stored; `~` is
/// the home: `POST /api/saves/add`.
///
/// # Errors
/// [`SaveError`] inside [`CommitError::Refused`].
pub fn add_existing(
    store: &Store,
    game: &GameRef,
    path: &str,
    home: &Home,
) -> Result<String, CommitError<SaveError>> {
    let path = existing(path, home).map_err(CommitError::Refused)?;
    store.commit(|draft| add_path(draft, game, &path))?;
    Ok(path)
}

fn existing(path: &str, home: &Home) -> Result<String, SaveError> {
    let absolute = path_checks::absolute(path, &home.home);
    let absolute = absolute.ok_or_else(|| SaveError::NotAbsolute(path.to_owned()))?;
    let text = absolute.to_str().filter(|text| !text.contains('\0'));
    // A dangling link counts: archives keep links as they are.
    let text = text.filter(|text| fs::symlink_metadata(text).is_ok());
    text.map(str::to_owned).ok_or(SaveError::MissingPath)
}

/// Scans for the save paths of all games and adds what it finds: `POST /api/saves/scan/apply`.
///
/// # Errors
/// When the library cannot be read or written.
pub fn scan_and_add(store: &Store, home: &Home) -> Result<Applied, CommitError<SaveError>> {
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    let candidates = discover::scan(home, &state);
    store.commit(|draft| Ok(apply_scan(draft, &candidates)))
}

/// Adds a path to a game, once.
fn add_path(draft: &mut Draft, game: &GameRef, path: &str) -> Result<(), SaveError> {
    let (_, game) = game.find(&draft.state().games).ok_or(SaveError::UnknownGame)?;
    let id = game.id().to_owned();
    let added = draft.edit_game(&id, |record| add(record, path));
    added.map_err(|_| SaveError::UnknownGame)?
}

/// What adding the findings of a scan did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Paths that were added.
    pub updated: usize,
    /// Games for which something was found.
    pub games: usize,
}

/// Adds the candidates of a scan. Roots that many games share are left out: restoring one game must
/// not turn back the saves of all others. A game that is gone or full is skipped.
fn apply_scan(draft: &mut Draft, found: &BTreeMap<String, Vec<Candidate>>) -> Applied {
    let mut applied = Applied { updated: 0, games: found.len() };
    for (id, candidates) in found {
        let own = candidates.iter().filter(|candidate| !candidate.shared);
        let edited = draft.edit_game(id, |record| {
            own.filter(|candidate| {
                let before = record.list("save_paths").len();
                add(record, &candidate.path).is_ok() && record.list("save_paths").len() > before
            })
            .count()
        });
        applied.updated += edited.unwrap_or(0);
    }
    applied
}

fn add(record: &mut Record, path: &str) -> Result<(), SaveError> {
    let mut paths: Vec<Value> = record.list("save_paths").to_vec();
    if paths.iter().any(|known| known == path) {
        return Ok(());
    }
    if paths.len() >= SAVE_PATHS {
        return Err(SaveError::TooManyPaths);
    }
    paths.push(path.into());
    record.set("save_paths", paths);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::State;

    fn draft(paths: &Value) -> Draft {
        let mut draft = Draft::new(State::default());
        let game = json!({"game_id": "game-1", "name": "A", "save_paths": paths});
        draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        draft
    }

    fn paths(draft: &Draft) -> Vec<String> {
        let record = draft.state().games.find("game-1").expect("there").1.record();
        record.texts("save_paths").map(str::to_owned).collect()
    }

    #[test]
    fn a_path_is_added_once_and_at_most_fifty_are() {
        let game = GameRef::Id("game-1".into());
        let mut one = draft(&json!(["/a"]));
        for path in ["/b", "/a", "/b"] {
            add_path(&mut one, &game, path).expect("added");
        }
        assert_eq!(paths(&one), ["/a", "/b"]);
        let full: Vec<String> = (0..49).map(|n| format!("/{n}")).collect();
        let mut full = draft(&json!(full));
        add_path(&mut full, &game, "/49").expect("the fiftieth");
        let refused = add_path(&mut full, &game, "/50").map_err(|error| error.to_string());
        assert_eq!(refused, Err("Save paths are limited to 50 entries.".into()));
        add_path(&mut full, &game, "/49").expect("it has that one");
        let unknown = add_path(&mut full, &GameRef::Position(9), "/x");
        assert!(matches!(unknown, Err(SaveError::UnknownGame)));
    }

    #[test]
    fn shared_roots_are_counted_and_not_added() {
        let candidate =
            |path: &str, shared| Candidate { path: path.into(), label: String::new(), shared };
        let found = BTreeMap::from([
            ("game-1".to_owned(), vec![candidate("/a", false), candidate("/all", true)]),
            ("game-gone".to_owned(), vec![candidate("/b", false)]),
        ]);
        let mut draft = draft(&json!([]));
        assert_eq!(apply_scan(&mut draft, &found), Applied { updated: 1, games: 2 });
        assert_eq!(paths(&draft), ["/a"]);
        assert_eq!(apply_scan(&mut draft, &found).updated, 0);
    }
}
