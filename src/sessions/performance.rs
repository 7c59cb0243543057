//! Performance profiles: the power limits that belong to a launch profile (`/api/perf_profiles`).
//! Only the stored data; nothing here touches the machine.

use serde_json::{Map, Value, json};

use crate::{
    model::State,
    store::{Committed, Store},
};

/// The section of the library file.
const SECTION: &str = "perf_profiles";

/// Posted performance profiles that were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerformanceError {
    #[error("Performance profiles must be an object.")]
    NotAnObject,
    #[error("Invalid TDP value for profile {0}.")]
    NotAPower(String),
}

/// The stored entries by profile name.
pub fn stored(state: &State) -> Map<String, Value> {
    state.section(SECTION).as_object().cloned().unwrap_or_default()
}

/// Checks posted entries: watts are numbers, negative ones count as 0; entries with a blank name or
/// without any power are dropped.
///
/// # Errors
/// [`PerformanceError`].
fn parse(posted: Option<&Value>) -> Result<Map<String, Value>, PerformanceError> {
    let posted = posted.and_then(Value::as_object).ok_or(PerformanceError::NotAnObject)?;
    let mut entries = Map::new();
    for (name, entry) in posted {
        let name = name.trim();
        let entry = entry.as_object().ok_or(PerformanceError::NotAnObject)?;
        let watts = |key: &str| {
            watts(entry.get(key)).ok_or_else(|| PerformanceError::NotAPower(name.to_owned()))
        };
        let (limit, restore) = (watts("tdp_w")?, watts("restore_tdp_w")?);
        if name.is_empty() || (limit <= 0.0 && restore <= 0.0) {
            continue;
        }
        let enabled = entry.get("enabled").and_then(Value::as_bool).unwrap_or(false);
        let entry = json!({"enabled": enabled, "tdp_w": limit, "restore_tdp_w": restore});
        entries.insert(name.to_owned(), entry);
    }
    Ok(entries)
}

/// Replaces all entries by posted ones, in one commit, and returns how many there are.
///
/// # Errors
/// [`PerformanceError`].
pub fn save(store: &Store, posted: &Value) -> Committed<usize, PerformanceError> {
    store.commit(|draft| {
        let entries = parse(Some(posted))?;
        let count = entries.len();
        draft.set_section(SECTION, Value::Object(entries));
        Ok(count)
    })
}

/// A power; a missing or blank one is 0, `None` for an invalid value.
fn watts(value: Option<&Value>) -> Option<f64> {
    let watts = match value {
        None | Some(Value::Null) => 0.0,
        Some(Value::Number(number)) => number.as_f64()?,
        Some(Value::String(text)) if text.trim().is_empty() => 0.0,
        Some(Value::String(text)) => text.trim().parse().ok()?,
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => return None,
    };
    watts.is_finite().then_some(watts.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(posted: Value, expected: Value) {
        let found = match parse(Some(&posted)) {
            Ok(entries) => Value::Object(entries),
            Err(error) => error.to_string().into(),
        };
        assert_eq!(found, expected, "{posted}");
    }

    #[test]
    fn entries_are_normalised() {
        check(
            json!({" NES ": {"enabled": true, "tdp_w": "8.5", "restore_tdp_w": -3},
                "": {"tdp_w": 5}, "Zero": {"enabled": true, "tdp_w": 0}, "Off": {"restore_tdp_w": 15}}),
            json!({"NES": {"enabled": true, "tdp_w": 8.5, "restore_tdp_w": 0.0},
                "Off": {"enabled": false, "tdp_w": 0.0, "restore_tdp_w": 15.0}}),
        );
        check(json!({}), json!({}));
    }

    #[test]
    fn what_is_no_power_is_refused() {
        for bad in [json!("ten"), json!([1]), json!(true), json!("inf"), json!("NaN")] {
            check(json!({"NES": {"tdp_w": bad}}), json!("Invalid TDP value for profile NES."));
        }
        check(json!([]), json!("Performance profiles must be an object."));
        check(json!({"NES": 5}), json!("Performance profiles must be an object."));
        assert_eq!(parse(None), Err(PerformanceError::NotAnObject));
    }
}
