//! The trash: removed games that can be restored whole, at their old position and in their
//! playlists (`/api/v2/library/trash`).
//!
//! Rules on a draft. An entry stays 30 days, and the newest 200 stay.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{
    memberships::{self, PlaylistPosition, Replacement},
    reference::GameRef,
};
use crate::{
    base::{Moment, ids},
    model::{Cause, Draft, Record, Row},
    store::{Committed, Store},
};

/// Entries kept.
const ENTRIES: usize = 200;
/// Seconds an entry stays.
const SECONDS: i64 = 30 * 24 * 60 * 60;

/// One removed game; the section `trash` holds them newest last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrashEntry {
    /// `trash-` and 12 hex digits.
    pub trash_id: String,
    /// Local time of the removal.
    pub trashed_at: String,
    /// Where the game stood in the library; what is not a position is the end.
    #[serde(default = "at_the_end", deserialize_with = "read_place")]
    pub index: u64,
    /// Stable id of the game.
    pub game_id: String,
    /// Its name.
    pub name: String,
    /// Its platform.
    pub platform: String,
    /// The whole record.
    pub game: Record,
    /// Manual playlists it was a member of.
    pub playlists: Vec<String>,
    /// The game that it was merged into, which has its places in these playlists.
    #[serde(deserialize_with = "read_replacement", skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<Replacement>,
    /// Everything else the row carries.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

fn at_the_end() -> u64 {
    u64::MAX
}

/// An entry whose place cannot be read is not a reason to lose its game.
fn read_place<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(Value::deserialize(deserializer)?.as_u64().unwrap_or_else(at_the_end))
}

/// Nor is one whose places in playlists cannot be read.
fn read_replacement<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Replacement>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    // OK because the game is then restored to the ends of its playlists.
    Ok(Replacement::deserialize(value).ok())
}

impl Row for TrashEntry {
    const SECTION: &'static str = "trash";
}

/// Why a change of the trash was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrashError {
    #[error("Game not found")]
    UnknownGame,
    /// The named entry is not in the trash (any more).
    #[error("Trash entry not found.")]
    UnknownEntry,
}

/// A restored game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Its stable id, another one than before when that was taken meanwhile.
    pub game_id: String,
    /// Its name.
    pub name: String,
    /// Whether it needed another id.
    pub renamed: bool,
}

/// Moves a game from the library to the trash.
///
/// # Errors
/// [`TrashError::UnknownGame`].
pub fn put(draft: &mut Draft, target: &GameRef, now: &Moment) -> Result<TrashEntry, TrashError> {
    let mut entries = put_all(draft, std::slice::from_ref(target), now)?;
    entries.pop().ok_or(TrashError::UnknownGame)
}

/// As [`put_all`], in one commit.
pub fn trash_games(
    store: &Store,
    targets: &[GameRef],
    now: &Moment,
) -> Committed<Vec<TrashEntry>, TrashError> {
    store.commit(|draft| put_all(draft, targets, now))
}

/// Moves games from the library to the trash together, each once, and returns their entries in the
/// order of the library. Of more than the trash keeps, the newest entries stay in it.
///
/// # Errors
/// [`TrashError::UnknownGame`] when one of them is not in the library; nothing is moved then.
pub fn put_all(
    draft: &mut Draft,
    targets: &[GameRef],
    now: &Moment,
) -> Result<Vec<TrashEntry>, TrashError> {
    put_for(draft, targets, None, now)
}

/// As [`put_all`], for games that were merged into the game with this id: it takes their places in playlists, until
/// they are restored.
///
/// # Errors
/// As [`put_all`].
pub fn put_merged(
    draft: &mut Draft,
    targets: &[GameRef],
    into: &str,
    now: &Moment,
) -> Result<Vec<TrashEntry>, TrashError> {
    put_for(draft, targets, Some(into), now)
}

fn put_for(
    draft: &mut Draft,
    targets: &[GameRef],
    into: Option<&str>,
    now: &Moment,
) -> Result<Vec<TrashEntry>, TrashError> {
    let mut found: Vec<(usize, String)> = Vec::with_capacity(targets.len());
    for target in targets {
        let (index, game) = target.find(&draft.state().games).ok_or(TrashError::UnknownGame)?;
        found.push((index, game.id().to_owned()));
    }
    found.sort_unstable();
    found.dedup();
    let ids: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let games = draft.remove_games(&ids);
    let mut places = into.map(|into| memberships::replace(draft, &ids, into)).unwrap_or_default();
    let mut left = memberships::leave(draft, &ids);
    for (id, places) in &places {
        let names = places.iter().map(|place| place.playlist.clone());
        left.insert(id.clone(), names.collect());
    }
    // The places before any of them was removed: restored in this order, each finds its own.
    let put: Vec<TrashEntry> = games
        .iter()
        .zip(&found)
        .map(|(game, (index, id))| TrashEntry {
            trash_id: format!("trash-{}", ids::random_hex(6)),
            trashed_at: now.local_iso(),
            index: *index as u64,
            name: game.name().to_owned(),
            platform: game.platform().to_owned(),
            game: game.record(),
            playlists: left.remove(id).unwrap_or_default(),
            merged_into: places
                .remove(id)
                .zip(into)
                .map(|(places, into)| Replacement { game_id: into.to_owned(), places }),
            game_id: id.clone(),
            more: Map::new(),
        })
        .collect();
    let mut entries = kept(draft, now);
    entries.extend(put.iter().cloned());
    let surplus = entries.len().saturating_sub(ENTRIES);
    entries.drain(..surplus);
    draft.set_rows(&entries);
    draft.set_cause(Cause::Trashed);
    Ok(put)
}

/// How a request names one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryRef {
    /// By its own id.
    Id(String),
    /// By the game that it holds; of several, it is the newest.
    Game(String),
}

impl EntryRef {
    fn trash_id(self, draft: &Draft, now: &Moment) -> Result<String, TrashError> {
        match self {
            Self::Id(id) => Ok(id),
            Self::Game(id) => {
                let found = kept(draft, now).into_iter().rev().find(|entry| entry.game_id == id);
                found.map(|entry| entry.trash_id).ok_or(TrashError::UnknownEntry)
            }
        }
    }
}

/// As [`restore`], in one commit.
pub fn restore_game(
    store: &Store,
    entry: EntryRef,
    now: &Moment,
) -> Committed<Restored, TrashError> {
    store.commit(|draft| {
        let trash_id = entry.trash_id(draft, now)?;
        restore(draft, &trash_id, now)
    })
}

/// Restores a game: at its old place when that still is one, else at the end.
///
/// # Errors
/// [`TrashError::UnknownEntry`].
pub fn restore(draft: &mut Draft, trash_id: &str, now: &Moment) -> Result<Restored, TrashError> {
    let mut entries = kept(draft, now);
    let at = entries.iter().position(|entry| entry.trash_id == trash_id);
    let entry = entries.remove(at.ok_or(TrashError::UnknownEntry)?);
    let mut record = entry.game;
    let game_id = draft.free_id_like(&entry.game_id);
    record.set("game_id", game_id.as_str());
    let place = usize::try_from(entry.index).unwrap_or(usize::MAX);
    let place = place.min(draft.state().games.len());
    // OK because the id was just found to be free.
    drop(draft.insert_game(place, record));
    match &entry.merged_into {
        Some(from) => {
            let others = entries.iter().filter_map(|entry| entry.merged_into.as_ref());
            let others = others.filter(|other| other.game_id == from.game_id);
            let missing: Vec<PlaylistPosition> =
                others.flat_map(|other| other.places.clone()).collect();
            memberships::take_back(draft, &game_id, from, &missing);
        }
        None => memberships::join(draft, &entry.playlists, &game_id),
    }
    draft.set_rows(&entries);
    draft.set_cause(Cause::Restored);
    Ok(Restored { renamed: game_id != entry.game_id, game_id, name: entry.name })
}

/// As [`purge`], in one commit.
pub fn purge_entries(
    store: &Store,
    ids: Option<&[String]>,
    now: &Moment,
) -> Committed<usize, TrashError> {
    store.commit(|draft| Ok(purge(draft, ids, now)))
}

/// As [`purge`] of one entry, in one commit.
///
/// # Errors
/// [`TrashError::UnknownEntry`].
pub fn purge_entry(store: &Store, entry: EntryRef, now: &Moment) -> Committed<usize, TrashError> {
    store.commit(|draft| {
        let trash_id = entry.trash_id(draft, now)?;
        match purge(draft, Some(&[trash_id]), now) {
            0 => Err(TrashError::UnknownEntry),
            purged => Ok(purged),
        }
    })
}

/// Removes entries permanently, all of them when `ids` is `None`. Returns how many were removed.
pub fn purge(draft: &mut Draft, ids: Option<&[String]>, now: &Moment) -> usize {
    let mut entries = kept(draft, now);
    let before = entries.len();
    entries.retain(|entry| ids.is_some_and(|ids| !ids.contains(&entry.trash_id)));
    let purged = before - entries.len();
    draft.set_rows(&entries);
    purged
}

/// Changes the record of a game in the trash, as `Draft::edit_game` does that of one in the library. `None` when no
/// entry has this id; of several, it is the newest.
pub fn edit_record<T>(
    draft: &mut Draft,
    game_id: &str,
    edit: impl FnOnce(&mut Record) -> T,
) -> Option<T> {
    let mut entries = draft.state().rows::<TrashEntry>();
    let entry = entries.iter_mut().rev().find(|entry| entry.game_id == game_id)?;
    let edited = edit(&mut entry.game);
    draft.set_rows(&entries);
    Some(edited)
}

/// The entries that have not outstayed their time, the newest ones of too many.
pub fn current(entries: Vec<TrashEntry>, now: &Moment) -> Vec<TrashEntry> {
    let fresh = |entry: &TrashEntry| {
        // A time that cannot be read is not a reason to lose a game.
        Moment::parse(&entry.trashed_at)
            .is_none_or(|then| now.unix_seconds() - then.unix_seconds() <= SECONDS)
    };
    let mut current: Vec<TrashEntry> = entries.into_iter().filter(fresh).collect();
    let surplus = current.len().saturating_sub(ENTRIES);
    current.drain(..surplus);
    current
}

fn kept(draft: &Draft, now: &Moment) -> Vec<TrashEntry> {
    current(draft.state().rows(), now)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::State;

    fn library(count: usize) -> (Draft, Vec<String>) {
        let mut draft = Draft::new(State::default());
        let add = |number: usize| {
            let record =
                json!({"name": number.to_string(), "path": format!("/{number}"), "odd": 1});
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added")
        };
        let ids = (0..count).map(add).collect();
        (draft, ids)
    }

    fn names(draft: &Draft) -> Vec<String> {
        draft.state().games.iter().map(|game| game.name().to_owned()).collect()
    }

    #[test]
    fn a_value_of_another_type_hides_no_entry() {
        for odd in [
            json!({"trashed_at": null}),
            json!({"name": 5}),
            json!({"platform": null, "index": "x"}),
            json!({"playlists": [5]}),
            json!({"game_id": null, "playlists": null}),
        ] {
            let (mut draft, ids) = library(1);
            let mut row = json!({"trash_id": "trash-1", "trashed_at": "2026-05-01T12:00:00",
                "game": {"game_id": "game-x", "name": "Kept"}, "own": 1});
            row.as_object_mut().expect("a row").extend(odd.as_object().expect("values").clone());
            draft.set_section("trash", json!([row]));
            let now = Moment::parse("2026-05-02T12:00:00").expect("a time");
            put(&mut draft, &GameRef::from_value(&json!(ids[0])).expect("an id"), &now)
                .expect("put");
            let entries = draft.state().rows::<TrashEntry>();
            let kept = entries.first().expect("the entry of before");
            assert_eq!((entries.len(), kept.game.text("name")), (2, "Kept"), "{odd}");
            assert_eq!(
                (kept.trash_id.as_str(), &kept.more["own"]),
                ("trash-1", &json!(1)),
                "{odd}"
            );
        }
    }

    #[test]
    fn a_game_comes_back_whole_to_its_place_and_its_playlists() {
        let (mut draft, ids) = library(3);
        let playlists = json!([
            {"name": "Mine", "type": "manual", "members": [ids[1], ids[0]]},
            {"name": "Other", "type": "manual", "members": [ids[0]]},
        ]);
        draft.set_section("playlists", playlists);
        let before = draft.state().games.get(1).expect("there").json().to_owned();
        let now = Moment::from_unix(1_000_000);
        let entry = put(&mut draft, &GameRef::Id(ids[1].clone()), &now).expect("there");
        assert_eq!(names(&draft), ["0", "2"]);
        assert_eq!(entry.playlists, ["Mine"]);
        let back = restore(&mut draft, &entry.trash_id, &now).expect("there");
        assert_eq!((back.game_id.as_str(), back.renamed), (ids[1].as_str(), false));
        assert_eq!(names(&draft), ["0", "1", "2"]);
        assert_eq!(draft.state().games.get(1).expect("there").json(), before);
        let members = &draft.state().section("playlists")[0]["members"];
        assert_eq!(*members, json!([ids[0], ids[1]]));
        assert_eq!(restore(&mut draft, &entry.trash_id, &now), Err(TrashError::UnknownEntry));
    }

    #[test]
    fn many_games_go_together_and_come_back_in_their_order() {
        let (mut draft, ids) = library(6);
        let playlist = json!({"name": "P", "type": "manual", "members": [ids[4], ids[0], ids[1]]});
        draft.set_section("playlists", json!([playlist]));
        let now = Moment::from_unix(1_000_000);
        let targets =
            [GameRef::Id(ids[4].clone()), GameRef::Position(1), GameRef::Id(ids[1].clone())];
        let entries = put_all(&mut draft, &targets, &now).expect("there");
        assert_eq!(names(&draft), ["0", "2", "3", "5"]);
        assert_eq!(draft.state().section("playlists")[0]["members"], json!([ids[0]]));
        assert_eq!(entries.iter().map(|entry| entry.index).collect::<Vec<_>>(), [1, 4]);
        for entry in &entries {
            assert_eq!(entry.playlists, ["P"]);
            restore(&mut draft, &entry.trash_id, &now).expect("there");
        }
        assert_eq!(names(&draft), ["0", "1", "2", "3", "4", "5"]);
        let unknown = [GameRef::Position(0), GameRef::Position(99)];
        assert_eq!(put_all(&mut draft, &unknown, &now), Err(TrashError::UnknownGame));
        assert_eq!(names(&draft).len(), 6);
    }

    #[test]
    fn of_too_many_the_newest_entries_stay() {
        let (mut draft, _) = library(ENTRIES + 5);
        let now = Moment::from_unix(1_000_000);
        let all: Vec<GameRef> = (0..ENTRIES + 5).map(GameRef::Position).collect();
        assert_eq!(put_all(&mut draft, &all, &now).map(|put| put.len()), Ok(ENTRIES + 5));
        let entries = draft.state().rows::<TrashEntry>();
        assert_eq!((entries.len(), entries[0].name.as_str()), (ENTRIES, "5"));
        assert!(draft.state().games.is_empty());
    }

    #[test]
    fn of_too_many_that_another_program_stored_the_newest_are_there() {
        let now = Moment::from_unix(1_000_000);
        let entry = |number: usize| {
            let (trash_id, trashed_at) = (format!("trash-{number}"), now.local_iso());
            TrashEntry { trash_id, trashed_at, ..TrashEntry::default() }
        };
        let current = current((0..ENTRIES + 5).map(entry).collect(), &now);
        assert_eq!((current.len(), current[0].trash_id.as_str()), (ENTRIES, "trash-5"));
    }

    #[test]
    fn a_taken_id_is_counted_on() {
        let (mut draft, ids) = library(1);
        let now = Moment::from_unix(1_000_000);
        let entry = put(&mut draft, &GameRef::Position(0), &now).expect("there");
        let twin = json!({"name": "twin", "game_id": ids[0]});
        draft.add_game(serde_json::from_value(twin).expect("an object")).expect("added");
        let back = restore(&mut draft, &entry.trash_id, &now).expect("there");
        assert_eq!((back.game_id, back.renamed), (format!("{}-2", ids[0]), true));
        assert_eq!(names(&draft), ["0", "twin"]);
    }

    #[test]
    fn the_oldest_go_by_number_and_by_age() {
        let (mut draft, _) = library(ENTRIES + 1);
        let now = Moment::from_unix(1_000_000);
        for _ in 0..=ENTRIES {
            put(&mut draft, &GameRef::Position(0), &now).expect("there");
        }
        let entries = draft.state().rows::<TrashEntry>();
        assert_eq!((entries.len(), entries[0].name.as_str()), (ENTRIES, "1"));
        let last = entries[0].trash_id.clone();
        let at_the_edge = Moment::from_unix(1_000_000 + SECONDS);
        assert!(restore(&mut draft, &last, &at_the_edge).is_ok());
        let late = Moment::from_unix(1_000_000 + SECONDS + 1);
        assert_eq!(purge(&mut draft, None, &late), 0);
        assert!(draft.state().rows::<TrashEntry>().is_empty());
        let unknown = put(&mut draft, &GameRef::Position(9), &now);
        assert_eq!(unknown, Err(TrashError::UnknownGame));
    }

    #[test]
    fn purges_some_or_all() {
        let (mut draft, _) = library(3);
        let now = Moment::from_unix(1_000_000);
        let mut put = || put(&mut draft, &GameRef::Position(0), &now).expect("there").trash_id;
        let ids = [put(), put(), put()];
        assert_eq!(purge(&mut draft, Some(&ids[..1]), &now), 1);
        assert_eq!(purge(&mut draft, Some(&[]), &now), 0);
        assert_eq!(purge(&mut draft, None, &now), 2);
    }

    #[test]
    fn an_entry_without_a_place_comes_back_at_the_end() {
        for place in [json!(null), json!(-1), json!("2"), json!(1.5), json!(u64::MAX)] {
            let (mut draft, _) = library(2);
            let now = Moment::from_unix(1_000_000);
            put(&mut draft, &GameRef::Position(0), &now).expect("there");
            let mut rows = draft.state().section("trash").clone();
            rows[0]["index"] = place.clone();
            draft.set_section("trash", rows);
            let id = draft.state().rows::<TrashEntry>()[0].trash_id.clone();
            restore(&mut draft, &id, &now).expect("there");
            assert_eq!(names(&draft), ["1", "0"], "{place}");
        }
    }

    #[test]
    fn a_merged_game_without_its_places_comes_back_to_the_ends_of_its_playlists() {
        let (mut draft, ids) = library(3);
        draft.set_section("playlists", json!([{"name": "P", "members": [ids[0], ids[1]]}]));
        let now = Moment::from_unix(1_000_000);
        let targets = [GameRef::Id(ids[0].clone())];
        put_merged(&mut draft, &targets, &ids[2], &now).expect("there");
        assert_eq!(draft.state().section("playlists")[0]["members"], json!([ids[2], ids[1]]));
        let mut rows = draft.state().section("trash").clone();
        assert_eq!(rows[0]["merged_into"]["game_id"], json!(ids[2]));
        rows[0]["merged_into"] = json!(5);
        draft.set_section("trash", rows);
        let entry = draft.state().rows::<TrashEntry>().remove(0);
        restore(&mut draft, &entry.trash_id, &now).expect("there");
        let members = &draft.state().section("playlists")[0]["members"];
        assert_eq!(*members, json!([ids[2], ids[1], ids[0]]));
    }
}
