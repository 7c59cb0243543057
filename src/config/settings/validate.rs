//! The check of a save: what was posted against what is stored.
//!
//! Only posted settings and those that depend on them are judged, in the order of the table; the
//! first value that is refused aborts the save and nothing is changed. Keys that are unknown, that
//! the program derives or that have a route of their own are dropped and named for the log.

use serde_json::{Map, Value};

use super::address;
use super::compositor;
use super::field_error::{BrokenRule, FieldError};
use super::read;
use super::rule::CheckDepth;
use super::setting::{Access, Setting, Writer};
use super::table::{self, SETTINGS};
use crate::config::environment::Environment;

/// The effect of a save.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Save {
    /// Normalised values to lay over the stored settings.
    pub changes: Map<String, Value>,
    /// Posted keys that change nothing because they may not be posted, in alphabetical order.
    pub dropped: Vec<String>,
}

/// Validates a posted partial object against the stored settings (`POST /api/settings`).
///
/// A blank `libserver_password` or `recorder_ws_password` leaves the stored one; `null` clears it.
/// Paths are looked up on the disk, once each.
pub fn validate_posted(
    posted: &Map<String, Value>,
    stored: &Map<String, Value>,
    environment: &Environment,
) -> Result<Save, FieldError> {
    let mut changes = Map::new();
    for setting in SETTINGS.iter().filter(|setting| setting.writer == Writer::Settings) {
        let Some(value) = posted.get(setting.key) else { continue };
        let now = stored.get(setting.key);
        if is_blank_secret(setting, value) {
            continue;
        }
        let checked = setting
            .rule
            .check(value, CheckDepth::Disk { environment, stored: now })
            .map_err(|rule| FieldError { field: setting.key, rule })?;
        changes.insert(setting.key.to_owned(), checked);
    }
    follow_compositor(&mut changes, stored)?;
    follow_cloud(&changes, stored)?;
    follow_mood(&mut changes, stored);
    follow_party(&mut changes, stored);
    address::follow(&mut changes, stored);
    let may_post = |key: &str| table::find(key).is_some_and(|row| row.writer == Writer::Settings);
    let dropped = posted.keys().filter(|key| !may_post(key)).cloned().collect();
    Ok(Save { changes, dropped })
}

fn is_blank_secret(setting: &Setting, value: &Value) -> bool {
    matches!(setting.access, Access::Secret { .. })
        && value.as_str().is_some_and(|secret| secret.trim().is_empty())
}

/// The value that will hold after the save.
fn upcoming(changes: &Map<String, Value>, stored: &Map<String, Value>, key: &str) -> Value {
    changes.get(key).cloned().unwrap_or_else(|| read::value(stored, key))
}

/// A chosen preset must exist; when its definition is taken away the choice goes with it.
fn follow_compositor(
    changes: &mut Map<String, Value>,
    stored: &Map<String, Value>,
) -> Result<(), FieldError> {
    const PRESET: &str = "compositor_preset";
    const CUSTOM: &str = "compositor_custom_presets";
    if !changes.contains_key(PRESET) && !changes.contains_key(CUSTOM) {
        return Ok(());
    }
    let customs = upcoming(changes, stored, CUSTOM);
    let chosen = upcoming(changes, stored, PRESET);
    let chosen = chosen.as_str().unwrap_or_default();
    if chosen.is_empty() {
        return Ok(());
    }
    match compositor::find_name(chosen, &customs) {
        Some(name) if changes.contains_key(PRESET) => {
            changes.insert(PRESET.to_owned(), Value::from(name));
        }
        Some(_) => {}
        None if changes.contains_key(PRESET) => {
            let rule = BrokenRule::UnknownName(chosen.to_owned());
            return Err(FieldError { field: PRESET, rule });
        }
        None => {
            changes.insert(PRESET.to_owned(), Value::from(""));
        }
    }
    Ok(())
}

/// Library sync needs the folder that it writes to.
fn follow_cloud(
    changes: &Map<String, Value>,
    stored: &Map<String, Value>,
) -> Result<(), FieldError> {
    const SYNC: &str = "library_sync_enabled";
    const FOLDER: &str = "cloud_folder";
    let touched = changes.contains_key(SYNC) || changes.contains_key(FOLDER);
    let is_on = upcoming(changes, stored, SYNC) == Value::Bool(true);
    if touched && is_on && upcoming(changes, stored, FOLDER) == "" {
        return Err(FieldError { field: SYNC, rule: BrokenRule::NoCloudFolder });
    }
    Ok(())
}

/// Mood match in bigscreen is on only while mood match itself is.
fn follow_mood(changes: &mut Map<String, Value>, stored: &Map<String, Value>) {
    const PARENT: &str = "mood_match_enabled";
    const CHILD: &str = "mood_match_bigscreen";
    let touched = changes.contains_key(PARENT) || changes.contains_key(CHILD);
    let parent_is_off = upcoming(changes, stored, PARENT) == Value::Bool(false);
    if touched && parent_is_off && upcoming(changes, stored, CHILD) == Value::Bool(true) {
        changes.insert(CHILD.to_owned(), Value::Bool(false));
    }
}

/// The position in the party queue points at an entry, or at 0 when the queue is empty.
fn follow_party(changes: &mut Map<String, Value>, stored: &Map<String, Value>) {
    const QUEUE: &str = "party_queue";
    const INDEX: &str = "party_index";
    if !changes.contains_key(QUEUE) && !changes.contains_key(INDEX) {
        return;
    }
    let length = upcoming(changes, stored, QUEUE).as_array().map_or(0, Vec::len);
    let last = i64::try_from(length.saturating_sub(1)).unwrap_or(i64::MAX);
    let index = upcoming(changes, stored, INDEX).as_i64().unwrap_or(0);
    if index > last || changes.contains_key(INDEX) {
        changes.insert(INDEX.to_owned(), Value::from(index.clamp(0, last)));
    }
}
