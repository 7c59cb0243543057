//! Settings that are objects or lists of objects.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::lists;
use super::refusal::Refusal;
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

/// Actions mapped to buttons.
pub(super) fn check_buttons(value: &Value, actions: &[&str]) -> Result<Value, Refusal> {
    let posted = value.as_object().ok_or(Refusal::NotObject)?;
    let mut buttons = Map::new();
    for (action, button) in posted {
        if !actions.contains(&action.as_str()) {
            return Err(Refusal::UnknownName(action.clone()));
        }
        let button = whole(button).filter(|button| (0..=LAST_BUTTON).contains(button));
        buttons.insert(action.clone(), button.map(Value::from).ok_or(Refusal::NotWhole)?);
    }
    Ok(Value::Object(buttons))
}

/// Names mapped to booleans, every name present in the result.
pub(super) fn check_flags(value: &Value, names: &[&str]) -> Result<Value, Refusal> {
    let posted = value.as_object().ok_or(Refusal::NotObject)?;
    if let Some(unknown) = posted.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(Refusal::UnknownName(unknown.clone()));
    }
    let mut flags = Map::new();
    for name in names {
        let flag = match posted.get(*name) {
            Some(flag) => flag.as_bool().ok_or(Refusal::NotFlag)?,
            None => false,
        };
        flags.insert((*name).to_owned(), Value::Bool(flag));
    }
    Ok(Value::Object(flags))
}

/// Definitions `{name, options}`; options may be a list or a text with commas.
pub(super) fn check_custom_fields(value: &Value) -> Result<Value, Refusal> {
    let posted = value.as_array().filter(|fields| fields.len() <= FIELDS);
    let mut seen = BTreeSet::new();
    let mut fields = Vec::new();
    for field in posted.ok_or(Refusal::NotListOf { cap: FIELDS })? {
        let field = field.as_object().ok_or(Refusal::NotObject)?;
        let name = field.get("name").and_then(Value::as_str).unwrap_or_default();
        let name = text::cut(&text::collapse(name), FIELD_CHARS).to_owned();
        if name.is_empty() {
            return Err(Refusal::MissingName);
        }
        if !seen.insert(text::fold(&name)) {
            return Err(Refusal::RepeatedName(name));
        }
        let options = options_of(field.get("options"))?;
        fields.push(serde_json::json!({ "name": name, "options": options }));
    }
    Ok(Value::Array(fields))
}

fn options_of(posted: Option<&Value>) -> Result<Vec<String>, Refusal> {
    let refusal = || Refusal::BadPart("options");
    let named: Vec<&str> = match posted {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(joined)) => joined.split(',').collect(),
        Some(Value::Array(entries)) => {
            let texts: Option<Vec<&str>> = entries.iter().map(Value::as_str).collect();
            texts.ok_or_else(refusal)?
        }
        Some(_) => return Err(refusal()),
    };
    let mut options: Vec<String> = Vec::new();
    for option in named {
        let option = text::cut(option.trim(), FIELD_CHARS).to_owned();
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    if options.len() > OPTIONS { Err(refusal()) } else { Ok(options) }
}

/// Columns of every view, or an object of columns by platform.
pub(super) fn check_columns(value: &Value, cap: usize) -> Result<Value, Refusal> {
    let columns = Names { known: &[], cap, needed: false, sorted: false };
    let Value::Object(views) = value else { return lists::check_names(value, columns) };
    let mut checked = Map::new();
    for (view, posted) in views {
        checked.insert(view.trim().to_owned(), lists::check_names(posted, columns)?);
    }
    Ok(Value::Object(checked))
}
