//! Links to the program: `service://ACTION[/ARGUMENT]` or `service:ACTION[/ARGUMENT]`.

use std::fmt::Write as _;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::net::location::percent_encoded;

/// The scheme, with its colon.
const SCHEME: &str = "service:";
/// Hosts that mean this machine and carry no information.
const HOSTS: [&str; 4] = ["", "localhost", "service", "service-launcher"];
/// Bytes of the longest link.
const BYTES: usize = 2_000;

/// What a link asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeepLink {
    /// Opens the page as a usual start does.
    Start,
    /// A request to the service: a route and its body.
    Ask(&'static str, Value),
    /// Opens the page at a place: the query of its address.
    Show(String),
}

/// Why a text is not a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    #[error("a link begins with {SCHEME} and has at most {BYTES} bytes")]
    Scheme,
    #[error("the link names another host")]
    Host,
    #[error("the link has no known action")]
    Action,
    #[error("the link names no game")]
    Argument,
}

/// Whether a word of the command line is meant as a link.
pub fn is_link(word: &str) -> bool {
    rest(word).is_some()
}

fn rest(text: &str) -> Option<&str> {
    let scheme = text.get(..SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| &text[SCHEME.len()..])
}

impl DeepLink {
    /// Reads a link.
    ///
    /// # Errors
    /// [`LinkError`].
    pub fn parse(text: &str) -> Result<Self, LinkError> {
        let text = text.trim();
        let rest = rest(text).filter(|_| text.len() <= BYTES).ok_or(LinkError::Scheme)?;
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let path = match rest.strip_prefix("//") {
            None => rest,
            Some(rest) => {
                let (first, path) = rest.split_once('/').unwrap_or((rest, ""));
                let is_host = |host: &&str| first.eq_ignore_ascii_case(host);
                if HOSTS.iter().any(is_host) {
                    path
                } else if first.contains(['.', ':', '@', '[']) {
                    return Err(LinkError::Host);
                } else {
                    rest
                }
            }
        };
        let path = path.trim_start_matches('/');
        let (action, argument) = path.split_once('/').unwrap_or((path, ""));
        let argument = decoded(argument.trim_end_matches('/')).ok_or(LinkError::Argument)?;
        Self::of(&action.to_ascii_lowercase(), argument.trim())
    }

    fn of(action: &str, argument: &str) -> Result<Self, LinkError> {
        let show = |action: &str, key: &str| {
            let mut query = format!("deeplink={action}");
            if !argument.is_empty() {
                // OK because writing to a text never fails.
                let _ = write!(query, "&{key}={}", percent_encoded(argument));
            }
            Self::Show(query)
        };
        let named = || if argument.is_empty() { Err(LinkError::Argument) } else { Ok(argument) };
        Ok(match action {
            "" | "start" => Self::Start,
            "search" => show("search", "q"),
            "showgame" | "game" => named().map(|_| show("game", "id"))?,
            "launch" => Self::Ask("/api/launch", game(named()?)),
            "resume" => Self::Ask("/api/v2/resume", game(named()?)),
            "moment" | "clip" => named().map(|_| show(action, "id"))?,
            "bigscreen" | "fullscreen" => Self::Show("deeplink=bigscreen".to_owned()),
            "settings" => show("settings", "id"),
            _ => return Err(LinkError::Action),
        })
    }
}

/// The game of a body: digits are its position, anything else is its stable id.
pub(super) fn game(text: &str) -> Value {
    match text.parse::<u32>() {
        Ok(id) if text.bytes().all(|byte| byte.is_ascii_digit()) => json!({"id": id}),
        _ => json!({"game_id": text}),
    }
}

/// A text with its percent signs resolved; `None` when that is not text, or holds control characters.
fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    (!text.chars().any(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn links_are_read_in_every_form() {
        let show = |query: &str| Ok(DeepLink::Show(query.to_owned()));
        let ask = |route, body| Ok(DeepLink::Ask(route, body));
        for (text, expected) in [
            ("service:", Ok(DeepLink::Start)),
            ("service://", Ok(DeepLink::Start)),
            ("SERVICE://start", Ok(DeepLink::Start)),
            ("service://search/Comet%20Rangers", show("deeplink=search&q=Comet%20Rangers")),
            ("service:search/a/b&id=1", show("deeplink=search&q=a%2Fb%26id%3D1")),
            ("service:search", show("deeplink=search")),
            ("service:///game/42/", show("deeplink=game&id=42")),
            ("service://localhost/showgame/abc", show("deeplink=game&id=abc")),
            ("service://Service/launch/7", ask("/api/launch", json!({"id": 7}))),
            ("service://service", Ok(DeepLink::Start)),
            ("service://service-launcher/launch/7", ask("/api/launch", json!({"id": 7}))),
            ("service:launch/game-1", ask("/api/launch", json!({"game_id": "game-1"}))),
            ("service://resume/+7", ask("/api/v2/resume", json!({"game_id": "+7"}))),
            ("service:moment/m", show("deeplink=moment&id=m")),
            ("service:clip/c", show("deeplink=clip&id=c")),
            ("service:fullscreen", show("deeplink=bigscreen")),
            ("service:settings/backups", show("deeplink=settings&id=backups")),
            ("service:settings?x=1#y", show("deeplink=settings")),
            ("service://example.org/launch/1", Err(LinkError::Host)),
            ("service://localhost:80/launch/1", Err(LinkError::Host)),
            ("service://me@localhost/launch/1", Err(LinkError::Host)),
            ("service:launch", Err(LinkError::Argument)),
            ("service:launch/%00", Err(LinkError::Argument)),
            ("service:launch/%ff", Err(LinkError::Argument)),
            ("service:game/%20", Err(LinkError::Argument)),
            ("service:format/c", Err(LinkError::Action)),
            ("http://example.org", Err(LinkError::Scheme)),
            ("", Err(LinkError::Scheme)),
        ] {
            assert_eq!(DeepLink::parse(text), expected, "{text}");
        }
        let long = format!("service:search/{}", "x".repeat(BYTES));
        assert_eq!(DeepLink::parse(&long), Err(LinkError::Scheme));
        assert!(is_link("Service:x") && !is_link("services:x") && !is_link("ñservice:"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_link_or_refused(text in "service:[ -~é%/]{0,40}") {
            if let Ok(DeepLink::Show(query)) = DeepLink::parse(&text) {
                prop_assert!(query.is_ascii() && !query.contains([' ', '#', '"']));
            }
        }
    }
}
