//! Repairs of games in a file: every game gets a unique id, tags become lists.
//!
//! Existing ids are kept. A new one is given to:
//! - a game without an id: its stable id, counted on when that is taken;
//! - the second game with an id: the same id with the first free `-2`, `-3` ...;
//! - in files this program has not written, an id with a position, `game-<24 hex>-<n>`, unless the
//!   id without the position is there too (then it is a collision suffix, a stable id like any
//!   other). The old id stays as an alias, so whatever names it still finds its game.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Map, Value, json};

use crate::model::{Game, Games, game_id};

/// Makes the tags of a game a list; `None` when they are fine.
pub(super) fn repaired_tags(game: &Game) -> Option<Game> {
    if !may_have_odd_tags(game.json()) {
        return None;
    }
    let mut record = game.record();
    if record.get("tags").is_none_or(Value::is_array) {
        return None;
    }
    record.set("tags", json!([]));
    Game::from_json(&record.to_json()).ok()
}

/// A quick look that lets almost every game pass without opening its record.
fn may_have_odd_tags(json: &str) -> bool {
    json.match_indices("\"tags\"").any(|(at, key)| {
        let value = json[at + key.len()..].trim_start_matches([':', ' ']);
        !value.starts_with('[')
    })
}

/// Gives every game an id of its own; `ours` says that this program wrote the file. Hands back how
/// many games got a new one, too.
pub(super) fn repair_ids(games: Vec<Arc<Game>>, ours: bool) -> (Games, usize) {
    let stands = |id: &str| !id.trim().is_empty() && (ours || game_id::numbered_stem(id).is_none());
    let mut games = if games.iter().all(|game| stands(game.id())) {
        match Games::distinct(games) {
            Ok(games) => return (games, 0),
            Err(games) => games,
        }
    } else {
        games
    };
    let renamed = rename(&mut games, ours);
    (Games::from_games(games), renamed)
}

/// Names the games of playlists, each once, and of the play queue by their present ids; returns how many playlists and
/// entries changed. A game that is not there stays.
pub(super) fn repair_members(sections: &mut Map<String, Value>, games: &Games) -> usize {
    let playlists = sections.get_mut("playlists").and_then(Value::as_array_mut);
    let lists = playlists.into_iter().flatten();
    let members = lists.filter_map(|list| list.get_mut("members")?.as_array_mut());
    let lists: usize = members.map(|members| usize::from(renew(members, games))).sum();
    let queue = sections.get_mut("queue").and_then(Value::as_array_mut);
    let entries = queue.into_iter().flatten().filter_map(|entry| entry.get_mut("game_id"));
    let entries: usize = entries.map(|id| usize::from(renew_id(id, games))).sum();
    lists + entries
}

/// The present id of a game that is named by an older one.
fn present_id(id: &Value, games: &Games) -> Option<Value> {
    let game = games.find(id.as_str()?)?.1;
    (id != game.id()).then(|| Value::from(game.id()))
}

fn renew_id(id: &mut Value, games: &Games) -> bool {
    let renewed = present_id(id, games);
    let is_old = renewed.is_some();
    if let Some(present) = renewed {
        *id = present;
    }
    is_old
}

fn renew(members: &mut Vec<Value>, games: &Games) -> bool {
    let renewed: Vec<Option<Value>> =
        members.iter().map(|member| present_id(member, games)).collect();
    if renewed.iter().all(Option::is_none) {
        return false;
    }
    let mut seen = HashSet::new();
    let all = members.drain(..).zip(renewed).map(|(old, new)| new.unwrap_or(old));
    *members = all.filter(|member| seen.insert(member.to_string())).collect();
    true
}

fn rename(games: &mut [Arc<Game>], ours: bool) -> usize {
    let all: HashSet<String> = games.iter().map(|game| game.id().to_owned()).collect();
    let mut taken = all.clone();
    let mut seen: HashSet<String> = HashSet::with_capacity(games.len());
    let mut changed = 0;
    for game in games {
        let id = game.id().to_owned();
        let positional = || game_id::numbered_stem(&id).is_some_and(|stem| !all.contains(stem));
        let mut record = game.record();
        if id.trim().is_empty() {
            record.set("game_id", first_free(game_id::derive(&record), &mut taken));
        } else if !seen.insert(id.clone()) {
            record.set("game_id", first_free(id, &mut taken));
        } else if !ours && positional() {
            let new = first_free(game_id::derive(&record), &mut taken);
            record = game_id::renamed(record, &new);
        } else {
            continue;
        }
        *game = Game::seal(&record);
        changed += 1;
    }
    changed
}

fn first_free(preferred: String, taken: &mut HashSet<String>) -> String {
    let mut id = preferred.clone();
    let mut number = 1_u64;
    while taken.contains(&id) {
        number += 1;
        id = format!("{preferred}-{number}");
    }
    taken.insert(id.clone());
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEM: &str = "game-0123456789abcdef01234567";

    fn games(values: &[Value]) -> Vec<Arc<Game>> {
        values
            .iter()
            .map(|value| Game::seal(&serde_json::from_value(value.clone()).expect("an object")))
            .collect()
    }

    #[track_caller]
    fn check(values: &[Value], ours: bool, changed: usize, expected: &[&str]) -> Vec<Arc<Game>> {
        let (games, renamed) = repair_ids(games(values), ours);
        assert_eq!(renamed, changed);
        let games: Vec<_> = games.iter().cloned().collect();
        let ids: Vec<&str> = games.iter().map(|game| game.id()).collect();
        assert_eq!(ids, expected);
        games
    }

    #[test]
    fn missing_and_duplicate_ids_get_their_own() {
        let lone = json!({"name": "A", "path": "/a"});
        let derived = game_id::derive(&serde_json::from_value(lone.clone()).expect("an object"));
        let second = format!("{derived}-2");
        check(&[lone.clone(), lone], false, 2, &[&derived, &second]);
        check(
            &[json!({"game_id": "x"}), json!({"game_id": "x"}), json!({"game_id": "x-2"})],
            true,
            1,
            &["x", "x-3", "x-2"],
        );
    }

    #[test]
    fn positions_go_but_collision_suffixes_stay() {
        let old = format!("{STEM}-17");
        let value = json!({"game_id": old, "path": "/a"});
        let derived = game_id::derive(&serde_json::from_value(value.clone()).expect("an object"));
        let games = check(std::slice::from_ref(&value), false, 1, &[&derived]);
        assert_eq!(games[0].legacy_ids().collect::<Vec<_>>(), [old.as_str()]);
        check(&[value], true, 0, &[&old]);
        check(
            &[json!({"game_id": STEM}), json!({"game_id": old.clone()})],
            false,
            0,
            &[STEM, &old],
        );
    }

    #[test]
    fn repairing_twice_changes_nothing_more() {
        let (games, renamed) = repair_ids(
            games(&[
                json!({"game_id": format!("{STEM}-1"), "path": "/a"}),
                json!({"game_id": format!("{STEM}-2"), "path": "/a"}),
                json!({}),
                json!({}),
            ]),
            false,
        );
        assert_eq!(renamed, 4);
        let unique: HashSet<&str> = games.iter().map(|game| game.id()).collect();
        assert_eq!(unique.len(), 4);
        assert_eq!(repair_ids(games.iter().cloned().collect(), true).1, 0);
    }

    #[test]
    fn playlists_name_games_by_their_ids_of_today() {
        let old = format!("{STEM}-1");
        let value = json!({"game_id": old, "path": "/a"});
        let (games, _) = repair_ids(games(&[value, json!({"game_id": "b"})]), false);
        let id = games.get(0).expect("there").id().to_owned();
        let mut sections = Map::new();
        sections.insert(
            "playlists".into(),
            json!([
                {"name": "A", "members": ["b", old, id, "gone", 5]},
                {"name": "B", "members": ["b", "gone"]},
                {"name": "C", "rules": {}}, 7,
            ]),
        );
        let queue = json!([{"game_id": old, "added_at": "x"}, {"game_id": "gone"}, {}, 7]);
        sections.insert("queue".into(), queue);
        assert_eq!(repair_members(&mut sections, &games), 2);
        let queue = json!([{"game_id": id, "added_at": "x"}, {"game_id": "gone"}, {}, 7]);
        assert_eq!(sections["queue"], queue);
        assert_eq!(sections["playlists"][0]["members"], json!(["b", id, "gone", 5]));
        assert_eq!(sections["playlists"][1]["members"], json!(["b", "gone"]));
        assert_eq!(repair_members(&mut sections, &games), 0);
    }

    #[test]
    fn only_odd_tags_are_replaced() {
        let of = |json: &str| Game::from_json(json).expect("a game");
        assert!(repaired_tags(&of(r#"{"tags":["a"],"x":{"tags":5}}"#)).is_none());
        assert!(repaired_tags(&of(r#"{"tags" : [],"name":"tags"}"#)).is_none());
        let game = repaired_tags(&of(r#"{"x":{"tags":[]},"tags":"a, b"}"#)).expect("repaired");
        assert_eq!(game.json(), r#"{"tags":[],"x":{"tags":[]}}"#);
    }
}
