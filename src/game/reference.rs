//! How a request names a game: by stable `game_id`, or by `id`, its position in the library.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Map, Value};

use super::clean::InputError;
use crate::model::{Game, Games};

/// A game named by a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameRef {
    /// A stable id or a legacy alias. When it is gone the reference finds nothing: it never falls
    /// back to a position, which may hold another game by now.
    Id(String),
    /// A position in library order.
    Position(usize),
}

impl GameRef {
    /// Reads `game_id`, preferred, or `id` (a number, digits, or a stable id) from a body.
    /// `None` when neither is given.
    pub fn from_body(body: &Map<String, Value>) -> Option<Self> {
        match body.get("game_id") {
            Some(Value::String(id)) if !id.trim().is_empty() => {
                return Some(Self::Id(id.trim().to_owned()));
            }
            None | Some(Value::Null | Value::String(_)) => {}
            Some(other) => return Some(Self::Id(other.to_string())),
        }
        match body.get("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) if id.trim().is_empty() => None,
            Some(Value::String(id)) => Some(Self::from_text(id)),
            Some(other) => Some(Self::from_text(&other.to_string())),
        }
    }

    /// Reads `game_id`, preferred, or `id` from query values.
    pub fn from_query(game_id: Option<&str>, id: Option<&str>) -> Option<Self> {
        let given = (given(game_id), given(id));
        match given {
            (Some(game_id), _) => Some(Self::Id(game_id.to_owned())),
            (None, Some(id)) => Some(Self::from_text(id)),
            (None, None) => None,
        }
    }

    /// Reads one entry of a list of ids: a position, or a text as in [`GameRef::from_text`]. `None` for
    /// anything else.
    pub fn from_value(id: &Value) -> Option<Self> {
        match id {
            Value::Number(number) if number.is_u64() => Some(Self::from_text(&number.to_string())),
            Value::String(text) if !text.trim().is_empty() => Some(Self::from_text(text)),
            _ => None,
        }
    }

    /// Digits are a position; everything else is taken as an id, which may find nothing.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        match text.parse() {
            Ok(position) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Self::Position(position)
            }
            _ => Self::Id(text.to_owned()),
        }
    }

    /// The game and its position.
    pub fn find<'a>(&self, games: &'a Games) -> Option<(usize, &'a Arc<Game>)> {
        match self {
            Self::Id(id) => games.find(id),
            Self::Position(position) => Some((*position, games.get(*position)?)),
        }
    }
}

/// The stable ids of the named games, each once, in the order in which they are named.
///
/// # Errors
/// `A selected game no longer exists.` when one of them is not there.
pub fn select(games: &Games, named: &[GameRef]) -> Result<Vec<String>, InputError> {
    let mut seen = HashSet::with_capacity(named.len());
    let mut ids = Vec::with_capacity(named.len());
    for game in named {
        let gone = || InputError("A selected game no longer exists.".to_owned());
        let (position, game) = game.find(games).ok_or_else(gone)?;
        if seen.insert(position) {
            ids.push(game.id().to_owned());
        }
    }
    Ok(ids)
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(body: Value, expected: Option<GameRef>) {
        assert_eq!(GameRef::from_body(body.as_object().expect("an object")), expected);
    }

    #[test]
    fn prefers_the_stable_id_and_never_falls_back() {
        let id = |text: &str| Some(GameRef::Id(text.to_owned()));
        check(json!({"game_id": "game-1", "id": 0}), id("game-1"));
        check(json!({"game_id": "", "id": 0}), Some(GameRef::Position(0)));
        check(json!({"game_id": 7, "id": 0}), id("7"));
        check(json!({"id": "12"}), Some(GameRef::Position(12)));
        check(json!({"id": "game-1"}), id("game-1"));
        check(json!({"id": -1}), id("-1"));
        check(json!({"id": true}), id("true"));
        check(json!({"id": null}), None);
        check(json!({}), None);
        let games = Games::from_games([Arc::new(
            Game::from_json("{\"game_id\":\"game-1\"}").expect("json"),
        )]);
        assert!(GameRef::Id("game-9".to_owned()).find(&games).is_none());
        assert!(GameRef::Position(0).find(&games).is_some());
    }

    #[test]
    fn reads_queries() {
        assert_eq!(GameRef::from_query(Some(" "), Some("3")), Some(GameRef::Position(3)));
        assert_eq!(GameRef::from_query(None, None), None);
    }
}
