//! Games in manual playlists: they leave, come back, and take the place of one another.
//!
//! A game that is deleted stays a member: an import that brings it back finds its place. What the trash keeps, and
//! what is undone, leaves.

use hashbrown::{HashMap, HashSet};
use serde_json::Value;

use crate::model::Draft;

const SECTION: &str = "playlists";

/// Takes games out of all manual playlists; the names of the playlists that each was in, by its id.
pub(super) fn leave(draft: &mut Draft, ids: &[impl AsRef<str>]) -> HashMap<String, Vec<String>> {
    let leaving: HashSet<&str> = ids.iter().map(AsRef::as_ref).collect();
    let mut left: HashMap<String, Vec<String>> = HashMap::new();
    let mut playlists = draft.state().section(SECTION).clone();
    for playlist in playlists.as_array_mut().into_iter().flatten() {
        let name = playlist["name"].as_str().unwrap_or("").to_owned();
        let Some(members) = playlist.get_mut("members").and_then(Value::as_array_mut) else {
            continue;
        };
        members.retain(|member| {
            let Some(id) = member.as_str().filter(|id| leaving.contains(id)) else { return true };
            left.entry(id.to_owned()).or_default().push(name.clone());
            false
        });
    }
    draft.set_section(SECTION, playlists);
    left
}

/// Puts a game at the end of the playlists with these names. One that follows a filter by now has no members, and
/// one that the program keeps has those that it chose.
pub(super) fn join(draft: &mut Draft, names: &[String], id: &str) {
    let mut playlists = draft.state().section(SECTION).clone();
    for playlist in playlists.as_array_mut().into_iter().flatten() {
        let left = playlist["name"].as_str().is_some_and(|it| names.iter().any(|name| name == it));
        if !left || playlist["type"] == "filter" || !is_chosen(playlist, id) {
            continue;
        }
        if let Some(members) = playlist.get_mut("members").and_then(Value::as_array_mut) {
            members.push(id.into());
        }
    }
    draft.set_section(SECTION, playlists);
}

/// Whether a game is among the picks of a playlist that the program keeps; true for all others.
fn is_chosen(playlist: &Value, id: &str) -> bool {
    let picks = playlist.get("managed").and(playlist["picks"].as_array());
    picks.is_none_or(|picks| picks.iter().any(|pick| pick["game_id"] == id))
}

/// Puts games in the places of others, each in a playlist once: `places` has the game that stays by the game that goes.
pub fn take_places(draft: &mut Draft, places: &HashMap<&str, &str>) {
    let mut playlists = draft.state().section(SECTION).clone();
    for playlist in playlists.as_array_mut().into_iter().flatten() {
        let Some(members) = playlist.get_mut("members").and_then(Value::as_array_mut) else {
            continue;
        };
        let is_leaving = |member: &Value| member.as_str().is_some_and(|id| places.contains_key(id));
        if !members.iter().any(is_leaving) {
            continue;
        }
        let mut seen: HashSet<String> = HashSet::new();
        members.retain_mut(|member| {
            let Some(id) = member.as_str() else { return true };
            let id = (*places.get(id).unwrap_or(&id)).to_owned();
            let is_first = seen.insert(id.clone());
            *member = id.into();
            is_first
        });
    }
    draft.set_section(SECTION, playlists);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::State;

    #[test]
    fn a_game_that_comes_back_joins_only_lists_that_have_members_of_their_own() {
        let mut draft = Draft::new(State::default());
        draft.set_section(
            SECTION,
            json!([
                {"name": "Mine", "type": "manual", "members": ["x"]},
                {"name": "Now a filter", "type": "filter", "rules": {}, "members": []},
                {"name": "Radio", "managed": "radio", "members": ["x"], "picks": [{"game_id": "x"}]},
                {"name": "Other", "type": "manual", "members": []},
            ]),
        );
        let names = ["Mine", "Now a filter", "Radio"].map(str::to_owned);
        join(&mut draft, &names, "back");
        let members = |at: usize| draft.state().section(SECTION)[at]["members"].clone();
        assert_eq!(members(0), json!(["x", "back"]));
        assert_eq!(members(1), json!([]));
        assert_eq!(members(2), json!(["x"]));
        assert_eq!(members(3), json!([]));
    }

    #[test]
    fn a_game_that_stays_takes_the_first_place_of_both() {
        let mut draft = Draft::new(State::default());
        draft.set_section(
            SECTION,
            json!([
                {"name": "Both", "members": ["x", "loser", "y", "winner", 7]},
                {"name": "Loser", "members": ["loser"]},
                {"name": "Neither", "members": ["x", "x"]},
                {"name": "Filter", "rules": {}},
            ]),
        );
        take_places(&mut draft, &HashMap::from([("loser", "winner")]));
        assert_eq!(
            draft.state().section(SECTION),
            &json!([
                {"name": "Both", "members": ["x", "winner", "y", 7]},
                {"name": "Loser", "members": ["winner"]},
                {"name": "Neither", "members": ["x", "x"]},
                {"name": "Filter", "rules": {}},
            ])
        );
    }
}
