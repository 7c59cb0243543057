//! Credentials are removed from what leaves the library, and restored in their places.
//!
//! Reads every section but the games, whose fields are the user's own words. The address of a
//! webhook is a credential too: what follows the host often is enough to post there.

use serde_json::{Map, Value};

use crate::model::{Draft, State};

/// A key holds a credential when its name contains one of these.
const SECRETS: [&str; 6] =
    ["password", "secret", "api_key", "access_token", "auth_token", "pin_hash"];

/// The flag that says in a portable export that there was a secret.
const FLAG: &str = "secret_set";

/// The list of webhooks.
const WEBHOOKS: &str = "webhooks";
/// The flag of a webhook whose address was cut after the host.
const CUT: &str = "url_cut";

fn is_secret(key: &str, value: &Value) -> bool {
    let key = key.to_lowercase();
    !value.is_boolean() && SECRETS.iter().any(|secret| key.contains(secret))
}

/// Takes the credentials out of a value, at any depth.
pub fn redact(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, value| !is_secret(key, value));
            map.iter_mut().for_each(|(key, value)| redact_entry(key, value));
        }
        Value::Array(list) => list.iter_mut().for_each(redact),
        _ => {}
    }
}

fn redact_entry(key: &str, value: &mut Value) {
    if key == WEBHOOKS
        && let Value::Array(rows) = value
    {
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            let url = row.get("url").and_then(Value::as_str).unwrap_or_default();
            let cut = server_of(url);
            if cut != url {
                row.insert("url".to_owned(), cut.into());
                row.insert(CUT.to_owned(), true.into());
            }
        }
    }
    redact(value);
}

/// An address without path, query and credentials; blank when it is not an address.
fn server_of(url: &str) -> String {
    let Some((scheme, rest)) = url.trim().split_once("://") else { return String::new() };
    let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}/").to_lowercase()
}

/// The settings without credentials.
pub fn redacted_settings(settings: &Map<String, Value>) -> Map<String, Value> {
    let mut value = Value::Object(settings.clone());
    redact(&mut value);
    if let Value::Object(map) = value { map } else { Map::new() }
}

/// The state without credentials. With `flagged`, each row of the webhooks says whether it had a
/// secret.
pub fn redacted_state(state: &State, flagged: bool) -> State {
    let mut draft = Draft::new(state.clone());
    for (key, value) in state.sections() {
        let mut clean = Value::clone(value);
        if flagged {
            flag(&mut clean, key == WEBHOOKS);
        }
        redact_entry(key, &mut clean);
        draft.set_section(key, clean);
    }
    draft.finish().0
}

fn flag(value: &mut Value, is_webhooks: bool) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                flag(value, key == WEBHOOKS);
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
/// together when they have the same `id`, else the same `url`; the credentials of a row with an
/// address are for its server only. A webhook whose address is not known here is switched off.
pub fn keep_secrets(local: &Value, restored: &mut Value) {
    match restored {
        Value::Object(restored) => {
            for (key, value) in local.as_object().into_iter().flatten() {
                let blank = value.is_null() || value.as_str() == Some("");
                if is_secret(key, value) && (!blank || !restored.contains_key(key)) {
                    restored.insert(key.clone(), value.clone());
                }
            }
            for (key, value) in restored.iter_mut() {
                keep_secrets(local.get(key).unwrap_or(&Value::Null), value);
            }
        }
        Value::Array(restored) => {
            for row in restored {
                let known = counterpart(local.as_array().map_or(&[], Vec::as_slice), row);
                if row.get(CUT).is_some() {
                    restore_address(known, row);
                }
                if let Some(known) = known {
                    keep_secrets(known, row);
                }
            }
        }
        _ => {}
    }
}

/// The row of the library that a restored one was.
fn counterpart<'a>(local: &'a [Value], row: &Value) -> Option<&'a Value> {
    let same = |key: &str| {
        let wanted = row.get(key).filter(|value| value.is_string())?;
        local.iter().find(|other| other.get(key) == Some(wanted))
    };
    let server = |row: &Value| row.get("url").and_then(Value::as_str).map(server_of);
    let by_server = || {
        row.get(CUT)?;
        let mut all = local.iter().filter(|other| server(other) == server(row));
        all.next().filter(|_| all.next().is_none())
    };
    let found = same("id").or_else(|| same("url")).or_else(by_server)?;
    (server(found) == server(row)).then_some(found)
}

fn restore_address(known: Option<&Value>, row: &mut Value) {
    let Some(row) = row.as_object_mut() else { return };
    row.remove(CUT);
    match known.and_then(|known| known.get("url")) {
        Some(url) => row.insert("url".to_owned(), url.clone()),
        None => row.insert("enabled".to_owned(), false.into()),
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_taken_out_is_put_back() {
        let local = json!({
            "theme": "dark", "libserver_password": "p", "x_password_set": true,
            "webhooks": [{"url": "https://a/", "secret": "one"}, {"url": "https://b/", "secret": "two"}],
            "ach": {"api_key": "k", "user": "u"},
        });
        let mut archived = local.clone();
        redact(&mut archived);
        let expected = json!({
            "theme": "dark", "x_password_set": true, "ach": {"user": "u"},
            "webhooks": [{"url": "https://a/"}, {"url": "https://b/"}],
        });
        assert_eq!(archived, expected);
        archived["theme"] = json!("light");
        if let Some(rows) = archived["webhooks"].as_array_mut() {
            rows.reverse();
            rows.push(json!({"url": "https://c/"}));
        }
        keep_secrets(&local, &mut archived);
        assert_eq!(archived["theme"], "light");
        assert_eq!(archived["libserver_password"], "p");
        assert_eq!(archived["ach"]["api_key"], "k");
        assert_eq!(archived["webhooks"][0], json!({"url": "https://b/", "secret": "two"}));
        assert_eq!(archived["webhooks"][2], json!({"url": "https://c/"}));
    }

    #[test]
    fn addresses_of_webhooks_are_cut_and_put_back() {
        let local = json!({"webhooks": [
            {"id": "1", "url": "https://a.example:8443/hook/key?x=1", "secret": "one", "enabled": true},
            {"id": "2", "url": "https://a.example:8443/hook/other", "secret": "two"},
            {"url": "https://alone.example/key", "secret": "three"},
        ]});
        let mut archived = local.clone();
        redact(&mut archived);
        assert!(!archived.to_string().contains("key"));
        let cut =
            json!({"id": "1", "url": "https://a.example:8443/", "url_cut": true, "enabled": true});
        assert_eq!(archived["webhooks"][0], cut);
        let mut back = archived.clone();
        keep_secrets(&local, &mut back);
        assert_eq!(back, local);
        // Where nothing is known of it, or the row leads to another server, it is switched off.
        let off = json!({"id": "1", "url": "https://a.example:8443/", "enabled": false});
        let moved = json!({"webhooks": [{"id": "1", "url": "https://b.example/x", "secret": "s"}]});
        for local in [Value::Null, moved] {
            let mut back = archived.clone();
            keep_secrets(&local, &mut back);
            assert_eq!(back["webhooks"][0], off);
        }
        // An archive does not get the secret of a webhook for a server of its own choice.
        let mut hostile = json!({"webhooks": [{"id": "1", "url": "https://b.example/"}]});
        keep_secrets(&local, &mut hostile);
        assert_eq!(hostile["webhooks"][0], json!({"id": "1", "url": "https://b.example/"}));
        for (url, expected) in [
            ("HTTPS://me:pw@A.example:1/x", "https://a.example:1/"),
            ("https://a?k=1", "https://a/"),
            ("https://a#k", "https://a/"),
            ("nonsense/key", ""),
        ] {
            assert_eq!(server_of(url), expected);
        }
    }

    #[test]
    fn games_keep_their_words_and_webhooks_say_what_they_had() {
        let text = json!({
            "games": [{"game_id": "a", "custom_fields": {"secret": "ending"}}],
            "settings": {"webhooks": [{"url": "u://h/", "secret": "s"}, {"url": "v://h/", "secret": ""}]},
        });
        let state = crate::store::exchange::read_state(text.to_string().as_bytes()).expect("read");
        let clean = redacted_state(&state, true);
        assert!(clean.games.get(0).expect("a game").json().contains("ending"));
        let rows = &clean.settings()["webhooks"];
        assert_eq!(
            rows,
            &json!([{"url": "u://h/", "secret_set": true}, {"url": "v://h/", "secret_set": false}])
        );
        let plain = redacted_state(&state, false);
        assert_eq!(plain.settings()["webhooks"], json!([{"url": "u://h/"}, {"url": "v://h/"}]));
    }
}
