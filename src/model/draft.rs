//! A state being changed, with the list of changes that made it.
//!
//! The only way to change a state. Each change is applied and recorded as an [`Op`], small enough
//! to be written to a log: an edit costs the bytes of what changed. Applying the ops to the state
//! before gives the state after; the store replays them that way.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    cause::Cause,
    game::Game,
    game_id, notes, origins,
    record::Record,
    rows::Row,
    state::{SETTINGS, State},
};
use crate::base::Moment;

/// One recorded change.
#[derive(Clone, Debug)]
pub enum Op {
    /// The game with this id now is this.
    Put(Arc<Game>),
    /// A new game at the end, or at a position.
    Add(Option<usize>, Arc<Game>),
    /// The game with the id `from` now is this, under another id.
    Rename { from: String, game: Arc<Game> },
    /// The games with these ids are gone.
    Remove(Vec<String>),
    /// A section now is this value; null removes its content.
    Section(String, Value),
    /// In a list section, `removed` elements from `at` on are replaced by `inserted`.
    Splice { key: String, at: usize, removed: usize, inserted: Vec<Value> },
    /// Something said about this commit; it changes no state.
    Note(Value),
    /// In an object section, these keys are set and those removed.
    Merge { key: String, set: Map<String, Value>, unset: Vec<String> },
}

impl Op {
    /// Whether this may change the settings.
    pub fn changes_settings(&self) -> bool {
        match self {
            Self::Section(key, _) | Self::Splice { key, .. } | Self::Merge { key, .. } => {
                key == SETTINGS
            }
            Self::Put(_)
            | Self::Add(..)
            | Self::Rename { .. }
            | Self::Remove(_)
            | Self::Note(_) => false,
        }
    }

    /// Whether this may change the setting with this key.
    pub fn changes_setting(&self, name: &str) -> bool {
        match self {
            Self::Merge { set, unset, .. } => {
                let is_named = set.contains_key(name) || unset.iter().any(|key| key == name);
                is_named && self.changes_settings()
            }
            _ => self.changes_settings(),
        }
    }
}

/// Whether a commit may have changed the settings; without ops the whole state is another.
pub fn changes_settings(ops: &[Op]) -> bool {
    ops.is_empty() || ops.iter().any(Op::changes_settings)
}

/// Why a change was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DraftError {
    #[error("Game not found")]
    UnknownGame(String),
    /// A new game came with an id that is taken.
    #[error("A game with this id is there already.")]
    TakenId(String),
}

/// A state under change. Rules read it like a state and change it through the methods below.
#[derive(Clone)]
pub struct Draft {
    state: State,
    ops: Vec<Op>,
    now: Moment,
    cause: Cause,
}

impl Draft {
    /// Opens a draft that becomes no commit, such as a trial. Its time is the Unix epoch.
    pub fn new(state: State) -> Self {
        Self::at(state, Moment::from_unix(0))
    }

    /// Opens a draft on a state for a commit made `now`.
    pub fn at(state: State, now: Moment) -> Self {
        Self { state, ops: Vec::new(), now, cause: Cause::default() }
    }

    /// The time of the commit.
    pub fn now(&self) -> &Moment {
        &self.now
    }

    /// The state as changed so far.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Names why the commit is made. The last call counts, so a rule that uses another one names its
    /// own cause afterwards.
    pub fn set_cause(&mut self, cause: Cause) {
        self.cause = cause;
    }

    /// Why the commit is made.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// The state and the changes that made it; notes alone are not a change.
    pub fn finish(mut self) -> (State, Vec<Op>) {
        if self.ops.iter().all(|op| matches!(op, Op::Note(_))) {
            self.ops.clear();
        }
        (self.state, self.ops)
    }

    /// Says something about this commit to those who record it; it stands in the log and in no state.
    pub fn note(&mut self, note: Value) {
        self.ops.push(Op::Note(note));
    }

    /// Edits one game; an edit that changes nothing records nothing. The id cannot change. The edit
    /// finds notes in list form: the first change of a game migrates notes of older versions.
    ///
    /// # Errors
    /// [`DraftError::UnknownGame`] when no game has this id or alias.
    pub fn edit_game<T>(
        &mut self,
        id: &str,
        edit: impl FnOnce(&mut Record) -> T,
    ) -> Result<T, DraftError> {
        let unknown = || DraftError::UnknownGame(id.to_owned());
        let (position, game) = self.state.games.find(id).ok_or_else(unknown)?;
        let mut before = game.record();
        notes::migrate(&mut before, &self.now);
        let mut record = before.clone();
        let outcome = edit(&mut record);
        record.set("game_id", game.id());
        if record != before {
            let game = Game::seal(&record);
            self.state.games.replace(position, Arc::clone(&game));
            self.ops.push(Op::Put(game));
        }
        Ok(outcome)
    }

    /// As [`Draft::edit_game`], for an edit by the user: what it changes belongs to the user from then on.
    ///
    /// # Errors
    /// As [`Draft::edit_game`].
    pub fn edit_by_person<T>(
        &mut self,
        id: &str,
        edit: impl FnOnce(&mut Record) -> T,
    ) -> Result<T, DraftError> {
        let at = self.now.local_iso();
        self.edit_game(id, |record| {
            let before = record.clone();
            let outcome = edit(record);
            origins::mark_person(&before, record, &at);
            outcome
        })
    }

    /// Gives a game another id. The old one stays an alias and still finds the game.
    ///
    /// # Errors
    /// [`DraftError::UnknownGame`], or [`DraftError::TakenId`] when the new id is in use.
    pub fn rename_game(&mut self, from: &str, to: &str) -> Result<(), DraftError> {
        let unknown = || DraftError::UnknownGame(from.to_owned());
        let (position, game) = self.state.games.find(from).ok_or_else(unknown)?;
        if self.state.games.position(to).is_some() {
            return Err(DraftError::TakenId(to.to_owned()));
        }
        let from = game.id().to_owned();
        let game = Game::seal(&game_id::renamed(game.record(), to));
        self.state.games.rename(position, Arc::clone(&game));
        self.ops.push(Op::Rename { from, game });
        Ok(())
    }

    /// Adds a game at the end and returns its id; a record without one gets its stable id here.
    ///
    /// # Errors
    /// [`DraftError::TakenId`] when the record brings an id that is taken.
    pub fn add_game(&mut self, record: Record) -> Result<String, DraftError> {
        let game = self.new_game(record)?;
        let id = game.id().to_owned();
        self.state.games.push(Arc::clone(&game));
        self.ops.push(Op::Add(None, game));
        Ok(id)
    }

    /// Adds a game at a position (at most the end) and returns its id.
    ///
    /// # Errors
    /// As [`Draft::add_game`].
    pub fn insert_game(&mut self, position: usize, record: Record) -> Result<String, DraftError> {
        let game = self.new_game(record)?;
        let id = game.id().to_owned();
        self.state.games.insert(position, Arc::clone(&game));
        self.ops.push(Op::Add(Some(position), game));
        Ok(id)
    }

    /// Removes games by id or alias; ids that are not there are skipped. Returns the removed games.
    pub fn remove_games(&mut self, ids: &[impl AsRef<str>]) -> Vec<Arc<Game>> {
        let mut positions: Vec<usize> =
            ids.iter().filter_map(|id| self.state.games.position(id.as_ref())).collect();
        positions.sort_unstable();
        positions.dedup();
        let games: Vec<Arc<Game>> = positions
            .iter()
            .filter_map(|position| self.state.games.get(*position).cloned())
            .collect();
        if !games.is_empty() {
            self.state.games.remove(&positions);
            self.ops.push(Op::Remove(games.iter().map(|game| game.id().to_owned()).collect()));
        }
        games
    }

    /// Sets a section; only the difference is recorded.
    pub fn set_section(&mut self, key: &str, value: Value) {
        if let Some(op) = difference(key, self.state.section(key), &value) {
            self.state.put_section(key, value);
            self.ops.push(op);
        }
    }

    /// Sets the rows of a list section; only the difference is recorded.
    pub fn set_rows<R: Row>(&mut self, rows: &[R]) {
        // OK because rows are plain structs with text keys.
        let list = serde_json::to_value(rows).unwrap_or_else(|_| Value::Array(Vec::new()));
        self.set_section(R::SECTION, list);
    }

    /// Sets and removes keys of an object section, for example the settings.
    pub fn merge_section(&mut self, key: &str, set: Map<String, Value>, unset: &[&str]) {
        let mut object = self.state.section(key).as_object().cloned().unwrap_or_default();
        for name in unset {
            object.remove(*name);
        }
        object.extend(set);
        self.set_section(key, Value::Object(object));
    }

    fn new_game(&self, mut record: Record) -> Result<Arc<Game>, DraftError> {
        let brought = record.text("game_id").to_owned();
        if brought.is_empty() {
            record.set("game_id", self.free_id(&record));
        } else if self.state.games.position(&brought).is_some() {
            return Err(DraftError::TakenId(brought));
        }
        Ok(Game::seal(&record))
    }

    /// An id that no game of the library or of the trash has.
    fn free_id(&self, record: &Record) -> String {
        if !game_id::is_identified(record) {
            return game_id::random();
        }
        let id = game_id::derive(record);
        first_free(&id, |id| self.is_taken(id) || self.is_in_trash(id))
    }

    /// The id itself while it is free, else the first free one of `-2`, `-3` and so on.
    pub fn free_id_like(&self, id: &str) -> String {
        first_free(id, |id| self.is_taken(id))
    }

    fn is_taken(&self, id: &str) -> bool {
        self.state.games.position(id).is_some()
    }

    fn is_in_trash(&self, id: &str) -> bool {
        let entries = self.state.section("trash").as_array().into_iter().flatten();
        entries.filter_map(|entry| entry["game_id"].as_str()).any(|trashed| trashed == id)
    }
}

fn first_free(id: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut free = id.to_owned();
    let mut number = 1_u64;
    while is_taken(&free) {
        number += 1;
        free = format!("{id}-{number}");
    }
    free
}

/// Applies one recorded change to a state: the same step a draft took when it was recorded.
///
/// A change that does not fit (its game is gone, its list is shorter) is laid over as far as it
/// means anything: a put of an unknown game adds it, so nothing acknowledged is lost when the file
/// below the log was replaced by hand.
pub fn apply(state: &mut State, op: Op) {
    match op {
        Op::Put(game) => match state.games.position(game.id()) {
            Some(position) => state.games.replace(position, game),
            None => state.games.push(game),
        },
        Op::Add(position, game) => match (state.games.position(game.id()), position) {
            (Some(known), _) => state.games.replace(known, game),
            (None, None) => state.games.push(game),
            (None, Some(position)) => state.games.insert(position, game),
        },
        Op::Rename { from, game } => match state.games.position(&from) {
            Some(position) => state.games.rename(position, game),
            None => apply(state, Op::Put(game)),
        },
        Op::Remove(ids) => {
            let positions: Vec<usize> =
                ids.iter().filter_map(|id| state.games.position(id)).collect();
            state.games.remove(&positions);
        }
        Op::Note(_) => {}
        Op::Section(key, value) => state.put_section(&key, value),
        Op::Splice { key, at, removed, inserted } => {
            let mut list = state.list(&key);
            let at = at.min(list.len());
            let end = at.saturating_add(removed).min(list.len());
            list.splice(at..end, inserted);
            state.put_section(&key, Value::Array(list));
        }
        Op::Merge { key, set, unset } => {
            let mut object = state.section(&key).as_object().cloned().unwrap_or_default();
            for name in &unset {
                object.remove(name);
            }
            object.extend(set);
            state.put_section(&key, Value::Object(object));
        }
    }
}

/// The smallest op that turns one section value into another; `None` when they are equal.
fn difference(key: &str, before: &Value, after: &Value) -> Option<Op> {
    if before == after {
        return None;
    }
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            let same = |(a, b): &(&Value, &Value)| a == b;
            let head = before.iter().zip(after).take_while(same).count();
            let (old, new) = (&before[head..], &after[head..]);
            let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
            Some(Op::Splice {
                key: key.to_owned(),
                at: head,
                removed: old.len() - tail,
                inserted: new[..new.len() - tail].to_vec(),
            })
        }
        (Value::Object(before), Value::Object(after)) => {
            let set = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
            Some(Op::Merge {
                key: key.to_owned(),
                set: set.map(|(name, value)| (name.clone(), value.clone())).collect(),
                unset: before.keys().filter(|name| !after.contains_key(*name)).cloned().collect(),
            })
        }
        _ => Some(Op::Section(key.to_owned(), after.clone())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    fn text(state: &State) -> String {
        let games: Vec<_> = state.games.iter().map(|game| game.json().to_owned()).collect();
        let sections: Vec<_> =
            state.sections().map(|(key, value)| format!("{key}={value}")).collect();
        format!("{games:?} {sections:?}")
    }

    #[track_caller]
    fn replays(before: &State, draft: Draft) -> State {
        let (after, ops) = draft.finish();
        let mut replayed = before.clone();
        for op in ops {
            apply(&mut replayed, op);
        }
        assert_eq!(text(&replayed), text(&after));
        after
    }

    #[test]
    fn ids_are_given_once_and_collisions_counted_on() {
        let mut draft = Draft::new(State::default());
        let one = draft.add_game(record(json!({"name": "A", "path": "/a"}))).expect("added");
        let two = draft.add_game(record(json!({"name": "B", "path": "/a"}))).expect("added");
        assert_eq!(two, format!("{one}-2"));
        let taken = draft.add_game(record(json!({"game_id": one.clone()})));
        assert_eq!(taken, Err(DraftError::TakenId(one.clone())));
        draft.edit_game(&one, |game| game.set("game_id", "game-other")).expect("found");
        assert!(draft.state().games.position(&one).is_some());
        replays(&State::default(), draft);
    }

    #[test]
    fn a_game_that_nothing_identifies_gets_a_random_id() {
        let add = || {
            let mut draft = Draft::new(State::default());
            draft.add_game(record(json!({"name": "A", "platform": "NES"}))).expect("added")
        };
        assert_ne!(add(), add());
    }

    #[test]
    fn the_id_of_a_game_in_the_trash_is_not_given_again() {
        let mut draft = Draft::new(State::default());
        let file = || record(json!({"name": "A", "path": "/a"}));
        let one = draft.add_game(file()).expect("added");
        draft.remove_games(&[&one]);
        assert_eq!(draft.add_game(file()).expect("added"), one);
        draft.remove_games(&[&one]);
        draft.set_section("trash", json!([{"game_id": one}]));
        assert_eq!(draft.add_game(file()).expect("added"), format!("{one}-2"));
        assert_eq!(draft.free_id_like(&one), one);
    }

    #[test]
    fn a_renamed_game_is_found_by_both_ids() {
        let before = {
            let mut draft = Draft::new(State::default());
            for id in ["a", "b", "c"] {
                let game = json!({"game_id": id, "legacy_game_ids": [format!("old-{id}")]});
                draft.add_game(record(game)).expect("added");
            }
            draft.finish().0
        };
        let mut draft = Draft::new(before.clone());
        assert_eq!(draft.rename_game("b", "c"), Err(DraftError::TakenId("c".into())));
        assert_eq!(draft.rename_game("x", "y"), Err(DraftError::UnknownGame("x".into())));
        draft.rename_game("b", "new").expect("renamed");
        let after = replays(&before, draft);
        for id in ["new", "b", "old-b"] {
            assert_eq!(after.games.position(id), Some(1), "{id}");
        }
        assert_eq!(after.games.get(1).expect("there").id(), "new");
        assert_eq!((after.games.position("a"), after.games.position("c")), (Some(0), Some(2)));
    }

    #[test]
    fn an_edit_without_a_change_records_nothing() {
        let mut draft = Draft::new(State::default());
        let id = draft.add_game(record(json!({"name": "A"}))).expect("added");
        let (state, _) = draft.finish();
        let mut draft = Draft::new(state);
        draft.edit_game(&id, |game| game.set("name", "A")).expect("found");
        draft.set_section("queue", Value::Null);
        draft.note(json!("about nothing"));
        assert!(draft.finish().1.is_empty());
    }

    #[test]
    fn the_first_change_of_a_game_migrates_its_notes() {
        let mut draft = Draft::new(State::default());
        let id = draft.add_game(record(json!({"notes": "old", "name": "A"}))).expect("added");
        let (state, _) = draft.finish();
        let now = Moment::from_unix(60);
        let mut draft = Draft::at(state, now.clone());
        let notes = |draft: &Draft| draft.state().games.get(0)?.record().get("notes").cloned();
        draft.edit_game(&id, |game| game.set("name", "A")).expect("found");
        assert_eq!(notes(&draft), Some(json!("old")));
        draft.edit_game(&id, |game| game.set("favorite", true)).expect("found");
        assert_eq!(notes(&draft), Some(json!([{"ts": now.local_iso(), "text": "old"}])));
        assert_eq!(draft.finish().1.len(), 1);
    }

    #[test]
    fn sections_record_only_the_difference() {
        let mut draft = Draft::new(State::default());
        draft.set_section("history", json!([1, 2, 3]));
        let (state, _) = draft.finish();
        let mut draft = Draft::new(state);
        draft.set_section("history", json!([2, 3, 4]));
        let (_, ops) = draft.finish();
        assert!(matches!(&ops[..], [Op::Splice { at: 0, removed: 3, .. }]));
        let mut draft = Draft::new(State::default());
        draft.merge_section("settings", record(json!({"a": 1, "b": 2})).0, &[]);
        draft.merge_section("settings", Map::new(), &["a"]);
        assert_eq!(draft.state().settings().len(), 1);
        replays(&State::default(), draft);
    }

    proptest! {
        #[test]
        fn replaying_the_ops_makes_the_same_state(steps in prop::collection::vec((0_u8..6, 0_usize..12, any::<i8>()), 0..60)) {
            let mut state = State::default();
            for chunk in steps.chunks(5) {
                let mut draft = Draft::new(state.clone());
                for (kind, at, value) in chunk {
                    let id = draft.state().games.get(*at).map(|game| game.id().to_owned());
                    match (kind, id) {
                        (0, _) => { draft.add_game(record(json!({"name": value, "path": format!("/{value}")}))).expect("added"); }
                        (1, _) => { draft.insert_game(*at, record(json!({"path": format!("/{at}")}))).expect("added"); }
                        (2, Some(id)) => { draft.remove_games(&[id]); }
                        (3, Some(id)) => draft.edit_game(&id, |game| game.set("name", *value)).expect("found"),
                        (4, _) => draft.set_section("list", json!(vec![*value; *at])),
                        _ => draft.set_section("object", json!({"a": value, at.to_string(): at})),
                    }
                }
                state = replays(&state, draft);
            }
        }
    }
}
