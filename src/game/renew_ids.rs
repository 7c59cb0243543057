//! New ids for games without an identity, once for each library.
//!
//! Earlier versions derived the id of every game, so games without a file or a store entry had the
//! same ids in every library. They get random ids; the old ones stay aliases. A library that has
//! already been synchronised keeps its ids, because other devices know the games by them.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::{
    model::{Draft, Record, State, game_id},
    store::{CommitError, Store, Unavailable},
};

/// The section that records that the ids were checked.
const SECTION: &str = "game_ids";

/// Renews the ids of a library that was not checked yet. Returns how many games got a new id.
///
/// # Errors
/// When the library cannot be read or written.
pub fn renew_once(store: &Store) -> Result<usize, CommitError<std::convert::Infallible>> {
    let state = store.snapshot().map_err(|error: Unavailable| CommitError::Unavailable(error))?;
    if state.games.is_empty() || is_checked(&state) {
        return Ok(0);
    }
    store.commit(|draft| Ok(if is_shared(draft.state()) { mark(draft, 0) } else { renew(draft) }))
}

fn is_checked(state: &State) -> bool {
    state.section(SECTION)["checked"] == true
}

/// Whether another device may know the games by their ids.
fn is_shared(state: &State) -> bool {
    let synced = state.settings().get("last_cloud_sync").and_then(Value::as_str);
    synced.is_some_and(|at| !at.is_empty())
        || ["cloud_statistics", "library_sync"].iter().any(|key| is_filled(state.section(key)))
}

fn is_filled(section: &Value) -> bool {
    section.as_object().is_some_and(|section| !section.is_empty())
}

fn renew(draft: &mut Draft) -> usize {
    let games = draft.state().games.iter();
    let without_file =
        games.filter(|game| game.path().is_empty() && game_id::is_derived(game.id()));
    let renewed: HashMap<String, String> = without_file
        .filter(|game| has_derived_id(&game.record()))
        .map(|game| (game.id().to_owned(), game_id::random()))
        .collect();
    for (old, new) in &renewed {
        // OK because the old id is from this draft and the new one is random.
        drop(draft.rename_game(old, new));
    }
    let sections: Vec<(String, Value)> = draft
        .state()
        .sections()
        .filter(|(key, _)| *key != "trash")
        .filter_map(|(key, value)| Some((key.to_owned(), with_new_ids(value, &renewed)?)))
        .collect();
    for (key, value) in sections {
        draft.set_section(&key, value);
    }
    mark(draft, renewed.len())
}

/// Whether nothing identifies a game and its id was made from its platform or its name. Ids of other
/// origin are left alone.
fn has_derived_id(record: &Record) -> bool {
    if game_id::is_identified(record) {
        return false;
    }
    let id = record.text("game_id");
    let stem = game_id::numbered_stem(id).unwrap_or(id);
    let of_fields = |keys: &[&str]| {
        let fields =
            keys.iter().filter_map(|key| Some(((*key).to_owned(), record.get(key)?.clone())));
        game_id::derive(&Record::from(fields.collect::<Map<_, _>>()))
    };
    [&["platform", "metadb_id"][..], &["platform"], &["metadb_id"], &["name"]]
        .iter()
        .any(|keys| of_fields(keys) == stem)
}

fn mark(draft: &mut Draft, renewed: usize) -> usize {
    draft.set_section(SECTION, json!({"checked": true}));
    renewed
}

/// The value with every old id replaced, as a key or as a text; `None` when it names none.
fn with_new_ids(value: &Value, renewed: &HashMap<String, String>) -> Option<Value> {
    match value {
        Value::String(text) => renewed.get(text).map(|new| new.as_str().into()),
        Value::Array(list) => {
            let changed: Vec<_> = list.iter().map(|item| with_new_ids(item, renewed)).collect();
            changed.iter().any(Option::is_some).then(|| {
                let items = changed.into_iter().zip(list);
                items.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()
            })
        }
        Value::Object(map) => {
            let changed =
                map.iter().map(|(key, old)| (renewed.get(key), with_new_ids(old, renewed)));
            let changed: Vec<_> = changed.collect();
            changed.iter().any(|(key, value)| key.is_some() || value.is_some()).then(|| {
                let entries = changed.into_iter().zip(map);
                let entries = entries.map(|((new_key, new), (key, old))| {
                    (new_key.unwrap_or(key).clone(), new.unwrap_or_else(|| old.clone()))
                });
                Value::Object(entries.collect::<Map<_, _>>())
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOREIGN: &str = "game-0123456789abcdef01234567";

    fn record(value: Value) -> Record {
        serde_json::from_value(value).expect("an object")
    }

    fn derived(value: Value) -> String {
        game_id::derive(&record(value))
    }

    /// Two games with derived ids and nothing else, one with a file, one of a store, one with a
    /// foreign id.
    fn library() -> Draft {
        let mut draft = Draft::new(State::default());
        let nes = derived(json!({"platform": "NES"}));
        for game in [
            json!({"game_id": nes, "name": "A", "platform": "NES"}),
            json!({"game_id": derived(json!({"path": "/b"})), "name": "B", "path": "/b"}),
            json!({"game_id": format!("{}-2", derived(json!({"name": "C"}))), "name": "C"}),
            json!({"game_id": format!("{nes}-3"), "platform": "NES", "store_a_app_id": "440"}),
            json!({"game_id": FOREIGN, "name": "E"}),
        ] {
            draft.add_game(record(game)).expect("added");
        }
        draft
    }

    fn ids(draft: &Draft) -> Vec<String> {
        draft.state().games.iter().map(|game| game.id().to_owned()).collect()
    }

    #[test]
    fn only_games_that_nothing_identifies_get_new_ids_and_everything_follows() {
        let mut draft = library();
        let before = ids(&draft);
        let (first, filed) = (before[0].clone(), before[1].clone());
        let history = |id: &str| json!([{"game_id": id, "game": "A"}, {"game_id": filed}]);
        let view = |id: &str| json!({"last": {id: 1}, "open": true});
        draft.set_section("history", history(&first));
        draft.set_section("ui_state", view(&first));
        draft.set_section("trash", json!([{"game_id": first}]));
        assert_eq!(renew(&mut draft), 2);
        let after = ids(&draft);
        for (at, is_same) in [(0, false), (1, true), (2, false), (3, true), (4, true)] {
            assert_eq!(before[at] == after[at], is_same, "{at}");
            assert_eq!(draft.state().games.position(&before[at]), Some(at), "an alias");
            assert_eq!(game_id::is_derived(&after[at]), is_same);
        }
        let state = draft.state();
        assert_eq!(*state.section("history"), history(&after[0]));
        assert_eq!(*state.section("ui_state"), view(&after[0]));
        assert_eq!(*state.section("trash"), json!([{"game_id": first}]));
        assert!(is_checked(state));
        assert_eq!(renew(&mut draft), 0);
        assert_eq!(ids(&draft), after);
    }

    #[test]
    fn a_library_that_was_synchronised_is_shared() {
        assert!(!is_shared(library().state()));
        for (key, value) in [
            ("settings", json!({"last_cloud_sync": "2026-01-01T00:00:00Z"})),
            ("cloud_statistics", json!({"seen": "2026-01-01T00:00:00Z"})),
        ] {
            let mut draft = library();
            draft.set_section(key, value);
            assert!(is_shared(draft.state()), "{key}");
        }
    }
}
