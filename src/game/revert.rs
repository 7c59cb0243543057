//! Reverting what an event of the journal recorded (`POST /api/v2/library/journal/revert`).
//!
//! Rules on a state and a draft. A game becomes what an event recorded, or the change of an event
//! is undone; both only in fields of the catalog, and never in those that identify the game.
//! What is removed goes to the trash, and what is restored comes from there when possible, with
//! everything the journal does not know.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    reference::GameRef,
    trash::{self, TrashEntry, TrashError},
};
use crate::{
    base::{Moment, ids, schema::schema},
    journal::{
        catalog::{self, Catalog, Difference, is_revertible},
        chain::{Base, Link},
        event::FORMAT,
    },
    model::{Cause, Draft, DraftError, Record, State},
    store::{Committed, Store},
};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Only these fields; all of them without.
    pub fields: Option<Vec<String>>,
    /// Whether the change of the event is undone, instead of the game becoming what it was then.
    pub undo: bool,
}

/// Why nothing was undone.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevertError {
    /// The game is not what it was when the plan was made.
    #[error("the plan is stale")]
    Stale,
    /// What was there before the event is not known any more.
    #[error("cannot undo: the event's base is unavailable")]
    NoBase,
    /// The draft refused the change.
    #[error(transparent)]
    Draft(#[from] DraftError),
    /// The trash refused the change.
    #[error(transparent)]
    Trash(#[from] TrashError),
}

/// What would be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Stable id of the game.
    pub game_id: String,
    /// The game now; `None` when it is not there.
    current: Option<Catalog>,
    /// The game afterwards; `None` when it will not be there.
    target: Option<Catalog>,
    /// The fields that differ.
    pub changes: Vec<Difference>,
    /// Names what was planned from: another game, another state of it or another request has another one.
    pub base_token: String,
}

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The game, under the id it has now.
    pub game_id: String,
    /// The key under which the journal records it.
    pub sync_key: String,
    /// The fields that changed; none when there was nothing to do.
    pub changes: Vec<Difference>,
    /// Whether the game went to the trash.
    pub deleted: bool,
    /// Whether the game was restored.
    pub restored: bool,
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_noop(&self) -> bool {
        self.current == self.target
    }

    /// The plan as a client reads it.
    pub fn shown(self, link: &Link, request: Request) -> ShownPlan {
        ShownPlan {
            noop: self.is_noop(),
            base_token: self.base_token,
            changes: self.changes.into_iter().map(ShownChange::from).collect(),
            event_id: ids::hex(&link.event.id),
            fields: request.fields,
            format: FORMAT,
            game_id: self.game_id,
            sync_key: link.event.sync_key.clone(),
            target_catalog: self.target,
            undo: request.undo,
        }
    }
}

schema! {
    "RevertPlan"
    /// A plan as a client reads it.
    pub struct ShownPlan {
        base_token: String,
        changes: Vec<ShownChange>,
        event_id: String,
        /// The fields of the request; all without it.
        fields: Option<Vec<String>>,
        format: u64,
        game_id: String,
        /// Whether there is nothing to do.
        noop: bool,
        sync_key: String,
        /// The catalog fields afterwards; `null` when the game will not be there.
        target_catalog: Option<Catalog>,
        undo: bool,
    }

    "RevertChange"
    /// A change as a client reads it.
    pub struct ShownChange {
        /// `set`, or `remove`, which leaves the field unset.
        action: &'static str,
        field: String,
        from: Option<Value>,
        to: Option<Value>,
    }
}

impl From<Difference> for ShownChange {
    fn from(change: Difference) -> Self {
        let Difference { field, from, to } = change;
        Self { action: if to.is_some() { "set" } else { "remove" }, field, from, to }
    }
}

/// Plans to undo what an event recorded; changes nothing.
///
/// # Errors
/// [`RevertError::NoBase`].
pub fn plan(state: &State, link: &Link, request: &Request) -> Result<Plan, RevertError> {
    let game_id = link.game_id();
    let found = state.games.find(&game_id).filter(|(_, game)| game.id() == game_id);
    let current = found.map(|(_, game)| catalog::of(game));
    let target = match target_of(link, request)? {
        None => None,
        Some(target) => Some(match &current {
            None => target.catalog,
            Some(current) => overlaid(current, &target, request),
        }),
    };
    let empty = Catalog::new();
    let changes =
        catalog::differences(current.as_ref().unwrap_or(&empty), target.as_ref().unwrap_or(&empty));
    let looked_at = json!({
        "event_id": ids::hex(&link.event.id),
        "undo": request.undo,
        "fields": request.fields,
        "current": current,
    });
    let base_token = ids::hex(&Sha256::digest(looked_at.to_string()));
    Ok(Plan { game_id, current, target, changes, base_token })
}

/// What the game becomes.
struct Target {
    catalog: Catalog,
    /// Only these fields, because only they were changed by what is undone.
    only: Option<Vec<String>>,
}

fn target_of(link: &Link, request: &Request) -> Result<Option<Target>, RevertError> {
    let whole = |catalog: &Catalog| Target { catalog: catalog.clone(), only: None };
    if !request.undo {
        return Ok(link.event.catalog.as_ref().map(whole));
    }
    match (&link.base, &link.event.catalog) {
        (Base::Unavailable, _) => Err(RevertError::NoBase),
        (Base::Nothing, _) => Ok(None),
        (Base::Catalog(base), None) => Ok(Some(whole(base))),
        (Base::Catalog(base), Some(after)) => {
            let changed = catalog::differences(base, after);
            let only = changed.into_iter().map(|change| change.field).collect();
            Ok(Some(Target { catalog: base.clone(), only: Some(only) }))
        }
    }
}

/// The game as it is with the requested fields laid over it. A game always keeps a name.
fn overlaid(current: &Catalog, wanted: &Target, request: &Request) -> Catalog {
    let mut target = current.clone();
    for field in catalog::FIELDS.into_iter().filter(|field| is_revertible(field)) {
        let named = |fields: &Option<Vec<String>>| {
            fields.as_ref().is_none_or(|fields| fields.iter().any(|name| name == field))
        };
        if !named(&wanted.only) || !named(&request.fields) {
            continue;
        }
        match wanted.catalog.get(field) {
            Some(value) => drop(target.insert(field.to_owned(), value.clone())),
            None if field == "name" => {}
            None => drop(target.remove(field)),
        }
    }
    target
}

/// As [`apply`], in one commit.
pub fn revert_event(
    store: &Store,
    link: &Link,
    request: &Request,
    base_token: &str,
    now: &Moment,
) -> Committed<Applied, RevertError> {
    store.commit(|draft| apply(draft, link, request, base_token, now))
}

/// Undoes what an event recorded, when the plan is still the one with this token.
///
/// # Errors
/// [`RevertError::Stale`] when it is not; nothing has changed then.
pub fn apply(
    draft: &mut Draft,
    link: &Link,
    request: &Request,
    base_token: &str,
    now: &Moment,
) -> Result<Applied, RevertError> {
    let plan = plan(draft.state(), link, request)?;
    if plan.base_token != base_token {
        return Err(RevertError::Stale);
    }
    let mut applied = Applied {
        sync_key: link.event.sync_key.clone(),
        game_id: plan.game_id.clone(),
        changes: plan.changes,
        deleted: false,
        restored: false,
    };
    match (&plan.current, &plan.target) {
        (None, None) => return Ok(applied),
        (Some(_), None) => {
            trash::put(draft, &GameRef::Id(plan.game_id), now)?;
            applied.deleted = true;
        }
        (None, Some(target)) => {
            applied.game_id = bring_back(draft, &plan.game_id, target, now)?;
            applied.restored = true;
        }
        (Some(_), Some(_)) => {
            draft.edit_by_person(&plan.game_id, |record| {
                for change in &applied.changes {
                    match &change.to {
                        Some(value) => record.set(&change.field, value.clone()),
                        None => drop(record.remove(&change.field)),
                    }
                }
            })?;
            if !applied.changes.is_empty() {
                draft.set_cause(Cause::Updated(plan.game_id));
            }
        }
    }
    if let Some((_, game)) = draft.state().games.find(&applied.game_id) {
        applied.sync_key = catalog::sync_key(&catalog::of(game));
    }
    draft.note(json!({"journal_revert": {
        "source_event": ids::hex(&link.event.id),
        "fields": request.fields,
        "undo": request.undo,
    }}));
    Ok(applied)
}

/// Restores a game: from the trash when it lies there, else as far as the journal knows it.
fn bring_back(
    draft: &mut Draft,
    game_id: &str,
    target: &Catalog,
    now: &Moment,
) -> Result<String, RevertError> {
    let entries = trash::current(draft.state().rows::<TrashEntry>(), now);
    if let Some(entry) = entries.iter().rev().find(|entry| entry.game_id == game_id) {
        let back = trash::restore(draft, &entry.trash_id, now)?;
        draft.edit_game(&back.game_id, |record| {
            for field in catalog::FIELDS.into_iter().filter(|field| is_revertible(field)) {
                match target.get(field) {
                    Some(value) => record.set(field, value.clone()),
                    None => drop(record.remove(field)),
                }
            }
        })?;
        return Ok(back.game_id);
    }
    let mut map: Map<String, Value> = target.clone();
    map.insert("path".to_owned(), "".into());
    map.insert("added_at".to_owned(), now.local_iso().into());
    map.insert("game_id".to_owned(), draft.free_id_like(game_id).into());
    draft.set_cause(Cause::Restored);
    Ok(draft.add_game(Record(map))?)
}
