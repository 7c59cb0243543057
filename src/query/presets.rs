//! Filter presets: named sets of rules, some of which the big screen offers directly.

use serde_json::{Map, Value, json};

use super::filter_rules;
use crate::{
    game::{InputError, clean::refuse},
    model::{Draft, State},
    store::{Committed, Store},
};

const SECTION: &str = "filter_presets";

/// Maximum number of presets that the big screen offers.
const QUICK: usize = 8;

/// Every preset, in the order in which they were made.
pub fn list(state: &State) -> Vec<Value> {
    state.list(SECTION)
}

/// The presets among these that bigscreen offers.
pub fn quick(presets: &[Value]) -> Vec<Value> {
    let marked = presets.iter().filter(|preset| preset["bigscreen_quick"] == true);
    marked.take(QUICK).cloned().collect()
}

/// As [`save`], in one commit.
pub fn save_preset(store: &Store, posted: &Map<String, Value>) -> Committed<String, InputError> {
    store.commit(|draft| save(draft, posted))
}

/// Saves a posted preset under its name, in the place of the one that had it, and returns the name.
///
/// # Errors
/// The sentence for the first rule that is broken.
fn save(draft: &mut Draft, posted: &Map<String, Value>) -> Result<String, InputError> {
    let name = posted.get("name").and_then(Value::as_str).map_or("", str::trim);
    if name.is_empty() {
        return refuse("Preset name is required.");
    }
    let Some(rules) = posted.get("rules").and_then(Value::as_object) else {
        return refuse("Preset rules must be an object.");
    };
    let mut rules = filter_rules::of_preset(rules);
    // The view of all games filters nothing; clients post it with every preset.
    rules.retain(|key, rule| key != "view" || rule != "all");
    if rules.is_empty() {
        return refuse("Preset needs at least one filter rule.");
    }
    let quick = match posted.get("bigscreen_quick") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(quick)) => *quick,
        Some(_) => return refuse("bigscreen_quick must be true or false."),
    };
    let row = json!({"name": name, "rules": rules, "bigscreen_quick": quick});
    let mut rows = list(draft.state());
    match rows.iter().position(|row| row["name"] == name) {
        Some(at) => rows[at] = row,
        None => rows.push(row),
    }
    draft.set_section(SECTION, rows.into());
    Ok(name.to_owned())
}

/// As [`delete`], in one commit.
pub fn delete_preset(store: &Store, name: &str) -> Committed<(), InputError> {
    store.commit(|draft| delete(draft, name))
}

/// Deletes a preset.
///
/// # Errors
/// `Preset not found.`
fn delete(draft: &mut Draft, name: &str) -> Result<(), InputError> {
    let mut rows = list(draft.state());
    // A name that another program stored may have blanks around it, which no request has.
    let place = rows.iter().position(|row| row["name"].as_str().map(str::trim) == Some(name));
    rows.remove(place.ok_or_else(|| InputError("Preset not found.".to_owned()))?);
    draft.set_section(SECTION, rows.into());
    Ok(())
}
