//! Settings that name another program's address.
//!
//! Only the form is judged here; whether an address may be spoken to is decided again, by resolved
//! address, when the connection is made.

use std::net::IpAddr;

use serde_json::Value;

use super::refusal::Refusal;
use super::rule::Look;
use crate::base::text;

/// Characters of the library server's address.
const SERVER_CHARS: usize = 2048;

/// The recorder's websocket: `ws://`, which is all that the recorder speaks, a host, no credentials.
pub(super) fn check_websocket(value: &Value, chars: usize) -> Result<Value, Refusal> {
    let named = text::cut(value.as_str().ok_or(Refusal::NotText)?.trim(), chars);
    if named.is_empty() {
        return Ok(Value::from(""));
    }
    let (scheme, rest) = named.split_once("://").ok_or(Refusal::AddressScheme("ws://"))?;
    if !scheme.eq_ignore_ascii_case("ws") {
        return Err(Refusal::AddressScheme("ws://"));
    }
    host_of(rest)?;
    Ok(Value::from(named))
}

/// The library server: `https://` unless it is this machine or the environment permits plain http;
/// an address without a scheme gets `https://`, and a slash at the end is dropped.
pub(super) fn check_library_server(value: &Value, look: Look<'_>) -> Result<Value, Refusal> {
    let named = value.as_str().ok_or(Refusal::NotText)?.trim();
    if named.is_empty() {
        return Ok(Value::from(""));
    }
    if named.chars().count() > SERVER_CHARS {
        return Err(Refusal::TooLong { chars: SERVER_CHARS });
    }
    let (scheme, rest) = named.split_once("://").unwrap_or(("https", named));
    let scheme = scheme.to_ascii_lowercase();
    let host = host_of(rest)?;
    match scheme.as_str() {
        "https" => {}
        "http" if is_loopback(host) => {}
        "http" => {
            let permitted = match look {
                Look::Shape => true,
                Look::Disk { environment, .. } => environment.allows_http_libserver(),
            };
            if !permitted && !look.is_stored(named) {
                return Err(Refusal::PlainHttp);
            }
        }
        _ => return Err(Refusal::AddressScheme("https://")),
    }
    Ok(Value::from(format!("{scheme}://{}", rest.trim_end_matches('/'))))
}

/// The host in what follows `scheme://`, after the whole of it was checked.
fn host_of(rest: &str) -> Result<&str, Refusal> {
    if rest.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return Err(Refusal::AddressForm);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if authority.contains('@') {
        return Err(Refusal::AddressCredentials);
    }
    if rest.contains(['#', '\\']) {
        return Err(Refusal::AddressForm);
    }
    let (host, port) = if let Some(inner) = authority.strip_prefix('[') {
        let (host, after) = inner.split_once(']').ok_or(Refusal::AddressForm)?;
        host.parse::<std::net::Ipv6Addr>().map_err(|_| Refusal::AddressForm)?;
        match after.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if after.is_empty() => (host, None),
            None => return Err(Refusal::AddressForm),
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
    if host.is_empty() || !port_fits { Err(Refusal::AddressForm) } else { Ok(host) }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
