//! `plugins-state.json` on its way into an archive and back: no secret goes out, and no trust comes in.
//!
//! What a plugin may do is granted on this machine by its user, never by a file. So grants stay on this machine in both
//! directions, and settings that hold secrets are left out and filled in again.

use std::{collections::HashSet, path::Path};

use serde_json::{Map, Value};

use super::redact;

/// Its name in an archive, and below the data directory.
pub(super) const NAME: &str = "plugins/plugins-state.json";
/// The largest state that is read, in bytes; a larger one is ignored.
pub(super) const BYTES: u64 = 16 << 20;
/// What is granted here only.
const GRANTS: [&str; 2] = ["trust", "permissions"];
/// A setting of a plugin holds a secret when its name contains one of these.
const SECRETS: [&str; 6] = ["token", "passw", "secret", "apikey", "api_key", "credential"];

/// The state without grants and secrets. `declared` names the settings that the manifest of a plugin
/// calls passwords. What is not a state is an empty one, as for those who read it.
pub(super) fn redacted(bytes: &[u8], declared: impl Fn(&str) -> HashSet<String>) -> Vec<u8> {
    let mut state = parse(bytes);
    for grant in GRANTS {
        state.remove(grant);
    }
    if let Some(Value::Object(plugins)) = state.get_mut("settings") {
        for (id, values) in plugins {
            let passwords = declared(id);
            if let Value::Object(values) = values {
                values.retain(|name, _| !passwords.contains(name) && !is_secret(name));
            }
            redact::redact(values);
        }
    }
    Value::Object(state).to_string().into_bytes()
}

/// The state of an archive with what only this machine knows: its grants, and every setting that the
/// archive leaves out.
pub(super) fn merged(archived: &[u8], local: &[u8]) -> Vec<u8> {
    let (mut state, mut local) = (parse(archived), parse(local));
    for grant in GRANTS {
        match local.remove(grant) {
            Some(here) => state.insert(grant.to_owned(), here),
            None => state.remove(grant),
        };
    }
    if let Some(Value::Object(plugins)) = local.remove("settings") {
        let settings = state.entry("settings").or_insert_with(|| Map::new().into());
        for (id, values) in plugins {
            match (settings.get_mut(&id).and_then(Value::as_object_mut), values) {
                (Some(restored), Value::Object(values)) => {
                    let mut whole = Value::Object(std::mem::take(restored));
                    redact::keep_secrets(&Value::Object(values.clone()), &mut whole);
                    if let Value::Object(whole) = whole {
                        *restored = whole;
                    }
                    for (name, value) in values {
                        restored.entry(name).or_insert(value);
                    }
                }
                (None, values) => {
                    if let Some(settings) = settings.as_object_mut() {
                        settings.entry(id).or_insert(values);
                    }
                }
                (Some(_), _) => {}
            }
        }
    }
    Value::Object(state).to_string().into_bytes()
}

/// The settings that the manifest in the folder of a plugin calls passwords.
pub(super) fn declared_passwords(
    read: impl Fn(&Path) -> Option<Vec<u8>>,
    id: &str,
) -> HashSet<String> {
    let manifest = Path::new(id).join("plugin.json");
    let parsed = read(&manifest).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut found = HashSet::new();
    collect(&parsed.unwrap_or_default(), &mut found);
    found
}

fn collect(value: &Value, found: &mut HashSet<String>) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                if inner.get("format").and_then(Value::as_str) == Some("password") {
                    found.insert(name.clone());
                }
                collect(inner, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, found)),
        _ => {}
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRETS.iter().any(|secret| name.contains(secret))
}

fn parse(bytes: &[u8]) -> Map<String, Value> {
    serde_json::from_slice(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bytes(value: &Value) -> Vec<u8> {
        value.to_string().into_bytes()
    }

    fn value(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).expect("json")
    }

    fn local() -> Value {
        json!({
            "disabled": ["b"],
            "trust": {"a": {"trusted": true, "checksum": "00"}},
            "permissions": {"a": ["network"]},
            "settings": {"a": {"speed": 3, "Api_Token": "t", "pin": "1234", "deep": {"password": "p"}}},
        })
    }

    #[test]
    fn secrets_and_grants_stay_here() {
        let manifest = json!({"settings": {"properties": {
            "pin": {"type": "string", "format": "password"}, "speed": {"type": "integer"}}}});
        let declared = |id: &str| {
            declared_passwords(
                |path| (path == Path::new("a/plugin.json")).then(|| bytes(&manifest)),
                id,
            )
        };
        let archived = redacted(&bytes(&local()), declared);
        let expected = json!({"disabled": ["b"], "settings": {"a": {"speed": 3, "deep": {}}}});
        assert_eq!(value(&archived), expected);
        assert_eq!(value(&redacted(b"\xff no state", |_| HashSet::new())), json!({}));
    }

    #[test]
    fn a_restore_grants_nothing_and_loses_nothing() {
        let archived = json!({
            "disabled": [], "trust": {"evil": {"trusted": true}}, "permissions": {"evil": ["network"]},
            "settings": {"a": {"speed": 9}, "c": {"x": 1}}, "later": 1,
        });
        let expected = json!({
            "disabled": [], "later": 1,
            "trust": local()["trust"], "permissions": local()["permissions"],
            "settings": {"a": {"speed": 9, "Api_Token": "t", "pin": "1234", "deep": {"password": "p"}},
                "c": {"x": 1}},
        });
        assert_eq!(value(&merged(&bytes(&archived), &bytes(&local()))), expected);
        let fresh = value(&merged(&bytes(&archived), b""));
        assert_eq!((fresh.get("trust"), fresh.get("permissions")), (None, None));
        assert_eq!(value(&merged(b"{", &bytes(&local())))["settings"], local()["settings"]);
    }
}
