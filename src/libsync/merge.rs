//! Merging the versions of one game from several libraries, by the order of events and never by clocks.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::{
    base::schema::schema,
    journal::{catalog::Catalog, exchange::Event},
    mounted::{
        canonical,
        graph::{self, Node, Nodes},
    },
};

/// The field that stands for the whole game: edited here, removed there.
pub const RECORD: &str = "__record__";

schema! {
    "SyncConflict"
    /// A field that two libraries changed differently.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Row {
        /// The key of the game.
        pub sync_key: String,
        /// The field, or `__record__` for edit versus delete.
        pub field: String,
        /// Names this conflict; another one when a side changes.
        pub conflict_id: String,
        /// What can be chosen.
        pub alternatives: Vec<Alternative>,
        /// The value here; absent where the field or the game is missing here.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub local: Option<Value>,
        /// The first value elsewhere; absent where it is missing there.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub remote: Option<Value>,
        /// What both sides changed; absent where they had nothing in common.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub base: Option<Value>,
    }

    "SyncAlternative"
    /// One side of a conflict.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Alternative {
        /// `local`, `remote`, `alternative:2` and so on.
        pub choice: String,
        /// The events behind it; none for an edit here that is not recorded yet.
        pub event_ids: Vec<String>,
        /// Whether there is a value.
        pub present: bool,
        /// The value.
        pub value: Value,
    }
}

/// A game of this library as a side of a merge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Local {
    /// The events that it is the result of; none for a game that was never recorded.
    pub heads: Vec<String>,
    /// The game now; `None` when it is not there.
    pub catalog: Option<Catalog>,
}

/// The result of a merge of one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// The events that brought something.
    pub remote: Vec<String>,
    /// The game afterwards; a field in conflict has the value of this library.
    pub catalog: Option<Catalog>,
    /// Fields that have to be decided.
    pub rows: Vec<Row>,
    /// The events that the result follows.
    pub heads: Vec<String>,
}

/// Merges what others know of a game into what is known here; `None` when they know nothing new.
/// `events` are all events about it.
pub fn merge(key: &str, local: &Local, events: &Nodes<Event>) -> Option<Merge> {
    let own: BTreeSet<&String> = graph::with_ancestors(events, &local.heads);
    let all_heads = graph::heads(events).remove(key).unwrap_or_default();
    let remote: Vec<String> = all_heads.iter().filter(|id| !own.contains(id)).cloned().collect();
    if remote.is_empty() {
        return None;
    }
    let catalog_of = |id: &String| events.get(id).and_then(Event::catalog);
    let mut known = own;
    let mut merged = local.catalog.clone();
    let mut conflicts: BTreeSet<String> = BTreeSet::new();
    let mut all_bases = Vec::new();
    for head in &remote {
        let theirs = graph::with_ancestors(events, [head]);
        let common: BTreeSet<&String> = known.intersection(&theirs).copied().collect();
        let bases: Vec<Option<Catalog>> =
            maximal(events, &common).into_iter().map(catalog_of).collect();
        let other = catalog_of(head);
        merged = three_way(&bases, merged, other, &mut conflicts);
        all_bases.extend(bases);
        known.extend(theirs);
    }
    let own_heads = local.heads.iter().filter(|id| all_heads.contains(id));
    let mut heads: Vec<String> = own_heads.chain(&remote).cloned().collect();
    heads.sort_unstable();
    heads.dedup();
    let sides = Sides { key, local, remote: &remote, events, bases: &all_bases };
    let rows = conflicts.iter().map(|field| sides.row(field)).collect();
    Some(Merge { remote, catalog: merged, rows, heads })
}

/// The events of a set that no other one of it follows.
fn maximal<'a>(events: &'a Nodes<Event>, set: &BTreeSet<&'a String>) -> Vec<&'a String> {
    let followed: BTreeSet<&String> =
        set.iter().filter_map(|id| events.get(*id)).flat_map(Node::parents).collect();
    set.iter().filter(|id| !followed.contains(*id)).copied().collect()
}

fn three_way(
    bases: &[Option<Catalog>],
    ours: Option<Catalog>,
    theirs: Option<Catalog>,
    conflicts: &mut BTreeSet<String>,
) -> Option<Catalog> {
    let is_base =
        |side: &Option<Catalog>| !bases.is_empty() && bases.iter().all(|base| base == side);
    match (ours, theirs) {
        (None, None) => None,
        // Both sides know nothing of each other: what is there is no answer to the removal here.
        (None, Some(theirs)) if bases.is_empty() => Some(theirs),
        (ours, theirs) if is_base(&ours) => theirs,
        (ours, theirs) if is_base(&theirs) => ours,
        (Some(ours), Some(theirs)) => Some(by_field(bases, ours, &theirs, conflicts)),
        (ours, _) => {
            conflicts.insert(RECORD.to_owned());
            ours
        }
    }
}

fn by_field(
    bases: &[Option<Catalog>],
    ours: Catalog,
    theirs: &Catalog,
    conflicts: &mut BTreeSet<String>,
) -> Catalog {
    let fields: BTreeSet<String> = ours.keys().chain(theirs.keys()).cloned().collect();
    let mut merged = ours;
    for field in fields {
        let (our, their) = (merged.get(&field).cloned(), theirs.get(&field).cloned());
        let of_base =
            |base: &Option<Catalog>| base.as_ref().and_then(|base| base.get(&field).cloned());
        let mut values = bases.iter().map(of_base);
        let base = values.next().flatten();
        let is_agreed = values.all(|value| value == base);
        if our == their || (is_agreed && their == base) {
            continue;
        }
        if is_agreed && our == base {
            match their {
                Some(value) => merged.insert(field, value),
                None => merged.remove(&field),
            };
        } else {
            conflicts.insert(field);
        }
    }
    merged
}

/// The sides of a merge, to say what can be chosen.
struct Sides<'a> {
    key: &'a str,
    local: &'a Local,
    remote: &'a [String],
    events: &'a Nodes<Event>,
    /// The states that the sides have in common.
    bases: &'a [Option<Catalog>],
}

impl Sides<'_> {
    fn value(catalog: Option<&Catalog>, field: &str) -> Option<Value> {
        if field == RECORD {
            return catalog.cloned().map(Value::Object);
        }
        catalog?.get(field).cloned()
    }

    /// The events of the present version of the game; none for an edit that is not recorded yet.
    fn own_events(&self) -> Vec<String> {
        let heads = self.local.heads.iter().filter(|id| {
            let event = self.events.get(*id);
            event.is_some_and(|event| event.catalog() == self.local.catalog)
        });
        heads.cloned().collect()
    }

    /// The value that all sides changed; `None` where they began with different ones.
    fn base(&self, field: &str) -> Option<Value> {
        let mut values = self.bases.iter().map(|base| Self::value(base.as_ref(), field));
        let first = values.next().flatten();
        first.filter(|first| values.all(|value| value.as_ref() == Some(first)))
    }

    fn row(&self, field: &str) -> Row {
        let ours = Self::value(self.local.catalog.as_ref(), field);
        let mut sides: Vec<(Vec<String>, Option<Value>)> = vec![(self.own_events(), ours)];
        for id in self.remote {
            let catalog = self.events.get(id).and_then(Event::catalog);
            let value = Self::value(catalog.as_ref(), field);
            match sides[1..].iter_mut().find(|(_, known)| *known == value) {
                Some((ids, _)) => ids.push(id.clone()),
                None => sides.push((vec![id.clone()], value)),
            }
        }
        let choice = |at: usize| match at {
            0 => "local".to_owned(),
            1 => "remote".to_owned(),
            more => format!("alternative:{more}"),
        };
        let alternatives: Vec<Alternative> = sides
            .into_iter()
            .enumerate()
            .map(|(at, (event_ids, value))| Alternative {
                choice: choice(at),
                event_ids,
                present: value.is_some(),
                value: value.unwrap_or_default(),
            })
            .collect();
        // Without the events: the local edit of a preview gets its event when the plan is applied.
        let values: Vec<Value> = alternatives
            .iter()
            .map(|side| json!([side.choice, side.present, side.value]))
            .collect();
        let named = json!({"sync_key": self.key, "field": field, "alternatives": values});
        Row {
            sync_key: self.key.to_owned(),
            field: field.to_owned(),
            conflict_id: format!("sync-conflict:{}", canonical::hash(&named)),
            local: value_of(alternatives.first()),
            remote: value_of(alternatives.get(1)),
            base: self.base(field),
            alternatives,
        }
    }
}

fn value_of(side: Option<&Alternative>) -> Option<Value> {
    side.filter(|side| side.present).map(|side| side.value.clone())
}

/// What was chosen for the conflicts of one game.
pub type Chosen = BTreeMap<String, String>;

/// A merge after the choices.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// A conflict is not decided.
    Open,
    /// The game afterwards; `None` when it is removed.
    Made(Option<Catalog>),
}

/// Decides the conflicts of one game.
///
/// # Errors
/// A choice that there is not.
pub fn decide(merge: &Merge, chosen: &Chosen) -> Result<Decision, &'static str> {
    let mut catalog = merge.catalog.clone();
    for row in &merge.rows {
        let Some(choice) = chosen.get(&row.conflict_id).or_else(|| chosen.get(&row.field)) else {
            return Ok(Decision::Open);
        };
        let is_chosen = |side: &&Alternative| {
            side.choice == *choice || side.event_ids.iter().any(|id| id == choice)
        };
        let Some(side) = row.alternatives.iter().find(is_chosen) else {
            return Err("A conflict has no such choice.");
        };
        if row.field == RECORD {
            catalog = side.value.as_object().cloned();
        } else if let Some(catalog) = &mut catalog {
            if side.present {
                catalog.insert(row.field.clone(), side.value.clone());
            } else {
                catalog.remove(&row.field);
            }
        }
    }
    Ok(Decision::Made(catalog))
}
