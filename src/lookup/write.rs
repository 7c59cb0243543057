//! Writing what was found to one game, in one commit.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::error::LookupError;
use crate::{
    base::{ids, text},
    game::{
        GameRef,
        edit::EditError,
        origins::{self, Mode},
    },
    model::{
        Cause, Game, State,
        origins::{Origin, Origins, Right},
    },
    store::Store,
};

/// Characters of the readable part of a folder's name.
const SLUG: usize = 60;

/// Values that are written with one right.
pub(super) struct Part<'a> {
    pub right: Right,
    pub mode: Mode,
    pub values: &'a [(&'static str, Value)],
    /// The game for which they were found, when only fields that are as they were then are written.
    pub before: Option<&'a Game>,
}

/// The game that a request names.
pub(super) fn find(state: &State, game: &GameRef) -> Result<Arc<Game>, LookupError> {
    let found = game.find(&state.games).map(|(_, game)| Arc::clone(game));
    found.ok_or(LookupError::Edit(EditError::UnknownGame))
}

/// Where values came from; `pass` is blank for what cannot be undone as a whole.
pub(super) fn origin(provider: &str, reference: &str, pass: &str) -> Origin {
    Origin {
        by: provider.to_owned(),
        reference: reference.to_owned(),
        pass: pass.to_owned(),
        ..Origin::default()
    }
}

/// Writes values of one origin to a game, as far as its locks leave it; the fields that changed. `kind`
/// is what the pass of the origin is called.
///
/// # Errors
/// [`EditError::UnknownGame`], or when the library cannot be saved.
pub(super) fn write(
    store: &Store,
    game_id: &str,
    origin: &Origin,
    kind: &str,
    parts: &[Part<'_>],
) -> Result<Vec<String>, LookupError> {
    let written = store.commit(|draft| {
        if draft.state().games.find(game_id).is_none() {
            return Err(LookupError::Edit(EditError::UnknownGame));
        }
        let mut changed = Vec::new();
        for Part { right, mode, values, before } in parts {
            let untouched = before.map(|before| origins::untouched(draft, before, values));
            let values = untouched.as_deref().unwrap_or(values);
            let written = origins::fill(draft, game_id, origin.clone(), *right, *mode, values);
            changed.extend(written);
        }
        changed.sort_unstable();
        changed.dedup();
        if !changed.is_empty() && !origin.pass.is_empty() {
            origins::note_pass(draft, &origin.pass, kind, 1);
        }
        draft.set_cause(Cause::Updated(game_id.to_owned()));
        Ok(changed)
    });
    Ok(written?)
}

/// Whether nothing but an edit changes a field of a game, so that its file need not be loaded.
pub(super) fn is_held(game: &Game, field: &str) -> bool {
    Origins::of(&game.record()).holds(field, Right::Request)
}

/// Reports media files that were written, so that no client shows older ones.
pub(super) fn report(store: &Store, paths: &[&Path]) {
    if !paths.is_empty() {
        let paths = paths.iter().map(|path| path.to_string_lossy().into_owned());
        store.report(Cause::MediaChanged(paths.collect()));
    }
}

/// A path as the value of a field.
pub(super) fn path_value(path: &Path) -> Value {
    path.to_string_lossy().into_owned().into()
}

/// The folder of a game's media below `parent`: a name for people and a part that is the game's alone.
pub fn folder(parent: PathBuf, name: &str, game_id: &str) -> PathBuf {
    let mut slug = String::new();
    for letter in text::fold(name).chars() {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    let slug = text::cut(&slug, SLUG).trim_end_matches('-');
    let digest = ids::hex(&Sha256::digest(game_id));
    let own = &digest[..12];
    parent.join(if slug.is_empty() { own.to_owned() } else { format!("{slug}-{own}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_games_are_readable_and_their_own() {
        let name = |name: &str, id: &str| {
            let folder = folder(PathBuf::from("/m"), name, id);
            folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        assert!(name("../Comet: Rangers II!", "a").starts_with("comet-rangers-ii-"));
        assert_ne!(name("Comet", "a"), name("Comet", "b"));
        assert_eq!(name("彗星", "a").len(), 12);
        assert_eq!(name(&"x".repeat(500), "a").len(), 60 + 1 + 12);
    }
}
