//! The kiosk (`/api/v2/arcade/kiosk/...`), and what a locked client session may do.
//!
//! In the family view such a session gets the library from a state without the games that the view leaves
//! out. What is answered from anything else, such as the history, is refused to it.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, Verb, optional, required},
    services::{Reader, Services, Writer},
};
use crate::{
    base::clock,
    events::{bus::Frame, event::Topic},
    game::reference::GameRef,
    http::request::Request,
    kiosk::{self, Access, KioskChange, KioskError, KioskStatus, KioskVerified},
    model::State,
};

/// The header with which a client names its session.
const SESSION: &str = "X-Service-Session";
/// The query parameter that does so where no header can be sent, as in the address of a picture.
const SESSION_QUERY: &str = "session";

/// Which locked client sessions may ask for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// All of them.
    Everybody,
    /// Those that see the whole library. It is answered from more than the games of the family view.
    WholeLibrary,
}

use For::{Everybody, WholeLibrary};

/// Everything that a locked client session may ask for: viewing, playing, pausing and leaving. A route
/// that is not here is refused.
const ALLOWED: &[(Verb, &str, For)] = &[
    (Verb::Get, "/api/ach/badge", Everybody),
    (Verb::Get, "/api/bigscreen/media", Everybody),
    (Verb::Get, "/api/discovery", Everybody),
    (Verb::Get, "/api/document", Everybody),
    (Verb::Get, "/api/events", Everybody),
    (Verb::Get, "/api/explorer/facets", Everybody),
    (Verb::Get, "/api/filter-presets", Everybody),
    (Verb::Get, "/api/highscores", WholeLibrary),
    (Verb::Get, "/api/history", WholeLibrary),
    (Verb::Get, "/api/library", Everybody),
    (Verb::Get, "/api/library/delta", Everybody),
    (Verb::Get, "/api/media", Everybody),
    (Verb::Get, "/api/media/kinds", Everybody),
    (Verb::Get, "/api/native/capabilities", Everybody),
    (Verb::Get, "/api/notifications", Everybody),
    (Verb::Get, "/api/openapi.json", Everybody),
    (Verb::Get, "/api/platform/document", Everybody),
    (Verb::Get, "/api/platform/documents", Everybody),
    (Verb::Get, "/api/premium/media-packs", Everybody),
    (Verb::Get, "/api/premium/platform-categories", Everybody),
    (Verb::Get, "/api/premium/strings", Everybody),
    (Verb::Get, "/api/queue", Everybody),
    (Verb::Get, "/api/related", Everybody),
    (Verb::Get, "/api/related/rich", Everybody),
    (Verb::Get, "/api/running", Everybody),
    (Verb::Get, "/api/settings", Everybody),
    (Verb::Get, "/api/tags", Everybody),
    (Verb::Get, "/api/theme.css", Everybody),
    (Verb::Get, "/api/themes", Everybody),
    (Verb::Get, "/api/v2/arcade/kiosk/status", Everybody),
    (Verb::Get, "/api/v2/clips", Everybody),
    (Verb::Get, "/api/v2/collections", Everybody),
    (Verb::Get, "/api/v2/history/timeline", WholeLibrary),
    (Verb::Get, "/api/v2/household", WholeLibrary),
    (Verb::Get, "/api/v2/household/leaderboard", WholeLibrary),
    (Verb::Get, "/api/v2/insights/heatmap", WholeLibrary),
    (Verb::Get, "/api/v2/insights/mastery", WholeLibrary),
    (Verb::Get, "/api/v2/insights/radar", WholeLibrary),
    (Verb::Get, "/api/v2/insights/radio", WholeLibrary),
    (Verb::Get, "/api/v2/insights/summary", WholeLibrary),
    (Verb::Get, "/api/v2/insights/trophies", WholeLibrary),
    (Verb::Get, "/api/v2/insights/wrapped", WholeLibrary),
    (Verb::Get, "/api/v2/jobs/events", Everybody),
    (Verb::Get, "/api/v2/library/constellation", WholeLibrary),
    (Verb::Get, "/api/v2/library/search", WholeLibrary),
    (Verb::Get, "/api/v2/memories", Everybody),
    (Verb::Get, "/api/v2/memories/media", Everybody),
    (Verb::Get, "/api/v2/moments", Everybody),
    (Verb::Get, "/api/v2/party/queue", Everybody),
    (Verb::Get, "/api/v2/platforms", Everybody),
    (Verb::Get, "/api/v2/reels", Everybody),
    (Verb::Get, "/api/v2/resume/status", Everybody),
    (Verb::Get, "/api/v2/sessions/recap", Everybody),
    (Verb::Get, "/api/v2/story", WholeLibrary),
    (Verb::Post, "/api/extra/launch", Everybody),
    (Verb::Post, "/api/launch", Everybody),
    (Verb::Post, "/api/session/control", Everybody),
    (Verb::Post, "/api/ticket", Everybody),
    (Verb::Post, "/api/v2/arcade/kiosk/verify", Everybody),
    (Verb::Post, "/api/v2/launch/preflight", Everybody),
    (Verb::Post, "/api/v2/library/dna/search", WholeLibrary),
    (Verb::Post, "/api/v2/library/pick", WholeLibrary),
    (Verb::Post, "/api/v2/library/query/parse", Everybody),
    (Verb::Post, "/api/v2/moments/resume", WholeLibrary),
    (Verb::Post, "/api/v2/resume", Everybody),
];

/// The events that a locked client session receives in the family view, when the game they name is shown.
const FAMILY_TOPICS: [Topic; 6] = [
    Topic::SessionStarted,
    Topic::SessionStopped,
    Topic::SessionPaused,
    Topic::SessionResumed,
    Topic::SessionRecap,
    Topic::LibraryChanged,
];

const CHANGE: [Param; 4] = [
    optional("pin", Holds::Text, "The PIN from now on, 4 to 12 digits."),
    optional("clear", Holds::Flag, "Remove the PIN.").lenient(),
    optional("enabled", Holds::Flag, "Switch the kiosk on or off.").lenient(),
    optional("lock", Holds::Flag, "Lock the client session of this request.").lenient(),
];
const PIN: [Param; 1] = [required("pin", Holds::Text, "The PIN that was entered.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/arcade/kiosk/status", Handler::Read(show_status))
        .about("kiosk", "Whether the kiosk is on and has a PIN.")
        .since("1.11.0")
        .returns::<KioskStatus>(),
    Route::post("/api/v2/arcade/kiosk/pin", Handler::Write(change_kiosk))
        .about("kiosk", "Sets or removes the PIN, and switches the kiosk on or off.")
        .since("1.11.0")
        .body(&CHANGE)
        .returns::<KioskStatus>()
        .codes(&[Code::ArcadeInvalidRequest, Code::ArcadeInvalidPin])
        .slow(),
    Route::post("/api/v2/arcade/kiosk/verify", Handler::Write(verify_pin))
        .about("kiosk", "Checks a PIN; the right one unlocks the client session.")
        .since("1.11.0")
        .body(&PIN)
        .returns::<KioskVerified>()
        .codes(&[Code::ArcadeInvalidPin])
        .slow(),
];

/// The client session of a request.
pub fn session_of(request: &Request) -> String {
    let named = request.head.query().get(SESSION_QUERY);
    kiosk::session_name(request.headers.get(SESSION).or(named.as_deref())).to_owned()
}

/// What the client session of a request may do. A library that cannot be read locks nothing.
fn access(services: &Services, request: &Request) -> Access {
    let Ok(state) = services.store.snapshot() else { return Access::Full };
    services.shared.kiosk.access(&state, || session_of(request))
}

/// Refuses what a locked client session may not do, and gives the state it may see where that is not all. The
/// game that a body names is then named by its stable id, because positions are those of that state.
pub(super) fn check(
    services: &Services,
    route: &Route,
    request: &Request,
    body: &mut Map<String, Value>,
) -> Result<Option<Arc<State>>, ApiError> {
    let mut allowed = ALLOWED.iter().filter(|row| (row.0, row.1) == (route.verb, route.path));
    let (is_allowed, view) = match access(services, request) {
        Access::Full => (true, None),
        Access::Locked => (allowed.next().is_some(), None),
        Access::Family(view) => (allowed.any(|row| row.2 == Everybody), Some(view)),
    };
    if !is_allowed {
        return Err(ApiError::of(Code::ArcadeKioskLocked));
    }
    if let Some(view) = &view
        && let Some(game) = GameRef::from_body(body)
    {
        let (_, game) = game.find(&view.games).ok_or(ApiError::of(Code::GameNotFound))?;
        body.insert("game_id".to_owned(), game.id().into());
    }
    Ok(view)
}

/// The payload of an event for the client session of a request; `None` when the session may not receive it.
pub(super) fn heard<'a>(
    services: &Services,
    request: &Request,
    frame: &'a Frame,
) -> Option<Cow<'a, str>> {
    match access(services, request) {
        Access::Family(view) => heard_by_families(&view, frame),
        Access::Full | Access::Locked => Some(Cow::Borrowed(&frame.data)),
    }
}

/// An event of a session names its game in one of two keys. One that names none is not sent, because it is unknown
/// whether its game is shown.
fn heard_by_families<'a>(view: &State, frame: &'a Frame) -> Option<Cow<'a, str>> {
    if !FAMILY_TOPICS.iter().any(|topic| topic.name() == frame.name) {
        return None;
    }
    let mut facts: Value = serde_json::from_str(&frame.data).unwrap_or_default();
    let shows = |id: &Value| id.as_str().is_some_and(|id| view.games.position(id).is_some());
    if frame.name == Topic::LibraryChanged.name() {
        let named = |key: &str| facts[key].as_array().into_iter().flatten();
        if named("game_ids").chain(named("removed")).all(shows) {
            return Some(Cow::Borrowed(&frame.data));
        }
        // One of the games may have been shown until now, so the client reads what is shown again.
        facts["count"] = named("game_ids").filter(|id| shows(id)).count().into();
        facts["all"] = true.into();
        facts["game_ids"] = json!([]);
        facts["removed"] = json!([]);
        return Some(Cow::Owned(facts.to_string()));
    }
    let game = facts.get("stable_game_id").or(facts.get("game_id"));
    game.is_some_and(shows).then_some(Cow::Borrowed(&frame.data))
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&kiosk::status(&reader.state))
}

fn change_kiosk(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let pin = match call.given("pin") {
        None => None,
        Some(Value::String(pin)) => Some(pin.clone()).filter(|pin| !pin.is_empty()),
        Some(_) => return Err(KioskError::Pin.into()),
    };
    let change = KioskChange {
        pin,
        clear: call.flag("clear")?,
        enabled: call.flag_if_given("enabled")?,
        lock: call.flag("lock")?,
    };
    ok(&writer.shared.kiosk.change(writer.store, &change, &session_of(call.request))?)
}

fn verify_pin(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let Some(pin) = call.key("pin").and_then(Value::as_str) else {
        return Err(KioskError::Pin.into());
    };
    let state = writer.store.snapshot()?;
    let session = session_of(call.request);
    ok(&writer.shared.kiosk.verify(&state, pin, &session, clock::awake())?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        api::FAMILIES,
        model::Draft,
        sessions::events::{Kind as SessionKind, SessionEvent},
    };

    #[test]
    fn only_routes_that_exist_are_allowed_and_each_once() {
        for (at, (verb, path, _)) in ALLOWED.iter().enumerate() {
            let mut others = ALLOWED[at + 1..].iter();
            assert!(!others.any(|other| (other.0, other.1) == (*verb, *path)), "{path}");
            let mut rows = FAMILIES.iter().flat_map(|family| family.iter());
            assert!(rows.any(|row| (row.verb, row.path) == (*verb, *path)), "{path}");
        }
    }

    #[test]
    fn families_hear_of_games_that_they_see() {
        let mut draft = Draft::new(State::default());
        let record = serde_json::from_value(json!({"game_id": "shown", "name": "A"}));
        draft.add_game(record.expect("an object")).expect("an id of its own");
        let view = draft.finish().0;
        let heard = |topic: Topic, facts: &Value| {
            let frame = Frame { name: topic.name(), data: facts.to_string() };
            let heard = heard_by_families(&view, &frame)?;
            serde_json::from_str::<Value>(&heard).ok()
        };
        let session = |id: &str| {
            let kind = SessionKind::Started;
            let (launch_id, game, platform) = ("l".to_owned(), "A".to_owned(), String::new());
            let stable_game_id = id.to_owned();
            let (started, time, outcome) = (String::new(), String::new(), None);
            let event = SessionEvent {
                id: 1,
                kind,
                launch_id,
                stable_game_id,
                game,
                platform,
                started,
                time,
                outcome,
            };
            json!(event.shown())
        };
        for (topic, facts, expected) in [
            (Topic::SessionStarted, session("shown"), true),
            (Topic::SessionStarted, session("left-out"), false),
            (Topic::SessionStopped, session("left-out"), false),
            (Topic::SessionRecap, json!({"game_id": "shown"}), true),
            (Topic::SessionRecap, json!({"game_id": "left-out"}), false),
            (Topic::SessionRecap, json!({"truncated": true, "bytes": 70_000}), false),
            (Topic::JobFinished, json!({}), false),
            (Topic::TrophyAwarded, json!({"game_id": "shown"}), false),
        ] {
            let expected = expected.then(|| facts.clone());
            assert_eq!(heard(topic, &facts), expected, "{} {facts}", topic.name());
        }
        let change = |ids: Value, removed: Value, count: usize, all: bool| {
            json!({"revision": 7, "count": count, "all": all, "game_ids": ids, "removed": removed,
                "sections": ["queue"]})
        };
        let reread = |count: usize| change(json!([]), json!([]), count, true);
        for (facts, expected) in [
            (change(json!(["shown"]), json!([]), 1, false), None),
            (change(json!([]), json!([]), 0, false), None),
            (change(json!(["left-out"]), json!([]), 1, false), Some(reread(0))),
            (change(json!(["left-out", "shown"]), json!([]), 2, false), Some(reread(1))),
            (change(json!(["shown"]), json!(["gone"]), 2, false), Some(reread(1))),
        ] {
            let expected = expected.unwrap_or_else(|| facts.clone());
            assert_eq!(heard(Topic::LibraryChanged, &facts), Some(expected), "{facts}");
        }
    }
}
