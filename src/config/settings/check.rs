//! The check of a value against its rule, which also normalises it.

use serde_json::Value;

use super::{
    address, categories, compositor,
    field_error::BrokenRule,
    paths,
    rule::{CheckDepth, Rule, whole},
    structured,
};
use crate::base::text;

impl Rule {
    /// The normalised form of `value`, or why it is refused.
    pub(super) fn check(self, value: &Value, depth: CheckDepth<'_>) -> Result<Value, BrokenRule> {
        match self {
            Self::Flag => value.as_bool().map(Value::Bool).ok_or(BrokenRule::NotFlag),
            Self::Integer { min, max } => check_whole(value, min, max, false),
            Self::ZeroOr { min, max } => check_whole(value, min, max, true),
            Self::Number { min, max } => {
                let fits = value.as_f64().is_some_and(|number| (min..=max).contains(&number));
                if fits { Ok(value.clone()) } else { Err(BrokenRule::NotBetween { min, max }) }
            }
            Self::Position => {
                whole(value).map(|at| Value::from(at.max(0))).ok_or(BrokenRule::NotWhole)
            }
            Self::Choice(choices) => check_choice(value, choices),
            Self::Progress(choices) => match value.as_str() {
                Some("Unplayed") => Ok(Value::from("")),
                _ => check_choice(value, choices),
            },
            Self::Text(chars) => {
                let shown = value.as_str().ok_or(BrokenRule::NotText)?;
                Ok(Value::from(text::cut(shown.trim(), chars).trim_end()))
            }
            Self::Secret(chars) => check_secret(value, chars),
            Self::Hint(chars) if value == &Value::Bool(true) => {
                Ok(Value::from(text::cut(DEFAULT_HINT, chars)))
            }
            Self::Hint(chars) => Self::Text(chars).check(value, depth),
            Self::Names(names) => structured::check_names(value, names),
            Self::Commands(cap) => structured::check_commands(value, cap),
            Self::Folders(cap) => paths::check_folders(value, cap, depth),
            Self::Path(kind) => paths::check_path(value, kind, depth),
            Self::Websocket(chars) => address::check_websocket(value, chars),
            Self::LibraryServer => address::check_library_server(value, depth),
            Self::Buttons(actions) => structured::check_buttons(value, actions),
            Self::Flags(names) => structured::check_flags(value, names),
            Self::CustomFields => structured::check_custom_fields(value),
            Self::CompositorPresets => compositor::check_presets(value),
            Self::Categories => categories::check_overrides(value),
            Self::Columns(cap) => structured::check_columns(value, cap),
            Self::List => value.as_array().cloned().map(Value::Array).ok_or(BrokenRule::NotList),
            Self::Object => {
                value.as_object().cloned().map(Value::Object).ok_or(BrokenRule::NotObject)
            }
        }
    }
}

/// The hint that `true` stands for.
const DEFAULT_HINT: &str = "Match the labels on your controller";

fn check_whole(value: &Value, min: i32, max: i32, zero: bool) -> Result<Value, BrokenRule> {
    let range = i64::from(min)..=i64::from(max);
    let number = whole(value).filter(|number| range.contains(number) || (zero && *number == 0));
    let rule = BrokenRule::NotBetween { min: f64::from(min), max: f64::from(max) };
    number.map(Value::from).ok_or(rule)
}

fn check_choice(value: &Value, choices: &'static [&'static str]) -> Result<Value, BrokenRule> {
    let chosen = value.as_str().filter(|text| choices.contains(text));
    chosen.map(Value::from).ok_or(BrokenRule::NotOneOf(choices))
}

fn check_secret(value: &Value, chars: usize) -> Result<Value, BrokenRule> {
    let secret = if value.is_null() { "" } else { value.as_str().ok_or(BrokenRule::NotText)? };
    if secret.chars().count() > chars || secret.contains('\0') {
        return Err(BrokenRule::TooLong { chars });
    }
    Ok(Value::from(secret))
}
