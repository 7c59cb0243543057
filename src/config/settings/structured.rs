//! Settings that are lists or objects.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::field_error::BrokenRule;
use super::rule::{Names, whole};
use crate::base::text;

/// The highest button of a controller.
const LAST_BUTTON: i64 = 31;
/// Custom fields of a library.
const FIELDS: usize = 20;
/// Options of one custom field.
const OPTIONS: usize = 50;
/// Characters of a custom field's name and of one option; longer ones are cut.
const FIELD_CHARS: usize = 80;
/// Characters of one name; longer ones are cut.
const NAME_CHARS: usize = 256;
/// Characters of one command line; longer ones are refused.
const COMMAND_CHARS: usize = 4096;

/// Actions mapped to buttons.
pub(super) fn check_buttons(value: &Value, actions: &[&str]) -> Result<Value, BrokenRule> {
    let posted = value.as_object().ok_or(BrokenRule::NotObject)?;
    let mut buttons = Map::new();
    for (action, button) in posted {
        if !actions.contains(&action.as_str()) {
            return Err(BrokenRule::UnknownName(action.clone()));
        }
        let button = whole(button).filter(|button| (0..=LAST_BUTTON).contains(button));
        buttons.insert(action.clone(), button.map(Value::from).ok_or(BrokenRule::NotWhole)?);
    }
    Ok(Value::Object(buttons))
}

/// Names mapped to booleans, every name present in the result.
pub(super) fn check_flags(value: &Value, names: &[&str]) -> Result<Value, BrokenRule> {
    let posted = value.as_object().ok_or(BrokenRule::NotObject)?;
    if let Some(unknown) = posted.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(BrokenRule::UnknownName(unknown.clone()));
    }
    let mut flags = Map::new();
    for name in names {
        let flag = match posted.get(*name) {
            Some(flag) => flag.as_bool().ok_or(BrokenRule::NotFlag)?,
            None => false,
        };
        flags.insert((*name).to_owned(), Value::Bool(flag));
    }
    Ok(Value::Object(flags))
}

/// Definitions `{name, options}`; options may be a list or a text with commas.
pub(super) fn check_custom_fields(value: &Value) -> Result<Value, BrokenRule> {
    let posted = value.as_array().filter(|fields| fields.len() <= FIELDS);
    let mut seen = BTreeSet::new();
    let mut fields = Vec::new();
    for field in posted.ok_or(BrokenRule::NotListOf { cap: FIELDS })? {
        let field = field.as_object().ok_or(BrokenRule::NotObject)?;
        let name = field.get("name").and_then(Value::as_str).unwrap_or_default();
        let name = text::cut(&text::collapse(name), FIELD_CHARS).to_owned();
        if name.is_empty() {
            return Err(BrokenRule::MissingName);
        }
        if !seen.insert(text::fold(&name)) {
            return Err(BrokenRule::RepeatedName(name));
        }
        let options = options_of(field.get("options"))?;
        fields.push(serde_json::json!({ "name": name, "options": options }));
    }
    Ok(Value::Array(fields))
}

fn options_of(posted: Option<&Value>) -> Result<Vec<String>, BrokenRule> {
    let rule = || BrokenRule::BadPart("options");
    let named: Vec<&str> = match posted {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(joined)) => joined.split(',').collect(),
        Some(Value::Array(entries)) => {
            let texts: Option<Vec<&str>> = entries.iter().map(Value::as_str).collect();
            texts.ok_or_else(rule)?
        }
        Some(_) => return Err(rule()),
    };
    let mut options: Vec<String> = Vec::new();
    for option in named {
        let option = text::cut(option.trim(), FIELD_CHARS).to_owned();
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    if options.len() > OPTIONS { Err(rule()) } else { Ok(options) }
}

/// Columns of every view, or an object of columns by platform.
pub(super) fn check_columns(value: &Value, cap: usize) -> Result<Value, BrokenRule> {
    let columns = Names { known: &[], cap, needed: false, sorted: false };
    let Value::Object(views) = value else { return check_names(value, columns) };
    let mut checked = Map::new();
    for (view, posted) in views {
        checked.insert(view.trim().to_owned(), check_names(posted, columns)?);
    }
    Ok(Value::Object(checked))
}

/// Names trimmed and each once, in their order or sorted.
pub(super) fn check_names(value: &Value, names: Names) -> Result<Value, BrokenRule> {
    let entries = value.as_array().ok_or(BrokenRule::NotListOf { cap: names.cap })?;
    let mut seen = BTreeSet::new();
    let mut kept: Vec<&str> = Vec::new();
    for entry in entries {
        let name = entry.as_str().ok_or(BrokenRule::NotListOf { cap: names.cap })?;
        let name = text::cut(name.trim(), NAME_CHARS);
        if !names.known.is_empty() && !names.known.contains(&name) {
            return Err(BrokenRule::UnknownName(name.to_owned()));
        }
        if seen.insert(name) {
            kept.push(name);
        }
    }
    if kept.len() > names.cap {
        return Err(BrokenRule::NotListOf { cap: names.cap });
    }
    if names.needed && kept.is_empty() {
        return Err(BrokenRule::EmptyList);
    }
    if names.sorted {
        kept.sort_unstable();
    }
    Ok(Value::from(kept))
}

/// Command lines trimmed, blank ones dropped, repeated ones kept: running a program twice can
/// be intended.
pub(super) fn check_commands(value: &Value, cap: usize) -> Result<Value, BrokenRule> {
    let rule = BrokenRule::NotListOf { cap };
    let entries = value.as_array().filter(|entries| entries.len() <= cap);
    let mut kept = Vec::new();
    for entry in entries.ok_or_else(|| rule.clone())? {
        let command = entry.as_str().ok_or_else(|| rule.clone())?.trim();
        if command.chars().count() > COMMAND_CHARS || command.contains('\0') {
            return Err(BrokenRule::TooLong { chars: COMMAND_CHARS });
        }
        if !command.is_empty() {
            kept.push(command);
        }
    }
    Ok(Value::from(kept))
}
