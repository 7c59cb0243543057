//! Owns the index: loads it lazily, follows the library, reports whether it is current.
//!
//! A change of a few games is applied at once, on the thread of the commit. After a larger one the next question
//! compares the games that changed. A missing index is built within the question when the library is small, and by a
//! job otherwise.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Instant,
};

use super::{file, index::Index};
use crate::{
    base::{Hold as _, HoldShared as _, schema::schema},
    files::Files,
    jobs::{Context, kind::Failure},
    model::{Cause, Game, Games, Op, State},
    store::{Store, watch::Change},
};

/// Games from which on an index is built by a job, not while a client waits.
const LARGE: usize = 5_000;
/// Games of one commit that are indexed on its thread.
const AT_ONCE: usize = 256;
/// Games between two checks whether the job is to stop.
const STEP: usize = 500;

/// The index of one library.
pub struct Dna {
    files: Files,
    path: PathBuf,
    library: PathBuf,
    /// A change of the library waits for it, so it is never held while the file is written.
    kept: RwLock<Kept>,
    /// Held while the file is written.
    saving: Mutex<()>,
}

#[derive(Default)]
pub(super) struct Kept {
    /// Shared with whoever writes it down; a change meanwhile goes to a copy.
    pub(super) index: Option<Arc<Index>>,
    /// The games that the index stands for; `None` when that is not known.
    indexed: Option<Games>,
    revision: u64,
    build_ms: u64,
    was_read: bool,
    is_unsaved: bool,
}

/// How an index is before a question is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStatus {
    /// The index is missing, and building it needs a job.
    pub is_missing: bool,
    /// It was not the one of the newest library.
    pub was_stale: bool,
    /// So much changed that it takes a job to bring it up to date; the question is answered from the old
    /// one.
    pub is_degraded: bool,
}

impl IndexStatus {
    /// Why the index is to be rebuilt by a job.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self { is_missing: true, .. } => Some("missing"),
            Self { is_degraded: true, .. } => Some("stale"),
            _ => None,
        }
    }
}

schema! {
    /// `GET /api/v2/library/dna/status`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DnaStatus {
        /// Games in the index.
        pub indexed: usize,
        /// Games in the library.
        pub total: usize,
        /// How many of them have a description, in percent with one decimal.
        pub coverage_pct: f64,
        /// Version of the rules by which games are indexed.
        pub index_version: u32,
        /// Version of the words that a query is widened with.
        pub lexicon_version: u32,
        /// Milliseconds that the last making of the index took.
        pub build_ms: u64,
        /// `ready`, `stale`, `building` or `missing`.
        pub state: &'static str,
    }
}

/// Version of the rules by which games are indexed.
const INDEX_VERSION: u32 = 1;

impl Dna {
    /// An index that lies at `path`, of the library that lies at `library`. Nothing is read yet.
    pub fn new(files: Files, path: PathBuf, library: PathBuf) -> Self {
        Self { files, path, library, kept: RwLock::default(), saving: Mutex::default() }
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.hold_read()
    }

    fn write(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.hold_write()
    }

    /// Follows the durable changes of the library from now on.
    pub fn follow(self: &Arc<Self>, store: &Store) {
        let dna = Arc::clone(self);
        store.watch(Box::new(move |change| dna.write().take_over(change)));
    }

    /// Updates the index to a state, unless that takes a job, and returns its status before.
    pub fn bring(&self, state: &State) -> IndexStatus {
        {
            let kept = self.read();
            if kept.index.is_some() && kept.indexed.is_some() && kept.revision >= state.revision {
                // A small index is saved by the next question after an edit.
                if !(kept.is_unsaved && state.games.len() < LARGE) {
                    return IndexStatus::default();
                }
            }
        }
        let status = self.write().bring(state, || file::read(&self.files, &self.path));
        if state.games.len() < LARGE {
            self.save();
        }
        status
    }

    /// The answer of `GET /api/v2/library/dna/status` for an index that was just updated to a state.
    pub fn status(&self, state: &State, status: IndexStatus) -> DnaStatus {
        let kept = self.read();
        let total = state.games.len();
        let described = kept.described(state, status);
        #[expect(clippy::cast_precision_loss, reason = "games")]
        let share = if total == 0 { 0.0 } else { described as f64 / total as f64 };
        DnaStatus {
            indexed: kept.index.as_deref().map_or(0, Index::len),
            total,
            coverage_pct: (share * 1_000.0).round() / 10.0,
            index_version: INDEX_VERSION,
            lexicon_version: super::lexicon::VERSION,
            build_ms: kept.build_ms,
            state: match status {
                IndexStatus { is_missing: true, .. } => "building",
                IndexStatus { was_stale: true, .. } => "stale",
                _ => "ready",
            },
        }
    }

    /// Rebuilds the index from a state, for the job.
    ///
    /// # Errors
    /// [`Failure`] when the job is asked to stop; the old index stays then.
    pub fn rebuild(&self, state: &State, context: &Context<'_>) -> Result<(usize, u64), Failure> {
        let start = Instant::now();
        context.expect(state.games.len() as u64, "games");
        let mut index = Index::default();
        for (done, game) in state.games.iter().enumerate() {
            if done % STEP == 0 {
                context.check()?;
                context.progress(done as u64, "");
            }
            index.put(game);
        }
        context.progress(state.games.len() as u64, "");
        context.check()?;
        let (indexed, build_ms) = (index.len(), millis(start));
        self.write().replace(index, state, build_ms);
        self.save();
        Ok((indexed, build_ms))
    }

    /// Saves what was not saved yet.
    pub fn save(&self) {
        let _turn = self.saving.hold();
        if !self.read().is_unsaved {
            return;
        }
        let (index, build_ms) = {
            let mut kept = self.write();
            kept.is_unsaved = false;
            (kept.index.clone(), kept.build_ms)
        };
        if let Some(index) = index {
            file::write(&self.files, &self.path, &self.library, &index, build_ms);
        }
    }
}

fn millis(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn is_described(game: &Game) -> bool {
    // A check of the text avoids parsing records without the field.
    game.json().contains("\"description\"") && super::words::Corpus::of(game).is_described
}

impl Kept {
    fn replace(&mut self, index: Index, state: &State, build_ms: u64) {
        self.index = Some(Arc::new(index));
        self.indexed = Some(state.games.clone());
        self.revision = state.revision;
        self.build_ms = build_ms;
        self.is_unsaved = true;
        self.was_read = true;
    }

    /// Applies a change at once when it is small and follows the last applied one.
    fn take_over(&mut self, change: &Change) {
        if change.cause == Cause::Replaced {
            self.indexed = None;
        }
        let Some(index) = &mut self.index else { return };
        let is_next = self.indexed.is_some() && self.revision == change.before.revision;
        let games = change.ops.iter().map(games_of).sum::<usize>();
        if !is_next || games > AT_ONCE {
            return;
        }
        let index = Arc::make_mut(index);
        for op in change.ops.iter() {
            let is_changed = match op {
                Op::Put(game) | Op::Add(_, game) => index.put(game),
                Op::Rename { from, game } => index.remove(from) | index.put(game),
                Op::Remove(ids) => {
                    ids.iter().map(|id| index.remove(id)).fold(false, |any, one| any | one)
                }
                _ => false,
            };
            self.is_unsaved |= is_changed;
        }
        self.indexed = Some(change.after.games.clone());
        self.revision = change.after.revision;
    }

    /// How many games of the library have a description.
    fn described(&self, state: &State, status: IndexStatus) -> usize {
        match &self.index {
            Some(index) if !status.is_degraded && index.len() == state.games.len() => {
                index.described()
            }
            _ => state.games.iter().filter(|game| is_described(game)).count(),
        }
    }

    fn bring(&mut self, state: &State, read: impl FnOnce() -> Option<(Index, u64)>) -> IndexStatus {
        if self.index.is_none() && !self.was_read {
            if let Some((index, build_ms)) = read() {
                self.index = Some(Arc::new(index));
                self.build_ms = build_ms;
            }
            self.was_read = true;
        }
        let games = &state.games;
        let Some(index) = &mut self.index else {
            if games.len() >= LARGE {
                return IndexStatus { is_missing: true, ..IndexStatus::default() };
            }
            let start = Instant::now();
            let mut index = Index::default();
            for game in games.iter() {
                index.put(game);
            }
            self.replace(index, state, millis(start));
            return IndexStatus::default();
        };
        let was_known = self.indexed.is_some();
        // A caller with a newer library was here meanwhile.
        if was_known && self.revision > state.revision {
            return IndexStatus::default();
        }
        let index = Arc::make_mut(index);
        let Difference { changed, gone } = match &self.indexed {
            Some(before) => between(before, games),
            None => against(index, games),
        };
        let count = changed.len() + gone.len();
        let is_most = 10 * count > games.len();
        if is_most && (!was_known || count >= LARGE) {
            return IndexStatus { was_stale: true, is_degraded: true, is_missing: false };
        }
        for id in &gone {
            self.is_unsaved |= index.remove(id);
        }
        for game in &changed {
            self.is_unsaved |= index.put(game);
        }
        self.indexed = Some(games.clone());
        self.revision = state.revision;
        IndexStatus { was_stale: !was_known && count > 0, ..IndexStatus::default() }
    }
}

fn games_of(op: &Op) -> usize {
    match op {
        Op::Put(_) | Op::Add(..) | Op::Rename { .. } => 1,
        Op::Remove(ids) => ids.len(),
        _ => 0,
    }
}

/// What must be done to an index to have it stand for other games.
#[derive(Default)]
struct Difference {
    /// Games that came or changed.
    changed: Vec<Arc<Game>>,
    /// Ids of games that went.
    gone: Vec<String>,
}

/// The difference of two libraries; runs of games that are the same are skipped.
fn between(before: &Games, after: &Games) -> Difference {
    let mut difference = Difference::default();
    let is_same = |at: usize, games: &Games, other: &Games| {
        let chunks = (games.chunks().get(at), other.chunks().get(at));
        matches!(chunks, (Some(a), Some(b)) if Arc::ptr_eq(a, b))
    };
    for (at, chunk) in after.chunks().iter().enumerate() {
        if is_same(at, after, before) {
            continue;
        }
        let is_new = |game: &&Arc<Game>| {
            let known = before.find(game.id());
            known.is_none_or(|(_, known)| known.id() != game.id() || !Arc::ptr_eq(known, game))
        };
        difference.changed.extend(chunk.iter().filter(is_new).cloned());
    }
    for (at, chunk) in before.chunks().iter().enumerate() {
        if is_same(at, before, after) {
            continue;
        }
        let is_gone = |game: &&Arc<Game>| {
            after.find(game.id()).is_none_or(|(_, known)| known.id() != game.id())
        };
        difference.gone.extend(chunk.iter().filter(is_gone).map(|game| game.id().to_owned()));
    }
    difference
}

/// The difference of an index and a library, by what is indexed of each game. What is not stored with the index is
/// filled in.
fn against(index: &mut Index, games: &Games) -> Difference {
    let mut difference = Difference::default();
    for game in games.iter() {
        if !index.refresh(game) {
            difference.changed.push(Arc::clone(game));
        }
    }
    let is_gone = |id: &&str| games.find(id).is_none_or(|(_, game)| game.id() != *id);
    let ids = index.entries().map(|entry| &*entry.id);
    difference.gone = ids.filter(is_gone).map(str::to_owned).collect();
    difference
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{super::index::tests::shown, *};
    use crate::{
        files::failing::{FailingDisk, Fault},
        model::{Draft, Record},
        store::Options,
    };

    fn record(id: usize, dice: usize) -> Record {
        let text = ["knights dragons", "cars", "", "tiles tiles"][dice % 4];
        let record = json!({"game_id": format!("game-{id}"), "name": format!("Name {dice}"),
            "description": text, "progress": if dice.is_multiple_of(2) { "Beaten" } else { "" }});
        serde_json::from_value(record).expect("an object")
    }

    fn library(count: usize) -> State {
        let mut draft = Draft::new(State::default());
        for id in 0..count {
            draft.add_game(record(id, id)).expect("added");
        }
        draft.finish().0
    }

    #[test]
    fn the_library_changes_while_the_index_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(Options::at(&folder.path().join("data"))).expect("opens");
        let disk = Arc::new(FailingDisk::new(0, Fault::Once));
        let files = Files::over(Arc::<FailingDisk>::clone(&disk));
        let path = folder.path().join("index.json");
        let dna = Arc::new(Dna::new(files, path.clone(), folder.path().join("library.json")));
        dna.follow(&store);
        dna.bring(&store.snapshot().expect("readable"));
        let add = |store: &Store, id| {
            store.change(|draft| drop(draft.add_game(record(id, id)))).expect("committed");
        };
        add(&store, 1);
        let meanwhile = store.clone();
        disk.stop_at("create_new", move || add(&meanwhile, 2));
        let sizes_after_a_save = || {
            dna.save();
            let stored = file::read(&Files::system(), &path).expect("stored").0;
            (stored.len(), dna.read().index.as_ref().expect("an index").len())
        };
        assert_eq!(sizes_after_a_save(), (1, 2));
        assert_eq!(sizes_after_a_save(), (2, 2));
    }

    fn built(state: &State) -> Kept {
        let mut kept = Kept::default();
        assert_eq!(kept.bring(state, || None), IndexStatus::default());
        kept
    }

    fn shown_of(kept: &Kept) -> Value {
        shown(kept.index.as_ref().expect("an index"))
    }

    /// A state with other games, and the change that made it.
    fn changed(before: &State, edit: impl FnOnce(&mut Draft)) -> (State, Change) {
        let mut draft = Draft::new(before.clone());
        edit(&mut draft);
        let cause = draft.cause().clone();
        let (mut after, ops) = draft.finish();
        after.revision = before.revision + 1;
        let (first, second) = (Arc::new(before.clone()), Arc::new(after.clone()));
        (after, Change { before: first, after: second, ops: ops.into(), cause, at: 0 })
    }

    #[test]
    fn a_large_library_without_an_index_waits_for_a_job() {
        let mut kept = Kept::default();
        let missing = IndexStatus { is_missing: true, ..IndexStatus::default() };
        assert_eq!(kept.bring(&library(LARGE), || None), missing);
        assert_eq!(missing.reason(), Some("missing"));
        assert_eq!(Kept::default().bring(&library(LARGE - 1), || None), IndexStatus::default());
    }

    #[test]
    fn an_index_of_another_library_is_brought_up_or_made_anew_by_a_job() {
        let state = library(20);
        let stored =
            |kept: &Kept| Kept { index: kept.index.clone(), was_read: true, ..Kept::default() };
        let first = built(&state);
        assert_eq!(stored(&first).bring(&state, || None), IndexStatus::default());
        let edit = |count: usize| {
            let edit = |draft: &mut Draft| {
                for id in 0..count {
                    let id = format!("game-{id}");
                    draft.edit_game(&id, |game| game.set("name", "Other")).expect("there");
                }
            };
            changed(&state, edit).0
        };
        let mut kept = stored(&first);
        let behind = IndexStatus { was_stale: true, ..IndexStatus::default() };
        assert_eq!(kept.bring(&edit(2), || None), behind);
        assert_eq!(shown_of(&kept), shown_of(&built(&edit(2))));
        let mut kept = stored(&first);
        assert_eq!(kept.bring(&edit(3), || None), IndexStatus { is_degraded: true, ..behind });
        assert_eq!(shown_of(&kept), shown_of(&first), "the old index answers meanwhile");
        let described = changed(&state, |draft| {
            for id in 0..20 {
                let id = format!("game-{id}");
                draft.edit_game(&id, |game| game.set("description", "cars")).expect("there");
            }
        });
        let status = kept.bring(&described.0, || None);
        assert_eq!(kept.described(&described.0, status), 20, "of the library, not the old index");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever happens to a library, and whether or not each change was noticed, its index equals a rebuilt one.
        #[test]
        fn an_index_that_followed_equals_a_new_one(
            steps in prop::collection::vec((0..5_usize, any::<u16>(), any::<bool>()), 1..24),
        ) {
            let mut state = library(300);
            let mut kept = built(&state);
            let mut next = 1_000;
            for (step, dice, is_heard) in steps {
                let dice = usize::from(dice);
                let at = |draft: &Draft| {
                    let games = &draft.state().games;
                    games.get(dice % games.len()).map(|game| game.id().to_owned()).unwrap_or_default()
                };
                let (after, change) = changed(&state, |draft| match step {
                    0 => {
                        next += 1;
                        draft.add_game(record(next, dice)).expect("added");
                    }
                    1 => {
                        next += 1;
                        draft.insert_game(dice % 50, record(next, dice)).expect("added");
                    }
                    2 => {
                        let id = at(draft);
                        drop(draft.remove_games(&[id]));
                    }
                    3 => {
                        let id = at(draft);
                        drop(draft.rename_game(&id, &format!("game-new-{dice}")));
                    }
                    _ => {
                        let (id, name) = (at(draft), format!("Name {}", dice % 7));
                        drop(draft.edit_game(&id, |game| game.set("name", name)));
                    }
                });
                if is_heard {
                    kept.take_over(&change);
                }
                state = after;
            }
            prop_assert_eq!(kept.bring(&state, || None), IndexStatus::default());
            prop_assert_eq!(shown_of(&kept), shown_of(&built(&state)));
        }
    }
}
