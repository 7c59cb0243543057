//! Where the values of a game come from: what automatic passes write, locks, going back
//! (`/api/v2/game/origins`), and taking a whole pass back (`/api/v2/library/passes`).
//!
//! Every automatic pass writes values through [`fill`] or, where it edits a record anyway, through
//! [`FieldWriter`]; there is no other way around a lock.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{InputError, clean::refuse, edit::EditError, reference::GameRef};
use crate::{
    base::schema::schema,
    model::{
        Cause, Draft, Game, Record, Row, State,
        origins::{self, FieldWriter, Origin, Origins, Right},
    },
    store::{Committed, Store},
};

/// Passes that can be undone, the newest ones.
const PASSES: usize = 20;

/// Whether values that are there are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only fields without a value are written.
    Fill,
    /// Other values are replaced.
    Replace,
}

/// Writes values of one origin to a game, as far as its locks leave it; the fields that changed.
/// The origin gets the time of the draft. A game that is gone is left out.
pub fn fill(
    draft: &mut Draft,
    game_id: &str,
    origin: Origin,
    right: Right,
    mode: Mode,
    values: &[(&str, Value)],
) -> Vec<String> {
    let origin = Origin { at: draft.now().local_iso(), ..origin };
    let write = |record: &mut Record| {
        let mut fields = FieldWriter::new(record, origin, right);
        for (key, value) in values {
            match mode {
                Mode::Fill => fields.fill(key, value.clone()),
                Mode::Replace => fields.replace(key, value.clone()),
            };
        }
        fields.finish()
    };
    draft.edit_game(game_id, write).unwrap_or_default()
}

/// The values whose fields are as they were: one may have been written in the meantime.
pub fn untouched<'a>(
    draft: &Draft,
    before: &Game,
    values: &[(&'a str, Value)],
) -> Vec<(&'a str, Value)> {
    let Some((_, now)) = draft.state().games.find(before.id()) else { return Vec::new() };
    let (before, now) = (before.record(), now.record());
    values.iter().filter(|(field, _)| now.get(field) == before.get(field)).cloned().collect()
}

schema! {
    "FieldOrigin"
    /// What is known of the value of one field.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ShownOrigin {
        /// The field.
        pub field: String,
        /// `person`, `file`, `import` or the id of a provider; blank when unknown.
        pub by: String,
        /// Which one: the id of the game at the provider, or the store or program of an import; may be
        /// blank.
        pub reference: String,
        /// Local time; blank when unknown.
        pub at: String,
        /// The automatic pass that wrote it; blank for none that can be undone.
        pub pass_id: String,
        /// Whether automatic passes leave it alone.
        pub locked: bool,
        /// Whether it was locked expressly, so that nothing but an edit changes it.
        pub held: bool,
        /// Whether there is an automatic value to go back to.
        pub can_revert: bool,
        /// That value.
        pub previous: Value,
    }

    "LibraryPass"
    /// An automatic pass that can be undone.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ShownPass {
        /// Its id.
        pub pass_id: String,
        /// What it did, such as `metadata.apply`.
        pub kind: String,
        /// Local time of its last write.
        pub at: String,
        /// Games that it changed.
        pub games: u64,
    }
}

/// A row of the section of passes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Pass {
    pass_id: String,
    kind: String,
    at: String,
    games: u64,
    #[serde(flatten)]
    more: Map<String, Value>,
}

impl Row for Pass {
    const SECTION: &'static str = "passes";
}

/// What is known of the fields of a game: of those that have a value, and of those that are locked.
pub fn shown(record: &Record) -> Vec<ShownOrigin> {
    let origins = Origins::of(record);
    let is_import = !record.is_blank("import_batch_id") || !record.is_blank("source");
    let import = Origin::import(record.text("source"), record.text("added_at"));
    let unknown = if is_import { import } else { Origin::default() };
    let show = |key: &'static str| {
        let has_value = record.get(key).is_some_and(|value| !origins::is_unset(value));
        let known = origins.origin(key);
        let lock = origins.lock(key);
        if !has_value && known.is_none() && lock.is_none() {
            return None;
        }
        let origin = known.unwrap_or(&unknown);
        let before = origins.before(key).map(|(value, _)| value.clone());
        Some(ShownOrigin {
            field: key.to_owned(),
            by: origin.by.clone(),
            reference: origin.reference.clone(),
            at: origin.at.clone(),
            pass_id: origin.pass.clone(),
            locked: origins.is_locked(key),
            held: lock == Some(true),
            can_revert: before.is_some(),
            previous: before.unwrap_or_default(),
        })
    };
    origins::lockable().filter_map(show).collect()
}

/// Locks fields of a game and opens others; its stable id and what is known of its fields then.
///
/// # Errors
/// A field that cannot be locked, or [`EditError::UnknownGame`].
pub fn set_locks(
    store: &Store,
    game: &GameRef,
    lock: &[&str],
    unlock: &[&str],
) -> Committed<(String, Vec<ShownOrigin>), EditError> {
    store.commit(|draft| {
        let changes = lock.iter().map(|key| (*key, true));
        let changes: Vec<_> = changes.chain(unlock.iter().map(|key| (*key, false))).collect();
        if changes.is_empty() {
            return Err(InputError("lock or unlock is required.".to_owned()).into());
        }
        if let Some((key, _)) = changes.iter().find(|(key, _)| !origins::is_lockable(key)) {
            return Err(InputError(format!("{key} cannot be locked.")).into());
        }
        change(draft, game, |record| {
            for (key, is_locked) in &changes {
                origins::set_lock(record, key, *is_locked);
            }
            Ok(())
        })
    })
}

/// Gives a field its last automatic value, and opens it for automatic passes; as [`set_locks`].
///
/// # Errors
/// `<field> has no earlier value.`, or [`EditError::UnknownGame`].
pub fn revert_field(
    store: &Store,
    game: &GameRef,
    key: &str,
) -> Committed<(String, Vec<ShownOrigin>), EditError> {
    store.commit(|draft| {
        change(draft, game, |record| {
            if origins::revert(record, key) {
                Ok(())
            } else {
                refuse(format!("{key} has no earlier value."))
            }
        })
    })
}

fn change(
    draft: &mut Draft,
    game: &GameRef,
    edit: impl FnOnce(&mut Record) -> Result<(), InputError>,
) -> Result<(String, Vec<ShownOrigin>), EditError> {
    let (_, game) = game.find(&draft.state().games).ok_or(EditError::UnknownGame)?;
    let game_id = game.id().to_owned();
    let shown = draft.edit_game(&game_id, |record| edit(record).map(|()| shown(record)))??;
    draft.set_cause(Cause::Updated(game_id.clone()));
    Ok((game_id, shown))
}

/// Notes that a pass changed more games; a pass that changed none leaves no trace. Of the
/// passes the newest twenty can be undone.
pub fn note_pass(draft: &mut Draft, pass_id: &str, kind: &str, games: usize) {
    if games == 0 {
        return;
    }
    let mut passes = draft.state().rows::<Pass>();
    let known = passes.iter().position(|pass| pass.pass_id == pass_id);
    let mut pass = known.map(|at| passes.remove(at)).unwrap_or_default();
    pass_id.clone_into(&mut pass.pass_id);
    kind.clone_into(&mut pass.kind);
    pass.at = draft.now().local_iso();
    pass.games += games as u64;
    passes.push(pass);
    let old = passes.len().saturating_sub(PASSES);
    passes.drain(..old);
    draft.set_rows(&passes);
}

/// The passes that can be undone, newest first.
pub fn passes(state: &State) -> Vec<ShownPass> {
    let shown = |Pass { pass_id, kind, at, games, .. }| ShownPass { pass_id, kind, at, games };
    state.rows::<Pass>().into_iter().rev().map(shown).collect()
}

/// No pass has this id, or it was undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Pass not found.")]
pub struct UnknownPass;

/// Undoes what a pass wrote and was not changed or locked since, in one commit; how many games and
/// fields that were.
///
/// # Errors
/// [`UnknownPass`].
pub fn undo_pass(store: &Store, pass_id: &str) -> Committed<(usize, usize), UnknownPass> {
    store.commit(|draft| undo(draft, pass_id))
}

fn undo(draft: &mut Draft, pass_id: &str) -> Result<(usize, usize), UnknownPass> {
    let mut passes = draft.state().rows::<Pass>();
    let known = passes.iter().position(|pass| pass.pass_id == pass_id).ok_or(UnknownPass)?;
    passes.remove(known);
    let games = draft.state().games.iter().filter(|game| game.json().contains(pass_id));
    let ids: Vec<String> = games.map(|game| game.id().to_owned()).collect();
    let (mut changed, mut fields) = (Vec::new(), 0);
    for id in ids {
        let undone = draft.edit_game(&id, |record| origins::undo_pass(record, pass_id));
        let count = undone.map_or(0, |undone| undone.len());
        if count > 0 {
            fields += count;
            changed.push(id);
        }
    }
    draft.set_rows(&passes);
    let games = changed.len();
    draft.set_cause(Cause::Bulk(changed));
    Ok((games, fields))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::origins::IMPORT;

    const FIELDS: [&str; 6] = ["name", "genre", "year", "cover", "path", "alternate_names"];

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    fn provider(pass: &str) -> Origin {
        let text = str::to_owned;
        Origin { by: text("metadb"), pass: text(pass), ..Origin::default() }
    }

    fn library(games: Value) -> Draft {
        let mut draft = Draft::new(State::default());
        for game in games.as_array().expect("a list") {
            draft.add_game(record(game.clone())).expect("added");
        }
        draft
    }

    #[test]
    fn a_pass_is_listed_and_taken_back_once() {
        let mut draft = library(json!([{"game_id": "a"}, {"game_id": "b"}, {"game_id": "c"}]));
        for id in ["a", "b", "gone"] {
            let values = [("genre", json!("x")), ("cover", json!("/c.png"))];
            let written = fill(&mut draft, id, provider("p1"), Right::Pass, Mode::Fill, &values);
            assert_eq!(written.len(), if id == "gone" { 0 } else { 2 });
            note_pass(&mut draft, "p1", "metadata.apply", usize::from(!written.is_empty()));
        }
        let listed = passes(draft.state());
        assert_eq!((listed.len(), listed[0].games), (1, 2));
        draft.edit_by_person("b", |record| record.set("genre", "mine")).expect("there");
        assert_eq!(undo(&mut draft, "p1"), Ok((2, 3)));
        assert_eq!(draft.cause(), &Cause::Bulk(vec!["a".to_owned(), "b".to_owned()]));
        let genres = draft.state().games.iter().map(|game| game.genre());
        assert_eq!(genres.collect::<Vec<_>>(), ["", "mine", ""]);
        assert_eq!(undo(&mut draft, "p1"), Err(UnknownPass));
        for number in 0..=PASSES {
            note_pass(&mut draft, &number.to_string(), "x", 1);
        }
        let listed = passes(draft.state());
        assert_eq!(
            (listed.len(), listed[0].pass_id.as_str()),
            (PASSES, PASSES.to_string().as_str())
        );
    }

    #[test]
    fn what_is_shown_names_the_import_where_nothing_is_recorded() {
        let row = record(json!({"name": "A", "source": "heroic", "added_at": "t", "genre": ""}));
        let shown_of = |row: &Record| {
            shown(row).into_iter().map(|it| (it.field, it.by, it.reference)).collect::<Vec<_>>()
        };
        let text = str::to_owned;
        assert_eq!(shown_of(&row), [(text("name"), text(IMPORT), text("heroic"))]);
        let row = record(json!({"name": "A"}));
        assert_eq!(shown_of(&row), [(text("name"), text(""), text(""))]);
    }

    /// One random step.
    #[derive(Clone, Debug)]
    enum Step {
        Person(usize, Value),
        Lock(usize, bool),
        Revert(usize),
        Pass(Mode, bool, usize, usize, Value),
        Undo(usize),
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![Just(json!("")), "[a-c]{1,2}".prop_map(|text| json!(text)), Just(json!(["x"]))]
    }

    fn step() -> impl Strategy<Value = Step> {
        let field = 0..FIELDS.len();
        let mode = prop_oneof![Just(Mode::Fill), Just(Mode::Replace)];
        prop_oneof![
            (field.clone(), value()).prop_map(|(field, value)| Step::Person(field, value)),
            (field.clone(), any::<bool>()).prop_map(|(field, lock)| Step::Lock(field, lock)),
            field.clone().prop_map(Step::Revert),
            (mode, any::<bool>(), 0_usize..3, field, value()).prop_map(
                |(mode, is_request, pass, field, value)| {
                    Step::Pass(mode, is_request, pass, field, value)
                }
            ),
            (0_usize..3).prop_map(Step::Undo),
        ]
    }

    proptest! {
        #[test]
        fn no_pass_changes_what_is_locked(start in prop::collection::vec(value(), FIELDS.len()), steps in prop::collection::vec(step(), 1..40)) {
            let mut game = record(json!({"game_id": "g", "unknown": {"a": [1]}}));
            for (field, value) in FIELDS.iter().zip(start) {
                game.set(field, value);
            }
            let mut draft = library(json!([game]));
            let now = |draft: &Draft| draft.state().games.get(0).expect("there").record();
            for step in steps {
                let before = now(&draft);
                let origins = Origins::of(&before);
                let held: Vec<&str> = match step {
                    Step::Person(field, value) => {
                        draft.edit_by_person("g", |row| row.set(FIELDS[field], value)).expect("there");
                        Vec::new()
                    }
                    Step::Lock(field, is_locked) => {
                        draft.edit_game("g", |row| origins::set_lock(row, FIELDS[field], is_locked)).expect("there");
                        FIELDS.to_vec()
                    }
                    Step::Revert(field) => {
                        draft.edit_game("g", |row| origins::revert(row, FIELDS[field])).expect("there");
                        FIELDS.into_iter().filter(|other| *other != FIELDS[field]).collect()
                    }
                    Step::Pass(mode, is_request, pass, field, value) => {
                        let right = if is_request { Right::Request } else { Right::Pass };
                        let pass = format!("pass-{pass}");
                        fill(&mut draft, "g", provider(&pass), right, mode, &[(FIELDS[field], value)]);
                        note_pass(&mut draft, &pass, "x", 1);
                        FIELDS.into_iter().filter(|field| origins.holds(field, right)).collect()
                    }
                    Step::Undo(pass) => {
                        let undone = undo(&mut draft, &format!("pass-{pass}"));
                        prop_assert!(undone.is_ok() || undone == Err(UnknownPass));
                        let is_open = |field: &str| origins.origin(field).is_some_and(|origin| !origin.pass.is_empty()) && origins.lock(field) != Some(true);
                        FIELDS.into_iter().filter(|field| !is_open(field)).collect()
                    }
                };
                let after = now(&draft);
                for field in held {
                    prop_assert_eq!(before.get(field), after.get(field), "{}", field);
                }
                prop_assert_eq!(after.get("unknown"), Some(&json!({"a": [1]})));
            }
        }
    }
}
