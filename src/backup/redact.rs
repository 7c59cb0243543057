//! Credentials taken out of what leaves the library, and put back where they were.
//!
//! Looks at every section but the games, whose fields are the user's own words.

use serde_json::{Map, Value};

use crate::model::{draft::Draft, state::State};

/// A key holds a credential when its name contains one of these.
const SECRETS: [&str; 6] =
    ["password", "secret", "api_key", "access_token", "auth_token", "pin_hash"];

/// The flag that says in a portable export that there was a secret.
const FLAG: &str = "secret_set";

fn is_secret(key: &str, value: &Value) -> bool {
    let key = key.to_lowercase();
    !value.is_boolean() && SECRETS.iter().any(|secret| key.contains(secret))
}

/// Takes the credentials out of a value, at any depth.
pub fn redact(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, value| !is_secret(key, value));
            map.values_mut().for_each(redact);
        }
        Value::Array(list) => list.iter_mut().for_each(redact),
        _ => {}
    }
}

/// The settings without credentials.
#[must_use]
pub fn redacted_settings(settings: &Map<String, Value>) -> Map<String, Value> {
    let mut value = Value::Object(settings.clone());
    redact(&mut value);
    if let Value::Object(map) = value { map } else { Map::new() }
}

/// The state without credentials. With `flagged`, each row of the webhooks says whether it had a
/// secret.
#[must_use]
pub fn redacted_state(state: &State, flagged: bool) -> State {
    let mut draft = Draft::new(state.clone());
    for (key, value) in state.sections() {
        let mut clean = Value::clone(value);
        if flagged {
            flag(&mut clean, key == "webhooks");
        }
        redact(&mut clean);
        draft.set_section(key, clean);
    }
    draft.finish().0
}

fn flag(value: &mut Value, is_webhooks: bool) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                flag(value, key == "webhooks");
            }
        }
        Value::Array(rows) if is_webhooks => {
            for row in rows.iter_mut().filter_map(Value::as_object_mut) {
                let set = row.get("secret").and_then(Value::as_str).is_some_and(|s| !s.is_empty());
                row.insert(FLAG.to_owned(), set.into());
            }
        }
        _ => {}
    }
}

/// Puts the credentials of `local` back into a value that came from an archive. Rows of lists belong
/// together when they have the same `id`, else the same `url`.
pub fn keep_secrets(local: &Value, restored: &mut Value) {
    match (local, restored) {
        (Value::Object(local), Value::Object(restored)) => {
            for (key, value) in local {
                if is_secret(key, value) {
                    let blank = value.is_null() || value.as_str() == Some("");
                    if !blank || !restored.contains_key(key) {
                        restored.insert(key.clone(), value.clone());
                    }
                } else if let Some(inner) = restored.get_mut(key) {
                    keep_secrets(value, inner);
                }
            }
        }
        (Value::Array(local), Value::Array(restored)) => {
            for row in restored {
                let same = |key: &str| {
                    let wanted = row.get(key).filter(|value| value.is_string())?;
                    local.iter().find(|other| other.get(key) == Some(wanted))
                };
                if let Some(known) = same("id").or_else(|| same("url")) {
                    keep_secrets(known, row);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_taken_out_is_put_back() {
        let local = json!({
            "theme": "dark", "libserver_password": "p", "x_password_set": true,
            "webhooks": [{"url": "https://a", "secret": "one"}, {"url": "https://b", "secret": "two"}],
            "ach": {"api_key": "k", "user": "u"},
        });
        let mut archived = local.clone();
        redact(&mut archived);
        let expected = json!({
            "theme": "dark", "x_password_set": true,
            "webhooks": [{"url": "https://a"}, {"url": "https://b"}], "ach": {"user": "u"},
        });
        assert_eq!(archived, expected);
        archived["theme"] = json!("light");
        if let Some(rows) = archived["webhooks"].as_array_mut() {
            rows.reverse();
            rows.push(json!({"url": "https://c"}));
        }
        keep_secrets(&local, &mut archived);
        assert_eq!(archived["theme"], "light");
        assert_eq!(archived["libserver_password"], "p");
        assert_eq!(archived["ach"]["api_key"], "k");
        assert_eq!(archived["webhooks"][0], json!({"url": "https://b", "secret": "two"}));
        assert_eq!(archived["webhooks"][2], json!({"url": "https://c"}));
    }

    #[test]
    fn games_keep_their_words_and_webhooks_say_what_they_had() {
        let text = json!({
            "games": [{"game_id": "a", "custom_fields": {"secret": "ending"}}],
            "settings": {"webhooks": [{"url": "u", "secret": "s"}, {"url": "v", "secret": ""}]},
        });
        let state = crate::store::exchange::read_state(text.to_string().as_bytes()).expect("read");
        let clean = redacted_state(&state, true);
        assert!(clean.games.get(0).expect("a game").json().contains("ending"));
        let rows = &clean.settings()["webhooks"];
        assert_eq!(
            rows,
            &json!([{"url": "u", "secret_set": true}, {"url": "v", "secret_set": false}])
        );
        let plain = redacted_state(&state, false);
        assert_eq!(plain.settings()["webhooks"], json!([{"url": "u"}, {"url": "v"}]));
    }
}
