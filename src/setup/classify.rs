//! Classifies candidates by comparing them with the library. No I/O.
//!
//! In this order: games that are never imported, games the library knows (or an earlier candidate
//! is), games whose platform is open, games that nothing plays, new games.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    base::{named::named, schema::schema},
    imports::{
        Incoming,
        exclusions::{self, Exclusion},
        known::{Known, Match, Matching, Way},
        merge,
    },
    model::{Record, State, emulators::Catalog},
};

use super::{candidate::Candidate, players};

/// The fields of a row that a difference shows.
const SHOWN: [&str; 5] = ["name", "platform", "path", "genre", "launch"];

named! {
    /// A kind of candidates.
    pub enum Group {
        /// New games.
        Additions = "additions",
        /// Known games whose rows would change.
        Merges = "merges",
        /// Known games.
        Duplicates = "duplicates",
        /// Games whose platform is open.
        Ambiguities = "ambiguities",
        /// Games that are never imported.
        Exclusions = "exclusions",
        /// Games that nothing here plays.
        Unsupported = "unsupported",
    }
}

impl Group {
    /// What happens to its candidates without a decision.
    pub fn intended_action(self) -> &'static str {
        match self {
            Self::Additions => "import",
            Self::Merges => "merge",
            Self::Duplicates => "skip",
            Self::Exclusions => "exclude",
            Self::Ambiguities | Self::Unsupported => "review",
        }
    }
}

/// A classified candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its group.
    pub group: Group,
    /// The game of the library that it is.
    pub target: Option<Target>,
    /// The earlier candidate that it is.
    pub same_as: Option<String>,
    /// What a merge would change.
    pub merge_diff: Option<Vec<FieldChange>>,
    /// The candidate.
    pub candidate: Candidate,
}

schema! {
    "SetupFieldChange"
    /// A field in which a candidate differs from a game of the library.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct FieldChange {
        /// Whether a merge changes it.
        pub applied: bool,
        /// The value of the game.
        pub current: String,
        /// `fill` or `replace`.
        pub effect: Cow<'static, str>,
        /// The field.
        pub field: Cow<'static, str>,
        /// The value of the candidate.
        pub proposed: String,
    }

    "SetupWarning"
    /// Why a candidate needs a decision.
    #[derive(Debug, PartialEq)]
    pub struct Warning {
        /// Machine-readable.
        pub code: &'static str,
        /// A sentence.
        pub message: &'static str,
    }
}

/// The game that a candidate is the same as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its stable id; blank for one that is only a candidate too.
    pub game_id: String,
    /// Its name.
    pub title: String,
    /// Its platform.
    pub platform: String,
}

/// Sorts candidates one after the other.
pub struct Classifier<'a> {
    state: &'a State,
    catalog: &'a Catalog,
    exclusions: Vec<Exclusion>,
    known: Known,
    earlier: Earlier,
}

/// Title, platform and id of the candidates that are known by now, in their order: one text, because
/// most of a preview stands here.
#[derive(Default)]
struct Earlier {
    text: String,
    /// Where each of the three ends.
    ends: Vec<[usize; 3]>,
}

impl Earlier {
    fn push(&mut self, texts: [&str; 3]) {
        self.ends.push(texts.map(|text| {
            self.text.push_str(text);
            self.text.len()
        }));
    }

    /// The texts of a candidate; blank ones where there is none.
    fn get(&self, at: usize) -> [String; 3] {
        let before = at.checked_sub(1).and_then(|before| self.ends.get(before));
        let mut begin = before.map_or(0, |ends| ends[2]);
        let ends = self.ends.get(at).copied().unwrap_or([begin; 3]);
        ends.map(|end| self.text[std::mem::replace(&mut begin, end)..end].to_owned())
    }
}

impl<'a> Classifier<'a> {
    /// One for this library and these emulator definitions.
    pub fn new(state: &'a State, catalog: &'a Catalog) -> Self {
        Self {
            state,
            catalog,
            exclusions: exclusions::list(state),
            known: Known::new(state, Matching::RECORDS),
            earlier: Earlier::default(),
        }
    }

    /// Sorts a candidate; it counts as known from now on.
    pub fn sort(&mut self, candidate: Candidate) -> Item {
        let incoming = candidate.incoming();
        if exclusions::is_excluded(&self.exclusions, &candidate.record) {
            return Item::new(Group::Exclusions, candidate);
        }
        let found = self.known.find(self.state, &incoming);
        self.known.enter(&incoming, found);
        if let Some(found) = found {
            return self.sort_known(candidate, &incoming, found);
        }
        let record = &candidate.record;
        self.earlier.push([record.text("name"), record.text("platform"), &candidate.id]);
        let has_platform = !record.text("platform").trim().is_empty() && !candidate.is_ambiguous;
        // What a store only offers is installed before it is played.
        let is_playable = candidate.starts_itself
            || !record.is_blank("launch")
            || record.flag("store_catalog")
            || players::plays(self.catalog, record.text("platform"));
        let group = match (has_platform, is_playable) {
            (false, _) => Group::Ambiguities,
            (true, false) => Group::Unsupported,
            (true, true) => Group::Additions,
        };
        Item::new(group, candidate)
    }

    fn sort_known(&self, candidate: Candidate, incoming: &Incoming, found: Match) -> Item {
        let Some(game) = self.state.games.get(found.position) else {
            let earlier = self.earlier.get(found.position - self.state.games.len());
            let [title, platform, id] = earlier;
            // The second store of a game that is new too is one more way to start it; a set is what the
            // archive of a folder is.
            let is_more = found.is_cross_store || found.way == Way::Set;
            let group = if is_more { Group::Merges } else { Group::Duplicates };
            let target = Target { game_id: String::new(), title, platform };
            let (target, same_as) = (Some(target), Some(id));
            return Item { target, same_as, ..Item::new(group, candidate) };
        };
        let row = game.record();
        let target = Target {
            game_id: game.id().to_owned(),
            title: game.name().to_owned(),
            platform: game.platform().to_owned(),
        };
        let has_path = row.text("path") == candidate.record.text("path");
        let mut filled = row.clone();
        merge::fill(&mut filled, incoming, Match { is_listed: false, ..found }, "");
        // A known game whose program is gone gets the command of the installed one.
        let is_stranded = !found.is_cross_store && merge::is_stranded(&row, incoming);
        let is_more = found.is_cross_store || found.way == Way::Set;
        let is_known = found.is_listed || (has_path && !is_more);
        let is_old = !is_stranded && (is_known || filled == row);
        let group = if is_old { Group::Duplicates } else { Group::Merges };
        let merge_diff = (!is_old).then(|| difference(&row, &candidate.record, &filled));
        Item { target: Some(target), merge_diff, ..Item::new(group, candidate) }
    }
}

impl Item {
    fn new(group: Group, candidate: Candidate) -> Self {
        Self { group, target: None, same_as: None, merge_diff: None, candidate }
    }

    /// The platform, unless it is open.
    pub fn platform(&self) -> &str {
        if self.candidate.is_ambiguous { "" } else { self.candidate.record.text("platform") }
    }

    /// Its warnings.
    pub fn warnings(&self) -> Vec<Warning> {
        let (code, message) = match self.group {
            Group::Ambiguities => ("AMBIGUOUS_PLATFORM", "Platform could not be determined."),
            Group::Unsupported => ("UNSUPPORTED", "No registry adapters for platform."),
            _ => return Vec::new(),
        };
        vec![Warning { code, message }]
    }
}

/// The fields in which a candidate differs from a row; `applied` says whether a merge changes them.
fn difference(row: &Record, proposed: &Record, filled: &Record) -> Vec<FieldChange> {
    let differs = |key: &&str| !proposed.is_blank(key) && proposed.text(key) != row.text(key);
    let shown = SHOWN.into_iter().filter(differs).map(|key| {
        let effect = if row.is_blank(key) { "fill" } else { "replace" };
        FieldChange {
            applied: filled.text(key) != row.text(key),
            current: row.text(key).to_owned(),
            effect: effect.into(),
            field: key.into(),
            proposed: proposed.text(key).to_owned(),
        }
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        definitions::bundled,
        model::{Game, Games},
    };

    fn library(rows: Value, exclusions: Value) -> State {
        let rows: Vec<Record> = serde_json::from_value(rows).expect("records");
        let games = Games::from_games(rows.iter().map(Game::seal));
        let settings = json!({"import_exclusions": exclusions});
        State::new(games, [("settings".into(), settings.into())].into_iter().collect(), 1)
    }

    fn candidate(record: Value, is_file: bool) -> Candidate {
        let record: Record = serde_json::from_value(record).expect("an object");
        let id = record.text("name").to_owned();
        Candidate {
            id,
            is_file,
            ..Candidate::from_incoming(Incoming { record, ..Incoming::default() })
        }
    }

    fn steam(name: &str, id: &str) -> Candidate {
        candidate(
            json!({"name": name, "platform": "PC", "source": "store_a", "store_a_app_id": id,
                "path": "/bin/steam", "launch": "steam {app_id}", "store_installed": true}),
            false,
        )
    }

    fn epic(name: &str, id: &str) -> Candidate {
        candidate(
            json!({"name": name, "platform": "PC", "source": "Epic", "store_b_source": "Epic",
                "store_b_app_id": id, "path": "/bin/xdg-open", "launch": "xdg-open {store_b_app_id}"}),
            false,
        )
    }

    fn rom(path: &str, platform: &str) -> Candidate {
        candidate(json!({"name": path, "platform": platform, "path": path}), true)
    }

    #[track_caller]
    fn check(state: &State, candidates: Vec<Candidate>, expected: &[(&str, &str)]) -> Vec<Item> {
        let catalog = bundled::catalog();
        let mut classifier = Classifier::new(state, &catalog);
        let items: Vec<Item> = candidates.into_iter().map(|each| classifier.sort(each)).collect();
        let found: Vec<_> =
            items.iter().map(|item| (item.group.name(), item.group.intended_action())).collect();
        assert_eq!(found, expected);
        items
    }

    #[test]
    fn new_games_are_sorted_by_what_plays_them() {
        let empty = library(json!([]), json!([]));
        let mut disc = rom("/r/a.iso", "Disc image");
        disc.is_ambiguous = true;
        let mut script = rom("/r/a.sh", "Imported");
        script.starts_itself = true;
        let items = check(
            &empty,
            vec![rom("/r/a.nes", "NES"), disc, script, rom("/r/a.mod", "Zeebo"), rom("/r/b", "")],
            &[
                ("additions", "import"),
                ("ambiguities", "review"),
                ("additions", "import"),
                ("unsupported", "review"),
                ("ambiguities", "review"),
            ],
        );
        assert_eq!(items[1].warnings()[0].code, "AMBIGUOUS_PLATFORM");
        assert_eq!(items[1].platform(), "");
        assert_eq!(items[3].warnings()[0].message, "No registry adapters for platform.");
        assert_eq!(items[0].warnings(), []);
    }

    #[test]
    fn known_games_are_skipped_or_learn_something() {
        let state = library(
            json!([
                {"game_id": "game-1", "name": "A", "platform": "NES", "path": "/r/a.nes"},
                {"game_id": "game-2", "name": "Hades", "platform": "PC", "source": "store_a",
                 "store_a_app_id": "7", "path": "/old/steam"},
            ]),
            json!([]),
        );
        let items = check(
            &state,
            vec![
                rom("/r/a.nes", "NES"),
                steam("Hades", "7"),
                epic("Hades", "q"),
                epic("Other", "r"),
            ],
            &[
                ("duplicates", "skip"),
                ("merges", "merge"),
                ("merges", "merge"),
                ("additions", "import"),
            ],
        );
        assert_eq!(items[0].target.as_ref().map(|game| game.game_id.as_str()), Some("game-1"));
        let diff = items[1].merge_diff.as_ref().expect("a difference");
        assert_eq!(
            json!(diff),
            json!([
                {"field": "path", "current": "/old/steam", "proposed": "/bin/steam", "effect": "replace", "applied": true},
                {"field": "launch", "current": "", "proposed": "steam {app_id}", "effect": "fill", "applied": true},
            ])
        );
        assert_eq!(items[2].target.as_ref().map(|game| game.game_id.as_str()), Some("game-2"));
    }

    #[test]
    fn candidates_know_each_other() {
        let empty = library(json!([]), json!([]));
        let items = check(
            &empty,
            vec![steam("Hades", "7"), epic("Hades", "q"), steam("Hades", "7"), steam("Hades", "8")],
            &[
                ("additions", "import"),
                ("merges", "merge"),
                ("duplicates", "skip"),
                ("additions", "import"),
            ],
        );
        let target = items[1].target.as_ref().expect("a target");
        assert_eq!((target.game_id.as_str(), target.title.as_str()), ("", "Hades"));
        assert_eq!(items[1].same_as.as_deref(), Some("Hades"));
    }

    #[test]
    fn what_was_merged_before_is_a_duplicate() {
        let mut row = steam("Hades", "7").record;
        row.set("game_id", "game-1");
        let other = Match { is_cross_store: true, ..Match::default() };
        merge::fill(&mut row, &epic("Hades", "q").incoming(), other, "");
        let state = library(json!([row]), json!([]));
        let both = vec![steam("Hades", "7"), epic("Hades", "q")];
        check(&state, both, &[("duplicates", "skip"), ("duplicates", "skip")]);
    }

    #[test]
    fn exclusions_come_first() {
        let state = library(json!([]), json!([{"source": "store_a", "external_id": "7"}]));
        let both = vec![steam("Hades", "7"), epic("Hades", "q")];
        check(&state, both, &[("exclusions", "exclude"), ("additions", "import")]);
    }
}
