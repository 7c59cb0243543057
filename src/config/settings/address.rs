//! Settings that name another program's address, and which server the stored password of the
//! library server is for: the one whose address was stored when the password was entered.
//!
//! Only the form is judged here; whether an address may be spoken to is decided again, by resolved
//! address, when the connection is made.

use std::net::IpAddr;

use serde_json::{Map, Value};

use super::field_error::BrokenRule;
use super::read;
use super::rule::CheckDepth;
use crate::base::text;

/// Characters of the library server's address.
const SERVER_CHARS: usize = 2048;

/// The recorder's websocket: `ws://`, which is all that the recorder speaks, a host, no credentials.
pub(super) fn check_websocket(value: &Value, chars: usize) -> Result<Value, BrokenRule> {
    let named = text::cut(value.as_str().ok_or(BrokenRule::NotText)?.trim(), chars);
    if named.is_empty() {
        return Ok(Value::from(""));
    }
    let (scheme, rest) = named.split_once("://").ok_or(BrokenRule::AddressScheme("ws://"))?;
    if !scheme.eq_ignore_ascii_case("ws") {
        return Err(BrokenRule::AddressScheme("ws://"));
    }
    host_of(rest)?;
    Ok(Value::from(named))
}

/// The library server: `https://` unless it is this machine or the environment permits plain http;
/// an address without a scheme gets `https://`, and a slash at the end is dropped.
pub(super) fn check_library_server(
    value: &Value,
    depth: CheckDepth<'_>,
) -> Result<Value, BrokenRule> {
    let named = value.as_str().ok_or(BrokenRule::NotText)?.trim();
    if named.is_empty() {
        return Ok(Value::from(""));
    }
    if named.chars().count() > SERVER_CHARS {
        return Err(BrokenRule::TooLong { chars: SERVER_CHARS });
    }
    let (scheme, rest) = named.split_once("://").unwrap_or(("https", named));
    let scheme = scheme.to_ascii_lowercase();
    let host = host_of(rest)?;
    match scheme.as_str() {
        "https" => {}
        "http" if is_loopback(host) => {}
        "http" => {
            let permitted = match depth {
                CheckDepth::Shape => true,
                CheckDepth::Disk { environment, .. } => environment.allows_http_libserver(),
            };
            if !permitted && !depth.is_stored(named) {
                return Err(BrokenRule::PlainHttp);
            }
        }
        _ => return Err(BrokenRule::AddressScheme("https://")),
    }
    Ok(Value::from(format!("{scheme}://{}", rest.trim_end_matches('/'))))
}

/// The host in what follows `scheme://`, after the whole of it was checked.
fn host_of(rest: &str) -> Result<&str, BrokenRule> {
    if rest.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return Err(BrokenRule::AddressForm);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if authority.contains('@') {
        return Err(BrokenRule::AddressCredentials);
    }
    if rest.contains(['#', '\\']) {
        return Err(BrokenRule::AddressForm);
    }
    let (host, port) = if let Some(inner) = authority.strip_prefix('[') {
        let (host, after) = inner.split_once(']').ok_or(BrokenRule::AddressForm)?;
        host.parse::<std::net::Ipv6Addr>().map_err(|_| BrokenRule::AddressForm)?;
        match after.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if after.is_empty() => (host, None),
            None => return Err(BrokenRule::AddressForm),
        }
    } else {
        match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        }
    };
    let port_fits = port.is_none_or(|port| {
        port.bytes().all(|digit| digit.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if host.is_empty() || !port_fits { Err(BrokenRule::AddressForm) } else { Ok(host) }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

const URL: &str = "libserver_url";
const PASSWORD: &str = "libserver_password";
const ENTERED_FOR: &str = "libserver_password_url";

/// The address that the stored password is for. Libraries of earlier versions do not name it: there
/// it is the stored address.
pub fn of_password(stored: &Map<String, Value>) -> String {
    match read::text(stored, ENTERED_FOR) {
        named if named.is_empty() => read::text(stored, URL),
        named => named,
    }
}

/// Writes down which address the stored password is for, so that another address does not get it.
pub fn bind(stored: &mut Map<String, Value>) {
    let address = of_password(stored);
    if !(address.is_empty() || read::text(stored, PASSWORD).is_empty()) {
        stored.insert(ENTERED_FOR.to_owned(), address.into());
    }
}

/// Adds to the changes of a save which address the password is for: a new password is for the
/// address that holds after the save, and one that was entered before any address is for the first.
pub(super) fn follow(changes: &mut Map<String, Value>, stored: &Map<String, Value>) {
    let mut after = stored.clone();
    if changes.contains_key(PASSWORD) {
        after.remove(ENTERED_FOR);
        after.extend(changes.clone());
    } else if !changes.contains_key(URL) || read::text(stored, PASSWORD).is_empty() {
        return;
    } else if of_password(stored).is_empty() {
        after.extend(changes.clone());
    }
    changes.insert(ENTERED_FOR.to_owned(), of_password(&after).into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_password(stored: Value, changes: Value, expected: Option<&str>) {
        let map = |value: Value| value.as_object().expect("an object").clone();
        let (mut changes, stored) = (map(changes), map(stored));
        follow(&mut changes, &stored);
        assert_eq!(changes.get(ENTERED_FOR).and_then(Value::as_str), expected);
    }

    #[test]
    fn a_password_belongs_to_the_address_it_was_entered_for() {
        let (a, b) = ("https://a.example", "https://b.example");
        check_password(json!({}), json!({URL: a}), None);
        check_password(json!({}), json!({URL: a, PASSWORD: "p"}), Some(a));
        check_password(json!({URL: a}), json!({PASSWORD: "p"}), Some(a));
        check_password(json!({}), json!({PASSWORD: "p"}), Some(""));
        check_password(json!({PASSWORD: "p", ENTERED_FOR: ""}), json!({URL: a}), Some(a));
        check_password(json!({PASSWORD: "p", URL: a}), json!({URL: b}), Some(a));
        check_password(json!({PASSWORD: "p", URL: a, ENTERED_FOR: a}), json!({URL: b}), Some(a));
        check_password(
            json!({PASSWORD: "p", URL: b, ENTERED_FOR: a}),
            json!({PASSWORD: "q"}),
            Some(b),
        );
        check_password(
            json!({PASSWORD: "p", URL: b, ENTERED_FOR: a}),
            json!({"theme": "dark"}),
            None,
        );
    }
}
