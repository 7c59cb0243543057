//! Filter presets: named sets of rules, some of which bigscreen offers at once.

use serde_json::{Map, Value, json};

use super::filter_rules;
use crate::{
    game::clean::Refusal,
    model::{draft::Draft, state::State},
};

const SECTION: &str = "filter_presets";

/// Maximum number of presets that the big screen offers.
const QUICK: usize = 8;

/// Every preset, in the order in which they were made.
#[must_use]
pub fn list(state: &State) -> Vec<Value> {
    state.section(SECTION).as_array().cloned().unwrap_or_default()
}

/// The presets among these that bigscreen offers.
#[must_use]
pub fn quick(presets: &[Value]) -> Vec<Value> {
    let marked = presets.iter().filter(|preset| preset["bigscreen_quick"] == true);
    marked.take(QUICK).cloned().collect()
}

/// Saves a posted preset under its name, in the place of the one that had it, and returns the name.
///
/// # Errors
/// The sentence for the first rule that is broken.
pub fn save(draft: &mut Draft, posted: &Map<String, Value>) -> Result<String, Refusal> {
    let refuse = |text: &str| Err(Refusal(text.to_owned()));
    let name = posted.get("name").and_then(Value::as_str).map_or("", str::trim);
    if name.is_empty() {
        return refuse("Preset name is required.");
    }
    let Some(rules) = posted.get("rules").and_then(Value::as_object) else {
        return refuse("Preset rules must be an object.");
    };
    let rules = filter_rules::of_preset(rules);
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

/// Deletes a preset.
///
/// # Errors
/// `Preset not found.`
pub fn delete(draft: &mut Draft, name: &str) -> Result<(), Refusal> {
    let mut rows = list(draft.state());
    let place = rows.iter().position(|row| row["name"] == name);
    rows.remove(place.ok_or_else(|| Refusal("Preset not found.".to_owned()))?);
    draft.set_section(SECTION, rows.into());
    Ok(())
}
