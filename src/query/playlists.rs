//! Playlists: a filter that is evaluated at every request, or a list of games in a chosen order
//! (`/api/playlists`).

use hashbrown::HashSet;
use serde_json::{Map, Value, json};

use super::filter_rules;
use crate::{
    base::limits,
    game::{GameRef, InputError, clean::refuse},
    model::{Draft, Games},
    store::{Committed, Store},
};

const SECTION: &str = "playlists";

/// No playlist has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Playlist not found: {0}")]
pub struct UnknownPlaylist(pub String);

/// As [`save`], in one commit.
pub fn save_playlist(store: &Store, posted: &Map<String, Value>) -> Committed<String, InputError> {
    store.commit(|draft| save(draft, posted))
}

/// Saves a posted playlist under its name, in the place of the one that had it, and returns the
/// name. With `append` the games are put behind those that a manual playlist holds already, so a
/// long list can be sent in parts; with `before` they go in front of that member, and those that are there
/// already move. Games in `remove` leave it. `former` is the name it had: it is
/// renamed where it stands, and what stood under the old name stands under the new one. A member that is
/// there already may be a game that was deleted: an import may bring it back.
///
/// # Errors
/// The sentence for the first rule that is broken.
pub fn save(draft: &mut Draft, posted: &Map<String, Value>) -> Result<String, InputError> {
    let given = |key: &str| posted.get(key).filter(|value| !value.is_null());
    let text = |key: &str| match given(key) {
        None => Ok(""),
        Some(Value::String(text)) => Ok(text.trim()),
        Some(_) => refuse(format!("{key} must be text.")),
    };
    let name = given("name").and_then(Value::as_str).map_or("", str::trim);
    let rules = given("rules").and_then(Value::as_object);
    let manual = match posted.get("type") {
        None | Some(Value::Null) => false,
        Some(Value::String(kind)) if kind.trim() == "filter" => false,
        Some(Value::String(kind)) if kind.trim() == "manual" => true,
        Some(_) => return refuse("Playlist type must be filter or manual."),
    };
    let (parent, notes) = (text("parent")?, text("notes")?);
    let mut rows = rows(draft);
    let former = Some(text("former")?).filter(|former| !former.is_empty() && *former != name);
    if former.is_some() && rows.iter().any(|row| row["name"] == name) {
        return refuse("A playlist with this name exists already.");
    }
    let place = rows.iter().position(|row| row["name"] == former.unwrap_or(name));
    let (rules, members) = match (manual, rules) {
        _ if name.is_empty() => return refuse("Playlist name and rules are required."),
        (false, None) => return refuse("Playlist name and rules are required."),
        (false, Some(rules)) => (filter_rules::of_playlist(rules), Vec::new()),
        (true, None) if given("rules").is_some() => return refuse("rules must be an object."),
        (true, _) => {
            let append = match given("append") {
                None => false,
                Some(Value::Bool(append)) => *append,
                Some(_) => return refuse("append must be true or false."),
            };
            let stored = place.and_then(|at| rows[at]["members"].as_array());
            let stored = stored.map_or(&[][..], Vec::as_slice);
            let kept = if append { stored } else { &[] };
            let named = given("members").or_else(|| given("ids"));
            let games = &draft.state().games;
            let mut members = members(games, stored, kept, named)?;
            if append && given("before").is_some() {
                let moved = self::members(games, stored, &[], named)?;
                move_before(&mut members, &moved, text("before")?)?;
            }
            leave(&mut members, posted.get("remove"))?;
            (Map::new(), members)
        }
    };
    let row = json!({
        "name": name,
        "type": if manual { "manual" } else { "filter" },
        "rules": rules,
        "members": members,
        "parent": parent,
        "notes": notes,
    });
    match place {
        Some(at) => rows[at] = row,
        None => rows.push(row),
    }
    if let Some(former) = former {
        for row in rows.iter_mut().filter(|row| row["parent"] == former) {
            row["parent"] = name.into();
        }
    }
    draft.set_section(SECTION, rows.into());
    Ok(name.to_owned())
}

/// Puts these members in front of another one, or at the end when its id is blank.
fn move_before(
    members: &mut Vec<String>,
    moved: &[String],
    before: &str,
) -> Result<(), InputError> {
    let end = || before.is_empty().then_some(members.len());
    let Some(position) = members.iter().position(|id| id == before).or_else(end) else {
        return refuse("before must name a game of the playlist.");
    };
    let moving: HashSet<&str> = moved.iter().map(String::as_str).collect();
    let staying = |part: &[String]| -> Vec<String> {
        part.iter().filter(|id| !moving.contains(id.as_str())).cloned().collect()
    };
    let (front, back) = members.split_at(position);
    *members = [staying(front), moved.to_vec(), staying(back)].concat();
    Ok(())
}

/// Takes the games of a posted list out; one that is not there is no mistake.
fn leave(members: &mut Vec<String>, named: Option<&Value>) -> Result<(), InputError> {
    let named = match named {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(named)) => named,
        Some(_) => return refuse("Playlist members must be a list."),
    };
    let leaving: HashSet<&str> = named.iter().filter_map(Value::as_str).collect();
    members.retain(|member| !leaving.contains(member.as_str()));
    Ok(())
}

/// The stable ids of the named games behind those of `before`, each once. A game that is not there is taken
/// only when it is `stored`.
fn members(
    games: &Games,
    stored: &[Value],
    before: &[Value],
    named: Option<&Value>,
) -> Result<Vec<String>, InputError> {
    let named = match named {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(named)) => named.as_slice(),
        Some(_) => return refuse("Playlist members must be a list."),
    };
    let held: HashSet<&str> = stored.iter().filter_map(Value::as_str).collect();
    let mut ids: Vec<String> = before.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let mut known: HashSet<String> = ids.iter().cloned().collect();
    for member in named {
        let text = member.as_str().map_or_else(|| member.to_string(), str::to_owned);
        let found = GameRef::from_text(&text).find(games).map(|(_, game)| game.id().to_owned());
        let kept = || member.as_str().filter(|id| held.contains(id)).map(str::to_owned);
        let unknown = || InputError(format!("Game not found: {text}"));
        let id = found.or_else(kept).ok_or_else(unknown)?;
        if known.insert(id.clone()) {
            ids.push(id);
        }
    }
    if ids.len() > limits::PLAYLIST_MEMBERS {
        let limit = limits::PLAYLIST_MEMBERS;
        return refuse(format!("Playlists are limited to {limit} games."));
    }
    Ok(ids)
}

/// As [`delete`], in one commit.
pub fn delete_playlist(store: &Store, name: &str) -> Committed<(), UnknownPlaylist> {
    store.commit(|draft| delete(draft, name))
}

/// Deletes a playlist; its games stay.
///
/// # Errors
/// [`UnknownPlaylist`].
fn delete(draft: &mut Draft, name: &str) -> Result<(), UnknownPlaylist> {
    let mut rows = rows(draft);
    // A name that another program stored may have blanks around it, which no request has.
    let place = rows.iter().position(|row| row["name"].as_str().map(str::trim) == Some(name));
    rows.remove(place.ok_or_else(|| UnknownPlaylist(name.to_owned()))?);
    draft.set_section(SECTION, rows.into());
    Ok(())
}

fn rows(draft: &Draft) -> Vec<Value> {
    draft.state().list(SECTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::State;

    #[test]
    fn a_stored_name_with_blanks_around_it_is_deleted_too() {
        let mut draft = draft();
        draft.set_section(SECTION, json!([{"name": " Sp ", "type": "manual", "members": []}]));
        delete(&mut draft, "Sp").expect("deleted");
        assert_eq!(rows(&draft), Vec::<Value>::new());
    }

    fn draft() -> Draft {
        let mut draft = Draft::new(State::default());
        for id in ["game-a", "game-b"] {
            let record = json!({"game_id": id, "legacy_game_ids": [format!("old-{id}")]});
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        }
        draft
    }

    #[track_caller]
    fn post(draft: &mut Draft, posted: &Value) -> Result<String, String> {
        save(draft, posted.as_object().expect("an object")).map_err(|error| error.0)
    }

    #[test]
    fn members_are_stable_ids_each_once() {
        let mut draft = draft();
        let posted =
            json!({"name": "P", "type": "manual", "ids": [1, "0", "old-game-b", "game-a"]});
        assert_eq!(post(&mut draft, &posted), Ok("P".to_owned()));
        assert_eq!(rows(&draft)[0]["members"], json!(["game-b", "game-a"]));
        let gone = json!({"name": "P", "type": "manual", "members": [0, "gone"]});
        assert_eq!(post(&mut draft, &gone), Err("Game not found: gone".to_owned()));
        assert_eq!(rows(&draft)[0]["members"], json!(["game-b", "game-a"]));
    }

    #[test]
    fn a_member_that_was_deleted_stays_until_it_leaves() {
        let mut draft = draft();
        let posted = |members: Value| json!({"name": "P", "type": "manual", "members": members});
        post(&mut draft, &posted(json!(["game-a", "game-b"]))).expect("saved");
        draft.remove_games(&["game-a"]);
        assert!(post(&mut draft, &posted(json!(["game-b", "game-a"]))).is_ok());
        assert_eq!(rows(&draft)[0]["members"], json!(["game-b", "game-a"]));
        let renamed =
            json!({"name": "Q", "former": "P", "type": "manual", "members": ["game-a", "game-b"]});
        assert!(post(&mut draft, &renamed).is_ok());
        assert_eq!(rows(&draft)[0]["members"], json!(["game-a", "game-b"]));
        let unknown = Err("Game not found: game-a".to_owned());
        assert_eq!(post(&mut draft, &posted(json!(["game-a"]))), unknown);
        let less = json!({"name": "Q", "type": "manual", "members": ["game-b"]});
        assert!(post(&mut draft, &less).is_ok());
        let back = json!({"name": "Q", "type": "manual", "members": ["game-a"]});
        assert_eq!(post(&mut draft, &back), unknown);
    }

    #[test]
    fn members_leave_without_the_others_being_sent() {
        let mut draft = draft();
        let posted = json!({"name": "P", "type": "manual", "members": ["game-a", "game-b"]});
        post(&mut draft, &posted).expect("saved");
        let less = json!({"name": "P", "type": "manual", "append": true, "remove": ["game-a", 7]});
        assert_eq!(post(&mut draft, &less), Ok("P".to_owned()));
        assert_eq!(rows(&draft)[0]["members"], json!(["game-b"]));
        let bad = json!({"name": "P", "type": "manual", "append": true, "remove": "game-b"});
        assert_eq!(post(&mut draft, &bad), Err("Playlist members must be a list.".to_owned()));
        assert_eq!(rows(&draft)[0]["members"], json!(["game-b"]));
    }

    #[test]
    fn members_move_in_front_of_another_one() {
        let mut draft = draft();
        let record = json!({"game_id": "game-c"});
        draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        let posted = |members: Value, before: Value| json!({"name": "P", "type": "manual", "append": true, "members": members, "before": before});
        let all = json!({"name": "P", "type": "manual", "members": ["game-a", "game-b"]});
        post(&mut draft, &all).expect("saved");
        for (moved, before, expected) in [
            (json!(["game-c"]), json!("game-b"), ["game-a", "game-c", "game-b"]),
            (json!(["game-b", "game-c"]), json!("game-a"), ["game-b", "game-c", "game-a"]),
            (json!(["game-c"]), json!("game-c"), ["game-b", "game-c", "game-a"]),
            (json!(["game-b"]), json!(""), ["game-c", "game-a", "game-b"]),
            (json!(["game-b", "game-c"]), json!("game-c"), ["game-b", "game-c", "game-a"]),
            (json!(["game-a"]), Value::Null, ["game-b", "game-c", "game-a"]),
        ] {
            assert_eq!(post(&mut draft, &posted(moved, before)), Ok("P".to_owned()));
            assert_eq!(rows(&draft)[0]["members"], json!(expected));
        }
        for (before, error) in [
            (json!("gone"), "before must name a game of the playlist."),
            (json!(1), "before must be text."),
        ] {
            assert_eq!(post(&mut draft, &posted(json!(["game-a"]), before)), Err(error.to_owned()));
        }
        assert_eq!(rows(&draft)[0]["members"], json!(["game-b", "game-c", "game-a"]));
    }

    #[test]
    fn a_new_name_keeps_the_place_the_games_and_what_stands_below() {
        let mut draft = draft();
        for posted in [
            json!({"name": "Old", "type": "manual", "members": ["game-a"]}),
            json!({"name": "Child", "rules": {"platform": "NES"}, "parent": "Old"}),
            json!({"name": "Other", "rules": {"platform": "NES"}}),
        ] {
            post(&mut draft, &posted).expect("saved");
        }
        let taken = json!({"name": "Other", "former": "Old", "type": "manual", "append": true});
        let error = "A playlist with this name exists already.";
        assert_eq!(post(&mut draft, &taken), Err(error.to_owned()));
        let posted = json!({"name": "New", "former": "Old", "type": "manual", "append": true});
        assert_eq!(post(&mut draft, &posted), Ok("New".to_owned()));
        let rows = rows(&draft);
        assert_eq!(rows.len(), 3);
        assert_eq!((&rows[0]["name"], &rows[0]["members"]), (&json!("New"), &json!(["game-a"])));
        assert_eq!((&rows[1]["parent"], &rows[2]["parent"]), (&json!("New"), &json!("")));
    }

    #[test]
    fn a_long_list_grows_in_parts_up_to_its_limit() {
        let mut draft = draft();
        let stored: Vec<String> =
            (1..limits::PLAYLIST_MEMBERS).map(|number| format!("game-{number}")).collect();
        draft.set_section(SECTION, json!([{"name": "P", "type": "manual", "members": stored}]));
        let part = |ids: Value| json!({"name": "P", "type": "manual", "append": true, "ids": ids});
        assert!(post(&mut draft, &part(json!(["game-a", 0]))).is_ok());
        let held = rows(&draft)[0]["members"].as_array().map_or(0, Vec::len);
        assert_eq!(held, limits::PLAYLIST_MEMBERS);
        let full = Err("Playlists are limited to 100000 games.".to_owned());
        assert_eq!(post(&mut draft, &part(json!([1]))), full);
        let anew = json!({"name": "P", "type": "manual", "ids": [1]});
        assert!(post(&mut draft, &anew).is_ok());
        assert_eq!(rows(&draft)[0]["members"], json!(["game-b"]));
    }
}
