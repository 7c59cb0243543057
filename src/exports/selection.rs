//! Which games an export holds, in which order.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::request::Scope;
use crate::{
    base::{ids, text},
    model::{Game, State},
};

/// No playlist has this name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no playlist {0:?}")]
pub(super) struct NoPlaylist(pub(super) String);

/// The games of a scope: library order, or the order of the playlist.
pub(super) fn select(state: &State, scope: &Scope) -> Result<Vec<Arc<Game>>, NoPlaylist> {
    match scope {
        Scope::All => Ok(state.games.iter().cloned().collect()),
        Scope::Platform(name) => {
            let wanted = text::fold(name);
            let games = state.games.iter().filter(|game| text::fold(game.platform()) == wanted);
            Ok(games.cloned().collect())
        }
        Scope::Playlist(name) => members(state, name),
    }
}

/// The stored members that are still in the library, each once. Playlists made of rules have none.
fn members(state: &State, name: &str) -> Result<Vec<Arc<Game>>, NoPlaylist> {
    let playlists = state.section("playlists").as_array().map_or(&[][..], Vec::as_slice);
    let of_name = |playlist: &&Value| playlist.get("name").and_then(Value::as_str) == Some(name);
    let playlist = playlists.iter().find(of_name).ok_or_else(|| NoPlaylist(name.to_owned()))?;
    let stored = ["members", "ids"].iter().find_map(|key| playlist.get(key)?.as_array());
    let mut seen = HashSet::new();
    let positions = stored
        .into_iter()
        .flatten()
        .filter_map(|member| state.games.position(member.as_str()?))
        .filter(|position| seen.insert(*position));
    let games = positions.collect::<Vec<_>>();
    Ok(games.into_iter().filter_map(|position| state.games.get(position).cloned()).collect())
}

/// Identifies the games of a selection and their order.
pub(super) fn fingerprint(games: &[Arc<Game>]) -> String {
    let mut digest = Sha256::new();
    for game in games {
        digest.update(game.id().as_bytes());
        digest.update(b"\n");
    }
    ids::hex(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::model::Games;

    fn state() -> State {
        let games = [("a", "NES"), ("b", "nes"), ("c", "SNES")].map(|(id, platform)| {
            let record = json!({"game_id": id, "platform": platform, "legacy_game_ids": [format!("old-{id}")]});
            Arc::new(Game::from_json(&record.to_string()).expect("a game"))
        });
        let playlists = json!([
            {"name": "Manual", "type": "manual", "members": ["c", "gone", "old-a", "a", 1]},
            {"name": "Ids", "type": "manual", "ids": ["b"]},
            {"name": "Rules", "type": "filter", "rules": {"platform": "NES"}},
        ]);
        let sections = BTreeMap::from([("playlists".into(), Arc::new(playlists))]);
        State::new(Games::from_games(games), sections, 1)
    }

    #[track_caller]
    fn check(scope: Scope, expected: &str) {
        let games = select(&state(), &scope).expect("a selection");
        assert_eq!(games.iter().map(|game| game.id()).collect::<String>(), expected);
    }

    #[test]
    fn scopes_choose_games_in_order() {
        check(Scope::All, "abc");
        check(Scope::Platform("Nes".into()), "ab");
        check(Scope::Platform("Saturn".into()), "");
        check(Scope::Playlist("Manual".into()), "ca");
        check(Scope::Playlist("Ids".into()), "b");
        check(Scope::Playlist("Rules".into()), "");
        let missing = select(&state(), &Scope::Playlist("manual".into()));
        assert_eq!(missing.err(), Some(NoPlaylist("manual".into())));
    }

    #[test]
    fn a_fingerprint_sees_every_change_of_the_selection() {
        let all = select(&state(), &Scope::All).expect("all");
        let fewer = fingerprint(&all[1..]);
        let mut turned = all.clone();
        turned.swap(0, 1);
        assert_eq!(fingerprint(&all), fingerprint(&all.clone()));
        assert!(fingerprint(&all) != fewer && fingerprint(&all) != fingerprint(&turned));
    }
}
