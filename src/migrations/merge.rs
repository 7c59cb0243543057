//! Merges the games of a list into the library: which are added, merged or skipped, and which fields
//! change.
//!
//! A game is recognised by its identity in the list's program, then by its path. A merge fills empty
//! fields; a set value changes only where it may be overwritten, else the user reviews it.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{launchbox::Playlist, options::Options};
use crate::{
    base::{
        Moment,
        schema::{Schema, Type, schema},
    },
    game::{batches::PlaylistChange, duplicates::Identities},
    imports::{
        Incoming, brought,
        exclusions::{self, Exclusion},
        incoming::set_one_line,
        known::{Known, Match, Matching, Paths, Scope, Way},
        merge::Merger,
    },
    model::{
        Draft, DraftError, Game, Record, State,
        origins::{FieldWriter, Origin, Origins, Right},
    },
    query::playlists,
};

/// How the games of a kind of list are merged.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The prefix of the identities of this kind.
    pub prefix: &'static str,
    /// Which games of the library are recognised by their path.
    pub paths: Paths,
    /// Whether the options may exclude games by their ids.
    pub has_exclusions: bool,
    /// Whether a set value of a field stays unless the user named the field.
    pub keeps: fn(&str) -> bool,
}

impl Policy {
    fn matching(self) -> Matching {
        Matching { identities: Scope::Prefix(self.prefix), paths: self.paths }
    }
}

/// What is to be done with a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is new.
    Add,
    /// The library has it.
    Merge,
    /// The list has it twice.
    Skip,
    /// The user never wants to see it.
    Exclude,
}

impl Schema for Action {
    const SCHEMA: &'static Type = &Type::Choice(&["add", "merge", "skip", "exclude"]);
}

schema! {
    "MigrationOperation"
    /// One game of a list with its outcome.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Operation {
        /// What is done.
        pub action: Action,
        /// Fields that change, with their new values.
        pub changes: Map<String, Value>,
        /// The game as the list has it.
        pub game: Record,
        /// Fields that keep another value.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub review_fields: Vec<Review>,
        /// The game of the library it is merged into.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub target_game_id: Option<String>,
    }

    "MigrationReview"
    /// A field that keeps another value than the list has.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Review {
        /// The value in the library.
        pub current: Value,
        /// The field.
        pub field: String,
        /// The value in the list.
        pub incoming: Value,
    }
}

/// The prefix of ids of games that a list identifies by path.
const BY_PATH: &str = "path:";
/// The file in an archive that a game is.
pub(super) const MEMBER: &str = "archive_member";
/// The id of a game of the adventure engine.
pub(super) const ENGINE_ID: &str = "engine_library_id";
/// Fields that distinguish rows with the same file: games of an engine or a launcher, and how they start.
pub(super) const APART: [&str; 3] = [ENGINE_ID, "collection", "launch"];
/// Fields that say where a row comes from; they are joined, never compared.
const ORIGIN: [&str; 3] = ["source", "source_identity", "source_identities"];

/// Decides about the games of a list, one after the other.
pub struct Planner<'a> {
    state: &'a State,
    options: &'a Options,
    policy: Policy,
    known: Known,
    excluded: Vec<Exclusion>,
    seen: HashSet<String>,
    /// Positions by their identities in stores, under which other launchers know the games too, once one
    /// was asked for.
    store_ids: Option<HashMap<String, usize>>,
    /// Rows whose file is an archive of several games, with the one of them that the row is.
    members: HashMap<usize, String>,
}

impl<'a> Planner<'a> {
    /// For a list that is compared with this library.
    pub fn new(state: &'a State, options: &'a Options, policy: Policy) -> Self {
        let known = Known::new(state, policy.matching());
        let excluded = exclusions::list(state);
        let (seen, members) = (HashSet::new(), HashMap::new());
        Self { state, options, policy, known, excluded, seen, store_ids: None, members }
    }

    /// The outcome of the next game, and whether it is known only as a disc of the game it is merged into.
    pub fn decide(&mut self, game: &Incoming) -> (Operation, bool) {
        let identity = game.record.text("source_identity");
        let id = identity.strip_prefix(self.policy.prefix).unwrap_or_default();
        let is_excluded = self.policy.has_exclusions && self.options.excluded.contains(id);
        let mut operation = Operation {
            action: Action::Add,
            target_game_id: None,
            game: game.record.clone(),
            changes: Map::new(),
            review_fields: Vec::new(),
        };
        let mut is_disc = false;
        if is_excluded || exclusions::is_excluded(&self.excluded, &game.record) {
            operation.action = Action::Exclude;
            return (operation, false);
        }
        if !self.seen.insert(identity.to_owned()) {
            operation.action = Action::Skip;
            return (operation, false);
        }
        let found = self.known.find(self.state, game).filter(|found| self.may_take(game, *found));
        let is_twice = found.is_some_and(|found| self.is_listed(found));
        let row = self.row_of(game, found.filter(|_| !is_twice));
        if let Some(row) = row {
            operation.merge_into(&row, self.options, self.policy);
            let found = found.filter(|found| self.is_at(*found, &row));
            if let Some(found) = found {
                self.known.enter(game, Some(found));
            }
            match found.map_or(Way::Identity, |found| found.way) {
                Way::Folder => operation.take_file(&row),
                Way::Path if row.path() != game.record.text("path") => {
                    self.take_discs(&mut operation, &row);
                }
                // A row that lists discs itself is the whole game, although its file is one of them.
                Way::Disc => is_disc = game.record.texts("discs").next().is_none(),
                _ => {}
            }
        } else if is_twice {
            operation.action = Action::Skip;
        } else {
            let member = game.record.text(MEMBER);
            if !member.is_empty() {
                self.members.insert(self.known.next_position(), member.to_owned());
            }
            self.known.enter(game, None);
        }
        (operation, is_disc)
    }

    /// Marks a folder that does not belong to one game.
    pub fn close(&mut self, folder: &Path) {
        self.known.close(folder);
    }

    /// Whether a game was matched with an earlier row of the list, which the library does not have yet.
    fn is_listed(&self, found: Match) -> bool {
        found.position >= self.state.games.len()
    }

    fn is_at(&self, found: Match, row: &Game) -> bool {
        self.state.games.get(found.position).is_some_and(|game| game.id() == row.id())
    }

    /// A playlist whose discs the library has: the row of the only one becomes the whole game, several rows stay as
    /// they are.
    fn take_discs(&self, operation: &mut Operation, row: &Game) {
        let discs: Vec<&str> = operation.game.texts("discs").collect();
        let is_lone = row.record().texts("discs").next().is_none();
        if is_lone && self.known.owners(&discs).len() == 1 {
            operation.take_file(row);
        } else {
            operation.changes.remove("discs");
        }
    }

    /// Whether a game may be the one it was matched with. Of the games in one archive only the first
    /// may be the row of the archive. Rows of one list that have the same file are one game, unless more than their ids
    /// differs.
    fn may_take(&mut self, game: &Incoming, found: Match) -> bool {
        let member = game.record.text(MEMBER);
        if self.is_listed(found) {
            let is_apart = APART.iter().any(|field| !game.record.is_blank(field));
            let same = self.members.get(&found.position).map_or("", String::as_str);
            return match found.way {
                Way::Folder => false,
                Way::Path => !is_apart && same == member && !game.record.is_blank("path"),
                _ => true,
            };
        }
        if member.is_empty() || found.way != Way::Path {
            return true;
        }
        let row =
            || self.state.games.get(found.position).map(|row| row.record().text(MEMBER).to_owned());
        let of_row = |row: String| if row.is_empty() { member.to_owned() } else { row };
        self.members.entry(found.position).or_insert_with(|| of_row(row().unwrap_or_default()))
            == member
    }

    fn row_of(&mut self, game: &Incoming, found: Option<Match>) -> Option<Arc<Game>> {
        let id = game.record.text(ENGINE_ID);
        let found = found.and_then(|found| self.state.games.get(found.position));
        let ids = Identities::of_stores(&game.record);
        if found.is_none() && !ids.is_empty() {
            let games = &self.state.games;
            let known =
                self.store_ids.get_or_insert_with(|| Identities::in_stores(games).collect());
            let at = ids.iter().find_map(|id| known.get(id));
            return at.and_then(|at| self.state.games.get(*at)).cloned();
        }
        if id.is_empty() {
            return found.cloned();
        }
        // Several games of the engine may share a folder; their ids distinguish them.
        let is_same = |row: &&Arc<Game>| row.record().text(ENGINE_ID) == id;
        found.filter(is_same).or_else(|| self.state.games.iter().find(is_same)).cloned()
    }
}

impl Operation {
    /// The operation of a row that is one disc of its game. Its file is not that of the game; unless it is
    /// the only row for the game, it does not describe the game as a whole either.
    pub(super) fn of_disc(mut self, is_only: bool) -> Self {
        if is_only {
            self.changes.remove("path");
            self.review_fields.retain(|review| review.field != "path");
        } else {
            self.changes.clear();
            self.review_fields.clear();
            self.game.0.retain(|field, _| !brought::is_note(field));
        }
        self
    }

    /// Gives the row the file of the game, and its discs where it has several.
    fn take_file(&mut self, row: &Game) {
        let origins = Origins::of(&row.record());
        for field in ["path", "discs"] {
            if let Some(value) = self.game.get(field)
                && !origins.holds(field, Right::Request)
            {
                self.changes.insert(field.to_owned(), value.clone());
                self.review_fields.retain(|review| review.field != field);
            }
        }
    }

    fn merge_into(&mut self, game: &Game, options: &Options, policy: Policy) {
        self.action = Action::Merge;
        self.target_game_id = Some(game.id().to_owned());
        let row = game.record();
        let origins = Origins::of(&row);
        for (field, value) in &self.game.0 {
            let is_other = ORIGIN.contains(&field.as_str()) || brought::is_note(field);
            if is_other || is_same(row.get(field), value) {
                continue;
            }
            let unset = [Some(&Value::Bool(false)), Some(&Value::from(0))];
            let is_empty = row.is_blank(field) || unset.contains(&row.get(field));
            let is_free = is_empty || options.overwrites(field) || !(policy.keeps)(field);
            if is_free && !origins.holds(field, Right::Request) {
                self.changes.insert(field.clone(), value.clone());
            } else {
                self.review_fields.push(Review {
                    current: row.get(field).cloned().unwrap_or_default(),
                    field: field.clone(),
                    incoming: value.clone(),
                });
            }
        }
    }

    /// What the merge of its game into a row does to the row.
    fn apply(&self, row: &mut Record, origin: Origin) {
        let mut fields = FieldWriter::new(row, origin, Right::Request);
        for (field, value) in &self.changes {
            fields.replace(field, value.clone());
        }
        fields.finish();
        // A merged game is known under the identities of both from then on.
        let identities = |record: &Record| -> Vec<String> {
            record.texts("source_identities").map(str::to_owned).collect()
        };
        let mut all = identities(row);
        all.push(row.text("source_identity").to_owned());
        all.extend(identities(&self.game));
        all.retain(|identity| !identity.is_empty());
        all.sort();
        all.dedup();
        row.set("source_identities", all);
    }
}

fn is_same(current: Option<&Value>, incoming: &Value) -> bool {
    match (current, incoming) {
        (Some(Value::String(one)), Value::String(other)) => one.trim() == other.trim(),
        (Some(one), other) if one.is_number() && other.is_number() => {
            one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| (one - other).abs() < 1e-9)
        }
        (current, incoming) => current == Some(incoming),
    }
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Ids of games that are new.
    pub added: Vec<String>,
    /// Ids of games that were merged into.
    pub merged: Vec<String>,
    /// The id of the import, where it added or changed anything.
    pub import_batch_id: Option<String>,
}

/// Carries out operations on the library they were planned for.
///
/// # Errors
/// None in practice: new rows bring no id, and the others were found in this very library.
pub fn carry_out(
    draft: &mut Draft,
    operations: &[Operation],
    playlists: &[Playlist],
    policy: Policy,
    now: &Moment,
    batch: &str,
) -> Result<Applied, DraftError> {
    let mut merger = Merger::new(draft.state(), policy.matching(), now, batch);
    let source = policy.prefix.trim_end_matches(':');
    let mut joined = Vec::new();
    for operation in operations {
        let game = incoming(operation.game.clone());
        match (operation.action, &operation.target_game_id) {
            (Action::Add, _) => merger.add(draft, &game)?,
            (Action::Merge, Some(id)) => {
                let unknown = || DraftError::UnknownGame(id.clone());
                let position = draft.state().games.position(id).ok_or_else(unknown)?;
                let found = Match { position, ..Match::default() };
                let origin = Origin::import(source, &now.local_iso());
                let apply = |row: &mut Record| operation.apply(row, origin);
                joined.push(merger.join(draft, &game, found, apply)?);
            }
            _ => {}
        }
    }
    merger.playlists = bring_playlists(draft, playlists, policy);
    let done = merger.finish(draft, source);
    Ok(Applied { added: done.added, merged: joined, import_batch_id: done.import_batch_id })
}

/// Fills playlists of these names with the games that the library has of them; what was changed. A
/// playlist of the same name that a rule fills stays as it is.
fn bring_playlists(
    draft: &mut Draft,
    playlists: &[Playlist],
    policy: Policy,
) -> Vec<PlaylistChange> {
    if playlists.is_empty() {
        return Vec::new();
    }
    let mut ids: HashMap<String, String> = HashMap::new();
    for game in draft.state().games.iter().filter(|game| game.json().contains(policy.prefix)) {
        let record = game.record();
        for identity in record.texts("source_identities").chain([record.text("source_identity")]) {
            if let Some(id) = identity.strip_prefix(policy.prefix) {
                ids.entry(id.to_owned()).or_insert_with(|| game.id().to_owned());
            }
        }
    }
    // A game that is in no list is known by its path.
    if playlists.iter().any(|playlist| playlist.games.iter().any(|id| id.starts_with(BY_PATH))) {
        for game in draft.state().games.iter().filter(|game| !game.path().is_empty()) {
            let id = format!("{BY_PATH}{}", game.path());
            ids.entry(id).or_insert_with(|| game.id().to_owned());
        }
    }
    let named = |draft: &Draft, name: &str| {
        let rows = draft.state().list("playlists");
        rows.into_iter().find(|row| row["name"] == name)
    };
    let mut changes = Vec::new();
    for playlist in playlists {
        let members: Vec<&String> = playlist.games.iter().filter_map(|id| ids.get(id)).collect();
        let before = named(draft, &playlist.name);
        let is_ruled = before.as_ref().is_some_and(|row| row["type"] != "manual");
        if members.is_empty() || is_ruled {
            continue;
        }
        let kept = |key: &str| before.as_ref().and_then(|row| row[key].as_str());
        let posted = json!({
            "name": playlist.name,
            "type": "manual",
            "members": members,
            "append": true,
            "notes": kept("notes").unwrap_or(&playlist.notes),
            "parent": kept("parent").unwrap_or_default(),
        });
        let Value::Object(posted) = posted else { continue };
        if let Err(error) = playlists::save(draft, &posted) {
            log::warn!("a playlist was not imported: {error}");
            continue;
        }
        let after = named(draft, &playlist.name).unwrap_or_default();
        let before = before.unwrap_or_default();
        if before != after {
            changes.push(PlaylistChange { name: playlist.name.clone(), before, after });
        }
    }
    changes
}

/// A game of a list: a row as it stands there, whose identity is its `source_identity`.
pub fn incoming(mut record: Record) -> Incoming {
    set_one_line(&mut record);
    Incoming { record, is_plain: true, ..Incoming::default() }
}
