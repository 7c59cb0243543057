//! Lists of names and of command lines.

use std::collections::BTreeSet;

use serde_json::Value;

use super::refusal::Refusal;
use super::rule::Names;
use crate::base::text;

/// Characters of one name; longer ones are cut.
const NAME_CHARS: usize = 256;
/// Characters of one command line; longer ones are refused.
const COMMAND_CHARS: usize = 4096;

/// Names trimmed and each once, in their order or sorted.
pub(super) fn check_names(value: &Value, names: Names) -> Result<Value, Refusal> {
    let entries = value.as_array().ok_or(Refusal::NotListOf { cap: names.cap })?;
    let mut seen = BTreeSet::new();
    let mut kept: Vec<&str> = Vec::new();
    for entry in entries {
        let name = entry.as_str().ok_or(Refusal::NotListOf { cap: names.cap })?;
        let name = text::cut(name.trim(), NAME_CHARS);
        if !names.known.is_empty() && !names.known.contains(&name) {
            return Err(Refusal::UnknownName(name.to_owned()));
        }
        if seen.insert(name) {
            kept.push(name);
        }
    }
    if kept.len() > names.cap {
        return Err(Refusal::NotListOf { cap: names.cap });
    }
    if names.needed && kept.is_empty() {
        return Err(Refusal::EmptyList);
    }
    if names.sorted {
        kept.sort_unstable();
    }
    Ok(Value::from(kept))
}

/// Command lines trimmed, blank ones dropped, repeated ones kept: running a program twice is a
/// sensible wish.
pub(super) fn check_commands(value: &Value, cap: usize) -> Result<Value, Refusal> {
    let refusal = Refusal::NotListOf { cap };
    let entries = value.as_array().filter(|entries| entries.len() <= cap);
    let mut kept = Vec::new();
    for entry in entries.ok_or_else(|| refusal.clone())? {
        let command = entry.as_str().ok_or_else(|| refusal.clone())?.trim();
        if command.chars().count() > COMMAND_CHARS || command.contains('\0') {
            return Err(Refusal::TooLong { chars: COMMAND_CHARS });
        }
        if !command.is_empty() {
            kept.push(command);
        }
    }
    Ok(Value::from(kept))
}
