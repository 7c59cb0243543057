//! Probable duplicates for review: groups of games, and merging some into one
//! (`/api/v2/library/duplicates`).
//!
//! Rules on a state and a draft. Nothing is summed up: what the player did with the others goes to
//! the trash with them and is restored with them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use serde_json::{Value, json};

use super::plain_title::plain_title;
use crate::{
    base::{Moment, limits, schema::schema, text},
    game::{
        GameRef, InputError,
        clean::refuse,
        duplicates::Identities,
        trash::{self, TrashEntry},
    },
    model::{Cause, Draft, Games, Record, State, media, origins},
    store::{Committed, Store},
};

/// Groups in one answer.
const GROUPS: usize = 100;
/// Games in one group.
const GROUP_GAMES: usize = 25;
/// Games that are merged into one at most: as many as the trash keeps.
const MERGED: usize = 200;

/// Fields that the kept game takes from the others where it has none, besides images and videos.
const FILLED: [&str; 11] = [
    "rating",
    "year",
    "developer",
    "publisher",
    "genre",
    "esrb",
    "progress",
    "release_date",
    "notes",
    "description",
    "cover_source",
];

/// Lists that are put together, with the most entries a record may have.
const JOINED: [(&str, usize); 7] = [
    ("tags", limits::TAGS),
    ("save_paths", limits::SAVE_PATHS),
    ("applications", limits::EXTRAS),
    ("versions", limits::EXTRAS),
    ("documents", limits::EXTRAS),
    ("alternate_names", limits::ALTERNATE_NAMES),
    ("screenshots", limits::SCREENSHOTS),
];

schema! {
    "TwinRow"
    /// One game of a group.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Row {
        /// Its position in the library.
        pub id: usize,
        /// Its stable id.
        pub game_id: String,
        /// Its name.
        pub name: String,
        /// Its platform.
        pub platform: String,
        /// Its path.
        pub path: String,
        /// Tracked seconds of play.
        pub playtime_seconds: u64,
        /// How often it was started.
        pub sessions: u64,
        /// Achievements that were earned.
        pub achievements: u64,
        /// Media fields that hold something.
        pub media: usize,
        /// Whether it is a favourite.
        pub favorite: bool,
        /// Its progress.
        pub progress: String,
    }
}

impl Row {
    fn of(id: usize, record: &Record) -> Self {
        Self {
            id,
            game_id: record.text("game_id").to_owned(),
            name: record.shown("name"),
            platform: record.shown("platform"),
            path: record.shown("path"),
            playtime_seconds: record.count("playtime_seconds"),
            sessions: record.count("play_count"),
            achievements: record.count("ach_achievements_earned"),
            media: media::FIELDS.iter().filter(|key| !record.is_blank(key)).count(),
            favorite: record.flag("favorite"),
            progress: record.shown("progress"),
        }
    }
}

schema! {
    "TwinGroup"
    /// Games that look like one.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Group {
        /// `identity`, `path` or `title`.
        pub kind: &'static str,
        /// What they have in common.
        pub key: String,
        /// Name of the first one.
        pub title: String,
        /// Platform of the first one.
        pub platform: String,
        /// The games, in library order.
        pub games: Vec<Row>,
    }

    "Twins"
    /// The groups of a library.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Groups {
        /// At most 100, those of one identity first, then of one path, then of one title.
        pub groups: Vec<Group>,
        /// How many groups these are.
        pub count: usize,
        /// Whether there are more groups, or more games in one of them.
        pub truncated: bool,
    }
}

/// What a game is grouped by.
struct Keys {
    identities: Vec<String>,
    path: String,
    title: String,
}

/// Groups the games of a library. A game joins one group only. Titles are compared when asked for.
pub fn groups(games: &Games, by_title: bool) -> Groups {
    let keys: Vec<Keys> = games.iter().map(|game| Keys::of(&game.record())).collect();
    let mut is_grouped = vec![false; keys.len()];
    let mut found: Vec<(&'static str, String, Vec<usize>)> = Vec::new();
    let mut gather = |kind: &'static str, keys_of: &dyn Fn(&Keys) -> Vec<String>| {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut gathered: Vec<(String, Vec<usize>)> = Vec::new();
        for (position, keys) in keys.iter().enumerate().filter(|(at, _)| !is_grouped[*at]) {
            let keys = keys_of(keys);
            let Some(first) = keys.first() else { continue };
            let known = keys.iter().find_map(|key| Some((*places.get(key)?, key)));
            let (at, key) = known.unwrap_or((gathered.len(), first));
            if at == gathered.len() {
                gathered.push((key.clone(), Vec::new()));
            } else if gathered[at].1.len() == 1 {
                gathered[at].0.clone_from(key);
            }
            gathered[at].1.push(position);
            for key in keys {
                places.entry(key).or_insert(at);
            }
        }
        for (key, positions) in gathered.into_iter().filter(|(_, positions)| positions.len() > 1) {
            for position in &positions {
                is_grouped[*position] = true;
            }
            found.push((kind, key, positions));
        }
    };
    let one = |key: &String| if key.is_empty() { Vec::new() } else { vec![key.clone()] };
    gather("identity", &|keys| keys.identities.clone());
    gather("path", &|keys| one(&keys.path));
    if by_title {
        gather("title", &|keys| one(&keys.title));
    }
    let truncated = found.len() > GROUPS || found.iter().any(|(.., all)| all.len() > GROUP_GAMES);
    let shown = |(kind, key, positions): (&'static str, String, Vec<usize>)| {
        let positions = positions.into_iter().take(GROUP_GAMES);
        let games: Vec<Row> =
            positions.filter_map(|at| Some(Row::of(at, &games.get(at)?.record()))).collect();
        let (title, platform) =
            games.first().map(|row| (row.name.clone(), row.platform.clone())).unwrap_or_default();
        Group { kind, key, title, platform, games }
    };
    let groups: Vec<Group> = found.into_iter().take(GROUPS).map(shown).collect();
    Groups { count: groups.len(), groups, truncated }
}

impl Keys {
    fn of(record: &Record) -> Self {
        let (paths, identities): (Vec<String>, Vec<String>) =
            Identities::of(record).exact.into_iter().partition(|key| key.starts_with("path:"));
        let title = plain_title(&record.shown("name"));
        let platform = text::fold(record.shown("platform").trim());
        Self {
            identities,
            path: paths.into_iter().next().unwrap_or_default(),
            title: if title.is_empty() { title } else { format!("{title}|{platform}") },
        }
    }
}

/// What a merge would do, or did.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The game that stays.
    pub primary: Row,
    /// The games that go to the trash, in the order in which they were named.
    pub absorbed: Vec<Row>,
    /// New values of the primary.
    pub changes: BTreeMap<String, Change>,
}

schema! {
    "TwinChange"
    /// A new value of the game that stays.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Change {
        /// Whether it is made of the lists of several games.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub merged: Option<bool>,
        /// Position of the game it comes from.
        pub source: usize,
        /// The value.
        pub value: Value,
    }

    "TwinReason"
    /// Why a game stays: its own figures.
    pub struct Reason {
        achievements: u64,
        media: usize,
        playtime_seconds: u64,
        sessions: u64,
    }
}

impl Plan {
    /// The fields that change, in the order of the record.
    pub fn changed_fields(&self) -> Vec<&String> {
        self.changes.keys().collect()
    }

    /// Why the primary stays: its own figures.
    pub fn reason(&self) -> Reason {
        let Row { sessions, playtime_seconds, achievements, media, .. } = self.primary;
        Reason { achievements, media, playtime_seconds, sessions }
    }
}

/// Reads the `ids` of a request: positions, or stable ids.
///
/// # Errors
/// The sentence for the first rule that is broken.
pub fn read_ids(ids: Option<&Value>) -> Result<Vec<GameRef>, InputError> {
    let refused = || InputError("ids must be a list of game indexes.".to_owned());
    let mut games: Vec<GameRef> = Vec::new();
    for id in ids.and_then(Value::as_array).ok_or_else(refused)? {
        let game = GameRef::from_value(id).ok_or_else(refused)?;
        if !games.contains(&game) {
            games.push(game);
        }
    }
    if games.len() < 2 {
        return refuse("A merge needs at least two game indexes.");
    }
    if games.len() > MERGED {
        return refuse(format!("At most {MERGED} games can be merged at once."));
    }
    Ok(games)
}

/// Whether a joined list holds an entry already. Tags and names are the same in any case.
fn is_same_entry(key: &str, known: &Value, entry: &Value) -> bool {
    match (key, known.as_str(), entry.as_str()) {
        ("tags" | "alternate_names", Some(known), Some(entry)) => {
            text::fold(known) == text::fold(entry)
        }
        _ => known == entry,
    }
}

/// Plans the merge of some games. The one with most sessions stays, of equal ones the one with most
/// playtime, achievements and media, at last the earliest.
///
/// # Errors
/// `A merge needs at least two records.` when fewer of them are there.
pub fn plan(games: &Games, named: &[GameRef]) -> Result<Plan, InputError> {
    let mut records: Vec<(Row, Record)> = Vec::new();
    for (id, game) in named.iter().filter_map(|game| game.find(games)) {
        if !records.iter().any(|(row, _)| row.id == id) {
            let record = game.record();
            records.push((Row::of(id, &record), record));
        }
    }
    if records.len() < 2 {
        return refuse("A merge needs at least two records.");
    }
    let worth = |(row, _): &(Row, Record)| {
        (row.sessions, row.playtime_seconds, row.achievements, row.media, Reverse(row.id))
    };
    let best = (0..records.len()).max_by_key(|at| worth(&records[*at])).unwrap_or(0);
    let (primary, kept) = records.remove(best);
    let mut changes = BTreeMap::new();
    for key in media::FOREIGN.iter().chain(&FILLED) {
        let unset = |record: &Record| record.is_blank(key) || record.get(key) == Some(&json!(0));
        let donor = records.iter().find(|(_, record)| !unset(record));
        if let Some((row, record)) = donor.filter(|_| unset(&kept)) {
            let value = record.get(key).cloned().unwrap_or_default();
            changes.insert((*key).to_owned(), Change { merged: None, source: row.id, value });
        }
    }
    for (key, cap) in JOINED {
        let mut list = kept.list(key).to_vec();
        let mut source = None;
        for (row, record) in &records {
            for entry in record.list(key) {
                if list.len() < cap && !list.iter().any(|known| is_same_entry(key, known, entry)) {
                    list.push(entry.clone());
                    source = source.or(Some(row.id));
                }
            }
        }
        if let Some(source) = source {
            let change = Change { merged: Some(true), source, value: list.into() };
            changes.insert(key.to_owned(), change);
        }
    }
    let absorbed = records.into_iter().map(|(row, _)| row).collect();
    Ok(Plan { primary, absorbed, changes })
}

/// Why games were not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The library is not the one of the preview.
    #[error("The library has changed since the preview.")]
    Stale,
    /// The request is not valid.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Plans a merge and carries it out, in one commit, when the library `is_current`: the one that the
/// preview was made of.
pub fn merge_games(
    store: &Store,
    named: &[GameRef],
    now: &Moment,
    is_current: &dyn Fn(&State) -> bool,
) -> Committed<(Plan, Vec<TrashEntry>), MergeError> {
    store.commit(|draft| {
        // First, because a game of the preview may have gone since.
        if !is_current(draft.state()) {
            return Err(MergeError::Stale);
        }
        let plan = plan(&draft.state().games, named)?;
        let entries = merge(draft, &plan, now)?;
        Ok((plan, entries))
    })
}

/// Carries a plan out that was just made for this draft; returns the entries of the trash.
///
/// # Errors
/// As [`plan`], when a game of the plan is gone.
pub(super) fn merge(
    draft: &mut Draft,
    plan: &Plan,
    now: &Moment,
) -> Result<Vec<TrashEntry>, InputError> {
    let gone = || InputError("A merge needs at least two records.".to_owned());
    let taken = plan.changes.iter().filter(|(_, change)| change.merged.is_none());
    let taken: Vec<(&str, Record)> = taken
        .filter_map(|(key, change)| {
            Some((&**key, draft.state().games.get(change.source)?.record()))
        })
        .collect();
    draft
        .edit_game(&plan.primary.game_id, |record| {
            for (key, change) in &plan.changes {
                record.set(key, change.value.clone());
            }
            for (key, other) in &taken {
                origins::carry(record, other, &[*key]);
            }
        })
        .map_err(|_| gone())?;
    let absorbed: Vec<GameRef> =
        plan.absorbed.iter().map(|row| GameRef::Id(row.game_id.clone())).collect();
    let entries =
        trash::put_merged(draft, &absorbed, &plan.primary.game_id, now).map_err(|_| gone())?;
    draft.set_cause(Cause::Deduped);
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Game, State};

    fn library(records: &[Value]) -> Draft {
        let mut draft = Draft::new(State::default());
        for (number, record) in records.iter().enumerate() {
            let mut record = record.clone();
            record["game_id"] = format!("g{number}").into();
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        }
        draft
    }

    #[test]
    fn joined_tags_stand_once_in_any_case() {
        let draft = library(&[
            json!({"name": "A", "tags": ["a", "B"], "play_count": 2}),
            json!({"name": "A", "tags": ["b", "c"]}),
        ]);
        let named = [GameRef::Id("g0".to_owned()), GameRef::Id("g1".to_owned())];
        let plan = plan(&draft.state().games, &named).expect("a plan");
        assert_eq!(plan.changes["tags"].value, json!(["a", "B", "c"]));
    }

    #[test]
    fn a_game_joins_one_group_of_the_strongest_kind() {
        let draft = library(&[
            json!({"name": "A", "store_a_app_id": "1", "path": "/a"}),
            json!({"name": "B", "path": "/b"}),
            json!({"name": "Other", "store_a_app_id": "1"}),
            json!({"name": "C", "path": "/x/../b"}),
            json!({"name": "Same (USA)", "platform": "NES", "path": "/c"}),
            json!({"name": "SAME", "platform": "nes", "path": "/d"}),
            json!({"name": "Same", "platform": "SNES", "path": "/e"}),
        ]);
        let shown = |by_title: bool| -> Vec<(&'static str, String, Vec<usize>)> {
            let found = groups(&draft.state().games, by_title).groups.into_iter();
            found
                .map(|group| {
                    (group.kind, group.key, group.games.iter().map(|row| row.id).collect())
                })
                .collect()
        };
        let mut expected = vec![
            ("identity", "store_a:1".to_owned(), vec![0, 2]),
            ("path", "path:/b".to_owned(), vec![1, 3]),
            ("title", "same|nes".to_owned(), vec![4, 5]),
        ];
        assert_eq!(shown(true), expected);
        expected.pop();
        assert_eq!(shown(false), expected);
    }

    #[test]
    fn groups_and_their_games_are_bounded() {
        let of = |groups: usize, games: usize| {
            let game = |number: usize| {
                let record =
                    json!({"game_id": number.to_string(), "name": format!("g{}", number % groups)});
                Game::seal(&serde_json::from_value(record).expect("an object"))
            };
            super::groups(&Games::from_games((0..groups * games).map(game)), true)
        };
        for (groups, games, shown, in_group, truncated) in [
            (100, 2, 100, 2, false),
            (101, 2, 100, 2, true),
            (1, 25, 1, 25, false),
            (1, 26, 1, 25, true),
        ] {
            let found = of(groups, games);
            let figures = (found.count, found.groups[0].games.len(), found.truncated);
            assert_eq!(figures, (shown, in_group, truncated), "{groups} x {games}");
        }
    }

    #[test]
    fn the_most_played_one_stays_and_takes_what_it_lacks() {
        let mut draft = library(&[
            json!({"name": "A", "cover": "/a.png", "tags": ["x"], "rating": 4, "play_count": 1}),
            json!({"name": "B", "play_count": 2, "playtime_seconds": 5, "tags": ["y"], "rating": 0}),
            json!({"name": "C", "play_count": 2, "playtime_seconds": 9, "genre": "", "year": "1990"}),
            json!({"name": "D", "genre": "RPG", "cover": "/d.png", "year": "2000"}),
        ]);
        let all: Vec<GameRef> = (0..4).map(GameRef::Position).collect();
        let planned = plan(&draft.state().games, &all).expect("a plan");
        assert_eq!(planned.primary.id, 2);
        assert_eq!(planned.reason().playtime_seconds, 9);
        let expected = json!({
            "cover": {"value": "/a.png", "source": 0},
            "rating": {"value": 4, "source": 0},
            "genre": {"value": "RPG", "source": 3},
            "tags": {"value": ["x", "y"], "source": 0, "merged": true},
        });
        assert_eq!(json!(planned.changes), expected);
        let put = merge(&mut draft, &planned, &Moment::from_unix(0)).expect("merged");
        assert_eq!(
            put.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(),
            ["A", "B", "D"]
        );
        let kept = draft.state().games.get(0).expect("there").record();
        assert_eq!(
            (kept.text("name"), kept.text("year"), kept.count("playtime_seconds")),
            ("C", "1990", 9)
        );
        assert_eq!(kept.text("genre"), "RPG");
        for (back, entry) in put.iter().enumerate() {
            trash::restore(&mut draft, &entry.trash_id, &Moment::from_unix(0)).expect("restored");
            assert_eq!(draft.state().games.len(), back + 2);
        }
    }

    #[test]
    fn ids_are_positions_or_stable_ids() {
        let text = |ids: Value| read_ids(Some(&ids)).map_err(|error| error.0);
        let bad = || Err("ids must be a list of game indexes.".to_owned());
        let few = || Err("A merge needs at least two game indexes.".to_owned());
        assert_eq!(read_ids(None).map_err(|error| error.0), bad());
        for ids in [
            json!("x"),
            json!({"a": 1}),
            json!([1, true]),
            json!([1, -1]),
            json!([1, 1.5]),
            json!([1, ""]),
        ] {
            assert_eq!(text(ids), bad());
        }
        for ids in [json!([]), json!([1]), json!([1, 1]), json!(["1", 1])] {
            assert_eq!(text(ids), few());
        }
        assert_eq!(
            text(json!([1, "g"])),
            Ok(vec![GameRef::Position(1), GameRef::Id("g".to_owned())])
        );
        let many = |count: usize| text((0..count).collect::<Vec<_>>().into()).map(|ids| ids.len());
        assert_eq!(many(200), Ok(200));
        assert_eq!(many(201), Err("At most 200 games can be merged at once.".to_owned()));
        let one = library(&[json!({"name": "A"})]);
        let refused = plan(&one.state().games, &[GameRef::Position(0), GameRef::Position(7)]);
        assert_eq!(refused, Err(InputError("A merge needs at least two records.".to_owned())));
    }
}
