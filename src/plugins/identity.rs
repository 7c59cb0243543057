//! Which game an object of a shown list is: a plugin changes how games are shown, never `id` or `game_id`.

use std::collections::HashMap;

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

/// What the page and the routes know a game by.
#[derive(serde::Deserialize)]
struct Identity {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    game_id: Value,
}

impl Identity {
    fn read(text: &RawValue) -> Self {
        let read = serde_json::from_str(text.get());
        read.unwrap_or(Self { id: Value::Null, game_id: Value::Null })
    }
}

/// Gives the objects that a plugin returned the identities of the games that it got, and returns how many had
/// others. The list may be in another order as long as it names every game once; else the place of an object
/// counts.
pub(super) fn put_back(before: &[Box<RawValue>], after: &mut [Box<RawValue>]) -> usize {
    let given: Vec<Identity> = before.iter().map(|text| Identity::read(text)).collect();
    let got: Vec<Identity> = after.iter().map(|text| Identity::read(text)).collect();
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(given.len());
    places
        .extend(given.iter().enumerate().filter_map(|(at, one)| Some((one.game_id.as_str()?, at))));
    let named: Option<Vec<usize>> =
        got.iter().map(|one| places.remove(one.game_id.as_str()?)).collect();
    let mut changed = 0;
    for (at, (text, got)) in after.iter_mut().zip(&got).enumerate() {
        let given = &given[named.as_ref().map_or(at, |named| named[at])];
        if (&given.id, &given.game_id) == (&got.id, &got.game_id) {
            continue;
        }
        let read = serde_json::from_str::<Map<String, Value>>(text.get());
        // An object that cannot be read is none that the page could show.
        let mut game = read.unwrap_or_default();
        game.insert("id".to_owned(), given.id.clone());
        game.insert("game_id".to_owned(), given.game_id.clone());
        if let Ok(restored) = to_raw_value(&game) {
            *text = restored;
        }
        changed += 1;
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn list(games: &Value) -> Vec<Box<RawValue>> {
        serde_json::from_str(&games.to_string()).expect("a list")
    }

    #[track_caller]
    fn check(after: &Value, changed: usize, expected: &Value) {
        let before = list(&json!([
            {"id": 0, "game_id": "a", "name": "A"},
            {"id": 1, "game_id": "b", "name": "B"},
        ]));
        let mut after = list(after);
        assert_eq!(put_back(&before, &mut after), changed);
        assert_eq!(json!(after), *expected);
    }

    #[test]
    fn a_game_stays_the_one_it_is() {
        let shown = json!([{"id": 0, "game_id": "a", "name": "A!"}, {"id": 1, "game_id": "b"}]);
        check(&shown, 0, &shown);
        let turned = json!([{"id": 1, "game_id": "b"}, {"id": 0, "game_id": "a", "name": "A!"}]);
        check(&turned, 0, &turned);
        let numbered = json!([{"id": 0, "game_id": "b"}, {"game_id": "a", "name": "A!"}]);
        check(&numbered, 2, &turned);
        for spoiled in [
            json!([{"id": 9, "game_id": "x", "name": "A!"}, {"id": 9, "game_id": "x"}]),
            json!([{"id": 0, "game_id": "b", "name": "A!"}, {"id": 1, "game_id": "b"}]),
            json!([{"name": "A!"}, {"game_id": 7}]),
        ] {
            let changed = if spoiled[1]["game_id"] == "b" { 1 } else { 2 };
            check(&spoiled, changed, &shown);
        }
    }
}
