//! Events for plugins, made from a change of the library without side effects.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{
    model::{Cause, Game, Op, State},
    store::watch::Change,
};

/// Ids in one event.
const IDS: usize = 500;
/// Changed games in one event.
const CHANGES: usize = 100;

/// An event as a plugin reads it, `{event, ...}`.
pub type PluginEvent = Map<String, Value>;

/// An event with its facts, an object.
pub fn event(name: &str, facts: Value) -> PluginEvent {
    let mut all = Map::from_iter([("event".to_owned(), Value::from(name))]);
    if let Value::Object(facts) = facts {
        all.extend(facts);
    }
    all
}

/// Whether a change may be worth an event; quick.
pub(super) fn concerns(change: &Change) -> bool {
    let is_of_games =
        |op: &Op| matches!(op, Op::Put(_) | Op::Add(..) | Op::Remove(_) | Op::Rename { .. });
    matches!(change.cause, Cause::Scanned { .. } | Cause::Replaced)
        || change.ops.iter().any(is_of_games)
}

/// The events of a change: of a scan that ended, or of games that came, went or are different.
pub(super) fn of_change(change: &Change) -> Vec<PluginEvent> {
    if let Cause::Scanned { folder, added, scanned } = &change.cause {
        let facts = json!({"folder": folder, "added": added, "scanned": scanned});
        return vec![event("scan_finished", facts)];
    }
    let ids = touched(change);
    let (mut added, mut removed, mut updated) = (Vec::new(), Vec::new(), Vec::new());
    for id in ids {
        match (find(&change.before, &id), find(&change.after, &id)) {
            (None, Some(_)) => added.push(id),
            (Some(_), None) => removed.push(id),
            (Some(before), Some(after)) => {
                let changed = differences(before, after);
                if !changed.is_empty() {
                    updated.push(json!({"game_id": id, "changed": changed}));
                }
            }
            (None, None) => {}
        }
    }
    let mut events = Vec::new();
    for (name, mut ids) in [("game_added", added), ("game_removed", removed)] {
        ids.truncate(IDS);
        if !ids.is_empty() {
            events.push(event(name, json!({"game_ids": ids})));
        }
    }
    updated.truncate(CHANGES);
    if !updated.is_empty() {
        events.push(event("game_updated", json!({"changes": updated})));
    }
    events
}

/// The ids of the games that a change is about, each once; in the order of the change.
fn touched(change: &Change) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut ids = Vec::new();
    let mut add = |id: &str| {
        if seen.insert(id.to_owned()) {
            ids.push(id.to_owned());
        }
    };
    for op in change.ops.iter() {
        match op {
            Op::Put(game) | Op::Add(_, game) => add(game.id()),
            Op::Rename { from, game } => {
                add(from);
                add(game.id());
            }
            Op::Remove(gone) => gone.iter().for_each(|id| add(id)),
            _ => {}
        }
    }
    if change.ops.is_empty() && change.cause == Cause::Replaced {
        let all = change.before.games.iter().chain(change.after.games.iter());
        all.for_each(|game| add(game.id()));
    }
    ids
}

/// A game by its own id; a former id is ignored.
fn find<'a>(state: &'a State, id: &str) -> Option<&'a Game> {
    state.games.find(id).map(|(_, game)| &**game).filter(|game| game.id() == id)
}

/// The differing fields among those that plugins receive.
fn differences(before: &Game, after: &Game) -> Vec<&'static str> {
    let pairs = [
        ("name", before.name() == after.name()),
        ("platform", before.platform() == after.platform()),
        ("progress", before.progress() == after.progress()),
        ("favorite", before.favorite() == after.favorite()),
        ("hidden", before.hidden() == after.hidden()),
        ("rating", before.rating() == after.rating()),
        ("playtime_seconds", before.playtime_seconds() == after.playtime_seconds()),
    ];
    pairs.into_iter().filter(|(_, same)| !same).map(|(field, _)| field).collect()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use super::*;
    use crate::model::Games;

    fn state(rows: &[Value]) -> Arc<State> {
        let game = |row: &Value| Arc::new(Game::from_json(&row.to_string()).expect("a game"));
        let games = Games::from_games(rows.iter().map(game));
        Arc::new(State::new(games, BTreeMap::new(), 1))
    }

    fn change(before: &[Value], after: &[Value], ids: &[&str], cause: Cause) -> Change {
        let (before, after) = (state(before), state(after));
        let op = |id: &&str| match after.games.find(id) {
            Some((_, game)) => Op::Put(Arc::clone(game)),
            None => Op::Remove(vec![(*id).to_owned()]),
        };
        let ops = ids.iter().map(op).collect();
        Change { before, after, ops, cause, at: 0 }
    }

    fn told(change: &Change) -> Value {
        json!(of_change(change))
    }

    #[test]
    fn games_that_came_went_and_changed_are_told_once() {
        let a = json!({"game_id": "a", "name": "A", "rating": 3});
        let b = json!({"game_id": "b", "name": "B"});
        let c = json!({"game_id": "c", "name": "C"});
        let renamed = json!({"game_id": "a", "name": "A2", "rating": 4, "genre": "x"});
        let change =
            change(&[a.clone(), b.clone()], &[renamed, c], &["a", "b", "c", "a"], Cause::Unnamed);
        assert!(concerns(&change));
        assert_eq!(
            told(&change),
            json!([
                {"event": "game_added", "game_ids": ["c"]},
                {"event": "game_removed", "game_ids": ["b"]},
                {"event": "game_updated", "changes": [{"game_id": "a", "changed": ["name", "rating"]}]},
            ])
        );
    }

    #[test]
    fn what_plugins_are_not_told_about_is_no_event() {
        let before = json!({"game_id": "a", "genre": "x"});
        let after = json!({"game_id": "a", "genre": "y"});
        assert_eq!(told(&change(&[before], &[after], &["a"], Cause::Unnamed)), json!([]));
        let nothing = change(&[], &[], &[], Cause::Created);
        assert!(!concerns(&nothing));
        assert_eq!(told(&nothing), json!([]));
    }

    #[test]
    fn scans_and_replaced_libraries_are_told_and_long_lists_cut() {
        let scan = Cause::Scanned { folder: "/g".into(), added: 1, scanned: 2 };
        assert_eq!(
            told(&change(&[], &[], &[], scan)),
            json!([{"event": "scan_finished", "folder": "/g", "added": 1, "scanned": 2}])
        );
        let rows = |count: usize, name: &str| -> Vec<Value> {
            let row = |at: usize| json!({"game_id": at.to_string(), "name": name});
            (0..count).map(row).collect()
        };
        let all = of_change(&change(&[], &rows(501, "a"), &[], Cause::Replaced));
        assert_eq!(all[0]["game_ids"].as_array().map(Vec::len), Some(500));
        let all = of_change(&change(&rows(101, "a"), &rows(101, "b"), &[], Cause::Replaced));
        assert_eq!(all[0]["changes"].as_array().map(Vec::len), Some(100));
    }
}
