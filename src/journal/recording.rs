//! From commits to events: which games a commit touched, and what that means for their chains.
//!
//! A chain is the truth about what was recorded. So a game is compared with the newest event of its
//! chain wherever the state before is not available, and recording the same commit twice adds nothing.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value;

use super::{
    book::{Book, Commit, Fresh, Pen},
    catalog::{self, Catalog},
    event::{EventId, Kind},
};
use crate::{
    files::DiskError,
    model::{Game, Games, Op, State},
};

/// The setting that switches recording.
const SWITCH: &str = "library_journal_enabled";
/// The key of the note that names what a commit undoes.
pub(super) const REVERT: &str = "journal_revert";

/// Whether the user wants a journal.
pub fn is_enabled(state: &State) -> bool {
    state.settings().get(SWITCH).and_then(Value::as_bool).unwrap_or(true)
}

/// Whether an op may switch recording on or off.
pub(super) fn is_switch(op: &Op) -> bool {
    op.changes_setting(SWITCH)
}

/// What a commit did to the games: each touched id once, in order, with what it is afterwards.
fn touched(ops: &[Op]) -> Vec<(&str, Option<&Arc<Game>>)> {
    let mut touched = Vec::with_capacity(ops.len());
    for op in ops {
        match op {
            Op::Put(game) | Op::Add(_, game) => touched.push((game.id(), Some(game))),
            Op::Rename { from, game } => {
                touched.extend([(from.as_str(), None), (game.id(), Some(game))]);
            }
            Op::Remove(ids) => touched.extend(ids.iter().map(|id| (id.as_str(), None))),
            Op::Note(_) | Op::Section(..) | Op::Splice { .. } | Op::Merge { .. } => {}
        }
    }
    touched.sort_by_key(|(id, _)| *id);
    // Of several changes of one game the last one counts.
    touched.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            earlier.1 = later.1;
        }
        is_same
    });
    touched
}

/// What a commit says it undoes.
pub(super) fn revert_of(ops: &[Op]) -> Option<Value> {
    ops.iter().find_map(|op| match op {
        Op::Note(note) => note.get(REVERT).cloned(),
        _ => None,
    })
}

/// Records one commit of the log. `before` holds the games it changed or removed as they were, where they are
/// available; without them every touched game is compared with its chain. Returns whether that was certain: a game that
/// is gone and had another key than its own id cannot be identified without them.
pub(super) fn record_commit(
    book: &mut Book,
    commit: &Commit<'_>,
    ops: &[Op],
    before: Option<&[Arc<Game>]>,
) -> Result<bool, DiskError> {
    let games: Option<HashMap<&str, &Arc<Game>>> =
        before.map(|games| games.iter().map(|game| (game.id(), game)).collect());
    book.record(commit, |pen| {
        let mut is_certain = true;
        let mut fresh = Fresher { pen };
        for (id, after) in touched(ops) {
            let known = games.as_ref().and_then(|games| games.get(id)).copied();
            let same = |game: &Arc<Game>| after.is_some_and(|after| after.json() == game.json());
            if known.is_some_and(same) {
                continue;
            }
            let known = known.map(|game| catalog::of(game));
            let catalog = after.map(|game| catalog::of(game));
            if known.is_some() && known == catalog {
                continue;
            }
            let key = known.as_ref().map_or_else(|| catalog::own_key(id), catalog::sync_key);
            match after.zip(catalog) {
                Some((after, catalog)) => {
                    fresh.follow(&key, after, &catalog, known.is_some())?;
                }
                None => is_certain &= fresh.end(key)? || games.is_some(),
            }
        }
        Ok(is_certain)
    })
}

/// Records whatever sets a library apart from the chains: after it was replaced as a whole, at the
/// first start, or when recording is switched on again.
pub(super) fn record_difference(
    book: &mut Book,
    commit: &Commit<'_>,
    games: &Games,
) -> Result<(), DiskError> {
    book.record(commit, |pen| {
        let rows = pen.book().index().len();
        let mut standing = HashSet::new();
        for row in 0..rows {
            let book = pen.book();
            if !book.index().is_head(row) || book.index().kind_of(row) == Kind::Delete {
                continue;
            }
            let key = book.index().key_of(row);
            // A head that is damaged is no source for the game; it is recorded again.
            let Some(event) = book.event(row)? else { continue };
            let mut recorded = event.catalog.unwrap_or_default();
            // Another program may have written down what was unset.
            recorded.retain(|_, value| !catalog::is_blank(value));
            let id = recorded.get("game_id").and_then(Value::as_str).unwrap_or("");
            let now = games.find(id).filter(|(_, game)| game.id() == id);
            let now = now.map(|(_, game)| (game, catalog::of(game)));
            let now = now.filter(|(_, now)| catalog::sync_key(now) == event.sync_key);
            let is_same = now.as_ref().is_some_and(|(_, now)| *now == recorded);
            if now.is_some() {
                standing.insert(key);
            }
            if !is_same {
                let kind = if now.is_some() { Kind::Edit } else { Kind::Delete };
                let game = now.map(|(game, _)| Arc::clone(game));
                let (sync_key, parents) = (event.sync_key, vec![event.id]);
                pen.push(Fresh { sync_key, parents, kind, game })?;
            }
        }
        let mut fresh = Fresher { pen };
        for game in games.iter() {
            let catalog = catalog::of(game);
            let key = catalog::sync_key(&catalog);
            if standing.insert(fresh.pen.book().index().key(&key)) {
                fresh.follow(&key, game, &catalog, true)?;
            }
        }
        Ok(())
    })
}

/// Hands over events that follow the chains of a book.
struct Fresher<'a, 'b> {
    pen: &'a mut Pen<'b>,
}

impl Fresher<'_, '_> {
    /// Follows a game from the key it had to what it is now. `is_changed` says that the chain need not
    /// be asked whether anything changed.
    fn follow(
        &mut self,
        key_before: &str,
        game: &Arc<Game>,
        after: &Catalog,
        is_changed: bool,
    ) -> Result<(), DiskError> {
        let key = catalog::sync_key(after);
        if key != key_before {
            self.end(key_before.to_owned())?;
        }
        let book = self.pen.book();
        let head = book.index().head(book.index().key(&key));
        let (kind, parents): (Kind, Vec<EventId>) = match head {
            None => (Kind::Add, Vec::new()),
            Some(row) => {
                let kind = match book.index().kind_of(row) {
                    Kind::Delete => Kind::Restore,
                    Kind::Add | Kind::Edit | Kind::Restore => Kind::Edit,
                };
                let is_same = kind == Kind::Edit
                    && !is_changed
                    && book.event(row)?.and_then(|event| event.catalog).as_ref() == Some(after);
                if is_same {
                    return Ok(());
                }
                (kind, vec![book.index().id_of(row)])
            }
        };
        self.pen.push(Fresh { sync_key: key, parents, kind, game: Some(Arc::clone(game)) })
    }

    /// Ends a chain, unless it has ended. Returns whether there is one.
    fn end(&mut self, sync_key: String) -> Result<bool, DiskError> {
        let index = self.pen.book().index();
        let Some(row) = index.head(index.key(&sync_key)) else { return Ok(false) };
        if index.kind_of(row) != Kind::Delete {
            let parents = vec![index.id_of(row)];
            self.pen.push(Fresh { sync_key, parents, kind: Kind::Delete, game: None })?;
        }
        Ok(true)
    }
}
