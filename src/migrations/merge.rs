//! What becomes of the games of a list: added, merged, passed over. Pure rules on the library.
//!
//! A game is known by its identity in the list's program, then by its path. A merge fills what is
//! empty; of what is set only what may be overwritten changes, the rest is handed to the person.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::options::Options;
use crate::{
    base::clock::Moment,
    model::{
        draft::{Draft, DraftError},
        record::Record,
        state::State,
    },
};

/// One game of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incoming {
    /// The row it would become; empty values left out.
    pub record: Record,
    /// What names it in the list's program.
    pub identity: String,
    /// Whether the user never wants to see it.
    pub is_excluded: bool,
}

/// How the games of a kind of list are merged.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How identities of this kind begin.
    pub prefix: &'static str,
    /// Whether a game that has an identity of this kind already may be known by its path.
    pub path_of_known: bool,
    /// Whether a set value of a field stays unless the user named the field.
    pub keeps: fn(&str) -> bool,
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

/// One game of a list with what becomes of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Operation {
    /// What is done.
    pub action: Action,
    /// The game of the library it is merged into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_game_id: Option<String>,
    /// The game as the list has it.
    pub game: Record,
    /// Fields that change, with their new values.
    pub changes: Map<String, Value>,
    /// Fields that keep another value: `{field, current, incoming}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review_fields: Vec<Value>,
}

/// Fields that say where a row comes from; they are joined, never compared.
const ORIGIN: [&str; 3] = ["source", "source_identity", "source_identities"];

/// Decides about every game of a list.
#[must_use]
pub fn plan(
    state: &State,
    incoming: &[Incoming],
    options: &Options,
    manner: Manner,
) -> Vec<Operation> {
    let known = Known::read(state, manner);
    let mut seen = HashSet::new();
    incoming.iter().map(|game| decide(state, &known, &mut seen, game, options, manner)).collect()
}

fn decide<'a>(
    state: &State,
    known: &Known,
    seen: &mut HashSet<&'a str>,
    game: &'a Incoming,
    options: &Options,
    manner: Manner,
) -> Operation {
    let mut operation = Operation {
        action: Action::Add,
        target_game_id: None,
        game: game.record.clone(),
        changes: Map::new(),
        review_fields: Vec::new(),
    };
    if game.is_excluded {
        operation.action = Action::Exclude;
        return operation;
    }
    if !seen.insert(game.identity.as_str()) {
        operation.action = Action::Skip;
        return operation;
    }
    let path = game.record.text("path");
    let found = known.identities.get(&game.identity);
    let found = found.or_else(|| known.paths.get(path).filter(|_| !path.is_empty()));
    let Some(found) = found.and_then(|id| state.games.find(id)) else { return operation };
    operation.action = Action::Merge;
    operation.target_game_id = Some(found.1.id().to_owned());
    let record = found.1.record();
    for (field, value) in &game.record.0 {
        if ORIGIN.contains(&field.as_str()) || is_same(record.get(field), value) {
            continue;
        }
        let is_empty = record.is_blank(field) || record.get(field) == Some(&Value::Bool(false));
        if is_empty || options.overwrites(field) || !(manner.keeps)(field) {
            operation.changes.insert(field.clone(), value.clone());
        } else {
            let current = record.get(field);
            operation
                .review_fields
                .push(json!({"field": field, "current": current, "incoming": value}));
        }
    }
    operation
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

/// The games of the library by what names them.
#[derive(Default)]
struct Known {
    identities: HashMap<String, String>,
    paths: HashMap<String, String>,
}

impl Known {
    fn read(state: &State, manner: Manner) -> Self {
        let mut known = Self::default();
        for game in state.games.iter() {
            let record = game.record();
            let all = record.texts("source_identities").chain([record.text("source_identity")]);
            let ours: Vec<&str> = all.filter(|all| all.starts_with(manner.prefix)).collect();
            if !game.path().is_empty() && (ours.is_empty() || manner.path_of_known) {
                known.paths.entry(game.path().to_owned()).or_insert_with(|| game.id().to_owned());
            }
            for identity in ours {
                known.identities.entry(identity.to_owned()).or_insert_with(|| game.id().to_owned());
            }
        }
        known
    }
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Ids of games that are new.
    pub added: Vec<String>,
    /// Ids of games that were merged into.
    pub merged: Vec<String>,
}

/// Carries decisions out on the library they were made about.
///
/// # Errors
/// None in practice: new rows bring no id, and the others were found in this very library.
pub fn carry_out(
    draft: &mut Draft,
    operations: &[Operation],
    now: &Moment,
    batch: &str,
) -> Result<Applied, DraftError> {
    let mut applied = Applied::default();
    for operation in operations {
        match (operation.action, &operation.target_game_id) {
            (Action::Add, _) => {
                let mut record = operation.game.clone();
                record.set("added_at", now.local_iso());
                record.set("import_batch_id", batch);
                applied.added.push(draft.add_game(record)?);
            }
            (Action::Merge, Some(id)) => {
                draft.edit_game(id, |record| {
                    for (field, value) in &operation.changes {
                        record.set(field, value.clone());
                    }
                    join_identities(record, &operation.game);
                })?;
                applied.merged.push(id.clone());
            }
            _ => {}
        }
    }
    Ok(applied)
}

/// A game that is merged is known under the identities of both from then on.
fn join_identities(record: &mut Record, incoming: &Record) {
    let own = [record.text("source_identity").to_owned()].into_iter();
    let own: Vec<String> =
        own.chain(record.texts("source_identities").map(str::to_owned)).collect();
    let mut all: Vec<String> =
        own.into_iter().chain(incoming.texts("source_identities").map(str::to_owned)).collect();
    all.retain(|identity| !identity.is_empty());
    all.sort();
    all.dedup();
    record.set("source_identities", all);
}
