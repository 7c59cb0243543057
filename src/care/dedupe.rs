//! Removing duplicates: the earlier record stays and takes over the data of the later one (`POST
//! /api/health/dedupe`).
//!
//! What the player did is never lost: playtime, notes, tags, marks, memories and extra files of the removed record are
//! added to the kept one, which takes its places in playlists. Its id becomes an alias, so the history still finds the
//! game. No file is touched.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Value, json};

use crate::{
    base::{Moment, limits, text},
    game::{
        clean,
        duplicates::{Duplicates, Identities, Match},
        memberships,
    },
    model::{Cause, Draft, Game, Games, Record, media, notes, origins},
    probe::disk::Disk,
    store::{Committed, Store},
};

/// What a source knows of a game besides its media.
const SOURCE_FIELDS: [&str; 8] = [
    "store_a_app_id",
    "store_b_app_id",
    "store_b_source",
    "store_c_id",
    "libserver_id",
    "libserver_provider",
    "wrapper_id",
    "install_dir",
];
/// Values of the player, kept in the same way when duplicates are merged.
const PLAYER_FIELDS: [&str; 5] =
    ["progress", "rating", "user_rating", "custom_fields", "launch_env"];

/// What a source knows of a game: filled from another record of the same game where it is empty.
pub fn source_fields() -> impl Iterator<Item = &'static str> {
    SOURCE_FIELDS.into_iter().chain(media::of_sources())
}

/// A later record with the earlier one it duplicates.
struct Pair {
    kept: String,
    gone: String,
    is_cross_store: bool,
}

fn pairs(games: &Games) -> Vec<Pair> {
    let mut duplicates = Duplicates::default();
    for (position, game) in games.iter().enumerate() {
        duplicates.enter(position, Identities::of(&game.record()));
    }
    let pair = |(gone, found): (usize, Match)| {
        let id = |position| Some(games.get(position)?.id().to_owned());
        let (kept, gone) = (id(found.earlier)?, id(gone)?);
        Some(Pair { kept, gone, is_cross_store: found.is_cross_store })
    };
    duplicates.finish().into_iter().filter_map(pair).collect()
}

/// Removes every duplicate, in one commit, and returns those that went, in library order.
pub fn remove_duplicates(
    store: &Store,
    games: &Games,
    disk: &dyn Disk,
) -> Committed<Vec<Arc<Game>>> {
    let paths = paths(games);
    let existing = disk.existing(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    store.change(|draft| remove(draft, &|path| existing.contains(path)))
}

/// The paths of all records that have a duplicate or are one: whether they exist decides which
/// path stays.
fn paths(games: &Games) -> Vec<String> {
    let ids = pairs(games).into_iter().flat_map(|pair| [pair.kept, pair.gone]);
    let paths: HashSet<String> =
        ids.filter_map(|id| Some(games.find(&id)?.1.path().to_owned())).collect();
    paths.into_iter().filter(|path| path.starts_with('/')).collect()
}

/// Removes every duplicate and returns those that went, in library order.
/// `exists` tests whether something is at one of the [`paths`].
fn remove(draft: &mut Draft, exists: &dyn Fn(&str) -> bool) -> Vec<Arc<Game>> {
    let pairs = pairs(&draft.state().games);
    let gone: Vec<&str> = pairs.iter().map(|pair| pair.gone.as_str()).collect();
    let removed = draft.remove_games(&gone);
    for (pair, loser) in pairs.iter().zip(&removed) {
        let mut loser = loser.record();
        notes::migrate(&mut loser, draft.now());
        // OK because a record that stays is not a duplicate.
        drop(draft.edit_game(&pair.kept, |kept| {
            absorb(kept, &loser, pair.is_cross_store, exists);
        }));
    }
    let places = pairs.iter().map(|pair| (pair.gone.as_str(), pair.kept.as_str())).collect();
    memberships::take_places(draft, &places);
    draft.set_cause(Cause::Deduped);
    removed
}

fn absorb(kept: &mut Record, loser: &Record, is_cross_store: bool, exists: &dyn Fn(&str) -> bool) {
    let is_installed = |record: &Record| {
        let stored = record.get("store_installed").and_then(Value::as_bool);
        stored.unwrap_or_else(|| exists(record.text("path")))
    };
    let moves_in = is_installed(loser) && !is_installed(kept);
    let is_unset =
        |record: &Record, key: &str| record.is_blank(key) || record.get(key) == Some(&json!(0));
    let identities = identities(kept, loser);
    let mut taken = Vec::new();
    for key in source_fields().chain(PLAYER_FIELDS) {
        if is_unset(kept, key) && !is_unset(loser, key) {
            taken.push(key);
            kept.0.insert(key.to_owned(), loser.get(key).cloned().unwrap_or_default());
        }
    }
    if moves_in {
        for key in ["path", "launch", "platform", "install_dir"] {
            if !loser.is_blank(key) {
                taken.push(key);
                kept.0.insert(key.to_owned(), loser.get(key).cloned().unwrap_or_default());
            }
        }
    }
    origins::carry(kept, loser, &taken);
    for key in ["owned", "store_catalog", "store_installed", "favorite"] {
        if loser.flag(key) {
            kept.set(key, true);
        }
    }
    if !identities.is_empty() {
        kept.set("source_identities", identities);
    }
    add_statistics(kept, loser);
    add_lists(kept, loser);
    if is_cross_store && !loser.text("path").is_empty() {
        let entry = json!({
            "name": loser.text("name"), "path": loser.text("path"), "command": loser.text("launch"),
        });
        append(kept, "applications", &[entry], limits::EXTRAS);
    }
}

/// The stored identities of both records, and those that the other one is known by. A path stands for a file, not for a
/// game, so it is not an identity.
fn identities(kept: &Record, loser: &Record) -> Vec<String> {
    let mut all: Vec<String> = kept.texts("source_identities").map(str::to_owned).collect();
    let exact = Identities::of(loser).exact.into_iter();
    for identity in exact.filter(|identity| !identity.starts_with("path:")) {
        if !all.contains(&identity) {
            all.push(identity);
        }
    }
    all
}

fn add_statistics(kept: &mut Record, loser: &Record) {
    for key in ["play_count", "playtime_seconds"] {
        let (mine, more) = (kept.count(key), loser.count(key));
        if more > 0 {
            kept.set(key, mine.saturating_add(more));
        }
    }
    let (mine, other) = (kept.text("last_played"), loser.text("last_played"));
    // Their texts may have different zones.
    let is_later = match (Moment::unix_utc(other), Moment::unix_utc(mine)) {
        (Some(other), Some(mine)) => other > mine,
        _ => other > mine,
    };
    if is_later {
        kept.set("last_played", other);
    }
}

fn add_lists(kept: &mut Record, loser: &Record) {
    for (key, cap) in [
        ("notes", usize::MAX),
        ("save_paths", limits::SAVE_PATHS),
        ("screenshots", limits::SCREENSHOTS),
        ("applications", limits::EXTRAS),
        ("versions", limits::EXTRAS),
        ("documents", limits::EXTRAS),
        ("memories", usize::MAX),
        ("clips", usize::MAX),
        ("moments", usize::MAX),
    ] {
        append(kept, key, loser.list(key), cap);
    }
    // Two entries that read the same are two evenings, as the tracked playtime is a sum too.
    let sessions = [kept.list("manual_sessions"), loser.list("manual_sessions")].concat();
    if !loser.list("manual_sessions").is_empty() {
        kept.set("manual_sessions", sessions);
    }
    let tags: Vec<Value> = kept.list("tags").iter().chain(loser.list("tags")).cloned().collect();
    // OK because a list of stored tags is a list of tags.
    if let (false, Ok(tags)) = (loser.list("tags").is_empty(), clean::clean_tags(&tags.into())) {
        kept.set("tags", tags);
    }
    let name = text::fold(loser.text("name").trim());
    let known = std::iter::once(kept.text("name")).chain(kept.texts("alternate_names"));
    let is_known = known.into_iter().any(|known| text::fold(known.trim()) == name);
    if !is_known && !name.is_empty() {
        append(kept, "alternate_names", &[loser.text("name").into()], limits::ALTERNATE_NAMES);
    }
    let former = std::iter::once(loser.text("game_id")).chain(loser.texts("legacy_game_ids"));
    let former: Vec<Value> = former.map(Value::from).collect();
    append(kept, "legacy_game_ids", &former, usize::MAX);
}

/// Adds what a list does not hold yet, as far as there is room.
fn append(record: &mut Record, key: &str, more: &[Value], cap: usize) {
    let mut list = record.list(key).to_vec();
    let before = list.len();
    for entry in more {
        if list.len() < cap && !list.contains(entry) {
            list.push(entry.clone());
        }
    }
    if list.len() > before {
        record.set(key, list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::State;

    fn library(records: &[Value]) -> Draft {
        let mut draft = Draft::new(State::default());
        for record in records {
            draft
                .add_game(serde_json::from_value(record.clone()).expect("an object"))
                .expect("added");
        }
        draft
    }

    #[test]
    fn the_last_time_is_the_later_instant() {
        let east = "2026-01-02T00:30:00+09:00";
        let west = "2026-01-01T20:00:00-05:00";
        for (mine, other, expected) in [
            (east, west, west),
            (west, east, west),
            ("", east, east),
            (east, "", east),
            ("2026-01-01", "2026-02-01", "2026-02-01"),
        ] {
            let mut kept = Record::default();
            let mut loser = Record::default();
            kept.set("last_played", mine);
            loser.set("last_played", other);
            add_statistics(&mut kept, &loser);
            assert_eq!(kept.text("last_played"), expected, "{mine} and {other}");
        }
    }

    #[test]
    fn the_record_that_stays_knows_everything() {
        let mut draft = library(&[
            json!({"game_id": "g1", "name": "Game", "source": "steam", "store_a_app_id": "1", "path": "/gone",
                "play_count": 1, "playtime_seconds": 10, "last_played": "2026-01-01", "tags": ["a"], "notes": "one",
                "manual_sessions": [{"seconds": 60, "date": "2026-01-01", "note": ""}]}),
            json!({"game_id": "g2", "name": "Other"}),
            json!({"game_id": "g3", "name": "The Game", "store_a_app_id": "1", "path": "/here", "launch": "run",
                "play_count": 2, "playtime_seconds": 5, "last_played": "2026-02-01", "tags": ["A", "b"],
                "notes": [{"ts": "t", "text": "two"}], "favorite": true, "cover": "/c.png", "progress": "Beaten",
                "user_rating": 4, "legacy_game_ids": ["old"],
                "manual_sessions": [{"seconds": 60, "date": "2026-01-01", "note": ""}]}),
            json!({"game_id": "g4", "name": "GAME", "source": "heroic", "path": "/b.sh", "owned": true}),
        ]);
        draft.set_section("playlists", json!([{"name": "P", "members": ["g4", "g2", "g3"]}]));
        let exists = |path: &str| ["/here", "/b.sh"].contains(&path);
        let mut named = paths(&draft.state().games);
        named.sort();
        assert_eq!(named, ["/b.sh", "/gone", "/here"]);
        let removed = remove(&mut draft, &exists);
        let gone: Vec<&str> = removed.iter().map(|game| game.name()).collect();
        assert_eq!(gone, ["The Game", "GAME"]);
        let games = &draft.state().games;
        assert_eq!(games.len(), 2);
        for id in ["g1", "g3", "old", "g4"] {
            assert_eq!(games.position(id), Some(0), "{id}");
        }
        assert_eq!(draft.state().section("playlists")[0]["members"], json!(["g1", "g2"]));
        assert_eq!(games.get(0).expect("there").manual_playtime_seconds(), 120);
        let kept = games.get(0).expect("there").record();
        for (key, expected) in [
            ("name", json!("Game")),
            ("path", json!("/here")),
            ("launch", json!("run")),
            ("play_count", json!(3)),
            ("playtime_seconds", json!(15)),
            ("last_played", json!("2026-02-01")),
            ("tags", json!(["a", "b"])),
            (
                "notes",
                json!([{"ts": draft.now().local_iso(), "text": "one"}, {"ts": "t", "text": "two"}]),
            ),
            ("favorite", json!(true)),
            ("owned", json!(true)),
            ("cover", json!("/c.png")),
            ("progress", json!("Beaten")),
            ("user_rating", json!(4)),
            ("alternate_names", json!(["The Game"])),
            ("source_identities", json!(["store_a:1"])),
            ("applications", json!([{"name": "GAME", "path": "/b.sh", "command": ""}])),
        ] {
            assert_eq!(kept.get(key), Some(&expected), "{key}");
        }
    }

    #[test]
    fn a_record_that_connects_two_leaves_one_of_three() {
        let mut draft = library(&[
            json!({"game_id": "a", "name": "A", "store_a_app_id": 1, "playtime_seconds": 1}),
            json!({"game_id": "b", "name": "B", "libserver_id": 55, "playtime_seconds": 20}),
            json!({"game_id": "c", "name": "C", "store_a_app_id": 1, "libserver_id": 55,
                "playtime_seconds": 300}),
        ]);
        let removed = remove(&mut draft, &|_| false);
        let gone: Vec<&str> = removed.iter().map(|game| game.name()).collect();
        assert_eq!(gone, ["B", "C"]);
        let games = &draft.state().games;
        assert_eq!(["a", "b", "c"].map(|id| games.position(id)), [Some(0); 3]);
        let kept = games.get(0).expect("there").record();
        assert_eq!(kept.count("playtime_seconds"), 321);
        assert_eq!(kept.get("libserver_id"), Some(&json!(55)));
        assert!(remove(&mut draft, &|_| false).is_empty());
    }

    #[test]
    fn a_library_without_duplicates_stays_as_it_is() {
        let mut draft =
            library(&[json!({"name": "a", "path": "/a"}), json!({"name": "a", "path": "/b"})]);
        let before = draft.clone().finish().1.len();
        assert!(remove(&mut draft, &|_| false).is_empty());
        assert_eq!(draft.finish().1.len(), before);
    }
}
