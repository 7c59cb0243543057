//! Games in manual playlists: removal, restoring, and replacing one by another.
//!
//! A game that is deleted stays a member: an import that brings it back finds its place. What the trash keeps, and
//! what is undone, leaves.

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Draft;

const SECTION: &str = "playlists";

/// The game that took the places of another one in manual playlists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Its stable id.
    pub game_id: String,
    /// The places.
    pub places: Vec<PlaylistPosition>,
}

/// A place in a manual playlist that another game took. Positions are those before any game left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaylistPosition {
    /// The name of the playlist.
    pub playlist: String,
    /// Where the game stood.
    pub at: usize,
    /// Where the game stood that took the place, when it was a member.
    pub other_at: Option<usize>,
    /// Where that game stands since.
    pub other_now: usize,
}

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

/// Puts a game at the end of the playlists with these names. One that the program keeps takes what it picked.
pub(super) fn join(draft: &mut Draft, names: &[String], id: &str) {
    let mut playlists = draft.state().section(SECTION).clone();
    for playlist in playlists.as_array_mut().into_iter().flatten() {
        let left = playlist["name"].as_str().is_some_and(|it| names.iter().any(|name| name == it));
        if !left || !(has_own_members(playlist) || is_picked(playlist, id)) {
            continue;
        }
        if let Some(members) = playlist.get_mut("members").and_then(Value::as_array_mut) {
            members.push(id.into());
        }
    }
    draft.set_section(SECTION, playlists);
}

/// Whether the user chose the members of a playlist: one of a filter has none, and the program keeps others.
fn has_own_members(playlist: &Value) -> bool {
    playlist["type"] != "filter" && playlist.get("managed").is_none()
}

/// Whether a game is among the picks of a playlist that the program keeps.
fn is_picked(playlist: &Value, id: &str) -> bool {
    playlist["picks"].as_array().is_some_and(|picks| picks.iter().any(|pick| pick["game_id"] == id))
}

/// Puts games in the places of others, each in a playlist once: `places` has the game that stays by the game that goes.
pub fn take_places(draft: &mut Draft, places: &HashMap<&str, &str>) {
    let mut playlists = draft.state().section(SECTION).clone();
    for playlist in playlists.as_array_mut().into_iter().flatten() {
        let is_own = has_own_members(playlist);
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
            if !is_own && places.contains_key(id) {
                return false;
            }
            let id = (*places.get(id).unwrap_or(&id)).to_owned();
            let is_first = seen.insert(id.clone());
            *member = id.into();
            is_first
        });
    }
    draft.set_section(SECTION, playlists);
}

/// As [`take_places`], for one game that stays; the places that the others had, by their ids.
pub(super) fn replace(
    draft: &mut Draft,
    ids: &[&str],
    by: &str,
) -> HashMap<String, Vec<PlaylistPosition>> {
    let mut found: HashMap<String, Vec<PlaylistPosition>> = HashMap::new();
    let places: HashMap<&str, &str> = ids.iter().map(|id| (*id, by)).collect();
    let playlists = draft.state().section(SECTION).as_array().into_iter().flatten();
    for playlist in playlists.filter(|playlist| has_own_members(playlist)) {
        let members = playlist.get("members").and_then(Value::as_array).into_iter().flatten();
        let (mut stood, mut other_at): (Vec<(usize, &str)>, Option<usize>) = (Vec::new(), None);
        for (at, id) in members.enumerate().filter_map(|(at, member)| Some((at, member.as_str()?)))
        {
            if id == by {
                other_at = other_at.or(Some(at));
            } else if places.contains_key(id) && stood.iter().all(|(_, known)| *known != id) {
                stood.push((at, id));
            }
        }
        let Some((first, _)) = stood.first().copied() else { continue };
        let other_now = other_at.map_or(first, |at| at.min(first));
        let playlist = playlist["name"].as_str().unwrap_or("");
        for (at, id) in stood {
            let place = PlaylistPosition { playlist: playlist.to_owned(), at, other_at, other_now };
            found.entry(id.to_owned()).or_default().push(place);
        }
    }
    take_places(draft, &places);
    found
}

/// Puts a game back to the places that another one took. `missing` are places that the other one has of further
/// games; where it has none of these any more, it goes back to where it stood itself.
pub(super) fn take_back(
    draft: &mut Draft,
    id: &str,
    from: &Replacement,
    missing: &[PlaylistPosition],
) {
    let mut playlists = draft.state().section(SECTION).clone();
    for playlist in playlists.as_array_mut().into_iter().flatten() {
        let is_own =
            |place: &&PlaylistPosition| playlist["name"].as_str() == Some(&*place.playlist);
        let place = from.places.iter().find(is_own).filter(|_| has_own_members(playlist));
        let Some(place) = place else { continue };
        let others: Vec<&PlaylistPosition> = missing.iter().filter(is_own).collect();
        let Some(members) = playlist.get_mut("members").and_then(Value::as_array_mut) else {
            continue;
        };
        let other = members.iter().position(|member| member.as_str() == Some(&*from.game_id));
        let mut back = vec![(place.at, id)];
        if others.is_empty() {
            if let Some(at) = other {
                members.remove(at);
                back.extend(place.other_at.map(|at| (at, &*from.game_id)));
            }
        } else {
            let is_before = |at: usize| at < place.at;
            let absent = others.iter().filter(|other| is_before(other.at)).count()
                + usize::from(place.other_at.is_some_and(is_before));
            let more = usize::from(other.is_some() && is_before(place.other_now));
            back[0].0 = (place.at + more).saturating_sub(absent);
        }
        // Each place counts those before it.
        back.sort_unstable();
        for (at, id) in back {
            members.insert(at.min(members.len()), id.into());
        }
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
    fn games_come_back_to_the_places_that_one_took_in_any_order() {
        for before in [
            json!(["a", "L1", "b", "W", "L2", "c"]),
            json!(["W", "L2", "a", "L1"]),
            json!(["L1", "L2", "L3", "W"]),
            json!(["a", "L2", "b", "L1", "c", "L3"]),
            json!(["L3", "W"]),
            json!(["a"]),
        ] {
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let mut draft = Draft::new(State::default());
                draft.set_section(SECTION, json!([{"name": "P", "members": before}]));
                let ids = ["L1", "L2", "L3"];
                let places = replace(&mut draft, &ids, "W");
                let left = draft.state().section(SECTION)[0]["members"].to_string();
                assert!(!left.contains('L'), "{left}");
                assert_eq!(left.contains('W'), before != json!(["a"]), "{left}");
                let of = |at: &usize| places.get(ids[*at]).cloned().unwrap_or_default();
                for (done, at) in order.iter().enumerate() {
                    let from = Replacement { game_id: "W".to_owned(), places: of(at) };
                    let missing: Vec<PlaylistPosition> =
                        order[done + 1..].iter().flat_map(of).collect();
                    take_back(&mut draft, ids[*at], &from, &missing);
                }
                let after = &draft.state().section(SECTION)[0]["members"];
                assert_eq!(*after, before, "{order:?}");
            }
        }
    }

    #[test]
    fn what_was_edited_since_a_game_took_places_stays() {
        let mut draft = Draft::new(State::default());
        let members = |members: Value| json!([{"name": "P", "members": members}]);
        draft.set_section(SECTION, members(json!(["a", "b", "L"])));
        let places = replace(&mut draft, &["L"], "W").remove("L").expect("a place");
        let from = Replacement { game_id: "W".to_owned(), places };
        for (now, after) in [
            (json!(["a"]), json!(["a", "L"])),
            (json!(["W", "c", "a", "b"]), json!(["c", "a", "L", "b"])),
        ] {
            draft.set_section(SECTION, members(now));
            take_back(&mut draft, "L", &from, &[]);
            assert_eq!(draft.state().section(SECTION)[0]["members"], after);
        }
        draft.set_section(SECTION, json!([{"name": "Q", "members": ["W"]}]));
        take_back(&mut draft, "L", &from, &[]);
        assert_eq!(draft.state().section(SECTION)[0]["members"], json!(["W"]));
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
