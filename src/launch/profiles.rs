//! Launch profiles: the command that plays the games of a platform (`/api/profiles`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    model::{Draft, State},
    store::{Committed, Store},
};

/// The section of the library file.
const SECTION: &str = "profiles";

/// What was posted is not an object; displays the sentence for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Profiles must be an object.")]
pub struct NotAnObject;

/// The stored profiles: name to command.
pub fn stored(state: &State) -> Map<String, Value> {
    state.section(SECTION).as_object().cloned().unwrap_or_default()
}

/// Checks posted profiles: names and commands are trimmed, entries where either is blank or the
/// command is not text are dropped.
///
/// # Errors
/// [`NotAnObject`].
fn parse(posted: Option<&Value>) -> Result<Map<String, Value>, NotAnObject> {
    let posted = posted.and_then(Value::as_object).ok_or(NotAnObject)?;
    let entries = posted.iter().filter_map(|(name, command)| {
        let (name, command) = (name.trim(), command.as_str()?.trim());
        let blank = name.is_empty() || command.is_empty();
        (!blank).then(|| (name.to_owned(), command.into()))
    });
    Ok(entries.collect())
}

/// Replaces all profiles by posted ones, in one commit, and returns how many there are.
///
/// # Errors
/// [`NotAnObject`].
pub fn save(store: &Store, posted: Option<&Value>) -> Committed<usize, NotAnObject> {
    store.commit(|draft| {
        let profiles = parse(posted)?;
        let count = profiles.len();
        draft.set_section(SECTION, Value::Object(profiles));
        Ok(count)
    })
}

/// Adds the detected commands of platforms that have no profile, or still the stranded one: a command
/// this program wrote, and whose emulator is gone. Whether there were any.
pub fn add_missing(
    draft: &mut Draft,
    detected: &BTreeMap<String, String>,
    stranded: &BTreeMap<String, String>,
) -> bool {
    let known = stored(draft.state());
    let is_open = |platform: &String| match known.get(platform) {
        None => true,
        Some(command) => stranded.get(platform).is_some_and(|gone| command.as_str() == Some(gone)),
    };
    let missing: Map<String, Value> = detected
        .iter()
        .filter(|(platform, _)| is_open(platform))
        .map(|(platform, command)| (platform.clone(), command.as_str().into()))
        .collect();
    let any = !missing.is_empty();
    if any {
        draft.merge_section(SECTION, missing, &[]);
    }
    any
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blank_entries_are_dropped() {
        let posted =
            json!({" NES ": " nes {path} ", "": "x", "B": "", "C": "  ", "D": 5, "E": null});
        assert_eq!(parse(Some(&posted)).map(Value::Object), Ok(json!({"NES": "nes {path}"})));
        for posted in [json!([]), json!("x"), json!(null), json!(1)] {
            assert_eq!(parse(Some(&posted)), Err(NotAnObject));
        }
        assert_eq!(parse(None), Err(NotAnObject));
        assert_eq!(parse(Some(&json!({}))), Ok(Map::new()));
    }

    #[test]
    fn detected_commands_never_replace_a_profile() {
        let mut draft = Draft::new(State::default());
        draft.set_section(SECTION, json!({"NES": "mine"}));
        let detected = BTreeMap::from([
            ("NES".to_owned(), "found".to_owned()),
            ("Wii".to_owned(), "wii {path}".to_owned()),
        ]);
        let none = BTreeMap::new();
        assert!(add_missing(&mut draft, &detected, &none));
        assert!(!add_missing(&mut draft, &detected, &none));
        assert_eq!(
            Value::Object(stored(draft.state())),
            json!({"NES": "mine", "Wii": "wii {path}"})
        );
        let moved = BTreeMap::from([
            ("NES".to_owned(), "moved".to_owned()),
            ("Wii".to_owned(), "moved {path}".to_owned()),
        ]);
        let stranded = BTreeMap::from([
            ("NES".to_owned(), "found".to_owned()),
            ("Wii".to_owned(), "wii {path}".to_owned()),
        ]);
        assert!(add_missing(&mut draft, &moved, &stranded));
        assert_eq!(
            Value::Object(stored(draft.state())),
            json!({"NES": "mine", "Wii": "moved {path}"}),
            "only what stands there as it was written"
        );
    }
}
